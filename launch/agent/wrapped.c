/* SPDX-License-Identifier: BSD-3-Clause */
/* wrapped.c – ranks in scripts that are stopped.
 *
 * The kernel reports a stop only to the parent, which is the script.  So the agent checks the MPI
 * processes that are not its children as often as the detector counts the time of
 * stopped ranks.  Jobs without scripts have no such processes. */
#include "agent/verdict.h"

#include "agent/procfs.h"
#include "agent/tell.h"
#include "base/time.h"

#include <poll.h>

#define LOOKS_PER_TIMEOUT 8

/* The MPI process in a script, or 0. */
static pid_t inner(struct mend_ranks *ranks, const struct rank *r)
{
    pid_t pid;

    pthread_mutex_lock(&ranks->lock);
    pid = mend_rank_in_script(&r->state) ? r->wrapped : 0;
    pthread_mutex_unlock(&ranks->lock);
    return mend_rank_has_ended(r) || mend_rank_is_dead(ranks, r->index) ? 0 : pid;
}

static bool are_any(struct mend_verdicts *verdicts)
{
    bool any;

    pthread_mutex_lock(&verdicts->ranks->lock);
    any = verdicts->wrapped_n > 0;
    pthread_mutex_unlock(&verdicts->ranks->lock);
    return any;
}

/* Once the MPI process has ended the script is all that is left of the rank. */
static bool is_stopped(const struct rank *r, pid_t pid)
{
    struct pollfd process = {.fd = r->wrapped_pidfd, .events = POLLIN};
    bool ended = process.fd < 0 || poll(&process, 1, 0) > 0;

    return mend_procfs_state(ended ? r->child : pid) == 'T';
}

void mend_rank_stopped(struct mend_verdicts *verdicts, const struct mend_tell *tell, struct rank *r,
                       bool stopped)
{
    if (!mend_rank_step(&r->state, stopped ? MEND_RANK_STOPS : MEND_RANK_RESUMES))
        return;
    if (stopped)
        mend_report(tell, mend_time_monotonic_ns(), stopped, .rank = r->index);
    else
        mend_report(tell, mend_time_monotonic_ns(), continued, .rank = r->index);
    pthread_mutex_lock(&verdicts->ranks->lock);
    mend_verdict_event(verdicts,
                       (struct mend_detector_event){.kind = stopped ? MEND_DETECTOR_EV_STOPPED
                                                                    : MEND_DETECTOR_EV_RESUMED,
                                                    .peer = r->index});
    pthread_mutex_unlock(&verdicts->ranks->lock);
}

mend_time_ns mend_wrapped_look(struct mend_verdicts *verdicts, const struct mend_tell *tell,
                               const struct mend_options *o, mend_time_ns now)
{
    if (!are_any(verdicts))
        return MEND_TIME_NEVER;
    if (now < verdicts->wrapped_at)
        return verdicts->wrapped_at;
    for (int i = 0; i < verdicts->ranks->n; i++) {
        pid_t pid = inner(verdicts->ranks, &verdicts->ranks->rank[i]);

        if (pid > 0)
            mend_rank_stopped(verdicts, tell, &verdicts->ranks->rank[i],
                              is_stopped(&verdicts->ranks->rank[i], pid));
    }
    verdicts->wrapped_at = now + o->params.stop_timeout_ns / LOOKS_PER_TIMEOUT;
    return verdicts->wrapped_at;
}
