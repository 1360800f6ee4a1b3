/* SPDX-License-Identifier: BSD-3-Clause */
/* start_local.c – starting the ranks on this machine, fast.
 *
 * vfork instead of fork: the child borrows our memory until execve, so nothing is copied and the
 * time per rank is that of execve.  All preparation (paths, environments,
 * descriptors) is done before; the child makes system calls only.
 *
 *   main thread   prepares a rank ──go──> vfork ... execve   the starter, a thread
 *                 waits            <─done─
 *
 * vfork stops its caller until the child has left our memory, and the child may be stopped by a signal before
 * that.  So a separate thread calls it, and the main thread kills a child that is stopped for longer than
 * STOP_TIMEOUT, or when the job must end.
 *
 * What a rank gets: its own process group (so that we can end what it starts), our session (one
 * scheduling group for all: a yield, and the low priority of a rank that dies, count within a group),
 * SIGKILL when the starter dies, which is when we die, the signal mask and limits that we were started
 * with, standard input, output and error, the segment and a socket to us.
 *
 * A start on other machines (ssh, srun) will be a file beside this one. */
#include "agent/agent.h"
#include "agent/links.h"

#include "agent/tell.h"

#include "base/time.h"
#include "output/iof.h"
#include "agent/procfs.h"
#include "share/shell_limits.h"
#include "rt/spare.h"
#include "rt/wire.h"
#include "agent/start.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define LOOK_MS     20 /* how often to look at a child that has not come to its execve */
#define STACK_BYTES (128 * 1024)

/* There is one machine, so the rank among those of the machine is the rank.  Not PMI_RANK and PMI_SIZE: there is no PMI,
 * and programs take them for a sign of one. */
#define RANK_ENV                                                                                   \
    MEND_ENV_LOCAL_RANK, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"
#define SIZE_ENV                                                                                   \
    MEND_ENV_LOCAL_SIZE, "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"
#define NODE_ENV   "OMPI_COMM_WORLD_NODE_RANK"
#define PLACES_ENV RANK_ENV, SIZE_ENV, NODE_ENV

extern char **environ;

/* Everything that the child needs between vfork and execve. */
struct start {
    struct agent *agent;
    struct rank *r;
    char **env;
    char **script_argv; /* if the program is a script without "#!" */
    int in, out, err;
    int ctl_fd;                  /* the rank's end */
    const char *volatile failed; /* what failed, written by the child */
    volatile int error;
    pid_t pid; /* what vfork has returned */
};

/* The thread that starts children; it ends with the process. */
struct starter {
    struct start *start;    /* the main thread's before `go` and after `done` */
    mend_atomic_u32 thread; /* its number */
    sem_t go, done;
};

static _Noreturn void child_failed(struct start *s, const char *what)
{
    s->error = errno;
    s->failed = what;
    _exit(127);
}

/* In the child: system calls only, our memory is shared with the parent. */
static _Noreturn void child_exec(struct start *s)
{
    const struct rank *r = s->r;

    s->r->child = getpid(); /* a rank that dies at once must find it: the watcher may have to kill
                               what is left */
    if (r->own_group && setpgid(0, 0) != 0)
        child_failed(s, "setpgid");
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        child_failed(s, "prctl");
    if (getppid() != s->agent->ranks.self_pid) /* it died before the line above */
        _exit(127);
    if (dup2(s->in, 0) < 0 || dup2(s->out, 1) < 0 || dup2(s->err, 2) < 0 ||
        fcntl(s->agent->ranks.shm_fd, F_SETFD, 0) < 0 || fcntl(s->ctl_fd, F_SETFD, 0) < 0 ||
        (r->spawn_fd >= 0 && fcntl(r->spawn_fd, F_SETFD, 0) < 0))
        child_failed(s, "dup2");
    if (r->app->wdir && chdir(r->app->wdir) != 0)
        child_failed(s, r->app->wdir);
    if (s->agent->ranks.bound)
        sched_setaffinity(0, sizeof(r->cpus), &r->cpus); /* a wish, not a condition */
    mend_process_give_back(&s->agent->before);
    execve(r->app->path, r->app->argv, s->env);
    if (errno == ENOEXEC)
        execve("/bin/sh", s->script_argv, s->env);
    child_failed(s, r->app->path);
}

