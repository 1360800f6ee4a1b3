/* SPDX-License-Identifier: BSD-3-Clause */
/* Each allocation fails in turn (scarce.h), in the calls on windows: all members get the window, or all get
 * MPI_ERR_NO_MEM (S2-8); an operation, or a synchronization, that finds no memory leaves the window usable.
 *
 *   S2-8: creation of windows and files is uniform, too
 *
 * RUN: -n 3 ; set MEMORY_FAULTS=1 ; expect "rank 0 ok" ; expect "rank 2 ok" ; time 60
 * RUN: -n 3 ; set MEMORY_FAULTS=1 ; set RMA_SHM=0 ; expect "rank 0 ok" ; expect "rank 2 ok" ; time 60
 * RUN: -n 3 ; set MEMORY_FAULTS=1 ; set SINGLE_COPY=never ; args created ; expect "rank 0 ok" ; expect "rank 2 ok" ; time 60 */
#include "scarce.h"

enum { BYTES = 1 << 14, COUNT = 256 };

static MPI_Win made, win;
static MPI_Datatype spread;
static MPI_Group others;
static double memory[BYTES / sizeof(double)], mine[COUNT], old[COUNT];
static int next;

/* ---- creation ---- */

static void drop(void)
{
    CHECK_EQ(MPI_Win_free(&made), MPI_SUCCESS);
}

static int create(void)
{
    return MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                          &made);
}

static int allocate(void)
{
    void *base;

    return MPI_Win_allocate(BYTES, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &made);
}

static int allocate_shared(void)
{
    void *base;

    return MPI_Win_allocate_shared(BYTES, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &base,
                                   &made);
}

static int create_dynamic(void)
{
    return MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &made);
}

/* ---- operations, in an epoch of their own ---- */

static int locked(int (*operation)(void))
{
    int err = MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win), last;

    if (err)
        return err;
    err = operation();
    enough();
    last = MPI_Win_unlock(next, win);
    return err ? err : last;
}

static int put_all(void)
{
    return MPI_Put(mine, COUNT, MPI_DOUBLE, next, 0, COUNT, MPI_DOUBLE, win);
}

static int put(void)
{
    return locked(put_all);
}

static int put_spread_all(void)
{
    return MPI_Put(mine, COUNT / 2, MPI_DOUBLE, next, 0, 1, spread, win);
}

static int put_spread(void)
{
    return locked(put_spread_all);
}

static int get_spread_all(void)
{
    return MPI_Get(mine, COUNT / 2, MPI_DOUBLE, next, 0, 1, spread, win);
}

static int get_spread(void)
{
    return locked(get_spread_all);
}

static int accumulate_all(void)
{
    return MPI_Accumulate(mine, COUNT, MPI_DOUBLE, next, 0, COUNT, MPI_DOUBLE, MPI_SUM, win);
}

static int accumulate(void)
{
    return locked(accumulate_all);
}

static int get_accumulate_all(void)
{
    return MPI_Get_accumulate(mine, COUNT / 2, MPI_DOUBLE, old, COUNT / 2, MPI_DOUBLE, next, 0, 1,
                              spread, MPI_SUM, win);
}

static int get_accumulate(void)
{
    return locked(get_accumulate_all);
}

static int fetch_all(void)
{
    return MPI_Fetch_and_op(mine, old, MPI_DOUBLE, next, 0, MPI_SUM, win);
}

static int fetch(void)
{
    return locked(fetch_all);
}

