/* SPDX-License-Identifier: BSD-3-Clause */
/* connect.c – how long MPI_Comm_accept and MPI_Comm_connect take, at two processes of one job that are both there.
 *
 *   rank 0   MPI_Comm_accept ───┐
 *   rank 1   MPI_Comm_connect ──┴─> has the intercommunicator │ disconnects     TIMES times; the first does not count
 *
 * Output: connect US, once per connection, at rank 1.
 *
 * usage: connect TIMES */
#include "bench.h"

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter;
    double start;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, sizeof(port), MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; i <= atoi(argv[1]); i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        start = bench_now_us();
        if (rank == 0)
            MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
        else
            MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
        if (rank == 1 && i > 0)
            printf("connect %.3f\n", bench_now_us() - start);
        MPI_Comm_disconnect(&inter);
    }
    if (rank == 0)
        MPI_Close_port(port);
    MPI_Finalize();
    return 0;
}
