/* SPDX-License-Identifier: BSD-3-Clause */
/* run.c – the main thread while the job runs: signals, exits, datagrams, timers.
 *
 * One epoll set; only the wait for it blocks.  The watchers see deaths first;
 * they come here a second time as exits, with their reasons. */
#include "agent/agent.h"

#include "agent/control.h"
#include "agent/doorman.h"
#include "agent/facts.h"
#include "agent/far.h"
#include "agent/links.h"
#include "agent/papers.h"
#include "agent/retire.h"
#include "agent/rouse.h"
#include "agent/segment.h"
#include "agent/start.h"
#include "agent/sweep.h"
#include "agent/tell.h"
#include "agent/outage.h"
#include "agent/verdict.h"
#include "agent/waits.h"
#include "base/time.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define SCAN_SHARE      20 /* one part of our time goes into looking at all children, but */
#define SCAN_NS         (50 * MEND_NS_PER_MS) /* not less often than so, if there is reason */
#define SECOND_AFTER_NS (200 * MEND_NS_PER_MS)

/* ---- all ranks ---- */

/* To what we started and what it started in its group.  A rank in our own group has got what came
 * from the terminal. */
static void signal_all(struct mend_ranks *ranks, struct mend_spares *spares, int sig,
                       bool from_terminal)
{
    for (int i = 0; i < ranks->n; i++) {
        struct rank *r = &ranks->rank[i];

        if (r->child <= 0 || mend_rank_has_ended(r))
            continue;
        if (r->own_group)
            kill(-r->child, sig);
        else if (!from_terminal)
            kill(r->child, sig);
    }
    mend_spares_signal(spares, sig);
}

static void kill_all(struct mend_ranks *ranks, struct mend_spares *spares,
                     struct mend_course *course)
{
    course->killing = true;
    signal_all(ranks, spares, SIGKILL, false);
    for (int i = 0; i < ranks->n; i++)
        if (!mend_rank_has_ended(&ranks->rank[i]))
            mend_rank_signal(&ranks->rank[i], SIGKILL);
}

/* ---- children ---- */

/* The rank has not failed, so no list of deaths has it, but the exit status counts its signal. */
static bool worth_a_line(const struct mend_tell *tell, const struct mend_course *course,
                         const struct rank *r)
{
    return r->end.reach == MEND_REACH_FINALIZE && r->end.outcome == MEND_OUTCOME_SIGNALED &&
           r->state.news == MEND_NEWS_NONE && !r->end.named && !tell->quiet && !course->killing &&
           !course->signaled;
}

/* A rank that somebody traces has ended, but is ours to wait for only when its tracer has taken note of
 * that; SIGCHLD comes then. */
