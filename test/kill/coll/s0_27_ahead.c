/* SPDX-License-Identifier: BSD-3-Clause */
/* s0_27_ahead.c – ranks that run ahead of the root of a gather, as far as there is room, go into a barrier, which has to wait
 * for room as well; the root has read nothing, and dies.  All others return from it.
 *
 *     root      gather                     │ dies
 *     others    gather, gather, ... (k) ───┼── barrier: MPI_ERR_PROC_FAILED
 *
 * args COUNT: k from 1 to COUNT, each on a communicator of its own.  The root, which is the last rank, dies with the last of
 * them; on the earlier ones it comes late.
 *
 *   S0-27: a collective that a death prevents ends with PROC_FAILED
 *
 * RUN: -n 4 ; args 15 ; expect "rank 0 ok" ; times 3
 * RUN: -n 4 ; args 16 ; expect "rank 0 ok" ; times 3
 * RUN: -n 4 ; args 17 ; expect "rank 0 ok"
 * RUN: -n 5 ; args 40 ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; args 16 ; set COLL_SHM=0 ; expect "rank 0 ok" */
#include "kill/common.h"

#include <stdlib.h>

#define ROOM                                                                                       \
    15 /* gathers behind the barrier that find room although the root has read nothing; the next call waits */

enum { READY, BEFORE };

/* Everybody knows the communicator, and nobody is behind a call. */
static MPI_Comm open_comm(int k)
{
    MPI_Comm c;

    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
    MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
    CHECK_OK(MPI_Barrier(c));
    post(READY);
    await(READY, k * size);
    return c;
}

/* True: the root has died. */
static bool run_ahead(MPI_Comm c, int n)
{
    int x = rank, err = MPI_SUCCESS;

    for (int i = 0; i < n && !err; i++)
        err = MPI_Gather(&x, 1, MPI_INT, NULL, 1, MPI_INT, size - 1, c);
    if (!err) {
        post(BEFORE);
        err = MPI_Barrier(c);
    }
    if (err)
        CHECK_CLASS(err, MPI_ERR_PROC_FAILED);
    return err;
}

static void come_late(MPI_Comm c, int n)
{
    int x = rank, all[16];

    for (int i = 0; i < n; i++) {
        CHECK_OK(MPI_Gather(&x, 1, MPI_INT, all, 1, MPI_INT, size - 1, c));
        for (int r = 0; r < size; r++)
            CHECK_EQ(all[r], r);
    }
    CHECK_OK(MPI_Barrier(c));
}

/* When the others are in the barrier or about to enter it, or at once if they are in a gather. */
static void die_late(int k)
{
    if (k <= ROOM)
        await(BEFORE, k * (size - 1));
    die_now();
}

int main(int argc, char **argv)
{
    int most;
    bool died = false;

    start(&argc, &argv);
    most = atoi(argv[1]);
    for (int k = 1; k <= most; k++) {
        MPI_Comm c = open_comm(k);

        if (rank < size - 1)
            died = run_ahead(c, k);
        else if (k < most)
            come_late(c, k);
        else
            die_late(k);
        MPI_Comm_free(&c);
    }
    CHECK(died);
    return finish();
}
