/* SPDX-License-Identifier: BSD-3-Clause */
/* wrapped.c – ranks in scripts that are stopped.
 *
 * The kernel reports a stop only to the parent, which is the script.  So the agent checks the MPI
 * processes that are not its children as often as the detector counts the time of
 * stopped ranks.  Jobs without scripts have no such processes. */
#include "job.h"

#include "base/time.h"
#include "procfs.h"
#include "verdict.h"

#include <poll.h>

#define LOOKS_PER_TIMEOUT 8

/* The MPI process in a script, or 0. */
static pid_t inner(struct job *job, const struct rank *r)
{
    pid_t pid;

    pthread_mutex_lock(&job->lock);
    pid = mend_rank_in_script(&r->state) ? r->wrapped : 0;
    pthread_mutex_unlock(&job->lock);
    return mend_rank_has_ended(r) || mend_rank_is_dead(job, r->index) ? 0 : pid;
}

static bool are_any(struct job *job)
{
    bool any;

    pthread_mutex_lock(&job->lock);
    any = job->wrapped_n > 0;
    pthread_mutex_unlock(&job->lock);
    return any;
}

/* Once the MPI process has ended the script is all that is left of the rank. */
static bool is_stopped(const struct rank *r, pid_t pid)
{
    struct pollfd process = {.fd = r->wrapped_pidfd, .events = POLLIN};
    bool ended = process.fd < 0 || poll(&process, 1, 0) > 0;

    return mend_procfs_state(ended ? r->child : pid) == 'T';
}

mend_time_ns mend_wrapped_look(struct job *job, mend_time_ns now)
{
    if (!are_any(job))
        return MEND_TIME_NEVER;
    if (now < job->wrapped_at)
        return job->wrapped_at;
    for (int i = 0; i < job->n; i++) {
        pid_t pid = inner(job, &job->rank[i]);

        if (pid > 0)
            mend_agent_stopped(job, &job->rank[i], is_stopped(&job->rank[i], pid));
    }
    job->wrapped_at = now + job->o.params.stop_timeout_ns / LOOKS_PER_TIMEOUT;
    return job->wrapped_at;
}
