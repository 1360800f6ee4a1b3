/* SPDX-License-Identifier: BSD-3-Clause */
/* A send over sockets is complete when the kernel has its bytes, since this process may then compute for long: each blocking
 * send goes on while the kernel takes nothing, and so does the wait for a nonblocking one.  The death of the receiver ends
 * both: it dies when the sender has tried in vain for REFUSED times.  The program's sendmsg() stands before libc's, and refuses as
 * often as it is told to.
 *
 *   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED
 *
 * RUN: -n 2 ; args goes_on ; set MACHINES=2 ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 2 ; args send ; set MACHINES=2 ; expect "rank 0 ok"
 * RUN: -n 2 ; args isend ; set MACHINES=2 ; expect "rank 0 ok" */
#include "../common.h"

#include <errno.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#define W       MPI_COMM_WORLD
#define REFUSED 50
#define LONG    300000

static int refusals_n;
static char data[LONG];

ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
    if (refusals_n > 0) {
        if (--refusals_n == INT_MAX - REFUSED)
            post(0);
        errno = EAGAIN;
        return -1;
    }
    return syscall(SYS_sendmsg, fd, m, flags);
}

static int send_it(const char *how, int bytes)
{
    MPI_Request r;

    if (strcmp(how, "isend") != 0)
        return MPI_Send(data, bytes, MPI_CHAR, 1, 0, W);
    CHECK_EQ(MPI_Isend(data, bytes, MPI_CHAR, 1, 0, W, &r), MPI_SUCCESS);
    return MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static const int lengths[] = {0, 8, 5000, LONG};
#define LENGTHS ((int)(sizeof lengths / sizeof lengths[0]))

static void go_on(void)
{
    for (int i = 0; i < 2 * LENGTHS; i++) {
        int bytes = lengths[i % LENGTHS];

        if (rank == 0) {
            refusals_n = REFUSED;
            CHECK_EQ(send_it(i < LENGTHS ? "send" : "isend", bytes), MPI_SUCCESS);
            CHECK_EQ(refusals_n, 0);
        } else {
            CHECK_EQ(MPI_Recv(data, bytes, MPI_CHAR, 0, 0, W, MPI_STATUS_IGNORE), MPI_SUCCESS);
        }
    }
}

int main(int argc, char **argv)
{
    const char *how = argv[1];
    int err;

    start(&argc, &argv);
    MPI_Barrier(W);
    if (!strcmp(how, "goes_on")) {
        go_on();
    } else if (rank == 0) {
        refusals_n = INT_MAX;
        err = send_it(how, 8);
        CHECK_EQ(err, MPI_ERR_PROC_FAILED);
        refusals_n = 0;
    } else {
        await(0, 1);
        die_now();
    }
    return finish();
}