static void on_child(struct agent *agent, struct rank *r)
{
    bool replaced, lingered, finalized, killed;

    if (mend_rank_has_ended(r) ||
        waitid(P_PID, (id_t)r->child, &r->exit, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        !r->exit.si_pid)
        return;
    mend_control_read(agent, r); /* its last words */
    mend_rouse_drop(&agent->sources, r);
    mend_rank_step(&r->state, MEND_RANK_ENDS);
    agent->ranks.alive_n--;
    replaced = mend_rank_is_replaced(&agent->ranks, r);
    pthread_mutex_lock(&agent->ranks.lock);
    if (replaced)
        mend_verdict_replaced(&agent->verdicts, r);
    mend_verdict_exited(&agent->verdicts, r);
    lingered = r->state.news == MEND_NEWS_LINGERING && mend_rank_step(&r->state, MEND_RANK_PRINT);
    finalized = r->end.reach == MEND_REACH_FINALIZE;
    killed = worth_a_line(&agent->tell, &agent->course, r);
    pthread_mutex_unlock(&agent->ranks.lock);
    if (!finalized)
        mend_sweep_group(r);
    else if (agent->ranks.minds_left)
        mend_retire_tell_left(&agent->verdicts, agent->facts);
    if (lingered && !agent->o->quiet)
        mend_say(&agent->tell,
                 "mend: rank %d (pid %d, host %s) was stopped for too long after MPI_Finalize and "
                 "was killed",
                 r->index, mend_rank_named(r), agent->ranks.shm->host);
    if (killed)
        mend_say_of(&agent->tell, r,
                    "mend: rank %d (pid %d, host %s) killed by signal %d (%s) after MPI_Finalize",
                    r->index, mend_rank_named(r), agent->ranks.shm->host, r->end.code,
                    strsignal(r->end.code));
}

/* Signals of the same number melt into one, so SIGCHLD says only that there is something to see. */
static void scan_children(struct agent *agent, mend_time_ns begin)
{
    mend_time_ns took;

    agent->scan_at = MEND_TIME_NEVER;
    for (int i = 0; i < agent->ranks.n; i++) {
        struct rank *r = &agent->ranks.rank[i];
        siginfo_t si = {0};

        while (!mend_rank_has_ended(r) &&
               waitid(P_PID, (id_t)r->child, &si, WSTOPPED | WCONTINUED | WNOHANG) == 0 &&
               si.si_pid) {
            mend_rank_stopped(&agent->verdicts, &agent->tell, r, si.si_code != CLD_CONTINUED);
            si.si_pid = 0;
        }
        on_child(agent, r);
    }
    mend_spares_scan(&agent->spares);
    took = mend_time_monotonic_ns() - begin;
    agent->scan_next_ns = begin + (took * SCAN_SHARE < SCAN_NS ? took * SCAN_SHARE : SCAN_NS);
}

/* Orphans of the ranks that came to us (sweep.c) are reaped as they end. */
static void on_sigchld(struct agent *agent, pid_t pid)
{
    bool known =
        pid == agent->keeper.pid || mend_spares_know(&agent->spares, pid) ||
        (agent->agent_calls.take && agent->agent_calls.has_child(agent->agent_calls.to, pid));

    for (int i = 0; i < agent->ranks.n && !known; i++)
        known = agent->ranks.rank[i].child == pid;
    if (!known)
        waitpid(pid, NULL, WNOHANG);
    if (agent->scan_at == MEND_TIME_NEVER)
        agent->scan_at = agent->scan_next_ns;
}

/* ---- signals to us ---- */

static void on_signal(struct agent *agent)
{
    struct signalfd_siginfo si;

    while (read(agent->signal_fd, &si, sizeof(si)) == sizeof(si))
        if (si.ssi_signo == SIGCHLD)
            on_sigchld(agent, (pid_t)si.ssi_pid);
        else
            mend_keeper_has_revived(&agent->keeper, &agent->ranks, &agent->tell);
}

/* ---- what the root wants ---- */

static void inject(struct mend_verdicts *verdicts, const struct mend_tell *tell,
                   struct mend_injection *in)
{
    struct rank *r = &verdicts->ranks->rank[in->rank];
    int32_t peer = in->rank;

    mend_report(tell, mend_time_monotonic_ns(), inject, .rank = in->rank, .what = in->spec);
    in->happened = !mend_rank_has_ended(r);
    if (in->happened)
        mend_tell_injected(tell, r, in->number);
    if (in->what.action == MEND_INJECT_KILL)
        mend_rank_signal(r, SIGKILL);
    else if (in->what.action == MEND_INJECT_STOP)
        mend_rank_signal(r, SIGSTOP);
    else if (in->what.action == MEND_INJECT_CONT)
        mend_rank_signal(r, SIGCONT);
    if (in->what.action != MEND_INJECT_ABORT)
        return;
    r->end.named = true;
    pthread_mutex_lock(&verdicts->ranks->lock);
    mend_verdict_event(verdicts, (struct mend_detector_event){.kind = MEND_DETECTOR_EV_ABORT,
                                                              .peers = &peer,
                                                              .npeers = 1,
                                                              .code = in->what.arg});
    pthread_mutex_unlock(&verdicts->ranks->lock);
}

/* To a rank, or to all of the node. */
static void inject_here(struct agent *agent, struct mend_injection *in)
{
    if (in->node < 0)
        inject(&agent->verdicts, &agent->tell, in);
    else if (in->node == (int)agent->ranks.nodes.me)
        mend_outage_begin(&agent->ranks, &agent->spares, &agent->keeper, in->for_ns);
}

/* Ctrl-Z has stopped nobody in another group than ours. */
static void suspend(struct mend_ranks *ranks, struct mend_spares *spares, bool from_terminal)
{
    /* release: pairs with the acquire in is_overdue() */
    mend_store_release(&ranks->shm->suspended, 1);
    signal_all(ranks, spares, SIGTSTP, from_terminal);
}

static void resume(struct mend_ranks *ranks, struct mend_spares *spares)
{
    mend_store_release(&ranks->shm->suspended, 0);
    signal_all(ranks, spares, SIGCONT, false);
}

static bool ends_the_job(int sig)
{
    return sig == SIGINT || sig == SIGTERM || sig == SIGHUP;
}

static void answer(struct agent *agent, int64_t question)
{
    mend_waits_tell(&agent->ranks, &agent->tell, question);
    if (agent->ranks.nodes.n && agent->o->verbose)
        mend_facts_print(agent->facts);
    mend_tell_answered(&agent->tell, question);
}

static void hear(void *to, const struct mend_message *m)
{
    struct agent *agent = to;

    switch (m->kind) {
    case MEND_DOWN_SIGNAL:
        agent->course.signaled |= ends_the_job((int)m->arg[0]);
        signal_all(&agent->ranks, &agent->spares, (int)m->arg[0], m->arg[1]);
        break;
    case MEND_DOWN_KILL:
        kill_all(&agent->ranks, &agent->spares, &agent->course);
        break;
    case MEND_DOWN_SUSPEND:
        suspend(&agent->ranks, &agent->spares, m->arg[0]);
        break;
    case MEND_DOWN_RESUME:
        resume(&agent->ranks, &agent->spares);
        break;
    case MEND_DOWN_INJECT:
        inject_here(agent, &agent->o->injections[m->arg[0]]);
        break;
    case MEND_DOWN_CUT:
        mend_control_cut(&agent->verdicts, &agent->tell, &agent->ranks.rank[m->rank],
                         (int)m->arg[0]);
        break;
    case MEND_DOWN_CUT_ABROAD:
        mend_links_cut(agent->links, m->rank, (int)m->arg[0], (enum mend_cut_abroad)m->arg[1]);
        break;
    case MEND_DOWN_WAITS:
        answer(agent, m->arg[0]);
        break;
    case MEND_DOWN_BLOCKED:
        mend_blocked_ask(agent->o, m);
        break;
    default:
        mend_far_hear(agent, m);
    }
}

struct mend_post mend_agent_post(struct agent *agent)
{
    return (struct mend_post){hear, agent};
}

/* ---- time ---- */

static mend_time_ns tick(struct mend_verdicts *verdicts, mend_time_ns now)
{
    mend_time_ns at;

    pthread_mutex_lock(&verdicts->ranks->lock);
    if (now >= verdicts->tick_at)
        mend_verdict_event(verdicts, (struct mend_detector_event){.kind = MEND_DETECTOR_EV_TICK});
    at = verdicts->tick_at;
    pthread_mutex_unlock(&verdicts->ranks->lock);
    return at;
}

static mend_time_ns sooner(mend_time_ns a, mend_time_ns b)
{
    return a < b ? a : b;
}

static mend_time_ns look(void *self, mend_time_ns now)
{
    struct agent *agent = self;
    mend_time_ns next;

    if (now >= agent->scan_at)
        scan_children(agent, now);
    mend_tell_deaths(&agent->tell, &agent->verdicts, &agent->course);
    next = tick(&agent->verdicts, now);
    next = sooner(next, mend_blocked_look(&agent->ranks, &agent->tell, agent->o, now));
    next = sooner(next, mend_crash_look(&agent->verdicts, now));
    next = sooner(next, mend_wrapped_look(&agent->verdicts, &agent->tell, agent->o, now));
    next = sooner(next, mend_undying_look(&agent->verdicts, now));
    next = sooner(next, mend_segment_give_back(&agent->ranks, agent->papers, now));
    next = sooner(next, mend_doorman_look(agent->doorman, now));
    next = sooner(next, mend_far_look(agent, now));
    next = sooner(next, mend_papers_look(agent->papers, now));
    next = sooner(next, mend_links_look(agent->links, now));
    return sooner(next, sooner(agent->scan_at, agent->tell.news_at));
}

/* ---- the loop ---- */

static void on_note(struct agent *agent)
{
    mend_sources_take_note(&agent->sources);
    mend_control_last_words(agent);
}

static void on_event(void *self, uint32_t from, uint32_t of)
{
    struct agent *agent = self;

    switch ((enum mend_source)from) {
    case MEND_SOURCE_SIGNAL:
        on_signal(agent);
        break;
    case MEND_SOURCE_NOTE:
        on_note(agent);
        break;
    case MEND_SOURCE_CTL:
        mend_control_read(agent, &agent->ranks.rank[of]);
        break;
    case MEND_SOURCE_DOOR:
        mend_links_knock(agent->links);
        break;
    case MEND_SOURCE_LINK:
        mend_links_read(agent->links, (int)of);
        break;
    case MEND_SOURCE_SET:
        mend_rouse_look(&agent->rouse, &agent->ranks.rank[of]);
        break;
    case MEND_SOURCE_PORT:
        mend_doorman_knock(agent->doorman);
        break;
    case MEND_SOURCE_CALLER:
        mend_doorman_hear(agent->doorman, (int)of);
        break;
    }
}

static bool is_done(void *self)
{
    struct agent *agent = self;

    return !agent->ranks.alive_n && !mend_rank_is_any_held(&agent->ranks) &&
           (!agent->ranks.nodes.n || agent->course.ended);
}

void mend_agent_join(struct agent *agent, struct mend_loop *loop)
{
    pthread_mutex_init(&agent->ranks.lock, NULL);
    agent->sources.loop = loop;
    agent->sources.member = mend_loop_join(
        loop, (struct mend_loop_member){
                  .self = agent, .event = on_event, .look = look, .is_done = is_done});
}
