/* SPDX-License-Identifier: BSD-3-Clause */
/* waitall.c – one call for many requests: what MPI_ERR_IN_STATUS stands for.
 *
 *     mpicc waitall.c -o waitall
 *     mpiexec -n 5 --inject kill:2@call:MPI_Waitall#7 ./waitall
 *
 * Every rank exchanges numbers with its two neighbours in a ring, 20 times.  MPI_Waitall says only that some
 * request failed; first_error() says with what, so that a loss (go on with the others) and a mistake of the
 * program (end) can be told apart.  A neighbour of the lost rank gets MPI_ERR_PROC_FAILED, the others
 * MPI_ERR_REVOKED when it has revoked the communicator. */
#include <mpi.h>
#include <stdio.h>

#define ROUNDS 20

/* The error behind the err of MPI_Waitall, MPI_Testall, MPI_Waitsome or MPI_Testsome, which gave n statuses:
 * that of the first request that has failed.  MPI_ERR_PENDING: none has; a receive from anybody waits for
 * its failure to be acknowledged. */
static int first_error(int n, const MPI_Status *statuses, int err)
{
    int class;

    MPI_Error_class(err, &class);
    if (class != MPI_ERR_IN_STATUS)
        return err;
    for (int i = 0; i < n; i++) {
        MPI_Error_class(statuses[i].MPI_ERROR, &class);
        if (class != MPI_SUCCESS && class != MPI_ERR_PENDING)
            return statuses[i].MPI_ERROR;
    }
    return MPI_ERR_PENDING;
}

static int exchange(MPI_Comm comm, int mine, int theirs[2])
{
    int rank, size, err;
    MPI_Request q[4];
    MPI_Status s[4];

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Irecv(&theirs[0], 1, MPI_INT, (rank + size - 1) % size, 0, comm, &q[0]);
    MPI_Irecv(&theirs[1], 1, MPI_INT, (rank + 1) % size, 1, comm, &q[1]);
    MPI_Isend(&mine, 1, MPI_INT, (rank + size - 1) % size, 1, comm, &q[2]);
    MPI_Isend(&mine, 1, MPI_INT, (rank + 1) % size, 0, comm, &q[3]);
    err = MPI_Waitall(4, q, s);
    err = first_error(4, s, err);
    if (err) {
        MPIX_Comm_revoke(comm);                 /* my neighbours wait for nobody any longer */
        MPI_Waitall(4, q, MPI_STATUSES_IGNORE); /* and no request touches memory after this */
    }
    return err;
}

/* What the ranks have together after the rounds; the first one writes it. */
static int run(MPI_Comm comm, int me)
{
    int theirs[2], mine = me, sum, rank, size, err = MPI_SUCCESS;

    for (int i = 0; i < ROUNDS && !err; i++) {
        err = exchange(comm, mine, theirs);
        mine = err ? mine : (mine + theirs[0] + theirs[1]) % 1000;
    }
    if (!err)
        err = MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (!err && rank == 0) {
        printf("%d ranks are left, their old ranks add up to %d\n", size, sum);
        fflush(stdout);
    }
    return err;
}

/* A loss can be survived; any other error is a mistake. */
static void look(int err, int me)
{
    char text[MPI_MAX_ERROR_STRING];
    int class, n;

    MPI_Error_class(err, &class);
    MPI_Error_string(err, text, &n);
    fprintf(stderr, "rank %d: %s\n", me, text);
    if (class != MPIX_ERR_PROC_FAILED && class != MPIX_ERR_REVOKED)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    MPI_Comm comm, survivors;
    int me, err, good;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "ring");
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN); /* shrunken ones inherit it */
    MPI_Comm_rank(comm, &me);
    for (;;) {
        err = run(comm, me);
        good = !err;
        if (err)
            look(err, me);
        if (err)
            MPIX_Comm_revoke(comm);
        if (MPIX_Comm_agree(comm, &good) == MPI_SUCCESS && good)
            break;
        if (MPIX_Comm_shrink(comm, &survivors) != MPI_SUCCESS)
            MPI_Abort(MPI_COMM_WORLD, 1);
        MPI_Comm_free(&comm);
        comm = survivors;
    }
    MPI_Comm_free(&comm);
    return MPI_Finalize();
}
