/* SPDX-License-Identifier: BSD-3-Clause */
/* New communicators (MPI-5.0 7.4.2): their members, the order of the members, and that messages stay
 * inside. */
/* RUN: -n 1 */
/* RUN: -n 2 */
/* RUN: -n 5 */
#include "common.h"

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

static void dup_twice(void)
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

/* Splits by what an info says, and returns the size of the part, 0 if there is none. */
static int guided(int type, const char *key, const char *value)
{
    MPI_Comm c = MPI_COMM_WORLD;
    MPI_Info info;
    int n = 0;

    MPI_Info_create(&info);
    if (key)
        MPI_Info_set(info, key, value);
    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, type, 0, info, &c));
    MPI_Info_free(&info);
    if (c == MPI_COMM_NULL)
        return 0;
    MPI_Comm_size(c, &n);
    ring(c);
    CHECK_OK(MPI_Comm_free(&c));
    return n;
}

/* MPI-5.0 7.4.2: what is not known gives MPI_COMM_NULL. */
static void split_guided(void)
{
    const int hw = MPI_COMM_TYPE_HW_GUIDED, resource = MPI_COMM_TYPE_RESOURCE_GUIDED;
    MPI_Info both;
    MPI_Comm c;

    CHECK_EQ(guided(hw, "mpi_hw_resource_type", "mpi_shared_memory"), size);
    CHECK_EQ(guided(resource, "mpi_hw_resource_type", "mpi_shared_memory"), size);
    CHECK_EQ(guided(resource, "mpi_pset_name", "mpi://WORLD"), size);
    CHECK_EQ(guided(resource, "mpi_pset_name", "mpi://SELF"), 1);
    CHECK_EQ(guided(hw, "mpi_pset_name", "mpi://WORLD"), 0);
    CHECK_EQ(guided(hw, "mpi_hw_resource_type", "warp core"), 0);
    CHECK_EQ(guided(resource, "mpi_pset_name", "mpi://NOBODY"), 0);
    CHECK_EQ(guided(hw, NULL, NULL), 0);
    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, hw, 0, MPI_INFO_NULL, &c));
    CHECK(c == MPI_COMM_NULL);
    MPI_Info_create(&both);
    MPI_Info_set(both, "mpi_hw_resource_type", "mpi_shared_memory");
    MPI_Info_set(both, "mpi_pset_name", "mpi://WORLD");
    CHECK_CLASS(MPI_Comm_split_type(MPI_COMM_WORLD, resource, 0, both, &c), MPI_ERR_INFO);
    MPI_Info_free(&both);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    dup_twice();
    create();
    split();
    split_type();
    split_guided();
    return finish();
}
