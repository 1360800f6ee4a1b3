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
    uint8_t *bereaved;         /* by origin: it says that a holder is dead */
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
    s->shared = mend_zalloc(w->self, 5 * n, 1);
    s->lock = mend_zalloc(w->self, n, sizeof(*s->lock));
    s->wanted = mend_zalloc(w->self, n, sizeof(*s->wanted));
    if (!s->shared || !s->lock || !s->wanted)
        return MPI_ERR_NO_MEM;
    s->any = s->shared + n;
    s->all = s->shared + 2 * n;
    s->state = (uint8_t *)s->shared + 3 * n;
    s->bereaved = s->state + n;
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

/* Goes on with a lock that an origin waits for.  True: it was refused, so the origin wants nothing any more. */
static bool try_lock(struct mend_win *w, int origin)
{
    struct mend_win_grants *s = w->control->grants;
    struct mend_winlock_words words = mend_grant_words(w, origin);
    enum mend_winlock_result r = mend_winlock_step(&s->lock[origin], &words);

    if (r == MEND_WINLOCK_WAIT)
        return false;
    s->state[origin] = r == MEND_WINLOCK_HELD ? GIVEN : NOTHING;
    mend_link_say(w, origin, MEND_RMA_LOCKED, 0, (uint64_t)r);
    return r == MEND_WINLOCK_POISONED;
}

static bool try_each(struct mend_win *w)
{
    struct mend_win_grants *s = w->control->grants;
    bool refused = false;

    for (int r = 0; r < w->n; r++)
        if (s->state[r] == WAITS && !mend_win_is_dead(w, r))
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
        s->bereaved[from] |= s->state[r] == HAS && s->lock[r].kind != MEND_WINLOCK_ALL; /* R39 */
    }
    return true;
}

bool mend_grant_lock(struct mend_win *w, int from, uint64_t kind)
{
    struct mend_win_grants *s = w->control->grants;

    if (!s || kind >= MEND_WINLOCK_KINDS || s->state[from] != NOTHING)
        return false;
    if (s->bereaved[from] && kind != MEND_WINLOCK_ALL) {
        mend_link_say(w, from, MEND_RMA_LOCKED, 0, MEND_WINLOCK_POISONED);
        return true;
    }
    mend_winlock_begin(&s->lock[from], (enum mend_winlock_kind)kind);
    s->state[from] = WAITS;
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

bool mend_grant_unlock(struct mend_win *w, int from)
{
    struct mend_win_grants *s = w->control->grants;
    struct mend_winlock_words words;
    enum mend_winlock_result r = MEND_WINLOCK_HELD;

    if (!s)
        return false;
    words = mend_grant_words(w, from);
    if (s->state[from] >= GIVEN)
        r = mend_winlock_release(&s->lock[from], &words);
    else if (s->state[from] == WAITS)
        mend_winlock_abandon(&s->lock[from], &words);
    s->state[from] = NOTHING;
    if (s->bereaved[from] && s->lock[from].kind != MEND_WINLOCK_ALL)
        r = MEND_WINLOCK_POISONED;
    mend_link_say(w, from, MEND_RMA_UNLOCKED, 0, (uint64_t)r);
    try_all(w);
    return true;
}

void mend_grant_on_death(struct mend_win *w, int dead)
{
    struct mend_win_grants *s = w->control->grants;
    struct mend_winlock_words words;

    if (!s)
        return;
    words = mend_grant_words(w, dead);
    if (s->state[dead] == GIVEN)
        mend_winlock_release(&s->lock[dead], &words);
    else if (s->state[dead] == WAITS)
        mend_winlock_abandon(&s->lock[dead], &words);
    mend_winlock_bury(&words, dead);
    s->state[dead] = NOTHING;
    try_all(w);
}
