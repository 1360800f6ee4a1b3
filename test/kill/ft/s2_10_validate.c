/* SPDX-License-Identifier: BSD-3-Clause */
/* After a death collectives and creation fail.  MPI_Comm_validate then gives all survivors the same group of failed
 * processes, and both work again on the same communicator: the survivors take part under their old ranks.  The next
 * death makes the communicator inactive again, and so on, until two ranks are left.  A message from or to a dead rank
 * still fails (R20).  Validation without a new failure changes nothing, and a duplicate has the same holes.
 *
 *   R20: after validate, point-to-point with a dead member still fails
 *   S2-10: validate makes collectives and creation work again
 *   S2-11: validate returns the same failed processes everywhere
 *   S2-18: a death inside validate is in its result or makes the communicator inactive */
/* RUN: -n 2 ; expect "rank 0 ok" */
/* RUN: -n 3 ; expect "rank 0 ok" */
/* RUN: -n 5 ; expect "rank 0 ok" */
/* RUN: -n 8 ; expect "rank 0 ok" */
/* RUN: -n 16 ; expect "rank 0 ok" */
/* RUN: -n 5 ; set AGREE_SHM=0 ; expect "rank 0 ok" */
/* RUN: -n 5 ; set COLL_SHM=0 ; expect "rank 0 ok" */
/* RUN: -n 8 ; set AGREE_SHM=0 ; set COLL_SHM=0 ; expect "rank 0 ok" */
#include "../common.h"

/* Ranks from `dead` up are dead. */
static void check_failed(MPI_Comm c, int dead)
{
    MPI_Group all, expected, failed;
    int result, range[3] = {dead, size - 1, 1};

    CHECK_EQ(MPI_Comm_validate(c, &failed), MPI_SUCCESS);
    MPI_Comm_group(c, &all);
    MPI_Group_range_incl(all, dead < size, &range, &expected);
    MPI_Group_compare(failed, expected, &result);
    CHECK_EQ(result, MPI_IDENT);
    MPI_Group_free(&all);
    if (dead < size)
        MPI_Group_free(&expected);
    MPI_Group_free(&failed);
}

/* Exactly the survivors, with their ranks in c. */
static void check_collectives(MPI_Comm c, int living)
{
    int v = rank + 1, sum = -1, all[64];

    CHECK_EQ(MPI_Barrier(c), MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce(&v, &sum, 1, MPI_INT, MPI_SUM, c), MPI_SUCCESS);
    CHECK_EQ(sum, living * (living + 1) / 2);
    for (int i = 0; i < size; i++)
        all[i] = -7;
    CHECK_EQ(MPI_Allgather(&v, 1, MPI_INT, all, 1, MPI_INT, c), MPI_SUCCESS);
    for (int i = 0; i < size; i++)
        CHECK_EQ(all[i], i < living ? i + 1 : -7);
    for (int root = 0; root < size; root++) {
        v = rank == root ? 100 + root : -1;
        CHECK_CLASS(MPI_Bcast(&v, 1, MPI_INT, root, c),
                    root < living ? MPI_SUCCESS : MPI_ERR_PROC_FAILED);
        CHECK(root >= living || v == 100 + root);
    }
}

/* S2-18: nobody has failed since: a collective that some began before and others begin after it pairs. */
static void check_no_cut(MPI_Comm c, int living)
{
    MPI_Request q;
    int v = 1, sum = 0;

    if (rank % 2)
        CHECK_EQ(MPI_Iallreduce(&v, &sum, 1, MPI_INT, MPI_SUM, c, &q), MPI_SUCCESS);
    check_failed(c, living);
    if (rank % 2 == 0)
        CHECK_EQ(MPI_Iallreduce(&v, &sum, 1, MPI_INT, MPI_SUM, c, &q), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(sum, living);
}

static void check_ring(MPI_Comm c, int living, int tag)
{
    int right = (rank + 1) % living, left = (rank + living - 1) % living, got = -1;

    CHECK_EQ(MPI_Sendrecv(&rank, 1, MPI_INT, right, tag, &got, 1, MPI_INT, left, tag, c,
                          MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(got, left);
}

static void check_same_size(MPI_Comm c, MPI_Comm d)
{
    int n, m, r, q;

    MPI_Comm_size(c, &n);
    MPI_Comm_size(d, &m);
    MPI_Comm_rank(c, &r);
    MPI_Comm_rank(d, &q);
    CHECK(n == m && r == q);
}

static void check_creation(MPI_Comm c, int living)
{
    MPI_Group all, some;
    MPI_Comm made;
    MPI_Request r;
    int n, range[3] = {0, living - 1, 1};

    CHECK_EQ(MPI_Comm_dup(c, &made), MPI_SUCCESS);
    check_same_size(c, made);
    check_collectives(made, living);
    check_ring(made, living, 5);
    check_no_cut(made, living);
    MPI_Comm_free(&made);
    CHECK_EQ(MPI_Comm_idup(c, &made, &r), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
    check_collectives(made, living);
    MPI_Comm_free(&made);
    CHECK_EQ(MPI_Comm_split(c, rank % 2, -rank, &made), MPI_SUCCESS);
    MPI_Comm_size(made, &n);
    CHECK_EQ(n, (living + (rank % 2 == 0)) / 2);
    CHECK_EQ(MPI_Barrier(made), MPI_SUCCESS);
    MPI_Comm_free(&made);
    MPI_Comm_group(c, &all);
    CHECK_CLASS(MPI_Comm_create(c, all, &made), living < size ? MPI_ERR_PROC_FAILED : MPI_SUCCESS);
    if (living == size)
        MPI_Comm_free(&made);
    MPI_Group_range_incl(all, 1, &range, &some);
    CHECK_EQ(MPI_Comm_create(c, some, &made), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(made), MPI_SUCCESS);
    MPI_Comm_free(&made);
    CHECK_EQ(MPI_Comm_create_group(c, some, 3, &made), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(made), MPI_SUCCESS);
    MPI_Comm_free(&made);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
}

int main(int argc, char **argv)
{
    MPI_Comm c = MPI_COMM_WORLD, made;
    int v = 1;

    start(&argc, &argv);
    check_failed(c, size);
    for (int living = size - 1; living >= 1; living--) {
        check_creation(c, living + 1);
        post(living);
        if (rank == living) {
            await(living, living + 1); /* all are through with what went before */
            die_now();
        }
        CHECK_CLASS(MPI_Allreduce(MPI_IN_PLACE, &v, 1, MPI_INT, MPI_SUM, c), MPI_ERR_PROC_FAILED);
        CHECK_CLASS(MPI_Comm_dup(c, &made), MPI_ERR_PROC_FAILED);
        check_failed(c, living);
        check_no_cut(c, living);
        check_collectives(c, living);
        check_ring(c, living, 7);
        CHECK_CLASS(MPI_Send(&v, 1, MPI_INT, living, 0, c), MPI_ERR_PROC_FAILED);
        CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, living, 0, c, MPI_STATUS_IGNORE), MPI_ERR_PROC_FAILED);
        v = 1;
    }
    return finish();
}
