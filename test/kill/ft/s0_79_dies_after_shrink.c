/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank dies when the members of the shrunken communicator are decided; so it is one of
 * them, at everybody.  Later calls find it dead: every collective fails at all survivors (S0-30),
 * none hangs, calls that name it fail, the survivors can communicate there, and a second
 * shrink leaves it out.
 *
 *   S0-30: a collective without a root fails at all if a member died before it
 *   S0-79: the new communicator may contain a process that died meanwhile
 *
 * RUN: -n 4 ; kill 1 at shrink.decided ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; kill 0 at shrink.decided ; expect "rank 1 ok" ; expect "rank 2 ok"
 * RUN: -n 9 ; set AGREE_SHM=0 ; kill 0 at shrink.decided ; expect "rank 1 ok" ; expect "rank 7 ok"
 * RUN: -n 9 ; set COLL_SHM=0 ; kill 5 at shrink.decided ; expect "rank 0 ok" ; expect "rank 7 ok" */
#include "../common.h"

/* The rank in c of the one that dies in the shrink. */
static int find_dead(MPI_Comm c)
{
    int n;

    MPI_Comm_size(c, &n);
    for (;; sched_yield())
        for (int r = 0; r < n; r++)
            if (is_known_dead(c, r))
                return r;
}

static void check_dead(MPI_Comm c, int dead)
{
    int v = 0, sum;

    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, dead, 0, c, MPI_STATUS_IGNORE), MPI_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_Send(&v, 1, MPI_INT, dead, 0, c), MPI_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_Barrier(c), MPI_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_Allreduce(&v, &sum, 1, MPI_INT, MPI_SUM, c), MPI_ERR_PROC_FAILED);
}

/* A ring over the surviving members. */
static void check_living(MPI_Comm c, int dead)
{
    int n, me, got, right, left;

    MPI_Comm_size(c, &n);
    MPI_Comm_rank(c, &me);
    right = (me + 1) % n;
    left = (me + n - 1) % n;
    right = right == dead ? (right + 1) % n : right;
    left = left == dead ? (left + n - 1) % n : left;
    CHECK_EQ(
        MPI_Sendrecv(&me, 1, MPI_INT, right, 1, &got, 1, MPI_INT, left, 1, c, MPI_STATUS_IGNORE),
        MPI_SUCCESS);
    CHECK_EQ(got, left);
}

int main(int argc, char **argv)
{
    MPI_Comm first, second;
    int n, sum, one = 1, dead;

    start(&argc, &argv);
    if (rank == size - 1)
        die_now();
    wait_until_dead(MPI_COMM_WORLD, size - 1);
    MPI_Comm_invalidate(MPI_COMM_WORLD);
    CHECK_EQ(MPI_Comm_shrink(MPI_COMM_WORLD, &first), MPI_SUCCESS);
    MPI_Comm_set_errhandler(first, MPI_ERRORS_RETURN);
    MPI_Comm_size(first, &n);
    CHECK_EQ(n, size - 1); /* it was decided with the rank that dies then */
    CHECK_CLASS(MPI_Barrier(first), MPI_ERR_PROC_FAILED);
    dead = find_dead(first);
    check_dead(first, dead);
    check_living(first, dead);
    post(0);
    await_in_mpi(0, size - 2); /* nobody is pre-empted in the checks */
    MPI_Comm_invalidate(first);
    CHECK_EQ(MPI_Comm_shrink(first, &second), MPI_SUCCESS);
    MPI_Comm_size(second, &n);
    CHECK_EQ(n, size - 2);
    CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, second), MPI_SUCCESS);
    CHECK_EQ(sum, size - 2);
    return finish();
}
