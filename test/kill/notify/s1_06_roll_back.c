/* SPDX-License-Identifier: BSD-3-Clause */
/* s1_06_roll_back.c – Bronevetsky's scenario: a failure in F, while processes that have left F are in R, which knows of nothing.
 *
 *              rank 0      rank 1     rank 2        rank 3      rank 4        rank 5       rank 6
 *     F        call 1      call 1     call 1        call 1      (no part)     (no part)    (no part)
 *   -------------------------------- safe point 1 ---------------------------------------------------
 *     R                               waits in it   computes    sends to 5    receives     asks for its rank only
 *     F        call 2      call 2
 *              learns      dies
 *   ---- all but rank 6 are back at safe point 1: memory, communicators, requests; ranks 0, 2, 3 have run F's recovery -----
 *     R                               finishes      computes    sends to 5    receives
 *     F        call 2                 call 2        call 2
 *
 * Ranks 4 and 5 have no part in F.  Rank 4 rolls back because rank 2 has talked to it, rank 5 because rank 4 has; rank 6
 * goes on.  R waits in a receive, computes or sleeps (args).  It is compiled by itself, has the error handler that is fatal, and sees
 * nothing of all that.  With 5 an agreement stands in R's place, which only a module that knows of failures calls.  Each rank compares all bytes
 * that it has registered with those of the safe point.  A further death in the middle of it changes nothing but the number of
 * processes that F has left.
 *
 * BUILD: {root}/test/kill/notify/module_r.c
 *
 *   S1-4: a module that knows nothing of failures is interrupted unchanged
 *   S1-5: wherever they learn of a failure, in F or behind it, all get to F's recovery
 *   S1-6: modules have different processes: the participants of F recover, the others go on
 *   S1-7: the callback may communicate
 *   S1-9: a roll-back restores the state of the safe point exactly
 *   S1-11: dummy operations match what was done on one side only: all queues are empty afterwards
 *   S1-12: the exchange spreads to partners' partners and ends
 *
 * RUN: -n 7 ; args 0 ; expect "F has 3 ranks in call 2"
 * RUN: -n 7 ; args 4 ; expect "F has 3 ranks in call 2"
 * RUN: -n 7 ; args 1 ; expect "F has 3 ranks in call 2"
 * RUN: -n 7 ; args 2 ; expect "F has 3 ranks in call 2"
 * RUN: -n 7 ; args 5 ; expect "F has 3 ranks in call 2"
 * RUN: -n 7 ; args 5 ; set AGREE_SHM=0 ; expect "F has 3 ranks in call 2"
 * RUN: -n 7 ; args 5 ; set MACHINES=2 ; expect "F has 3 ranks in call 2"
 * RUN: -n 7 ; args 5 ; kill 3 at module.back ; expect "F has 2 ranks in call 2"
 * RUN: -n 7 ; args 0 ; set MACHINES=2 ; expect "F has 3 ranks in call 2"
 * RUN: -n 7 ; args 0 ; set SAFE_POINT=drop ; expect "F has 3 ranks in call 2"
 * RUN: -n 7 ; args 0 ; set SAFE_POINT=full ; expect "F has 3 ranks in call 2"
 * RUN: -n 7 ; args 0 ; kill 3 at module.recover ; expect "F has 2 ranks in call 2"
 * RUN: -n 7 ; args 0 ; kill 3 at module.decided ; expect "F has 2 ranks in call 2"
 * RUN: -n 7 ; args 0 ; kill 3 at module.unwound ; expect "F has 2 ranks in call 2"
 * RUN: -n 7 ; args 0 ; kill 3 at module.back ; expect "F has 2 ranks in call 2"
 * RUN: -n 7 ; args 0 ; kill 3 at module.agree ; expect "F has 2 ranks in call 2"
 * RUN: -n 7 ; args 0 ; kill 6 at module.recover ; expect "F has 3 ranks in call 2"
 * RUN: -n 7 ; args 0 ; kill 6 at module.decided ; expect "F has 3 ranks in call 2"
 * RUN: -n 7 ; args 0 ; kill 6 at notify.run ; expect "F has 3 ranks in call 2"
 * RUN: -n 7 ; args 0 ; set MACHINES=2 ; kill 3 at module.unwound ; expect "F has 2 ranks in call 2" */
