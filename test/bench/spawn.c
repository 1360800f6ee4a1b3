/* SPDX-License-Identifier: BSD-3-Clause */
/* spawn.c – how long MPI_Comm_spawn takes at a parent that is alone.
 *
 *   parent   MPI_Comm_spawn ──> has the intercommunicator │ disconnects      TIMES times; the first does not count
 *   child    MPI_Init, disconnects, MPI_Finalize
 *
 * Output: spawn:N US, once per spawn of N processes.
 *
 * usage: spawn TIMES N */
#include "bench.h"

static void spawn(char *program, int n, bool counts)
{
    MPI_Comm inter;
    double start = bench_now_us();

    MPI_Comm_spawn(program, MPI_ARGV_NULL, n, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter,
                   MPI_ERRCODES_IGNORE);
    if (counts)
        printf("spawn:%d %.3f\n", n, bench_now_us() - start);
    MPI_Comm_disconnect(&inter);
}

int main(int argc, char **argv)
{
    MPI_Comm parent;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        MPI_Comm_disconnect(&parent);
    else
        for (int i = 0; i <= atoi(argv[1]); i++)
            spawn(argv[0], atoi(argv[2]), i > 0);
    MPI_Finalize();
    return 0;
}
