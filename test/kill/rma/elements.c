/* SPDX-License-Identifier: BSD-3-Clause */
/* A process dies, or stops for a while, in the middle of an accumulate of doubles, when it has the lock of the elements:
 * half of its origin buffer cannot be read.  Integers are not held up.
 *
 *   S0-40: one-sided operations never report a death
 *   S0-96: it ends the calls that wait on the window
 *
 * RUN: -n 4 ; args dies
 * RUN: -n 8 ; args dies
 * RUN: -n 4 ; args revoked */
#include "../common.h"

#include "../../mpi/rma/common.h"

#define VICTIM  1
#define DOUBLES 4096

enum { INSIDE, WAITING, REVOKED };

static struct window k;
static bool dies;

/* The victim has the lock now. */
static void on_fault(int signal)
{
    (void)signal;
    post(INSIDE);
    await(WAITING, size - 1);
    if (!dies)
        await(REVOKED, size - 1);
    die_now();
}

static void be_caught(void)
{
    size_t bytes = DOUBLES * sizeof(double);
    char *from = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    signal(SIGSEGV, on_fault);
    CHECK(from != MAP_FAILED && mprotect(from + bytes, bytes, PROT_NONE) == 0);
    MPI_Accumulate(from, 2 * DOUBLES, MPI_DOUBLE, 0, 0, 2 * DOUBLES, MPI_DOUBLE, MPI_SUM, k.win);
    CHECK(!"the buffer could be read");
}

static int add(double x)
{
    return class_of(
        MPI_Accumulate(&x, 1, MPI_DOUBLE, 0, 2 * DOUBLES, 1, MPI_DOUBLE, MPI_SUM, k.win));
}

/* While the victim has the lock. */
static void count(void)
{
    int64_t one = 1, old = -1;

    CHECK_OK(MPI_Fetch_and_op(&one, &old, MPI_INT64_T, 0, 2 * DOUBLES + 1, MPI_SUM, k.win));
    CHECK(old >= 0 && old < size - 1);
}

static void survive(void)
{
    double sum = 0;

    post(WAITING);
    CHECK_EQ(add(1), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_flush(VICTIM, k.win), MPI_ERR_PROC_FAILED);
    CHECK_OK(MPI_Win_flush(0, k.win));
    post(REVOKED);
    await(REVOKED, size - 1); /* all have added */
    CHECK_OK(MPI_Get(&sum, 1, MPI_DOUBLE, 0, 2 * DOUBLES, 1, MPI_DOUBLE, k.win));
    CHECK_OK(MPI_Win_flush(0, k.win));
    CHECK_EQ((int)sum, size - 1);
    CHECK_CLASS(MPI_Win_unlock_all(k.win), MPI_ERR_PROC_FAILED);
}

static void be_revoked(void)
{
    post(WAITING);
    if (rank == 0) {
        await(WAITING, size - 1);
        CHECK_OK(MPIX_Win_revoke(k.win));
    }
    CHECK_EQ(add(1), MPI_ERR_INVALIDATED);
    post(REVOKED);
    wait_until_dead(W, VICTIM);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    after_init();
    dies = !strcmp(argv[1], "dies");
    k = make_window(ALLOCATED, (2 * DOUBLES + 2) * 8, 8, W);
    CHECK_OK(MPI_Win_lock_all(0, k.win));
    CHECK_OK(MPI_Barrier(W));
    if (rank == VICTIM)
        be_caught();
    await(INSIDE, 1);
    count();
    if (dies)
        survive();
    else
        be_revoked();
    free_window(&k);
    MPI_Finalize();
    return 0;
}
