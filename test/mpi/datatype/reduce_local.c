/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Reduce_local in both widths: predefined operators, pairs, operators of users that are not
 * commutative, get their datatype, and call MPI. */
/* RUN: -n 1 */
#include "common.h"

static void predefined(void)
{
    int a[3] = {1, -2, 6}, b[3] = {4, 5, 3};
    double x[2] = {1.5, 2}, y[2] = {2, -2};
    struct {
        double v;
        int i;
    } p = {1, 7}, q = {1, 3};

    MPI_Reduce_local(a, b, 3, MPI_INT, MPI_SUM);
    CHECK(b[0] == 5 && b[1] == 3 && b[2] == 9);
    MPI_Reduce_local_c(a, b, 2, MPI_INT, MPI_MIN);
    CHECK(b[0] == 1 && b[1] == -2 && b[2] == 9);
    MPI_Reduce_local(a, b, 3, MPI_INT, MPI_BXOR);
    CHECK(b[0] == 0 && b[1] == 0 && b[2] == (9 ^ 6));
    MPI_Reduce_local(x, y, 2, MPI_DOUBLE, MPI_PROD);
    CHECK(y[0] == 3 && y[1] == -4);
    MPI_Reduce_local(&p, &q, 1, MPI_DOUBLE_INT, MPI_MAXLOC);
    CHECK(q.v == 1 && q.i == 3);
    MPI_Reduce_local(a, b, 0, MPI_INT, MPI_SUM);
    CHECK_EQ(b[2], 9 ^ 6);
    MPI_Reduce_local(a, b, 3, MPI_INT, MPI_REPLACE);
    CHECK(b[0] == 1 && b[1] == -2 && b[2] == 6);
}

static MPI_Datatype seen;

/* Composition of affine maps: associative, not commutative. */
static void compose(void *in, void *inout, int *len, MPI_Datatype *type)
{
    long(*a)[2] = in, (*b)[2] = inout;
    int size;

    seen = *type;
    MPI_Type_size(*type, &size);
    CHECK_EQ(size, 16);
    for (int i = 0; i < *len; i++) {
        b[i][1] += b[i][0] * a[i][1];
        b[i][0] *= a[i][0];
    }
}

static void compose_c(void *in, void *inout, MPI_Count *len, MPI_Datatype *type)
{
    int n = (int)*len;

    compose(in, inout, &n, type);
}

static void users(void)
{
    long a[2][2] = {{2, 3}, {1, 1}}, b[2][2] = {{5, 7}, {1, 2}};
    MPI_Datatype t;
    MPI_Op op;
    int commutes;

    MPI_Type_contiguous(2, MPI_LONG, &t);
    MPI_Type_commit(&t);
    MPI_Op_create(compose, 0, &op);
    MPI_Op_commutative(op, &commutes);
    CHECK(!commutes);
    MPI_Reduce_local(a, b, 2, t, op);
    CHECK(seen == t && b[0][0] == 10 && b[0][1] == 22 && b[1][0] == 1 && b[1][1] == 3);
    MPI_Op_free(&op);
    CHECK(op == MPI_OP_NULL);
    MPI_Op_create_c(compose_c, 1, &op);
    MPI_Op_commutative(op, &commutes);
    CHECK(commutes);
    MPI_Reduce_local_c(a, b, 2, t, op);
    CHECK(b[1][0] == 1 && b[1][1] == 4);
    MPI_Op_free(&op);
    MPI_Type_free(&t);
}

int main(int argc, char **argv)
{
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided); /* with the lock */
    predefined();
    users();
    MPI_Finalize();
    return 0;
}