#include "../common.h"
#include "module_r.h"

#include <stdlib.h>

enum { IN_R, GO, PASSES, HASHES = 100 };
enum { AGREES = 5 }; /* behind the ways of R */

#define HEAP 300000

static MPIX_Module f;
static int how_r;
static char *heap;
static char statics[50000];
static MPI_Comm pair_comm, chain_comm, kept_comm;
static MPI_Datatype type;

static unsigned hash_of(const char *at, size_t n, unsigned h)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)at[i]) * 16777619u;
    return h;
}

/* What the program has, with the handles. */
static unsigned state(const char *on_stack, size_t n)
{
    unsigned h = hash_of(heap, HEAP, hash_of(statics, sizeof statics, 2166136261u));

    h = hash_of((char *)&kept_comm, sizeof kept_comm, hash_of((char *)&heap, sizeof heap, h));
    return hash_of(on_stack, n, h);
}

static int recover(MPI_Comm comm, int inside, void *arg)
{
    int one = 1, n = 0;

    (void)inside, (void)arg;
    CHECK(rank < 4);
    if (MPI_Allreduce(&one, &n, 1, MPI_INT, MPI_SUM, comm) != MPI_SUCCESS)
        return MPI_ERR_OTHER; /* one more has died */
    CHECK(n == 2 || n == 3);
    return MPI_SUCCESS;
}

/* One call of F; returns how many took part. */
static int call_f(int call)
{
    int one = 1, n = 0, recovered, x, err = MPI_SUCCESS;
    MPI_Comm comm;

    CHECK_OK(MPIX_Module_enter(f, &comm));
    CHECK((comm == MPI_COMM_NULL) == (rank >= 4));
    if (rank < 4)
        MPI_Comm_size(comm, &n);
    if (call == 2 && rank == 1)
        await(IN_R, 7), die_now();
    if (call == 2 && rank == 0 && n == 4) /* the first time */
        err = MPI_Recv(&x, 1, MPI_INT, 1, 0, comm, MPI_STATUS_IGNORE);
    else if (rank < 4)
        err = MPI_Allreduce(&one, &n, 1, MPI_INT, MPI_SUM, comm);
    if (err != MPI_SUCCESS) {
        MPIX_Module_recover(f, &comm);
        CHECK(!"this call rolls back");
    }
    CHECK_OK(MPIX_Module_leave(f, &recovered));
    return n;
}

/* Things that must be gone after the roll-back, or there again. */
static void change_much(void)
{
    MPI_Comm made;
    MPI_Request r;

    memset(heap, 'x', HEAP / 2);
    free(heap);
    heap = malloc(3 * HEAP);
    memset(heap, 'y', 3 * HEAP);
    memset(statics + 1000, rank + 1, 20000);
    MPI_Comm_dup(pair_comm, &made);
    MPI_Isend(heap, 100000, MPI_CHAR, 0, 7, made, &r); /* nobody receives it */
    MPI_Irecv(statics, 10, MPI_CHAR, 0, 8, made, &r);
    MPI_Isend(statics, 10, MPI_CHAR, 0, 9, pair_comm, &r);
    MPI_Comm_free(&kept_comm);
    MPI_Type_free(&type);
}

static int agree(int number)
{
    MPIX_Comm_agree(pair_comm, &number);
    return number;
}

