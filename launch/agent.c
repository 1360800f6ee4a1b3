/* SPDX-License-Identifier: BSD-3-Clause */
/* agent.c – the main thread while the job runs: signals, exits, datagrams, timers.
 *
 * One epoll set; only the wait for it blocks.  The watchers see deaths first;
 * they come here a second time as exits, with their reasons. */
#include "job.h"

#include "base/time.h"
#include "doorman.h"
#include "rouse.h"
#include "segment.h"
#include "start.h"
#include "verdict.h"

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

enum source {
    FROM_SIGNAL,
    FROM_NOTE,
    FROM_TIMER,
    FROM_CTL,
    FROM_DOOR,
    FROM_LINK,
    FROM_SET,
    FROM_PORT,
    FROM_CALLER
};

/* ---- all ranks ---- */

/* To what we started and what it started in its group.  A rank in our own group has got what came
 * from the terminal. */
static void signal_all(struct job *job, int sig, bool from_terminal)
{
    for (int i = 0; i < job->n; i++) {
        struct rank *r = &job->rank[i];

        if (r->child <= 0 || mend_rank_has_ended(r))
            continue;
        if (r->own_group)
            kill(-r->child, sig);
        else if (!from_terminal)
            kill(r->child, sig);
    }
    mend_spares_signal(job, sig);
}

void mend_agent_kill(struct job *job)
{
    job->killing = true;
    signal_all(job, SIGKILL, false);
    for (int i = 0; i < job->n; i++)
        if (!mend_rank_has_ended(&job->rank[i]))
            mend_rank_signal(&job->rank[i], SIGKILL);
}

/* The child of a rank has ended, and the process in it may not have. */
static bool are_held(struct job *job)
{
    bool held = false;

    pthread_mutex_lock(&job->lock);
    for (int i = 0; i < job->n; i++)
        held |= job->rank[i].state.ending == MEND_ENDING_HELD;
    pthread_mutex_unlock(&job->lock);
    return held;
}

/* ---- children ---- */

/* The rank has not failed, so no list of deaths has it, but the exit status counts its signal. */
static bool worth_a_line(const struct job *job, const struct rank *r)
{
    return r->end.reach == MEND_REACH_FINALIZE && r->end.outcome == MEND_OUTCOME_SIGNALED &&
           r->state.news == MEND_NEWS_NONE && !r->end.named && !job->o.quiet && !job->killing &&
           !job->signal_seen;
}

/* A rank that somebody traces has ended, but is ours to wait for only when its tracer has taken note of
 * that; SIGCHLD comes then. */
