/* SPDX-License-Identifier: BSD-3-Clause */
/* Put, get and accumulates do what they say, on windows of every kind, within every kind of epoch, by loads and stores
 * as well as by messages: neighbours write to each other, everybody adds to rank 0, types with gaps on either side, more
 * than one frame holds.
 *
 * RUN: -n 1
 * RUN: -n 2
 * RUN: -n 3
 * RUN: -n 8 ; time 60
 * RUN: -n 1 ; set RMA_SHM=0
 * RUN: -n 2 ; set RMA_SHM=0
 * RUN: -n 5 ; set RMA_SHM=0 ; time 60
 * RUN: -n 3 ; set COUNTERS_LEFT=50 ; time 60
 * RUN: -n 3 ; set RMA_SHM=0 ; set COUNTERS_LEFT=50 ; time 60
 * RUN: alone */
#include "common.h"

#define LARGE 100000 /* doubles */

static int next, last;
static struct window k;

static int ints(int i)
{
    return ((int *)k.base)[i];
}

#define DISP(target_, i_) disp_of(&k, target_, i_, 4)

static void quiet(void)
{
    CHECK_OK(MPI_Barrier(W));
}

static void neighbours(void)
{
    int v = rank + 1, got = 0;

    CHECK_OK(MPI_Win_fence(0, k.win));
    CHECK_OK(MPI_Put(&v, 1, MPI_INT, next, DISP(next, rank), 1, MPI_INT, k.win));
    CHECK_OK(MPI_Win_fence(0, k.win));
    CHECK_EQ(ints(last), last + 1);
    CHECK_OK(MPI_Get(&got, 1, MPI_INT, next, DISP(next, rank), 1, MPI_INT, k.win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, k.win));
    CHECK_EQ(got, rank + 1);
}

static void sums(void)
{
    int v = rank + 1, old = -1, nothing = 0;

    CHECK_OK(MPI_Win_fence(0, k.win));
    for (int i = 0; i < 50; i++)
        CHECK_OK(MPI_Accumulate(&v, 1, MPI_INT, 0, DISP(0, 100), 1, MPI_INT, MPI_SUM, k.win));
    CHECK_OK(MPI_Win_fence(0, k.win));
    CHECK_OK(MPI_Get_accumulate(NULL, 0, MPI_INT, &old, 1, MPI_INT, 0, DISP(0, 100), 1, MPI_INT,
                                MPI_NO_OP, k.win));
    CHECK_OK(MPI_Fetch_and_op(&nothing, &nothing, MPI_INT, 0, DISP(0, 100), MPI_NO_OP, k.win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, k.win));
    CHECK_EQ(old, 50 * size * (size + 1) / 2);
    CHECK_EQ(nothing, old);
}

/* Twenty numbers out of a vector into a row, and back into another vector. */
static void gaps(void)
{
    MPI_Datatype vector;
    int out[60], in[60] = {0};

    MPI_Type_vector(10, 2, 5, MPI_INT, &vector);
    MPI_Type_commit(&vector);
    for (int i = 0; i < 60; i++)
        out[i] = 1000 * rank + i;
    CHECK_OK(MPI_Win_fence(0, k.win));
    CHECK_OK(MPI_Put(out, 1, vector, next, DISP(next, 200), 20, MPI_INT, k.win));
    CHECK_OK(MPI_Win_fence(0, k.win));
    for (int i = 0; i < 20; i++)
        CHECK_EQ(ints(200 + i), 1000 * last + i / 2 * 5 + i % 2);
    CHECK_OK(MPI_Get(in, 1, vector, next, DISP(next, 200), 20, MPI_INT, k.win));
    CHECK_OK(MPI_Win_fence(0, k.win));
    for (int i = 0; i < 60; i++)
        CHECK_EQ(in[i], i % 5 < 2 && i < 50 ? 1000 * rank + i : 0);
    CHECK_OK(MPI_Accumulate(out, 1, vector, next, DISP(next, 300), 1, vector, MPI_SUM, k.win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, k.win));
    for (int i = 0; i < 47; i++)
        CHECK_EQ(ints(300 + i), i % 5 < 2 ? 1000 * last + i : 0);
    MPI_Type_free(&vector);
}

/* A counter that everybody fetches from: each value is seen once. */
static void tickets(void)
{
    int one = 1, got, *seen = calloc(100 * (size_t)size, sizeof(int));

    for (int i = 0; i < 100; i++) {
        CHECK_OK(MPI_Win_lock(i % 3 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, k.win));
        CHECK_OK(MPI_Fetch_and_op(&one, &got, MPI_INT, 0, DISP(0, 400), MPI_SUM, k.win));
        CHECK_OK(MPI_Win_unlock(0, k.win));
        CHECK(got >= 0 && got < 100 * size);
        seen[got]++;
    }
    CHECK_OK(MPI_Allreduce(MPI_IN_PLACE, seen, 100 * size, MPI_INT, MPI_SUM, W));
    for (int i = 0; i < 100 * size; i++)
        CHECK_EQ(seen[i], 1);
    free(seen);
}

/* An exclusive lock makes two calls one: nobody else's come between. */
static void exclusion(void)
{
    int v;

    for (int i = 0; i < 30; i++) {
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, k.win));
        CHECK_OK(MPI_Get(&v, 1, MPI_INT, 0, DISP(0, 401), 1, MPI_INT, k.win));
        CHECK_OK(MPI_Win_flush(0, k.win));
        v++;
        CHECK_OK(MPI_Put(&v, 1, MPI_INT, 0, DISP(0, 401), 1, MPI_INT, k.win));
        CHECK_OK(MPI_Win_unlock(0, k.win));
    }
    quiet();
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, k.win));
    CHECK_OK(MPI_Get(&v, 1, MPI_INT, 0, DISP(0, 401), 1, MPI_INT, k.win));
    CHECK_OK(MPI_Win_unlock(0, k.win));
    CHECK_EQ(v, 30 * size);
}

