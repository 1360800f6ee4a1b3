/* SPDX-License-Identifier: BSD-3-Clause */
/* A part of MPI_COMM_WORLD aborts while all are in one call on MPI_COMM_WORLD that needs
 * each of them.  The last rank of the upper half stays away and aborts the upper half; the lower half gets
 * what the call says of failed members, like after any other death.
 *
 *   coll, icoll        MPI_ERR_PROC_FAILED             agree    the AND of the survivors, uniformly
 *   dup                MPI_ERR_PROC_FAILED, uniformly  shrink   a communicator of the survivors
 *   validate           the group of the failed          recv     MPI_ERR_PROC_FAILED, also with any source
 *
 *   handles    MPI_Abort with no communicator, and with one that was freed, is a wrong argument like any other,
 *              and ends nobody if errors are returned
 *
 *   S4-6: MPI_Abort ends all processes of its communicator
 *   S4-8: an abort may end a part of the world
 *   S4-9: communicators with aborted and surviving processes report errors
 *   S4-14: ERRORS_RETURN keeps a communicator usable for its survivors
 *
 * RUN: -n 2 ; args coll ; expect "rank 0 ok"
 * RUN: -n 5 ; args coll ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 16 ; args coll ; set COLL_SHM=0 ; expect "rank 0 ok" ; expect "rank 7 ok"
 * RUN: -n 6 ; args icoll ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 2 ; args agree ; expect "rank 0 ok"
 * RUN: -n 16 ; args agree ; expect "rank 0 ok" ; expect "rank 7 ok"
 * RUN: -n 9 ; args agree ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 6 ; args dup ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 9 ; args dup ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 2 ; args shrink ; expect "rank 0 ok"
 * RUN: -n 16 ; args shrink ; expect "rank 0 ok" ; expect "rank 7 ok"
 * RUN: -n 9 ; args shrink ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 6 ; args validate ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 6 ; args recv ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 ; args handles ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect-no "mend:" */
#include "../common.h"

#define W     MPI_COMM_WORLD
#define READY 0 /* slot of the board */

static const char *what;
static int lower; /* how many survive: ranks 0 to lower - 1 */

static void collective(void)
{
    int sum = 0, one = 1;
    MPI_Request r;

    if (!strcmp(what, "coll")) {
        CHECK_CLASS(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, W), MPI_ERR_PROC_FAILED);
        return;
    }
    CHECK_EQ(MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, W, &r), MPI_SUCCESS);
    CHECK_CLASS(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_ERR_PROC_FAILED);
}

static void agree(void)
{
    int flag = rank != 0;

    CHECK_EQ(MPI_Comm_agreement(W, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
}

static void shrink(void)
{
    MPI_Comm rest;
    int n, sum, one = 1;

    CHECK_EQ(MPI_Comm_shrink(W, &rest), MPI_SUCCESS);
    MPI_Comm_size(rest, &n);
    CHECK_EQ(n, lower);
    CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, rest), MPI_SUCCESS);
    CHECK_EQ(sum, lower);
    MPI_Comm_free(&rest);
}

static void validate(void)
{
    MPI_Group failed;
    int n;

    CHECK_EQ(MPI_Comm_validate(W, &failed), MPI_SUCCESS);
    MPI_Group_size(failed, &n);
    MPI_Group_free(&failed);
    CHECK_EQ(n, size - lower);
    CHECK_EQ(MPI_Barrier(W), MPI_SUCCESS);
}

static void receive(void)
{
    int v;

    for (int from = lower; from < size; from++)
        CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, from, 1, W, MPI_STATUS_IGNORE), MPI_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 1, W, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);
}

static void call(void)
{
    MPI_Comm dup;

    if (strstr(what, "coll"))
        collective();
    else if (!strcmp(what, "agree"))
        agree();
    else if (!strcmp(what, "dup"))
        CHECK_CLASS(MPI_Comm_dup(W, &dup), MPI_ERR_PROC_FAILED);
    else if (!strcmp(what, "shrink"))
        shrink();
    else if (!strcmp(what, "validate"))
        validate();
    else
        receive();
}

static void handles(void)
{
    MPI_Comm gone, same;

    MPI_Comm_dup(W, &gone);
    same = gone;
    MPI_Comm_free(&gone);
    CHECK_CLASS(MPI_Abort(MPI_COMM_NULL, 7), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Abort(same, 7), MPI_ERR_COMM);
    CHECK_EQ(MPI_Barrier(W), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Comm half;

    what = argv[1];
    start(&argc, &argv);
    lower = size / 2;
    if (!strcmp(what, "handles")) {
        handles();
        return finish();
    }
    CHECK_EQ(MPI_Comm_split(W, rank >= lower, rank, &half), MPI_SUCCESS);
    if (!strcmp(what, "shrink"))
        MPI_Comm_invalidate(W);
    post(READY);
    if (rank == size - 1) {
        await(READY, size);
        MPI_Abort(half, 9);
    }
    call();
    CHECK(rank < lower);
    CHECK_EQ(MPI_Barrier(half), MPI_SUCCESS);
    return finish();
}
