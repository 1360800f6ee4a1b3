/* SPDX-License-Identifier: BSD-3-Clause */
/* A fatal error on a communicator, or MPI_Abort on it, ends
 * the processes of that communicator and no other; the outsiders see them as failed (R14).
 *
 *   R13: a fatal error ends the processes of its object and no others
 *   R14: the error text says which rank died, where, why and when
 *   S4-3: a fatal error ends the processes of its object and no others
 *   S4-4: a fatal error has the effect of MPI_Abort
 *   S4-6: MPI_Abort ends all processes of its communicator
 *   S4-8: an abort may end a part of the world
 *   S4-9: communicators with aborted and surviving processes report errors
 *   S4-12: one communicator with a fatal handler does not make others fatal
 *   S4-14: ERRORS_RETURN keeps a communicator usable for its survivors */
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