/* The function does nothing else, so that the child cannot damage what the parent needs later. */
static __attribute__((noinline)) pid_t vfork_exec(struct start *s)
{
    pid_t pid = vfork();

    if (pid == 0)
        child_exec(s);
    return pid;
}

static void *starter_run(void *arg)
{
    struct starter *x = arg;

    mend_store_relaxed(&x->thread, (uint32_t)gettid());
    for (;;) {
        while (sem_wait(&x->go) != 0)
            ;
        x->start->pid = vfork_exec(x->start);
        if (x->start->pid < 0)
            x->start->error = errno;
        sem_post(&x->done);
    }
    return NULL;
}

static struct starter *starter_create(void)
{
    struct starter *x = mend_xalloc(1, sizeof(*x));
    pthread_attr_t attr;
    pthread_t thread;
    int error;

    sem_init(&x->go, 0, 0);
    sem_init(&x->done, 0, 0);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    error = pthread_create(&thread, &attr, starter_run, x);
    pthread_attr_destroy(&attr);
    if (!error)
        return x;
    free(x);
    errno = error;
    return NULL;
}

/* ---- waiting for a child ---- */

static bool is_done(struct starter *x)
{
    struct timespec until;
    int r;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_MS * MEND_NS_PER_MS;
    if (until.tv_nsec >= (long)MEND_NS_PER_S) {
        until.tv_sec++;
        until.tv_nsec -= (long)MEND_NS_PER_S;
    }
    while ((r = sem_timedwait(&x->done, &until)) != 0 && errno == EINTR)
        ;
    return r == 0;
}

/* Signals wait for the agent's loop, which begins when all ranks are started. */
static bool shall_end(const struct agent *agent)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t pending;

    sigpending(&pending);
    for (size_t i = 0; i < MEND_COUNT_OF(ends); i++)
        if (sigismember(&pending, ends[i]))
            return true;
    return mend_time_monotonic_ns() >= agent->start_by_ns;
}

/* The child that has not come to its execve, 0: not known.  It may have run nothing yet, so the kernel is asked: the
 * starter's newest. */
static pid_t late_child(const struct mend_ranks *ranks, const struct mend_spares *spares,
                        const struct starter *x)
{
    char path[64];
    int pid, newest = 0;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/self/task/%u/children", mend_load_relaxed(&x->thread));
    f = fopen(path, "re");
    while (f && fscanf(f, "%d", &pid) == 1)
        newest = pid;
    if (f)
        fclose(f);
    for (int i = 0; i < ranks->n; i++)
        if (&ranks->rank[i] != x->start->r && ranks->rank[i].child == newest)
            return 0;
    return x->start->r->index != MEND_RANK_SPARE && mend_spares_know(spares, newest) ? 0 : newest;
}

/* While we are stopped ourselves the child's time does not pass. */
static void await_done(struct agent *agent, struct starter *x)
{
    mend_time_ns stopped_ns = 0;

    while (!is_done(x)) {
        pid_t child = late_child(&agent->ranks, &agent->spares, x);

        if (child > 0 && mend_procfs_state(child) == 'T')
            stopped_ns += LOOK_MS * MEND_NS_PER_MS;
        if (child > 0 && (stopped_ns >= agent->o->params.stop_timeout_ns || shall_end(agent)))
            kill(child, SIGKILL);
    }
}

/* ---- environment ---- */

static void env_set(struct mend_strings *env, char *text)
{
    size_t name_len = strcspn(text, "=") + 1;

    for (int i = 0; i < env->n; i++)
        if (!strncmp(env->at[i], text, name_len)) {
            env->at[i] = text;
            return;
        }
    mend_strings_add(env, text);
}

static bool is_named(const char *text, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strncmp(text, names[i], strlen(names[i])) && text[strlen(names[i])] == '=')
            return true;
    return false;
}

