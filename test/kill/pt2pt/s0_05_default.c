/* SPDX-License-Identifier: BSD-3-Clause */
/* With the default error handler the failure of a needed process is fatal for the group of the
 * communicator; with MPI_ERRORS_RETURN on MPI_COMM_WORLD it is returned.  S0-3, S0-10: without a need
 * for the dead process the default handler is never called.
 *
 *   S0-3: a process that never uses the dead one may see no error
 *   S0-5: a failure is fatal with the default error handler, and returned with another
 *   S0-10: an operation without a dead process never reports a failure */
/* RUN: -n 3 ; args return ; expect "rank 0 ok" ; expect "rank 1 ok" */
/* RUN: -n 3 ; args fatal ; exit 137 ; expect-no "rank 0 ok" ; expect-no "rank 1 ok" */
/* RUN: -n 3 ; args nobody ; expect "rank 0 ok" ; expect "rank 1 ok" */
/* RUN: -n 9 ; args return ; expect "rank 0 ok" ; expect "rank 7 ok" */
/* RUN: -n 9 ; args fatal ; exit 137 ; expect-no "ok" ; expect "its error handler is fatal" */
/* RUN: -n 17 ; args nobody ; expect "rank 0 ok" ; expect "rank 15 ok" */
#include "../common.h"

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "fatal";
    int v = 0, other;

    start(&argc, &argv);
    if (strcmp(how, "return") != 0)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (rank == size - 1)
        die_now();
    wait_until_dead(MPI_COMM_WORLD, size - 1);
    other = rank ^ 1;
    if (strcmp(how, "nobody") != 0 && rank == 0)
        CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, size - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                    MPI_ERR_PROC_FAILED);
    CHECK_EQ(MPI_Sendrecv(&rank, 1, MPI_INT, other, 2, &v, 1, MPI_INT, other, 2, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(v, other);
    return finish();
}
