/* SPDX-License-Identifier: BSD-3-Clause */
/* S4-3, S4-4, S4-6, S4-8, S4-9, S4-12, S4-14, R13: a fatal error on a communicator, or MPI_Abort on it, ends
 * the processes of that communicator and no other; the outsiders see them as failed (R14). */
/* RUN: -n 5 ; args fatal ; expect "rank 0 ok" ; expect "rank 4 ok" ; expect-no "rank 2 ok" */
/* RUN: -n 5 ; args abort ; expect "rank 0 ok" ; expect "rank 4 ok" ; expect-no "rank 2 ok" */
#include "../common.h"

int main(int argc, char **argv)
{
    MPI_Comm sub;
    int v = 0;
    bool doomed;

    start(&argc, &argv);
    doomed = rank == 1 || rank == 2 || rank == 3;
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, doomed, rank, &sub), MPI_SUCCESS);
    if (doomed) {
        MPI_Comm_set_errhandler(sub, MPI_ERRORS_ARE_FATAL);
        if (rank == 2 && !strcmp(argv[1], "fatal"))
            MPI_Send(&v, 1, MPI_INT, 99, 0, sub); /* no such rank */
        if (rank == 2)
            MPI_Abort(sub, 9);
        MPI_Recv(&v, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* waits to be ended */
        CHECK(!"reached");
    }
    for (int r = 1; r <= 3; r++)
        CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                    MPI_ERR_PROC_FAILED);
    CHECK_EQ(MPI_Sendrecv_replace(&v, 1, MPI_INT, 4 - rank, 1, 4 - rank, 1, MPI_COMM_WORLD,
                                  MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(sub), MPI_SUCCESS);
    return finish();
}
