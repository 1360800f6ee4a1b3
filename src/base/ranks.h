/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.h – a set of ranks in words: "1, 3-5". */
#ifndef MEND_BASE_RANKS_H
#define MEND_BASE_RANKS_H

#include "base/status.h"

/* Writes the bits of the first n of a set as "rank 1" or "ranks 1, 3-5", with "..." at the end where the rest has no
 * room; "" for the empty set.  Returns how many there are.  Allocates nothing. */
int mend_ranks_text(const uint64_t *set, int n, char *text, size_t max);

#endif
