/* SPDX-License-Identifier: BSD-3-Clause */
/* keeper.c – ends all processes of the job if mpiexec itself is killed, and removes the names that they have published.
 *
 * The ranks die with mpiexec by PR_SET_PDEATHSIG, but their own children do not inherit
 * that.  So a small process waits on a pipe from mpiexec.  When the pipe closes without a
 * farewell, mpiexec was killed: the keeper kills the process group of every rank, removes the names when the ranks have
 * ended, and ends.
 *
 * While mpiexec is stopped nobody is declared dead, and no connected job hears of a death here: calls would wait as long
 * as that lasts.  So the keeper looks at mpiexec, too, and says in the segment since when it is stopped.
 *
 *     mpiexec runs ──it is found stopped──> stopped ──for AGENT_STOP_TIMEOUT, while a rank runs──> continued
 *          ^                                                                                          │
 *          └──────────────────────────────────────────────────────────────────────────────────────────┘
 *
 * mpiexec is left alone if it has stopped the whole job (Ctrl-Z), if no rank runs, and in a debugger.  The time counts during which
 * the keeper itself runs.
 *
 * Not covered: a process that left its rank's group and session on purpose (a daemon) while mpiexec
 * is killed.  When mpiexec ends by itself, sweep.c gets those too. */
#include "agent/keeper.h"

#include "agent/parent.h"
#include "agent/procfs.h"
#include "agent/ranks.h"
#include "agent/sweep.h"
#include "agent/tell.h"
#include "base/time.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FAREWELL 'f'
#define HUSH     'h'
#define SPEAK    's'
#define LOOK_NS  MEND_NS_PER_MS
#define GONE_NS  MEND_NS_PER_S
#define ENDS_NS  (3 * MEND_NS_PER_S)
#define WATCH_MS 500                 /* between two looks at mpiexec */
#define GAP_NS   (2 * MEND_NS_PER_S) /* after a longer one the keeper has not run */

/* The MPI process in a script that has groups of its own.  It may have ended, and another have its number: not
 * while the life word is unmarked. */
static void kill_inner(struct mend_node_rank *s)
{
    pid_t pid = (pid_t)mend_load_acquire(&s->inner_pid);
    int fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;

    if (fd >= 0 && mend_load_acquire(&s->life_valid) &&
        !(mend_load_acquire(mend_node_life_word(s)) & FUTEX_OWNER_DIED))
        syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
}

/* The segment says which ranks there are by now. */
static void kill_everything(struct mend_node_header *shm)
{
    for (uint32_t i = 0; i < shm->places_used; i++) {
        struct mend_node_rank *s = mend_node_rank_of(shm, mend_place_at(i));
        pid_t group = (pid_t)mend_load_acquire(&s->group);

        if (group > 0)
            kill(-group, SIGKILL);
        kill_inner(s);
    }
}

static bool runs(struct mend_node_rank *s)
{
    return mend_load_acquire(&s->group) && mend_load_acquire(&s->life_valid) &&
           !(mend_load_acquire(mend_node_life_word(s)) & FUTEX_OWNER_DIED);
}

/* Until no rank can publish a name any more; one that cannot die is not waited for. */
static void await_ends(struct mend_node_header *shm)
{
    const struct timespec pause = {.tv_nsec = (long)LOOK_NS};
    uint32_t i = 0;

    for (mend_time_ns waited = 0; waited < ENDS_NS; waited += LOOK_NS) {
        while (i < shm->places_used && !runs(mend_node_rank_of(shm, mend_place_at(i))))
            i++;
        if (i == shm->places_used)
            return;
        nanosleep(&pause, NULL);
    }
}

/* ---- mpiexec is stopped ---- */

struct watch {
    struct mend_node_header *shm;
    pid_t mpiexec;
    mend_time_ns limit;  /* MEND_TIME_NEVER: it may be stopped for ever */
    mend_time_ns looked; /* last */
    mend_time_ns since;  /* it is stopped, and the keeper looks; 0: it is not */
    bool ran;            /* at the last look */
};

/* Some rank, or a script around it, is neither stopped nor at its end. */
static bool a_rank_runs(struct mend_node_header *shm)
{
    for (uint32_t i = 0; i < shm->places_used; i++) {
        pid_t group = (pid_t)mend_load_acquire(&mend_node_rank_of(shm, mend_place_at(i))->group);
        char state = group > 0 ? mend_procfs_state(group) : 0;

        if (state && state != 'T' && state != 't' && state != 'Z')
            return true;
    }
    return false;
}

/* Deaths of which mpiexec hears as soon as it goes on shall find the word still there. */
static void on_running(struct watch *w)
{
    if (w->ran)
        mend_store_relaxed(&w->shm->stopped_ns, 0);
    w->ran = true;
    w->since = 0;
}

static void on_stopped(struct watch *w, mend_time_ns now)
{
    if (w->ran)
        mend_store_relaxed(&w->shm->stopped_ns, w->looked);
    if (!w->since || now - w->looked > GAP_NS)
        w->since = now;
    w->ran = false;
}

static bool is_overdue(const struct watch *w, mend_time_ns now)
{
    return w->limit != MEND_TIME_NEVER && now - w->since >= w->limit &&
           !mend_load_acquire(&w->shm->suspended) && a_rank_runs(w->shm);
}

