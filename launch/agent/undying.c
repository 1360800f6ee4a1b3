/* SPDX-License-Identifier: BSD-3-Clause */
/* undying.c – ranks that another process has killed and that a system call keeps from dying (R27).
 *
 * No event tells of them: the life word is that of a thread that does not end, and the kernel has nothing to report.  So the
 * agent looks for pending kills from time to time, at a few ranks each time; the detector gives such a rank the time that one
 * has that the agent itself kills.  A rank that dumps core is no such rank: the kernel kills its threads, and one more kill
 * would cut the dump off (crash.c). */
#include "agent/verdict.h"

#include "agent/procfs.h"

#define RANKS_PER_LOOK 64

static void look_at(struct mend_verdicts *verdicts, struct rank *r)
{
    struct mend_detector_event ev = {
        .kind = MEND_DETECTOR_EV_LIFE, .peer = r->index, .others = true};
    pid_t pid;

    pthread_mutex_lock(&verdicts->ranks->lock);
    pid = r->crash_until ? 0 : mend_rank_pid(r);
    pthread_mutex_unlock(&verdicts->ranks->lock);
    if (pid <= 0 || !mend_procfs_cannot_die(pid))
        return;
    pthread_mutex_lock(&verdicts->ranks->lock);
    if (verdicts->detector->peer[r->index].state == MEND_DETECTOR_RUNNING)
        mend_verdict_event(verdicts, ev);
    pthread_mutex_unlock(&verdicts->ranks->lock);
}

mend_time_ns mend_undying_look(struct mend_verdicts *verdicts, mend_time_ns now)
{
    if (now < verdicts->undying_at)
        return verdicts->undying_at;
    for (int i = 0; i < RANKS_PER_LOOK && i < verdicts->ranks->n; i++) {
        verdicts->undying_next = (verdicts->undying_next + 1) % verdicts->ranks->n;
        look_at(verdicts, &verdicts->ranks->rank[verdicts->undying_next]);
    }
    verdicts->undying_at = now + verdicts->detector->config.undying_ns / 2;
    return verdicts->undying_at;
}
