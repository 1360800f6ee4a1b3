/* SPDX-License-Identifier: BSD-3-Clause */
/* Many origins add to the same elements of all parts at once, in single elements, long rows and rectangles of a table,
 * aligned and not, and no addition is lost: each origin counts what it adds to each element, and the sums agree.
 * Mutexes made of compare-and-swap protect a counter that is read by get and written by put.
 *
 * RUN: -n 2
 * RUN: -n 4 ; time 60
 * RUN: -n 8 ; time 60
 * RUN: -n 2 ; set RMA_SHM=0
 * RUN: -n 5 ; set RMA_SHM=0 ; time 60 */
#include "common.h"

#include <unistd.h>

#define ROWS    24
#define COLUMNS 40
#define TURNS   60
#define ENTRIES 20 /* of each origin into each mutex */

static struct window k;
static int added[16][ROWS * COLUMNS]; /* by this origin, to each target */
static unsigned state;

static int dice(int n)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 16) % (unsigned)n);
}

/* ---- sums ---- */

struct table {
    MPI_Datatype type;
    int size, offset; /* bytes of an element, and before the first one */
};

static const struct table tables[] = {{MPI_DOUBLE, 8, 0},
                                      {MPI_DOUBLE, 8, 4}, /* misaligned */
                                      {MPI_INT, 4, 0},
                                      {MPI_INT64_T, 8, 0},
                                      {MPI_FLOAT, 4, 2}};
enum { TABLES = sizeof tables / sizeof *tables };

/* So many elements of the value, in the form of the type. */
static void fill(const struct table *t, int v, int n, void *to)
{
    for (int i = 0; i < n; i++)
        if (t->type == MPI_DOUBLE)
            ((double *)to)[i] = v;
        else if (t->type == MPI_FLOAT)
            ((float *)to)[i] = (float)v;
        else if (t->type == MPI_INT)
            ((int *)to)[i] = v;
        else
            ((int64_t *)to)[i] = v;
}

static long value_at(const struct table *t, int i)
{
    const char *at = k.base + t->offset + i * t->size;
    double d;
    float f;
    int64_t l = 0;

    if (t->type == MPI_DOUBLE)
        return memcpy(&d, at, sizeof d), (long)d;
    if (t->type == MPI_FLOAT)
        return memcpy(&f, at, sizeof f), (long)f;
    memcpy(&l, at, (size_t)t->size);
    return (long)l;
}

/* A rectangle of the table, by a type with gaps at the target and none here. */
static void add_rectangle(const struct table *t, int target, int row, int column, int rows,
                          int columns)
{
    static int64_t in[ROWS * COLUMNS];
    int v = 1 + dice(3);
    MPI_Aint at = disp_of(&k, target, t->offset + (row * COLUMNS + column) * t->size, 1);
    MPI_Datatype there;

    fill(t, v, rows * columns, in);
    CHECK_OK(MPI_Type_vector(rows, columns, COLUMNS, t->type, &there));
    CHECK_OK(MPI_Type_commit(&there));
    CHECK_OK(MPI_Accumulate(in, rows * columns, t->type, target, at, 1, there, MPI_SUM, k.win));
    CHECK_OK(MPI_Win_flush_local(target, k.win));
    CHECK_OK(MPI_Type_free(&there));
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            added[target][(row + r) * COLUMNS + column + c] += v;
}

static void add_row(const struct table *t, int target, int first, int n)
{
    static int64_t in[ROWS * COLUMNS], old[ROWS * COLUMNS];
    int v = 1 + dice(3);
    MPI_Aint at = disp_of(&k, target, t->offset + first * t->size, 1);

    fill(t, v, n, in);
    if (n == 1 && dice(2))
        CHECK_OK(MPI_Fetch_and_op(in, old, t->type, target, at, MPI_SUM, k.win));
    else if (dice(2))
        CHECK_OK(MPI_Get_accumulate(in, n, t->type, old, n, t->type, target, at, n, t->type,
                                    MPI_SUM, k.win));
    else
        CHECK_OK(MPI_Accumulate(in, n, t->type, target, at, n, t->type, MPI_SUM, k.win));
    CHECK_OK(MPI_Win_flush_local(target, k.win));
    for (int i = 0; i < n; i++)
        added[target][first + i] += v;
}

