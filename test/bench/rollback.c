/* SPDX-License-Identifier: BSD-3-Clause */
/* rollback.c – what the log of librollback adds to a call: pairs of MPI_Irecv and MPI_Isend to the process itself with an
 * MPI_Waitall, and pairs of MPI_Send and MPI_Recv; in turns with the same PMPI_ calls.  Medians.
 *
 *     mpicc -O2 -o rollback test/bench/rollback.c -lrollback && mpiexec -n 1 ./rollback */
#include <mend_rollback.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAIRS = 20000, TURNS = 101 };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Nanoseconds for each message operation; nonblocking and blocking, of the names with PREFIX_. */
#define MEASURES(prefix_)                                                                          \
    static double prefix_##nonblocking(void)                                                       \
    {                                                                                              \
        double start = MPI_Wtime();                                                                \
        int out = 1, in;                                                                           \
        MPI_Request r[2];                                                                          \
                                                                                                   \
        for (int i = 0; i < PAIRS; i++) {                                                          \
            prefix_##Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &r[0]);                           \
            prefix_##Isend(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &r[1]);                          \
            prefix_##Waitall(2, r, MPI_STATUSES_IGNORE);                                           \
        }                                                                                          \
        return (MPI_Wtime() - start) / (2 * PAIRS) * 1e9;                                          \
    }                                                                                              \
    static double prefix_##blocking(void)                                                          \
    {                                                                                              \
        double start = MPI_Wtime();                                                                \
        int out = 1, in;                                                                           \
                                                                                                   \
        for (int i = 0; i < PAIRS; i++) {                                                          \
            prefix_##Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF);                                  \
            prefix_##Recv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);                \
        }                                                                                          \
        return (MPI_Wtime() - start) / (2 * PAIRS) * 1e9;                                          \
    }

MEASURES(PMPI_)
MEASURES(MPI_)

static void compare(const char *title, double (*plain)(void), double (*logged)(void))
{
    static double off[TURNS], on[TURNS];

    for (int i = 0; i < TURNS; i++) {
        off[i] = plain();
        rollback_begin();
        on[i] = logged();
        rollback_end();
    }
    qsort(off, TURNS, sizeof(double), by_value);
    qsort(on, TURNS, sizeof(double), by_value);
    printf("%-12s plain %.1f ns, logged %.1f ns, the log adds %.1f ns to each message operation\n",
           title, off[TURNS / 2], on[TURNS / 2], on[TURNS / 2] - off[TURNS / 2]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    compare("nonblocking", PMPI_nonblocking, MPI_nonblocking);
    compare("blocking", PMPI_blocking, MPI_blocking);
    return MPI_Finalize();
}
