/* SPDX-License-Identifier: BSD-3-Clause */
/* waits.h – what the ranks of this node wait for (waits.c, blocked.c). */
#ifndef MEND_LAUNCH_AGENT_WAITS_H
#define MEND_LAUNCH_AGENT_WAITS_H

#include "base/status.h"

#include <stdint.h>

struct mend_message;
struct mend_options;
struct mend_ranks;
struct mend_tell;

/* Tells the root what each rank waits for; takes up to a second. */
void mend_waits_tell(struct mend_ranks *ranks, const struct mend_tell *tell, int64_t question);

/* blocked.c: the root asks about the ranks of an injection; looks at them, returns when to look again. */
void mend_blocked_ask(struct mend_options *o, const struct mend_message *m);
mend_time_ns mend_blocked_look(struct mend_ranks *ranks, const struct mend_tell *tell,
                               struct mend_options *o, mend_time_ns now);

#endif
