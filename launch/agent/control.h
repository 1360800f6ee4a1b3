/* SPDX-License-Identifier: BSD-3-Clause */
/* control.h – the datagrams of ranks to their agent, and the ends that they and others ask for (control.c).  Main thread only. */
#ifndef MEND_LAUNCH_AGENT_CONTROL_H
#define MEND_LAUNCH_AGENT_CONTROL_H

#include "ft/verdict.h"

#include <stdint.h>

struct agent;
struct mend_course;
struct mend_tell;
struct mend_verdicts;
struct rank;

/* The datagrams of a rank; those of ranks whose deaths wait for that. */
void mend_control_read(struct agent *agent, struct rank *r);
void mend_control_last_words(struct agent *agent);

/* Process `by`, a guest, ends these ranks of ours. */
void mend_control_abort(struct agent *agent, int by, const int32_t *peers, int32_t n,
                        struct mend_abort what);

/* These processes end, as one abort: those of this node by this agent. */
void mend_control_end(struct mend_verdicts *verdicts, struct mend_course *course,
                      const int32_t *peers, int32_t n, struct mend_abort what);

/* r ends, unless it or the other process is dead. */
void mend_control_cut(struct mend_verdicts *verdicts, const struct mend_tell *tell, struct rank *r,
                      int other);

#endif
