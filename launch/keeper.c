/* SPDX-License-Identifier: BSD-3-Clause */
/* keeper.c – ends all processes of the job if mpiexec itself is killed, and removes the names that they have published.
 *
 * The ranks die with mpiexec by PR_SET_PDEATHSIG, but their own children do not inherit
 * that.  So a small process waits on a pipe from mpiexec.  When the pipe closes without a
 * farewell, mpiexec was killed: the keeper kills the process group of every rank, removes the names when the ranks have
 * ended, and ends.
 *
 * Not covered: a process that left its rank's group and session on purpose (a daemon) while mpiexec
 * is killed.  When mpiexec ends by itself, sweep.c gets those too. */
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FAREWELL 'f'
#define LOOK_NS  MEND_NS_PER_MS
#define ENDS_NS  (3 * MEND_NS_PER_S)

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
static void kill_everything(struct job *job)
{
    for (uint32_t i = 0; i < job->shm->places_used; i++) {
        struct mend_node_rank *s = mend_node_rank_of(job->shm, mend_place_at(i));
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
static void await_ends(struct job *job)
{
    const struct timespec pause = {.tv_nsec = (long)LOOK_NS};
    uint32_t i = 0;

    for (mend_time_ns waited = 0; waited < ENDS_NS; waited += LOOK_NS) {
        while (i < job->shm->places_used && !runs(mend_node_rank_of(job->shm, mend_place_at(i))))
            i++;
        if (i == job->shm->places_used)
            return;
        nanosleep(&pause, NULL);
    }
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

static _Noreturn void keep(struct job *job, int fd)
{
    sigset_t all;
    char c = 0;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setsid();
    prctl(PR_SET_NAME, "mend-keeper");
    fd = keep_only(fd);
    if (read(fd, &c, 1) <= 0 || c != FAREWELL) {
        kill_everything(job);
        await_ends(job);
        mend_sweep_names(job);
    }
    _exit(0);
}

void mend_keeper_start(struct job *job)
{
    int fd[2];

    job->keeper_fd = -1;
    if (pipe2(fd, O_CLOEXEC) != 0)
        return; /* the job runs without */
    job->keeper = fork();
    if (job->keeper == 0) {
        close(fd[1]);
        keep(job, fd[0]);
    }
    close(fd[0]);
    job->keeper_fd = fd[1];
}

void mend_keeper_end(struct job *job)
{
    const char c = FAREWELL;

    if (job->keeper <= 0)
        return;
    while (write(job->keeper_fd, &c, 1) < 0 && errno == EINTR)
        ; /* if mpiexec is killed before the next line, the keeper kills no process: numbers may be reused by then */
    kill(job->keeper, SIGKILL); /* it may be stopped */
    waitpid(job->keeper, NULL, 0);
    job->keeper = 0;
}
