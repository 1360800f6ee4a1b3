/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep.h – what the ranks left behind (sweep.c). */
#ifndef MEND_LAUNCH_AGENT_SWEEP_H
#define MEND_LAUNCH_AGENT_SWEEP_H

#include <sys/types.h>

struct mend_ranks;
struct rank;

/* Kills what is left in the group of r; what all have left behind.  keeper: that process stays; 0: there is none. */
void mend_sweep_group(const struct rank *r);
void mend_sweep_all(const struct mend_ranks *ranks, pid_t keeper);

/* Removes the names that processes of the job have published. */
void mend_sweep_names(const struct mend_ranks *ranks);

/* After that the numbers of the ranks' processes may be those of others. */
void mend_sweep_reap(struct mend_ranks *ranks);

#endif
