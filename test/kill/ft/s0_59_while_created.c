/* SPDX-License-Identifier: BSD-3-Clause */
/* The first process that has a new communicator invalidates it while
 * another one is still inside of the call that makes it, for every such call: stopped there behind the
 * decision, before it has the object.  It gets the communicator like all others, and finds it invalid, as they
 * do; parents and siblings are not.  With `dies` the rank that revokes is killed before it has told any member,
 * or (where others pass it on) after it told a few; in the last two recipes rank 3 learns of it, or of the death,
 * before it has the decision, which the stopped rank must pass on.
 *
 *   S0-57: a revocation reaches all members, in both groups
 *   S0-59: a revocation reaches all survivors even if its caller dies
 *   S0-60: a revocation ends calls in progress
 *   S0-63: elsewhere the communicator is revoked when a call first reports it
 *   S0-68: a revocation affects no other communicator
 *   S2-7: after the decision creation succeeds everywhere
 *
 * RUN: -n 4 ; args dup 2 ; stop 2 at member.create.decided#3 ; expect "rank 2 ok"
 * RUN: -n 4 ; args dup 2 dies ; stop 2 at member.create.decided#3 ; kill 0 at revoke.local ; expect "rank 2 ok"
 * RUN: -n 4 ; args idup 2 ; stop 2 at member.create.decided#3 ; expect "rank 2 ok"
 * RUN: -n 4 ; args idup 2 dies ; stop 2 at member.create.decided#3 ; kill 0 at revoke.local ; expect "rank 2 ok"
 * RUN: -n 4 ; args dup_info 2 ; stop 2 at member.create.decided#3 ; expect "rank 2 ok"
 * RUN: -n 4 ; args dup_info 2 dies ; stop 2 at member.create.decided#3 ; kill 0 at revoke.local ; expect "rank 2 ok"
 * RUN: -n 4 ; args split 2 ; stop 2 at member.create.decided#3 ; expect "rank 2 ok"
 * RUN: -n 4 ; args split 2 dies ; stop 2 at member.create.decided#3 ; kill 0 at revoke.local ; expect "rank 2 ok"
 * RUN: -n 4 ; args split_type 2 ; stop 2 at member.create.decided#3 ; expect "rank 2 ok"
 * RUN: -n 4 ; args split_type 2 dies ; stop 2 at member.create.decided#3 ; kill 0 at revoke.local ; expect "rank 2 ok"
 * RUN: -n 4 ; args create 2 ; stop 2 at member.create.decided#3 ; expect "rank 2 ok"
 * RUN: -n 4 ; args create 2 dies ; stop 2 at member.create.decided#3 ; kill 0 at revoke.local ; expect "rank 2 ok"
 * RUN: -n 4 ; args create_group 2 ; stop 2 at member.create.decided#3 ; expect "rank 2 ok"
 * RUN: -n 4 ; args create_group 2 dies ; stop 2 at member.create.decided#3 ; kill 0 at revoke.local ; expect "rank 2 ok"
 * RUN: -n 4 ; args cart 2 ; stop 2 at member.create.decided#3 ; expect "rank 2 ok"
 * RUN: -n 4 ; args cart 2 dies ; stop 2 at member.create.decided#3 ; kill 0 at revoke.local ; expect "rank 2 ok"
 * RUN: -n 4 ; args graph 2 ; stop 2 at member.create.decided#3 ; expect "rank 2 ok"
 * RUN: -n 4 ; args graph 2 dies ; stop 2 at member.create.decided#3 ; kill 0 at revoke.local ; expect "rank 2 ok"
 * RUN: -n 4 ; args dist_graph 2 ; stop 2 at member.create.decided#3 ; expect "rank 2 ok"
 * RUN: -n 4 ; args dist_graph 2 dies ; stop 2 at member.create.decided#3 ; kill 0 at revoke.local ; expect "rank 2 ok"
 * RUN: -n 4 ; args shrink 2 ; stop 2 at shrink.decided ; expect "rank 2 ok"
 * RUN: -n 4 ; args shrink 2 dies ; stop 2 at shrink.decided ; kill 0 at revoke.local ; expect "rank 2 ok"
 * RUN: -n 4 ; args ishrink 2 ; stop 2 at shrink.decided ; expect "rank 2 ok"
 * RUN: -n 4 ; args ishrink 2 dies ; stop 2 at shrink.decided ; kill 0 at revoke.local ; expect "rank 2 ok"
 * RUN: -n 4 ; args inter_dup 2 ; stop 2 at member.create.decided#3 ; expect "rank 2 ok"
 * RUN: -n 4 ; args inter_dup 2 dies ; stop 2 at member.create.decided#3 ; kill 0 at revoke.local ; expect "rank 2 ok"
 * RUN: -n 4 ; args inter_idup 2 ; stop 2 at member.create.decided#3 ; expect "rank 2 ok"
 * RUN: -n 4 ; args inter_idup 2 dies ; stop 2 at member.create.decided#3 ; kill 0 at revoke.local ; expect "rank 2 ok"
 * RUN: -n 4 ; args inter_split 2 ; stop 2 at member.create.decided#3 ; expect "rank 2 ok"
 * RUN: -n 4 ; args inter_split 2 dies ; stop 2 at member.create.decided#3 ; kill 0 at revoke.local ; expect "rank 2 ok"
 * RUN: -n 4 ; args inter_create 2 ; stop 2 at member.create.decided#3 ; expect "rank 2 ok"
 * RUN: -n 4 ; args inter_create 2 dies ; stop 2 at member.create.decided#3 ; kill 0 at revoke.local ; expect "rank 2 ok"
 * RUN: -n 4 ; args merge 2 ; stop 2 at member.create.decided#3 ; expect "rank 2 ok"
 * RUN: -n 4 ; args merge 2 dies ; stop 2 at member.create.decided#3 ; kill 0 at revoke.local ; expect "rank 2 ok"
 * RUN: -n 4 ; args inter_shrink 2 ; stop 2 at shrink.decided ; expect "rank 2 ok"
 * RUN: -n 4 ; args inter_shrink 2 dies ; stop 2 at shrink.decided ; kill 0 at revoke.local ; expect "rank 2 ok"
 * RUN: -n 4 ; args intercomm_create 2 ; stop 2 at member.create.decided#3 ; expect "rank 2 ok"
 * RUN: -n 4 ; args intercomm_create 2 dies ; stop 2 at member.create.decided#3 ; kill 0 at revoke.local ; expect "rank 2 ok"
 * RUN: -n 4 ; set AGREE_SHM=0 ; args dup 3 ; stop 3 at member.create.decided#3 ; expect "rank 3 ok"
 * RUN: -n 8 ; set REVOKE_SHM=0 ; args dup 4 dies ; stop 4 at member.create.decided#3 ; kill 0 at revoke.sent.one ;
 *   expect "rank 4 ok"
 * RUN: -n 4 ; set AGREE_SHM=0 ; args idup 3 ; stop 3 at member.create.decided#3 ; expect "rank 3 ok"
 * RUN: -n 8 ; set REVOKE_SHM=0 ; args idup 4 dies ; stop 4 at member.create.decided#3 ; kill 0 at revoke.sent.one ;
 *   expect "rank 4 ok"
 * RUN: -n 4 ; set AGREE_SHM=0 ; args create_group 3 ; stop 3 at member.create.decided#3 ; expect "rank 3 ok"
 * RUN: -n 8 ; set REVOKE_SHM=0 ; args create_group 4 dies ; stop 4 at member.create.decided#3 ; kill 0 at revoke.sent.one ;
 *   expect "rank 4 ok"
 * RUN: -n 4 ; set AGREE_SHM=0 ; args intercomm_create 3 ; stop 3 at member.create.decided#3 ; expect "rank 3 ok"
 * RUN: -n 8 ; set REVOKE_SHM=0 ; args intercomm_create 4 dies ; stop 4 at member.create.decided#3 ; kill 0 at revoke.sent.one ;
 *   expect "rank 4 ok"
 * RUN: -n 4 ; set AGREE_SHM=0 ; args merge 3 ; stop 3 at member.create.decided#3 ; expect "rank 3 ok"
 * RUN: -n 8 ; set REVOKE_SHM=0 ; args merge 4 dies ; stop 4 at member.create.decided#3 ; kill 0 at revoke.sent.one ;
 *   expect "rank 4 ok"
 * RUN: -n 4 ; set AGREE_SHM=0 ; args inter_dup 3 ; stop 3 at member.create.decided#3 ; expect "rank 3 ok"
 * RUN: -n 8 ; set REVOKE_SHM=0 ; args inter_dup 4 dies ; stop 4 at member.create.decided#3 ; kill 0 at revoke.sent.one ;
 *   expect "rank 4 ok"
 * RUN: -n 4 ; set AGREE_SHM=0 ; args shrink 3 ; stop 3 at shrink.decided ; expect "rank 3 ok"
 * RUN: -n 8 ; set REVOKE_SHM=0 ; args shrink 4 dies ; stop 4 at shrink.decided ; kill 0 at revoke.sent.one ;
 *   expect "rank 4 ok"
 * RUN: -n 4 ; set AGREE_SHM=0 ; args dup 2 ; stop 2 at agree.sent.up#3 ; expect "rank 3 ok" ; times 3
 * RUN: -n 4 ; set AGREE_SHM=0 ; args dup 2 dies ; stop 2 at agree.sent.up#3 ; kill 0 at revoke.local ;
 *   expect "rank 3 ok" ; times 3 */
