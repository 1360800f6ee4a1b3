/* SPDX-License-Identifier: BSD-3-Clause */
/* crash.c – ranks that dump core.
 *
 * Such a rank reports the crash itself (src/life/crash.c), before the dump begins; the report is a suspicion.  The rank
 * is dead when the kernel shows that the dump has begun and that none of its threads can execute
 * code of the program any more.  It is not killed, because that would destroy the core.  Most crashes
 * leave no core: then the kernel marks the life word at once, and this file does nothing. */
#include "base/time.h"
#include "agent/procfs.h"
#include "agent/verdict.h"

#define LOOK_EVERY_NS MEND_NS_PER_MS
#define LOOK_FOR_NS   (10 * MEND_NS_PER_S) /* it handles the signal after all, or is stopped */

void mend_crash_said(struct mend_verdicts *verdicts, struct rank *r)
{
    if (!r->crash_until)
        verdicts->crashes_n++;
    r->crash_until = mend_time_monotonic_ns() + LOOK_FOR_NS;
}

static void look_at(struct mend_verdicts *verdicts, struct rank *r)
{
    struct mend_node_rank *s = r->shared;
    pid_t pid;

    pthread_mutex_lock(&verdicts->ranks->lock);
    pid = mend_rank_pid(r);
    pthread_mutex_unlock(&verdicts->ranks->lock);
    if (pid <= 0 || !mend_procfs_dumping(pid, (pid_t)mend_load_relaxed(&s->crash_thread)))
        return;
    pthread_mutex_lock(&verdicts->ranks->lock);
    mend_verdict_dumping(verdicts, r);
    pthread_mutex_unlock(&verdicts->ranks->lock);
}

mend_time_ns mend_crash_look(struct mend_verdicts *verdicts, mend_time_ns now)
{
    bool again = false;

    for (int i = 0; verdicts->crashes_n && i < verdicts->ranks->n; i++) {
        struct rank *r = &verdicts->ranks->rank[i];

        if (!r->crash_until)
            continue;
        if (!mend_rank_has_ended(r) && !mend_rank_is_dead(verdicts->ranks, i))
            look_at(verdicts, r);
        if (mend_rank_has_ended(r) || mend_rank_is_dead(verdicts->ranks, i) ||
            now > r->crash_until) {
            r->crash_until = 0;
            verdicts->crashes_n--;
        }
        again |= r->crash_until != 0;
    }
    return again ? now + LOOK_EVERY_NS : MEND_TIME_NEVER;
}