/* Ranks 2 and 4: one waits for the other. */
static void call_r(void)
{
    static const int expected[] = {1, 2, 3, 4, 5};

    if (how_r == AGREES) {
        CHECK_EQ(agree(rank == 2 ? 14 : 7), 6);
        return;
    }
    if (rank == 2)
        CHECK_EQ(r_work(pair_comm, how_r, &board[GO], -1), expected[how_r]);
    else
        r_finish(pair_comm, how_r, &board[GO], -1);
    CHECK_EQ(r_calls(), 1); /* the call that was interrupted is undone */
}

static void in_r(int pass)
{
    int x = 5;

    if (rank == 2 && pass == 1)
        change_much();
    if (rank == 4 && pass == 1)
        change_much();
    if (rank == 4) {
        MPI_Send(&x, 1, MPI_INT, 1, pass, chain_comm);
        MPI_Send(&x, 1, MPI_INT, 1, 0, chain_comm);
    }
    if (rank == 5) { /* in pass 2 nothing of pass 1 is there */
        MPI_Recv(&x, 1, MPI_INT, 0, MPI_ANY_TAG, chain_comm, MPI_STATUS_IGNORE);
        x = 0;
        MPI_Recv(&x, 1, MPI_INT, 0, 0, chain_comm, MPI_STATUS_IGNORE);
        CHECK_EQ(x, 5);
    }
    post(IN_R);
    if (rank >= 2 && pass == 1 && rank != 2 && rank != 6)
        while (1) /* computes, until it is rolled back */
            heap[rank]++;
    if (rank == 2 || rank == 4)
        call_r();
    if (rank == 6)
        MPI_Comm_rank(chain_comm == MPI_COMM_NULL ? MPI_COMM_WORLD : chain_comm, &x);
}

static void make_communicators(void)
{
    MPI_Comm world = MPI_COMM_WORLD;

    MPI_Comm_split(world, rank == 2 || rank == 4 ? 0 : MPI_UNDEFINED, rank, &pair_comm);
    MPI_Comm_split(world, rank == 4 || rank == 5 ? 0 : MPI_UNDEFINED, rank, &chain_comm);
    MPI_Comm_dup(MPI_COMM_SELF, &kept_comm);
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_commit(&type);
    if (pair_comm != MPI_COMM_NULL)
        MPI_Comm_set_errhandler(pair_comm, MPI_ERRORS_ARE_FATAL);
    if (chain_comm != MPI_COMM_NULL)
        MPI_Comm_set_errhandler(chain_comm, MPI_ERRORS_ARE_FATAL);
}

/* The objects that were there at the safe point can be used. */
static void use_objects(void)
{
    int three[3] = {1, 2, 3}, got[3] = {0};

    CHECK_OK(MPI_Sendrecv(three, 1, type, 0, 1, got, 1, type, 0, 1, kept_comm, MPI_STATUS_IGNORE));
    CHECK_EQ(got[2], 3);
}

int main(int argc, char **argv)
{
    char on_stack[1000];
    int pass, n;

    start(&argc, &argv);
    how_r = atoi(argv[1]);
    make_communicators();
    heap = malloc(HEAP);
    memset(heap, 'h', HEAP);
    memset(on_stack, 's', sizeof on_stack);
    CHECK_OK(MPIX_Module_create(MPI_COMM_WORLD, rank < 4 ? recover : NULL, NULL,
                                MPIX_MODULE_ROLL_BACK, &f));
    n = call_f(1);
    pass = ++board[PASSES + rank];
    if (pass == 1)
        board[HASHES + rank] = (int)state(on_stack, sizeof on_stack);
    CHECK_EQ(board[HASHES + rank], (int)state(on_stack, sizeof on_stack));
    CHECK_EQ(n, rank < 4 ? 4 : 0);
    memset(on_stack, 't', sizeof on_stack);
    in_r(pass);
    use_objects();
    n = call_f(2);
    if (rank == 0)
        printf("F has %d ranks in call 2\n", n);
    CHECK(board[PASSES + rank] >=
          (rank == 6 ? 1 : 2)); /* a death as late as can be is the next call's */
    use_objects();
    CHECK_OK(MPIX_Module_free(&f));
    return finish();
}
