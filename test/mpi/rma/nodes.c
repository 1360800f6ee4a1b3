/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of ranks that are on several nodes: what ranks of one node do to each other needs no call of the target, and all that members do
 * to one part fits together, from whichever node they do it.
 *
 *   outside   the target computes, and another rank of its node puts into its part and reads it, into memory of MPI_Win_allocate, of
 *             MPI_Alloc_mem, and by single copy into the program's own
 *   counters  all add to the counters of all: each value is fetched once, also with a swap, and no addition is lost
 *   locks     all read, add and write back under the exclusive lock of the target
 *   all       within lock_all operations wait for another member's exclusive lock, also those on a part of the same node, or the own one
 *   exchange  by fences, and by post, start, complete and wait: each finds what each other one has put, and what it has
 *             said by messages after a flush */
/* RUN: -n 4 ; set MACHINES=2 ; args outside ; expect "rank 0 ok" */
/* RUN: -n 4 ; set MACHINES=2 ; args outside ; set SINGLE_COPY=always ; expect "rank 0 ok" */
/* RUN: -n 4 ; set MACHINES=2 ; args counters locks all exchange ; expect "rank 0 ok" */
/* RUN: -n 6 ; set MACHINES=3 ; args counters locks all exchange ; expect "rank 0 ok" */
/* RUN: -n 5 ; set MACHINES=2 ; args counters locks all exchange ; set SINGLE_COPY=always ; expect "rank 0 ok" */
/* RUN: -n 3 ; set MACHINES=3 ; args counters locks all exchange ; expect "rank 0 ok" */
/* RUN: -n 4 ; set MACHINES=2 ; args counters locks all exchange ; set RMA_SHM=0 ; expect "rank 0 ok" */
/* RUN: -n 4 ; args outside counters locks all exchange ; expect "rank 0 ok" */
#include "../../kill/common.h"

#define WORDS  2048 /* memory of MPI_Alloc_mem lies in the segment from a page on */
#define ROUNDS 8
#define LONG   ((MPI_Aint)5 << 20) /* bytes of a put that goes by single copy, where it can */

enum { OUTSIDE, DONE = 8, HELD = 16, BEGUN = 32, SEEN = 64 };

enum kind { ALLOCATED, CREATED, OWN, KINDS };

static MPI_Win win;
static int *mine;

static void make(enum kind kind, MPI_Aint bytes)
{
    if (kind == ALLOCATED) {
        CHECK_OK(MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win));
        return;
    }
    if (kind == CREATED)
        CHECK_OK(MPI_Alloc_mem(bytes, MPI_INFO_NULL, &mine));
    else
        mine = malloc((size_t)bytes);
    memset(mine, 0, (size_t)bytes);
    CHECK_OK(MPI_Win_create(mine, bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
}

static void drop(enum kind kind)
{
    int *memory = mine;

    CHECK_OK(MPI_Win_free(&win));
    if (kind == CREATED)
        CHECK_OK(MPI_Free_mem(memory));
    if (kind == OWN)
        free(memory);
}

/* The next rank of this node, by what the ranks' parents are; -1: there is none. */
static int neighbour(void)
{
    int parent = (int)getppid(), found = -1;
    int *all = malloc((size_t)size * sizeof(*all));

    CHECK_OK(MPI_Allgather(&parent, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD));
    for (int i = 1; i < size && found < 0; i++)
        if (all[(rank + i) % size] == parent)
            found = (rank + i) % size;
    free(all);
    return found;
}

/* ---- outside ---- */

static void put_and_get(int target, int words, int value)
{
    int *data = malloc((size_t)words * sizeof(*data));

    for (int i = 0; i < words; i++)
        data[i] = value + i;
    CHECK_OK(MPI_Put(data, words, MPI_INT, target, 0, words, MPI_INT, win));
    CHECK_OK(MPI_Win_flush(target, win));
    memset(data, 0, (size_t)words * sizeof(*data));
    CHECK_OK(MPI_Get(data, words, MPI_INT, target, 0, words, MPI_INT, win));
    CHECK_OK(MPI_Win_flush(target, win));
    for (int i = 0; i < words; i++)
        CHECK_EQ(data[i], value + i);
    free(data);
}

/* Ranks 0 and 1 are of one node; rank 1 calls nothing of MPI until rank 0 has done its work. */
static void outside(enum kind kind)
{
    int words = kind == OWN ? (int)(LONG / (MPI_Aint)sizeof(int)) : WORDS;

    make(kind, words * (MPI_Aint)sizeof(int));
    if (rank == 0)
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        await(OUTSIDE + (int)kind, 1);
        put_and_get(1, words, 1000);
        post(DONE + (int)kind);
    } else if (rank == 1) {
        post(OUTSIDE + (int)kind);
        await(DONE + (int)kind, 1);
        CHECK_EQ(mine[words - 1], 1000 + words - 1);
    }
    if (rank == 0)
        CHECK_OK(MPI_Win_unlock(1, win));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    drop(kind);
}

