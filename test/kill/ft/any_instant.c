/* SPDX-License-Identifier: BSD-3-Clause */
/* any_instant.c – agreements, shrinks and invalidations in a heap, for ranks that are killed anywhere in it
 * (s0_90_any_instant.sh, which says where).
 *
 *     A: all but the last rank     B: all but the first     inter: lower and upper half     W: all
 *
 * In each round several agreements are under way at once on A, B and inter, begun in an order that differs
 * from rank to rank, and a shrink of W; then blocking ones, on communicators that two ranks invalidate
 * meanwhile.  A rank that comes to the end writes what it got to the board; all of them must have got the same.
 *
 *   R3: the shrink of 2012 refuses only if the communicator is revoked at no survivor
 *   R4: shrinking an intercommunicator with one group all dead gives MPI_COMM_NULL
 *   R16: MPI_Comm_agreement takes a truth value, MPIX_Comm_agree a word
 *   S0-59: a revocation reaches all survivors even if its caller dies
 *   S0-61: a revocation ends neither shrink nor agreement
 *   S0-74: shrink never fails because of a death or a revocation
 *   S0-77: shrink keeps the order of ranks
 *   S0-78: shrink leaves out the failed and keeps the callers
 *   S0-79: the new communicator may contain a process that died meanwhile
 *   S0-80: the new communicator sees no message and no revocation of the old one
 *   S0-90: an agreement never fails and is uniform under deaths
 *   S0-93: an agreement works on a revoked communicator
 *   S0-94: the nonblocking agreement has the same meaning
 *   S2-5: creation is uniform: at all survivors or at none
 *
 * RUN: none */
#include "creators.h"

#define ROUNDS 3
#define OPS    200 /* of all rounds, at most */

/* Slots of the board: DONE + rank, RESULTS + OPS * rank + op. */
enum { A_REVOKED, B_REVOKED, DONE, RESULTS = 64 };
_Static_assert(RESULTS + OPS * RANKS_MAX <= BOARD_SLOTS, "the board is large enough");

static MPI_Comm a, b;
static int op;

/* The result of the next operation; what is not the same for all ranks has an operation for each. */
static void say(int result)
{
    CHECK(op < OPS);
    board[RESULTS + OPS * rank + op++] = 1 + result;
}

static void say_nothing(void)
{
    op++;
}

static void say_on_my_side(int result)
{
    if (in_upper())
        say_nothing();
    say(result);
    if (!in_upper())
        say_nothing();
}

/* The members in W, which must be in order, with me (S0-77, S0-78). */
static int mask_of(MPI_Comm c, bool remote)
{
    MPI_Group g, world;
    int n, r, last = -1, mask = 0;

    if (remote)
        MPI_Comm_remote_group(c, &g);
    else
        MPI_Comm_group(c, &g);
    MPI_Comm_group(W, &world);
    MPI_Group_size(g, &n);
    for (int i = 0; i < n; i++) {
        MPI_Group_translate_ranks(g, 1, &i, world, &r);
        CHECK(r > last);
        mask |= 1 << r;
        last = r;
    }
    CHECK(remote || mask & 1 << rank);
    MPI_Group_free(&g);
    MPI_Group_free(&world);
    return mask;
}

/* A communicator that came out of a shrink: usable, or somebody died (S0-79, S0-80). */
static void use_and_free(MPI_Comm *c)
{
    int revoked, err;

    MPI_Comm_set_errhandler(*c, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Comm_is_revoked(*c, &revoked), MPI_SUCCESS);
    CHECK_EQ(revoked, 0);
    err = MPI_Barrier(*c);
    CHECK(err == MPI_SUCCESS || class_of(err) == MPI_ERR_PROC_FAILED);
    CHECK_EQ(MPI_Comm_free(c), MPI_SUCCESS);
}

/* A copy that was asked for: for all or for nobody (S2-5), and if somebody died or invalidated the parent
 * meanwhile it may be either. */
static void say_copied(MPI_Comm copy, int err)
{
    CHECK(err == MPI_SUCCESS || class_of(err) == MPI_ERR_PROC_FAILED ||
          class_of(err) == MPI_ERR_INVALIDATED);
    CHECK((err == MPI_SUCCESS) == (copy != MPI_COMM_NULL));
    say(err == MPI_SUCCESS);
    if (!err)
        use_and_free(&copy);
}

/* Two agreements on c, NULL requests where this process is not a member. */
static void begin_two(MPI_Comm c, int round, int *flag, MPI_Request *r)
{
    for (int k = 0; k < 2; k++) {
        r[k] = MPI_REQUEST_NULL;
        flag[k] = (rank + round + k) % 3 != 0;
        if (c != MPI_COMM_NULL)
            CHECK_EQ(MPI_Icomm_agreement(c, &flag[k], &r[k]), MPI_SUCCESS);
    }
}

static void say_two(MPI_Comm c, const int *flag)
{
    for (int k = 0; k < 2; k++)
        if (c == MPI_COMM_NULL)
            say_nothing();
        else
            say(flag[k]);
}

