/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.c – barrier, allreduce, broadcast and others; with Mend also agreement.
 *
 *   barrier, allreduce, agree   one after the other
 *   iallreduce, reduce_scatter, scan, allgather, alltoall
 *                               the same; the bytes are those of the longer of the two vectors at each rank
 *   bcast                       from rank 0, a barrier before each, which is not counted; mean over
 *                               the ranks, so half of it is the root's
 *
 * Numbers are whole, so every sum is exact, and they differ in each call. */
#include "bench.h"

#define BARRIERS_CHECKED         500
#define BARRIERS_CHECKED_CROWDED 8

/* Nobody may leave barrier i before all have entered it.  The board may carry another run's numbers: this run's begin
 * with 0, before a barrier that checks nothing. */
static void prepare_barrier(struct bench *b)
{
    int times = b->crowded ? BARRIERS_CHECKED_CROWDED : BARRIERS_CHECKED;

    if (b->barrier_checked)
        return;
    b->barrier_checked = true;
    __atomic_store_n(&b->board[b->rank * 8], 0, __ATOMIC_SEQ_CST);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 1; i <= times; i++) {
        __atomic_store_n(&b->board[b->rank * 8], (uint64_t)i, __ATOMIC_SEQ_CST);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int r = 0; r < b->size; r++)
            if (__atomic_load_n(&b->board[r * 8], __ATOMIC_SEQ_CST) < (uint64_t)i)
                bench_wrong(b, "barrier: somebody was missing");
    }
}

