/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions of MPI_CHAR, which the standard has for text only: programs use them, benchmarks use nothing
 * else, and other libraries carry them out.  All operators for numbers, lengths on both sides of the
 * direct forms, every member the same result.
 *
 * RUN: -n 4
 * RUN: -n 3 ; set COLL=allreduce=ring,reduce=halving
 */
#include "mpi/coll/common.h"

#define MOST 40000
static char in[MOST], out[MOST];

/* What `size` ranks give together, rank r contributing r + 1. */
static char expected(MPI_Op op)
{
    char v = 1;

    for (int r = 1; r < size; r++) {
        char x = (char)(r + 1);

        v = (char)(op == MPI_SUM    ? v + x
                   : op == MPI_PROD ? v * x
                   : op == MPI_MAX  ? (v > x ? v : x)
                   : op == MPI_MIN  ? (v < x ? v : x)
                   : op == MPI_BAND ? v & x
                   : op == MPI_BOR  ? v | x
                   : op == MPI_BXOR ? v ^ x
                   : op == MPI_LAND ? v && x
                   : op == MPI_LOR  ? v || x
                                    : !v != !x);
    }
    return v;
}

static void reduce(MPI_Op op, int n)
{
    char want = expected(op);

    memset(in, rank + 1, MOST);
    memset(out, 0x55, MOST);
    CHECK_CLASS(MPI_Allreduce(in, out, n, MPI_CHAR, op, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < n; i++)
        CHECK(out[i] == want);
    CHECK(n == MOST || out[n] == 0x55);
    CHECK_CLASS(MPI_Reduce(in, out, n, MPI_CHAR, op, size - 1, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK(out[n - 1] == want);
}

int main(int argc, char **argv)
{
    const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX,  MPI_MIN, MPI_BAND,
                          MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR};

    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
        reduce(ops[i], 1);
        reduce(ops[i], 1000);
        reduce(ops[i], MOST);
    }
    return finish();
}
