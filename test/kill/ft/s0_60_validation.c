/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Comm_validate on a communicator that is invalid, or becomes so meanwhile,
 * gives MPI_ERR_INVALIDATED; so do collectives on one that was validated before.  A validation that
 * waits for a member that has revoked instead of calling ends; a later call returns without waiting.
 *
 *   waits     rank 0 revokes while all others are in the validation
 *   late      rank 0 revokes, and is asleep when the others call
 *   carried   a cut was made; the others are in a collective of the survivors, rank 0 revokes
 *   again     a cut was made; the others are in the second validation, rank 0 revokes
 *   creates   a cut was made; the others are in a creation among the survivors, rank 0 revokes
 *   begun     the same, and their creation has begun for sure
 *
 *   S0-60: a revocation ends calls in progress
 *   S0-63: elsewhere the communicator is revoked when a call first reports it
 *   S0-65: on a revoked communicator every non-local call fails
 *   S0-66: calls on a revoked communicator return without any other process */
/* RUN: -n 2 ; args waits ; expect "rank 1 ok" */
/* RUN: -n 5 ; args waits ; expect "rank 1 ok" */
/* RUN: -n 8 ; args waits ; set AGREE_SHM=0 ; expect "rank 1 ok" */
/* RUN: -n 5 ; args late ; expect "rank 1 ok" */
/* RUN: -n 5 ; args late ; set AGREE_SHM=0 ; expect "rank 1 ok" */
/* RUN: -n 3 ; args carried ; expect "rank 1 ok" */
/* RUN: -n 8 ; args carried ; set COLL_SHM=0 ; expect "rank 1 ok" */
/* RUN: -n 16 ; args carried ; expect "rank 1 ok" */
/* RUN: -n 5 ; args again ; expect "rank 1 ok" */
/* RUN: -n 8 ; args again ; set AGREE_SHM=0 ; expect "rank 1 ok" */
/* RUN: -n 5 ; args creates ; expect "rank 1 ok" */
/* RUN: -n 8 ; args creates ; set AGREE_SHM=0 ; expect "rank 1 ok" */
/* RUN: -n 5 ; args begun ; expect "rank 1 ok" */
/* RUN: -n 8 ; args begun ; set AGREE_SHM=0 ; expect "rank 1 ok" */
#include "../common.h"

static MPI_Comm c;

static void lose_the_last(void)
{
    MPI_Group failed;
    int n;

    if (rank == size - 1)
        die_now();
    CHECK_EQ(MPI_Comm_validate(c, &failed), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_size(failed, &n), MPI_SUCCESS);
    CHECK_EQ(n, 1);
    MPI_Group_free(&failed);
    CHECK_EQ(MPI_Barrier(c), MPI_SUCCESS);
}

static void revoked_everywhere(void)
{
    MPI_Group failed = MPI_GROUP_NULL;
    MPI_Comm made;

    CHECK_CLASS(MPI_Send(NULL, 0, MPI_INT, 0, 0, c), MPI_ERR_INVALIDATED); /* at once: S0-63 */
    CHECK_CLASS(MPI_Comm_validate(c, &failed), MPI_ERR_INVALIDATED);
    CHECK(failed == MPI_GROUP_NULL);
    CHECK_CLASS(MPI_Barrier(c), MPI_ERR_INVALIDATED);
    CHECK_CLASS(MPI_Comm_dup(c, &made), MPI_ERR_INVALIDATED);
    CHECK_CLASS(MPI_Comm_split(c, 0, 0, &made), MPI_ERR_INVALIDATED);
    CHECK_EQ(MPI_Comm_shrink(c, &made), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(made), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&made), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&c), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    const char *how;
    MPI_Group failed = MPI_GROUP_NULL;
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request q;
    int others, revoked = 0;
    bool with_cut;

    start(&argc, &argv);
    how = argv[1];
    with_cut = strcmp(how, "waits") && strcmp(how, "late");
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &c), MPI_SUCCESS);
    if (with_cut)
        lose_the_last();
    others = size - 1 - with_cut;
    if (rank == 0) {
        if (strcmp(how, "late"))
            await_in_mpi(0, others);
        CHECK_EQ(MPI_Comm_invalidate(c), MPI_SUCCESS);
        post(1);
        if (!strcmp(how, "late"))
            await(2, others); /* no MPI call of this process until they are through */
    } else {
        if (!strcmp(how, "late")) {
            await(1, 1);
            while (!revoked) /* it has been told: nobody is asked any more */
                CHECK_EQ(MPI_Comm_is_revoked(c, &revoked), MPI_SUCCESS);
        }
        if (!strcmp(how, "begun"))
            CHECK_EQ(MPI_Comm_idup(c, &made, &q), MPI_SUCCESS);
        post(0);
        if (!strcmp(how, "carried"))
            CHECK_CLASS(MPI_Barrier(c), MPI_ERR_INVALIDATED);
        else if (!strcmp(how, "creates"))
            CHECK_CLASS(MPI_Comm_dup(c, &made), MPI_ERR_INVALIDATED);
        else if (!strcmp(how, "begun"))
            CHECK_CLASS(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_ERR_INVALIDATED);
        else
            CHECK_CLASS(MPI_Comm_validate(c, &failed), MPI_ERR_INVALIDATED);
        CHECK(failed == MPI_GROUP_NULL);
        post(2);
    }
    revoked_everywhere();
    return finish();
}
