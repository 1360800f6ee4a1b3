/* SPDX-License-Identifier: BSD-3-Clause */
/* retire.h – taking places from ranks that are over.
 *
 * A rank that leaves with MPI_Finalize keeps its place, until a request needs more places than there are.  Then it is
 * entered in the log of deaths with a cause that is none, and the others let go of it as of a dead one; so a job that
 * starts no processes has no work with those that have left.  With several nodes that is a fact of the log (facts.h).
 * Main thread only. */
#ifndef MEND_LAUNCH_AGENT_RETIRE_H
#define MEND_LAUNCH_AGENT_RETIRE_H

#include <stdbool.h>

struct mend_facts;
struct mend_links;
struct mend_papers;
struct mend_ranks;
struct mend_sources;
struct mend_verdicts;

/* Takes their places from the dead, as far as now possible.  True: not from all. */
bool mend_retire_dead(struct mend_ranks *ranks, struct mend_papers *papers,
                      struct mend_links *links, const struct mend_sources *sources);

/* The same for those that have left, from which places are not taken before they are wanted; started_n ranks were started with the
 * job.  facts NULL: the job has one node. */
bool mend_retire_left(struct mend_verdicts *verdicts, struct mend_facts *facts, int started_n);

/* The others shall let go of those that have left and ended; from now on of each that ends. */
void mend_retire_tell_left(struct mend_verdicts *verdicts, struct mend_facts *facts);
void mend_retire_mind_left(struct mend_verdicts *verdicts, struct mend_facts *facts);

#endif
