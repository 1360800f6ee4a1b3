/* SPDX-License-Identifier: BSD-3-Clause */
/* What the death of a member does to each kind of epoch, by loads and stores and by messages:
 *
 *   R9: a shared holder owns the lock, too
 *   R29: lock_all with a dead member opens the epoch towards the survivors
 *   R30: a window or a file with dead members can be freed
 *   R31: the memory of a dead member stays as it was
 *   R32: another holder's unlock reports the death and its data is there
 *   R39: a death within lock_all poisons nothing
 *   S0-40: one-sided operations never report a death
 *   S0-41: the synchronization reports a death
 *   S0-42: a synchronization that fails has its effect on the epoch
 *   S0-43: some get the error of a synchronization, others success
 *   S0-45: a synchronization that reports a failure completes the epoch
 *   S0-46: locking a dead target fails
 *   S0-47: unlocking a dead target fails
 *   S0-48: a lock whose holder died is never acquired again
 *   S0-49: a request may complete although its epoch fails
 *   S0-98: the failed members of a window are known locally
 *
 * RUN: -n 4 ; args target allocated
 * RUN: -n 4 ; args target created
 * RUN: -n 4 ; args target allocated ; set RMA_SHM=0
 * RUN: -n 4 ; args exclusive allocated
 * RUN: -n 4 ; args exclusive created
 * RUN: -n 4 ; args exclusive allocated ; set RMA_SHM=0
 * RUN: -n 4 ; args shared allocated
 * RUN: -n 4 ; args shared created
 * RUN: -n 4 ; args shared allocated ; set RMA_SHM=0
 * RUN: -n 4 ; args all allocated
 * RUN: -n 4 ; args all created
 * RUN: -n 4 ; args all allocated ; set RMA_SHM=0
 * RUN: -n 5 ; args some allocated
 * RUN: -n 5 ; args some created
 * RUN: -n 5 ; args some allocated ; set RMA_SHM=0
 * RUN: -n 8 ; args fence allocated
 * RUN: -n 8 ; args fence created
 * RUN: -n 8 ; args fence allocated ; set RMA_SHM=0
 * RUN: -n 4 ; args waiter allocated
 * RUN: -n 4 ; args waiter created
 * RUN: -n 4 ; args waiter allocated ; set RMA_SHM=0
 * RUN: -n 4 ; args left allocated
 * RUN: -n 4 ; args left created
 * RUN: -n 4 ; args left allocated ; set RMA_SHM=0 */
#include "../common.h"

#include "../../mpi/rma/common.h"

#define VICTIM 1
#define FAILED MPI_ERR_PROC_FAILED

static struct window k;
static bool one_node;

/* Messages between the members, apart from the window. */
static void tell(int to)
{
    CHECK_OK(MPI_Send(NULL, 0, MPI_INT, to, 0, W));
}

static void hear(int from)
{
    CHECK_OK(MPI_Recv(NULL, 0, MPI_INT, from, 0, W, MPI_STATUS_IGNORE));
}

/* The victim lives until everybody has returned from the last collective call. */
static void all_returned(int counter)
{
    post(counter);
    await(counter, rank == VICTIM ? size : 0);
}

/* Until this process knows that the victim is dead. */
static void mourn(void)
{
    CHECK_CLASS(MPI_Recv(NULL, 0, MPI_INT, VICTIM, 99, W, MPI_STATUS_IGNORE), FAILED);
}

static int *ints(void)
{
    return (int *)k.base;
}

static void read_int(int target, int i, int expected)
{
    int v = -1;

    CHECK_OK(MPI_Get(&v, 1, MPI_INT, target, disp_of(&k, target, i, 4), 1, MPI_INT, k.win));
    CHECK_OK(MPI_Win_flush(target, k.win));
    CHECK_EQ(v, expected);
}

static int values[1000], values_n;

/* What is put stays as it is until the epoch ends. */
static int put(int target, int i, int v)
{
    int *from = &values[values_n++];

    *from = v;
    return class_of(
        MPI_Put(from, 1, MPI_INT, target, disp_of(&k, target, i, 4), 1, MPI_INT, k.win));
}

static void target_is_dead(void)
{
    MPI_Group failed;
    MPI_Request r;
    int n, v;

    if (rank == VICTIM)
        die_now();
    mourn();
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, VICTIM, 0, k.win), FAILED); /* S0-46 */
    CHECK_EQ(put(VICTIM, 0, 7), MPI_SUCCESS);                                /* S0-40 */
    CHECK_CLASS(MPI_Win_unlock(VICTIM, k.win), FAILED); /* S0-41, S0-42, S0-47 */
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, VICTIM, 0, k.win), FAILED);
    CHECK_CLASS(MPI_Win_lock_all(0, k.win),
                FAILED); /* R29, and that the failed one is not an epoch */
    CHECK_EQ(put(0, 10 + rank, rank), MPI_SUCCESS);
    CHECK_OK(MPI_Win_flush(0, k.win));
    CHECK_EQ(put(VICTIM, 0, 7), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_flush(VICTIM, k.win), FAILED);
    read_int(0, 10 + rank, rank);
    CHECK_OK(MPI_Rget(&v, 1, MPI_INT, 0, disp_of(&k, 0, 10 + rank, 4), 1, MPI_INT, k.win, &r));
    CHECK_OK(
        MPI_Wait(&r, MPI_STATUS_IGNORE)); /* S0-49: from a survivor, whichever others are dead */
    CHECK_EQ(v, rank);
    CHECK_CLASS(MPI_Win_unlock_all(k.win), FAILED);
    CHECK_OK(MPI_Win_get_failed(k.win, &failed)); /* S0-98 */
    MPI_Group_size(failed, &n);
    CHECK_EQ(n, 1);
    MPI_Group_free(&failed);
}

