/* SPDX-License-Identifier: BSD-3-Clause */
/* s1_06_kills.c – a second death at every event of a roll-back, in each role.
 *
 *   F     ranks 0 to 3, and 4, which has no part in it, in each of CALLS calls: all add up the number of the call
 *   R     ranks 2 and 4, 3 and 5: exchange the number of the call; rank 5 has talked to rank 3 only
 *   rank 1 dies in call 2, and the rank of the recipe at the given event of the recovery
 *
 * Memory holds which call was the last one, and rolls back with it.  So if one process rolled back and another one that it has talked to
 * did not, their numbers would differ from then on.  Rank 6 has talked to nobody.
 *
 *   S1-6: modules have different processes: the participants of F recover, the others go on
 *   S1-9: a roll-back restores the state of the safe point exactly
 *   S1-11: dummy operations match what was done on one side only: all queues are empty afterwards
 *
 * RUN: -n 7 ; args 1 ; kill 3 at module.recover ; expect "F has 2 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 3 at module.decided ; expect "F has 2 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 3 at module.unwound ; expect "F has 2 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 3 at module.back ; expect "F has 2 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 3 at module.renewed ; expect "F has 2 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 3 at module.agree ; expect "F has 2 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 3 at module.point#3 ; expect "F has 2 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 3 at notify.run? ; expect "F has 2 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 0 at module.recover ; expect "F has 2 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 0 at module.decided ; expect "F has 2 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 0 at module.unwound ; expect "F has 2 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 0 at module.back ; expect "F has 2 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 0 at module.agree ; expect "F has 2 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 4 at module.recover ; expect "F has 3 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 4 at module.decided ; expect "F has 3 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 4 at module.unwound ; expect "F has 3 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 4 at module.back ; expect "F has 3 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 4 at module.renewed ; expect "F has 3 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 4 at module.point#3 ; expect "F has 3 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 5 at module.back ; expect "F has 3 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 5 at module.renewed ; expect "F has 3 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 6 at module.recover ; expect "F has 3 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 6 at module.decided ; expect "F has 3 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 6 at module.point#3 ; expect "F has 3 ranks in call 4"
 * RUN: -n 7 ; args 0 ; kill 0 at module.point ; expect "F has 3 ranks in call 4"
 * RUN: -n 7 ; args 0 ; kill 0 at module.point#2 ; expect "F has 3 ranks in call 4"
 * RUN: -n 7 ; args 0 ; kill 3 at module.point ; expect "F has 3 ranks in call 4"
 * RUN: -n 7 ; args 0 ; kill 3 at module.point#2 ; expect "F has 3 ranks in call 4"
 * RUN: -n 7 ; args 0 ; kill 4 at module.point ; expect "F has 4 ranks in call 4"
 * RUN: -n 7 ; args 0 ; kill 4 at module.point#2 ; expect "F has 4 ranks in call 4"
 * RUN: -n 7 ; args 0 ; kill 6 at module.point ; expect "F has 4 ranks in call 4"
 * RUN: -n 7 ; args 0 ; kill 6 at module.point#2 ; expect "F has 4 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 3 at module.unwound ; kill 2 at module.recover#2 ; expect "F has 1 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 3 at module.back ; kill 2 at module.decided#2 ; expect "F has 1 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 3 at module.agree ; kill 4 at module.renewed ; expect "F has 2 ranks in call 4"
 * RUN: -n 7 ; args 1 ; kill 4 at module.back ; kill 0 at module.decided#2 ; expect "F has 2 ranks in call 4"
 * RUN: -n 7 ; args 1 ; set MACHINES=2 ; kill 3 at module.back ; expect "F has 2 ranks in call 4"
 * RUN: -n 7 ; args 1 ; set MACHINES=2 ; kill 3 at module.renewed ; expect "F has 2 ranks in call 4"
 * RUN: -n 7 ; args 1 ; set MACHINES=2 ; kill 3 at module.point#3 ; expect "F has 2 ranks in call 4"
 * RUN: -n 7 ; args 1 ; set MACHINES=2 ; kill 4 at module.renewed ; expect "F has 3 ranks in call 4"
 *
 * On one core a member often takes part in the recovery inside the barrier at its leave, which is over by then:
 * RUN: -n 7 ; args 1 one_core ; set MACHINES=2 ; kill 3 at module.point#3 ; expect "F has 2 ranks in call 4" ; times 30 */
#include "../../one_core.h"

#include "../common.h"

#include <stdlib.h>

enum { BEHIND_R };

#define CALLS 4
#define HEAP  50000

static MPIX_Module f;
static MPI_Comm pair = MPI_COMM_NULL;
static char *heap;
static int done; /* calls of F */
static bool rank_1_dies;

/* All that are left are behind the same call. */
static int recover(MPI_Comm comm, int inside, void *state)
{
    int n, sum;

    (void)inside, (void)state;
    MPI_Comm_size(comm, &n);
    if (MPI_Allreduce(&done, &sum, 1, MPI_INT, MPI_SUM, comm) != MPI_SUCCESS)
        return MPI_ERR_OTHER; /* one more has died */
    CHECK_EQ(sum, n * done);
    return MPI_SUCCESS;
}

static void call_f(int call)
{
    int n, sum, me, recovered;
    MPI_Comm comm;

    CHECK_OK(MPIX_Module_enter(f, &comm));
    if (rank_1_dies && call == 2 && rank == 1) {
        await(BEHIND_R, 6);
        die_now();
    }
    if (comm != MPI_COMM_NULL) {
        if (MPI_Allreduce(&call, &sum, 1, MPI_INT, MPI_SUM, comm) != MPI_SUCCESS) {
            MPIX_Module_recover(f, &comm);
            CHECK(!"this call rolls back");
        }
        MPI_Comm_size(comm, &n);
        MPI_Comm_rank(comm, &me);
        CHECK_EQ(sum, n * call);
        if (me == 0 && call == CALLS)
            printf("F has %d ranks in call %d\n", n, call);
    }
    CHECK_OK(MPIX_Module_leave(f, &recovered));
    CHECK_EQ(done, call - 1);
    done = call;
}

/* The other one may be dead, and then it says nothing. */
static void call_r(int call)
{
    int other, got = -1, err;

    if (pair == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(pair, &other);
    other = 1 - other;
    err = MPI_Sendrecv(&call, 1, MPI_INT, other, 3, &got, 1, MPI_INT, other, 3, pair,
                       MPI_STATUS_IGNORE);
    if (err == MPI_SUCCESS)
        CHECK_EQ(got, call);
    else
        CHECK_CLASS(err, MPI_ERR_PROC_FAILED);
}

static void check_heap(int call)
{
    for (int i = 0; i < HEAP; i++)
        CHECK_EQ(heap[i], call);
}

int main(int argc, char **argv)
{
    if (argc > 2)
        take_one_core();
    start(&argc, &argv);
    rank_1_dies = atoi(argv[1]);
    heap = calloc(1, HEAP);
    MPI_Comm_split(MPI_COMM_WORLD, rank >= 2 && rank <= 5 ? rank % 2 : MPI_UNDEFINED, rank, &pair);
    CHECK_OK(MPIX_Module_create(MPI_COMM_WORLD, rank < 4 ? recover : NULL, NULL,
                                MPIX_MODULE_ROLL_BACK, &f));
    for (int call = 1; call <= CALLS; call++) {
        call_f(call);
        check_heap(call - 1);
        memset(heap, call, HEAP);
        call_r(call);
        if (rank != 1)
            post(BEHIND_R);
    }
    CHECK_OK(MPIX_Module_free(&f));
    return finish();
}