static bool is_ours(const char *text)
{
    static const char *const ours[] = MEND_ENV_ALL;
    static const char *const places[] = {PLACES_ENV};

    return is_named(text, ours, MEND_COUNT_OF(ours)) ||
           is_named(text, places, MEND_COUNT_OF(places));
}

/* What all ranks of one block have in common; with room for what is each one's own. */
static struct mend_strings block_env(const struct mend_options *o, const struct mend_app *app)
{
    struct mend_strings env = {0};

    for (char **e = environ; *e; e++)
        if (!is_ours(*e) &&
            mend_env_inherited(o, app, *e)) /* mpiexec may itself run under mpiexec */
            mend_strings_add(&env, *e);
    for (int i = 0; i < o->env.n; i++)
        env_set(&env, o->env.at[i]);
    for (int i = 0; i < app->env.n; i++)
        env_set(&env, app->env.at[i]);
    return env;
}

/* Where the rank is, under our names and under those that users of Open MPI and of MPICH know. */
static void place_env(const struct rank *r, struct mend_strings *env)
{
    static const char *const ranks[] = {RANK_ENV}, *const sizes[] = {SIZE_ENV};

    for (size_t i = 0; i < MEND_COUNT_OF(ranks); i++)
        mend_strings_add(env, mend_xprintf("%s=%d", ranks[i], r->index - r->world_first));
    for (size_t i = 0; i < MEND_COUNT_OF(sizes); i++)
        mend_strings_add(env, mend_xprintf("%s=%d", sizes[i], r->world_n));
    mend_strings_add(env, mend_xprintf(NODE_ENV "=%d", r->index));
}

void mend_start_env(const struct mend_options *o, const struct rank *r, struct mend_strings *env)
{
    char *inject = mend_injections_of(o, r->index);

    mend_strings_add(env, mend_xprintf(MEND_ENV_RANK "=%d", r->index));
    mend_strings_add(env, mend_xprintf(MEND_ENV_SIZE "=%d", r->world_n));
    mend_strings_add(env, mend_xprintf(MEND_ENV_APPNUM "=%d", r->app_index));
    place_env(r, env);
    if (r->world_first)
        mend_strings_add(env, mend_xprintf(MEND_ENV_FIRST "=%d", r->world_first));
    if (inject)
        mend_strings_add(env, inject);
}

static void rank_env(const struct start *s, struct mend_strings *env)
{
    mend_strings_add(env, mend_xprintf(MEND_ENV_SHM_FD "=%d", s->agent->ranks.shm_fd));
    mend_strings_add(env, mend_xprintf(MEND_ENV_CTL_FD "=%d", s->ctl_fd));
    if (s->r->index == MEND_RANK_SPARE)
        mend_strings_add(env,
                         mend_xprintf(MEND_ENV_SPARE "=%s",
                                      s->r->original ? MEND_SPARE_ORIGINAL : MEND_SPARE_WAITS));
    else
        mend_start_env(s->agent->o, s->r, env);
    if (s->r->spawn_fd >= 0)
        mend_strings_add(env, mend_xprintf(MEND_ENV_SPAWN "=%d", s->r->spawn_fd));
}

/* ---- one rank ---- */

static char **script_argv_of(const struct mend_app *app)
{
    struct mend_strings args = {0};

    mend_strings_add(&args, mend_xprintf("/bin/sh"));
    mend_strings_add(&args, app->path);
    for (char **a = app->argv + 1; *a; a++)
        mend_strings_add(&args, *a);
    return args.at;
}

static void start_child(struct agent *agent, struct starter *x, struct start *s)
{
    struct rank *r = s->r;

    x->start = s;
    sem_post(&x->go);
    await_done(agent, x);
    pthread_mutex_lock(&agent->ranks.lock);
    r->child = s->pid > 0 && !s->failed ? s->pid : 0;
    pthread_mutex_unlock(&agent->ranks.lock);
    if (r->index != MEND_RANK_SPARE)
        mend_rank_tell_group(r);
}

