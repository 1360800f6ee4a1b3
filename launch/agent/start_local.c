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
#include "agent/start.h"

#include "agent/links.h"
#include "agent/procfs.h"
#include "agent/ranks.h"
#include "agent/tell.h"
#include "base/time.h"
#include "output/iof.h"
#include "rt/spare.h"
#include "rt/wire.h"
#include "share/process.h"
#include "share/shell_limits.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define LOOK_MS     20 /* how often to look at a child that has not come to its execve */
#define STACK_BYTES (128 * 1024)

/* In the world and among those of the node, under our names and those of Open MPI and MPICH.  Not PMI_RANK and PMI_SIZE: there is no
 * PMI, and programs take them for a sign of one. */
#define WORLD_RANK_ENV "OMPI_COMM_WORLD_RANK"
#define WORLD_SIZE_ENV "OMPI_COMM_WORLD_SIZE"
#define RANK_ENV       MEND_ENV_LOCAL_RANK, "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"
#define SIZE_ENV       MEND_ENV_LOCAL_SIZE, "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"
#define NODE_ENV       "OMPI_COMM_WORLD_NODE_RANK"
#define PLACES_ENV     WORLD_RANK_ENV, WORLD_SIZE_ENV, RANK_ENV, SIZE_ENV, NODE_ENV

extern char **environ;

/* Everything that the child needs between vfork and execve. */
struct child {
    const struct mend_start *start;
    struct rank *r;
    char **env;
    char **script_argv; /* if the program is a script without "#!" */
    int in, out, err;
    int nice;                    /* of mpiexec as it was started */
    int ctl_fd;                  /* the rank's end */
    const char *volatile failed; /* what failed, written by the child */
    volatile int error;
    pid_t pid; /* what vfork has returned */
};

/* The thread that starts children; it ends with the process. */
struct starter {
    int nice;               /* with which ranks begin */
    struct child *child;    /* the main thread's before `go` and after `done` */
    mend_atomic_u32 thread; /* its number */
    sem_t go, done;
};

static _Noreturn void child_failed(struct child *c, const char *what)
{
    c->error = errno;
    c->failed = what;
    _exit(127);
}

/* In the child: system calls only, our memory is shared with the parent. */
static _Noreturn void child_exec(struct child *c)
{
    const struct rank *r = c->r;

    if (c->nice)
        setpriority(PRIO_PROCESS, 0, c->nice);
    c->r->child = getpid(); /* a rank that dies at once must find it: the watcher may have to kill
                               what is left */
    if (r->own_group && setpgid(0, 0) != 0)
        child_failed(c, "setpgid");
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        child_failed(c, "prctl");
    if (getppid() != c->start->ranks->self_pid) /* it died before the line above */
        _exit(127);
    if (dup2(c->in, 0) < 0 || dup2(c->out, 1) < 0 || dup2(c->err, 2) < 0 ||
        fcntl(c->start->ranks->shm_fd, F_SETFD, 0) < 0 || fcntl(c->ctl_fd, F_SETFD, 0) < 0 ||
        (r->spawn_fd >= 0 && fcntl(r->spawn_fd, F_SETFD, 0) < 0))
        child_failed(c, "dup2");
    if (r->app->wdir && chdir(r->app->wdir) != 0)
        child_failed(c, r->app->wdir);
    if (c->start->ranks->bound)
        sched_setaffinity(0, sizeof(r->cpus), &r->cpus); /* a wish, not a condition */
    mend_process_give_back(c->start->before);
    execve(r->app->path, r->app->argv, c->env);
    if (errno == ENOEXEC)
        execve("/bin/sh", c->script_argv, c->env);
    child_failed(c, r->app->path);
}

/* The function does nothing else, so that the child cannot damage what the parent needs later. */
static __attribute__((noinline)) pid_t vfork_exec(struct child *c)
{
    pid_t pid = vfork();

    if (pid == 0)
        child_exec(c);
    return pid;
}

/* The ranks end with this thread.  Where the agent is killed because its lease is over, other programs shall not delay that. */
static void come_first(struct starter *x)
{
    const struct sched_param p = {.sched_priority = 10};

    x->nice = getpriority(PRIO_PROCESS, (id_t)gettid());
    if (sched_getscheduler(0) == SCHED_OTHER && x->nice >= 0)
        sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &p);
}

