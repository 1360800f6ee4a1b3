/* SPDX-License-Identifier: BSD-3-Clause */
/* The two programs in the text of the proposal, as they stand there.
 *
 * `split`: the loop that divides a communicator in halves; on an error MPI_Comm_validate makes collectives
 * work again, the colors are adjusted to the survivors, and it is tried again.  It ends with exactly
 * the halves that were asked for, and without a failure it never calls MPI_Comm_validate.
 *
 * `dup`:   P0                        P1
 *          Dup(comm[X-1])            Dup(comm[X-1])
 *          Allreduce()               Allreduce() -> error
 *          Dup(comm[X]) -> error
 * P1 never calls the second dup; both validate comm[X] and go on with it.
 *
 *   S2-14: a creation ends although another member gave up before it
 *   S2-15: the retry loop ends with exactly the groups that were asked for
 *   S2-16: validate is needed only after an error
 *   S2-17: creation matches although members learn of a failure at different times
 *
 * RUN: -n 4 ; args split 0 ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 6 --lenient-exit ; args split 1 ; kill 5 at member.create.enter ; expect "rank 0 ok"
 * RUN: -n 6 --lenient-exit ; args split 0 ; kill 0 at agree.enter ; expect "rank 1 ok"
 * RUN: -n 7 --lenient-exit ; args split 1 ; kill 1 at member.create.enter#1 ; kill 2 at validate.decided ; expect "rank 0 ok"
 * RUN: -n 7 --lenient-exit ; args split 1 ; kill 1 at coll.enter ; kill 6 at validate.decided ; kill 4 at member.create.enter#2 ;
   expect "rank 0 ok"
 * RUN: -n 8 --lenient-exit ; args split 1 ; set AGREE_SHM=0 ; kill 7 at member.create.enter ; kill 0 at agree.sent.down#2 ;
   expect "rank 2 ok"
 * RUN: -n 16 --lenient-exit ; args split 1 ; kill 3,9 at member.create.enter ; kill 0 at validate.cut ; expect "rank 1 ok"
 * RUN: -n 16 --lenient-exit ; args split 0 ; kill 5 at time:0.01? ; expect "rank 0 ok" ; times 3
 * RUN: -n 3 ; args dup ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 3 ; args dup ; set COLL_SHM=0 ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 9 ; args dup ; expect "rank 0 ok" ; expect "rank 1 ok" */
#include "../common.h"

/* Place among the survivors, and their number. */
static void count_living(MPI_Comm comm, MPI_Group failed, int *place, int *living)
{
    MPI_Group all, left;

    MPI_Comm_group(comm, &all);
    MPI_Group_difference(all, failed, &left);
    MPI_Group_rank(left, place);
    MPI_Group_size(left, living);
    MPI_Group_free(&left);
    MPI_Group_free(&all);
}

static void split_loop(int tries_least)
{
    MPI_Comm comm = MPI_COMM_WORLD, new_comm = MPI_COMM_NULL;
    MPI_Group failed_grp;
    int comm_rank = rank, comm_size = size, color, key = rank, ret, validated = 0, n;

    do {
        if (comm_rank < (comm_size / 2))
            color = 0;
        else
            color = 1;
        ret = class_of(MPI_Comm_split(comm, color, key, &new_comm));
        if (ret == MPI_ERR_PROC_FAIL_STOP) {
            /* Re-enable collectives over this communicator */
            CHECK_EQ(MPI_Comm_validate(comm, &failed_grp), MPI_SUCCESS);
            /* Adjust colors to account for failed processes */
            count_living(comm, failed_grp, &comm_rank, &comm_size);
            MPI_Group_free(&failed_grp);
            validated++;
        }
        /* If there was a process failure, then try again */
    } while (ret == MPI_ERR_PROC_FAIL_STOP);
    CHECK_EQ(ret, MPI_SUCCESS);
    CHECK(validated >= tries_least);
    MPI_Comm_size(new_comm, &n);
    CHECK_EQ(n, color ? comm_size - comm_size / 2 : comm_size / 2);
    MPI_Comm_rank(new_comm, &n);
    CHECK_EQ(n, color ? comm_rank - comm_size / 2 : comm_rank);
    post(100 + validated);
    CHECK(validated == 0 || posted(100 + validated - 1) == 0); /* uniform */
    CHECK_EQ(posted(100 + validated + 1), 0);
}

/* The victim gives its part of the reduction to the even ranks only: it dies in the middle of it. */
static int allreduce(MPI_Comm comm)
{
    int v = 1, sum;

    if (rank == size - 1) {
        post(0);
        await(0, 1 + size / 2);
        die_now();
    }
    if (rank % 2 == 0)
        return MPI_SUCCESS; /* the one that had it already when rank size-1 died */
    wait_until_dead(comm, size - 1);
    return MPI_Allreduce(&v, &sum, 1, MPI_INT, MPI_SUM, comm);
}

static void archive_example(void)
{
    MPI_Comm before = MPI_COMM_WORLD, comm, more;
    MPI_Group failed;
    int v = 1, sum;

    CHECK_EQ(MPI_Comm_dup(before, &comm), MPI_SUCCESS);
    if (allreduce(comm) == MPI_SUCCESS) {
        post(0);
        CHECK_CLASS(MPI_Comm_dup(comm, &more), MPI_ERR_PROC_FAIL_STOP);
    }
    CHECK_EQ(MPI_Comm_validate(comm, &failed), MPI_SUCCESS);
    MPI_Group_free(&failed);
    CHECK_EQ(MPI_Comm_dup(comm, &more), MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce(&v, &sum, 1, MPI_INT, MPI_SUM, more), MPI_SUCCESS);
    CHECK_EQ(sum, size - 1);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (!strcmp(argv[1], "split"))
        split_loop(atoi(argv[2]));
    else
        archive_example();
    return finish();
}
