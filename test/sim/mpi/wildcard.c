/* SPDX-License-Identifier: BSD-3-Clause */
/* wildcard.c – for the simulator: S0-20, S0-25, S0-82.  Rank 0 takes one number from every other rank by
 * wildcard receives, acknowledging deaths as they come; at the end it has exactly one from each rank
 * that did not die before it sent.
 *
 *   S0-20: a wildcard receive without a match stays pending
 *   S0-25: a pending receive completes after the acknowledgement
 *   S0-82: after an acknowledgement wildcard receives continue */
#include <mpi.h>
#include <mpi-ext.h>

static int acknowledged(void)
{
    MPI_Group g;
    int n;

    MPI_Comm_failure_ack(MPI_COMM_WORLD);
    MPI_Comm_failure_get_acked(MPI_COMM_WORLD, &g);
    MPI_Group_size(g, &n);
    MPI_Group_free(&g);
    return n;
}

/* 0: good. */
static int collect(int size)
{
    int got = 0, dead = 0, seen = 0;
    MPI_Request r = MPI_REQUEST_NULL;

    while (got + dead < size - 1) {
        MPI_Status s;
        int v = -1, err;

        MPI_Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &r);
        while ((err = MPI_Wait(&r, &s)) == MPIX_ERR_PROC_FAILED_PENDING) {
            dead = acknowledged();
            if (got + dead >= size - 1) { /* no rank is left that could send */
                MPI_Cancel(&r);
                MPI_Wait(&r, &s);
                return 0;
            }
        }
        if (err)
            return 1;
        if (v != s.MPI_SOURCE || (seen & 1 << v))
            return 2;
        seen |= 1 << v;
        got++;
    }
    return 0;
}

int main(int argc, char **argv)
{
    int rank, size, bad = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0)
        bad = collect(size);
    else
        MPI_Send(&rank, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    MPI_Finalize();
    return bad;
}
