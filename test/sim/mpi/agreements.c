/* SPDX-License-Identifier: BSD-3-Clause */
/* agreements.c – for the simulator: S0-88..S0-91, S0-94.  More agreements under way at once than the window
 * holds, on a communicator of all and on two that overlap: low has rank 0 and the even ranks, high the odd
 * ones and rank size - 1.  Some are waited for in the reverse order, and blocking ones come between.
 *
 * Killed anywhere: each completes with the same flag at all survivors; it is true exactly if all survivors gave true.
 *
 *   S0-88: an agreement gives all survivors the AND of their values
 *   S0-89: an agreement waits for every survivor and for no dead process
 *   S0-90: an agreement never fails and is uniform under deaths
 *   S0-91: dead processes do not contribute to an agreement
 *   S0-94: the nonblocking agreement has the same meaning */
#include "uniform.h"

#define MANY 6

/* The i-th is denied by rank i % size, so a true one says that this rank is dead. */
static int vote(int rank, int size, int i)
{
    return i % size != rank;
}

static int start(MPI_Comm c, int *flags, MPI_Request *q)
{
    int rank, size;

    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    for (int i = 0; i < MANY; i++) {
        flags[i] = vote(rank, size, i);
        if (MPI_Icomm_agreement(c, &flags[i], &q[i]) != MPI_SUCCESS)
            return 0;
    }
    return 1;
}

/* The flags as bits; -1: one went wrong.  What I denied myself cannot be true. */
static int finish(MPI_Comm c, int *flags, MPI_Request *q, int reverse)
{
    int rank, size, bits = 0;

    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    for (int k = 0; k < MANY; k++) {
        int i = reverse ? MANY - 1 - k : k;

        if (MPI_Wait(&q[i], MPI_STATUS_IGNORE) != MPI_SUCCESS || (flags[i] & ~1))
            return -1;
        if (flags[i] && !vote(rank, size, i))
            return -1;
        bits |= flags[i] << i;
    }
    return bits;
}

static int play(const MPI_Comm *c, int n, int rank)
{
    int flags[3][MANY], last = 1;
    MPI_Request q[3][MANY];

    for (int k = 0; k < n; k++) { /* each rank begins with another one */
        int i = (k + rank) % n;

        if (!start(c[i], flags[i], q[i]))
            return 1;
    }
    if (MPI_Comm_agreement(MPI_COMM_WORLD, &last) != MPI_SUCCESS || !last)
        return 2;
    for (int k = 0; k < n; k++) {
        int bits = finish(c[k], flags[k], q[k], rank / 2 % 2);

        if (bits < 0 || !uniform(c[k], bits))
            return 3;
    }
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Comm c[3];
    int rank, size, err, n = 0, bad = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    err = MPI_Comm_split(MPI_COMM_WORLD, rank % 2 == 0 ? 0 : MPI_UNDEFINED, rank, &c[n]);
    n += !err && c[n] != MPI_COMM_NULL; /* whether there is an error is the same at all */
    if (!err)
        err = MPI_Comm_split(MPI_COMM_WORLD, rank % 2 || rank == size - 1 ? 0 : MPI_UNDEFINED, rank,
                             &c[n]);
    n += !err && c[n] != MPI_COMM_NULL;
    c[n++] = MPI_COMM_WORLD;
    if (!err)
        bad = play(c, n, rank);
    MPI_Finalize();
    return err && err != MPIX_ERR_PROC_FAILED ? 9 : bad;
}
