/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Intercomm_create when somebody dies or stays away.  The lower half of the ranks is one group, the
 * rest the other; both meet on a duplicate of the world.
 *   peer    S2-2, R40: all communicators that take part must be active: a process that is in the peer
 *           communicator only is dead, and everybody gets MPI_ERR_PROC_FAILED
 *   waits   S2-2, S0-1: the same; it dies while leaders wait for one that has seen it and never calls
 *   member  S2-6, S2-14: a member of the upper group dies; the others there have seen it and never call;
 *           the lower ones get MPI_ERR_PROC_FAILED
 *   local   S0-60: a member of the upper group that is not a leader gives up and revokes its local
 *           communicator: MPI_ERR_INVALIDATED for everybody in both groups
 *   leader  S0-60: a leader gives up and revokes the peer communicator, which the other one has named
 *   stray   a wildcard receive on the peer communicator does not take what leaders say

 *
 *   R40: a dead process outside the group does not disturb create_group
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-60: a revocation ends calls in progress
 *   S2-2: all communicators that take part in a creation must be active
 *   S2-6: a death before the decision makes creation fail everywhere
 *   S2-14: a creation ends although another member gave up before it */
/* RUN: -n 5 ; args peer ; expect "rank 0 ok" ; times 3 */
/* RUN: -n 5 ; args waits ; kill 4 at in:MPI_Intercomm_create:0,1 ; expect "rank 0 ok" ; times 3 */
/* RUN: -n 4 ; args member ; kill 3 at in:MPI_Intercomm_create:0,1 ; expect "rank 0 ok" */
/* RUN: -n 9 ; args member ; kill 8 at in:MPI_Intercomm_create:0-3 ; expect "rank 0 ok" ; times 3 */
/* RUN: -n 4 ; args local ; cont 3 at in:MPI_Intercomm_create:0-2 ; expect "rank 0 ok" */
/* RUN: -n 8 ; args local ; cont 7 at in:MPI_Intercomm_create:0-6 ; expect "rank 0 ok" ; times 3 */
/* RUN: -n 2 ; args leader ; cont 1 at in:MPI_Intercomm_create:0 ; expect "rank 0 ok" */
/* RUN: -n 7 ; args leader ; cont 3 at in:MPI_Intercomm_create:0-2,4-6 ; expect "rank 0 ok" ; times 3 */
/* RUN: -n 5 ; args stray ; expect "rank 0 ok" */
#include "../common.h"

static MPI_Comm local, peer;
static int low, upper, leads, members;

/* The first `members` ranks make two groups; what the call gives. */
static int create(void)
{
    MPI_Comm made = MPI_COMM_WORLD;
    int err = MPI_Intercomm_create(local, 0, peer, upper ? 0 : low, 3, &made), sum = 0;

    CHECK((err != MPI_SUCCESS) == (made == MPI_COMM_WORLD));
    if (err)
        return err;
    MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Allreduce(&leads, &sum, 1, MPI_INT, MPI_SUM, made), MPI_SUCCESS);
    CHECK_EQ(sum, 1);
    return MPI_SUCCESS;
}

static void groups(int n)
{
    members = n;
    low = n / 2;
    upper = rank >= low;
    leads = rank == 0 || rank == low;
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &peer), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, rank < n ? upper : MPI_UNDEFINED, rank, &local),
             MPI_SUCCESS);
}

static void dead_peer(void)
{
    groups(size - 1);
    if (rank == size - 1)
        die_now();
    wait_until_dead(peer, size - 1);
    CHECK_CLASS(create(), MPI_ERR_PROC_FAILED);
    CHECK_EQ(MPI_Barrier(local), MPI_SUCCESS); /* nobody in there is dead */
}

static void dead_while_waiting(void)
{
    groups(size - 1);
    if (rank == size - 1)
        await_kill(); /* until they are in the call */
    if (upper) {
        wait_until_dead(peer, size - 1);
    } else {
        CHECK_CLASS(create(), MPI_ERR_PROC_FAILED);
    }
}

static void dead_member(void)
{
    groups(size);
    if (rank == size - 1)
        await_kill(); /* until they are in the call */
    if (upper) {
        wait_until_dead(MPI_COMM_WORLD, size - 1);
        if (rank == low) /* a leader whose group has failed says so when it calls */
            CHECK_CLASS(create(), MPI_ERR_PROC_FAILED);
    } else {
        CHECK_CLASS(create(), MPI_ERR_PROC_FAILED);
    }
}

static void gives_up(bool leader)
{
    int flag;

    groups(size);
    if (rank == (leader ? low : size - 1)) {
        await_cont(); /* until they are in the call */
        CHECK_EQ(MPIX_Comm_revoke(leader ? peer : local), MPI_SUCCESS);
        if (leader) /* its own group is told in the same way */
            CHECK_EQ(MPIX_Comm_revoke(local), MPI_SUCCESS);
    } else {
        CHECK_CLASS(create(), MPI_ERR_INVALIDATED);
    }
    if (leader || !upper) { /* what was not revoked goes on */
        CHECK_EQ(MPIX_Comm_is_revoked(local, &flag), MPI_SUCCESS);
        CHECK(!flag || upper);
    }
    if (!upper)
        CHECK_EQ(MPI_Barrier(local), MPI_SUCCESS);
}

static void stray(void)
{
    MPI_Request q;
    int got = 0, mine = 7;

    groups(size);
    CHECK_EQ(MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, peer, &q), MPI_SUCCESS);
    for (int i = 0; i < 20; i++)
        CHECK_EQ(create(), MPI_SUCCESS);
    CHECK_EQ(MPI_Send(&mine, 1, MPI_INT, (rank + 1) % size, 3, peer), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(got, 7);
}

int main(int argc, char **argv)
{
    hold_cont();
    start(&argc, &argv);
    if (!strcmp(argv[1], "peer"))
        dead_peer();
    else if (!strcmp(argv[1], "waits"))
        dead_while_waiting();
    else if (!strcmp(argv[1], "member"))
        dead_member();
    else if (!strcmp(argv[1], "stray"))
        stray();
    else
        gives_up(!strcmp(argv[1], "leader"));
    return finish();
}