static void on_child(struct job *job, struct rank *r)
{
    bool replaced, lingered, finalized, killed;

    if (mend_rank_has_ended(r) ||
        waitid(P_PID, (id_t)r->child, &r->exit, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        !r->exit.si_pid)
        return;
    mend_control_read(job, r); /* its last words */
    mend_rouse_drop(job, r);
    mend_rank_step(&r->state, MEND_RANK_ENDS);
    job->alive_n--;
    replaced = mend_rank_is_replaced(job, r);
    pthread_mutex_lock(&job->lock);
    if (replaced)
        mend_verdict_replaced(job, r);
    mend_verdict_exited(job, r);
    lingered = r->state.news == MEND_NEWS_LINGERING && mend_rank_step(&r->state, MEND_RANK_PRINT);
    finalized = r->end.reach == MEND_REACH_FINALIZE;
    killed = worth_a_line(job, r);
    pthread_mutex_unlock(&job->lock);
    if (!finalized)
        mend_sweep_group(r);
    else if (job->minds_left)
        mend_vacancy_tell_left(job);
    if (lingered && !job->o.quiet)
        mend_say(job,
                 "mend: rank %d (pid %d, host %s) was stopped for too long after MPI_Finalize and "
                 "was killed",
                 r->index, mend_rank_named(r), job->shm->host);
    if (killed)
        mend_say_of(
            job, r, "mend: rank %d (pid %d, host %s) killed by signal %d (%s) after MPI_Finalize",
            r->index, mend_rank_named(r), job->shm->host, r->end.code, strsignal(r->end.code));
}

void mend_agent_stopped(struct job *job, struct rank *r, bool stopped)
{
    if (!mend_rank_step(&r->state, stopped ? MEND_RANK_STOPS : MEND_RANK_RESUMES))
        return;
    if (stopped)
        mend_report(job, mend_time_monotonic_ns(), stopped, .rank = r->index);
    else
        mend_report(job, mend_time_monotonic_ns(), continued, .rank = r->index);
    pthread_mutex_lock(&job->lock);
    mend_verdict_event(job, (struct mend_detector_event){.kind = stopped ? MEND_DETECTOR_EV_STOPPED
                                                                         : MEND_DETECTOR_EV_RESUMED,
                                                         .peer = r->index});
    pthread_mutex_unlock(&job->lock);
}

/* Signals of the same number melt into one, so SIGCHLD says only that there is something to see. */
static void scan_children(struct job *job, mend_time_ns begin)
{
    mend_time_ns took;

    job->scan_at = MEND_TIME_NEVER;
    for (int i = 0; i < job->n; i++) {
        struct rank *r = &job->rank[i];
        siginfo_t si = {0};

        while (!mend_rank_has_ended(r) &&
               waitid(P_PID, (id_t)r->child, &si, WSTOPPED | WCONTINUED | WNOHANG) == 0 &&
               si.si_pid) {
            mend_agent_stopped(job, r, si.si_code != CLD_CONTINUED);
            si.si_pid = 0;
        }
        on_child(job, r);
    }
    mend_spares_scan(job);
    took = mend_time_monotonic_ns() - begin;
    job->scan_next_ns = begin + (took * SCAN_SHARE < SCAN_NS ? took * SCAN_SHARE : SCAN_NS);
}

/* Orphans of the ranks that came to us (sweep.c) are reaped as they end. */
static void on_sigchld(struct job *job, pid_t pid)
{
    bool known = pid == job->keeper || mend_spares_know(job, pid);

    for (int i = 0; i < job->n && !known; i++)
        known = job->rank[i].child == pid;
    if (!known)
        waitpid(pid, NULL, WNOHANG);
    if (job->scan_at == MEND_TIME_NEVER)
        job->scan_at = job->scan_next_ns;
}

/* ---- signals to us ---- */

static void on_terminate(struct job *job, int sig, bool from_terminal)
{
    mend_time_ns now = mend_time_monotonic_ns();

    if (from_terminal && job->n == 1 && !job->rank[0].own_group)
        return; /* one program with the terminal: it decides what Ctrl-C means */
    if (!job->signal_seen) {
        job->signal_seen = sig;
        job->signal_ns = now;
        signal_all(job, sig, from_terminal);
        signal_all(job, SIGCONT, false); /* a stopped rank shall hear it too */
    } else if (now >= job->signal_ns + SECOND_AFTER_NS) {
        mend_agent_kill(job);
    } /* else: the same signal twice, to us and to our group, as timeout(1) sends it */
}

/* The whole job stops with us, and the time of that does not count. */
static void on_suspend(struct job *job, bool from_terminal)
{
    mend_time_ns before = mend_time_monotonic_ns();

    mend_store_release(&job->shm->suspended, 1); /* pairs with the acquire in is_overdue() */
    signal_all(job, SIGTSTP, from_terminal);
    raise(SIGSTOP);
    mend_store_release(&job->shm->suspended, 0);
    signal_all(job, SIGCONT, false);
    if (job->deadline_ns != MEND_TIME_NEVER)
        job->deadline_ns += mend_time_monotonic_ns() - before;
}

static void on_signal(struct job *job)
{
    struct signalfd_siginfo si;

    while (read(job->signal_fd, &si, sizeof(si)) == sizeof(si)) {
        int sig = (int)si.ssi_signo;
        bool from_terminal = si.ssi_code == SI_KERNEL;

        switch (sig) {
        case SIGCHLD:
            on_sigchld(job, (pid_t)si.ssi_pid);
            break;
        case SIGUSR1:
            mend_say(job, "mend: what each rank waits for:");
            mend_waits_print(job);
            break;
        case SIGTSTP:
            on_suspend(job, from_terminal);
            break;
        case SIGCONT:
            mend_keeper_has_revived(job);
            break;
        case SIGQUIT:
        case SIGUSR2:
            signal_all(job, sig, from_terminal);
            break;
        default:
            on_terminate(job, sig, from_terminal);
        }
    }
}

/* ---- time ---- */

void mend_agent_inject(struct job *job, struct mend_injection *in)
{
    struct rank *r = &job->rank[in->rank];
    int32_t peer = in->rank;

    mend_report(job, mend_time_monotonic_ns(), inject, .rank = in->rank, .what = in->spec);
    in->happened = !mend_rank_has_ended(r);
    if (in->what.action == MEND_INJECT_KILL)
        mend_rank_signal(r, SIGKILL);
    else if (in->what.action == MEND_INJECT_STOP)
        mend_rank_signal(r, SIGSTOP);
    else if (in->what.action == MEND_INJECT_CONT)
        mend_rank_signal(r, SIGCONT);
    if (in->what.action != MEND_INJECT_ABORT)
        return;
    r->end.named = true;
    pthread_mutex_lock(&job->lock);
    mend_verdict_event(job, (struct mend_detector_event){.kind = MEND_DETECTOR_EV_ABORT,
                                                         .peers = &peer,
                                                         .npeers = 1,
                                                         .code = in->what.arg});
    pthread_mutex_unlock(&job->lock);
}

static int by_delay(const void *a, const void *b)
{
    mend_time_ns x = ((const struct mend_injection *)a)->what.delay_ns,
                 y = ((const struct mend_injection *)b)->what.delay_ns;

    return x < y ? -1 : x > y;
}

/* Carries out the timed injections that are due; returns when the next one is. */
static mend_time_ns inject_due(struct job *job, mend_time_ns now)
{
    for (; job->injected_n < job->o.injections_n; job->injected_n++) {
        struct mend_injection *in = &job->o.injections[job->injected_n];

        if (in->what.place != MEND_INJECT_AT_TIME)
            continue;
        if (now < job->start_ns + in->what.delay_ns)
            return job->start_ns + in->what.delay_ns;
        mend_agent_inject(job, in);
    }
    return MEND_TIME_NEVER;
}

static void on_timeout(struct job *job)
{
    job->deadline_ns = MEND_TIME_NEVER;
    job->timed_out = true;
    mend_say(job, "mend: time-out after %.10g s; what each rank waits for:",
             (double)job->o.timeout_ns / 1e9);
    mend_waits_print(job);
    if (!job->o.quiet)
        mend_say(
            job,
            "mend: what a rank has printed but not flushed is lost with it; 'stdbuf -oL PROGRAM' "
            "writes each line at once");
    mend_agent_kill(job);
}

static mend_time_ns tick(struct job *job, mend_time_ns now)
{
    mend_time_ns at;

    pthread_mutex_lock(&job->lock);
    if (now >= job->tick_at)
        mend_verdict_event(job, (struct mend_detector_event){.kind = MEND_DETECTOR_EV_TICK});
    at = job->tick_at;
    pthread_mutex_unlock(&job->lock);
    return at;
}

static void set_timer(struct job *job, mend_time_ns at)
{
    struct itimerspec t = {0};

    if (at != MEND_TIME_NEVER) {
        t.it_value.tv_sec = (time_t)(at / MEND_NS_PER_S);
        t.it_value.tv_nsec = (long)(at % MEND_NS_PER_S) + (at == 0);
    }
    timerfd_settime(job->timer_fd, TFD_TIMER_ABSTIME, &t, NULL);
}

/* Does what is due and sets the timer for what is next. */
static void on_time(struct job *job)
{
    mend_time_ns now = mend_time_monotonic_ns(), next, at;

    if (now >= job->deadline_ns)
        on_timeout(job);
    if (now >= job->scan_at)
        scan_children(job, now);
    mend_announce_deaths(job);
    next = inject_due(job, now);
    at = tick(job, now);
    next = at < next ? at : next;
    at = mend_blocked_look(job, now);
    next = at < next ? at : next;
    next = job->deadline_ns < next ? job->deadline_ns : next;
    at = mend_crash_look(job, now);
    next = at < next ? at : next;
    at = mend_wrapped_look(job, now);
    next = at < next ? at : next;
    at = mend_undying_look(job, now);
    next = at < next ? at : next;
    at = mend_spawn_look(job, now);
    next = at < next ? at : next;
    at = mend_segment_give_back(job, now);
    next = at < next ? at : next;
    at = mend_links_look(job, now);
    next = at < next ? at : next;
    at = mend_doorman_look(job, now);
    next = at < next ? at : next;
    next = job->scan_at < next ? job->scan_at : next;
    next = job->announce_at < next ? job->announce_at : next;
    if (next != job->timer_at) {
        job->timer_at = next;
        set_timer(job, next);
    }
}

/* ---- the loop ---- */

static bool listen_to(struct job *job, int fd, enum source from, int rank)
{
    struct epoll_event ev = {.events = EPOLLIN, .data.u64 = (uint64_t)from << 32 | (uint32_t)rank};

    return epoll_ctl(job->epoll_fd, EPOLL_CTL_ADD, fd, &ev) == 0;
}

void mend_agent_listen(struct job *job, const struct rank *r)
{
    listen_to(job, r->ctl_fd, FROM_CTL, r->index);
}

bool mend_agent_listen_to_set(struct job *job, const struct rank *r)
{
    return listen_to(job, r->watch_fd, FROM_SET, r->index);
}

bool mend_agent_listen_to_door(struct job *job, int fd, bool port)
{
    return listen_to(job, fd, port ? FROM_PORT : FROM_CALLER, fd);
}

void mend_agent_listen_to_link(struct job *job, int fd, bool in, bool out)
{
    struct epoll_event ev = {.events = EPOLLIN | (out ? EPOLLOUT : 0),
                             .data.u64 = (uint64_t)FROM_LINK << 32 | (uint32_t)fd};

    if (!in)
        epoll_ctl(job->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
    else if (epoll_ctl(job->epoll_fd, EPOLL_CTL_MOD, fd, &ev) != 0)
        epoll_ctl(job->epoll_fd, EPOLL_CTL_ADD, fd, &ev);
}

static void swallow(int fd)
{
    uint64_t count;

    while (read(fd, &count, sizeof(count)) < 0 && errno == EINTR)
        ;
}

static void on_event(struct job *job, uint64_t tag)
{
    uint32_t of = (uint32_t)tag;

    switch ((enum source)(tag >> 32)) {
    case FROM_SIGNAL:
        on_signal(job);
        break;
    case FROM_NOTE:
        swallow(job->note_fd);
        mend_control_last_words(job);
        break;
    case FROM_TIMER:
        swallow(job->timer_fd);
        break;
    case FROM_CTL:
        mend_control_read(job, &job->rank[of]);
        break;
    case FROM_DOOR:
        mend_links_knock(job);
        break;
    case FROM_LINK:
        mend_links_read(job, (int)of);
        break;
    case FROM_SET:
        mend_rouse_look(job, &job->rank[of]);
        break;
    case FROM_PORT:
        mend_doorman_knock(job);
        break;
    case FROM_CALLER:
        mend_doorman_hear(job, (int)of);
        break;
    }
}

void mend_agent_run(struct job *job)
{
    struct epoll_event ev[64];

    if (job->o.injections_n)
        qsort(job->o.injections, (size_t)job->o.injections_n, sizeof(*job->o.injections), by_delay);
    listen_to(job, job->signal_fd, FROM_SIGNAL, 0);
    listen_to(job, job->note_fd, FROM_NOTE, 0);
    listen_to(job, job->timer_fd, FROM_TIMER, 0);
    if (job->door_fd >= 0)
        listen_to(job, job->door_fd, FROM_DOOR, 0);
    for (int i = 0; i < job->n; i++)
        if (job->rank[i].child > 0)
            mend_agent_listen(job, &job->rank[i]);
    mend_watch_prefer();
    for (;;) {
        int n;

        on_time(job); /* may find that the last rank has ended */
        if (!job->alive_n && !are_held(job))
            break;
        n = epoll_wait(job->epoll_fd, ev, MEND_COUNT_OF(ev), -1);
        for (int i = 0; i < n; i++)
            on_event(job, ev[i].data.u64);
    }
    mend_announce_deaths(job);
}
