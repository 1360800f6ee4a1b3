/* SPDX-License-Identifier: BSD-3-Clause */
/* s1_02_blocked.c – MPIX_Notify() to a process that blocks SIGURG and computes ends although there is no room on the way to it, and
 * what it has said arrives, in order.
 *
 *   S1-2: any process notifies any other that its participation is needed, without a matching call there
 *
 * RUN: -n 2 ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 2 ; set MACHINES=2 ; expect "rank 0 ok" ; expect "rank 1 ok" */
#include "../common.h"

#include <string.h>

#define KEY 7

enum { BLOCKED, DONE, SENT };

static int ran;

static void on_notify(MPI_Group sender, int key, const void *data, int bytes, void *state)
{
    int number;

    (void)sender, (void)key, (void)state;
    memcpy(&number, data, sizeof number);
    CHECK(bytes == MPIX_NOTIFY_MAX && number == ran);
    ran++;
}

/* Until a call has had to wait.  The other process goes on only behind that. */
static void notify_until_full(void)
{
    static int data[MPIX_NOTIFY_MAX / sizeof(int)];
    MPI_Group world;
    double begin;
    int sent;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    await(BLOCKED, 1);
    do {
        begin = MPI_Wtime();
        CHECK_OK(MPIX_Notify(world, 1, KEY, data, sizeof data, &sent));
        CHECK_EQ(sent, 1);
        data[0]++;
    } while (MPI_Wtime() - begin < 0.9);
    board[SENT] = data[0];
    MPI_Group_free(&world);
    post(DONE);
}

int main(int argc, char **argv)
{
    sigset_t urgent;
    int flag;

    start(&argc, &argv);
    if (rank == 0)
        notify_until_full();
    if (rank == 1) {
        CHECK_OK(MPIX_Notify_register(KEY, on_notify, NULL));
        sigemptyset(&urgent);
        sigaddset(&urgent, SIGURG);
        sigprocmask(SIG_BLOCK, &urgent, NULL);
        post(BLOCKED);
        await(DONE, 1); /* computes */
        CHECK_EQ(ran, 0);
        while (ran < board[SENT])
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return finish();
}
