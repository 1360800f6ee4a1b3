/* SPDX-License-Identifier: BSD-3-Clause */
/* s1_06_beside.c – a module that rolls back, beside a part of the program that recovers in today's vocabulary from the same deaths.
 *
 *            rank 0       rank 1     rank 2       rank 3       rank 4
 *     F      call 1       call 1     call 1       call 1       (no part)
 *   -------- safe point 1 -------------------------------------------------
 *     T      sum          dies       sum          sum          sum            error, agree, revoke, shrink: T has 4 processes
 *     F      call 2                  call 2       call 2                      error: all go back to safe point 1
 *   -------- safe point 1 -------------------------------------------------   T has its old communicator again, not revoked
 *     T      sum                     sum          sum          sum            error, agree, revoke, shrink once more
 *     F      call 2                  call 2       call 2
 *
 * Then the same with rank 2, which dies in T's second call.  Each call of T counts once.
 *
 *   S1-5: wherever they learn of a failure, in F or behind it, all get to F's recovery
 *   S1-6: modules have different processes: the participants of F recover, the others go on
 *   S1-9: a roll-back restores the state of the safe point exactly
 *
 * RUN: -n 5 ; args strict ; expect "F has 2, T has 3"
 * RUN: -n 5 ; args strict ; set MACHINES=2 ; expect "F has 2, T has 3"
 * RUN: -n 5 ; args strict ; set SAFE_POINT=drop ; expect "F has 2, T has 3"
 * RUN: -n 5 ; kill 3 at module.recover ; expect "F has 1, T has 2"
 * RUN: -n 5 ; kill 3 at module.decided ; expect "F has 1, T has 2"
 * RUN: -n 5 ; args apart ; kill 3 at module.unwound ; expect "F has 1, T has 2"
 * RUN: -n 5 ; args apart ; kill 3 at module.back ; expect "F has 1, T has 2"
 * RUN: -n 5 ; kill 3 at module.point#2 ; expect "F has 1, T has 2"
 * RUN: -n 5 ; args apart ; kill 4 at module.unwound ; expect "F has 2, T has 2"
 * RUN: -n 5 ; args apart ; kill 4 at module.back#2 ; expect "F has 2, T has 2"
 * RUN: -n 5 ; args apart ; set MACHINES=2 ; kill 4 at module.back#2 ; expect "F has 2, T has 2" ; times 5 */
#include "../common.h"

#include <string.h>

#define CALLS 3

enum { PASSES };

static MPIX_Module f;
static MPI_Comm t;  /* of T */
static int call_no; /* memory that rolls back */
static int calls_of_t;
static bool apart;  /* there is a roll-back for each of ranks 1 and 2 */
static bool strict; /* and nobody else dies */

static int recover(MPI_Comm comm, int inside, void *state)
{
    (void)inside, (void)state;
    return MPI_Barrier(comm);
}

/* Returns how many took part. */
static int call_f(void)
{
    int one = 1, n = 0, recovered;
    MPI_Comm comm;

    CHECK_OK(MPIX_Module_enter(f, &comm));
    if (comm != MPI_COMM_NULL &&
        MPI_Allreduce(&one, &n, 1, MPI_INT, MPI_SUM, comm) != MPI_SUCCESS) {
        MPIX_Module_recover(f, &comm);
        CHECK(!"this call rolls back");
    }
    CHECK_OK(MPIX_Module_leave(f, &recovered));
    return n;
}

/* As programs with fault tolerance do it: again, on what is left. */
static int count_t(void)
{
    for (;;) {
        MPI_Comm smaller;
        int one = 1, n = 0, err = MPI_Allreduce(&one, &n, 1, MPI_INT, MPI_SUM, t);
        int good = err == MPI_SUCCESS;

        if (MPIX_Comm_agree(t, &good) == MPI_SUCCESS && good)
            return n;
        CHECK_OK(MPIX_Comm_revoke(t));
        CHECK_OK(MPIX_Comm_shrink(t, &smaller));
        CHECK_OK(MPI_Comm_free(&t));
        t = smaller;
    }
}

/* A death while others leave F would be one of that call, and undo nothing: everyone else has left it first, or is dead.
 * Each earlier death has made everyone leave one call twice. */
static void die_behind_f(void)
{
    for (int i = 0; apart && i < size; i++)
        while (posted(PASSES + i) < 2 * call_no - 1 && !is_known_dead(MPI_COMM_WORLD, i))
            sched_yield();
    die_now();
}

/* Rank 1 dies in T's first call, rank 2 in its second one. */
static int call_t(void)
{
    CHECK_EQ(++calls_of_t, call_no);
    if (rank == call_no && rank <= 2)
        die_behind_f();
    return count_t();
}

int main(int argc, char **argv)
{
    int in_f = 0, in_t = 0;

    start(&argc, &argv);
    apart = argc > 1;
    strict = apart && !strcmp(argv[1], "strict");
    MPI_Comm_dup(MPI_COMM_WORLD, &t);
    CHECK_OK(MPIX_Module_create(MPI_COMM_WORLD, rank < 4 ? recover : NULL, NULL,
                                MPIX_MODULE_ROLL_BACK, &f));
    for (call_no = 1; call_no <= CALLS; call_no++) {
        in_f = call_f();
        post(PASSES + rank);
        in_t = call_t();
    }
    if (rank == 0)
        printf("F has %d, T has %d\n", in_f, in_t);
    CHECK(!strict || posted(PASSES + rank) == CALLS + 2); /* each death is undone once */
    CHECK_OK(MPIX_Module_free(&f));
    return finish();
}
