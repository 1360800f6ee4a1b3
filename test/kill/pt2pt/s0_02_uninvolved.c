/* SPDX-License-Identifier: BSD-3-Clause */
/* Survivors talk to each other on the communicator of the dead process, before, while and after it dies:
 * S0-2 (uninvolved calls complete normally), S0-10 (and never report a failure), S0-3 (a process that
 * never needs the dead one need not hear of it).  No acknowledgement is made anywhere.
 *
 *   S0-2: a call that needs no dead process completes normally
 *   S0-3: a process that never uses the dead one may see no error
 *   S0-10: an operation without a dead process never reports a failure */
/* RUN: -n 3 ; time 60 ; expect "rank 0 ok" ; expect "rank 1 ok" */
/* RUN: -n 5 ; time 60 ; expect "rank 3 ok" */
/* RUN: -n 8 ; time 60 ; expect "rank 6 ok" */
/* RUN: -n 3 ; kill 2 at call:MPI_Send#100 ; expect "rank 0 ok" ; expect "rank 1 ok" */
/* RUN: -n 5 ; kill 4 at p2p.send.rts#5 ; expect "rank 0 ok" ; expect "rank 3 ok" */
#include "../common.h"

#define ROUNDS 300
#define LARGE  70000

static unsigned char out[LARGE], in[LARGE];

#define SENDS 100 /* a recipe kills at the last of them */

/* The victim sends to itself until it dies, in the middle of everything. */
static void victim(void)
{
    for (int i = 0;; i++) {
        MPI_Request r;

        MPI_Irecv(in, LARGE, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &r);
        MPI_Send(out, LARGE, MPI_BYTE, rank, 0, MPI_COMM_WORLD);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Isend(out, LARGE, MPI_BYTE, 0, 77, MPI_COMM_WORLD, &r); /* nobody receives it */
        MPI_Request_free(&r);
        if (i >= SENDS && posted(0) >= size - 1)
            die_now();
    }
}

int main(int argc, char **argv)
{
    int survivors, left, right;

    start(&argc, &argv);
    if (rank == size - 1)
        victim();
    survivors = size - 1;
    right = (rank + 1) % survivors;
    left = (rank + survivors - 1) % survivors;
    for (int i = 0; i < ROUNDS; i++) {
        int n = i % 4 == 3 ? LARGE : i * 13 % 5000;
        MPI_Request r[2];
        MPI_Status s;

        if (i == ROUNDS / 3)
            post(0); /* the victim dies when all survivors are here */
        if (i == 2 * ROUNDS / 3)
            wait_until_dead(MPI_COMM_WORLD, size - 1);
        fill(out, (size_t)n, (unsigned)(rank + i));
        CHECK_EQ(MPI_Irecv(in, LARGE, MPI_BYTE, left, i, MPI_COMM_WORLD, &r[0]), MPI_SUCCESS);
        CHECK_EQ(MPI_Isend(out, n, MPI_BYTE, right, i, MPI_COMM_WORLD, &r[1]), MPI_SUCCESS);
        CHECK_EQ(MPI_Waitall(2, r, MPI_STATUSES_IGNORE), MPI_SUCCESS);
        CHECK_EQ(wrong(in, (size_t)n, (unsigned)(left + i)), -1);
        CHECK_EQ(MPI_Sendrecv(out, n, MPI_BYTE, right, 1000, in, n, MPI_BYTE, left, 1000,
                              MPI_COMM_WORLD, &s),
                 MPI_SUCCESS);
        CHECK_EQ(wrong(in, (size_t)n, (unsigned)(left + i)), -1);
        CHECK_EQ(s.MPI_SOURCE, left);
    }
    return finish();
}
