/* SPDX-License-Identifier: BSD-3-Clause */
/* copy.c – copies of a process that waits in MPI_Init (spare.h).
 *
 *   original ── fork ──> go-between ── fork ──> copy
 *      │ waits for              │                 │ waits, too: then it is a child of the agent, which
 *      │ <──────── ends ────────┴──── ends ──────>│ adopts orphans (launch/agent/sweep.c)
 *                                                 │ says "here" to the agent
 *
 * The agent waits for its ranks as for its children, so a copy must be one.  fork() has no such option, and clone() with
 * CLONE_PARENT would leave the thread's number in libc wrong, on which the life word depends.
 *
 *   1  An original has no state of the library but its bare process value: no segment, no transport, no life word.
 *   2  A copy is what a process that was just started would be.  What fork would copy otherwise is an obstacle, and the
 *      agent starts a process instead: threads and children, which a copy does not have, and memory and
 *      descriptors that several copies would share.  Files are opened once more, at the place where the original had them.
 *
 * Who may die: the original, which changes nothing for a copy that was forked; the go-between, then the copy is an orphan
 * all the same, or was never made; the copy; where there is none, the socket has no other end, which the agent sees; and
 * the agent, then all end. */
#include "base/status.h"

#include "rt/spare.h"

#include "rt/wire.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#define FLAGS_KEPT (O_ACCMODE | O_APPEND | O_NONBLOCK | O_DIRECT | O_NOATIME | O_SYNC)
#define MAJOR_MEM  1 /* /dev/null, /dev/zero, /dev/urandom */

/* The descriptors that are not the program's, and the process that made the socket. */
struct original {
    int ctl_fd, shm_fd;
    pid_t agent;
};

static void answer(int sock, int error)
{
    struct mend_copy_answer a = {.magic = MEND_COPY_MAGIC, .error = error};

    while (send(sock, &a, sizeof(a), MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
}

/* ---- what cannot be copied ---- */

static bool has_threads(void)
{
    struct stat st;

    return stat("/proc/self/task", &st) != 0 || st.st_nlink != 3; /* ".", ".." and one thread */
}

static bool has_children(void)
{
    char path[64];
    FILE *f;
    bool some;

    snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
    f = fopen(path, "re");
    some = f && fgetc(f) != EOF;
    if (f)
        fclose(f);
    return some;
}

/* Every rank has it, from the one that started mpiexec. */
static bool is_inherited(const struct original *o, int fd, const struct stat *st)
{
    char path[64];
    struct stat theirs;

    snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)o->agent, fd);
    return stat(path, &theirs) == 0 && theirs.st_dev == st->st_dev && theirs.st_ino == st->st_ino;
}

static bool may_be_shared(const struct original *o, int fd, const struct stat *st)
{
    if (S_ISCHR(st->st_mode))
        return major(st->st_rdev) == MAJOR_MEM || isatty(fd);
    return (S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode)) && is_inherited(o, fd, st);
}

static bool is_reopened(const struct stat *st)
{
    return S_ISREG(st->st_mode) || S_ISDIR(st->st_mode);
}

/* Calls f for every descriptor of the program above 2, with what it is; false: f has returned false. */
static bool each_descriptor(const struct original *o,
                            bool (*f)(const struct original *, int, const struct stat *))
{
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *e;
    struct stat st;
    bool good = dir != NULL;

    while (good && (e = readdir(dir))) {
        int fd = atoi(e->d_name);

        if (fd > 2 && fd != dirfd(dir) && fd != o->ctl_fd && fd != o->shm_fd)
            good = fstat(fd, &st) == 0 && f(o, fd, &st);
    }
    if (dir)
        closedir(dir);
    return good;
}

static bool can_be_copied(const struct original *o, int fd, const struct stat *st)
{
    return is_reopened(st) || may_be_shared(o, fd, st);
}

/* A process that is started would map the same file. */
static bool is_file(const char *path, unsigned long ino)
{
    struct stat st;

    return *path == '/' && stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_ino == ino;
}

/* Memory that is written and that all copies would have together. */
static bool has_shared_memory(void)
{
    FILE *f = fopen("/proc/self/maps", "re");
    char *line = NULL, perms[8];
    unsigned long ino;
    bool shared = !f;
    size_t room = 0;
    ssize_t len;
    int path_at;

    while (!shared && (len = getline(&line, &room, f)) > 0) {
        line[len - 1] = '\0';
        path_at = 0;
        if (sscanf(line, "%*s %7s %*s %*s %lu %n", perms, &ino, &path_at) == 2 && path_at)
            shared = perms[1] == 'w' && perms[3] == 's' && !is_file(line + path_at, ino);
    }
    free(line);
    if (f)
        fclose(f);
    return shared;
}

