/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that only stands still, in the middle of an
 * agreement, an invalidation or a shrink, is taken for dead.  The others come to the same results without
 * it; when it is allowed to go on it is no more, so it cannot contradict them.  With `patient` the
 * time-out is longer than the pause: nobody is excluded and nothing is lost.
 *
 *   R5: if a member dies inside an agreement, its value counts at all survivors or at none
 *   S0-59: a revocation reaches all survivors even if its caller dies
 *   S0-74: shrink never fails because of a death or a revocation
 *   S0-75: all survivors get the same group from shrink
 *   S0-78: shrink leaves out the failed and keeps the callers
 *   S0-90: an agreement never fails and is uniform under deaths
 *   S3-5: a process that is wrongly declared dead is excluded
 *   S3-6: all survivors see the excluded process as failed
 *   S3-11: nothing contradicts a failure that was reported
 *
 * RUN: -n 6 --stop-timeout 0.2 ; args 0 ; stop 0 at call:MPI_Pcontrol>agree.enter ; expect "rank 5 ok"
 * RUN: -n 6 --stop-timeout 0.2 ; args 0 ; stop 0 at call:MPI_Pcontrol>agree.done ; expect "rank 5 ok"
 * RUN: -n 6 --stop-timeout 0.2 ; args 2 ; stop 2 at call:MPI_Pcontrol>revoke.local ; expect "rank 5 ok"
 * RUN: -n 6 --stop-timeout 0.2 ; args 2 ; stop 2 at call:MPI_Pcontrol>revoke.sent.one#2 ; expect "rank 5 ok"
 * RUN: -n 6 --stop-timeout 0.2 ; args 3 ; stop 3 at call:MPI_Pcontrol>shrink.decided ; expect "rank 5 ok"
 * RUN: -n 6 --stop-timeout 0.2 ; set AGREE_SHM=0 ; args 0 ; stop 0 at call:MPI_Pcontrol>agree.decided ; expect "rank 5 ok"
 * RUN: -n 6 --stop-timeout 0.2 ; set AGREE_SHM=0 ; args 0 ; stop 0 at call:MPI_Pcontrol>agree.sent.down ; expect "rank 5 ok"
 * RUN: -n 6 --stop-timeout 0.2 ; set AGREE_SHM=0 ; args 2 ; stop 2 at call:MPI_Pcontrol>agree.sent.up ; expect "rank 5 ok"
 * RUN: -n 6 --stop-timeout 0.2 ; set AGREE_SHM=0 ; args 2 ; stop 2 at call:MPI_Pcontrol>agree.sent.up#3 ; expect "rank 5 ok"
 * RUN: -n 6 --stop-timeout 0.2 ; set REVOKE_SHM=0 ; args 2 ; stop 2 at call:MPI_Pcontrol>revoke.sent.one ; expect "rank 5 ok"
 * RUN: -n 6 --stop-timeout 9 ; args 2 patient ; stop 2 at call:MPI_Pcontrol>agree.enter ; expect "rank 2 ok"
 * RUN: -n 6 --stop-timeout 9 ; set AGREE_SHM=0 ; args 0 patient ; stop 0 at call:MPI_Pcontrol>agree.sent.down ; expect "rank 0 ok" */
#include "../common.h"

enum { PID, FLAGS, MEMBERS = FLAGS + 2, CONTINUED = MEMBERS + 16 }; /* slots of the board */

static int victim;
static bool patient;

static void decide(void)
{
    int flag = rank != victim; /* it may count or not (R5) */

    CHECK_EQ(MPI_Comm_agreement(MPI_COMM_WORLD, &flag), MPI_SUCCESS);
    CHECK(!patient || flag == 0);
    post(FLAGS + flag);
}

/* Rank 2 does it, or rank 3 if rank 2 is gone before; nobody sends. */
static void invalidate(MPI_Comm c)
{
    int v;

    if (rank == 2 || (victim == 2 && rank == 3 && is_known_dead(c, 2)))
        CHECK_EQ(MPI_Comm_invalidate(c), MPI_SUCCESS);
    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, rank == 5 ? 4 : 5, 9, c, MPI_STATUS_IGNORE),
                MPI_ERR_INVALIDATED);
}

static void shrink(void)
{
    MPI_Comm s;
    int n, err;

    CHECK_EQ(MPIX_Comm_shrink(MPI_COMM_WORLD, &s), MPI_SUCCESS);
    MPI_Comm_set_errhandler(s, MPI_ERRORS_RETURN);
    MPI_Comm_size(s, &n);
    CHECK(n == size || n == size - 1);
    post(MEMBERS + n);
    err = MPI_Barrier(s);
    CHECK(err == MPI_SUCCESS || (class_of(err) == MPI_ERR_PROC_FAILED && n == size && !patient));
}

/* Somebody else does that, once it stands still for long enough, or is known to be dead. */
static void let_go_on(void)
{
    await(PID, 1);
    if (patient)
        await_state(board[PID], 'T');
    else
        wait_until_dead(MPI_COMM_WORLD, victim);
    kill(board[PID], SIGCONT);
    post(CONTINUED);
}

int main(int argc, char **argv)
{
    int flag, other;
    MPI_Comm c;

    start(&argc, &argv);
    victim = atoi(argv[1]);
    patient = argc > 2;
    other = victim ? 0 : 1;
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &c), MPI_SUCCESS);
    if (rank == victim)
        board[PID] = (int)getpid();
    MPI_Pcontrol(1);
    if (patient && rank == other && fork() == 0) { /* a helper, for this rank waits as well */
        let_go_on();
        _exit(0);
    }
    decide();
    invalidate(c);
    shrink();
    if (!patient && rank == other)
        let_go_on();
    flag = 1;
    CHECK_EQ(MPI_Comm_agreement(MPI_COMM_WORLD, &flag), MPI_SUCCESS);
    CHECK(patient || rank != victim);
    CHECK(!posted(FLAGS) || !posted(FLAGS + 1));
    CHECK(!posted(MEMBERS + size) || !posted(MEMBERS + size - 1));
    if (!patient)
        wait_until_dead(MPI_COMM_WORLD, victim); /* S3-6 */
    return finish();
}
