/* SPDX-License-Identifier: BSD-3-Clause */
/* mpiexec.c – starts an MPI job on this machine, is its agent, and cleans up behind it.
 *
 *   options -> segment -> threads -> ranks -> keeper -> agent.c's loop -> sweep -> exit status
 *
 * Order matters in four places: signals are blocked before the first thread exists; the watchers
 * sleep before the first rank starts; the keeper is forked after the ranks, which must not inherit
 * its pipe, and ends before they are reaped. */
#include "job.h"

#include "base/time.h"
#include "iof.h"
#include "doorman.h"
#include "segment.h"
#include "shell_limits.h"
#include "node/log.h"
#include "start.h"
#include "verdict.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIME_LONG (MEND_TIME_NEVER / 4) /* for ever, with room for sums */
/* Ten times what the dying wait for a core of an overloaded node (README.md). */
#define HOLD_NS        (3 * MEND_NS_PER_S)
#define RANKS_SAID_MAX 8

static _Noreturn void die(const char *what)
{
    char text[MEND_LIMITS_TEXT];

    fprintf(stderr, "mpiexec: %s: %s\n", what, mend_limits_error(errno, text, sizeof(text)));
    exit(1);
}

/* 0, 1 and 2 are taken, so that no pipe of ours gets such a number. */
static void take_standard_fds(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= 2);
    if (fd > 2)
        close(fd);
}

/* Three descriptors per rank; the ranks themselves get back the limit that we were given. */
static void raise_file_limit(struct job *job)
{
    mend_limits_lift(RLIMIT_NOFILE, &job->files_before);
}

/* The segment is not a file on a disk, so a soft limit on the size of those does not count for it; for our output
 * and the --report file it does. */
static void create_segment(struct job *job)
{
    struct rlimit before;
    bool lifted = mend_limits_lift(RLIMIT_FSIZE, &before);
    uint64_t bytes = 0;
    char what[128];
    bool ok = mend_segment_create(job, &bytes);
    int error = errno;

    if (lifted && ok)
        setrlimit(RLIMIT_FSIZE, &before);
    if (ok)
        return;
    errno = error;
    snprintf(what, sizeof(what), "the shared segment of %llu MiB for %d ranks cannot be created",
             (unsigned long long)(bytes >> 20), job->n);
    die(what);
}

static void catch_signals(struct job *job)
{
    static const int ours[] = {SIGCHLD, SIGINT,  SIGTERM, SIGHUP, SIGQUIT,
                               SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};
    struct sigaction normal = {.sa_handler = SIG_DFL}, ignore = {.sa_handler = SIG_IGN};
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < MEND_COUNT_OF(ours); i++)
        sigaddset(&set, ours[i]);
    sigprocmask(SIG_BLOCK, &set, &job->mask_before);
    sigaction(SIGCHLD, &normal,
              NULL); /* a parent that ignored it would cost us the exit statuses */
    sigaction(SIGPIPE, &ignore, NULL);
    job->xfsz_before = signal(SIGXFSZ, SIG_IGN); /* we want the error */
    sigaction(SIGTTIN, &ignore, NULL);
    job->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static bool changes_output(const struct mend_options *o)
{
    return o->tag_output || o->timestamp_output || o->pty || o->out_pattern || o->err_pattern ||
           o->stdin_rank != 0;
}

static void create_ranks(struct job *job)
{
    struct mend_options *o = &job->o;
    bool terminal = isatty(0) || isatty(1);

    if (o->tty_rank == -2)
        o->tty_rank = o->gdb || (job->n == 1 && !changes_output(o)) ? 0 : -1;
    job->rank = mend_xalloc(MEND_NODE_NAMES, sizeof(*job->rank));
    for (int a = 0, i = 0; a < o->apps_n; a++)
        for (int k = 0; k < o->apps[a].ranks_n; k++, i++)
            job->rank[i] = (struct rank){.index = i,
                                         .app = &o->apps[a],
                                         .app_index = a,
                                         .world_n = job->n,
                                         .spawn_fd = -1,
                                         .own_group = !(i == o->tty_rank && terminal),
                                         .wrapped_pidfd = -1,
                                         .ctl_fd = -1,
                                         .watch_fd = -1};
}

