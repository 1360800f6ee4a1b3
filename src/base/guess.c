/* SPDX-License-Identifier: BSD-3-Clause */
/* guess.c – which known name a wrong one was meant to be. */
#include "base/guess.h"

#include <ctype.h>
#include <stdbool.h>

#define LETTERS_MAX 64 /* of a known name; longer ones are not guessed */

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/* Letters to be changed, added or left out to make one of the other, whatever their case. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t row[LETTERS_MAX + 1];

    for (size_t j = 0; j <= b_len; j++)
        row[j] = j;
    for (size_t i = 0; i < a_len; i++) {
        size_t before = row[0];

        row[0] = i + 1;
        for (size_t j = 0; j < b_len; j++) {
            bool same = tolower((unsigned char)a[i]) == tolower((unsigned char)b[j]);
            size_t here = least(row[j + 1] + 1, row[j] + 1, before + !same);

            before = row[j + 1];
            row[j + 1] = here;
        }
    }
    return row[b_len];
}

struct mend_guess mend_guess_begin(const char *name, size_t len)
{
    return (struct mend_guess){.name = name, .name_len = len, .best_far = len / 3 + 1};
}

void mend_guess_offer(struct mend_guess *g, const char *known, size_t len)
{
    size_t far = len > LETTERS_MAX ? g->best_far : distance(g->name, g->name_len, known, len);

    if (far >= g->best_far)
        return;
    g->best = known;
    g->best_len = len;
    g->best_far = far;
}
