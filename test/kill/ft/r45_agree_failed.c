/* SPDX-License-Identifier: BSD-3-Clause */
/* The survivors agree on which members have failed, while more of them die: before, in and behind the votes and the
 * decision.  Each survivor gets the same group from each call, in the order of the ranks; it holds what any participant had
 * recorded before the call, and all that the call before gave; a process finds it in what it knows itself afterwards.
 * Nothing is acknowledged.  On a communicator that is revoked before the call or while some are in it, on an
 * intercommunicator, where the group covers both sides, and as a request.
 *
 *   R45: the agreed group holds what any participant had recorded; nothing is acknowledged
 *
 * RUN: -n 4 ; args world ; expect "rank 2 ok"
 * RUN: -n 1 ; args world ; expect "rank 0 ok"
 * RUN: -n 2 ; args world ; kill 1 at agree.enter#4 ; expect "rank 0 ok"
 * RUN: -n 5 ; args world ; kill 0 at agree.enter#3 ; kill 1 at agree.done#6 ; kill 4 at agree.done#6 ; expect "rank 3 ok" ; times 3
 * RUN: -n 5 ; args revoked ; kill 0 at agree.enter#3 ; kill 2 at agree.done#5 ; kill 1 at agree.enter#9 ; expect "rank 4 ok" ; times 3
 * RUN: -n 6 ; args inter ; kill 0 at agree.enter#3 ; kill 4 at agree.done#6 ; kill 5 at agree.enter#8 ; expect "rank 2 ok" ; times 3
 * RUN: -n 6 ; args inter ; set AGREE_SHM=0 ; kill 3,4,5 at agree.enter#6 ; expect "rank 2 ok" ; times 3
 * RUN: -n 5 ; args world ; set AGREE_SHM=0 ; kill 0 at agree.decided#4 ; kill 1 at agree.done#6 ; expect "rank 4 ok" ; times 3
 * RUN: -n 7 ; args world ; set AGREE_SHM=0 ; kill 0 at agree.sent.down#4 ; kill 1 at agree.sent.down#6 ; kill 2 at agree.sent.up#9 ; expect "rank 6 ok" ; times 3
 * RUN: -n 7 ; args revoked ; set AGREE_SHM=0 ; kill 6 at agree.sent.up#3 ; kill 2 at agree.sent.up#5 ; kill 0 at agree.done#7 ; expect "rank 4 ok" ; times 3
 * RUN: -n 6 ; args world ; set MACHINES=2 ; kill 1 at agree.enter#3 ; kill 4 at agree.done#6 ; kill 0 at agree.decided#9 ; expect "rank 5 ok" ; times 3
 * RUN: -n 6 ; args revoked ; set MACHINES=3 ; kill 0 at agree.sent.down#5 ; kill 5 at agree.sent.up#7 ; expect "rank 4 ok" ; times 3
 * RUN: -n 6 ; args inter ; set MACHINES=2 ; kill 2 at agree.done#5 ; kill 3 at agree.enter#7 ; expect "rank 0 ok" ; times 3
 * RUN: -n 16 ; args world ; kill 0,1,8 at agree.enter#4 ; kill 12 at agree.done#4 ; kill 15 at agree.enter#8 ; expect "rank 14 ok"
 * RUN: -n 16 ; args revoked ; set AGREE_SHM=0 ; kill 0 at agree.sent.down#6 ; kill 4,8 at agree.sent.up#6 ; expect "rank 14 ok" */
#include "../common.h"

enum { ROUNDS = 12, FIRST = 100, MOST = 16 };

static MPI_Comm c;
static unsigned agreed[ROUNDS]; /* ranks of MPI_COMM_WORLD */

/* What a rank had recorded before a round, plus one; 0: it did not come so far. */
static int *recorded(int round, int who)
{
    return &board[FIRST + ROUNDS + round * MOST + who];
}

/* As ranks of MPI_COMM_WORLD, and whether they stand in the order of the ranks there. */
static unsigned ranks_in(MPI_Group g, bool *in_order_p)
{
    MPI_Group world;
    unsigned set = 0;
    int n, r, last = -1;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_size(g, &n);
    *in_order_p = true;
    for (int i = 0; i < n; i++) {
        MPI_Group_translate_ranks(g, 1, &i, world, &r);
        *in_order_p &= r > last;
        last = r;
        set |= 1u << r;
    }
    MPI_Group_free(&world);
    MPI_Group_free(&g);
    return set;
}