/* Several at once, also on communicators that overlap (S0-94). */
static void all_at_once(int round)
{
    enum { ON_A, ON_B = 2, ON_INTER = 4, COPY, SHRINKS, ALL = 8 };
    int flag[5] = {[ON_INTER] = ~(1 << (rank + round) % size)}, err[ALL];
    MPI_Comm shrunk[2], copy = MPI_COMM_NULL;
    MPI_Request r[ALL];

    if (rank % 2)
        begin_two(b, round, &flag[ON_B], &r[ON_B]);
    begin_two(a, round, &flag[ON_A], &r[ON_A]);
    CHECK_EQ(MPIX_Comm_ishrink(W, &shrunk[0], &r[SHRINKS]), MPI_SUCCESS);
    CHECK_EQ(MPIX_Comm_ishrink(inter, &shrunk[1], &r[SHRINKS + 1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_idup(inter, &copy, &r[COPY]), MPI_SUCCESS);
    CHECK_EQ(MPIX_Comm_iagree(inter, &flag[ON_INTER], &r[ON_INTER]), MPI_SUCCESS);
    if (rank % 2 == 0)
        begin_two(b, round, &flag[ON_B], &r[ON_B]);
    for (int i = 0; i < ALL; i++) {
        int k = (i + rank) % ALL;

        err[k] = MPI_Wait(&r[k], MPI_STATUS_IGNORE);
        CHECK(err[k] == MPI_SUCCESS || k == ON_INTER || k == COPY); /* S0-74, S0-90 */
    }
    say(class_of(err[ON_INTER])); /* R16: all are told of failures that one did not acknowledge */
    say_copied(copy, err[COPY]);
    say_two(a, &flag[ON_A]);
    say_two(b, &flag[ON_B]);
    say_on_my_side(flag[ON_INTER]);
    say(mask_of(shrunk[0], false));
    use_and_free(&shrunk[0]);
    if (shrunk[1] == MPI_COMM_NULL) { /* R4 */
        say(0);
    } else {
        say(mask_of(shrunk[1], false) | mask_of(shrunk[1], true));
        use_and_free(&shrunk[1]);
    }
}

/* Two invalidate it, the others may be inside already. */
static void on_invalid(MPI_Comm c, int first, int second, int round)
{
    MPI_Comm shrunk = MPI_COMM_NULL, copy = MPI_COMM_NULL;
    MPI_Request r;
    int flag = (rank + round) % 4 != 0, err;

    CHECK_EQ(MPI_Comm_idup(c, &copy, &r), MPI_SUCCESS);
    if (rank == first || rank == second)
        CHECK_EQ(MPI_Comm_invalidate(c), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_agreement(c, &flag), MPI_SUCCESS);
    say(flag);
    err = MPI_Wait(&r, MPI_STATUS_IGNORE);
    say_copied(copy, err);
    err = MPI_Comm_shrink(c, &shrunk);
    CHECK(err == MPI_SUCCESS ||
          class_of(err) == MPI_ERR_ARG); /* R3, if those that revoked it are dead */
    say(err ? 0 : mask_of(shrunk, false));
    if (!err) {
        CHECK_EQ(MPI_Comm_is_revoked(c, &flag), MPI_SUCCESS);
        CHECK_EQ(flag, 1);
        use_and_free(&shrunk);
    }
}

static void blocking(int round)
{
    MPI_Comm c;
    int flag = ~(1 << rank), err;

    MPI_Comm_failure_ack(W);
    err = MPIX_Comm_agree(W, &flag);
    CHECK(err == MPI_SUCCESS || class_of(err) == MPI_ERR_PROC_FAILED);
    say(class_of(err));
    say(flag);
    CHECK_EQ(MPIX_Comm_shrink(W, &c), MPI_SUCCESS);
    say(mask_of(c, false));
    MPI_Comm_free(&c);
    if (round == 1 && a != MPI_COMM_NULL)
        on_invalid(a, 1 % size, size - 2, round);
    else if (round == 1)
        op += 3;
    if (round == 1 && b != MPI_COMM_NULL)
        on_invalid(b, size - 1, size / 2, round);
    else if (round == 1)
        op += 3;
}

/* Among the ranks that come to the end.  A rank that is DONE has survived all of it. */
static void compare(void)
{
    int flag = 1, *mine = board + RESULTS + OPS * rank;

    CHECK_EQ(MPI_Comm_agreement(W, &flag), MPI_SUCCESS);
    post(DONE + rank);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < op && posted(DONE + r); i++) {
            int theirs = board[RESULTS + OPS * r + i];

            if (mine[i] && theirs && mine[i] != theirs) {
                fprintf(stderr, "operation %d: rank %d got %d\n", i, r, theirs - 1);
                CHECK_EQ(mine[i] - 1, theirs - 1);
            }
        }
}

/* S0-59: what is invalid for one of them is so for all. */
static void all_revoked(MPI_Comm c, int slot)
{
    int flag;

    CHECK_EQ(MPI_Comm_is_revoked(c, &flag), MPI_SUCCESS);
    if (flag)
        post(slot);
    flag = 1;
    CHECK_EQ(MPI_Comm_agreement(c, &flag), MPI_SUCCESS);
    do
        CHECK_EQ(MPI_Comm_is_revoked(c, &flag), MPI_SUCCESS);
    while (posted(slot) && !flag);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    set_up();
    CHECK_EQ(MPI_Comm_split(W, rank < size - 1 ? 0 : MPI_UNDEFINED, rank, &a), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_split(W, rank > 0 ? 0 : MPI_UNDEFINED, rank, &b), MPI_SUCCESS);
    MPI_Pcontrol(1); /* ranks die from here on */
    for (int round = 0; round < ROUNDS; round++) {
        all_at_once(round);
        blocking(round);
    }
    compare();
    if (a != MPI_COMM_NULL)
        all_revoked(a, A_REVOKED);
    if (b != MPI_COMM_NULL)
        all_revoked(b, B_REVOKED);
    return finish();
}
