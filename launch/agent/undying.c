/* SPDX-License-Identifier: BSD-3-Clause */
/* undying.c – ranks that another process has killed and that a system call keeps from dying (R27).
 *
 * No event tells of them: the life word is that of a thread that does not end, and the kernel has nothing to report.  So the
 * agent looks for pending kills from time to time, at a few ranks each time; the detector gives such a rank the time that one
 * has that the agent itself kills.  A rank that dumps core is no such rank: the kernel kills its threads, and one more kill
 * would cut the dump off (crash.c). */
#include "agent/agent.h"

#include "agent/verdict.h"

#include "agent/procfs.h"

#define RANKS_PER_LOOK 64

static void look_at(struct agent *agent, struct rank *r)
{
    struct mend_detector_event ev = {
        .kind = MEND_DETECTOR_EV_LIFE, .peer = r->index, .others = true};
    pid_t pid;

    pthread_mutex_lock(&agent->lock);
    pid = r->crash_until ? 0 : mend_rank_pid(r);
    pthread_mutex_unlock(&agent->lock);
    if (pid <= 0 || !mend_procfs_cannot_die(pid))
        return;
    pthread_mutex_lock(&agent->lock);
    if (agent->detector->peer[r->index].state == MEND_DETECTOR_RUNNING)
        mend_verdict_event(agent, ev);
    pthread_mutex_unlock(&agent->lock);
}

mend_time_ns mend_undying_look(struct agent *agent, mend_time_ns now)
{
    if (now < agent->undying_at)
        return agent->undying_at;
    for (int i = 0; i < RANKS_PER_LOOK && i < agent->n; i++) {
        agent->undying_next = (agent->undying_next + 1) % agent->n;
        look_at(agent, &agent->rank[agent->undying_next]);
    }
    agent->undying_at = now + agent->detector->config.undying_ns / 2;
    return agent->undying_at;
}
