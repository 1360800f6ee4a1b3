/* SPDX-License-Identifier: BSD-3-Clause */
/* ledger.h – which partitions are ready, sent, arrived: the state of a partitioned message, without messages.
 *
 *   sender     marked by any thread, without a lock ──taken under the lock, run by run──> sent
 *   receiver   bytes that each of its own partitions still lacks; 0: it has arrived
 *
 * The two ends may cut the same bytes differently, so the receiver counts bytes, not partitions of the sender.
 *
 * A thread that has marked a partition sets `hurry`.  The one that finds it unset takes the library's lock and sends
 * what is marked; the others leave, because that thread takes their marks, too:
 *
 *   marks ──hurry was unset──> lock, unset hurry, take all marks, send
 *     └──── hurry was set ───> done: the marks are older than that thread's look at them
 *
 * While the receiver has not started nothing can be sent, and `hurry` stays set: what the START of the receiver makes the
 * process do takes the marks.
 *
 * Invariants:
 *   1  a mark that is set before `hurry` was found set is seen by the thread that unsets `hurry`;
 *   2  `taken` holds only partitions that are marked, and is read and written under the lock;
 *   3  a partition whose last byte is counted lies in the program's buffer (release, acquire). */
#ifndef MEND_PART_LEDGER_H
#define MEND_PART_LEDGER_H

#include "base/atomic.h"

#include <stdbool.h>

#define MEND_MARKS_PER_WORD 64

struct mend_marks {
    int partitions_n, taken_n;
    mend_atomic_u64 *marked; /* a bit for each partition */
    uint64_t *taken;         /* the same */
    _Atomic bool hurry;
};

static inline int mend_marks_words(int partitions_n)
{
    return (partitions_n + MEND_MARKS_PER_WORD - 1) / MEND_MARKS_PER_WORD;
}

/* No partition is marked. */
static inline void mend_marks_clear(struct mend_marks *m)
{
    for (int i = 0; i < mend_marks_words(m->partitions_n); i++) {
        mend_store_relaxed(&m->marked[i], 0); /* MPI_Start comes before every mark */
        m->taken[i] = 0;
    }
    m->taken_n = 0;
}

/* Any thread, without a lock.  False: it was marked before. */
static inline bool mend_marks_set(struct mend_marks *m, int partition)
{
    uint64_t bit = UINT64_C(1) << partition % MEND_MARKS_PER_WORD;

    /* release: pairs with the acquire in mend_marks_next(); what the thread has written goes with the mark */
    return !(atomic_fetch_or_explicit(&m->marked[partition / MEND_MARKS_PER_WORD], bit,
                                      memory_order_release) &
             bit);
}

/* After one or more marks.  True: this thread must take the lock and send; false: another one does. */
static inline bool mend_marks_hurry(struct mend_marks *m)
{
    /* release: pairs with the acquire in mend_marks_calm() */
    return !atomic_exchange_explicit(&m->hurry, true, memory_order_release);
}

/* Under the lock, before the marks are looked at. */
static inline void mend_marks_calm(struct mend_marks *m)
{
    /* acquire: pairs with the release in mend_marks_hurry() of each thread that has found it set */
    (void)atomic_exchange_explicit(&m->hurry, false, memory_order_acquire);
}

static inline bool mend_marks_has(const struct mend_marks *m, int partition)
{
    /* acquire: pairs with the release in mend_marks_set() */
    return mend_load_acquire(&m->marked[partition / MEND_MARKS_PER_WORD]) >>
               partition % MEND_MARKS_PER_WORD &
           1;
}

static inline bool mend_marks_is_taken(const struct mend_marks *m, int partition)
{
    return m->taken[partition / MEND_MARKS_PER_WORD] >> partition % MEND_MARKS_PER_WORD & 1;
}

/* The first run of partitions from `from` on that are marked and not taken; partitions_n: there is none. */
static inline int mend_marks_next(const struct mend_marks *m, int from, int *n_p)
{
    int i = from, end;

    while (i < m->partitions_n) {
        /* acquire: as in mend_marks_has() */
        uint64_t new = (mend_load_acquire(&m->marked[i / MEND_MARKS_PER_WORD]) &
                        ~m->taken[i / MEND_MARKS_PER_WORD]) >>
                       i % MEND_MARKS_PER_WORD;

        if (new) {
            i += __builtin_ctzll(new);
            break;
        }
        i += MEND_MARKS_PER_WORD - i % MEND_MARKS_PER_WORD;
    }
    if (i >= m->partitions_n)
        return m->partitions_n;
    for (end = i + 1; end < m->partitions_n; end++)
        if (!mend_marks_has(m, end) || mend_marks_is_taken(m, end))
            break;
    *n_p = end - i;
    return i;
}

static inline void mend_marks_take(struct mend_marks *m, int first, int n)
{
    for (int i = first; i < first + n; i++)
        m->taken[i / MEND_MARKS_PER_WORD] |= UINT64_C(1) << i % MEND_MARKS_PER_WORD;
    m->taken_n += n;
}

static inline bool mend_marks_all_taken(const struct mend_marks *m)
{
    return m->taken_n == m->partitions_n;
}

struct mend_arrivals {
    int partitions_n;
    uint64_t each_bytes;
    uint64_t got_bytes;    /* of all partitions, and of what is beyond them */
    mend_atomic_u64 *left; /* by partition; one more than nothing for partitions without bytes */
};

static inline void mend_arrivals_clear(struct mend_arrivals *a)
{
    a->got_bytes = 0;
    for (int i = 0; i < a->partitions_n; i++)
        mend_store_relaxed(&a->left[i],
                           a->each_bytes ? a->each_bytes : 1); /* MPI_Start comes first */
}

/* The bytes [at, at + len) are in the buffer. */
static inline void mend_arrivals_add(struct mend_arrivals *a, uint64_t at, uint64_t len)
{
    a->got_bytes += len;
    while (len && a->each_bytes && at / a->each_bytes < (uint64_t)a->partitions_n) {
        mend_atomic_u64 *left = &a->left[at / a->each_bytes];
        uint64_t n = a->each_bytes - at % a->each_bytes;

        n = n < len ? n : len;
        /* release: pairs with the acquire in mend_arrivals_has() */
        mend_store_release(left, mend_load_relaxed(left) - n);
        at += n;
        len -= n;
    }
}

/* Nothing more will come, or is needed. */
static inline void mend_arrivals_finish(struct mend_arrivals *a)
{
    for (int i = 0; i < a->partitions_n; i++)
        mend_store_release(&a->left[i], 0); /* pairs with the acquire in mend_arrivals_has() */
}

/* Any thread, without a lock. */
static inline bool mend_arrivals_has(const struct mend_arrivals *a, int partition)
{
    /* acquire: pairs with the releases in mend_arrivals_add() and mend_arrivals_finish() */
    return mend_load_acquire(&a->left[partition]) == 0;
}

#endif