/* The rank that has the terminal runs in gdb, the others as always. */
static void use_gdb(struct job *job)
{
    struct rank *r = &job->rank[job->o.tty_rank];
    struct mend_app *app = mend_xalloc(1, sizeof(*app));
    int words_n = 0;

    *app = *r->app;
    while (r->app->argv[words_n])
        words_n++;
    app->argv = mend_xalloc((size_t)words_n + 4, sizeof(char *));
    app->argv[0] = mend_xprintf("gdb");
    app->argv[1] = mend_xprintf("-q");
    app->argv[2] = mend_xprintf("--args");
    for (int i = 0; i < words_n; i++)
        app->argv[3 + i] = i ? r->app->argv[i] : r->app->path;
    mend_find_program(app, &job->o);
    r->app = app;
}

static mend_time_ns time_of(mend_time_ns t)
{
    return t < TIME_LONG ? t : TIME_LONG;
}

static void create_detector(struct job *job)
{
    const struct mend_params *p = &job->o.params;
    struct mend_detector_config config = {.stop_ns = time_of(p->stop_timeout_ns),
                                          .kill_ns = time_of(p->kill_repeat_ns),
                                          .hold_ns = HOLD_NS,
                                          .undying_ns = time_of(p->kill_timeout_ns)};

    config.stop_max_ns = config.stop_ns;
    if (p->stop_growth > 1)
        config.stop_max_ns = config.stop_ns < TIME_LONG / p->stop_growth
                                 ? config.stop_ns * p->stop_growth
                                 : TIME_LONG;
    job->detector = mend_xalloc(1, mend_detector_size(MEND_NODE_NAMES));
    mend_detector_init(job->detector, job->n, &config, job->start_ns);
}

