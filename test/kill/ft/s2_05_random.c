/* SPDX-License-Identifier: BSD-3-Clause */
/* Random operations on communicators made from each other, in random
 * order, while ranks die: all survivors get the same results.
 *
 *   a pool     [ W | comm | comm |  -  | ... ]      a slot may hold another part at other ranks
 *   a step     what, on which slot, into which slot: drawn from the seed, the same at all
 *
 * Nobody corrects its course by what it has seen, so from a difference on all go different ways, or wait for each
 * other.  Members of one communicator compare at the end what each of its steps gave: an object at all or at none,
 * and the same values (an error may be of one class here and of another one there, if both had reasons).
 *
 *     args SEED
 *
 * With a ?: whether that rank gets there with every seed is up to the dice.
 *
 *   R4: shrinking an intercommunicator with one group all dead gives MPI_COMM_NULL
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-29: some members of a collective may succeed while others fail
 *   S0-75: all survivors get the same group from shrink
 *   S0-90: an agreement never fails and is uniform under deaths
 *   S2-5: creation is uniform: at all survivors or at none
 *   S2-11: validate returns the same failed processes everywhere
 *
 * RUN: -n 2 ; args {n} ; kill 1 at agree.done#20 ; expect "rank 0 ok" ; times 8
 * RUN: -n 5 ; args {n} ; kill 1 at coll.enter#9? ; kill 3 at validate.decided#2? ; expect "rank 0 ok" ; times 8
 * RUN: -n 5 ; args {n} ; set AGREE_SHM=0 ; kill 0 at agree.sent.down#25 ; expect "rank 1 ok" ; times 8
 * RUN: -n 8 ; args {n} ; kill 0 at member.create.decided#7 ; kill 7 at shrink.decided? ; expect "rank 1 ok" ; times 8
 * RUN: -n 8 ; args {n} ; set COLL_SHM=0 ; set AGREE_SHM=0 ; kill 2 at agree.sent.up#30 ; kill 4 at member.hello ;
 *      expect "rank 0 ok" ; times 8
 * RUN: -n 16 ; args {n} ; kill 4 at agree.enter#15 ; kill 9 at death.done ; kill 15 at revoke.sent.one? ;
 *      expect "rank 0 ok" ; times 4 */
#include "kill/melt.h"

enum { POOL = 6, STEPS = 60, RANKS_MAX = 16 };
enum { DONE, WHO = 32, GOT = WHO + STEPS * RANKS_MAX }; /* slots of the board, by rank and step */
_Static_assert(GOT + STEPS * RANKS_MAX <= BOARD_SLOTS, "the board is large enough");
enum { VALUE = 1 << 20 }; /* added to a number that is not an error class */

static MPI_Comm pool[POOL] = {MPI_COMM_WORLD, MPI_COMM_NULL, MPI_COMM_NULL,
                              MPI_COMM_NULL,  MPI_COMM_NULL, MPI_COMM_NULL};
static unsigned seed;
static int step;
static MPI_Comm c, made; /* of the step */
static int me, n;        /* in c */

static unsigned dice(unsigned what)
{
    return mix(mix(seed * 7919u + (unsigned)step) * 31u + what);
}

/* Joint decisions of the survivors. */
static int value(int v)
{
    return VALUE + v;
}

/* A creation may fail, for one of two reasons. */
static int created(int err)
{
    CHECK(err == MPI_SUCCESS || err == MPI_ERR_PROC_FAILED || err == MPI_ERR_INVALIDATED);
    return err;
}

static bool is_inter(void)
{
    int flag;

    MPI_Comm_test_inter(c, &flag);
    return flag;
}

static int wait_for(MPI_Request *q)
{
    return MPI_Wait(q, MPI_STATUS_IGNORE);
}

static int plain_dup(void)
{
    return created(MPI_Comm_dup(c, &made));
}

static int idup(void)
{
    MPI_Request q;

    CHECK_EQ(MPI_Comm_idup(c, &made, &q), MPI_SUCCESS);
    return created(wait_for(&q));
}

