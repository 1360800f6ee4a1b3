/* SPDX-License-Identifier: BSD-3-Clause */
/* grant.c – one machine (winlock_sm.h) per origin, all stepped by the target. */
#include "rma/grant.h"

#include "rma/control.h"
#include "rma/link.h"

/* The lock of this part, and the origins that want it: words and machines of all origins are this process's own. */
struct mend_win_grants {
    mend_atomic_u32 excl;
    mend_atomic_u8 *shared, *any, *all;
    struct mend_winlock *lock; /* by origin */
    uint32_t *wanted;          /* by origin: 0 or 1 */
    uint8_t *state;            /* by origin: enum served */
    uint8_t *named;  /* by member: an origin knows that it is dead, and this process does not yet */
    uint8_t *mourns; /* by origin: it has named one of them, so answers to it wait */
    uint8_t *unlocks; /* by origin: it has sent UNLOCK while it mourned */
    int named_n;
};

/* GIVEN: the origin does not know yet.  One that dies then has never held the lock, and poisons nothing. */
enum served { NOTHING, WAITS, GIVEN, HAS };

int mend_grant_make(struct mend_win *w)
{
    struct mend_win_grants *s = mend_zalloc(w->self, 1, sizeof(*s));
    size_t n = (size_t)w->n;

    w->control->grants = s;
    if (!s)
        return MPI_ERR_NO_MEM;
    s->shared = mend_zalloc(w->self, 7 * n, 1);
    s->lock = mend_zalloc(w->self, n, sizeof(*s->lock));
    s->wanted = mend_zalloc(w->self, n, sizeof(*s->wanted));
    if (!s->shared || !s->lock || !s->wanted)
        return MPI_ERR_NO_MEM;
    s->any = s->shared + n;
    s->all = s->shared + 2 * n;
    s->state = (uint8_t *)s->shared + 3 * n;
    s->named = s->state + n;
    s->mourns = s->named + n;
    s->unlocks = s->mourns + n;
    return MPI_SUCCESS;
}

void mend_grant_drop(struct mend_win *w)
{
    struct mend_win_grants *s = w->control->grants;

    if (!s)
        return;
    mend_free(w->self, (void *)s->shared);
    mend_free(w->self, s->lock);
    mend_free(w->self, s->wanted);
    mend_free(w->self, s);
    w->control->grants = NULL;
}

static bool is_dead(const void *of, int rank)
{
    return mend_win_is_dead(of, rank);
}

struct mend_winlock_words mend_grant_words(struct mend_win *w, int origin)
{
    struct mend_win_grants *s = w->control->grants;

    return (struct mend_winlock_words){.excl = &s->excl,
                                       .shared = s->shared,
                                       .any = s->any,
                                       .any_apart = 1,
                                       .all = s->all,
                                       .n = w->n,
                                       .me = origin,
                                       .wanted = &s->wanted[origin],
                                       .bereaved = w->comm->inactive,
                                       .is_dead = is_dead,
                                       .of = w};
}

/* With the number of deaths that are known here, if one is the reason: the origin takes it when it knows of as many. */
static void answer(struct mend_win *w, int origin, enum mend_rma_kind kind,
                   enum mend_winlock_result r)
{
    mend_rma_link_say(w, origin, kind, r == MEND_WINLOCK_POISONED ? mend_win_dead_n(w) : 0,
                      (uint64_t)r);
}

/* Goes on with a lock that an origin waits for.  True: it was refused, so the origin wants nothing any more. */
static bool try_lock(struct mend_win *w, int origin)
{
    struct mend_win_grants *s = w->control->grants;
    struct mend_winlock_words words = mend_grant_words(w, origin);
    enum mend_winlock_result r = mend_winlock_step(&s->lock[origin], &words);

    if (r == MEND_WINLOCK_WAIT)
        return false;
    s->state[origin] = r == MEND_WINLOCK_HELD ? GIVEN : NOTHING;
    answer(w, origin, MEND_RMA_LOCKED, r);
    return r == MEND_WINLOCK_POISONED;
}

