/* SPDX-License-Identifier: BSD-3-Clause */
/* A member of a window that is being made dies at a random instant, and another one has no memory just then: its first,
 * second, third ... allocation fails, or all from that one on.  All survivors have the window, or none has it and all
 * see the same error, MPI_ERR_NO_MEM or MPI_ERR_PROC_FAILED.  With memory again those that are left make a window.
 *
 *     window_deaths RUN
 *
 *   R30: a window or a file with dead members can be freed
 *   S2-8: creation of windows and files is uniform, too
 *
 * RUN: -n 6 ; args {n} ; set MEMORY_FAULTS=1 ; expect "no memory in" ; time 60 ; times 8
 * RUN: -n 6 ; args {n} ; set MEMORY_FAULTS=1 ; set RMA_SHM=0 ; expect "no memory in" ; time 60 ; times 6
 * RUN: -n 6 ; args {n} ; set MEMORY_FAULTS=1 ; set AGREE_SHM=0 ; set COLL_SHM=0 ; expect "no memory in" ; time 60 ; times 6 */
#include "kill/memory/scarce.h"

#include "mpi/rma/common.h"

#define ACTS   5 /* the members melt from 6 to 1 */
#define BYTES  8192
#define DENIED ACTS /* slot of the board: acts in which an allocation failed */

static char memory[BYTES];

static unsigned mix(unsigned x)
{
    x = (x ^ x >> 16) * 0x45d9f3bu;
    return x ^ x >> 16;
}

static int create(unsigned which, MPI_Comm comm, MPI_Win *win)
{
    char *base;

    switch (which % 4) {
    case 0:
        return MPI_Win_create(memory, BYTES, 1, MPI_INFO_NULL, comm, win);
    case 1:
        return MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, comm, &base, win);
    case 2:
        return MPI_Win_create_dynamic(MPI_INFO_NULL, comm, win);
    default:
        return MPI_Win_allocate_shared(BYTES, 1, MPI_INFO_NULL, comm, &base, win);
    }
}

/* S2-8 */
static void check_uniform(int class, MPI_Win win, MPI_Comm rest)
{
    int least, most;

    CHECK(class == MPI_SUCCESS || class == MPI_ERR_PROC_FAILED || class == MPI_ERR_NO_MEM);
    CHECK((class == MPI_SUCCESS) == (win != MPI_WIN_NULL));
    CHECK_OK(MPI_Allreduce(&class, &least, 1, MPI_INT, MPI_MIN, rest));
    CHECK_OK(MPI_Allreduce(&class, &most, 1, MPI_INT, MPI_MAX, rest));
    CHECK_EQ(least, most);
}

static void use_and_free(MPI_Win *win, int expected)
{
    CHECK_OK(MPI_Win_set_errhandler(*win, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOSUCCEED, *win), expected);
    CHECK_OK(MPI_Win_free(win)); /* R30 */
}

/* One dies, one is poor; the communicator of those that are left. */
static MPI_Comm play(int act, unsigned dice, MPI_Comm all)
{
    int n, me, victim, poor, class;
    MPI_Win win = MPI_WIN_NULL;
    MPI_Comm rest;

    MPI_Comm_size(all, &n);
    MPI_Comm_rank(all, &me);
    victim = (int)(dice % (unsigned)n);
    poor = (victim + 1 + (int)(dice >> 4) % (n - 1)) % n;
    snprintf(doing, sizeof doing, "act %d: victim %d, poor %d of %d", act, victim, poor, n);
    CHECK_OK(MPI_Comm_split(all, me == victim ? MPI_UNDEFINED : 0, rank, &rest));
    if (me == victim) {
        await_in_mpi(act, n - 1);
        die_soon(1 + dice / 64 % 200);
        create(dice >> 8, all, &win);
        die_now();
    }
    MPI_Comm_set_errhandler(rest, MPI_ERRORS_RETURN);
    scarce_denied = 0;
    if (me == poor)
        scarce_set((int)(1 + dice / 1024 % 20) * (dice >> 20 & 1 ? 1 : -1));
    post(act);
    class = class_of(create(dice >> 8, all, &win));
    enough();
    if (me == poor && scarce_denied > 0)
        post(DENIED);
    check_uniform(class, win, rest);
    wait_until_dead(all, victim);
    if (win != MPI_WIN_NULL)
        use_and_free(&win, MPI_ERR_PROC_FAILED);
    CHECK_OK(create(dice >> 8, rest, &win));
    use_and_free(&win, MPI_SUCCESS);
    return rest;
}

int main(int argc, char **argv)
{
    MPI_Comm all;

    start(&argc, &argv);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &all));
    for (int act = 0; act < ACTS; act++) {
        MPI_Comm rest = play(act, mix((unsigned)atoi(argv[1]) * 64u + (unsigned)act + 1u), all);

        CHECK_OK(MPI_Comm_free(&all));
        all = rest;
    }
    CHECK(posted(DENIED) > 0);
    printf("no memory in %d acts\n", posted(DENIED));
    CHECK_OK(MPI_Comm_free(&all));
    return finish();
}
