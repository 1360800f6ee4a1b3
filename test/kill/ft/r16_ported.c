/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs in the forms that are usual with today's user-level failure mitigation work
 * unchanged; doc/porting.md says so.
 *
 *   alike   acknowledge all that is known, agree, again until that is a success: then all survivors have
 *           acknowledged the same failures, in one order each, and get_failed begins with them
 *   mend    the error handler looks which ranks are lost, revokes and shrinks; the call that failed is repeated
 *   spares  the error handler revokes and jumps out of the call; a spare rank takes over the number of each
 *           lost one, and the survivors go back to the step that all have (as Fenix does)

 *
 *   R15: for failures the error code is the class, under both sets of names
 *   R16: MPI_Comm_agreement takes a truth value, MPIX_Comm_agree a word
 *   R17: MPIX_Comm_shrink takes any communicator, MPI_Comm_shrink a revoked one
 *   R24: an error handler may leave the call by longjmp */
/* RUN: -n 4 ; args alike ; kill 2 at call:MPI_Barrier ; expect "rank 3 ok" */
/* RUN: -n 5 ; args alike ; kill 1 at call:MPI_Barrier ; kill 4 at call:MPIX_Comm_agree ; expect "rank 3 ok" */
/* RUN: -n 8 ; args alike ; kill 1,6 at call:MPI_Barrier ; kill 4 at agree.done ; expect "rank 3 ok" */
/* RUN: -n 4 ; args mend ; kill 2 at call:MPI_Allreduce#5 ; expect "rank 3 ok" */
/* RUN: -n 5 ; args mend ; kill 0 at call:MPI_Allreduce#5 ; kill 1 at call:MPIX_Comm_shrink ; expect "rank 3 ok" */
/* RUN: -n 4 ; args spares ; kill 0 at call:MPI_Allreduce#9 ; expect "rank 3 ok" */
/* RUN: -n 6 ; args spares ; kill 0 at call:MPI_Allreduce#9 ; kill 2 at call:MPI_Allreduce#20 ; expect "rank 3 ok" */
/* RUN: -n 6 ; args spares ; kill 1 at call:MPI_Allreduce#9 ; kill 2 at call:MPIX_Comm_shrink ; expect "rank 3 ok" */
#include "../common.h"

#include <setjmp.h>

#define STEPS  30
#define SPARES 2

static MPI_Comm comm;

/* ---- alike ---- */

static int number_that_all_acknowledged(void)
{
    int n = 0, flag = 1, err;

    do {
        MPIX_Comm_ack_failed(comm, size, &n);
        err = MPIX_Comm_agree(comm, &flag);
        CHECK(err == MPI_SUCCESS || class_of(err) == MPIX_ERR_PROC_FAILED);
    } while (err);
    return n;
}

static void alike(void)
{
    int mine, most, least, known;
    MPI_Group failed;
    MPI_Comm survivors;

    comm = MPI_COMM_WORLD;
    MPI_Barrier(comm);
    wait_until_dead(comm, size == 4 ? 2 : 1);
    mine = number_that_all_acknowledged();
    MPIX_Comm_get_failed(comm, &failed);
    MPI_Group_size(failed, &known);
    CHECK(mine >= 1 && known >= mine);
    MPI_Group_free(&failed);
    CHECK_EQ(MPIX_Comm_shrink(comm, &survivors), MPI_SUCCESS);
    if (MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, survivors) == MPI_SUCCESS &&
        MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, survivors) == MPI_SUCCESS)
        CHECK_EQ(least, most);
}

/* ---- mend ---- */

static int repairs;

static void shrink_in_handler(MPI_Comm *c, int *err, ...)
{
    int class = class_of(*err);
    MPI_Comm survivors;
    MPI_Group lost;

    CHECK(class == MPIX_ERR_PROC_FAILED || class == MPIX_ERR_REVOKED);
    MPIX_Comm_failure_ack(*c);
    MPIX_Comm_failure_get_acked(*c, &lost);
    MPI_Group_free(&lost);
    MPIX_Comm_revoke(*c);
    CHECK_EQ(MPIX_Comm_shrink(*c, &survivors), MPI_SUCCESS);
    comm = survivors;
    repairs++;
}

/* The least step of all, also if more are lost meanwhile. */
static int least_step(int step)
{
    int least, before;

    do {
        before = repairs;
        MPI_Allreduce(&step, &least, 1, MPI_INT, MPI_MIN, comm);
    } while (repairs != before);
    return least;
}

/* An allreduce is not uniform: the one that failed here may have succeeded elsewhere.  So all go back to
 * the step that all have made. */
static void mend(void)
{
    MPI_Errhandler handler;

    MPI_Comm_create_errhandler(shrink_in_handler, &handler);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, handler); /* shrunken communicators inherit it */
    for (int step = 0; step < STEPS;) {
        int one = 1, n = 0, members, before = repairs;

        MPI_Allreduce(&one, &n, 1, MPI_INT, MPI_SUM, comm);
        if (repairs != before) {
            step = least_step(step);
            continue;
        }
        MPI_Comm_size(comm, &members);
        CHECK_EQ(n, members);
        step++;
    }
    MPI_Errhandler_free(&handler);
}

/* ---- spares ---- */

static jmp_buf again;

static void jump_out(MPI_Comm *c, int *err, ...)
{
    int class = class_of(*err);

    CHECK(class == MPIX_ERR_PROC_FAILED || class == MPIX_ERR_REVOKED);
    MPIX_Comm_revoke(*c);
    longjmp(again, 1);
}

/* The number that I have from now on, or -1: spares take the missing ones in order. */
static int take_number(int number, int active, const int *numbers, int n, int me)
{
    bool taken[64] = {false};
    int spare = 0;

    if (number >= 0)
        return number;
    for (int i = 0; i < n; i++)
        if (numbers[i] >= 0)
            taken[numbers[i]] = true;
        else if (i < me)
            spare++;
    for (int i = 0; i < active; i++)
        if (!taken[i] && spare-- == 0)
            return i;
    return -1;
}

/* static: they keep their values over a jump */
static int number, step, total;

static void spares(void)
{
    int numbers[64], active = size - SPARES, n, me;
    MPI_Comm survivors;
    MPI_Errhandler handler;

    number = rank < active ? rank : -1;
    MPI_Comm_create_errhandler(jump_out, &handler);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, handler);
    if (setjmp(again)) { /* only now: the communicator of before is revoked */
        CHECK_EQ(MPIX_Comm_shrink(comm, &survivors), MPI_SUCCESS);
        comm = survivors;
    }
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &me);
    MPI_Allgather(&number, 1, MPI_INT, numbers, 1, MPI_INT, comm);
    number = take_number(number, n < active ? n : active, numbers, n, me);
    MPI_Allreduce(MPI_IN_PLACE, &step, 1, MPI_INT, MPI_MIN, comm);
    for (total = 0; step < STEPS; step++) {
        int mine = number >= 0 ? number + 1 : 0;

        MPI_Allreduce(&mine, &total, 1, MPI_INT, MPI_SUM, comm);
        CHECK_EQ(total, active * (active + 1) / 2); /* every number is there, once */
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (!strcmp(argv[1], "alike"))
        alike();
    else if (!strcmp(argv[1], "mend"))
        mend();
    else
        spares();
    return finish();
}