static double run_barrier(struct bench *b, long n)
{
    double start = bench_now_us();

    (void)b;
    for (long i = 0; i < n; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    return bench_now_us() - start;
}

static long doubles(const struct bench *b)
{
    return b->bytes / (long)sizeof(double);
}

static double operand(const struct bench *b, int rank, long i)
{
    return (double)(b->batch % 1000 * 7 + (unsigned)rank * 3 + (unsigned long)i % 1000);
}

static void prepare_allreduce(struct bench *b)
{
    double *send = (double *)(void *)b->send;

    for (long i = 0; i < doubles(b); i++)
        send[i] = operand(b, b->rank, i);
}

static double run_allreduce(struct bench *b, long n)
{
    double *send = (double *)(void *)b->send, *recv = (double *)(void *)b->recv;
    int count = (int)doubles(b);
    double start = bench_now_us();

    for (long i = 0; i < n; i++) {
        send[0] = (double)i;
        MPI_Allreduce(send, recv, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (recv[0] != (double)(i * b->size))
            bench_wrong(b, "allreduce: another sum");
    }
    return bench_now_us() - start;
}

static void check_allreduce(struct bench *b, long n)
{
    const double *recv = (const double *)(const void *)b->recv;

    (void)n;
    for (long i = 1; i < doubles(b); i++) {
        double sum = 0;

        for (int r = 0; r < b->size; r++)
            sum += operand(b, r, i);
        if (recv[i] != sum)
            bench_wrong(b, "allreduce: wrong sum");
    }
}

static double run_bcast(struct bench *b, long n)
{
    uint64_t *word = (uint64_t *)(void *)b->recv;
    double us = 0;

    for (long i = 0; i < n; i++) {
        double start;

        *word = b->rank == 0 ? (uint64_t)i : UINT64_MAX;
        MPI_Barrier(MPI_COMM_WORLD);
        start = bench_now_us();
        MPI_Bcast(b->recv, (int)b->bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        us += bench_now_us() - start;
        if (*word != (uint64_t)i)
            bench_wrong(b, "bcast: another message");
    }
    return us;
}

/* One after the other, with what prepare_allreduce() has written. */
static double repeat(struct bench *b, long n, void (*call)(const struct bench *b))
{
    double start = bench_now_us();

    for (long i = 0; i < n; i++)
        call(b);
    return bench_now_us() - start;
}

static int share(const struct bench *b)
{
    return (int)(doubles(b) / b->size);
}

static void call_iallreduce(const struct bench *b)
{
    MPI_Request r;

    MPI_Iallreduce(b->send, b->recv, (int)doubles(b), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void call_reduce_scatter(const struct bench *b)
{
    MPI_Reduce_scatter_block(b->send, b->recv, share(b), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void call_scan(const struct bench *b)
{
    MPI_Scan(b->send, b->recv, (int)doubles(b), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void call_allgather(const struct bench *b)
{
    MPI_Allgather(b->send, share(b), MPI_DOUBLE, b->recv, share(b), MPI_DOUBLE, MPI_COMM_WORLD);
}

static void call_alltoall(const struct bench *b)
{
    MPI_Alltoall(b->send, share(b), MPI_DOUBLE, b->recv, share(b), MPI_DOUBLE, MPI_COMM_WORLD);
}

static double run_iallreduce(struct bench *b, long n)
{
    return repeat(b, n, call_iallreduce);
}

static double run_reduce_scatter(struct bench *b, long n)
{
    return repeat(b, n, call_reduce_scatter);
}

static double run_scan(struct bench *b, long n)
{
    return repeat(b, n, call_scan);
}

static double run_allgather(struct bench *b, long n)
{
    return repeat(b, n, call_allgather);
}

static double run_alltoall(struct bench *b, long n)
{
    return repeat(b, n, call_alltoall);
}

/* recv[0 .. count) is the sum of what ranks 0 .. ranks - 1 have from `first` on. */
static void check_sums(struct bench *b, int ranks, long first, long count)
{
    const double *recv = (const double *)(const void *)b->recv;

    for (long i = 0; i < count; i++) {
        double sum = 0;

        for (int r = 0; r < ranks; r++)
            sum += operand(b, r, first + i);
        if (recv[i] != sum)
            bench_wrong(b, "a reduction: wrong sum");
    }
}

static void check_iallreduce(struct bench *b, long n)
{
    (void)n;
    check_sums(b, b->size, 0, doubles(b));
}

static void check_reduce_scatter(struct bench *b, long n)
{
    (void)n;
    check_sums(b, b->size, (long)b->rank * share(b), share(b));
}

static void check_scan(struct bench *b, long n)
{
    (void)n;
    check_sums(b, b->rank + 1, 0, doubles(b));
}

/* Block r of recv is what rank r has from `first` on. */
static void check_blocks(struct bench *b, long first)
{
    const double *recv = (const double *)(const void *)b->recv;

    for (int r = 0; r < b->size; r++)
        for (long i = 0; i < share(b); i++)
            if (recv[r * share(b) + i] != operand(b, r, first + i))
                bench_wrong(b, "blocks: another number");
}

static void check_allgather(struct bench *b, long n)
{
    (void)n;
    check_blocks(b, 0);
}

static void check_alltoall(struct bench *b, long n)
{
    (void)n;
    check_blocks(b, (long)b->rank * share(b));
}

#ifdef BENCH_FT
static double run_agree(struct bench *b, long n)
{
    double start = bench_now_us();

    for (long i = 0; i < n; i++) {
        int flag = b->rank == i % b->size ? 0x55 : 0xff;

        if (MPIX_Comm_agree(MPI_COMM_WORLD, &flag) != MPI_SUCCESS || flag != 0x55)
            bench_wrong(b, "agree: another result");
    }
    return bench_now_us() - start;
}
#endif

int main(int argc, char **argv)
{
    static const struct bench_measure table[] = {
        {"barrier", prepare_barrier, run_barrier, NULL, NULL},
        {"allreduce", prepare_allreduce, run_allreduce, check_allreduce, NULL},
        {"bcast", NULL, run_bcast, NULL, NULL},
        {"iallreduce", prepare_allreduce, run_iallreduce, check_iallreduce, NULL},
        {"reduce_scatter", prepare_allreduce, run_reduce_scatter, check_reduce_scatter, NULL},
        {"scan", prepare_allreduce, run_scan, check_scan, NULL},
        {"allgather", prepare_allreduce, run_allgather, check_allgather, NULL},
        {"alltoall", prepare_allreduce, run_alltoall, check_alltoall, NULL},
#ifdef BENCH_FT
        {"agree", NULL, run_agree, NULL, NULL},
#endif
        {0},
    };
    struct bench b;

    bench_open(&b, &argc, &argv);
    bench_all(&b, table, argv + 3);
    MPI_Finalize();
    return 0;
}
