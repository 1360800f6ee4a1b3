/* SPDX-License-Identifier: BSD-3-Clause */
/* scarce.h – each allocation of a call fails in turn.
 *
 *     sweep(&(struct scarce){"MPI_X", call, undo, flags, prepare})
 *
 * makes the call again and again, with the first, second, third ... allocation failing, until it needs no
 * more of them.  `prepare` makes what it needs, with memory; `undo` takes back what a call that succeeded has made.
 * A call of several parts makes the part that failed again when it has said enough().  What holds each time:
 *
 *   - the call succeeds, or reports MPI_ERR_NO_MEM;
 *   - where it is collective, the same at all ranks;
 *   - it ends (the watchdog), and the same call succeeds at once when there is memory again;
 *   - at the end the library holds as much memory as before.
 *
 * All ranks sweep together, each call under three kinds of want: at one rank after the other, at all at
 * once, and, for both, one allocation fails or all that follow fail, too.  MEND_MEMORY_FAULTS says how
 * (`mpiexec --help-params`). */
#ifndef TEST_KILL_MEMORY_SCARCE_H
#define TEST_KILL_MEMORY_SCARCE_H

#include "../common.h"

enum {
    LOCAL = 1, /* ranks may get different results: only the ones that made the call are asked */
    TOLD = 2,  /* and where a rank had no memory the others may get MPI_ERR_NO_MEM, too */
    SPARE = 4, /* some forms of the call need no memory */
    GROWS = 8, /* something stays of each call: the name of a process */
};

struct scarce {
    const char *name;
    int (*call)(void);
    void (*undo)(void);
    int flags;
    void (*prepare)(void);
};

static long scarce_denied, scarce_held;

static inline void scarce_set(int k)
{
    long denied;

    CHECK_EQ(MPI_Pcontrol(k, &denied, &scarce_held), MPI_SUCCESS);
    scarce_denied += denied;
}

/* The library remembers so many contexts that are gone: from now on the table does not grow. */
static inline void fill_tombs(void)
{
    for (int i = 0; i < 4200; i++) {
        MPI_Comm c;

        CHECK_EQ(MPI_Comm_dup(MPI_COMM_SELF, &c), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_free(&c), MPI_SUCCESS);
    }
}

/* Each has sent to each.  What a first frame to another node needs is not in the reserve (doc/gaps.md), and whether one is sent in a call
 * may depend on what comes first. */
static inline void meet_all(void)
{
    int all[64] = {0}, mine[64] = {0};

    CHECK(size <= 64);
    CHECK_EQ(MPI_Alltoall(mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
}

/* From here on there is memory. */
static inline void enough(void)
{
    scarce_set(0);
}

/* Of all ranks.  There is memory for this. */
static inline int largest(int value)
{
    int max;

    CHECK_EQ(MPI_Allreduce(&value, &max, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD), MPI_SUCCESS);
    return max;
}

static inline void prepare(const struct scarce *s)
{
    if (s->prepare)
        s->prepare();
}

static inline void undo(const struct scarce *s)
{
    if (s->undo)
        s->undo();
}

/* With the k-th allocation failing here, unless k is 0.  Returns whether one failed anywhere. */
static inline int once(const struct scarce *s, int k)
{
    int class, denied;

    prepare(s);
    largest(0);
    scarce_set(k);
    scarce_denied = 0;
    class = class_of(s->call());
    scarce_set(0);
    denied = scarce_denied > 0;
    if (class != MPI_SUCCESS && class != MPI_ERR_NO_MEM) {
        fprintf(stderr, "rank %d: %s without allocation %d gives class %#x\n", rank, s->name, k,
                (unsigned)class);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (!(s->flags & LOCAL) && largest(class) != class) {
        fprintf(stderr, "rank %d: %s without allocation %d gives class %#x, elsewhere another\n",
                rank, s->name, k, (unsigned)class);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (class == MPI_SUCCESS)
        undo(s);
    else if (!k && (s->flags & (LOCAL | TOLD)) == LOCAL)
        CHECK_EQ(class, MPI_SUCCESS);
    return largest(denied);
}

/* Twice: what is made on first use only stays. */
static inline void with_memory(const struct scarce *s)
{
    prepare(s);
    largest(0);
    CHECK_CLASS(s->call(), MPI_SUCCESS);
    undo(s);
}

/* at: a rank, or all. */
static inline int sweep_at(const struct scarce *s, int at, int sign)
{
    bool here = at == size || at == rank;
    int k = 1;

    while (once(s, here ? sign * k : 0)) {
        with_memory(s);
        k++;
    }
    return k - 1;
}

/* Without MPI, before and after: no message is on its way. */
static inline long held(void)
{
    static int turns;

    largest(0);
    turns += size;
    post(0);
    await(0, turns);
    scarce_set(0);
    post(1);
    await(1, turns);
    return scarce_held;
}

static inline int sweep_all(const struct scarce *s)
{
    int failed_n = 0;

    for (int at = 0; at <= size; at++)
        for (int sign = 1; sign >= -1; sign -= 2)
            failed_n += sweep_at(s, at, sign);
    return failed_n;
}

/* What is kept for later use grows once and then no more; a leak grows each time.  Freed
 * communicators go when all others have freed them, too. */
#define TIMES 10

/* Above the most that was held after any sweep before. */
static inline bool grows(const struct scarce *s, long *most_p)
{
    long most = *most_p, now;

    sweep_all(s);
    now = held();
    *most_p = now > most ? now : most;
    return largest(now > most);
}

static inline void sweep(const struct scarce *s)
{
    int failed_n, times = 0;
    long most;

    with_memory(s);
    failed_n = sweep_all(s);
    CHECK(failed_n > 0 || s->flags & SPARE); /* else it shows nothing */
    most = held();
    while (!(s->flags & GROWS) && grows(s, &most))
        CHECK(++times < TIMES);
    if (rank == 0)
        printf("%s: %d allocations failed in turn\n", s->name, failed_n);
}

#endif