/* ---- counters ---- */

static void take_numbers(int target, char *taken)
{
    int one = 1, got, expected, next;

    for (int i = 0; i < ROUNDS; i++) {
        CHECK_OK(MPI_Fetch_and_op(&one, &got, MPI_INT, target, 0, MPI_SUM, win));
        CHECK_OK(MPI_Win_flush(target, win));
        CHECK(got >= 0 && got < size * ROUNDS && !taken[got]);
        taken[got] = 1;
        CHECK_OK(MPI_Accumulate(&one, 1, MPI_INT, target, 1, 1, MPI_INT, MPI_SUM, win));
        do { /* adds one more */
            CHECK_OK(MPI_Get_accumulate(NULL, 0, MPI_INT, &expected, 1, MPI_INT, target, 2, 1,
                                        MPI_INT, MPI_NO_OP, win));
            CHECK_OK(MPI_Win_flush(target, win));
            next = expected + 1;
            CHECK_OK(MPI_Compare_and_swap(&next, &expected, &got, MPI_INT, target, 2, win));
            CHECK_OK(MPI_Win_flush(target, win));
        } while (got != expected);
    }
}

static void counters(enum kind kind)
{
    char *taken = calloc((size_t)size, (size_t)(size * ROUNDS)), *all;
    int n = size * ROUNDS;

    all = calloc((size_t)size, (size_t)n);
    make(kind, WORDS * sizeof(int));
    CHECK_OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < size; i++)
        take_numbers((rank + i) % size, taken + (rank + i) % size * n);
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Allreduce(taken, all, size * n, MPI_CHAR, MPI_SUM, MPI_COMM_WORLD));
    for (int i = 0; i < size * n; i++)
        CHECK_EQ(all[i], 1);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(mine[i], n);
    drop(kind);
    free(taken);
    free(all);
}

/* ---- locks ---- */

static void locks(enum kind kind)
{
    int n;

    make(kind, WORDS * sizeof(int));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < ROUNDS * size; i++) {
        int target = (rank + i) % size;

        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
        CHECK_OK(MPI_Get(&n, 1, MPI_INT, target, 7, 1, MPI_INT, win));
        CHECK_OK(MPI_Win_flush(target, win));
        n++;
        CHECK_OK(MPI_Put(&n, 1, MPI_INT, target, 7, 1, MPI_INT, win));
        CHECK_OK(MPI_Win_unlock(target, win));
    }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    CHECK_EQ(mine[7], size * ROUNDS);
    CHECK_OK(MPI_Win_unlock(rank, win));
    drop(kind);
}

/* ---- lock_all ---- */