static void create_job(struct job *job)
{
    job->self_pid = getpid();
    job->n = job->o.ranks_n;
    job->places_n = mend_options_places(&job->o);
    job->start_ns = mend_time_monotonic_ns();
    job->deadline_ns =
        job->o.timeout_ns == MEND_TIME_NEVER ? MEND_TIME_NEVER : job->start_ns + job->o.timeout_ns;
    job->tick_at = job->scan_at = job->announce_at = job->timer_at = MEND_TIME_NEVER;
    pthread_mutex_init(&job->lock, NULL);
    mend_list_init(&job->spawn_waits);
    mend_report_open(job);
    raise_file_limit(job);
    catch_signals(job);
    job->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    job->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    job->note_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (job->signal_fd < 0 || job->epoll_fd < 0 || job->timer_fd < 0 || job->note_fd < 0)
        die("the system has no file descriptors left");
    create_ranks(job);
    mend_vacancy_init(job);
    if (job->o.gdb)
        use_gdb(job);
    create_detector(job);
    create_segment(job);
    mend_links_open(job);
    if (!mend_doorman_open(job))
        die("cannot take connections on the loopback interface");
    mend_bind_choose(job);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static void say_started(struct job *job)
{
    char cores[64], text[48];

    for (int i = 0; job->o.verbose && i < job->n; i++) {
        mend_place_text(&job->rank[i].cpus, text, sizeof(text));
        snprintf(cores, sizeof(cores), job->bound ? " on processors %s" : "%s",
                 job->bound ? text : "");
        mend_say(job, "mend: rank %d: pid %d, %s%s", i, job->rank[i].child, job->rank[i].app->path,
                 cores);
    }
    if (job->o.report_bindings)
        mend_bind_report(job);
    mend_report(job, job->start_ns, start, .ranks = job->n, .host = job->shm->host,
                .clock_ns = job->start_ns);
}

/* Why a job that went on to its end has failed all the same. */
static void say_unhandled(struct job *job, int status)
{
    char ranks[128] = "";
    int n = 0;

    for (int i = 0; i < job->n; i++) {
        const struct mend_rank_end *e = &job->rank[i].end;
        size_t used = strlen(ranks);

        if (job->rank[i].guest_of || !mend_rank_end_is_death(e) || e->handled)
            continue;
        if (++n <= RANKS_SAID_MAX)
            snprintf(ranks + used, sizeof(ranks) - used, "%s%d", n > 1 ? ", " : "", i);
    }
    if (n)
        mend_say(
            job,
            "mend: no process that finished was told of the death of rank%s %s%s by an MPI call: "
            "the exit status is %d (--lenient-exit: 0)",
            n > 1 ? "s" : "", ranks, n > RANKS_SAID_MAX ? " and others" : "", status);
}

/* A mistake of ours has shown itself (src/req/wait.c). */
static void say_overslept(struct job *job)
{
    unsigned n = 0;

    for (int i = 0; i < job->n; i++)
        n += mend_load_relaxed(&job->rank[i].shared->overslept_n);
    if (n)
        mend_say(
            job,
            "mend: %u sleep%s of ranks lasted until SLEEP_MAX although something had arrived: a "
            "wake-up was lost, which is a bug in Mend; please report it",
            n, n > 1 ? "s" : "");
}

/* Of our own ranks, in their order. */
static int list_ends(const struct job *job, struct mend_rank_end *ends)
{
    int n = 0;

    for (int i = 0; i < job->n; i++)
        if (!job->rank[i].guest_of)
            ends[n++] = job->rank[i].end;
    return n;
}

static int status_of(struct job *job)
{
    struct mend_rank_end *ends = mend_xalloc((size_t)job->n, sizeof(*ends));
    struct mend_job_end end = {
        .rank = ends,
        .rank_bytes = sizeof(*ends),
        .rule = job->o.exit_rule,
        .timed_out = job->timed_out,
        .signal = job->killing && job->signal_seen ? SIGKILL : job->signal_seen,
    };
    int status;

    for (int i = 0; i < job->n; i++)
        job->rank[i].end.handled = mend_load_relaxed(mend_node_handled_of(job->shm, i));
    end.n = list_ends(job, ends);
    status = mend_exit_status(&end);
    if (status && end.rule == MEND_EXIT_HANDLED && !job->o.quiet) {
        end.rule = MEND_EXIT_LENIENT;
        if (!mend_exit_status(&end))
            say_unhandled(job, status);
    }
    free(ends);
    /* killed by our second signal: still the signal that the user sent */
    return end.signal == SIGKILL && status == 128 + SIGKILL ? 128 + job->signal_seen : status;
}

/* A shell that waits for us learns from the way we end that the user wants to stop. */
static void end_by(int sig)
{
    sigset_t set;

    signal(sig, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, sig);
    raise(sig);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* From here on no process of the job lives, and signals may end mpiexec; but SIGUSR1, which asks what the ranks wait
 * for, must not. */
static void let_signals_through(struct job *job)
{
    signal(SIGUSR1, SIG_IGN);
    sigprocmask(SIG_SETMASK, &job->mask_before, NULL);
}

int main(int argc, char **argv)
{
    static struct job job;
    int status = 126;
    bool started, written, missed;

    take_standard_fds();
    mend_options_parse(argc, argv, &job.o);
    create_job(&job);
    job.iof = mend_iof_create(&job.o, (int)MEND_NODE_NAMES);
    if (!job.iof)
        die("no thread for the ranks' output");
    mend_watch_start(&job, 0, job.n);
    started = mend_start_local(&job);
    if (started)
        mend_spares_start(&job);
    mend_keeper_start(&job);
    if (started)
        say_started(&job);
    else
        mend_agent_kill(&job);
    mend_injections_say(&job);
    mend_agent_run(&job);
    missed = started && mend_injections_missed(&job);
    mend_sweep_all(&job);
    mend_keeper_end(&job); /* it knows the ranks by numbers that are others' from now on */
    mend_sweep_reap(&job);
    mend_sweep_names(&job);
    say_overslept(&job);
    let_signals_through(&job);
    written = mend_iof_finish(job.iof);
    if (started)
        status = status_of(&job);
    if (started && job.o.print_exits)
        mend_report_exits(&job);
    if (!written && !status)
        status = 1;
    if (missed && !status)
        status = MEND_STATUS_NOT_INJECTED;
    mend_report(&job, mend_time_monotonic_ns(), end, .status = status);
    if (job.signal_seen && status == 128 + job.signal_seen)
        end_by(job.signal_seen);
    return status;
}
