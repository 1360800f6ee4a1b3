/* SPDX-License-Identifier: BSD-3-Clause */
/* What all see of one word can have happened one after the other (it is linearizable): all origins replace the word of rank
 * 0 by values of which each occurs once, by compare-and-swap and by fetch-and-replace, and read it in several ways.  Each
 * change says which value it found.  So the changes must form one chain from the first value to the last; each value that
 * was read is in it; and what one process sees never goes back in it.
 *
 * RUN: -n 2 ; time 60
 * RUN: -n 4 ; time 60
 * RUN: -n 8 ; time 60
 * RUN: -n 2 ; set RMA_SHM=0 ; time 60
 * RUN: -n 5 ; set RMA_SHM=0 ; time 60 */
#include "common.h"

#include <unistd.h>

#define MOST 400 /* operations of one origin: with 8 of them each value fits into 16 bits */

/* The value that was found; the one that was stored, or 0: none. */
struct event {
    int found, stored;
};

static const struct {
    MPI_Datatype type;
    int size;
    bool swaps; /* compare-and-swap is defined */
} types[] = {{MPI_INT64_T, 8, true},
             {MPI_INT32_T, 4, true},
             {MPI_INT16_T, 2, true},
             {MPI_DOUBLE, 8, false},
             {MPI_FLOAT, 4, false}};
enum { TYPES = sizeof types / sizeof *types };

static struct window k;
static struct event own[MOST];
static unsigned state;

static unsigned dice(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 16;
}

/* A number in the memory form of a type, and back. */
static void write_as(int t, int v, void *to)
{
    double d = v;
    float f = (float)v;
    int64_t i = v;

    memcpy(to,
           types[t].type == MPI_DOUBLE  ? (void *)&d
           : types[t].type == MPI_FLOAT ? (void *)&f
                                        : (void *)&i,
           (size_t)types[t].size);
}

static int read_as(int t, const void *from)
{
    double d;
    float f;
    int64_t i = 0;

    memcpy(types[t].type == MPI_DOUBLE  ? (void *)&d
           : types[t].type == MPI_FLOAT ? (void *)&f
                                        : (void *)&i,
           from, (size_t)types[t].size);
    return types[t].type == MPI_DOUBLE ? (int)d : types[t].type == MPI_FLOAT ? (int)f : (int)i;
}

static struct event operate(int t, MPI_Aint at, int new, int last)
{
    char in[8], old[8] = {0}, expected[8];
    struct event e = {.stored = new};
    unsigned what = dice() % 6;

    write_as(t, new, in);
    write_as(t, last, expected);
    if (what < 3 && types[t].swaps) {
        CHECK_OK(MPI_Compare_and_swap(in, expected, old, types[t].type, 0, at, k.win));
    } else if (what == 3) {
        CHECK_OK(MPI_Fetch_and_op(in, old, types[t].type, 0, at, MPI_NO_OP, k.win));
        e.stored = 0;
    } else if (what == 4) {
        CHECK_OK(MPI_Get_accumulate(in, 1, types[t].type, old, 1, types[t].type, 0, at, 1,
                                    types[t].type, MPI_REPLACE, k.win));
    } else {
        CHECK_OK(MPI_Fetch_and_op(in, old, types[t].type, 0, at, MPI_REPLACE, k.win));
    }
    CHECK_OK(MPI_Win_flush(0, k.win));
    e.found = read_as(t, old);
    if (what < 3 && types[t].swaps && e.found != last)
        e.stored = 0;
    return e;
}

static void make_history(int t, MPI_Aint at)
{
    int last = 0;

    CHECK_OK(MPI_Barrier(W));
    CHECK_OK(MPI_Win_lock_all(0, k.win));
    for (int i = 0; i < MOST; i++) {
        own[i] = operate(t, at, 1 + rank * MOST + i, last);
        last = own[i].stored ? own[i].stored : own[i].found;
    }
    CHECK_OK(MPI_Win_unlock_all(k.win));
    CHECK_OK(MPI_Barrier(W));
}

/* The place of each value in the chain of changes; -1: it is not in it. */
static int *chain(const struct event *all, int n)
{
    int *next = calloc((size_t)n + 1, sizeof *next),
        *place = malloc(((size_t)n + 1) * sizeof *place);
    int changes = 0, in_chain = 0;

    for (int i = 0; i < n; i++) {
        CHECK(all[i].found >= 0 && all[i].found <= n);
        changes += all[i].stored != 0;
        if (all[i].stored) {
            CHECK_EQ(next[all[i].found], 0); /* no value is overwritten twice */
            next[all[i].found] = all[i].stored;
        }
    }
    memset(place, -1, ((size_t)n + 1) * sizeof *place);
    for (int v = 0; place[v] < 0; v = next[v]) {
        place[v] = in_chain++;
        if (!next[v])
            break;
    }
    CHECK_EQ(in_chain, changes + 1); /* each change is in it, and each once */
    free(next);
    return place;
}

static void judge(int last)
{
    int n = size * MOST, *place;
    struct event *all = malloc((size_t)n * sizeof *all);

    CHECK_OK(MPI_Gather(own, 2 * MOST, MPI_INT, all, 2 * MOST, MPI_INT, 0, W));
    if (rank == 0) {
        place = chain(all, n);
        for (int v = 0; v <= n; v++)
            CHECK(place[v] <= place[last]);
        for (int i = 0; i < n; i++) {
            int seen =
                i % MOST ? place[all[i - 1].stored ? all[i - 1].stored : all[i - 1].found] : 0;

            CHECK(place[all[i].found] >= seen);
        }
        free(place);
    }
    free(all);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    know_rank();
    state = (unsigned)getpid();
    for (enum kind kind = 0; kind < KINDS; kind++) {
        k = make_window(kind_on(W, kind), 8 * 2 * TYPES, 1, W);
        for (int t = 0; t < TYPES; t++)
            for (int odd = 0; odd < 2;
                 odd++) { /* misaligned, too: no instruction can change these */
                int at = 16 * t + odd * (types[t].size / 2);

                if (odd)
                    memset(k.base + 16 * t, 0, 16);
                snprintf(doing, sizeof doing, "a window that is %s, type %d at %d",
                         kind_names[kind], t, at);
                make_history(t, disp_of(&k, 0, at, 1));
                judge(rank == 0 ? read_as(t, k.base + at) : 0);
                CHECK_OK(MPI_Barrier(W));
            }
        free_window(&k);
    }
    MPI_Finalize();
    return 0;
}