static unsigned known(void)
{
    MPI_Group g;
    bool any_order;

    CHECK_OK(MPIX_Comm_get_failed(c, &g));
    return ranks_in(g, &any_order);
}

static unsigned acknowledged(void)
{
    MPI_Group g;
    bool any_order;

    CHECK_OK(MPIX_Comm_failure_get_acked(c, &g));
    return ranks_in(g, &any_order);
}

/* Rank 0 of a round revokes between the begin and the end of its call. */
static MPI_Group ask(int round, bool revokes)
{
    MPI_Group g = MPI_GROUP_NULL;
    MPI_Request r;
    int done = 0;

    if (round % 3 == 0) {
        CHECK_OK(MPIX_Comm_agree_failed(c, &g));
        return g;
    }
    CHECK_OK(MPIX_Comm_iagree_failed(c, &g, &r));
    if (revokes)
        CHECK_OK(MPIX_Comm_revoke(c));
    if (round % 3 == 1)
        CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    while (round % 3 == 2 && !done)
        CHECK_OK(MPI_Test(&r, &done, MPI_STATUS_IGNORE));
    return g;
}

/* The same at all: the first one writes it down. */
static void compare(int round)
{
    int none = 0, mine = (int)agreed[round] + 1;

    if (!__atomic_compare_exchange_n(&board[FIRST + round], &none, mine, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST))
        CHECK_EQ(none, mine);
}

static void go(int round, bool revokes)
{
    unsigned before = known();
    bool in_order;

    __atomic_store_n(recorded(round, rank), (int)before + 1, __ATOMIC_SEQ_CST);
    agreed[round] = ranks_in(ask(round, revokes), &in_order);
    CHECK(in_order);
    CHECK_EQ(before & ~agreed[round], 0);
    CHECK_EQ(round ? agreed[round - 1] & ~agreed[round] : 0, 0);
    CHECK_EQ(agreed[round] & ~known(), 0);
    CHECK_EQ(acknowledged(), 0);
    compare(round);
}

/* Those that are not in the last group have taken part in all. */
static void check_recorded(void)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int r = 0; r < size; r++)
            if (!(agreed[ROUNDS - 1] >> r & 1)) {
                int was = __atomic_load_n(recorded(round, r), __ATOMIC_SEQ_CST) - 1;

                CHECK(was >= 0);
                CHECK_EQ((unsigned)was & ~agreed[round], 0);
            }
}

/* The death of one more, which one alone looks for: the others compute. */
static void one_has_recorded(void)
{
    int victim = size - 1, flag = 1;
    bool in_order;

    if (size < 3 || agreed[ROUNDS - 1])
        return;
    if (rank == victim) {
        await(0, size - 1);
        die_now();
    }
    post(0);
    if (rank == 0) {
        wait_until_dead(MPI_COMM_WORLD, victim);
        post(1);
    }
    await(1, 1);
    CHECK_EQ(ranks_in(ask(0, false), &in_order), 1u << victim);
    CHECK_EQ(known(), 1u << victim);
    CHECK_EQ(acknowledged(), 0);
    CHECK_CLASS(MPIX_Comm_agree(c, &flag), MPI_ERR_PROC_FAILED); /* nobody has acknowledged it */
}

static void wrong_arguments(void)
{
    MPI_Request r;
    MPI_Group g;

    CHECK_CLASS(MPIX_Comm_agree_failed(MPI_COMM_NULL, &g), MPI_ERR_COMM);
    CHECK_CLASS(MPIX_Comm_agree_failed(c, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Comm_iagree_failed(MPI_COMM_NULL, &g, &r), MPI_ERR_COMM);
    CHECK_CLASS(MPIX_Comm_iagree_failed(c, NULL, &r), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Comm_iagree_failed(c, &g, NULL), MPI_ERR_ARG);
    CHECK_OK(MPIX_Comm_agree_failed(MPI_COMM_SELF, &g));
    CHECK(g == MPI_GROUP_EMPTY);
}

int main(int argc, char **argv)
{
    int low, upper;
    MPI_Comm half;
    bool revoked;

    start(&argc, &argv);
    CHECK(argc > 1 && size <= MOST);
    revoked = !strcmp(argv[1], "revoked");
    if (!strcmp(argv[1], "inter"))
        c = connect_halves(&half, &low, &upper);
    else
        CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
    wrong_arguments();
    for (int round = 0; round < ROUNDS; round++)
        go(round, revoked && round == 1 && rank == size - 2);
    check_recorded();
    if (!revoked)
        one_has_recorded();
    return finish();
}
