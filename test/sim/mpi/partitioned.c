/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitioned messages around a ring: whichever rank dies and wherever, every call returns, with success or with
 * MPI_ERR_PROC_FAILED of a neighbour that is dead, and what arrives is what was sent. */
#include "class.h"

#include <mpi.h>
#include <mpi_ft.h>
#include <stdio.h>

#define W          MPI_COMM_WORLD
#define PARTITIONS 6
#define EACH       2000
#define TURNS      3

static int wrong(int rank, const char *what, int err)
{
    fprintf(stderr, "rank %d: %s: class %#x\n", rank, what, (unsigned)err);
    return 1;
}

/* The two ends cut the bytes differently; partitions are searched one by one. */
static int turn(MPI_Request r[2], const unsigned char *in, unsigned char *out, int rank, int from,
                int n)
{
    int err, flag = 0;

    for (int i = 0; i < PARTITIONS * EACH; i++)
        out[i] = (unsigned char)(i + rank + n);
    if (MPI_Startall(2, r))
        return wrong(rank, "MPI_Startall", 0);
    for (int i = 0; i < PARTITIONS; i++)
        if (MPI_Pready((i + n) % PARTITIONS, r[0]))
            return wrong(rank, "MPI_Pready", 0);
    for (int i = 0; i < PARTITIONS / 2; i++, flag = 0)
        while (!flag) {
            err = class_of(MPI_Parrived(r[1], i, &flag));
            if (err && err != MPI_ERR_PROC_FAILED)
                return wrong(rank, "MPI_Parrived", err);
            if (err)
                flag = 1;
        }
    for (int k = 1; k >= 0; k--) {
        err = class_of(MPI_Wait(&r[k], MPI_STATUS_IGNORE));
        if (err && err != MPI_ERR_PROC_FAILED)
            return wrong(rank, "MPI_Wait", err);
        for (int i = 0; k == 1 && !err && i < PARTITIONS * EACH; i++)
            if (in[i] != (unsigned char)(i + from + n))
                return wrong(rank, "byte", i);
    }
    return 0;
}

int main(int argc, char **argv)
{
    unsigned char in[PARTITIONS * EACH], out[PARTITIONS * EACH];
    int rank, size, bad = 0;
    MPI_Request r[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    MPI_Psend_init(out, PARTITIONS, EACH, MPI_BYTE, (rank + 1) % size, 0, W, MPI_INFO_NULL, &r[0]);
    MPI_Precv_init(in, PARTITIONS / 2, EACH * 2, MPI_BYTE, (rank + size - 1) % size, 0, W,
                   MPI_INFO_NULL, &r[1]);
    for (int n = 0; !bad && n < TURNS; n++)
        bad = turn(r, in, out, rank, (rank + size - 1) % size, n);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Finalize();
    return bad;
}
