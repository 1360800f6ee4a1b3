/* SPDX-License-Identifier: BSD-3-Clause */
/* bind.h – the processors of each rank (bind.c). */
#ifndef MEND_LAUNCH_AGENT_BIND_H
#define MEND_LAUNCH_AGENT_BIND_H

struct mend_options;
struct mend_ranks;
struct mend_tell;

/* Chooses those of each rank of this node. */
void mend_bind_choose(struct mend_ranks *ranks, const struct mend_options *o);

/* ... of those of n ranks that begin here in the place of others; those that have none of a rank that was here before. */
void mend_bind_again(struct mend_ranks *ranks, const struct mend_options *o, int first, int n);

/* Says which each rank of this node may use. */
void mend_bind_report(const struct mend_ranks *ranks, const struct mend_tell *tell,
                      const struct mend_options *o);

#endif
