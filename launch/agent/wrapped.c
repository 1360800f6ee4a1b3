/* SPDX-License-Identifier: BSD-3-Clause */
/* wrapped.c – ranks in scripts that are stopped.
 *
 * The kernel reports a stop only to the parent, which is the script.  So the agent checks the MPI
 * processes that are not its children as often as the detector counts the time of
 * stopped ranks.  Jobs without scripts have no such processes. */
#include "agent/agent.h"

#include "base/time.h"
#include "agent/procfs.h"
#include "agent/verdict.h"

#include <poll.h>

#define LOOKS_PER_TIMEOUT 8

/* The MPI process in a script, or 0. */
static pid_t inner(struct agent *agent, const struct rank *r)
{
    pid_t pid;

    pthread_mutex_lock(&agent->lock);
    pid = mend_rank_in_script(&r->state) ? r->wrapped : 0;
    pthread_mutex_unlock(&agent->lock);
    return mend_rank_has_ended(r) || mend_rank_is_dead(agent, r->index) ? 0 : pid;
}

static bool are_any(struct agent *agent)
{
    bool any;

    pthread_mutex_lock(&agent->lock);
    any = agent->wrapped_n > 0;
    pthread_mutex_unlock(&agent->lock);
    return any;
}

/* Once the MPI process has ended the script is all that is left of the rank. */
static bool is_stopped(const struct rank *r, pid_t pid)
{
    struct pollfd process = {.fd = r->wrapped_pidfd, .events = POLLIN};
    bool ended = process.fd < 0 || poll(&process, 1, 0) > 0;

    return mend_procfs_state(ended ? r->child : pid) == 'T';
}

mend_time_ns mend_wrapped_look(struct agent *agent, mend_time_ns now)
{
    if (!are_any(agent))
        return MEND_TIME_NEVER;
    if (now < agent->wrapped_at)
        return agent->wrapped_at;
    for (int i = 0; i < agent->n; i++) {
        pid_t pid = inner(agent, &agent->rank[i]);

        if (pid > 0)
            mend_agent_stopped(agent, &agent->rank[i], is_stopped(&agent->rank[i], pid));
    }
    agent->wrapped_at = now + agent->o->params.stop_timeout_ns / LOOKS_PER_TIMEOUT;
    return agent->wrapped_at;
}
