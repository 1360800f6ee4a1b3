/* SPDX-License-Identifier: BSD-3-Clause */
/* keeper.h – a process that cleans up behind a killed launcher (keeper.c). */
#ifndef MEND_LAUNCH_AGENT_KEEPER_H
#define MEND_LAUNCH_AGENT_KEEPER_H

#include "base/status.h"

#include <stdint.h>
#include <sys/types.h>

struct mend_address;
struct mend_ranks;
struct mend_tell;

struct mend_keeper {
    pid_t pid; /* 0: there is none */
    int fd;
    uint32_t revived_n; /* how often it has continued this process, as far as was said */
};

/* Starts it, behind the ranks; it ends.  limit_ns: so long this process may be stopped while ranks run.  parent: it is told when
 * the processes of the node are gone; port 0: the root is in this process. */
void mend_keeper_start(struct mend_keeper *k, const struct mend_ranks *ranks, mend_time_ns limit_ns,
                       const struct mend_address *parent);
void mend_keeper_end(struct mend_keeper *k);

/* From now on the root is not told when the processes of the node are gone, or is again. */
void mend_keeper_hush(const struct mend_keeper *k, bool hush);

/* Says so if it has continued this process. */
void mend_keeper_has_revived(struct mend_keeper *k, const struct mend_ranks *ranks,
                             const struct mend_tell *tell);

#endif
