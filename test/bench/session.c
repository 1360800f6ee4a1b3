/* SPDX-License-Identifier: BSD-3-Clause */
/* session.c – how long a session takes from its beginning to its end, in a process that had one before; or the world,
 * from MPI_Init to MPI_Finalize, which a process has once.
 *
 * Output: session US, once per session; with 0 TIMES world US.
 *
 * usage: session TIMES */
#include "bench.h"

int main(int argc, char **argv)
{
    int times = atoi(argv[1]);
    double start;

    if (!times) {
        start = bench_now_us();
        MPI_Init(&argc, &argv);
        MPI_Finalize();
        printf("world %.3f\n", bench_now_us() - start);
        return 0;
    }
#if MPI_VERSION >= 4
    for (int i = 0; i <= times; i++) {
        MPI_Session s;

        start = bench_now_us();
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &s);
        MPI_Session_finalize(&s);
        if (i > 0)
            printf("session %.3f\n", bench_now_us() - start);
    }
#endif
    return 0;
}