/* 0: nothing. */
static int find_obstacle(const struct original *o)
{
    if (has_threads())
        return MEND_COPY_THREADS;
    if (has_children())
        return MEND_COPY_CHILDREN;
    if (!each_descriptor(o, can_be_copied))
        return MEND_COPY_DESCRIPTORS;
    return has_shared_memory() ? MEND_COPY_SHARED : 0;
}

/* ---- the copy ---- */

/* The same file at the same place, under the same number; what one copy reads is there for the next one, too. */
static bool open_again(const struct original *o, int fd, const struct stat *st)
{
    int flags = fcntl(fd, F_GETFL), own;
    off_t at = lseek(fd, 0, SEEK_CUR);
    char path[64];
    bool good;

    if (!is_reopened(st) || flags & O_PATH)
        return true;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    own = open(path, (flags & FLAGS_KEPT) | O_CLOEXEC);
    if (own < 0)
        return false;
    good = (at < 0 || lseek(own, at, SEEK_SET) == at) &&
           dup3(own, fd, fcntl(fd, F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0) == fd;
    close(own);
    return good;
}

/* Until the go-between is gone, which only forks and ends.  Its number stays its own while it is the parent. */
static void await_adoption(const struct original *o)
{
    pid_t between = getppid();
    struct pollfd p = {.events = POLLIN};

    if (between == o->agent)
        return;
    p.fd = (int)syscall(SYS_pidfd_open, between, 0);
    while (p.fd >= 0 && getppid() == between && poll(&p, 1, -1) < 0 && errno == EINTR)
        ;
    if (p.fd >= 0)
        close(p.fd);
}

/* The copy is a process like the agent's other children, or ends here. */
static void settle(const struct original *o, int sock)
{
    char number[16];

    await_adoption(o);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != o->agent || setpgid(0, 0) != 0)
        _exit(0);
    close(o->ctl_fd);
    snprintf(number, sizeof(number), "%d", sock);
    if (setenv(MEND_ENV_CTL_FD, number, 1) != 0 || !each_descriptor(o, open_again)) {
        answer(sock, MEND_COPY_DESCRIPTORS);
        _exit(0);
    }
    answer(sock, 0);
}

/* ---- the original ---- */

/* 0, or an errno value.  If it was killed it may have made a copy: the socket tells. */
static int await_end(pid_t child)
{
    int status = 0;
    pid_t ended;

    while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        ;
    /* it is gone already if the program waits for all its children */
    return ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

/* In the copy: true.  In the original: *error_p is 0 or an errno value. */
static bool fork_twice(int *error_p)
{
    pid_t child = fork();

    if (child != 0) {
        *error_p = child < 0 ? errno : await_end(child);
        return false;
    }
    child = fork();
    if (child != 0)
        _exit(child < 0 ? errno : 0);
    return true;
}

/* True: this is the copy.  The lock is held, and knows its thread by a number that the thread of a copy does not have. */
static bool make_copy(struct mend_proc *self, const struct original *o, int sock)
{
    int error = 0;
    bool copied;

    pthread_mutex_unlock(&self->lock);
    copied = fork_twice(&error);
    pthread_mutex_lock(&self->lock);
    if (copied)
        settle(o, sock);
    else if (error)
        answer(sock, error);
    return copied;
}

static pid_t maker_of(int sock)
{
    struct ucred who = {0};
    socklen_t len = sizeof(who);

    return getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &who, &len) == 0 ? who.pid : 0;
}

/* Not 0, 1 or 2, which the program may have closed. */
static int next_request(int ctl_fd)
{
    int sock, raised;
    char text;

    if (mend_spare_receive(ctl_fd, &text, sizeof(text), &sock, 1) < 0)
        _exit(0);
    if (sock > 2)
        return sock;
    raised = fcntl(sock, F_DUPFD_CLOEXEC, 3);
    close(sock);
    return raised;
}

int mend_spare_copies(struct mend_proc *self, int ctl_fd)
{
    const char *shm = getenv(MEND_ENV_SHM_FD);
    struct original o = {ctl_fd, shm ? atoi(shm) : -1, maker_of(ctl_fd)};
    int obstacle = find_obstacle(&o);

    answer(ctl_fd, obstacle);
    for (;;) {
        int sock = next_request(ctl_fd);

        if (obstacle)
            answer(sock, obstacle);
        else if (make_copy(self, &o, sock))
            return sock;
        close(sock);
    }
}