static void holder_dies(int type)
{
    if (rank == VICTIM) {
        CHECK_OK(MPI_Win_lock(type, 0, 0, k.win));
        CHECK_EQ(put(0, 0, 42), MPI_SUCCESS);
        CHECK_OK(MPI_Win_flush(0, k.win));
        if (type == MPI_LOCK_SHARED)
            hear(2);
        die_now();
    }
    if (rank == 2 && type == MPI_LOCK_SHARED) { /* it holds the lock as well */
        CHECK_OK(MPI_Win_lock(type, 0, 0, k.win));
        CHECK_EQ(put(0, 1, 43), MPI_SUCCESS);
        tell(VICTIM);
        mourn();
        CHECK_CLASS(MPI_Win_unlock(0, k.win), FAILED); /* R32 */
        tell(0);
    }
    mourn();
    if (rank == 0 && type == MPI_LOCK_SHARED) {
        hear(2);
        CHECK_EQ(ints()[1], 43);
    }
    for (int i = 0; i < 3; i++) { /* S0-48, R9 */
        CHECK_CLASS(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, k.win), FAILED);
        CHECK_CLASS(MPI_Win_unlock(0, k.win), FAILED);
        CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, k.win), FAILED);
        CHECK_CLASS(MPI_Win_unlock(0, k.win), FAILED);
    }
    CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, k.win)); /* that of another target is free */
    CHECK_EQ(put(2, 20 + rank, rank), MPI_SUCCESS);
    CHECK_OK(MPI_Win_unlock(2, k.win));
}

static void one_of_all_dies(void)
{
    if (rank == VICTIM) {
        CHECK_OK(MPI_Win_lock_all(0, k.win));
        CHECK_EQ(put(0, 0, 42), MPI_SUCCESS);
        CHECK_OK(MPI_Win_flush(0, k.win));
        die_now();
    }
    mourn();
    CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, k.win)); /* R39 */
    CHECK_EQ(put(0, 10 + rank, rank), MPI_SUCCESS);
    CHECK_OK(MPI_Win_unlock(0, k.win));
    if (rank == 0)
        CHECK_EQ(ints()[0], 42);
}

/* Nobody is harmed by one that dies while it waits for a lock. */
static void waiter_dies(void)
{
    if (rank == 0) {
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, k.win));
        tell(VICTIM);
        mourn();
        CHECK_OK(MPI_Win_unlock(2, k.win));
    }
    if (rank == VICTIM) {
        hear(0);
        die_soon(20000); /* while it waits: the holder lets nobody in before */
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, k.win);
        die_now();
    }
    mourn();
    CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, k.win));
    CHECK_EQ(put(2, 10 + rank, rank), MPI_SUCCESS);
    CHECK_OK(MPI_Win_unlock(2, k.win));
}

/* Rank 0 writes to all others; the victim dies before it completes. */
static void some(void)
{
    MPI_Group all, others, first;
    int zero = 0;

    CHECK_OK(MPI_Win_get_group(k.win, &all));
    MPI_Group_excl(all, 1, &zero, &others);
    MPI_Group_incl(all, 1, &zero, &first);
    if (rank == 0) {
        CHECK_OK(MPI_Win_start(others, 0, k.win));
        tell(VICTIM);
        mourn();
        for (int t = 1; t < size; t++)
            CHECK_EQ(put(t, 3, 100 + t), MPI_SUCCESS);
        CHECK_CLASS(MPI_Win_complete(k.win), FAILED);
    } else {
        CHECK_OK(MPI_Win_post(first, 0, k.win));
        if (rank == VICTIM) {
            hear(0);
            die_now();
        }
        CHECK_OK(MPI_Win_wait(k.win)); /* it involves rank 0 only */
        CHECK_EQ(ints()[3], 100 + rank);
    }
    mourn();
    if (rank == 0) { /* S0-42: the next epoch of any kind; the dead one is in it from the start */
        CHECK_CLASS(MPI_Win_start(others, 0, k.win), FAILED);
        for (int t = 1; t < size; t++)
            CHECK_EQ(put(t, 3, 200 + t), MPI_SUCCESS);
        CHECK_CLASS(MPI_Win_complete(k.win), FAILED);
    } else {
        CHECK_OK(MPI_Win_post(first, 0, k.win));
        CHECK_OK(MPI_Win_wait(k.win));
        CHECK_EQ(ints()[3], 200 + rank); /* S0-45 */
    }
    MPI_Group_free(&all);
    MPI_Group_free(&others);
    MPI_Group_free(&first);
}

