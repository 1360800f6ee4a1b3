/* SPDX-License-Identifier: BSD-3-Clause */
/* control.h – the words by which members of a window tell each other about epochs.
 *
 * With a segment they lie in a piece of rank 0's heap, zero when it is taken; without one each member has those that it
 * reads in its own memory, and a message of the writer changes them.
 *
 *   line of target t        excl                              the lock machine (winlock_sm.h)
 *   line of target t        elements                          the lock of elements (acclock_sm.h)
 *   line of origin i        any                               the same
 *   all[n]                  byte i: origin i                  the same
 *   awaited[n]              byte i: member i                  it waits for a lock of this window
 *   closed[n]               byte i: member i                  it has freed the window
 *   shared[n][n]            row t, byte i: origin i           the lock of target t
 *   posted[n][n]            row o, byte t: target t           how often t has posted an epoch for o (modulo 256)
 *   done[n][n]              row t, byte o: origin o           how often o has completed one towards t
 *   executed[n][n]          row t, word o: target t           frames of o without an answer that t has carried out
 *
 * A member of a PSCW epoch waits for the next one of its partner before it begins another with it, so a count is ahead
 * of what its reader has seen by one at most.  Cost: 7 n² bytes and three lines for each member; 137 KiB for 128. */
#ifndef MEND_RMA_CONTROL_H
#define MEND_RMA_CONTROL_H

#include "rma/acclock_sm.h"
#include "rma/win.h"

struct mend_win_control {
    char *words;                      /* NULL: without a segment */
    mend_atomic_u8 *posted, *done;    /* rows that this member reads */
    uint8_t *posted_seen, *done_seen; /* by rank: what it has waited for */
    uint8_t *posted_told, *done_told; /* by rank: what it has said */
    mend_atomic_u8 *closed, *awaited; /* NULL: without a segment */
    uint32_t wanted;                  /* exclusive locks that this member has or wants */
    int waits_n;                      /* threads of this process that wait for a lock */
    struct mend_win_grants *grants;   /* grant.c: locks that this target gives by messages */
};

/* Bytes of the piece for n members. */
size_t mend_win_control_bytes(int n);

/* words: the piece as this process has mapped it, or NULL.  MPI_ERR_NO_MEM. */
int mend_win_control_make(struct mend_win *w, char *words);
void mend_win_control_drop(struct mend_win *w);

/* The words of a target's lock, for an origin. */
struct mend_winlock_words mend_win_lock_words(struct mend_win *w, int target, int origin);

/* This member tells another one. */
void mend_win_tell_posted(struct mend_win *w, int origin);
void mend_win_tell_done(struct mend_win *w, int target);

/* True once for each time that the other member has notified this one. */
bool mend_win_hear_posted(struct mend_win *w, int target);
bool mend_win_hear_done(struct mend_win *w, int origin);

/* With words: this member has carried out one more frame of the origin.  Where there are none it does nothing. */
void mend_win_tell_executed(struct mend_win *w, int origin);
/* With words: so many frames of this member the target has carried out; what they did happened before. */
uint32_t mend_win_executed_n(const struct mend_win *w, int target);

/* Wakes the members that wait for a lock of the window; one member. */
void mend_win_wake_all(struct mend_win *w);
void mend_win_wake(struct mend_win *w, int rank);

/* A process that polls its own part never waits in MPI, but others need its progress.  So calls that find nothing to
 * wait for look for messages, too; where hardly any come, one of MEND_WIN_CALLS does. */
#define MEND_WIN_CALLS 64
void mend_win_serve_others(struct mend_win *w);

/* The lock of elements of a part in the segment; this process holds it between the two calls, and waits for nothing.
 * lock() may wait as mend_rma_apply() says. */
static inline mend_atomic_u32 *mend_win_elements_word(const struct mend_win *w, int target)
{
    return (mend_atomic_u32 *)(w->control->words +
                               ((size_t)w->n + (size_t)target) * MEND_CACHE_LINE);
}

/* Where somebody has it. */
int mend_win_elements_lock_slow(struct mend_win *w, int target);

static inline int mend_win_elements_lock(struct mend_win *w, int target)
{
    return mend_likely(mend_acclock_take(mend_win_elements_word(w, target), w->me))
               ? MPI_SUCCESS
               : mend_win_elements_lock_slow(w, target);
}

static inline bool mend_win_has_elements(const struct mend_win *w, int target)
{
    return mend_acclock_has(mend_win_elements_word(w, target), w->me);
}

static inline void mend_win_elements_unlock(struct mend_win *w, int target)
{
    mend_acclock_release(mend_win_elements_word(w, target));
}

/* Waits until until(w, arg) is true, or the window is revoked: MPI_ERR_INVALIDATED.  until() must become true when a
 * process that it depends on dies. */
struct mend_win_wait {
    bool (*until)(struct mend_win *w, void *arg);
    void *arg;
    const char *what;
    bool
        silent; /* the member that ends it does not know of the waiter: it calls mend_win_wake_all() */
    int by;     /* the member that ends it, most likely; -1: any */
};
int mend_win_wait(struct mend_win *w, const struct mend_win_wait *k);

#endif
