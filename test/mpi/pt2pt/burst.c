/* SPDX-License-Identifier: BSD-3-Clause */
/* Nonblocking sends that follow each other leave with few system calls where each of them would be one, and a send that none
 * follows leaves at once.  Calls are counted, and no time is taken: the program's sendmsg() stands before libc's.
 *
 *     0: Isends, Waitall, Recv          1: Recvs, Send
 *
 * A process that loses its core within a burst may send more often, so the least of all rounds counts. */
/* RUN: -n 2 ; set MACHINES=2 */
#include "common.h"

#include <limits.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BURST  64
#define ROUNDS 40
#define CALLS                                                                                      \
    4 /* the first, the others, and a look around that comes between them; what acknowledges */

static int calls_n;

ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
    calls_n++;
    return syscall(SYS_sendmsg, fd, m, flags);
}

/* Returns the calls until all have left. */
static int send_burst(int n, int round)
{
    static int out[BURST];
    MPI_Request r[BURST];
    int before = calls_n;

    for (int i = 0; i < n; i++) {
        out[i] = round * BURST + i;
        MPI_Isend(&out[i], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &r[i]);
    }
    if (n == 1)
        CHECK(calls_n > before);
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
    n = calls_n - before;
    MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return n;
}

static int receive_burst(int n, int round)
{
    for (int i = 0; i < n; i++) {
        int in = -1;

        MPI_Recv(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_EQ(in, round * BURST + i);
    }
    MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    return 0;
}

static int least_calls_of(int n)
{
    int least = INT_MAX;

    for (int round = 0; round < ROUNDS; round++) {
        int calls = rank == 0 ? send_burst(n, round) : receive_burst(n, round);

        least = calls < least ? calls : least;
    }
    return least;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    CHECK(least_calls_of(BURST) <= CALLS);
    least_calls_of(1);
    return finish();
}
