/* SPDX-License-Identifier: BSD-3-Clause */
/* rma.c – one-sided communication: each rank towards the next one, all at once.
 *
 *     put:BYTES, get:BYTES           and a flush; on a window that the library allocated
 *     cput:BYTES, cget:BYTES         the same on memory of the program (MPI_Win_create)
 *     computing:BYTES, idle:BYTES    put and flush of rank 0 to rank 1, which computes meanwhile, or waits in MPI
 *     acc:BYTES                      accumulate of doubles, and a flush
 *     fop:8, cas:8                   fetch_and_op, compare_and_swap, and a flush
 *     exclusive, shared, all         lock and unlock, without anything between
 *     contended                      all ranks want the exclusive lock of rank 0
 *     fence                          one fence
 *     pscw                           post, start, complete, wait with the neighbours */
#include "bench.h"

#define WINDOW_BYTES (2 << 20)

static MPI_Win allocated, created;
static int next;
static MPI_Group to, from;

static void fill(struct bench *b)
{
    bench_fill(b->send, (size_t)b->bytes, (unsigned)b->rank, b->batch);
}

/* Puts or gets n times within one lock_all; the window's first bytes. */
static double transfer(struct bench *b, long n, MPI_Win win, bool get)
{
    int bytes = (int)b->bytes;
    double start;

    MPI_Win_lock_all(0, win);
    start = bench_now_us();
    for (long i = 0; i < n; i++) {
        if (get)
            MPI_Get(b->recv, bytes, MPI_BYTE, next, 0, bytes, MPI_BYTE, win);
        else
            MPI_Put(b->send, bytes, MPI_BYTE, next, 0, bytes, MPI_BYTE, win);
        MPI_Win_flush(next, win);
    }
    start = bench_now_us() - start;
    MPI_Win_unlock_all(win);
    return start;
}

static double run_put(struct bench *b, long n)
{
    return transfer(b, n, allocated, false);
}

static double run_get(struct bench *b, long n)
{
    return transfer(b, n, allocated, true);
}

static double run_cput(struct bench *b, long n)
{
    return transfer(b, n, created, false);
}

static double run_cget(struct bench *b, long n)
{
    return transfer(b, n, created, true);
}

/* What was put is read back. */
static void check_put_in(struct bench *b, MPI_Win win)
{
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
    MPI_Get(b->recv, (int)b->bytes, MPI_BYTE, next, 0, (int)b->bytes, MPI_BYTE, win);
    MPI_Win_unlock(next, win);
    if (memcmp(b->recv, b->send, (size_t)b->bytes))
        bench_wrong(b, "put: damaged data");
}

static void check_put(struct bench *b, long n)
{
    (void)n;
    check_put_in(b, allocated);
}

static void check_cput(struct bench *b, long n)
{
    (void)n;
    check_put_in(b, created);
}

/* ---- a target that computes ---- */

#define DONE 4000 /* word of the board: rank 0 has finished this batch */

/* Rank 1 calls no MPI function until rank 0 has finished; or it waits for rank 0's message all the time.  The time is rank
 * 0's. */
static double be_target(struct bench *b, bool computes)
{
    double us;

    if (computes)
        while (__atomic_load_n(&b->board[DONE], __ATOMIC_SEQ_CST) != b->batch)
            ;
    MPI_Recv(&us, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return us;
}

static double run_toward(struct bench *b, long n, bool computes)
{
    double start;

    if (b->rank == 1)
        return be_target(b, computes);
    MPI_Win_lock_all(0, allocated);
    start = bench_now_us();
    for (long i = 0; i < n; i++) {
        MPI_Put(b->send, (int)b->bytes, MPI_BYTE, 1, 0, (int)b->bytes, MPI_BYTE, allocated);
        MPI_Win_flush(1, allocated);
    }
    start = bench_now_us() - start;
    MPI_Win_unlock_all(allocated);
    __atomic_store_n(&b->board[DONE], (uint64_t)b->batch, __ATOMIC_SEQ_CST);
    MPI_Send(&start, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    return start;
}

static double run_computing(struct bench *b, long n)
{
    return run_toward(b, n, true);
}

static double run_idle(struct bench *b, long n)
{
    return run_toward(b, n, false);
}

/* ---- accumulates ---- */

static void zero(struct bench *b)
{
    double *one = (double *)b->send;

    for (long i = 0; i < b->bytes / 8; i++)
        one[i] = 1;
    memset(b->recv, 0, (size_t)b->bytes);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, allocated);
    MPI_Put(b->recv, (int)b->bytes, MPI_BYTE, next, 0, (int)b->bytes, MPI_BYTE, allocated);
    MPI_Win_unlock(next, allocated);
}

static double run_acc(struct bench *b, long n)
{
    int count = (int)(b->bytes / 8);
    double start;

    MPI_Win_lock_all(0, allocated);
    start = bench_now_us();
    for (long i = 0; i < n; i++) {
        MPI_Accumulate(b->send, count, MPI_DOUBLE, next, 0, count, MPI_DOUBLE, MPI_SUM, allocated);
        MPI_Win_flush(next, allocated);
    }
    start = bench_now_us() - start;
    MPI_Win_unlock_all(allocated);
    return start;
}

static void check_acc(struct bench *b, long n)
{
    double last;

    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, allocated);
    MPI_Get(&last, 1, MPI_DOUBLE, next, b->bytes - 8, 1, MPI_DOUBLE, allocated);
    MPI_Win_unlock(next, allocated);
    if (last != (double)n)
        bench_wrong(b, "accumulate: another sum");
}

