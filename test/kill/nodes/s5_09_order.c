/* SPDX-License-Identifier: BSD-3-Clause */
/* Agreements of members whose ranks are mixed over the nodes: votes are gathered node by node, and everything is said in ranks all the
 * same.  Ranks die in some of them.  In each, all survivors get the same word and the same group of failed members, in the order of
 * the ranks; the word has the votes of all survivors; what is shrunk in the end has the survivors in order.
 *
 * Arguments: how the ranks are mixed.
 *
 *   S0-77: shrink keeps the order of ranks
 *   S5-9: decisions are uniform across nodes, in whatever order these learn of deaths */
/* RUN: -n 8 ; set MACHINES=2 ; args 3 ; kill 0 at agree.enter#6 ; expect "rank 7 ok" */
/* RUN: -n 8 ; set MACHINES=2 ; args 3 ; kill 4 at agree.sent.up#6 ; expect "rank 7 ok" */
/* RUN: -n 9 ; set MACHINES=3 ; args 2 ; kill 5 at agree.enter#6 ; expect "rank 8 ok" */
/* RUN: -n 9 ; set MACHINES=3 ; args 4 ; kill 3,4 at agree.enter#5 ; expect "rank 8 ok" */
/* RUN: -n 9 ; set MACHINES=3 ; args 2 ; kill 0 at agree.decided#6 ; kill 6 at agree.enter#6 ; expect "rank 8 ok" */
/* RUN: -n 9 ; set MACHINES=3 ; args 5 ; kill 0 at agree.sent.down#5 ; kill 1 at agree.done#7 ; expect "rank 8 ok" */
#include "../common.h"

#define ROUNDS 12
#define FIRST  100 /* of the board */

static MPI_Comm c;
static int me, n;

/* What a survivor got in a round, as one number. */
static int got(int word, MPI_Group failed)
{
    MPI_Group all;
    int many, last = -1, sum = word;

    MPI_Comm_group(c, &all);
    MPI_Group_size(failed, &many);
    for (int i = 0; i < many; i++) {
        int r;

        MPI_Group_translate_ranks(failed, 1, &i, all, &r);
        CHECK(r > last);
        last = r;
        sum |= 1 << (12 + r);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&failed);
    return sum | 1 << 30;
}

static void agree(int round)
{
    int word = 0xfff & ~(1 << me), mine, *others = &board[FIRST + round];
    MPI_Group failed;
    int err = MPIX_Comm_agree(c, &word), nobody = 0;

    CHECK(err == MPI_SUCCESS || err == MPI_ERR_PROC_FAILED);
    CHECK(!(word & 1 << me)); /* and all have the same, so it has the votes of all of them */
    CHECK_OK(MPIX_Comm_agree_failed(c, &failed));
    mine = got(word, failed);
    if (!__atomic_compare_exchange_n(others, &nobody, mine, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST))
        CHECK_EQ(nobody, mine);
    MPIX_Comm_failure_ack(c);
}

int main(int argc, char **argv)
{
    MPI_Comm rest;
    MPI_Group all, left;
    int key, last = -1;

    start(&argc, &argv);
    key = rank * atoi(argv[1]) % size;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, 0, key, &c));
    MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
    MPI_Comm_rank(c, &me);
    MPI_Comm_size(c, &n);
    for (int round = 0; round < ROUNDS; round++)
        agree(round);
    CHECK_OK(MPIX_Comm_shrink(c, &rest));
    MPI_Comm_group(c, &all);
    MPI_Comm_group(rest, &left);
    MPI_Group_size(left, &n);
    CHECK(n < size);
    for (int i = 0; i < n; i++) {
        int r;

        MPI_Group_translate_ranks(left, 1, &i, all, &r);
        CHECK(r > last);
        last = r;
    }
    MPI_Group_free(&all);
    MPI_Group_free(&left);
    return finish();
}
