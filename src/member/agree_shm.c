/* SPDX-License-Identifier: BSD-3-Clause */
/* agree_shm.c – agreement among processes that share memory: everybody reads everybody.
 *
 * The segment belongs to the job, so what a process wrote into it outlives the process.  And the agent
 * kills before it declares, so after a verdict no store of the dead follows.  Hence:
 *
 *   contribute   write my value into my slot, then release its word {number, deaths known, acked}
 *   evaluate     for each member: its word has the number      -> it contributed, for ever
 *                                 it is dead, and still has not -> it did not, for ever
 *                                 neither                       -> wait
 *
 * Whoever evaluates sees the same contributions, and computes the same result: uniform agreement in one
 * step, also for those who decide and die.  Cost: one cache line from each member to each; no message.
 *
 *   cell of member m:   EXPLICIT | slot 0 .. slot 7 |   CREATION | slot 0 .. slot 7
 *   said by m:          no_from
 *
 * Invariants:
 *   1  agreement s uses slot s % 8; s is begun only when s - 4 is decided here, so whoever writes into
 *      a slot knows that all living have read what it held (they contributed to s - 4, hence decided
 *      s - 8);
 *   2  the slots of a cell that is free are zero: coll/cells.c clears those that were written to;
 *   3  in the other sequences a member that gave up on the communicator says no to every agreement
 *      from a number on that it has not contributed to (`no_from`, written once). */
#include "member/internal.h"

#include "coll/shm.h"
#include "net/shm/shm.h"

#include <string.h>

#define SLOTS  8u
#define WINDOW 4u

/* One line: the word is released last. */
struct slot {
    _Alignas(MEND_CACHE_LINE) mend_atomic_u64 word; /* number + 1 | deaths known | acknowledged */
    uint64_t and_word[MEND_AGREE_WORDS];
    uint64_t max_word[MEND_AGREE_WORDS - 1];
};
_Static_assert(sizeof(struct slot) == MEND_CACHE_LINE, "one line per contribution");

struct area {
    struct slot slot[MEND_MACHINES][SLOTS];
};
_Static_assert(sizeof(struct area) <= MEND_SHM_CELL_AGREE, "fits into the cell");

#define WORD(seq, known, acked) (((seq) + 1) << 32 | (uint64_t)(known) << 16 | (acked))

/* An agreement that this process has begun. */
struct op {
    struct mend_list link;    /* in c->ft->agreements[which].running, in order */
    struct mend_request poll; /* in self->active, unless somebody waits for it */
    struct mend_comm *c;
    enum mend_machine which;
    uint64_t seq;
    int seen;              /* members below it are accounted for, in the value and in these: */
    uint32_t known, acked; /* most deaths known, fewest acknowledged */
    int absent_n;          /* members that died without contributing */
    bool on_heap;
    struct mend_agreed value;
    mend_agree_done *done;
    void *arg;
};

static struct area *area_of(struct mend_comm *c, int rank)
{
    return (void *)mend_shm_cell_agree_of(
        c->self->shm_base, (uint32_t)mend_group_peer(c->group, rank), (uint32_t)c->cell);
}

/* A member that gives up on the communicator from a number on says so here: number + 1, and the class
 * of its error in bits 63..48. */
static mend_atomic_u64 *no_from_of(struct mend_comm *c, enum mend_machine which, int rank)
{
    struct mend_shm_said *said = mend_shm_said_of(
        c->self->shm_base, (uint32_t)mend_group_peer(c->group, rank), (uint32_t)c->cell);

    MEND_ASSERT(which != MEND_MACHINE_EXPLICIT);
    return &said->no_from[which - MEND_MACHINE_CREATION];
}

bool mend_agree_shm_usable(const struct mend_comm *c)
{
    return !c->inter && c->cell >= 0 && c->self->params.agree_shm;
}

/* Before the first agreement: makes the pages.  There is no way back, for the members must not choose
 * differently. */
static void open_areas(struct mend_comm *c)
{
    for (int r = 0; r < c->size; r++)
        MEND_ASSERT(mend_shm_touch(c->self, area_of(c, r), sizeof(struct area)));
    c->coll->agreed = true;
}

static uint32_t count_acked(struct mend_comm *c)
{
    struct mend_proc *self = c->self;
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->acked_deaths_n && i < self->deaths_n; i++)
        n += mend_group_rank(self, c->group, self->deaths[i].peer) != MPI_UNDEFINED;
    return n;
}

static void contribute(struct op *op)
{
    struct mend_comm *c = op->c;
    struct mend_proc *self = c->self;
    struct slot *s = &area_of(c, c->rank)->slot[op->which][op->seq % SLOTS];

    memcpy(s->and_word, op->value.and_word, sizeof(s->and_word));
    memcpy(s->max_word, op->value.max_word, sizeof(s->max_word));
    /* release: pairs with the acquire in look() */
    mend_store_release(&s->word, WORD(op->seq, self->deaths_n, count_acked(c)));
    mend_event(self, MEND_EV_AGREE_ENTER);
    mend_shm_told(c);
}