/* The survivors' own epoch of groups: all write to rank 0. */
static void groups_of_survivors(void)
{
    MPI_Group all, survivors, first;
    int dead = VICTIM, zero = 0;

    CHECK_OK(MPI_Win_get_group(k.win, &all));
    MPI_Group_excl(all, 1, &dead, &survivors);
    MPI_Group_incl(all, 1, &zero, &first);
    if (rank == 0)
        CHECK_OK(MPI_Win_post(survivors, 0, k.win));
    CHECK_OK(MPI_Win_start(first, 0, k.win));
    CHECK_EQ(put(0, 20 + rank, 200 + rank), MPI_SUCCESS);
    CHECK_OK(MPI_Win_complete(k.win));
    if (rank == 0) {
        CHECK_OK(MPI_Win_wait(k.win));
        CHECK_EQ(ints()[20 + size - 1], 200 + size - 1);
        CHECK_EQ(ints()[20], 200);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&survivors);
    MPI_Group_free(&first);
}

/* A lock is refused, and the program neither unlocks nor gives up. */
static void refused_is_left(void)
{
    if (rank == VICTIM) {
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, k.win));
        CHECK_OK(MPI_Win_flush(0, k.win));
        die_now();
    }
    mourn();
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, k.win), FAILED);
    CHECK_EQ(put(0, 10 + rank, 99), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_flush(0, k.win), FAILED); /* S0-48: nothing was put */
    CHECK_CLASS(MPI_Win_flush_local(0, k.win), FAILED);
    CHECK_CLASS(MPI_Win_lock_all(0, k.win), FAILED);
    read_int(0, 10 + rank, 0);
    CHECK_EQ(put(0, 10 + rank, rank), MPI_SUCCESS);
    CHECK_OK(MPI_Win_flush(0, k.win));
    read_int(0, 10 + rank, rank);
    CHECK_CLASS(MPI_Win_unlock_all(k.win), FAILED);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, k.win), FAILED);
    groups_of_survivors();
    CHECK_CLASS(MPI_Win_fence(0, k.win), FAILED);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, k.win), FAILED);
    CHECK_EQ(put(0, 10 + rank, 99), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_unlock(0, k.win), FAILED);
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, k.win)); /* the fence's epoch was not begun */
    CHECK_OK(MPI_Win_unlock(2, k.win));
}

static void fences(void)
{
    int class;

    CHECK_OK(MPI_Win_fence(0, k.win));
    all_returned(1);
    if (rank == VICTIM)
        die_now();
    CHECK_EQ(put((rank + 1) % size, 5, rank), MPI_SUCCESS);
    class = class_of(MPI_Win_fence(0, k.win));
    CHECK(class == FAILED || class == MPI_SUCCESS); /* S0-43 */
    mourn();
    CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOSUCCEED, k.win), FAILED);
    CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, k.win)); /* S0-42 */
    CHECK_EQ(put(0, 10 + rank, rank), MPI_SUCCESS);
    CHECK_OK(MPI_Win_unlock(0, k.win));
}

static void run(const char *what)
{
    if (!strcmp(what, "target"))
        target_is_dead();
    else if (!strcmp(what, "exclusive"))
        holder_dies(MPI_LOCK_EXCLUSIVE);
    else if (!strcmp(what, "shared"))
        holder_dies(MPI_LOCK_SHARED);
    else if (!strcmp(what, "all"))
        one_of_all_dies();
    else if (!strcmp(what, "some"))
        some();
    else if (!strcmp(what, "waiter"))
        waiter_dies();
    else if (!strcmp(what, "left"))
        refused_is_left();
    else
        fences();
}

/* R31: what the victim had stored is read where it lies, if that can be reached at all. */
static void read_the_dead(void)
{
    MPI_Aint bytes;
    int unit, *last;

    CHECK_OK(MPI_Win_shared_query(k.win, VICTIM, &bytes, &unit, &last));
    if (k.kind == ALLOCATED && one_node)
        CHECK_EQ((int)bytes, 4000);
    if (bytes)
        CHECK_EQ(last[999], 12345);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    know_rank();
    open_board();
    return_errors();
    snprintf(doing, sizeof(doing), "%s, a window that is %s", argv[1], argv[2]);
    one_node = kind_on(W, SHARED) == SHARED;
    k = make_window(!strcmp(argv[2], "created") ? CREATED : ALLOCATED, 4000, 4, W);
    if (rank == VICTIM)
        ints()[999] = 12345;
    CHECK_OK(MPI_Barrier(W));
    all_returned(0);
    run(argv[1]);
    read_the_dead();
    free_window(&k); /* R30 */
    MPI_Finalize();
    return 0;
}