static int look(int target)
{
    int got;

    CHECK_OK(MPI_Get(&got, 1, MPI_INT, target, 3, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_flush(target, win));
    return got;
}

/* `owner` holds the lock of the target, for a while after `other` has begun to put there. */
static void hold_against(int owner, int other, int target, int turn)
{
    int value = 100 + turn, before;

    if (rank == owner) {
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
        before = look(target);
        post(HELD + turn);
        await_in_mpi(BEGUN + turn, 1);
        for (int i = 0; i < 20; i++) {
            usleep(500);
            CHECK_EQ(look(target), before);
        }
        CHECK_OK(MPI_Win_unlock(target, win));
    } else if (rank == other) {
        await_in_mpi(HELD + turn, 1);
        post(BEGUN + turn);
        CHECK_OK(MPI_Win_lock_all(0, win));
        CHECK_OK(MPI_Put(&value, 1, MPI_INT, target, 3, 1, MPI_INT, win));
        CHECK_OK(MPI_Win_flush(target, win));
        CHECK_EQ(look(target), value);
        CHECK_OK(MPI_Win_unlock_all(win));
    }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void all(enum kind kind)
{
    int near = neighbour(), last = size - 1, turn = (int)kind * 4;

    make(kind, WORDS * sizeof(int));
    CHECK_OK(MPI_Bcast(&near, 1, MPI_INT, 0, MPI_COMM_WORLD)); /* of rank 0 */
    near = near < 0 ? 0 : near;
    hold_against(last, 0, near, turn);
    hold_against(last, 0, 0, turn + 1);
    if (near != 0)
        hold_against(near, 0, last, turn + 2);
    hold_against(0, last, near, turn + 3);
    drop(kind);
}

/* ---- exchange ---- */

static void check_row(int base)
{
    for (int r = 0; r < size; r++)
        CHECK_EQ(mine[r], base + r);
}

static void put_row(int base)
{
    static int value; /* until the end of the epoch */

    value = base + rank;
    for (int r = 0; r < size; r++)
        CHECK_OK(MPI_Put(&value, 1, MPI_INT, r, rank, 1, MPI_INT, win));
}

static void fences(void)
{
    CHECK_OK(MPI_Win_fence(0, win));
    for (int i = 0; i < ROUNDS; i++) {
        put_row(i * size);
        CHECK_OK(MPI_Win_fence(0, win));
        check_row(i * size);
        CHECK_OK(MPI_Win_fence(0, win));
    }
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
}

static void posts(void)
{
    MPI_Group group;

    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
    for (int i = 0; i < ROUNDS; i++) {
        CHECK_OK(MPI_Win_post(group, 0, win));
        CHECK_OK(MPI_Win_start(group, 0, win));
        put_row(i);
        CHECK_OK(MPI_Win_complete(win));
        CHECK_OK(MPI_Win_wait(win));
        check_row(i);
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    MPI_Group_free(&group);
}

/* What goes by one way is there for those that hear of it by the other: each puts to all and tells one after the other. */
static void told(void)
{
    int from = (rank + size - 1) % size, to = (rank + 1) % size, value, got;

    CHECK_OK(MPI_Win_lock_all(0, win));
    for (int i = 1; i <= ROUNDS; i++)
        for (int target = 0; target < size; target++) {
            value = i * 1000 + rank;
            CHECK_OK(MPI_Put(&value, 1, MPI_INT, target, 64 + rank, 1, MPI_INT, win));
            CHECK_OK(MPI_Win_flush(target, win));
            CHECK_OK(MPI_Sendrecv(NULL, 0, MPI_INT, to, 5, NULL, 0, MPI_INT, from, 5,
                                  MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_OK(MPI_Get(&got, 1, MPI_INT, target, 64 + from, 1, MPI_INT, win));
            CHECK_OK(MPI_Win_flush(target, win));
            CHECK_EQ(got, i * 1000 + from);
            CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
        }
    CHECK_OK(MPI_Win_unlock_all(win));
}

static void exchange(enum kind kind)
{
    make(kind, WORDS * sizeof(int));
    fences();
    posts();
    told();
    drop(kind);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*play)(enum kind);
    } parts[] = {{"outside", outside},
                 {"counters", counters},
                 {"locks", locks},
                 {"all", all},
                 {"exchange", exchange}};

    start(&argc, &argv);
    for (int i = 1; i < argc; i++)
        for (size_t k = 0; k < sizeof(parts) / sizeof(*parts); k++)
            for (enum kind kind = 0; kind < KINDS && !strcmp(argv[i], parts[k].name); kind++)
                parts[k].play(kind);
    return finish();
}
