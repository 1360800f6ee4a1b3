/* SPDX-License-Identifier: BSD-3-Clause */
/* outage.c – see outage.h.
 *
 * Others see what they would see of the machine: nothing.  The keeper ends what is left on the node and does not tell the root, so
 * the lease decides.
 *
 *   switched off    the agent kills itself, and so its ranks (PR_SET_PDEATHSIG); the keeper kills the rest
 *   stands still    a child stops the ranks and the agent, sleeps, and continues them; it dies with the agent, if the lease ends first
 *
 * Unlike those of a machine without power the connections end. */
#include "agent/outage.h"

#include "agent/keeper.h"
#include "agent/rank.h"
#include "agent/ranks.h"
#include "agent/start.h"
#include "base/time.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* What was started here, and what that has started in its group. */
static void signal_all(const struct mend_ranks *ranks, const struct mend_spares *spares, int sig)
{
    for (int i = 0; i < ranks->n; i++) {
        const struct rank *r = &ranks->rank[i];

        if (r->child > 0 && !mend_rank_has_ended(r))
            kill(r->own_group ? -r->child : r->child, sig);
    }
    mend_spares_signal(spares, sig);
}

static _Noreturn void be_outage(const struct mend_ranks *ranks, const struct mend_spares *spares,
                                const struct mend_keeper *keeper, mend_time_ns for_ns)
{
    struct timespec t = {.tv_sec = (time_t)(for_ns / MEND_NS_PER_S),
                         .tv_nsec = (long)(for_ns % MEND_NS_PER_S)};
    struct mend_keeper own = {.fd = 0};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != ranks->self_pid || dup2(keeper->fd, 0) < 0)
        _exit(1);
    syscall(SYS_close_range, 1, ~0U, 0);
    mend_keeper_hush(&own, true);
    signal_all(ranks, spares, SIGSTOP);
    kill(ranks->self_pid, SIGSTOP);
    while (nanosleep(&t, &t) != 0)
        ;
    kill(ranks->self_pid, SIGCONT);
    signal_all(ranks, spares, SIGCONT);
    mend_keeper_hush(&own, false);
    _exit(0);
}

void mend_outage_begin(const struct mend_ranks *ranks, const struct mend_spares *spares,
                       const struct mend_keeper *keeper, mend_time_ns for_ns)
{
    if (for_ns) {
        if (fork() == 0)
            be_outage(ranks, spares, keeper, for_ns);
        return;
    }
    mend_keeper_hush(keeper, true);
    raise(SIGKILL);
}
