/* SPDX-License-Identifier: BSD-3-Clause */
/* control.c – where the words of control.h lie, and how members notify each other. */
#include "rma/control.h"

#include "node/node.h"
#include "rma/acclock_sm.h"
#include "rma/link.h"
#include "rma/grant.h"

#define LINE           ((size_t)MEND_CACHE_LINE)
#define ELEMENTS_SPINS 100 /* tries before the wait takes over */

static size_t row_bytes(int n)
{
    return ((size_t)n + LINE - 1) & ~(LINE - 1);
}

enum bytes { ALL, AWAITED, CLOSED, BYTES };

static char *bytes_of(char *words, int n, enum bytes which)
{
    return words + 3 * (size_t)n * LINE + which * row_bytes(n);
}

static mend_atomic_u8 *any_of(char *words, int n)
{
    return (mend_atomic_u8 *)words + 2 * (size_t)n * LINE;
}

enum table { SHARED, POSTED, DONE, TABLES };

static char *row_of(char *words, int n, enum table which, int row)
{
    return bytes_of(words, n, BYTES) + ((size_t)which * (size_t)n + (size_t)row) * row_bytes(n);
}

/* The row of a target. */
static mend_atomic_u32 *executed_of(char *words, int n, int target)
{
    return (mend_atomic_u32 *)(row_of(words, n, TABLES, 0) +
                               (size_t)target * row_bytes(n * (int)sizeof(uint32_t)));
}

size_t mend_win_control_bytes(int n)
{
    return (size_t)((char *)executed_of(NULL, n, n) - (char *)NULL);
}

static int make_private(struct mend_win *w)
{
    struct mend_win_control *k = w->control;

    k->posted = mend_zalloc(w->self, 2 * (size_t)w->n, 1);
    k->done = k->posted ? k->posted + w->n : NULL;
    return k->posted ? mend_grant_make(w) : MPI_ERR_NO_MEM;
}

int mend_win_control_make(struct mend_win *w, char *words)
{
    struct mend_win_control *k = mend_zalloc(w->self, 1, sizeof(*k));
    size_t n = (size_t)w->n;

    w->control = k;
    if (!k)
        return MPI_ERR_NO_MEM;
    k->posted_seen = mend_zalloc(w->self, 4 * n, 1);
    if (!k->posted_seen)
        return MPI_ERR_NO_MEM;
    k->done_seen = k->posted_seen + n;
    k->posted_told = k->posted_seen + 2 * n;
    k->done_told = k->posted_seen + 3 * n;
    k->words = words;
    if (!words)
        return make_private(w);
    k->posted = (mend_atomic_u8 *)row_of(words, w->n, POSTED, w->me);
    k->done = (mend_atomic_u8 *)row_of(words, w->n, DONE, w->me);
    k->closed = (mend_atomic_u8 *)bytes_of(words, w->n, CLOSED);
    k->awaited = (mend_atomic_u8 *)bytes_of(words, w->n, AWAITED);
    return MPI_SUCCESS;
}

void mend_win_control_drop(struct mend_win *w)
{
    struct mend_win_control *k = w->control;

    if (!k)
        return;
    mend_grant_drop(w);
    if (!k->words)
        mend_free(w->self, (void *)k->posted);
    mend_free(w->self, k->posted_seen);
    mend_free(w->self, k);
    w->control = NULL;
}

/* The rank may come from a word that another process wrote: a number outside of the window counts as alive. */
static bool is_dead(const void *of, int rank)
{
    const struct mend_win *w = of;

    return (unsigned)rank < (unsigned)w->n && mend_win_is_dead(w, rank);
}

struct mend_winlock_words mend_win_lock_words(struct mend_win *w, int target, int origin)
{
    char *words = w->control->words;

    if (!words)
        return mend_grant_words(w, origin);
    return (struct mend_winlock_words){
        .excl = (mend_atomic_u32 *)(words + (size_t)target * LINE),
        .shared = (mend_atomic_u8 *)row_of(words, w->n, SHARED, target),
        .any = any_of(words, w->n),
        .any_apart = LINE,
        .all = (mend_atomic_u8 *)bytes_of(words, w->n, ALL),
        .n = w->n,
        .me = origin,
        .wanted = &w->control->wanted,
        .bereaved = w->comm->inactive,
        .is_dead = is_dead,
        .of = w,
    };
}

/* ---- telling ---- */

static void wake(struct mend_win *w, int rank)
{
    if (rank != w->me)
        mend_node_nudge(&w->self->node->wakes,
                        mend_peer_place(w->self, mend_comm_peer(w->comm, rank)));
}

void mend_win_wake(struct mend_win *w, int rank)
{
    wake(w, rank);
    mend_node_wakes_flush(&w->self->node->wakes);
}

void mend_win_wake_all(struct mend_win *w)
{
    /* The word that changed is stored before the look at the waiters; the membarrier of a waiter that sleeps is the
     * fence. */
    atomic_signal_fence(memory_order_seq_cst);
    for (int r = 0; r < w->n; r++)
        if (mend_load_relaxed(&w->control->awaited[r]))
            wake(w, r);
    mend_node_wakes_flush(&w->self->node->wakes);
}