static int two_idups(void)
{
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Request q[2];
    int err;

    CHECK_EQ(MPI_Comm_idup(c, &other, &q[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_idup(c, &made, &q[1]), MPI_SUCCESS);
    err = created(wait_for(&q[1]));
    if (created(wait_for(&q[0])) == MPI_SUCCESS)
        MPI_Comm_free(&other);
    return err;
}

static int split(void)
{
    return created(MPI_Comm_split(c, me % 2, -me, &made));
}

static int split_off(void)
{
    return created(MPI_Comm_split(c, me == 0 ? MPI_UNDEFINED : 0, me, &made));
}

/* Of the whole group: without a parent, with one, or a grid. */
static int of_group(void)
{
    MPI_Group g;
    int err, one = 1;

    if (is_inter())
        return MPI_SUCCESS;
    MPI_Comm_group(c, &g);
    if (dice(4) % 4 == 0)
        err = MPI_Comm_create_group(c, g, step, &made);
    else if (dice(4) % 4 == 1)
        err = MPI_Comm_create_from_group(g, "random", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made);
    else if (dice(4) % 4 == 2)
        err = MPI_Comm_create(c, g, &made);
    else
        err = MPI_Cart_create(c, 1, &n, &one, 0, &made);
    MPI_Group_free(&g);
    return created(err);
}

/* Two halves and back again.  With holes in c the leaders would have to be looked for: then not. */
static int halves(void)
{
    bool upper = me >= n / 2;
    int whole, err;
    MPI_Comm half;

    if (is_inter())
        return created(MPI_Intercomm_merge(c, (int)dice(4) % 2, &made));
    if (n == 1)
        return MPI_SUCCESS;
    err = created(MPI_Comm_split(c, upper, me, &half));
    if (err)
        return err;
    MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    MPI_Comm_size(half, &whole);
    whole = whole == (upper ? n - n / 2 : n / 2);
    CHECK_EQ(MPI_Comm_agreement(c, &whole), MPI_SUCCESS);
    if (whole)
        err = created(MPI_Intercomm_create(half, 0, c, upper ? 0 : n / 2, step, &made));
    MPI_Comm_free(&half);
    return err;
}

static int validate(void)
{
    MPI_Group failed;
    int err = MPI_Comm_validate(c, &failed), lost;

    CHECK(err == MPI_SUCCESS || err == MPI_ERR_INVALIDATED);
    if (err)
        return err;
    MPI_Group_size(failed, &lost);
    MPI_Group_free(&failed);
    return value(lost);
}

static int agreements(void)
{
    int flag[3] = {1, 1, 1};
    MPI_Request q[3];

    for (int i = 0; i < 3; i++)
        CHECK_EQ(MPI_Icomm_agreement(c, &flag[i], &q[i]), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(3, q, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    return value(flag[0] + flag[1] + flag[2]);
}

static int allreduce(void)
{
    int one = 1, sum;

    created(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c));
    return MPI_SUCCESS; /* some may succeed and others fail (S0-29) */
}

/* Of an intercommunicator the sides differ in size; with one side dead there is none (R4). */
static int size_made(void)
{
    int size_of = 0;

    if (made != MPI_COMM_NULL && !is_inter())
        MPI_Comm_size(made, &size_of);
    return value(is_inter() ? made != MPI_COMM_NULL : size_of);
}

static int shrink(void)
{
    MPI_Request q;

    if (dice(4) % 2) {
        CHECK_EQ(MPIX_Comm_shrink(c, &made), MPI_SUCCESS);
    } else {
        CHECK_EQ(MPIX_Comm_ishrink(c, &made, &q), MPI_SUCCESS);
        CHECK_EQ(wait_for(&q), MPI_SUCCESS);
    }
    return size_made();
}

static int invalidate(void)
{
    if (c != MPI_COMM_WORLD && (me == 0 || dice(4) % 2))
        MPI_Comm_invalidate(c);
    return MPI_SUCCESS;
}

static int (*const kinds[])(void) = {plain_dup, idup,      two_idups, split,      split_off,
                                     of_group,  halves,    validate,  validate,   validate,
                                     shrink,    of_group,  halves,    agreements, agreements,
                                     allreduce, allreduce, plain_dup, split,      invalidate};

static unsigned members(void)
{
    MPI_Group g[2], world;
    unsigned mask = 0;
    int groups = 1 + is_inter(), size_of, r;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_group(c, &g[0]);
    if (groups == 2)
        MPI_Comm_remote_group(c, &g[1]);
    for (int k = 0; k < groups; k++) {
        MPI_Group_size(g[k], &size_of);
        for (int i = 0; i < size_of; i++) {
            MPI_Group_translate_ranks(g[k], 1, &i, world, &r);
            mask |= 1u << r;
        }
        MPI_Group_free(&g[k]);
    }
    MPI_Group_free(&world);
    return mask;
}

/* The slot that it goes to is empty from here on at all ranks, also at those that are not in c. */
static void take_step(void)
{
    int to = 1 + (int)(dice(3) % (POOL - 1));

    c = pool[dice(1) % 3 ? dice(2) % POOL : 0];
    made = MPI_COMM_NULL;
    if (c != MPI_COMM_NULL) {
        MPI_Comm_rank(c, &me);
        MPI_Comm_size(c, &n);
        board[WHO + STEPS * rank + step] = (int)members();
        board[GOT + STEPS * rank + step] = 1 + kinds[dice(0) % (sizeof kinds / sizeof *kinds)]();
    }
    if (pool[to] != MPI_COMM_NULL)
        CHECK_EQ(MPI_Comm_free(&pool[to]), MPI_SUCCESS);
    pool[to] = made;
    if (made != MPI_COMM_NULL)
        MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
}

/* Both errors, or the same. */
static bool alike(int a, int b)
{
    bool both_failed = a > 1 && a < VALUE && b > 1 && b < VALUE;

    return a == b || both_failed;
}

static void compare_with(int other)
{
    for (step = 0; step < STEPS; step++) {
        int mine = STEPS * rank + step, theirs = STEPS * other + step;

        if (board[WHO + mine] && board[WHO + mine] == board[WHO + theirs])
            CHECK(alike(board[GOT + mine], board[GOT + theirs]));
    }
}

int main(int argc, char **argv)
{
    int flag = 1;

    start(&argc, &argv);
    seed = (unsigned)atoi(argv[1]);
    for (step = 0; step < STEPS; step++)
        take_step();
    board[DONE + rank] = 1;
    CHECK_EQ(MPI_Comm_agreement(MPI_COMM_WORLD, &flag), MPI_SUCCESS);
    for (int r = 0; r < size; r++)
        if (board[DONE + r])
            compare_with(r);
    return finish();
}