static void add_something(const struct table *t)
{
    int target = dice(size), row, column, first;

    if (dice(3) == 0) {
        row = dice(ROWS);
        column = dice(COLUMNS);
        add_rectangle(t, target, row, column, 1 + dice(ROWS - row), 1 + dice(COLUMNS - column));
    } else {
        first = dice(ROWS * COLUMNS);
        add_row(t, target, first, dice(2) ? 1 : 1 + dice(ROWS * COLUMNS - first));
    }
}

static void check_sums(const struct table *t)
{
    static int sum[ROWS * COLUMNS];

    for (int r = 0; r < size; r++)
        CHECK_OK(MPI_Reduce(added[r], sum, ROWS * COLUMNS, MPI_INT, MPI_SUM, r, W));
    for (int i = 0; i < ROWS * COLUMNS; i++)
        CHECK_EQ(value_at(t, i), (long)sum[i]);
}

static void sums(const struct table *t)
{
    memset(k.base, 0, (size_t)k.size);
    memset(added, 0, sizeof added);
    CHECK_OK(MPI_Barrier(W));
    CHECK_OK(MPI_Win_lock_all(0, k.win));
    for (int i = 0; i < TURNS; i++)
        add_something(t);
    CHECK_OK(MPI_Win_unlock_all(k.win));
    CHECK_OK(MPI_Barrier(W));
    check_sums(t);
    CHECK_OK(MPI_Barrier(W));
}

/* ---- mutexes ---- */

enum { MUTEX = 0, COUNTER = 8 };

static void enter(int target)
{
    int64_t free = 0, mine = 1 + rank, was;

    do {
        CHECK_OK(MPI_Compare_and_swap(&mine, &free, &was, MPI_INT64_T, target,
                                      disp_of(&k, target, MUTEX, 1), k.win));
        CHECK_OK(MPI_Win_flush(target, k.win));
    } while (was != 0);
}

static void leave(int target)
{
    int64_t free = 0, was = -1;

    CHECK_OK(MPI_Fetch_and_op(&free, &was, MPI_INT64_T, target, disp_of(&k, target, MUTEX, 1),
                              MPI_REPLACE, k.win));
    CHECK_OK(MPI_Win_flush(target, k.win));
    CHECK_EQ(was, 1 + rank);
}

static void count(int target)
{
    MPI_Aint at = disp_of(&k, target, COUNTER, 1);
    int64_t v = -1;

    enter(target);
    CHECK_OK(MPI_Get(&v, 1, MPI_INT64_T, target, at, 1, MPI_INT64_T, k.win));
    CHECK_OK(MPI_Win_flush(target, k.win));
    v++;
    CHECK_OK(MPI_Put(&v, 1, MPI_INT64_T, target, at, 1, MPI_INT64_T, k.win));
    CHECK_OK(MPI_Win_flush(target, k.win));
    leave(target);
}

static void mutexes(void)
{
    int64_t counted;

    memset(k.base, 0, (size_t)k.size);
    CHECK_OK(MPI_Barrier(W));
    CHECK_OK(MPI_Win_lock_all(0, k.win));
    for (int i = 0; i < ENTRIES; i++)
        for (int t = 0; t < size; t++)
            count((rank + t) % size);
    CHECK_OK(MPI_Win_unlock_all(k.win));
    CHECK_OK(MPI_Barrier(W));
    memcpy(&counted, k.base + COUNTER, sizeof counted);
    CHECK_EQ(counted, ENTRIES * size);
    CHECK_OK(MPI_Barrier(W));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    know_rank();
    state = (unsigned)getpid();
    for (enum kind kind = 0; kind < KINDS; kind++) {
        k = make_window(kind_on(W, kind), 8 * (ROWS * COLUMNS + 1), 1, W);
        for (int t = 0; t < TABLES; t++) {
            snprintf(doing, sizeof doing, "a window that is %s, table %d", kind_names[kind], t);
            sums(&tables[t]);
        }
        mutexes();
        free_window(&k);
    }
    MPI_Finalize();
    return 0;
}