static void *starter_run(void *arg)
{
    struct starter *x = arg;

    come_first(x);
    mend_store_relaxed(&x->thread, (uint32_t)gettid());
    for (;;) {
        while (sem_wait(&x->go) != 0)
            ;
        x->child->nice = x->nice;
        x->child->pid = vfork_exec(x->child);
        if (x->child->pid < 0)
            x->child->error = errno;
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
static bool shall_end(const struct mend_start *start)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t pending;

    sigpending(&pending);
    for (size_t i = 0; i < MEND_COUNT_OF(ends); i++)
        if (sigismember(&pending, ends[i]))
            return true;
    return mend_time_monotonic_ns() >= start->by_ns;
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
        if (&ranks->rank[i] != x->child->r && ranks->rank[i].child == newest)
            return 0;
    return x->child->r->index != MEND_RANK_SPARE && mend_spares_know(spares, newest) ? 0 : newest;
}

/* While we are stopped ourselves the child's time does not pass. */
static void await_done(struct mend_start *start, struct starter *x)
{
    mend_time_ns stopped_ns = 0;

    while (!is_done(x)) {
        pid_t child = late_child(start->ranks, start->spares, x);

        if (child > 0 && mend_procfs_state(child) == 'T')
            stopped_ns += LOOK_MS * MEND_NS_PER_MS;
        if (child > 0 && (stopped_ns >= start->o->params.stop_timeout_ns || shall_end(start)))
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

static void set_all(struct mend_strings *env, const struct mend_strings *texts)
{
    for (int i = 0; i < texts->n; i++)
        env_set(env, texts->at[i]);
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
    set_all(&env, mend_env_named(o, app));
    set_all(&env, &o->env);
    set_all(&env, &app->env);
    return env;
}

/* Of a rank: the one among those of its world on its node, how many these are, and the one among all of the job there. */
struct local {
    int rank, size, node_rank;
};

static struct local find_local(const struct mend_ranks *ranks, const struct rank *r)
{
    struct local l = {0};

    if (!ranks->nodes.n)
        return (struct local){r->index - r->world_first, r->world_n, r->index};
    for (int i = 0; i < ranks->n; i++) {
        bool world = i >= r->world_first && i < r->world_first + r->world_n;

        if (ranks->rank[i].node != r->node || ranks->rank[i].guest_of)
            continue;
        l.size += world;
        l.rank += world && i < r->index;
        l.node_rank += i < r->index;
    }
    return l;
}

static void place_env(const struct mend_ranks *ranks, const struct rank *r,
                      struct mend_strings *env)
{
    static const char *const names[] = {RANK_ENV}, *const sizes[] = {SIZE_ENV};
    const struct local l = find_local(ranks, r);

    mend_strings_add(env, mend_xprintf(WORLD_RANK_ENV "=%d", r->index - r->world_first));
    mend_strings_add(env, mend_xprintf(WORLD_SIZE_ENV "=%d", r->world_n));
    for (size_t i = 0; i < MEND_COUNT_OF(names); i++)
        mend_strings_add(env, mend_xprintf("%s=%d", names[i], l.rank));
    for (size_t i = 0; i < MEND_COUNT_OF(sizes); i++)
        mend_strings_add(env, mend_xprintf("%s=%d", sizes[i], l.size));
    mend_strings_add(env, mend_xprintf(NODE_ENV "=%d", l.node_rank));
}

void mend_start_env(const struct mend_start *start, const struct rank *r, struct mend_strings *env)
{
    char *inject = mend_injections_of(start->o, r->index);

    mend_strings_add(env, mend_xprintf(MEND_ENV_RANK "=%d", r->index));
    mend_strings_add(env, mend_xprintf(MEND_ENV_SIZE "=%d", r->world_n));
    mend_strings_add(env, mend_xprintf(MEND_ENV_APPNUM "=%d", r->app_index));
    place_env(start->ranks, r, env);
    if (r->world_first)
        mend_strings_add(env, mend_xprintf(MEND_ENV_FIRST "=%d", r->world_first));
    if (inject)
        mend_strings_add(env, inject);
}

static void rank_env(const struct child *c, struct mend_strings *env)
{
    mend_strings_add(env, mend_xprintf(MEND_ENV_SHM_FD "=%d", c->start->ranks->shm_fd));
    mend_strings_add(env, mend_xprintf(MEND_ENV_CTL_FD "=%d", c->ctl_fd));
    if (c->r->index == MEND_RANK_SPARE)
        mend_strings_add(env,
                         mend_xprintf(MEND_ENV_SPARE "=%s",
                                      c->r->original ? MEND_SPARE_ORIGINAL : MEND_SPARE_WAITS));
    else
        mend_start_env(c->start, c->r, env);
    if (c->r->spawn_fd >= 0)
        mend_strings_add(env, mend_xprintf(MEND_ENV_SPAWN "=%d", c->r->spawn_fd));
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

static void start_child(struct mend_start *start, struct starter *x, struct child *c)
{
    struct rank *r = c->r;

    x->child = c;
    sem_post(&x->go);
    await_done(start, x);
    pthread_mutex_lock(&start->ranks->lock);
    r->child = c->pid > 0 && !c->failed ? c->pid : 0;
    pthread_mutex_unlock(&start->ranks->lock);
    if (r->index != MEND_RANK_SPARE)
        mend_rank_tell_group(r);
}

static bool open_streams(const struct mend_tell *tell, struct child *c)
{
    if (c->r->index != MEND_RANK_SPARE)
        return mend_iof_open_rank(tell->iof, c->r->index, &c->in, &c->out, &c->err);
    c->in = c->out = c->err = open("/dev/null", O_RDWR | O_CLOEXEC);
    return c->in >= 0;
}

static void close_streams(const struct mend_tell *tell, const struct child *c, bool started)
{
    if (c->r->index == MEND_RANK_SPARE)
        close(c->in);
    else if (started)
        mend_iof_started_rank(tell->iof, c->r->index);
    else
        mend_iof_not_started_rank(tell->iof, c->r->index);
}

/* Returns the error. */
static int not_started(const struct mend_tell *tell, const struct child *c, int error)
{
    close_streams(tell, c, false);
    close(c->r->ctl_fd);
    c->r->ctl_fd = -1;
    return error;
}

/* 0, or an errno value, and *what_p failed. */
static int start_rank(struct mend_start *start, struct rank *r, struct mend_strings *env,
                      const char **what_p)
{
    struct child c = {.start = start, .r = r};
    int pair[2], env_before = env->n;

    *what_p = "its pipes and sockets";
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return errno;
    r->ctl_fd = pair[0];
    c.ctl_fd = pair[1];
    if (!open_streams(start->tell, &c)) {
        c.error = errno;
        close(c.ctl_fd);
        return not_started(start->tell, &c, c.error);
    }
    c.script_argv = script_argv_of(r->app);
    fcntl(r->ctl_fd, F_SETFL, O_NONBLOCK);
    setsockopt(r->ctl_fd, SOL_SOCKET, SO_PASSCRED, &(int){1}, sizeof(int)); /* control.c */
    if (r->index != MEND_RANK_SPARE)
        mend_links_tell(start->links, r);
    rank_env(&c, env);
    c.env = env->at;
    start_child(start, start->starter, &c);
    while (env->n > env_before)
        free(env->at[--env->n]);
    env->at[env->n] = NULL;
    free(c.script_argv[0]);
    free(c.script_argv);
    close(c.ctl_fd);
    *what_p = c.failed ? c.failed : "vfork";
    if (r->child <= 0)
        return not_started(start->tell, &c, c.error ? c.error : ECHILD);
    close_streams(start->tell, &c, true);
    return 0;
}

static void say_failed(const struct mend_tell *tell, int index, const char *what, int error)
{
    char text[MEND_LIMITS_TEXT];

    mend_say(tell, "mpiexec: rank %d could not be started: %s: %s", index, what,
             mend_limits_error(error, text, sizeof(text)));
}

bool mend_start_local(struct mend_start *start)
{
    struct mend_strings env = {0};
    const struct mend_app *app = NULL;
    const char *what;
    int error = 0;

    start->starter = starter_create();
    if (!start->starter) {
        mend_say(start->tell, "mpiexec: no thread to start the ranks with: %s", strerror(errno));
        return false;
    }
    for (int i = 0; !error && i < start->ranks->ours_n; i++) {
        struct rank *r = &start->ranks->rank[start->ranks->ours[i]];

        if (r->app != app) {
            free(env.at);
            app = r->app;
            env = block_env(start->o, app);
        }
        error = start_rank(start, r, &env, &what);
        start->ranks->alive_n += !error;
        if (error)
            say_failed(start->tell, r->index, what, error);
    }
    free(env.at);
    return !error;
}

int mend_start_another(struct mend_start *start, struct rank *r)
{
    struct mend_strings env = block_env(start->o, r->app);
    const char *what;
    int error = start_rank(start, r, &env, &what);

    start->ranks->alive_n += !error;
    free(env.at);
    return error;
}

bool mend_start_spare(struct mend_start *start, struct rank *r)
{
    struct mend_strings env = block_env(start->o, r->app);
    char text[MEND_LIMITS_TEXT];
    const char *what;
    int error = start_rank(start, r, &env, &what);

    free(env.at);
    if (error)
        mend_say(start->tell, "mpiexec: a spare process could not be started: %s: %s", what,
                 mend_limits_error(error, text, sizeof(text)));
    return !error;
}
