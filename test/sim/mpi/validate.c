/* SPDX-License-Identifier: BSD-3-Clause */
/* validate.c – for the simulator: S2-10..S2-13, S2-18.  Rounds of work on one communicator, which is never
 * replaced: collectives of which odd ranks skip one after a failure, a duplicate, a split; after an error
 * all validate it, and the next round matches only itself, whichever ranks died.  Every call returns; the
 * group of the failed is the same at all, and grows.
 *
 *   S2-10: validate makes collectives and creation work again
 *   S2-11: validate returns the same failed processes everywhere
 *   S2-12: collectives from before a validation match none from after it
 *   S2-13: a collective that was missed need not be called after a validation
 *   S2-18: a death inside validate is in its result or makes the communicator inactive */
#include "uniform.h"

#define ROUNDS 6

/* No statics: ranks are fibers of one process. */

/* The failed as bits, or -1. */
static int validate(MPI_Comm c)
{
    MPI_Group all, failed;
    int n, r, bits = 0;

    if (MPI_Comm_validate(c, &failed) != MPI_SUCCESS)
        return -1;
    MPI_Comm_group(c, &all);
    MPI_Group_size(failed, &n);
    for (int i = 0; i < n; i++) {
        MPI_Group_translate_ranks(failed, 1, &i, all, &r);
        bits |= 1 << r;
    }
    MPI_Group_free(&all);
    MPI_Group_free(&failed);
    return bits;
}

/* 0: no process had failed; 1: one had; other: wrong. */
static int work(MPI_Comm c, int rank, int round)
{
    MPI_Comm made;
    int v = 100 * round + rank, least = 0, err;

    err = MPI_Allreduce(&v, &least, 1, MPI_INT, MPI_MIN, c);
    if (err == MPI_SUCCESS && least / 100 != round)
        return 2; /* with a value of another round */
    if (err != MPI_SUCCESS && err != MPIX_ERR_PROC_FAILED)
        return 3;
    if (err != MPI_SUCCESS && rank % 2)
        return 1;
    err = MPI_Comm_dup(c, &made);
    if (err == MPI_SUCCESS) {
        MPI_Request q;

        if (MPI_Iallreduce(&v, &least, 1, MPI_INT, MPI_MIN, made, &q) != MPI_SUCCESS)
            return 4;
        err = MPI_Wait(&q, MPI_STATUS_IGNORE);
        if (err == MPI_SUCCESS && least / 100 != round)
            return 5;
        MPI_Comm_free(&made);
    }
    return err == MPI_SUCCESS ? 0 : err == MPIX_ERR_PROC_FAILED ? 1 : 6;
}

int main(int argc, char **argv)
{
    MPI_Comm c = MPI_COMM_WORLD;
    int rank, failed = 0, more, result;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(c, &rank);
    MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
    for (int round = 1; round <= ROUNDS; round++) {
        result = work(c, rank, round);
        if (result > 1)
            return 10 + result;
        more = validate(c);
        if (more < 0)
            return 1;
        if (failed & ~more || more & 1 << rank)
            return 2;
        if (!uniform(c, more))
            return 3;
        failed = more;
    }
    MPI_Finalize();
    return 0;
}
