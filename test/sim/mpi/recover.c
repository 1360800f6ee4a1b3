/* SPDX-License-Identifier: BSD-3-Clause */
/* recover.c – for the simulator: rounds of messages and collectives; a rank that gets an error revokes,
 * all shrink and continue until the same members have finished ROUNDS rounds.
 *
 * Shows, killed at every yield: every call returns (the simulator sees hangs), survivors agree on the
 * members after each shrink, and results are right.  No mutable globals: all ranks share them here. */
#include <mpi.h>
#include <mpi-ext.h>
#include <stdlib.h>

#define ROUNDS 3
#define LARGE  20000

static int exchange(MPI_Comm c, int rank, int size)
{
    char *out = calloc(1, LARGE), *in = calloc(1, LARGE);
    int right = (rank + 1) % size, left = (rank + size - 1) % size, err, bad = 0;

    for (int i = 0; i < LARGE; i++)
        out[i] = (char)(i + rank);
    err = MPI_Sendrecv(out, LARGE, MPI_CHAR, right, 1, in, LARGE, MPI_CHAR, left, 1, c,
                       MPI_STATUS_IGNORE);
    for (int i = 0; !err && i < LARGE; i++)
        bad |= in[i] != (char)(i + left);
    free(out);
    free(in);
    return bad ? -1 : err;
}

static int one_round(MPI_Comm c)
{
    int rank, size, sum = 0, mine, err;

    MPI_Comm_rank(c, &rank);
    MPI_Comm_size(c, &size);
    err = exchange(c, rank, size);
    mine = rank;
    if (!err)
        err = MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, c);
    if (!err && sum != size * (size - 1) / 2)
        return -1;
    if (!err)
        err = MPI_Barrier(c);
    return err;
}

/* 0: all members did the round; 1: not all; -1: a wrong result. */
static int round_together(MPI_Comm c)
{
    int err = one_round(c), ok = !err;

    if (err < 0)
        return -1;
    if (err && err != MPIX_ERR_PROC_FAILED && err != MPIX_ERR_REVOKED)
        return -1;
    if (err)
        MPIX_Comm_revoke(c);
    if (MPI_Comm_agreement(c, &ok) != MPI_SUCCESS)
        return -1;
    return !ok;
}

int main(int argc, char **argv)
{
    MPI_Comm c = MPI_COMM_WORLD, next;
    int done = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
    while (done < ROUNDS) {
        int r = round_together(c);

        if (r < 0)
            return 1;
        if (r == 0) {
            done++;
            continue;
        }
        if (MPIX_Comm_shrink(c, &next) != MPI_SUCCESS)
            return 2;
        c = next;
    }
    MPI_Finalize();
    return 0;
}
