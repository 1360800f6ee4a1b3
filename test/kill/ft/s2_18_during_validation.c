/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks die before, in and after the agreement of MPI_Comm_validate, and at the cut.  In
 * each round all survivors get the same group; it contains every rank that was dead before the round began.
 * A rank that died later is in it, or has made the communicator inactive again: then the next round has it.  The test
 * ends with a communicator on which all survivors work.  Validation itself never fails.
 *
 * The argument is how many die in all; the last rank dies before the first round.
 *
 *   R18: a death inside validate is in its result or found by the next collective
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S2-11: validate returns the same failed processes everywhere
 *   S2-18: a death inside validate is in its result or makes the communicator inactive */
/* RUN: -n 2 ; args 1 ; expect "rank 0 ok" */
/* RUN: -n 3 ; args 2 ; kill 1 at validate.enter ; expect "rank 0 ok" */
/* RUN: -n 3 ; args 2 ; kill 0 at validate.decided ; expect "rank 1 ok" */
/* RUN: -n 4 ; args 2 ; kill 0 at agree.enter ; expect "rank 1 ok" */
/* RUN: -n 4 ; args 2 ; kill 2 at agree.done ; expect "rank 1 ok" */
/* RUN: -n 5 ; args 3 ; kill 2 at validate.decided ; kill 0 at validate.cut ; expect "rank 1 ok" */
/* RUN: -n 5 ; args 3 ; kill 1 at validate.cut ; kill 3 at validate.enter#2 ; expect "rank 0 ok" */
/* RUN: -n 8 ; args 4 ; kill 3,5 at validate.decided ; kill 0 at validate.cut ; expect "rank 1 ok" */
/* RUN: -n 8 ; args 4 ; kill 0 at validate.decided ; kill 1 at validate.enter#2 ; kill 2 at validate.cut#2 ;
   expect "rank 3 ok" */
/* RUN: -n 16 ; args 6 ; kill 0,4,8 at validate.decided ; kill 1,2 at agree.enter#2 ; expect "rank 3 ok" */
/* RUN: -n 4 ; args 2 ; set AGREE_SHM=0 ; kill 0 at agree.sent.down ; expect "rank 1 ok" */
/* RUN: -n 5 ; args 2 ; set AGREE_SHM=0 ; kill 1 at agree.sent.up ; expect "rank 0 ok" */
/* RUN: -n 5 ; args 3 ; set AGREE_SHM=0 ; kill 0 at agree.decided ; kill 2 at validate.cut ; expect "rank 1 ok" */
/* RUN: -n 8 ; args 4 ; set AGREE_SHM=0 ; kill 0,1 at agree.sent.down ; kill 2 at validate.decided ; expect "rank 3 ok" */
/* RUN: -n 8 ; args 2 ; kill 3 at time:0.01 ; expect "rank 0 ok" ; times 5 */
/* RUN: -n 8 ; args 2 ; set AGREE_SHM=0 ; kill 0 at time:0.01 ; expect "rank 1 ok" ; times 5 */
#include "../common.h"

#define ROUND 100 /* slots of the board: what was decided in a round, as bits of ranks, plus one */

static MPI_Comm c = MPI_COMM_WORLD;

static int known_dead(void)
{
    int bits = 0;

    for (int r = 0; r < size; r++)
        bits |= is_known_dead(c, r) << r;
    return bits;
}

/* The dead as bits. */
static int validate(void)
{
    MPI_Group all, failed;
    int n, r, bits = 0, before = known_dead();

    CHECK_EQ(MPI_Comm_validate(c, &failed), MPI_SUCCESS);
    MPI_Comm_group(c, &all);
    MPI_Group_size(failed, &n);
    for (int i = 0; i < n; i++) {
        MPI_Group_translate_ranks(failed, 1, &i, all, &r);
        bits |= 1 << r;
    }
    MPI_Group_free(&all);
    MPI_Group_free(&failed);
    CHECK_EQ(before & ~bits, 0);
    CHECK(!(bits & 1 << rank));
    return bits;
}

/* All survivors of a round say the same of it. */
static void check_uniform(int round, int bits)
{
    int before = 0;

    __atomic_compare_exchange_n(&board[ROUND + round], &before, bits + 1, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    CHECK_EQ(board[ROUND + round], bits + 1);
}

static int count(int bits)
{
    return __builtin_popcount((unsigned)bits);
}

int main(int argc, char **argv)
{
    int dead_n, bits = 0, done = 0, v = 1, sum = 0;

    start(&argc, &argv);
    dead_n = atoi(argv[1]);
    if (rank == size - 1)
        die_now();
    for (int round = 0; !done; round++) {
        bits = validate();
        check_uniform(round, bits);
        done =
            MPI_Allreduce(&v, &sum, 1, MPI_INT, MPI_SUM, c) == MPI_SUCCESS && count(bits) >= dead_n;
        CHECK(!done || sum == size - count(bits));
        CHECK_EQ(MPI_Comm_agreement(c, &done), MPI_SUCCESS);
    }
    CHECK_EQ(count(bits), dead_n);
    return finish();
}
