/* SPDX-License-Identifier: BSD-3-Clause */
/* New communicators (MPI-5.0 7.4.2): who is in them, in which order, and that messages stay
 * inside. */
/* RUN: -n 1 */
/* RUN: -n 2 */
/* RUN: -n 5 */
#include "check.h"

/* The same message, sent on two communicators, is received where it was sent. */
static void apart(MPI_Comm a, MPI_Comm b)
{
    int on_a = 1, on_b = 2, got = 0, n, me;
    MPI_Request r[2];

    MPI_Comm_size(a, &n);
    MPI_Comm_rank(a, &me);
    CHECK_OK(MPI_Isend(&on_a, 1, MPI_INT, (me + 1) % n, 3, a, &r[0]));
    CHECK_OK(MPI_Isend(&on_b, 1, MPI_INT, (me + 1) % n, 3, b, &r[1]));
    CHECK_OK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, b, MPI_STATUS_IGNORE));
    CHECK_EQ(got, 2);
    CHECK_OK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, a, MPI_STATUS_IGNORE));
    CHECK_EQ(got, 1);
    CHECK_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
}

static void dup(void)
{
    MPI_Comm a, b;

    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &a));
    CHECK_OK(MPI_Comm_dup(a, &b));
    apart(a, b);
    apart(b, MPI_COMM_WORLD);
    CHECK_OK(MPI_Comm_free(&a));
    ring(b);
    CHECK_OK(MPI_Comm_free(&b));
}

static void create(void)
{
    MPI_Group world, odd;
    MPI_Comm c = MPI_COMM_WORLD;
    int ranges[1][3] = {{size - 1, 0, -2}}, me = -1, n = -1, in = (size - 1 - rank) % 2 == 0;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    CHECK_OK(MPI_Group_range_incl(world, 1, ranges, &odd)); /* last, last - 2, ... */
    CHECK_OK(MPI_Comm_create(MPI_COMM_WORLD, odd, &c));
    CHECK((c != MPI_COMM_NULL) == in);
    if (in) {
        MPI_Comm_rank(c, &me);
        MPI_Comm_size(c, &n);
        CHECK_EQ(me, (size - 1 - rank) / 2);
        CHECK_EQ(n, (size + 1) / 2);
        ring(c);
        CHECK_OK(MPI_Comm_free(&c));
        CHECK_OK(MPI_Comm_create_group(MPI_COMM_WORLD, odd, 5, &c));
        MPI_Comm_rank(c, &me);
        CHECK_EQ(me, (size - 1 - rank) / 2);
        ring(c);
        CHECK_OK(MPI_Comm_free(&c));
    }
    CHECK_OK(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &c));
    CHECK(c == MPI_COMM_NULL);
    CHECK_OK(MPI_Comm_create_group(MPI_COMM_WORLD, MPI_GROUP_EMPTY, 0, &c));
    CHECK(c == MPI_COMM_NULL);
    MPI_Group_free(&world);
    MPI_Group_free(&odd);
}

static void split(void)
{
    MPI_Comm c = MPI_COMM_WORLD;
    int me = -1, n = -1, color = rank == 0 ? MPI_UNDEFINED : rank % 2;

    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, color, -rank, &c));
    CHECK((c == MPI_COMM_NULL) == (rank == 0));
    if (c != MPI_COMM_NULL) {
        MPI_Comm_rank(c, &me);
        MPI_Comm_size(c, &n);
        CHECK_EQ(n, color ? size / 2 : (size - 1) / 2);
        CHECK_EQ(me, (size - 1 - rank) / 2); /* negative keys: the other way round */
        ring(c);
        CHECK_OK(MPI_Comm_free(&c));
    }
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, 3, 0, &c)); /* equal keys: the old order */
    MPI_Comm_rank(c, &me);
    CHECK_EQ(me, rank);
    CHECK_OK(MPI_Comm_free(&c));
}

static void split_type(void)
{
    MPI_Comm c = MPI_COMM_WORLD;
    int n = -1;

    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &c));
    MPI_Comm_size(c, &n);
    CHECK_EQ(n, size); /* one node */
    ring(c);
    CHECK_OK(MPI_Comm_free(&c));
    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, &c));
    CHECK(c == MPI_COMM_NULL);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    dup();
    create();
    split();
    split_type();
    return finish();
}
