/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that sleeps until a descriptor is readable has no thread for that: its agent watches the descriptors, and rings.
 *
 *   wakes    the other end of its socket is closed: it wakes, although no sleep of its own would end
 *   refused  the agent has no descriptor left for that: the process looks by itself
 *   dies     it is killed: the others hear of it, and the agent keeps nothing of it
 *
 *   S3-10: a running process is not suspected */
/* RUN: -n 2 ; args wakes ; set SPIN=0 ; set YIELD=0 ; set SLEEP_MAX=0 ; expect "rank 1 ok" */
/* RUN: -n 2 ; args refused ; set SPIN=0 ; set YIELD=0 ; set SLEEP_MAX=0 ; expect "cannot wait for the descriptors of rank 1" ; expect "rank 1 ok" */
/* RUN: -n 2 --lenient-exit ; args dies ; set SPIN=0 ; set YIELD=0 ; set SLEEP_MAX=0 ; expect "rank 0 ok" */
#include "../common.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

#define LOOKS 5 /* more than what it wakes from before the agent refuses */

enum { PORT, PID, CONNECTED };

static int entries_n(int pid, const char *what, const char *target)
{
    char path[300], link[64];
    struct dirent *e;
    ssize_t len;
    DIR *dir;
    int n = 0;

    snprintf(path, sizeof path, "/proc/%d/%s", pid, what);
    dir = opendir(path);
    CHECK(dir);
    while ((e = readdir(dir))) {
        snprintf(path, sizeof path, "/proc/%d/%s/%.200s", pid, what, e->d_name);
        len = target ? readlink(path, link, sizeof link - 1) : 0;
        n +=
            e->d_name[0] != '.' && (!target || (len > 0 && !strncmp(link, target, strlen(target))));
    }
    closedir(dir);
    return n;
}

static int threads_n(int pid)
{
    return entries_n(pid, "task", NULL);
}

static int sets_n(int pid)
{
    return entries_n(pid, "fd", "anon_inode:[eventpoll]");
}

static void await_sets(int pid, int n)
{
    while (sets_n(pid) != n)
        sched_yield();
}

static int sleeps_n(int pid)
{
    char path[64], line[256];
    int n = -1;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/status", pid);
    f = fopen(path, "r");
    CHECK(f);
    while (n < 0 && fgets(line, sizeof line, f))
        sscanf(line, "voluntary_ctxt_switches: %d", &n);
    fclose(f);
    CHECK(n >= 0);
    return n;
}

/* Nobody rings at it: what it wakes from are its own looks. */
static void await_looks(int pid)
{
    int n = sleeps_n(pid);

    while (sleeps_n(pid) < n + LOOKS)
        sched_yield();
}

static struct sockaddr_in address(int port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int connect_to(int port)
{
    struct sockaddr_in a = address(port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) == 0);
    return fd;
}

static int listen_somewhere(void)
{
    struct sockaddr_in a = address(0);
    socklen_t len = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&a, len) == 0 && listen(fd, 1) == 0 &&
          getsockname(fd, (struct sockaddr *)&a, &len) == 0);
    board[PORT] = ntohs(a.sin_port);
    return fd;
}

/* Nobody answers what it says there. */
static void join(void)
{
    int mine = sets_n(getpid()), fd = connect_to(board[PORT]);
    MPI_Comm c;

    board[PID] = (int)getpid();
    post(CONNECTED);
    CHECK(MPI_Comm_join(fd, &c) != MPI_SUCCESS);
    CHECK_EQ(sets_n(getpid()), mine);
    CHECK_EQ(threads_n(getpid()), 1);
    close(fd);
}

static void observe(int listening, const char *how, int agents)
{
    int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    bool refused = !strcmp(how, "refused");

    CHECK(fd >= 0);
    await(CONNECTED, 1);
    await_sets(board[PID], 2);
    await_state(board[PID], 'S');
    CHECK_EQ(threads_n(board[PID]), 1);
    if (refused)
        await_looks(board[PID]);
    else
        await_sets((int)getppid(), agents + 1);
    if (!strcmp(how, "dies")) {
        CHECK_EQ(kill(board[PID], SIGKILL), 0);
        wait_until_dead(MPI_COMM_WORLD, 1);
    } else {
        close(fd);
    }
    await_sets((int)getppid(), agents);
}

int main(int argc, char **argv)
{
    struct rlimit before, few;
    int listening = -1, agents;

    start(&argc, &argv);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD),
             MPI_SUCCESS); /* mpiexec needs descriptors to start rank 1 */
    if (rank == 0) {
        CHECK_EQ(prlimit(getppid(), RLIMIT_NOFILE, NULL, &before), 0);
        few = (struct rlimit){3, before.rlim_max};
        agents = sets_n((int)getppid());
        listening = listen_somewhere();
        if (!strcmp(argv[1], "refused"))
            CHECK_EQ(prlimit(getppid(), RLIMIT_NOFILE, &few, NULL), 0);
    }
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 0) {
        observe(listening, argv[1], agents);
        CHECK_EQ(prlimit(getppid(), RLIMIT_NOFILE, &before, NULL), 0);
    } else {
        join();
    }
    return finish();
}
