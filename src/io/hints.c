/* SPDX-License-Identifier: BSD-3-Clause */
/* hints.c – between text and numbers. */
#include "io/hints.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { NUMBER, CHOICE, TRUTH };

#define AUTOMATIC MEND_HINT_AUTOMATIC

static const struct row {
    const char *name;
    enum kind kind;
    int64_t first, least, most;
    bool same;
} rows[] = {
#define MEND_HINT_DEF(sym_, name_, kind_, first_, least_, most_, same_, what_)                     \
    {#name_, kind_, first_, least_, most_, same_},
#include "io/hint.def"
#undef MEND_HINT_DEF
};

static const char *const choices[] = {"automatic", "enable", "disable"};
static const char *const truths[] = {"false", "true"};

void mend_file_hints_begin(struct mend_file_hints *h)
{
    for (int i = 0; i < MEND_HINTS_N; i++)
        h->value[i] = rows[i].first;
}

/* False: it is none. */
static bool read_number(const char *text, int64_t *value_p)
{
    char *end;

    errno = 0;
    *value_p = strtoll(text, &end, 10);
    return !errno && end != text && !*end;
}

/* The place of the text among these words. */
static bool find_word(const char *const *words, size_t n, const char *text, int64_t *value_p)
{
    for (size_t k = 0; k < n; k++)
        if (!strcmp(text, words[k])) {
            *value_p = (int64_t)k;
            return true;
        }
    return false;
}

static bool read_value(enum kind kind, const char *text, int64_t *value_p)
{
    if (kind == NUMBER)
        return read_number(text, value_p);
    return kind == CHOICE ? find_word(choices, MEND_COUNT_OF(choices), text, value_p)
                          : find_word(truths, MEND_COUNT_OF(truths), text, value_p);
}

void mend_file_hints_read(struct mend_file_hints *h, const struct mend_info *i)
{
    for (int k = 0; k < MEND_HINTS_N; k++) {
        const char *text = mend_info_get(i, rows[k].name);
        int64_t value;

        if (text && read_value(rows[k].kind, text, &value) && value >= rows[k].least &&
            value <= rows[k].most)
            h->value[k] = value;
    }
}

int mend_file_hints_write(struct mend_proc *self, const struct mend_file_hints *h,
                          struct mend_info *i)
{
    int err = MPI_SUCCESS;

    for (int k = 0; k < MEND_HINTS_N && !err; k++) {
        char number[24];

        snprintf(number, sizeof(number), "%lld", (long long)h->value[k]);
        err = mend_info_set(self, i, rows[k].name,
                            rows[k].kind == NUMBER   ? number
                            : rows[k].kind == CHOICE ? choices[h->value[k]]
                                                     : truths[h->value[k]]);
    }
    return err;
}

uint64_t mend_file_hints_digest(const struct mend_file_hints *h)
{
    uint64_t sum = 0;

    for (int k = 0; k < MEND_HINTS_N; k++)
        if (rows[k].same)
            sum = (sum ^ (uint64_t)h->value[k]) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    return sum;
}