static bool try_each(struct mend_win *w)
{
    struct mend_win_grants *s = w->control->grants;
    bool refused = false;

    for (int r = 0; r < w->n; r++)
        if (s->state[r] == WAITS && !s->mourns[r] && !mend_win_is_dead(w, r))
            refused |= try_lock(w, r);
    return refused;
}

/* Something has changed: a request that waits may be granted now.  Those before one that was refused may have waited
 * for it. */
static void try_all(struct mend_win *w)
{
    while (try_each(w))
        continue;
}

bool mend_grant_dead(struct mend_win *w, int from, const void *ranks, size_t len)
{
    struct mend_win_grants *s = w->control->grants;
    uint32_t r;

    if (!s || len % sizeof(r))
        return false;
    for (size_t at = 0; at < len; at += sizeof(r)) {
        memcpy(&r, (const char *)ranks + at, sizeof(r));
        if (r >= (uint32_t)w->n)
            return false;
        if (mend_win_is_dead(w, (int)r))
            continue;
        s->named_n += !s->named[r];
        s->named[r] = s->mourns[from] = 1;
    }
    return true;
}

bool mend_grant_lock(struct mend_win *w, int from, uint64_t kind)
{
    struct mend_win_grants *s = w->control->grants;

    if (!s || kind >= MEND_WINLOCK_KINDS || s->state[from] != NOTHING)
        return false;
    mend_winlock_begin(&s->lock[from], (enum mend_winlock_kind)kind);
    s->state[from] = WAITS;
    if (!s->mourns[from])
        try_lock(w, from);
    return true;
}

bool mend_grant_taken(struct mend_win *w, int from)
{
    struct mend_win_grants *s = w->control->grants;

    if (!s || s->state[from] != GIVEN)
        return false;
    s->state[from] = HAS;
    return true;
}

/* Returns what the origin is told of its lock. */
static enum mend_winlock_result end_lock(struct mend_win *w, int from)
{
    struct mend_win_grants *s = w->control->grants;
    struct mend_winlock_words words = mend_grant_words(w, from);
    enum mend_winlock_result r = MEND_WINLOCK_HELD;

    if (s->state[from] >= GIVEN)
        r = mend_winlock_release(&s->lock[from], &words);
    else if (s->state[from] == WAITS)
        mend_winlock_abandon(&s->lock[from], &words);
    s->state[from] = NOTHING;
    s->unlocks[from] = 0;
    return r;
}

bool mend_grant_unlock(struct mend_win *w, int from)
{
    struct mend_win_grants *s = w->control->grants;

    if (!s)
        return false;
    s->unlocks[from] = s->mourns[from];
    if (!s->unlocks[from])
        answer(w, from, MEND_RMA_UNLOCKED, end_lock(w, from));
    try_all(w);
    return true;
}

/* This process has heard of all deaths that origins have named: the answers to these go on. */
static void end_mourning(struct mend_win *w)
{
    struct mend_win_grants *s = w->control->grants;

    for (int r = 0; r < w->n; r++) {
        s->mourns[r] = 0;
        if (s->unlocks[r])
            answer(w, r, MEND_RMA_UNLOCKED, end_lock(w, r));
    }
}

void mend_grant_bury(struct mend_win *w, int dead)
{
    struct mend_win_grants *s = w->control->grants;
    struct mend_winlock_words words;

    if (!s)
        return;
    words = mend_grant_words(w, dead);
    if (s->unlocks[dead])
        end_lock(w, dead);
    else if (s->state[dead] == GIVEN)
        mend_winlock_release(&s->lock[dead], &words);
    else if (s->state[dead] == WAITS)
        mend_winlock_abandon(&s->lock[dead], &words);
    mend_winlock_bury(&words, dead);
    s->state[dead] = NOTHING;
    s->named_n -= s->named[dead];
    s->named[dead] = 0;
}

void mend_grant_go_on(struct mend_win *w)
{
    const struct mend_win_grants *s = w->control->grants;

    if (!s)
        return;
    if (!s->named_n)
        end_mourning(w);
    try_all(w);
}
