/* SPDX-License-Identifier: BSD-3-Clause */
/* Long puts, gets and accumulates arrive whole, whatever their length is beside that of a frame: towards a target that does the same at the
 * same time, towards one that only waits, several before one flush, and with data that has gaps.
 *
 * RUN: -n 2 ; set SINGLE_COPY=never ; time 60
 * RUN: -n 3 ; set SINGLE_COPY=never ; time 60
 * RUN: -n 2 ; set RMA_SHM=0 ; time 60
 * RUN: -n 2 ; set MACHINES=2 ; time 60 */
#include "common.h"

#define MOST   (3 << 20)
#define AROUND 64 /* lengths around a limit */

static MPI_Win win;
static unsigned char *mine, *from, *to;
static int rank, next, last;

static unsigned char byte_at(int seed, long i)
{
    return (unsigned char)(seed * 31 + i * 7 + (i >> 12));
}

static void fill(unsigned char *at, int seed, long n)
{
    for (long i = 0; i < n; i++)
        at[i] = byte_at(seed, i);
}

static long wrong(const unsigned char *at, int seed, long n)
{
    for (long i = 0; i < n; i++)
        if (at[i] != byte_at(seed, i))
            return i;
    return -1;
}

/* Everybody towards the next rank; or only rank 0, and the others wait. */
static void put(long n, int all, int seed)
{
    fill(from, seed + rank, n);
    if (all || rank == 0) {
        MPI_Put(from, (int)n, MPI_BYTE, next, 0, (int)n, MPI_BYTE, win);
        MPI_Win_flush(next, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (all || last == 0)
        CHECK_EQ(wrong(mine, seed + last, n), -1);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void get(long n, int all, int seed)
{
    fill(mine, seed + rank, n);
    MPI_Barrier(MPI_COMM_WORLD);
    if (all || rank == 0) {
        memset(to, 0, (size_t)n);
        MPI_Get(to, (int)n, MPI_BYTE, next, 0, (int)n, MPI_BYTE, win);
        MPI_Win_flush(next, win);
        CHECK_EQ(wrong(to, seed + next, n), -1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void each_length(void)
{
    static const long limits[] = {16384,     65536,      4 * 16384, 8 * 16384,
                                  4 * 65472, 17 * 16384, 8 * 65472, 1 << 20};

    for (size_t k = 0; k < sizeof(limits) / sizeof(*limits); k++)
        for (long n = limits[k] - AROUND; n <= limits[k] + AROUND; n += AROUND / 2)
            for (int all = 0; all < 2; all++) {
                put(n, all, (int)k);
                get(n, all, (int)k);
            }
    put(MOST, 1, 1);
    get(MOST, 1, 2);
}

/* Rank 0 puts more often than the others do. */
static void many_at_a_time(void)
{
    long piece = MOST / 8;
    int n = rank ? 3 : 8;

    fill(from, rank, MOST);
    for (int i = 0; i < n; i++) {
        MPI_Put(from + i * piece, (int)piece, MPI_BYTE, next, i * piece, (int)piece, MPI_BYTE, win);
        if (i % 3 == 0)
            MPI_Get(to + i * piece, (int)piece, MPI_BYTE, next, i * piece, (int)piece, MPI_BYTE,
                    win);
    }
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQ(wrong(mine, last, (last ? 3 : 8) * piece), -1);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void with_gaps(void)
{
    int rows = MOST / 4096;
    MPI_Datatype half;

    MPI_Type_vector(rows, 1024, 2048, MPI_BYTE, &half);
    MPI_Type_commit(&half);
    memset(mine, 0, MOST);
    fill(from, rank, rows * 1024l);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Put(from, rows * 1024, MPI_BYTE, next, 0, 1, half, win);
    MPI_Win_flush(next, win);
    MPI_Get(to, rows * 1024, MPI_BYTE, next, 0, 1, half, win);
    MPI_Win_flush(next, win);
    CHECK_EQ(wrong(to, rank, rows * 1024l), -1);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < rows; i++)
        CHECK(mine[i * 2048l + 1024] == 0 && mine[i * 2048l] == byte_at(last, i * 1024l));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Type_free(&half);
}

static void accumulate(void)
{
    int n = MOST / 8;
    int64_t *sum = (int64_t *)(void *)mine, *more = (int64_t *)(void *)from;

    for (int i = 0; i < n; i++) {
        sum[i] = i;
        more[i] = rank + 1;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Accumulate(more, n, MPI_INT64_T, next, 0, n, MPI_INT64_T, MPI_SUM, win);
    MPI_Get_accumulate(more, n, MPI_INT64_T, to, n, MPI_INT64_T, next, 0, n, MPI_INT64_T, MPI_SUM,
                       win);
    MPI_Win_flush(next, win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < n; i++) {
        CHECK_EQ(sum[i], i + 2 * (last + 1));
        CHECK_EQ(((int64_t *)(void *)to)[i], i + rank + 1);
    }
}

int main(int argc, char **argv)
{
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    last = (rank + size - 1) % size;
    mine = calloc(1, MOST);
    from = malloc(MOST);
    to = malloc(MOST);
    MPI_Win_create(mine, MOST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    each_length();
    many_at_a_time();
    with_gaps();
    accumulate();
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
