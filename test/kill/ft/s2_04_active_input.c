/* SPDX-License-Identifier: BSD-3-Clause */
/* On a communicator without a failed member every way to create another succeeds
 * at everybody, with exactly the members asked for, and nobody has to call anything else than the
 * creation; that a process of another communicator is dead changes nothing of it.
 *
 *   S2-3: a new communicator has all members that were asked for
 *   S2-4: creation succeeds everywhere if nothing fails
 *   S2-16: validate is needed only after an error
 *
 * RUN: -n 4 ; args none ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 7 ; args one ; expect "rank 0 ok" ; expect "rank 5 ok"
 * RUN: -n 7 ; args one ; set AGREE_SHM=0 ; set COLL_SHM=0 ; expect "rank 0 ok" ; expect "rank 5 ok" */
#include "../common.h"

static int n, me;

/* Takes and frees c, which must have these members of the input, in this order. */
static void check(MPI_Comm c, int members, int first, int step)
{
    int size_is, me_is, *from, kind;

    MPI_Topo_test(c, &kind);
    MPI_Comm_size(c, &size_is);
    MPI_Comm_rank(c, &me_is);
    CHECK_EQ(size_is, members);
    from = malloc((size_t)members * sizeof *from);
    CHECK_EQ(MPI_Allgather(&me, 1, MPI_INT, from, 1, MPI_INT, c), MPI_SUCCESS);
    CHECK_EQ(from[me_is], me);
    for (int i = 0; i < members; i++)
        CHECK_EQ(from[i], first + i * step);
    free(from);
    CHECK_EQ(MPI_Comm_free(&c), MPI_SUCCESS);
}

static void same_members(MPI_Comm in)
{
    MPI_Comm c;
    MPI_Group g;
    MPI_Request r;

    CHECK_EQ(MPI_Comm_dup(in, &c), MPI_SUCCESS);
    check(c, n, 0, 1);
    CHECK_EQ(MPI_Comm_dup_with_info(in, MPI_INFO_NULL, &c), MPI_SUCCESS);
    check(c, n, 0, 1);
    CHECK_EQ(MPI_Comm_idup(in, &c, &r), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
    check(c, n, 0, 1);
    MPI_Comm_group(in, &g);
    CHECK_EQ(MPI_Comm_create(in, g, &c), MPI_SUCCESS);
    check(c, n, 0, 1);
    CHECK_EQ(MPI_Comm_create_group(in, g, 3, &c), MPI_SUCCESS);
    check(c, n, 0, 1);
    MPI_Group_free(&g);
    CHECK_EQ(MPI_Comm_split_type(in, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &c), MPI_SUCCESS);
    check(c, n, 0, 1);
    CHECK_EQ(MPI_Comm_split(in, 7, -me, &c), MPI_SUCCESS);
    check(c, n, n - 1, -1);
}

static void with_topology(MPI_Comm in)
{
    int periodic = 1, left = (me + n - 1) % n, right = (me + 1) % n, degree = 1;
    MPI_Comm c;

    CHECK_EQ(MPI_Cart_create(in, 1, &n, &periodic, 0, &c), MPI_SUCCESS);
    check(c, n, 0, 1);
    CHECK_EQ(
        MPI_Dist_graph_create(in, 1, &me, &degree, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c),
        MPI_SUCCESS);
    check(c, n, 0, 1);
    CHECK_EQ(MPI_Dist_graph_create_adjacent(in, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED,
                                            MPI_INFO_NULL, 0, &c),
             MPI_SUCCESS);
    check(c, n, 0, 1);
}

/* Two halves, an intercommunicator between them, and one of both again. */
static void halves(MPI_Comm in)
{
    int low = n / 2, upper = me >= low, members, remote;
    MPI_Comm half, inter, both;

    CHECK_EQ(MPI_Comm_split(in, upper, 0, &half), MPI_SUCCESS);
    CHECK_EQ(MPI_Intercomm_create(half, 0, in, upper ? 0 : low, 5, &inter), MPI_SUCCESS);
    MPI_Comm_size(inter, &members);
    MPI_Comm_remote_size(inter, &remote);
    CHECK_EQ(members, upper ? n - low : low);
    CHECK_EQ(remote, n - members);
    CHECK_EQ(MPI_Intercomm_merge(inter, upper, &both), MPI_SUCCESS);
    check(both, n, 0, 1);
    CHECK_EQ(MPI_Comm_free(&inter), MPI_SUCCESS);
    check(half, members, upper ? low : 0, 1);
}

int main(int argc, char **argv)
{
    bool lose_one;
    MPI_Comm in;

    start(&argc, &argv);
    lose_one = !strcmp(argv[1], "one");
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, lose_one && rank == size - 1, rank, &in), MPI_SUCCESS);
    MPI_Comm_set_errhandler(in, MPI_ERRORS_RETURN);
    if (lose_one && rank == size - 1) {
        await(0, 2); /* it dies somewhere in the first creations of the others */
        die_now();
    }
    post(0);
    MPI_Comm_size(in, &n);
    MPI_Comm_rank(in, &me);
    for (int i = 0; i < 5; i++) {
        same_members(in);
        with_topology(in);
        halves(in);
    }
    if (lose_one)
        wait_until_dead(MPI_COMM_WORLD, size - 1);
    same_members(in);
    halves(in);
    return finish();
}
