/* SPDX-License-Identifier: BSD-3-Clause */
/* crash.c – ranks that dump core.
 *
 * Such a rank reports the crash itself (src/life/crash.c), before the dump begins; the report is a suspicion.  The rank
 * is dead when the kernel shows that the dump has begun and that none of its threads can execute
 * code of the program any more.  It is not killed, because that would destroy the core.  Most crashes
 * leave no core: then the kernel marks the life word at once, and this file does nothing. */
#include "agent/agent.h"

#include "base/time.h"
#include "agent/procfs.h"
#include "agent/verdict.h"

#define LOOK_EVERY_NS MEND_NS_PER_MS
#define LOOK_FOR_NS   (10 * MEND_NS_PER_S) /* it handles the signal after all, or is stopped */

void mend_crash_said(struct agent *agent, struct rank *r)
{
    if (!r->crash_until)
        agent->crashes_n++;
    r->crash_until = mend_time_monotonic_ns() + LOOK_FOR_NS;
}

static void look_at(struct agent *agent, struct rank *r)
{
    struct mend_node_rank *s = r->shared;
    pid_t pid;

    pthread_mutex_lock(&agent->lock);
    pid = mend_rank_pid(r);
    pthread_mutex_unlock(&agent->lock);
    if (pid <= 0 || !mend_procfs_dumping(pid, (pid_t)mend_load_relaxed(&s->crash_thread)))
        return;
    pthread_mutex_lock(&agent->lock);
    mend_verdict_dumping(agent, r);
    pthread_mutex_unlock(&agent->lock);
}

mend_time_ns mend_crash_look(struct agent *agent, mend_time_ns now)
{
    bool again = false;

    for (int i = 0; agent->crashes_n && i < agent->n; i++) {
        struct rank *r = &agent->rank[i];

        if (!r->crash_until)
            continue;
        if (!mend_rank_has_ended(r) && !mend_rank_is_dead(agent, i))
            look_at(agent, r);
        if (mend_rank_has_ended(r) || mend_rank_is_dead(agent, i) || now > r->crash_until) {
            r->crash_until = 0;
            agent->crashes_n--;
        }
        again |= r->crash_until != 0;
    }
    return again ? now + LOOK_EVERY_NS : MEND_TIME_NEVER;
}
