/* SPDX-License-Identifier: BSD-3-Clause */
/* guess.h – which known name a wrong one was meant to be.
 *
 * Two names are near if few letters must be changed, added or left out to make one of the other: at most a third of
 * those of the wrong one.  The case of letters does not matter. */
#ifndef MEND_BASE_GUESS_H
#define MEND_BASE_GUESS_H

#include <stddef.h>

struct mend_guess {
    const char *name; /* the wrong one */
    size_t name_len;
    const char *best; /* the nearest of those that were offered; NULL: none is near */
    size_t best_len, best_far;
};

/* A guess about the first len letters of name. */
struct mend_guess mend_guess_begin(const char *name, size_t len);

/* Offers one of the known names, of len letters.  Names are borrowed. */
void mend_guess_offer(struct mend_guess *g, const char *known, size_t len);

#endif
