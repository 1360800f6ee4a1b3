/* SPDX-License-Identifier: BSD-3-Clause */
/* vacancy.h – which places of the segment the ranks have.
 *
 * A rank has a name, which no other ever has, and a place, as many as the job may have ranks at a time.
 *
 *   never used ──> a rank's ──it dies, every living rank has let go of it, and we have told of it (retire.h)──> vacant
 *                     ^                                                                                            │
 *                     └─────────────────────────────── cleared, with a new name <──────────────────────────────────┘
 *
 * A process of another node has no place.  It counts as one whose child has ended and of which all is told, so nothing here waits
 * for it, signals it or prints it.  While it lives a word of the agent's own stands for the line that it has in the segment of its node;
 * when it is dead a stub does, which says so, as for a rank of this node that has no place any more.  Main thread only. */
#ifndef MEND_LAUNCH_AGENT_VACANCY_H
#define MEND_LAUNCH_AGENT_VACANCY_H

#include "agent/ranks.h"

struct mend_tell;

void mend_vacancy_init(struct mend_ranks *ranks);

/* How many more ranks there may be now; how many places are taken. */
int mend_vacancies(const struct mend_ranks *ranks);
int mend_places_taken(const struct mend_ranks *ranks);

/* Gives r one of the vacant places; takes it away again. */
void mend_vacancy_take(struct mend_ranks *ranks, const struct mend_tell *tell, struct rank *r);
void mend_vacancy_give(struct mend_ranks *ranks, struct rank *r);

/* r, of which name and node are set, is a process of another node; the name i was given where this agent has missed it, and
 * its process never was. */
void mend_vacancy_begin_far(struct mend_ranks *ranks, struct rank *r);
void mend_vacancy_skip(struct mend_ranks *ranks, int i);

/* Grows with each end of a process, and with each place that becomes vacant; a process is in MPI_Finalize or behind it, or dead,
 * and has not ended. */
uint64_t mend_vacancy_progress(const struct mend_ranks *ranks);
bool mend_vacancy_ending(const struct mend_ranks *ranks);

#endif
