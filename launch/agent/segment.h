/* SPDX-License-Identifier: BSD-3-Clause */
/* segment.h – the memory that the ranks of this node share: making it, reserving the pages of ranks before they start, giving
 * back those of dead ones.  Which rank has which place in it: vacancy.h.  Main thread only. */
#ifndef MEND_LAUNCH_AGENT_SEGMENT_H
#define MEND_LAUNCH_AGENT_SEGMENT_H

#include "agent/ranks.h"

struct mend_papers;
struct mend_tell;

/* Creates the sealed segment, of *bytes_p bytes, in which the first ranks have no places yet.  False: errno tells why. */
bool mend_segment_create(struct mend_ranks *ranks, const struct mend_tell *tell, uint64_t *bytes_p);

/* Gives back the memory of dead ranks that no living one looks at any more, and keeps their papers; returns when to look again. */
mend_time_ns mend_segment_give_back(struct mend_ranks *ranks, struct mend_papers *papers,
                                    mend_time_ns now);

/* Clears what is left of a rank that had this place, for another one. */
void mend_segment_clear(struct mend_ranks *ranks, const struct mend_tell *tell, mend_place place);

/* Reserves what n more ranks need, of the names from `first` on; those of this node have places.  False: there is no
 * memory. */
bool mend_segment_admit(struct mend_ranks *ranks, int first, int n);

/* Reserves these pages of it, which no process has used.  False: errno tells why. */
bool mend_segment_reserve(struct mend_ranks *ranks, const void *at, uint64_t bytes);

/* Says that there will be n more ranks; the first ones are there from the beginning. */
void mend_segment_expect(struct mend_ranks *ranks, int n);

/* Says where the processes of the names first .. first + n - 1 are. */
void mend_segment_name(struct mend_ranks *ranks, int first, int n);

#endif