static int rput_all(void)
{
    MPI_Request r;
    int err = MPI_Rput(mine, COUNT, MPI_DOUBLE, next, 0, COUNT, MPI_DOUBLE, win, &r);

    return err ? err : MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static int rput(void)
{
    return locked(rput_all);
}

/* ---- synchronization ---- */

static int lock_all(void)
{
    int err = MPI_Win_lock_all(0, win);

    enough();
    return err ? err : MPI_Win_unlock_all(win);
}

static int fence(void)
{
    return MPI_Win_fence(MPI_MODE_NOSUCCEED | MPI_MODE_NOPRECEDE, win);
}

/* A start or post that failed is made again, as the others wait for it. */
static int post_start(void)
{
    int err = MPI_Win_post(others, 0, win), second;

    if (err) {
        enough();
        CHECK_EQ(MPI_Win_post(others, 0, win), MPI_SUCCESS);
    }
    second = MPI_Win_start(others, 0, win);
    enough();
    if (second)
        CHECK_EQ(MPI_Win_start(others, 0, win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_complete(win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_wait(win), MPI_SUCCESS);
    return err ? err : second;
}

static int attach(void)
{
    return MPI_Win_attach(made, memory, sizeof memory);
}

static void detach(void)
{
    CHECK_EQ(MPI_Win_detach(made, memory), MPI_SUCCESS);
}

static int failed(void)
{
    MPI_Group group;
    int err = MPIX_Win_get_failed(win, &group);

    if (!err && group != MPI_GROUP_EMPTY)
        CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);
    return err;
}

static const struct scarce creations[] = {
    {"MPI_Win_create", create, drop},
    {"MPI_Win_allocate", allocate, drop},
    {"MPI_Win_allocate_shared", allocate_shared, drop},
    {"MPI_Win_create_dynamic", create_dynamic, drop},
};

static const struct scarce uses[] = {
    {"MPI_Put", put, NULL, LOCAL | TOLD | SPARE},
    {"MPI_Put, spread", put_spread, NULL, LOCAL | TOLD | SPARE},
    {"MPI_Get, spread", get_spread, NULL, LOCAL | TOLD | SPARE},
    {"MPI_Accumulate", accumulate, NULL, LOCAL | TOLD | SPARE},
    {"MPI_Get_accumulate", get_accumulate, NULL, LOCAL | TOLD | SPARE},
    {"MPI_Fetch_and_op", fetch, NULL, LOCAL | TOLD | SPARE},
    {"MPI_Rput", rput, NULL, LOCAL | TOLD | SPARE},
    {"MPI_Win_lock_all", lock_all, NULL, LOCAL | TOLD | SPARE},
    {"MPI_Win_fence", fence, NULL, LOCAL | TOLD | SPARE},
    {"MPI_Win_post", post_start, NULL, LOCAL | TOLD | SPARE},
    {"MPIX_Win_get_failed", failed, NULL, LOCAL | SPARE},
};

static const struct scarce attaching = {"MPI_Win_attach", attach, detach, LOCAL | SPARE};

static void sweep_window(int (*make)(void))
{
    CHECK_EQ(make(), MPI_SUCCESS);
    win = made;
    CHECK_EQ(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN), MPI_SUCCESS);
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        sweep(&uses[i]);
    drop();
}

static void sweep_creations(void)
{
    for (size_t i = 0; i < sizeof creations / sizeof *creations; i++)
        sweep(&creations[i]);
    CHECK_EQ(create_dynamic(), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_set_errhandler(made, MPI_ERRORS_RETURN), MPI_SUCCESS);
    sweep(&attaching);
    drop();
}

static void make_others(void)
{
    MPI_Group world;

    CHECK_EQ(MPI_Comm_group(MPI_COMM_WORLD, &world), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_excl(world, 1, &rank, &others), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&world), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    next = (rank + 1) % size;
    make_others();
    fill_tombs();
    CHECK_EQ(MPI_Type_vector(COUNT / 2, 1, 2, MPI_DOUBLE, &spread), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&spread), MPI_SUCCESS);
    if (argc < 2)
        sweep_creations();
    if (argc < 2)
        sweep_window(allocate);
    sweep_window(create);
    CHECK_EQ(MPI_Type_free(&spread), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&others), MPI_SUCCESS);
    return finish();
}
