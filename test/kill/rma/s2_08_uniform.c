/* SPDX-License-Identifier: BSD-3-Clause */
/* The creation of a window is uniform: act after act one process dies at a place of it, on a communicator of all
 * survivors, and the window exists at all the others or at none.  Where it exists, they reach each other's parts through
 * it; where it does not, none can be created on that communicator any more.  Act i of run K takes the next of the five
 * calls.
 *     args PLACE K [apart]
 * PLACE as in ../melt.h.  apart: not all share memory, so MPI_Win_allocate_shared() is refused everywhere, or all hear of the
 * death, which every other one has heard of before.
 *
 *   R30: a window or a file with dead members can be freed
 *   S0-98: the failed members of a window are known locally
 *   S2-8: creation of windows and files is uniform, too
 *
 * RUN: -n 8 ; args never {n} ; expect "7 deaths, 7 inside" ; times 5
 * RUN: -n 8 ; args after {n} ; expect "7 deaths, 0 inside" ; times 5
 * RUN: -n 16 ; args random {n} ; expect "15 deaths" ; times 10
 * RUN: -n 16 ; args random {n} ; set COLL_SHM=0 ; set AGREE_SHM=0 ; expect "15 deaths" ; times 5
 * RUN: -n 8 ; args member.create.enter {n} apart ; set MACHINES=2 ; expect "7 deaths, 7 inside" ; times 5
 * RUN: -n 8 ; args member.create.enter {n} ; expect "7 deaths, 7 inside" ; times 2
 * RUN: -n 8 ; args member.create.decided {n} ; expect "7 deaths, 7 inside" ; times 2
 * RUN: -n 8 ; args agree.enter {n} ; expect "7 deaths, 7 inside" ; times 2
 * RUN: -n 8 ; args agree.enter#2 {n} ; expect "7 deaths, 7 inside" ; times 2
 * RUN: -n 8 ; args agree.done {n} ; expect "7 deaths, 7 inside" ; times 2
 * RUN: -n 8 ; args agree.done#2 {n} ; expect "7 deaths, 7 inside" ; times 5
 * RUN: -n 8 ; args coll.shm.arrived {n} ; expect "7 deaths, 7 inside" ; times 5
 * RUN: -n 8 ; args coll.done {n} ; expect "7 deaths, 7 inside" ; times 5
 * RUN: -n 8 ; args agree.sent.up#2 {n} ; set AGREE_SHM=0 ; expect "7 deaths" ; times 2
 * RUN: -n 8 ; args agree.sent.down {n} ; set AGREE_SHM=0 ; expect "7 deaths" ; times 2
 * RUN: -n 8 ; args agree.decided#2 {n} ; set AGREE_SHM=0 ; expect "7 deaths" ; times 2 */
#include "kill/melt.h"

#include <mpi_ft.h>

enum call { CREATE, ALLOCATE, SHARED, CREATE_DYNAMIC, OF_ALLOC_MEM, CALLS };

#define FAILED MPI_ERR_PROC_FAILED
#define BYTES  8192

static bool apart;
static char *from_alloc_mem, own[BYTES];

static int create(enum call call, MPI_Comm c, MPI_Win *win)
{
    char *base;

    switch (call) {
    case CREATE:
        return MPI_Win_create(own, BYTES, 4, MPI_INFO_NULL, c, win);
    case ALLOCATE:
        return MPI_Win_allocate(BYTES, 4, MPI_INFO_NULL, c, &base, win);
    case SHARED:
        return MPI_Win_allocate_shared(BYTES, 4, MPI_INFO_NULL, c, &base, win);
    case CREATE_DYNAMIC:
        return MPI_Win_create_dynamic(MPI_INFO_NULL, c, win);
    default:
        return MPI_Win_create(from_alloc_mem, BYTES, 4, MPI_INFO_NULL, c, win);
    }
}

