/* SPDX-License-Identifier: BSD-3-Clause */
/* A process dies while two groups disconnect: MPI_Comm_disconnect succeeds at all others, also if the dead one had not come
 * to it, and they end without waiting for it.
 *
 * Ranks 0 to 2 and 3 to 5 are connected and have sent each other messages that nobody receives.
 *
 *   R19: MPI_Finalize succeeds in bounded time at every survivor
 *   S0-1: a call that needs a dead process returns in bounded time */
/* RUN: -n 6 --lenient-exit ; kill 4 at call:MPI_Comm_disconnect */
/* RUN: -n 6 --lenient-exit ; kill 0 at call:MPI_Comm_disconnect */
/* RUN: -n 6 --lenient-exit ; kill 0 at disconnect.quiet */
/* RUN: -n 6 --lenient-exit ; kill 3 at disconnect.quiet */
/* RUN: -n 6 --lenient-exit ; kill 5 at disconnect.done */
/* RUN: -n 6 --lenient-exit ; kill 0 at disconnect.quiet ; kill 4 at disconnect.done */
/* RUN: -n 6 --lenient-exit ; kill 3 at disconnect.quiet ; set MACHINES=2 */
#include "../common.h"

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm half, inter;
    MPI_Request sent;

    start(&argc, &argv);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 3, rank, &half);
    if (rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    CHECK_EQ(MPI_Bcast(port, sizeof(port), MPI_CHAR, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(rank < 3 ? MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter)
                      : MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter),
             MPI_SUCCESS);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    if (MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % 3, 0, inter, &sent) == MPI_SUCCESS)
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
    CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
    CHECK(inter == MPI_COMM_NULL);
    return finish();
}
