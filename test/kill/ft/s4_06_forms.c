/* SPDX-License-Identifier: BSD-3-Clause */
/* Which processes an abort ends, by MPI_Abort, by MPI_ERRORS_ARE_FATAL or by
 * MPI_ERRORS_ABORT: the processes of the communicator, both groups of an intercommunicator, and nobody else.
 * The others see them as failed, and go on with each other.
 *
 * The ranks of MPI_COMM_WORLD are dealt out in turn to three parts A, B and C; rank 0 (of A) is never ended.
 * What aborts:
 *
 *   part      B                                    inter     the intercommunicator of B and C
 *   several   B and C, each by its last rank, at the same time, with codes of their own
 *   overlap   two communicators with a member in common, at the same time
 *   dead      B, one member of which is dead already
 *   invalid   B, after B was invalidated             cart      a Cartesian communicator over B
 *   some      a communicator with some of B and some of C, whose parts go on without them
 *   self      MPI_COMM_SELF at each rank of B
 *
 *   R13: a fatal error ends the processes of its object and no others
 *   S4-3: a fatal error ends the processes of its object and no others
 *   S4-4: a fatal error has the effect of MPI_Abort
 *   S4-6: MPI_Abort ends all processes of its communicator
 *   S4-8: an abort may end a part of the world
 *   S4-9: communicators with aborted and surviving processes report errors
 *   S4-12: one communicator with a fatal handler does not make others fatal
 *   S4-14: ERRORS_RETURN keeps a communicator usable for its survivors
 *
 * RUN: -n 3 ; args part abort ; expect "2 ranks ok"
 * RUN: -n 9 ; args part abort ; expect "6 ranks ok"
 * RUN: -n 16 ; args part fatal ; expect "11 ranks ok"
 * RUN: -n 9 ; args part errors_abort ; expect "6 ranks ok"
 * RUN: -n 9 ; args part errors_abort ; set FATAL_SCOPE=connected ; expect "6 ranks ok"
 * RUN: -n 9 ; args part fatal ; set FATAL_SCOPE=connected ; exit 6 ; expect "all processes of the job end"
 * RUN: -n 3 ; args inter abort ; expect "1 ranks ok"
 * RUN: -n 9 ; args inter abort ; expect "3 ranks ok"
 * RUN: -n 16 ; args inter fatal ; expect "6 ranks ok"
 * RUN: -n 6 ; args several abort ; expect "2 ranks ok" ; expect "aborted with code 21" ; expect "aborted with code 22"
 * RUN: -n 16 ; args several fatal ; expect "6 ranks ok" ; times 3
 * RUN: -n 9 ; args overlap abort ; expect "3 ranks ok" ; times 3
 * RUN: -n 9 ; args dead abort ; expect "6 ranks ok" ; expect "killed by signal 9" ; expect "aborted with code 21"
 * RUN: -n 9 ; args invalid abort ; expect "6 ranks ok"
 * RUN: -n 9 ; args invalid fatal ; expect "6 ranks ok"
 * RUN: -n 9 ; args cart fatal ; expect "6 ranks ok"
 * RUN: -n 9 ; args some abort ; expect "7 ranks ok"
 * RUN: -n 9 ; args self abort ; expect "6 ranks ok" */
#include "../common.h"

#define W MPI_COMM_WORLD

enum { READY, CHECKED };
enum { A, B, C };

static const char *what, *how;

static bool is(const char *word)
{
    return !strcmp(what, word);
}

static int part_of(int r)
{
    return r % 3;
}

/* The last rank of B, and of C. */
static int last_of(int part)
{
    int r = size - 1;

    while (part_of(r) != part)
        r--;
    return r;
}

/* Rank r of W will be ended. */
static bool doomed(int r)
{
    if (is("inter") || is("several") || is("overlap"))
        return part_of(r) != A;
    if (is("some"))
        return r == 1 || r == 2;
    return part_of(r) == B;
}

/* The communicator that r aborts or is aborted with. */
static MPI_Comm make_victims(MPI_Comm part)
{
    int dims = 0, periods = 0, color = is("some") ? doomed(rank) : part_of(rank);
    MPI_Comm c = MPI_COMM_NULL, bridge;

    if ((is("inter") || is("cart")) && !doomed(rank))
        return c;
    if (is("inter")) {
        MPI_Intercomm_create(part, 0, W, part_of(rank) == B ? C : B, 1, &c);
    } else if (is("cart")) {
        MPI_Comm_size(part, &dims);
        MPI_Cart_create(part, 1, &dims, &periods, 1, &c);
    } else if (is("overlap")) { /* B and the first of C; C */
        MPI_Comm_split(W, part_of(rank) == B || rank == C ? 1 : MPI_UNDEFINED, rank, &bridge);
        c = part_of(rank) == B ? bridge : part;
    } else {
        MPI_Comm_split(W, color, rank, &c);
    }
    return c;
}

static bool aborts(void)
{
    if (is("several") || is("overlap"))
        return rank == last_of(B) || rank == last_of(C);
    if (is("some"))
        return rank == 1;
    return is("self") ? part_of(rank) == B : rank == last_of(B);
}

static _Noreturn void end(MPI_Comm c)
{
    int v = 0;

    if (is("self"))
        c = MPI_COMM_SELF;
    MPI_Comm_set_errhandler(c,
                            !strcmp(how, "errors_abort") ? MPI_ERRORS_ABORT : MPI_ERRORS_ARE_FATAL);
    if (aborts()) {
        await(READY, size - is("dead"));
        if (!strcmp(how, "abort"))
            MPI_Abort(c, 20 + part_of(rank));
        MPI_Send(&v, 1, MPI_INT, 9999, 0, c);
    }
    MPI_Recv(&v, 1, MPI_INT, 0, 99, W, MPI_STATUS_IGNORE); /* waits to be ended */
    CHECK(!"reached");
    abort();
}

static void go_on(MPI_Comm part)
{
    int v = rank, sum = 0, one = 1, left = 0;
    MPI_Comm rest;

    for (int r = 0; r < size; r++) {
        if (doomed(r))
            CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, r, 1, W, MPI_STATUS_IGNORE), MPI_ERR_PROC_FAILED);
        left += !doomed(r);
    }
    for (int r = 0; r < size; r++)
        CHECK_EQ(is_known_dead(W, r), doomed(r));
    if (!is("some"))
        CHECK_EQ(MPI_Barrier(part), MPI_SUCCESS);
    CHECK_CLASS(MPI_Barrier(W), MPI_ERR_PROC_FAILED);
    post(CHECKED);
    await(CHECKED, left);
    MPI_Comm_invalidate(W);
    CHECK_EQ(MPI_Comm_shrink(W, &rest), MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, rest), MPI_SUCCESS);
    CHECK_EQ(sum, left);
    if (rank == 0)
        printf("%d ranks ok\n", sum);
}

int main(int argc, char **argv)
{
    MPI_Comm part, victims;

    what = argv[1];
    how = argv[2];
    start(&argc, &argv);
    CHECK_EQ(MPI_Comm_split(W, part_of(rank), rank, &part), MPI_SUCCESS);
    victims = make_victims(part);
    if (is("dead") && rank == B)
        die_now();
    if (is("dead") && part_of(rank) == B)
        wait_until_dead(W, B);
    if (is("invalid") && part_of(rank) == B)
        MPI_Comm_invalidate(victims);
    post(READY);
    if (doomed(rank))
        end(victims);
    go_on(part);
    return finish();
}
