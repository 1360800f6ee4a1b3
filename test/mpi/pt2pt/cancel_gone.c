/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Wait behind MPI_Cancel returns (MPI-5.0 3.8.4), whatever has happened to the communicator at the receiver:
 *
 *     freed       it has freed the communicator
 *     forgotten   that was long ago: it has freed thousands of others since
 *     early       it has not made the communicator yet: its duplication is under way
 *     left        it has freed the communicator and parted from the sender on another one, and is in MPI_Finalize or has
 *                 left MPI: a process that was started
 *
 * Nobody has received the message, and nobody will: it is cancelled.  Its RTS comes before the communicator
 * goes, or after it.
 *
 *     args freed|forgotten|early|left BYTES
 *
 * RUN: -n 2 ; args freed 8
 * RUN: -n 2 ; args freed 300000
 * RUN: -n 2 ; args freed 300000 ; set MACHINES=2
 * RUN: -n 2 ; args forgotten 8
 * RUN: -n 2 ; args early 8
 * RUN: -n 1 ; args left 8
 * RUN: -n 1 ; args left 300000 */
#include "../spawn/common.h"

#include <string.h>
#include <unistd.h>

#define OTHERS 5000 /* more than are remembered as gone */

static unsigned char data[300000];

static void cancel(MPI_Request *r)
{
    MPI_Status s;
    int flag;

    CHECK_OK(MPI_Cancel(r));
    CHECK_OK(MPI_Wait(r, &s));
    CHECK_OK(MPI_Test_cancelled(&s, &flag));
    CHECK_EQ(flag, 1);
}

static void free_others(void)
{
    for (int i = 0; i < OTHERS; i++) {
        MPI_Comm c;

        CHECK_OK(MPI_Comm_dup(MPI_COMM_SELF, &c));
        CHECK_OK(MPI_Comm_free(&c));
    }
}

static void gone(int bytes, bool forgotten)
{
    MPI_Request before, after;
    MPI_Comm c;

    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
    if (rank == 0)
        CHECK_OK(MPI_Issend(data, bytes, MPI_BYTE, 1, 0, c, &before));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 1)
        CHECK_OK(MPI_Comm_free(&c));
    if (rank == 1 && forgotten)
        free_others();
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        CHECK_OK(MPI_Issend(data, bytes, MPI_BYTE, 1, 0, c, &after));
        cancel(&after);
        cancel(&before);
        CHECK_OK(MPI_Comm_free(&c));
    }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Rank 1 finds RTS and question in one look, and makes the communicator after that. */
static void early(int bytes)
{
    MPI_Request dup, r;
    MPI_Comm c;
    int sent = 0, flag = 0;

    CHECK_OK(MPI_Comm_idup(MPI_COMM_WORLD, &c, &dup));
    if (rank == 0) {
        CHECK_OK(MPI_Wait(&dup, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Issend(data, bytes, MPI_BYTE, 1, 0, c, &r));
        cancel(&r);
        CHECK_OK(MPI_Send(&sent, 1, MPI_INT, 1, 1, c));
    } else {
        usleep(100000); /* most likely both are here */
        CHECK_OK(MPI_Wait(&dup, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Recv(&sent, 1, MPI_INT, 0, 1, c, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Iprobe(0, 0, c, &flag, MPI_STATUS_IGNORE));
        CHECK_EQ(flag, 0);
    }
    CHECK_OK(MPI_Comm_free(&c));
}

static void left_behind(const char *program, int bytes)
{
    char *args[] = {"left", "0", NULL};
    MPI_Request r;
    MPI_Comm c, other;

    CHECK_OK(
        MPI_Comm_spawn(program, args, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &c, MPI_ERRCODES_IGNORE));
    CHECK_OK(MPI_Comm_dup(c, &other));
    CHECK_OK(MPI_Issend(data, bytes, MPI_BYTE, 0, 1, other, &r));
    CHECK_OK(MPI_Send(NULL, 0, MPI_BYTE, 0, 2, c));
    CHECK_OK(MPI_Comm_disconnect(&c));
    cancel(&r);
    CHECK_OK(MPI_Comm_free(&other));
}

/* The one that was started. */
static void leave(void)
{
    MPI_Comm c = parent(), other;

    CHECK_OK(MPI_Comm_dup(c, &other));
    CHECK_OK(MPI_Recv(NULL, 0, MPI_BYTE, 0, 2, c, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Comm_free(&other));
    CHECK_OK(MPI_Comm_disconnect(&c));
}

int main(int argc, char **argv)
{
    int bytes;

    start(&argc, &argv);
    bytes = atoi(argv[2]);
    if (parent() != MPI_COMM_NULL)
        leave();
    else if (!strcmp(argv[1], "left"))
        left_behind(argv[0], bytes);
    else if (!strcmp(argv[1], "early"))
        early(bytes);
    else
        gone(bytes, !strcmp(argv[1], "forgotten"));
    return finish();
}