static bool open_streams(const struct mend_tell *tell, struct start *s)
{
    if (s->r->index != MEND_RANK_SPARE)
        return mend_iof_open_rank(tell->iof, s->r->index, &s->in, &s->out, &s->err);
    s->in = s->out = s->err = open("/dev/null", O_RDWR | O_CLOEXEC);
    return s->in >= 0;
}

static void close_streams(const struct mend_tell *tell, const struct start *s, bool started)
{
    if (s->r->index == MEND_RANK_SPARE)
        close(s->in);
    else if (started)
        mend_iof_started_rank(tell->iof, s->r->index);
    else
        mend_iof_not_started_rank(tell->iof, s->r->index);
}

/* Returns the error. */
static int not_started(const struct mend_tell *tell, const struct start *s, int error)
{
    close_streams(tell, s, false);
    close(s->r->ctl_fd);
    s->r->ctl_fd = -1;
    return error;
}

/* 0, or an errno value, and *what_p failed. */
static int start_rank(struct agent *agent, struct rank *r, struct mend_strings *env,
                      const char **what_p)
{
    struct start s = {.agent = agent, .r = r};
    int pair[2], env_before = env->n;

    *what_p = "its pipes and sockets";
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return errno;
    r->ctl_fd = pair[0];
    s.ctl_fd = pair[1];
    if (!open_streams(&agent->tell, &s)) {
        s.error = errno;
        close(s.ctl_fd);
        return not_started(&agent->tell, &s, s.error);
    }
    s.script_argv = script_argv_of(r->app);
    fcntl(r->ctl_fd, F_SETFL, O_NONBLOCK);
    setsockopt(r->ctl_fd, SOL_SOCKET, SO_PASSCRED, &(int){1}, sizeof(int)); /* control.c */
    if (r->index != MEND_RANK_SPARE)
        mend_links_tell(agent->links, r);
    rank_env(&s, env);
    s.env = env->at;
    start_child(agent, agent->starter, &s);
    while (env->n > env_before)
        free(env->at[--env->n]);
    env->at[env->n] = NULL;
    free(s.script_argv[0]);
    free(s.script_argv);
    close(s.ctl_fd);
    *what_p = s.failed ? s.failed : "vfork";
    if (r->child <= 0)
        return not_started(&agent->tell, &s, s.error ? s.error : ECHILD);
    close_streams(&agent->tell, &s, true);
    return 0;
}

static void say_failed(const struct mend_tell *tell, int index, const char *what, int error)
{
    char text[MEND_LIMITS_TEXT];

    mend_say(tell, "mpiexec: rank %d could not be started: %s: %s", index, what,
             mend_limits_error(error, text, sizeof(text)));
}

bool mend_start_local(struct agent *agent)
{
    struct mend_strings env = {0};
    const struct mend_app *app = NULL;
    const char *what;
    int error = 0;

    agent->starter = starter_create();
    if (!agent->starter) {
        mend_say(&agent->tell, "mpiexec: no thread to start the ranks with: %s", strerror(errno));
        return false;
    }
    for (int i = 0; !error && i < agent->ranks.ours_n; i++) {
        struct rank *r = &agent->ranks.rank[agent->ranks.ours[i]];

        if (r->app != app) {
            free(env.at);
            app = r->app;
            env = block_env(agent->o, app);
        }
        error = start_rank(agent, r, &env, &what);
        agent->ranks.alive_n += !error;
        if (error)
            say_failed(&agent->tell, r->index, what, error);
    }
    free(env.at);
    return !error;
}

int mend_start_another(struct agent *agent, struct rank *r)
{
    struct mend_strings env = block_env(agent->o, r->app);
    const char *what;
    int error = start_rank(agent, r, &env, &what);

    agent->ranks.alive_n += !error;
    free(env.at);
    return error;
}

bool mend_start_spare(struct agent *agent, struct rank *r)
{
    struct mend_strings env = block_env(agent->o, r->app);
    char text[MEND_LIMITS_TEXT];
    const char *what;
    int error = start_rank(agent, r, &env, &what);

    free(env.at);
    if (error)
        mend_say(&agent->tell, "mpiexec: a spare process could not be started: %s: %s", what,
                 mend_limits_error(error, text, sizeof(text)));
    return !error;
}
