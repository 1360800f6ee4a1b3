/* SPDX-License-Identifier: BSD-3-Clause */
/* outage.h – what --inject node:K does to a node: it is switched off, or stands still for a time (outage.c). */
#ifndef MEND_LAUNCH_AGENT_OUTAGE_H
#define MEND_LAUNCH_AGENT_OUTAGE_H

#include "base/status.h"

struct mend_keeper;
struct mend_ranks;
struct mend_spares;

/* for_ns 0: for ever; does not return then. */
void mend_outage_begin(const struct mend_ranks *ranks, const struct mend_spares *spares,
                       const struct mend_keeper *keeper, mend_time_ns for_ns);

#endif