enum look { LOOK_WAIT, LOOK_IN, LOOK_NO, LOOK_DEAD };

static enum look look(const struct op *op, int rank)
{
    struct mend_comm *c = op->c;
    struct slot *s = &area_of(c, rank)->slot[op->which][op->seq % SLOTS];
    bool dead = mend_peer_is_dead(c->self, mend_group_peer(c->group, rank));
    uint64_t no_from;

    /* acquire: pairs with the release in contribute(); read after `dead`, so a dead member's word is
     * its last */
    if (mend_load_acquire(&s->word) >> 32 == ((op->seq + 1) & UINT32_MAX))
        return LOOK_IN;
    if (dead)
        return LOOK_DEAD;
    if (op->which == MEND_MACHINE_EXPLICIT)
        return LOOK_WAIT;
    no_from = mend_load_acquire(no_from_of(c, op->which, rank)) & UINT64_C(0xffffffffffff);
    if (!no_from || op->seq + 1 < no_from)
        return LOOK_WAIT;
    /* It may have contributed before it said no. */
    return mend_load_acquire(&s->word) >> 32 == ((op->seq + 1) & UINT32_MAX) ? LOOK_IN : LOOK_NO;
}

static void add(struct op *op, int rank)
{
    const struct slot *s = &area_of(op->c, rank)->slot[op->which][op->seq % SLOTS];
    uint64_t word = mend_load_relaxed(&s->word);
    uint32_t known = (uint32_t)(word >> 16) & 0xffff, acked = (uint32_t)word & 0xffff;
    struct mend_agreed *v = &op->value;

    for (int i = 0; i < MEND_AGREE_WORDS; i++)
        v->and_word[i] &= s->and_word[i];
    for (int i = 0; i < MEND_AGREE_WORDS - 1; i++)
        v->max_word[i] = s->max_word[i] > v->max_word[i] ? s->max_word[i] : v->max_word[i];
    op->known = known > op->known ? known : op->known;
    op->acked = acked < op->acked ? acked : op->acked;
}

static void fold_no(struct op *op, int rank)
{
    uint64_t class = mend_load_relaxed(no_from_of(op->c, op->which, rank)) >> 48;

    op->value.and_word[0] = 0;
    if (class > op->value.max_word[1])
        op->value.max_word[1] = class;
}

/* Goes on over the members, each of which is accounted for once: what look() says is final unless it is
 * "wait".  True if nobody is left. */
static bool account(struct op *op)
{
    for (; op->seen < op->c->size; op->seen++) {
        enum look l = look(op, op->seen);

        if (l == LOOK_WAIT)
            return false;
        if (mend_likely(l == LOOK_IN))
            add(op, op->seen);
        else if (l == LOOK_NO)
            fold_no(op, op->seen);
        else
            op->absent_n++;
    }
    return true;
}

/* The failed: whoever stands in the longest log of deaths that was contributed, and the absent. */
static struct mend_group *failed_group(struct op *op, int *n_p)
{
    struct mend_comm *c = op->c;
    struct mend_proc *self = c->self;
    mend_peer *peers = mend_alloc(self, (op->known + (size_t)op->absent_n) * sizeof(*peers));
    struct mend_group *g;
    int n = 0, known;

    MEND_ASSERT(peers);
    for (uint32_t i = 0; i < op->known; i++)
        if (mend_group_rank(self, c->group, self->deaths[i].peer) != MPI_UNDEFINED)
            peers[n++] = self->deaths[i].peer;
    known = n;
    for (int r = 0; op->absent_n && r < c->size; r++) {
        mend_peer p = mend_group_peer(c->group, r);
        int k = 0;

        while (k < known && peers[k] != p)
            k++;
        if (k == known && look(op, r) == LOOK_DEAD)
            peers[n++] = p;
    }
    *n_p = n;
    g = n ? mend_group_create(self, peers, n) : NULL;
    mend_free(self, peers);
    return g;
}

/* True if everybody is accounted for; then the value is the result. */
static bool evaluate(struct op *op)
{
    if (!account(op) || op->known > op->c->self->deaths_n)
        return false; /* the latter: somebody has heard of more deaths; so shall we, soon */
    op->value.failed_n = 0;
    if (mend_unlikely(op->known || op->absent_n))
        op->value.failed = failed_group(op, &op->value.failed_n);
    op->value.all_acked = op->acked == (uint32_t)op->value.failed_n;
    return true;
}

static void begin_waiting(struct mend_comm *c, enum mend_machine which)
{
    struct mend_agreements *a = &c->ft->agreements[which];

    while (!mend_list_empty(&a->waiting) && a->begun - a->decided < WINDOW) {
        struct op *op = mend_list_entry(a->waiting.next, struct op, link);

        mend_list_remove(&op->link);
        mend_list_append(&a->running, &op->link);
        op->seq = a->begun++;
        contribute(op);
    }
}