/* The keeper is a child of mpiexec until that ends, so it signals no other process. */
static void revive(struct watch *w, mend_time_ns now)
{
    mend_store_relaxed(&w->shm->revived_after_ns, now - w->since);
    /* release: pairs with the acquire in mend_keeper_has_revived() */
    mend_store_release(&w->shm->revived_n, mend_load_relaxed(&w->shm->revived_n) + 1);
    w->since = now;
    if (getppid() == w->mpiexec)
        kill(w->mpiexec, SIGCONT);
}

static void look_at_mpiexec(struct watch *w)
{
    mend_time_ns now = mend_time_monotonic_ns();

    if (mend_procfs_state(w->mpiexec) != 'T') {
        on_running(w);
    } else {
        on_stopped(w, now);
        if (is_overdue(w, now))
            revive(w, now);
    }
    w->looked = now;
}

static void watch_mpiexec(const struct mend_ranks *ranks, mend_time_ns limit_ns, int fd)
{
    struct watch w = {.shm = ranks->shm,
                      .mpiexec = ranks->self_pid,
                      .limit = limit_ns,
                      .looked = mend_time_monotonic_ns(),
                      .ran = true};
    struct pollfd farewell = {.fd = fd, .events = POLLIN};

    while (poll(&farewell, 1, WATCH_MS) == 0)
        look_at_mpiexec(&w);
}

void mend_keeper_has_revived(struct mend_keeper *k, const struct mend_ranks *ranks,
                             const struct mend_tell *tell)
{
    uint32_t n = mend_load_acquire(&ranks->shm->revived_n); /* pairs with the release in revive() */

    if (n == k->revived_n)
        return;
    k->revived_n = n;
    mend_say(
        tell,
        "mend: mpiexec (pid %d, host %s) was stopped for %.1f s while ranks were running, and no "
        "rank could learn of a death; so it was continued (MEND_AGENT_STOP_TIMEOUT=0 leaves it "
        "stopped)",
        (int)ranks->self_pid, ranks->shm->host,
        (double)mend_load_relaxed(&ranks->shm->revived_after_ns) / 1e9);
}

/* Descriptors of the keeper: the pipe only, so that it holds nobody's output open. */
static int keep_only(int fd)
{
    int null = open("/dev/null", O_RDWR);

    for (int i = 0; i < 3; i++)
        dup2(null, i);
    if (fd != 3)
        dup2(fd, 3);
    syscall(SYS_close_range, 4, ~0U, 0);
    return 3;
}

/* The root need not wait for the end of the lease.  If it cannot be reached, that will do. */
static void say_gone(const struct mend_ranks *ranks, const struct mend_address *parent)
{
    const struct mend_parent_call call = {.to = parent,
                                          .nodes = &ranks->nodes,
                                          .kind = MEND_GREETING_GONE,
                                          .deadline = mend_time_monotonic_ns() + GONE_NS};
    const char *why;
    uint64_t taken;
    int fd = parent->port ? mend_parent_call(&call, &taken, &why) : -1;

    if (fd >= 0)
        close(fd);
}

/* 0: mpiexec has ended without a farewell. */
static char next_word(int fd)
{
    char c;

    return read(fd, &c, 1) == 1 ? c : 0;
}

static _Noreturn void keep(const struct mend_ranks *ranks, mend_time_ns limit_ns,
                           const struct mend_address *parent, int fd)
{
    bool hush = false;
    sigset_t all;
    char c;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setsid();
    prctl(PR_SET_NAME, "mend-keeper");
    fd = keep_only(fd);
    do {
        watch_mpiexec(ranks, limit_ns, fd);
        c = next_word(fd);
        hush = c == HUSH || (hush && c != SPEAK);
    } while (c == HUSH || c == SPEAK);
    if (c != FAREWELL) {
        kill_everything(ranks->shm);
        await_ends(ranks->shm);
        mend_sweep_names(ranks);
        if (!hush)
            say_gone(ranks, parent);
    }
    _exit(0);
}

void mend_keeper_start(struct mend_keeper *k, const struct mend_ranks *ranks, mend_time_ns limit_ns,
                       const struct mend_address *parent)
{
    int fd[2];

    k->fd = -1;
    if (pipe2(fd, O_CLOEXEC) != 0)
        return; /* the job runs without */
    k->pid = fork();
    if (k->pid == 0) {
        close(fd[1]);
        keep(ranks, limit_ns, parent, fd[0]);
    }
    close(fd[0]);
    k->fd = fd[1];
}

void mend_keeper_hush(const struct mend_keeper *k, bool hush)
{
    const char c = hush ? HUSH : SPEAK;

    while (k->fd >= 0 && write(k->fd, &c, 1) < 0 && errno == EINTR)
        ;
}

void mend_keeper_end(struct mend_keeper *k)
{
    const char c = FAREWELL;

    if (k->pid <= 0)
        return;
    while (write(k->fd, &c, 1) < 0 && errno == EINTR)
        ; /* if mpiexec is killed before the next line, the keeper kills no process: numbers may be reused by then */
    kill(k->pid, SIGKILL); /* it may be stopped */
    waitpid(k->pid, NULL, 0);
    k->pid = 0;
}
