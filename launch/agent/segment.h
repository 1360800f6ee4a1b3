/* SPDX-License-Identifier: BSD-3-Clause */
/* segment.h – the memory of the job, and which rank has which place in it.
 *
 * segment.c makes the segment, reserves the pages of ranks before they start and gives back those of dead ones;
 * vacancy.c gives a place to each rank and takes it from the dead when nobody looks at them any more.  Both run in
 * the main thread. */
#ifndef MEND_LAUNCH_AGENT_SEGMENT_H
#define MEND_LAUNCH_AGENT_SEGMENT_H

#include "agent/agent.h"

/* Creates the sealed segment, of *bytes_p bytes.  False: errno tells why. */
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

void mend_vacancy_init(struct mend_ranks *ranks);

/* Takes their places from the dead, as far as now possible.  True: not from all. */
bool mend_vacancy_collect(struct agent *agent);

/* The same for those that have left, from which places are not taken before they are wanted. */
bool mend_vacancy_clear_out(struct agent *agent);

/* vacancy.c: grows with each end of a process, and with each place that becomes vacant; a process is in MPI_Finalize or
 * behind it, or dead, and has not ended. */
uint64_t mend_vacancy_progress(const struct mend_ranks *ranks);
bool mend_vacancy_ending(const struct mend_ranks *ranks);

/* The others shall let go of those that have left and ended. */
void mend_vacancy_tell_left(struct agent *agent);

/* The same, from now on of each that ends. */
void mend_vacancy_mind_left(struct agent *agent);

/* How many more ranks there may be now; how many places are taken. */
int mend_vacancies(const struct mend_ranks *ranks);
int mend_places_taken(const struct mend_ranks *ranks);

/* Gives r one of the vacant places; takes it away again from a rank that never ran. */
void mend_vacancy_take(struct mend_ranks *ranks, const struct mend_tell *tell, struct rank *r);
void mend_vacancy_give(struct mend_ranks *ranks, struct rank *r);

#endif