#include "creators.h"

enum { BACK, PIDS }; /* slots of the board */

/* Rank 1 of it, or of its other group, lives and never sends. */
static void find_invalid(MPI_Comm c)
{
    int v;

    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, 1, 9, c, MPI_STATUS_IGNORE), MPI_ERR_INVALIDATED);
    CHECK_CLASS(MPI_Barrier(c), MPI_ERR_INVALIDATED);
    CHECK_EQ(MPI_Comm_free(&c), MPI_SUCCESS);
}

static void find_valid(MPI_Comm c, bool whole)
{
    int flag;

    CHECK_EQ(MPI_Comm_is_revoked(c, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    if (whole)
        CHECK_EQ(MPI_Barrier(c), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    int slow;
    bool dies;
    MPI_Comm c;

    start(&argc, &argv);
    slow = atoi(argv[2]);
    dies = argc > 3;
    board[PIDS + rank] = (int)getpid();
    set_up();
    CHECK_EQ(create(argv[1], &c), MPI_SUCCESS);
    if (rank == 0) {
        await_state(board[PIDS + slow], 'T');
        CHECK_EQ(MPI_Comm_invalidate(c), MPI_SUCCESS);
        CHECK(!dies);
        post(BACK);
    }
    if (rank == 1) {
        await_state(board[PIDS + slow], 'T');
        if (dies)
            wait_until_dead(W, 0);
        else
            await(BACK, 1);
        kill(board[PIDS + slow], SIGCONT);
    }
    find_invalid(c);
    find_valid(W, !dies);
    find_valid(inter, !dies);
    find_valid(local, false);
    return finish();
}
