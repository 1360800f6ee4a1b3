/* SPDX-License-Identifier: BSD-3-Clause */
/* long_elements.c – scans of elements that are longer than a segment of the algorithm, which a user's operator adds.
 *
 * RUN: -n 3
 * RUN: -n 5 ; time 60
 * RUN: -n 4 ; set COLL=scan=doubling */
#include "mpi/coll/common.h"

#define INTS     40000
#define ELEMENTS 4

static int in[ELEMENTS * INTS], out[ELEMENTS * INTS];

static void add(void *from, void *to, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n * INTS; i++)
        ((int *)to)[i] += ((int *)from)[i];
}

/* Ranks 0 to last have given rank + i each. */
static void check_sums(int last)
{
    for (int i = 0; i < ELEMENTS * INTS; i++)
        CHECK_EQ(out[i], last * (last + 1) / 2 + i * (last + 1));
}

int main(int argc, char **argv)
{
    MPI_Datatype element;
    MPI_Op op;

    start(&argc, &argv);
    MPI_Type_contiguous(INTS, MPI_INT, &element);
    MPI_Type_commit(&element);
    MPI_Op_create(add, 1, &op);
    for (int i = 0; i < ELEMENTS * INTS; i++)
        in[i] = rank + i;
    for (int n = 1; n <= ELEMENTS; n++)
        CHECK_EQ(MPI_Scan(in, out, n, element, op, MPI_COMM_WORLD), MPI_SUCCESS);
    check_sums(rank);
    CHECK_EQ(MPI_Exscan(in, out, ELEMENTS, element, op, MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank > 0)
        check_sums(rank - 1);
    MPI_Op_free(&op);
    MPI_Type_free(&element);
    return finish();
}
