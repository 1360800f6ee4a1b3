/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks die inside agreements, before, at and after the decision; every survivor gets the same
 * value from each agreement (written to the board and compared), and never an error.
 *
 *   R5: if a member dies inside an agreement, its value counts at all survivors or at none
 *   S0-90: an agreement never fails and is uniform under deaths */
/* RUN: -n 4 ; kill 0 at agree.enter#5 ; kill 1 at agree.done#9 ; expect "rank 3 ok" */
/* RUN: -n 7 ; kill 0 at agree.done#3 ; kill 1 at agree.enter#3 ; kill 5 at agree.enter#8 ; expect "rank 6 ok" */
/* RUN: -n 4 ; set AGREE_SHM=0 ; kill 0 at agree.enter#5 ; kill 1 at agree.done#9 ; expect "rank 3 ok" */
/* RUN: -n 7 ; set AGREE_SHM=0 ; kill 0 at agree.sent.down#4 ; kill 1 at agree.sent.down#6 ; kill 2 at agree.sent.down#5 ; expect "rank 6 ok" */
/* RUN: -n 8 ; set AGREE_SHM=0 ; kill 0 at agree.sent.down#5 ; kill 4 at agree.sent.down#3 ; kill 2 at agree.done#7 ; expect "rank 7 ok" */
#include "../common.h"

#define ROUNDS 20

/* board[100 + round] counts survivors that got 0, board[200 + round] those that got 1. */
int main(int argc, char **argv)
{
    int flag;

    start(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++) {
        flag = (rank + round) % 5 !=
               0; /* another rank each time says false, and it may be the one that dies */
        CHECK_EQ(MPI_Comm_agreement(MPI_COMM_WORLD, &flag), MPI_SUCCESS);
        CHECK(flag == 0 || flag == 1);
        post((flag ? 200 : 100) + round);
    }
    for (int round = 0; round < ROUNDS; round++)
        CHECK(!posted(100 + round) || !posted(200 + round));
    return finish();
}
