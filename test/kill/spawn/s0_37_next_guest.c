/* SPDX-License-Identifier: BSD-3-Clause */
/* The root of connect dies at the door, before it is welcomed or when it has been: its group gets an error, comes again
 * without it, and is accepted: by the same call of accept if that has not met the dead one, else by the next.
 *
 * Ranks 0 to 2 accept until they have an intercommunicator, ranks 3 to 5 connect.
 *
 *   S0-37: the other root of a connection returns when a root dies
 *   S2-5: creation is uniform: at all survivors or at none */
/* RUN: -n 6 ; kill 3 at port.knock */
/* RUN: -n 6 ; kill 3 at port.coming */
/* RUN: -n 6 ; kill 3 at port.meet */
/* RUN: -n 6 ; kill 3 at port.knock ; kill 4 at port.knock */
/* RUN: -n 6 ; kill 3 at port.coming ; kill 4 at port.knock */
/* RUN: -n 6 ; kill 3 at port.knock ; set MACHINES=2 */
/* RUN: -n 6 ; kill 3 at port.coming ; set AGREE_SHM=0 ; set COLL_SHM=0 */
#include "../common.h"

enum { NAMED, MET };

static MPI_Comm without_the_dead(MPI_Comm c)
{
    MPI_Comm left;

    CHECK_EQ(MPIX_Comm_shrink(c, &left), MPI_SUCCESS);
    MPI_Comm_set_errhandler(left, MPI_ERRORS_RETURN);
    return left;
}

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm half, inter;
    int err, there;

    start(&argc, &argv);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 3, rank, &half);
    MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    if (rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    CHECK_EQ(MPI_Bcast(port, sizeof(port), MPI_CHAR, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    post(NAMED);
    await(NAMED, size);
    do {
        err = rank < 3 ? MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter)
                       : MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter);
        if (err)
            CHECK_CLASS(err, MPI_ERR_PROC_FAILED);
        if (err && rank > 2)
            half = without_the_dead(half);
    } while (err);
    MPI_Comm_remote_size(inter, &there);
    CHECK_EQ(there < 3, rank < 3);
    post(MET);
    return finish();
}
