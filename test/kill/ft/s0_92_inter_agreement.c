/* SPDX-License-Identifier: BSD-3-Clause */
/* Agreement on an intercommunicator: every member gets the AND of
 * the *other* group's surviving members; it ignores revocation, and with deaths in either group during it all members
 * of a group still get the same.  MPIX_Comm_agree reports unacknowledged deaths in
 * either group, and an acknowledgement covers both (R6).
 *
 *   R6: an acknowledgement on an intercommunicator covers both groups
 *   R16: MPI_Comm_agreement takes a truth value, MPIX_Comm_agree a word
 *   S0-61: a revocation ends neither shrink nor agreement
 *   S0-90: an agreement never fails and is uniform under deaths
 *   S0-91: dead processes do not contribute to an agreement
 *   S0-92: on an intercommunicator each group gets the AND of the other one
 *   S0-93: an agreement works on a revoked communicator
 *   S0-94: the nonblocking agreement has the same meaning */
/* RUN: -n 2 ; expect "rank 0 ok" */
/* RUN: -n 5 ; expect "rank 0 ok" */
/* RUN: -n 7 ; args during ; kill 0 at agree.enter#7 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 7 ; args during ; set AGREE_SHM=0 ; kill 0 at agree.sent.down#9 ; kill 1 at agree.sent.down#12 ; expect "rank 2 ok" ; times 3 */
/* RUN: -n 7 ; args during ; kill 3 at agree.done#8 ; kill 0 at agree.done#11 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 7 ; args during ; set AGREE_SHM=0 ; kill 2,6 at agree.sent.up#6 ; expect "rank 0 ok" ; times 3 */
/* RUN: -n 6 ; args during ; kill 3,4,5 at agree.enter#6 ; expect "rank 0 ok" ; times 3 */
#include "../common.h"

#define ROUNDS 20

static MPI_Comm inter;
static int low, upper;

static int agreement(int flag, bool later)
{
    MPI_Request q;
    int mine = flag, done = 0;

    if (later) {
        CHECK_EQ(MPI_Icomm_agreement(inter, &mine, &q), MPI_SUCCESS);
        while (!done)
            CHECK_EQ(MPI_Test(&q, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
    } else {
        CHECK_EQ(MPI_Comm_agreement(inter, &mine), MPI_SUCCESS);
    }
    CHECK(mine == 0 || mine == 1);
    return mine;
}

/* Slots of the board: what a group got in a round. */
static int slot(int round, int got)
{
    return 100 + 4 * round + 2 * upper + got;
}

static void during(void)
{
    for (int round = 0; round < ROUNDS; round++)
        post(slot(round, agreement((rank + round) % 3 != 0, round % 2)));
    for (int round = 0; round < ROUNDS; round++)
        CHECK(!posted(slot(round, 0)) || !posted(slot(round, 1)));
}

static void bitwise(void)
{
    int flag = upper ? ~(1 << rank) : ~(256 << rank), all = ~0;

    CHECK_EQ(MPIX_Comm_agree(inter, &flag), MPI_SUCCESS);
    for (int r = 0; r < size; r++)
        if (r >= low && !upper)
            all &= ~(1 << r);
        else if (r < low && upper)
            all &= ~(256 << r);
    CHECK_EQ(flag, all);
}

/* The last rank, of the upper group, dies; it would have said false. */
static void death(void)
{
    int flag = 6;

    if (rank == size - 1)
        die_now();
    CHECK_EQ(agreement(1, false), 1); /* S0-91 */
    wait_until_dead(MPI_COMM_WORLD, size - 1);
    CHECK_CLASS(MPIX_Comm_agree(inter, &flag), MPI_ERR_PROC_FAILED);
    if (size > 2)
        CHECK_EQ(flag, 6);
    CHECK_EQ(MPI_Comm_failure_ack(inter), MPI_SUCCESS);
    CHECK_CLASS(MPIX_Comm_agree(inter, &flag), MPI_SUCCESS);
    CHECK_EQ(agreement(rank != 0, true), size == 2 || !upper ? 1 : 0);
}

int main(int argc, char **argv)
{
    MPI_Comm local;

    start(&argc, &argv);
    inter = connect_halves(&local, &low, &upper);
    if (argc > 1) {
        during();
        return finish();
    }
    for (int who = 0; who < size; who++) { /* one says false: the other side hears it */
        int heard = agreement(rank != who, who % 2);

        CHECK_EQ(heard, (who >= low) == (bool)upper);
        CHECK_EQ(agreement(upper ? 2 : 1, who % 2), 1);
    }
    bitwise();
    if (rank == 0)
        MPIX_Comm_revoke(inter); /* S0-61, S0-93 */
    CHECK_EQ(agreement(upper, false), !upper);
    death();
    return finish();
}