static void all_at_once(void)
{
    int want = rank, put = 1000 + rank, old = -1;
    MPI_Request r[2];

    CHECK_OK(MPI_Win_lock_all(0, k.win));
    for (int t = 0; t < size; t++)
        CHECK_OK(MPI_Rput(&put, 1, MPI_INT, t, DISP(t, 500 + rank), 1, MPI_INT, k.win, &r[0]));
    CHECK_OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Win_flush_local_all(k.win));
    CHECK_OK(MPI_Win_flush_all(k.win));
    want = put;
    put = -1;
    CHECK_OK(MPI_Compare_and_swap(&put, &want, &old, MPI_INT, next, DISP(next, 500 + rank), k.win));
    CHECK_OK(MPI_Win_flush(next, k.win));
    CHECK_EQ(old, want);
    CHECK_OK(MPI_Rget(&old, 1, MPI_INT, next, DISP(next, 500 + rank), 1, MPI_INT, k.win, &r[1]));
    CHECK_OK(MPI_Wait(&r[1], MPI_STATUS_IGNORE));
    CHECK_EQ(old, -1);
    CHECK_OK(MPI_Win_unlock_all(k.win));
}

/* Rank 0 makes no call but flushes, and rank 1 needs it to take a message before it stores what rank 0 looks for. */
static void served_by_flushes(void)
{
    volatile int *flag = (volatile int *)k.base + 700;
    int v = 1, got;
    MPI_Request r;

    quiet();
    if (size > 1 && rank == 0) {
        CHECK_OK(MPI_Irecv(&got, 1, MPI_INT, 1, 0, W, &r));
        CHECK_OK(MPI_Win_lock_all(0, k.win));
        while (!*flag)
            CHECK_OK(MPI_Win_flush(0, k.win));
        CHECK_OK(MPI_Win_unlock_all(k.win));
        CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    } else if (rank == 1) {
        CHECK_OK(MPI_Ssend(&v, 1, MPI_INT, 0, 0, W));
        CHECK_OK(MPI_Win_lock_all(0, k.win));
        CHECK_OK(MPI_Put(&v, 1, MPI_INT, 0, DISP(0, 700), 1, MPI_INT, k.win));
        CHECK_OK(MPI_Win_unlock_all(k.win));
    }
}

static void among_some(void)
{
    MPI_Group all, to, from;

    CHECK_OK(MPI_Win_get_group(k.win, &all));
    MPI_Group_incl(all, 1, &next, &to);
    MPI_Group_incl(all, 1, &last, &from);
    for (int i = 0; i < 300; i++) { /* more often than a byte counts */
        int v = i * 10 + rank, over = 0;

        CHECK_OK(MPI_Win_post(from, 0, k.win));
        CHECK_OK(MPI_Win_start(to, 0, k.win));
        CHECK_OK(MPI_Put(&v, 1, MPI_INT, next, DISP(next, 600), 1, MPI_INT, k.win));
        CHECK_OK(MPI_Win_complete(k.win));
        if (i % 2)
            CHECK_OK(MPI_Win_wait(k.win));
        while (i % 2 == 0 && !over)
            CHECK_OK(MPI_Win_test(k.win, &over));
        CHECK_EQ(ints(600), i * 10 + last);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
}

static void large(enum kind kind)
{
    struct window old = k;
    double *v = malloc(LARGE * sizeof(double)), *there;

    k = make_window(kind_on(W, kind), LARGE * 8, 8, W);
    there = (double *)k.base;
    for (int i = 0; i < LARGE; i++)
        v[i] = rank + i;
    CHECK_OK(MPI_Win_fence(0, k.win));
    CHECK_OK(
        MPI_Put(v, LARGE, MPI_DOUBLE, next, disp_of(&k, next, 0, 8), LARGE, MPI_DOUBLE, k.win));
    CHECK_OK(MPI_Win_fence(0, k.win));
    for (int i = 0; i < LARGE; i++)
        CHECK_EQ((long)there[i], last + i);
    quiet();
    CHECK_OK(MPI_Accumulate(v, LARGE, MPI_DOUBLE, next, disp_of(&k, next, 0, 8), LARGE, MPI_DOUBLE,
                            MPI_SUM, k.win));
    CHECK_OK(MPI_Win_fence(0, k.win));
    memset(v, 0, LARGE * sizeof(double));
    CHECK_OK(
        MPI_Get(v, LARGE, MPI_DOUBLE, next, disp_of(&k, next, 0, 8), LARGE, MPI_DOUBLE, k.win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, k.win));
    for (int i = 0; i < LARGE; i++)
        CHECK_EQ((long)v[i], 2 * (rank + i));
    free_window(&k);
    free(v);
    k = old;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    know_rank();
    next = (rank + 1) % size;
    last = (rank + size - 1) % size;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        snprintf(doing, sizeof(doing), "a window that is %s", kind_names[kind]);
        k = make_window(kind_on(W, kind), 4000, 4, W);
        neighbours();
        sums();
        gaps();
        tickets();
        exclusion();
        all_at_once();
        served_by_flushes();
        quiet();
        among_some();
        free_window(&k);
        large(kind);
    }
    MPI_Finalize();
    return 0;
}