static void finish(struct op *op, bool begun)
{
    struct mend_comm *c = op->c;
    struct mend_proc *self = c->self;
    bool on_heap = op->on_heap;

    mend_list_remove(&op->link);
    if (mend_list_linked(&op->poll.link))
        mend_list_remove(&op->poll.link);
    c->ft->agreements[op->which].decided += begun;
    mend_event(self, MEND_EV_AGREE_DONE);
    mend_agree_report(c, op->which, op->value.failed_n);
    op->done(op->arg, &op->value);
    if (op->value.failed)
        mend_group_put(self, op->value.failed);
    if (on_heap)
        mend_free(self, op);
}

/* Moves a sequence on as far as it goes, in order. */
static void advance(struct mend_comm *c, enum mend_machine which)
{
    struct mend_agreements *a = &c->ft->agreements[which];

    begin_waiting(c, which);
    while (!mend_list_empty(&a->running)) {
        struct op *op = mend_list_entry(a->running.next, struct op, link);

        if (!evaluate(op))
            return;
        finish(op, true);
        begin_waiting(c, which);
    }
}

static void poll_op(struct mend_request *r)
{
    struct op *op = MEND_CONTAINER_OF(r, struct op, poll);
    struct mend_comm *c = op->c;

    mend_comm_get(c);
    advance(c, op->which);
    mend_comm_put(c);
}

static const struct mend_request_ops poll_ops = {.name = "agreement", .poll = poll_op};

static void set_up(struct op *op, struct mend_comm *c, enum mend_machine which,
                   const struct mend_agreed *value, mend_agree_done *done, void *arg)
{
    if (mend_unlikely(!c->coll->agreed))
        open_areas(c);
    op->c = c;
    op->which = which;
    op->seen = op->absent_n = 0;
    op->known = 0;
    op->acked = UINT32_MAX;
    op->value = *value;
    op->value.failed = NULL;
    op->value.max_word[MEND_AGREE_WORDS - 1] = 0;
    op->done = done;
    op->arg = arg;
    op->poll.link.next = NULL;
    op->poll.ops = &poll_ops;
    mend_list_append(&c->ft->agreements[which].waiting, &op->link);
}

int mend_agree_shm_call(struct mend_comm *c, enum mend_machine which,
                        const struct mend_agreed *value, mend_agree_done *done, void *arg)
{
    struct op *op = mend_alloc(c->self, sizeof(*op));

    if (!op)
        return MPI_ERR_NO_MEM;
    set_up(op, c, which, value, done, arg);
    op->on_heap = true;
    mend_list_append(&c->self->active, &op->poll.link);
    advance(c, which);
    return MPI_SUCCESS;
}

struct waiter {
    struct op op;
    struct mend_agreed *value;
    bool done;
};

static void wake_waiter(void *arg, struct mend_agreed *value)
{
    struct waiter *w = arg;

    *w->value = *value;
    value->failed = NULL; /* the caller's now */
    w->done = true;
}

static bool is_done(struct mend_proc *self, void *arg)
{
    struct waiter *w = arg;

    if (!w->done)
        advance(w->op.c, w->op.which);
    return w->done;
}

void mend_agree_shm_wait(struct mend_comm *c, enum mend_machine which, struct mend_agreed *value)
{
    struct waiter w = {.value = value};
    struct mend_wait wait = {.until = is_done,
                             .arg = &w,
                             .hint = MEND_PEER_NONE,
                             .rings = c->coll->crowded && which == MEND_MACHINE_EXPLICIT,
                             .what = mend_agree_what(which)};

    set_up(&w.op, c, which, value, wake_waiter, &w);
    if (!c->self->crowded && !c->self->threaded) /* the others may be here in no time */
        for (int i = 0; i < MEND_SHM_COLL_SPINS && !is_done(c->self, &w); i++)
            mend_cpu_relax();
    if (!w.done)
        mend_wait_until(c->self, &wait);
}

/* Wakes nobody: each of n members would wake the n - 1 others.  So who waits for such an agreement does
 * not sleep (mend_agree_shm_wait()). */
void mend_agree_shm_say_no(struct mend_comm *c, enum mend_machine which)
{
    uint64_t next = c->ft->agreements[which].begun;
    uint64_t class = (uint64_t)(c->revoked ? MEND_CLASS_INVALIDATED : MEND_CLASS_PROC_FAILED);
    struct mend_list *waiting = &c->ft->agreements[which].waiting;

    /* release: pairs with the acquire in look() */
    mend_store_release(no_from_of(c, which, c->rank), class << 48 | (next + 1));
    while (!mend_list_empty(waiting)) {
        struct op *op = mend_list_entry(waiting->next, struct op, link);

        mend_agree_refused(c, &op->value);
        finish(op, false);
    }
}