void mend_win_tell_posted(struct mend_win *w, int origin)
{
    struct mend_win_control *k = w->control;
    uint8_t told = ++k->posted_told[origin];

    if (origin == w->me)
        mend_store_release(&k->posted[w->me], told);
    else if (!k->words)
        mend_rma_link_tell(w, origin, MEND_RMA_POSTED);
    else {
        mend_atomic_u8 *row = (mend_atomic_u8 *)row_of(k->words, w->n, POSTED, origin);

        /* release: pairs with the acquire in heard() */
        mend_store_release(&row[w->me], told);
        mend_win_wake(w, origin);
    }
    mend_event(w->self, MEND_EV_RMA_TOLD);
}

void mend_win_tell_done(struct mend_win *w, int target)
{
    struct mend_win_control *k = w->control;
    uint8_t told = ++k->done_told[target];

    if (target == w->me)
        mend_store_release(&k->done[w->me], told);
    else if (!k->words)
        mend_rma_link_tell(w, target, MEND_RMA_DONE);
    else {
        mend_atomic_u8 *row = (mend_atomic_u8 *)row_of(k->words, w->n, DONE, target);

        /* release: pairs with the acquire in heard() */
        mend_store_release(&row[w->me], told);
        mend_win_wake(w, target);
    }
    mend_event(w->self, MEND_EV_RMA_TOLD);
}

static bool heard(const mend_atomic_u8 *word, uint8_t *seen)
{
    uint8_t now = mend_load_acquire(word);

    if (now == *seen)
        return false;
    (*seen)++;
    return true;
}

bool mend_win_hear_posted(struct mend_win *w, int target)
{
    return heard(&w->control->posted[target], &w->control->posted_seen[target]);
}

bool mend_win_hear_done(struct mend_win *w, int origin)
{
    return heard(&w->control->done[origin], &w->control->done_seen[origin]);
}

void mend_win_tell_executed(struct mend_win *w, int origin)
{
    mend_atomic_u32 *word;

    if (!w->control->words)
        return;
    word = executed_of(w->control->words, w->n, w->me) + origin;
    /* release: pairs with the acquire in mend_win_executed_n() */
    mend_store_release(word, mend_load_relaxed(word) + 1);
    mend_win_wake(w, origin);
}

uint32_t mend_win_executed_n(const struct mend_win *w, int target)
{
    return mend_load_acquire(executed_of(w->control->words, w->n, target) + w->me);
}

/* ---- waiting ---- */

struct waiting {
    struct mend_win *w;
    bool (*until)(struct mend_win *w, void *arg);
    void *arg;
};

static bool is_over(struct mend_proc *self, void *arg)
{
    struct waiting *k = arg;

    (void)self;
    return k->w->comm->revoked || k->until(k->w, k->arg);
}

/* A process that changes a word looks at `awaited` next.  The waiter's membarrier, between this store and its last look
 * before it sleeps, orders the two (node/node.h, mend_node_nudge). */
static void await(struct mend_win *w, int more)
{
    struct mend_win_control *k = w->control;

    k->waits_n += more;
    if (more && k->awaited)
        mend_store_relaxed(&k->awaited[w->me], k->waits_n > 0);
}

void mend_win_serve_others(struct mend_win *w)
{
    if (++w->calls_n % (mend_win_is_in_segment(w) ? MEND_WIN_CALLS : 1) == 0)
        mend_progress(w->self, MEND_PEER_NONE);
}

int mend_win_wait(struct mend_win *w, const struct mend_win_wait *how)
{
    struct waiting k = {w, how->until, how->arg};
    const struct mend_wait wait = {.cause = MEND_WAIT_WINDOWS,
                                   .until = is_over,
                                   .arg = &k,
                                   .what = how->what,
                                   .hint = how->by < 0 ? MEND_PEER_NONE
                                                       : mend_comm_peer(w->comm, how->by),
                                   .rings = true};

    if (!is_over(w->self, &k)) {
        await(w, how->silent);
        mend_wait_until(w->self, &wait);
        await(w, -how->silent);
    } else {
        mend_win_serve_others(w);
    }
    return mend_win_check_valid(w);
}

/* ---- the lock of elements ---- */

struct wish {
    int target;
    bool has;
};

static bool try_elements(struct mend_win *w, void *arg)
{
    struct wish *k = arg;

    if (!k->has)
        k->has = mend_acclock_try(mend_win_elements_word(w, k->target), w->me, is_dead, w);
    return k->has;
}

/* The holder changes elements and does nothing else, so it is not asked to wake anybody: this wait does not sleep. */
static int wait_for_elements(struct mend_win *w, int target)
{
    struct wish k = {.target = target};
    struct waiting arg = {w, try_elements, &k};
    const struct mend_wait wait = {.cause = MEND_WAIT_WINDOWS,
                                   .until = is_over,
                                   .arg = &arg,
                                   .what = "another member's accumulate",
                                   .hint = MEND_PEER_NONE};

    mend_wait_until(w->self, &wait);
    return k.has ? MPI_SUCCESS : mend_win_check_valid(w);
}

int mend_win_elements_lock_slow(struct mend_win *w, int target)
{
    mend_atomic_u32 *word = mend_win_elements_word(w, target);

    for (int i = w->self->oversubscribed ? 1 : ELEMENTS_SPINS; i > 0; i--) {
        if (mend_likely(mend_acclock_try(word, w->me, is_dead, w)))
            return MPI_SUCCESS;
        mend_cpu_relax();
    }
    return wait_for_elements(w, target);
}