/* Each survivor writes to the next one and reads it back. */
static void reach_the_next(MPI_Win win, int next)
{
    int out = rank, in = -1;

    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win));
    CHECK_OK(MPI_Put(&out, 1, MPI_INT, next, 7, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_flush(next, win));
    CHECK_OK(MPI_Get(&in, 1, MPI_INT, next, 7, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_unlock(next, win));
    CHECK_EQ(in, rank);
}

static void use(enum call call, MPI_Win win, MPI_Comm all, int victim)
{
    MPI_Group failed;
    int n, me, next;

    MPI_Comm_size(all, &n);
    MPI_Comm_rank(all, &me);
    next = (me + 1) % n == victim ? (me + 2) % n : (me + 1) % n;
    if (call != CREATE_DYNAMIC)
        reach_the_next(win, next);
    CHECK_CLASS(MPI_Win_fence(0, win), FAILED);
    CHECK_OK(MPIX_Win_get_failed(win, &failed)); /* S0-98 */
    MPI_Group_size(failed, &n);
    CHECK_EQ(n, 1);
    MPI_Group_free(&failed);
}

static MPI_Comm play(const char *where, MPI_Comm all, int act, unsigned dice, enum call call)
{
    MPI_Win win = MPI_WIN_NULL;
    MPI_Comm rest;
    int n, me, victim, made, least, most;

    MPI_Comm_size(all, &n);
    MPI_Comm_rank(all, &me);
    victim = (int)(dice % (unsigned)n);
    snprintf(doing, sizeof doing, "act %d: call %d, victim %d of %d", act, call, victim, n);
    CHECK_OK(MPI_Comm_split(all, me == victim ? MPI_UNDEFINED : 0, -rank, &rest));
    if (me == victim) {
        meet_death(where, act, n - 1, 1 + dice / 16 % 150);
        create(call, all, &win);
        die_after(where, act);
    }
    MPI_Comm_set_errhandler(rest, MPI_ERRORS_RETURN);
    post(slot(act, READY));
    if (apart && me % 2)
        wait_until_dead(all, victim);
    made = class_of(create(call, all, &win));
    CHECK(made == MPI_SUCCESS || made == FAILED ||
          (made == MPI_ERR_RMA_SHARED && apart && call == SHARED));
    CHECK((made == MPI_SUCCESS) == (win != MPI_WIN_NULL));
    CHECK_OK(MPI_Allreduce(&made, &least, 1, MPI_INT, MPI_MIN, rest));
    CHECK_OK(MPI_Allreduce(&made, &most, 1, MPI_INT, MPI_MAX, rest));
    CHECK_EQ(least, most); /* S2-8 */
    CHECK(strcmp(where, "never") || made == FAILED);
    CHECK(strcmp(where, "after") || made == MPI_SUCCESS);
    wait_until_dead(all, victim);
    if (win != MPI_WIN_NULL) {
        CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
        use(call, win, all, victim);
        CHECK_OK(MPI_Win_free(&win)); /* R30 */
    }
    CHECK_CLASS(create(call, all, &win), FAILED);
    CHECK(win == MPI_WIN_NULL);
    return rest;
}

int main(int argc, char **argv)
{
    unsigned run = (unsigned)atoi(argv[2]);
    MPI_Comm all;

    apart = argc > 3;
    arm(argv[1]);
    start(&argc, &argv);
    CHECK_OK(MPI_Alloc_mem(BYTES, MPI_INFO_NULL, &from_alloc_mem));
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &all));
    for (int i = 0; i < size - 1; i++) {
        MPI_Comm rest = play(argv[1], all, i, mix(run * 1009u + (unsigned)i),
                             (enum call)((run + (unsigned)i) % CALLS));

        MPI_Comm_free(&all);
        all = rest;
    }
    tell_deaths(argv[1], true, all);
    CHECK_OK(MPI_Free_mem(from_alloc_mem));
    return finish();
}