static double run_fop(struct bench *b, long n)
{
    int64_t one = 1, old = 0;
    double start;

    (void)b;
    MPI_Win_lock_all(0, allocated);
    start = bench_now_us();
    for (long i = 0; i < n; i++) {
        MPI_Fetch_and_op(&one, &old, MPI_INT64_T, next, 64, MPI_SUM, allocated);
        MPI_Win_flush(next, allocated);
    }
    start = bench_now_us() - start;
    MPI_Win_unlock_all(allocated);
    return start;
}

static double run_cas(struct bench *b, long n)
{
    int64_t old = 0, now = 0, then;
    double start;

    (void)b;
    MPI_Win_lock_all(0, allocated);
    start = bench_now_us();
    for (long i = 0; i < n; i++) {
        then = now + 1;
        MPI_Compare_and_swap(&then, &now, &old, MPI_INT64_T, next, 128, allocated);
        MPI_Win_flush(next, allocated);
        now = old;
    }
    start = bench_now_us() - start;
    MPI_Win_unlock_all(allocated);
    return start;
}

/* ---- synchronization ---- */

static double run_lock(long n, int type, int target)
{
    double start = bench_now_us();

    for (long i = 0; i < n; i++) {
        MPI_Win_lock(type, target, 0, allocated);
        MPI_Win_unlock(target, allocated);
    }
    return bench_now_us() - start;
}

static double run_exclusive(struct bench *b, long n)
{
    (void)b;
    return run_lock(n, MPI_LOCK_EXCLUSIVE, next);
}

static double run_shared(struct bench *b, long n)
{
    (void)b;
    return run_lock(n, MPI_LOCK_SHARED, next);
}

static double run_contended(struct bench *b, long n)
{
    (void)b;
    return run_lock(n, MPI_LOCK_EXCLUSIVE, 0);
}

static double run_all(struct bench *b, long n)
{
    double start = bench_now_us();

    (void)b;
    for (long i = 0; i < n; i++) {
        MPI_Win_lock_all(0, allocated);
        MPI_Win_unlock_all(allocated);
    }
    return bench_now_us() - start;
}

static double run_fence(struct bench *b, long n)
{
    double start = bench_now_us();

    (void)b;
    for (long i = 0; i < n; i++)
        MPI_Win_fence(0, allocated);
    start = bench_now_us() - start;
    MPI_Win_fence(MPI_MODE_NOSUCCEED, allocated);
    return start;
}

static double run_pscw(struct bench *b, long n)
{
    double start = bench_now_us();

    (void)b;
    for (long i = 0; i < n; i++) {
        MPI_Win_post(from, 0, allocated);
        MPI_Win_start(to, 0, allocated);
        MPI_Win_complete(allocated);
        MPI_Win_wait(allocated);
    }
    return bench_now_us() - start;
}

static void nothing(struct bench *b)
{
    (void)b;
}

static void no_data(struct bench *b, long n)
{
    (void)b;
    (void)n;
}

static void open_windows(const struct bench *b)
{
    void *base;
    int last = (b->rank + b->size - 1) % b->size;
    MPI_Group all;

    next = (b->rank + 1) % b->size;
    MPI_Win_allocate(WINDOW_BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &allocated);
    memset(base, 0, WINDOW_BYTES);
    base = calloc(1, WINDOW_BYTES);
    MPI_Win_create(base, WINDOW_BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &created);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &next, &to);
    MPI_Group_incl(all, 1, &last, &from);
    MPI_Group_free(&all);
}

int main(int argc, char **argv)
{
    static const struct bench_measure table[] = {
        {"put", fill, run_put, check_put, NULL},
        {"get", fill, run_get, no_data, NULL},
        {"cput", fill, run_cput, check_cput, NULL},
        {"cget", fill, run_cget, no_data, NULL},
        {"computing", fill, run_computing, no_data, NULL},
        {"idle", fill, run_idle, no_data, NULL},
        {"acc", zero, run_acc, check_acc, NULL},
        {"fop", nothing, run_fop, no_data, NULL},
        {"cas", nothing, run_cas, no_data, NULL},
        {"exclusive", nothing, run_exclusive, no_data, NULL},
        {"shared", nothing, run_shared, no_data, NULL},
        {"contended", nothing, run_contended, no_data, NULL},
        {"all", nothing, run_all, no_data, NULL},
        {"fence", nothing, run_fence, no_data, NULL},
        {"pscw", nothing, run_pscw, no_data, NULL},
        {0},
    };
    struct bench b;

    bench_open(&b, &argc, &argv);
    open_windows(&b);
    bench_all(&b, table, argv + 3);
    MPI_Win_free(&created);
    MPI_Win_free(&allocated);
    MPI_Finalize();
    return 0;
}
