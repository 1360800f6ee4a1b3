/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.c – agreement among processes that share memory.
 *
 * node/slots.h has the algorithm.  This file has the places of the slots, the waits, and the consequences
 * of a decision.
 *
 *   with a cell         cell of member m:   EXPLICIT | slot 0 .. slot 7 |   CREATION | slot 0 .. slot 7 | ...
 *                       said by m:          no_from of CREATION and of VALIDATION
 *   without one         vote block of member m:  both (node/vote_blocks.c)
 *   of two members      cell of member 0:   ... | EXPLICIT and VALIDATION: words of both (node/brief.h)
 *
 * Two members with a cell say a flag in a word as well, where the call blocks, nothing else is under way and no death is known.
 * Such an agreement needs no struct op unless the other one lets it wait.
 *
 * Invariants:
 *   1  the slots of a free cell are zero: mend_node_votes_clear() clears those that were written; and a free vote block
 *      is zero when it is taken;
 *   2  a member whose vote block is not found has not voted. */
#include "decide/internal.h"

#include "coll/cell.h"
#include "node/brief.h"
#include "node/node.h"
#include "node/vote_blocks.h"
#include "node/slots.h"

#include <string.h>

struct area {
    struct mend_slot slot[MEND_DECIDE_KINDS][MEND_SLOTS_N];
};

struct cell_area {
    struct area area;
    _Alignas(2 * MEND_CACHE_LINE) struct mend_brief brief[2]; /* EXPLICIT, VALIDATION */
};
_Static_assert(sizeof(struct cell_area) <= MEND_NODE_CELL_AGREE, "fits into the cell");

struct vote_block {
    struct area area;
    mend_atomic_u64 no_from[2];
};
_Static_assert(sizeof(struct vote_block) <= MEND_NODE_BLOCK_BYTES, "fits");

/* An agreement that this process has begun. */
struct op {
    struct mend_list link; /* in c->decide->agreements[which].running, in order */
    struct mend_request
        poll; /* in self->active, unless somebody waits for it, or looks (linger.c) */
    struct mend_comm *c;
    enum mend_decide_kind which;
    struct mend_slots slots;
    bool on_heap;
    struct mend_decision value;
    mend_decide_done *done;
    void *arg;
};

static struct area *area_of(struct mend_comm *c, int rank)
{
    return (void *)mend_node_cell_agree_of(
        c->self->node->header, mend_peer_place(c->self, mend_group_peer(c->group, rank)),
        (uint32_t)c->cell);
}

static struct mend_voteblocks *vote_blocks_of(struct mend_comm *c)
{
    struct mend_decide_comm *d = c->decide;

    if (d->vote_blocks)
        return d->vote_blocks;
    d->vote_blocks =
        mend_voteblocks_make(c->self, c->ctx | MEND_CTX_CHANNEL_MASK, d->members_n, d->me);
    for (int32_t r = 0; r < d->members_n; r++)
        mend_voteblocks_set_member(d->vote_blocks, r, mend_decide_peer(d, r));
    return d->vote_blocks;
}

/* What a member had said when this process let go of it.  Nothing about creations: none is under way here then, and this
 * process, which knows of the death, begins no other one (life/let_go.c). */
struct mend_last_words {
    mend_atomic_u64 no_from; /* of VALIDATION */
    struct area *area;       /* its votes, in room[]; NULL: none that anybody may ask for */
    char room[];             /* aligned as memory of the arena need not be */
};
#define AREA_ROOM (sizeof(struct area) + _Alignof(struct area) - 1)

static struct area *area_in(char *room)
{
    uintptr_t at = (uintptr_t)room, align = _Alignof(struct area);

    return (struct area *)(at + (align - at % align) % align);
}

/* One that was not kept has said nothing. */
static struct mend_last_words *last_words_of(const struct mend_comm *c, int rank)
{
    static const struct mend_last_words nothing;
    struct mend_last_words *x = mend_hash_get(&c->decide->last_words, (uint64_t)rank);

    return x ? x : (struct mend_last_words *)(uintptr_t)&nothing; /* nobody writes what it said */
}

static inline bool is_gone(const struct mend_comm *c, int rank)
{
    return mend_unlikely(c->self->let_go_n != 0) &&
           mend_peer_entry(c->self, mend_decide_peer(c->decide, rank))->gone;
}

/* NULL: the member has said nothing yet. */
static mend_atomic_u64 *no_from_of(struct mend_comm *c, enum mend_decide_kind which, int rank)
{
    struct mend_node_said *said;
    struct vote_block *block;

    MEND_ASSERT(which != MEND_DECIDE_EXPLICIT);
    if (is_gone(c, rank)) {
        MEND_ASSERT(which == MEND_DECIDE_VALIDATION);
        return &last_words_of(c, rank)->no_from;
    }
    if (c->cell < 0) {
        block = mend_voteblocks_look(c->self, vote_blocks_of(c), rank);
        return block ? &block->no_from[which - MEND_DECIDE_CREATION] : NULL;
    }
    said = mend_node_said_of(c->self->node->header,
                             mend_peer_place(c->self, mend_group_peer(c->group, rank)),
                             (uint32_t)c->cell);
    return &said->no_from[which - MEND_DECIDE_CREATION];
}

static const struct mend_slot empty; /* of a member without a vote block */

/* The words of two members; NULL: there are none.  Of a member that has died the place, where they are, may be another's. */
static inline struct mend_brief *brief_of(const struct mend_comm *c, enum mend_decide_kind which)
{
    struct mend_brief *brief = c->decide->brief;

    return brief && which != MEND_DECIDE_CREATION && !c->self->deaths_n
               ? &brief[which == MEND_DECIDE_VALIDATION]
               : NULL;
}

static struct mend_slot *op_slot(const void *of, int rank, unsigned i)
{
    const struct op *op = of;
    struct vote_block *block;
    struct area *said;

    if (is_gone(op->c, rank)) {
        said = last_words_of(op->c, rank)->area;
        return said ? &said->slot[op->which][i] : (struct mend_slot *)(uintptr_t)&empty;
    }
    if (mend_likely(op->c->cell >= 0))
        return &area_of(op->c, rank)->slot[op->which][i];
    block = mend_voteblocks_look(op->c->self, vote_blocks_of(op->c), rank);
    return block ? &block->area.slot[op->which][i] : (struct mend_slot *)(uintptr_t)&empty;
}

static mend_atomic_u64 *op_no_from(const void *of, int rank)
{
    const struct op *op = of;

    return op->which == MEND_DECIDE_EXPLICIT ? NULL : no_from_of(op->c, op->which, rank);
}

static bool op_is_dead(const void *of, int rank)
{
    const struct op *op = of;

    return mend_peer_is_dead(op->c->self, mend_decide_peer(op->c->decide, rank)) ||
           (op->c->decide->passes_over_left && mend_decide_has_left(op->c, rank));
}

static struct mend_decide_sequence *sequence_of(const struct op *op)
{
    return &op->c->decide->agreements[op->which];
}

static bool op_is_out(const void *of, int rank)
{
    const uint64_t *out = sequence_of(of)->out;

    return out && mend_bits_test(out, rank);
}

static void op_put_out(const void *of, int rank)
{
    struct mend_decide_sequence *a = sequence_of(of);
    struct mend_comm *c = ((const struct op *)of)->c;

    if (!a->out) {
        mend_memory_press(c->self); /* all are to come to the same result */
        a->out = mend_zalloc(c->self, mend_bits_words(c->decide->members_n), sizeof(*a->out));
        mend_memory_relax(c->self);
    }
    mend_bits_set(a->out, rank);
}

static uint32_t op_deaths_n(const void *of)
{
    return ((const struct op *)of)->c->self->deaths_n;
}

static int op_death(const void *of, uint32_t i)
{
    struct mend_comm *c = ((const struct op *)of)->c;

    return mend_decide_rank(c->self, c->decide, c->self->deaths[i].peer);
}

static const struct mend_slots_ops slots_ops = {.slot = op_slot,
                                                .no_from = op_no_from,
                                                .is_dead = op_is_dead,
                                                .is_out = op_is_out,
                                                .put_out = op_put_out,
                                                .deaths_n = op_deaths_n,
                                                .death = op_death};

bool mend_decide_in_memory(const struct mend_comm *c)
{
    return c->in_segment && c->decide->members_n > 1 && c->self->params.agree_shm;
}

static void open_areas_now(struct mend_comm *c)
{
    c->decide->opened = true;
    if (c->cell < 0) {
        mend_voteblocks_open(c->self, vote_blocks_of(c));
        return;
    }
    mend_node_votes_open(c->self, c->cell);
    if (c->decide->members_n == 2)
        c->decide->brief = ((struct cell_area *)(void *)area_of(c, 0))->brief;
}

/* Before this member votes.  A cell has its pages (node/cells.h, invariant 2). */
static inline void open_areas(struct mend_comm *c)
{
    if (mend_unlikely(!c->decide->opened))
        open_areas_now(c);
}

/* Copies what stands in the dead member's memory. */
static void read_words(struct mend_comm *c, int rank, struct vote_block *said)
{
    struct vote_block *block;

    if (c->cell < 0) {
        block = mend_voteblocks_look(c->self, vote_blocks_of(c), rank);
        if (block)
            *said = *block;
        return;
    }
    said->area = *area_of(c, rank);
    mend_store_relaxed(&said->no_from[1],
                       mend_load_acquire(no_from_of(c, MEND_DECIDE_VALIDATION, rank)));
}

/* Somebody may ask for one of these votes, in an agreement that is not decided here. */
static bool votes_matter(const struct mend_comm *c, const struct area *area,
                         enum mend_decide_kind which)
{
    bool any = false;

    for (unsigned i = 0; i < MEND_SLOTS_N; i++) {
        uint32_t voted = (uint32_t)(mend_load_relaxed(&area->slot[which][i].word) >> 32);

        any |= (int32_t)(voted - (uint32_t)c->decide->agreements[which].decided) > 0;
    }
    return any;
}

/* NULL: no memory. */
static struct mend_last_words *copy_words(struct mend_comm *c, const struct vote_block *said,
                                          bool votes)
{
    struct mend_last_words *x = mend_alloc(c->self, sizeof(*x) + (votes ? AREA_ROOM : 0));

    if (!x)
        return NULL;
    mend_store_relaxed(&x->no_from, mend_load_relaxed(&said->no_from[1]));
    x->area = votes ? area_in(x->room) : NULL;
    if (votes)
        *x->area = said->area;
    return x;
}

bool mend_decide_memory_keep(struct mend_comm *c, int rank)
{
    struct mend_hash *kept = &c->decide->last_words;
    struct mend_last_words *x;
    struct vote_block said = {0};
    bool votes;

    if (mend_hash_get(kept, (uint64_t)rank))
        return true;
    read_words(c, rank, &said);
    votes = votes_matter(c, &said.area, MEND_DECIDE_EXPLICIT) ||
            votes_matter(c, &said.area, MEND_DECIDE_VALIDATION);
    if (!votes && !mend_load_relaxed(&said.no_from[1]))
        return true;
    x = copy_words(c, &said, votes);
    if (!x)
        return false;
    if (mend_hash_put(kept, (uint64_t)rank, x) == MEND_OK)
        return true;
    mend_free(c->self, x);
    return false;
}

static void drop_last_words(struct mend_comm *c)
{
    uint32_t pos = 0;
    uint64_t rank;
    void *x;

    while (mend_hash_next(&c->decide->last_words, &pos, &rank, &x))
        mend_free(c->self, x);
    mend_hash_fini(&c->decide->last_words);
}

void mend_decide_memory_close(struct mend_comm *c)
{
    drop_last_words(c);
    if (c->cell < 0)
        mend_voteblocks_close(c->self, vote_blocks_of(c));
    else if (c->decide->members_n == 2 && c->decide->me == 0)
        mend_node_votes_open(c->self, c->cell); /* the other one may have said words in it */
}

/* A member that sleeps in such an agreement sees that something was said. */
static void told(struct mend_comm *c)
{
    struct mend_node_wakes w = {.header = c->self->node->header};

    if (!mend_node_is_oversubscribed(c->self))
        return;
    for (int32_t r = 0; r < c->decide->members_n; r++)
        if (r != c->decide->me)
            mend_node_nudge(&w, mend_peer_place(c->self, mend_decide_peer(c->decide, r)));
    mend_node_wakes_flush(&w);
}

/* The members that have voted in the first agreement that this one vetoes, and may sleep over it.  After a death all veto at
 * the same time: with those that only might vote each would wake all others. */
static void told_no(struct mend_comm *c, enum mend_decide_kind which)
{
    struct mend_node_wakes w = {.header = c->self->node->header};
    struct mend_slots m = {.seq = c->decide->agreements[which].begun};

    if (!mend_node_is_oversubscribed(c->self))
        return;
    /* As in mend_node_nudge(): the veto is stored before the votes are looked at, and a member that sleeps has voted before. */
    atomic_signal_fence(memory_order_seq_cst);
    for (int r = 0; r < c->decide->members_n; r++)
        if (r != c->decide->me && !is_gone(c, r) &&
            mend_slots_has(&m, &area_of(c, r)->slot[which][m.seq % MEND_SLOTS_N]))
            mend_node_nudge(&w, mend_peer_place(c->self, mend_decide_peer(c->decide, r)));
    mend_node_wakes_flush(&w);
}

static uint32_t count_acked(struct mend_comm *c)
{
    struct mend_proc *self = c->self;
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->acked_deaths_n && i < self->deaths_n; i++)
        n += mend_decide_rank(self, c->decide, self->deaths[i].peer) >= 0;
    return n;
}

static void contribute(struct op *op)
{
    struct mend_comm *c = op->c;
    struct mend_brief *b = brief_of(c, op->which);

    if (b)
        mend_brief_say(b, &op->slots, c->decide->me, 0);
    mend_slots_contribute(&op->slots, mend_slots_of(&op->slots, &slots_ops, op, c->decide->me),
                          c->self->deaths_n, count_acked(c));
    mend_event(c->self, MEND_EV_AGREE_ENTER);
    told(c);
}

static bool is_among(const mend_peer *peers, int n, mend_peer p)
{
    while (n > 0 && peers[n - 1] != p)
        n--;
    return n > 0;
}

/* The same for the deaths from number k on that were given together; returns the number of the next. */
static uint32_t add_together(struct mend_comm *c, uint32_t k, mend_peer *peers, int *n_p)
{
    const struct mend_proc *self = c->self;
    uint32_t end = k;
    bool any = false;
    int n = *n_p;

    for (; end < self->deaths_n && self->deaths[end].first == self->deaths[k].first; end++)
        any |= is_among(peers, n, self->deaths[end].peer);
    for (; any && k < end; k++) {
        mend_peer p = self->deaths[k].peer;

        if (mend_decide_rank(c->self, c->decide, p) >= 0 && !is_among(peers, n, p))
            peers[(*n_p)++] = p;
    }
    return end;
}

/* Adds the other members that died together with one that is absent: they may have voted, and the victims of one abort
 * fail together.  All members add the same, because they read one log, and carry out as a whole what was given together. */
static void add_all_together(struct mend_comm *c, mend_peer *peers, int *n_p)
{
    for (uint32_t k = 0; k < c->self->deaths_n;)
        k = add_together(c, k, peers, n_p);
}

/* The members in the longest log, the absent ones, and those that died together with these. */
static struct mend_group *failed_group(struct op *op, int *n_p)
{
    struct mend_comm *c = op->c;
    struct mend_proc *self = c->self;
    struct mend_group *g;
    mend_peer *peers;

    mend_memory_press(self); /* all shall have the same */
    peers = mend_alloc(self, (size_t)c->decide->members_n * sizeof(*peers));
    *n_p = mend_slots_failed(&op->slots, &slots_ops, op, peers);
    for (int i = 0; i < *n_p; i++)
        peers[i] = mend_decide_peer(c->decide, peers[i]);
    add_all_together(c, peers, n_p);
    g = *n_p ? mend_group_create(self, peers, *n_p) : NULL;
    mend_memory_relax(self);
    mend_free(self, peers);
    return g;
}

/* True if it is decided; then the value is the result. */
static bool evaluate(struct op *op)
{
    if (!mend_slots_evaluate(&op->slots, &slots_ops, op))
        return false;
    op->value.failed_n = 0;
    if (mend_unlikely(mend_slots_failed_max(&op->slots)))
        op->value.failed = failed_group(op, &op->value.failed_n);
    op->value.all_acked = op->slots.acked == (uint32_t)op->value.failed_n;
    return true;
}

static void begin_waiting(struct mend_comm *c, enum mend_decide_kind which)
{
    struct mend_decide_sequence *a = &c->decide->agreements[which];

    while (!mend_list_empty(&a->waiting) && mend_slots_open(a->begun, a->decided)) {
        struct op *op = mend_list_entry(a->waiting.next, struct op, link);

        mend_list_remove(&op->link);
        mend_list_append(&a->running, &op->link);
        op->slots.seq = a->begun++;
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
    c->decide->agreements[op->which].decided += begun;
    mend_event(self, MEND_EV_AGREE_DONE);
    mend_decide_report(c, op->which, op->value.failed_n);
    op->done(op->arg, &op->value);
    if (op->value.failed)
        mend_group_put(self, op->value.failed);
    if (on_heap)
        mend_free(self, op);
}

/* Moves a sequence on as far as it goes, in order. */
static void advance(struct mend_comm *c, enum mend_decide_kind which)
{
    struct mend_decide_sequence *a = &c->decide->agreements[which];

    begin_waiting(c, which);
    while (!mend_list_empty(&a->running)) {
        struct op *op = mend_list_entry(a->running.next, struct op, link);

        if (!evaluate(op))
            return;
        mend_event(c->self, MEND_EV_AGREE_DECIDED);
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

static const struct mend_request_ops poll_ops = {
    .name = "agreement", .cause = MEND_WAIT_AGREEMENTS, .poll = poll_op};

static void set_up(struct op *op, struct mend_comm *c, enum mend_decide_kind which,
                   const struct mend_decision *value, mend_decide_done *done, void *arg)
{
    open_areas(c);
    op->c = c;
    op->which = which;
    op->value = *value;
    op->value.failed = NULL;
    op->value.max_word[MEND_AGREE_WORDS - 1] = 0;
    mend_slots_init(&op->slots, c->decide->members_n, op->value.and_word, op->value.max_word);
    op->done = done;
    op->arg = arg;
    op->on_heap = false;
    mend_request_init(&op->poll, &poll_ops, NULL);
    mend_request_begin(&op->poll);
}

/* Polled by nobody yet. */
static struct op *begin(struct mend_comm *c, enum mend_decide_kind which,
                        const struct mend_decision *value, mend_decide_done *done, void *arg)
{
    struct op *op;

    mend_memory_press(c->self); /* the others wait for this one's vote */
    op = mend_alloc(c->self, sizeof(*op));
    mend_memory_relax(c->self);
    c->calls_n++;
    set_up(op, c, which, value, done, arg);
    mend_list_append(&c->decide->agreements[which].waiting, &op->link);
    op->on_heap = true;
    return op;
}

void mend_decide_memory_call(struct mend_comm *c, enum mend_decide_kind which,
                             const struct mend_decision *value, mend_decide_done *done, void *arg)
{
    struct op *op = begin(c, which, value, done, arg);

    op->poll.rings = mend_node_is_oversubscribed(c->self);
    mend_list_append(&c->self->active, &op->poll.link);
    advance(c, which);
}

void mend_decide_memory_last(struct mend_comm *c, const struct mend_decision *value,
                             mend_decide_done *done)
{
    begin(c, MEND_DECIDE_EXPLICIT, value, done, c);
    advance(c, MEND_DECIDE_EXPLICIT);
}

void mend_decide_memory_look(struct mend_comm *c)
{
    advance(c, MEND_DECIDE_EXPLICIT);
}

struct waiter {
    struct op op;
    struct mend_decide_waiter base;
    struct mend_wait wait;
};

static bool is_done(struct mend_proc *self, void *arg)
{
    struct waiter *w = arg;

    if (!w->base.done)
        advance(w->op.c, w->op.which);
    return w->base.done;
}

/* A process that leaves wakes nobody. */
static bool is_done_long(struct mend_proc *self, void *arg)
{
    struct waiter *w = arg;

    w->wait.rings &= !w->op.c->decide->passes_over_left;
    return is_done(self, w);
}

static void not_in(const void *arg, uint64_t *peers)
{
    const struct op *op = &((const struct waiter *)arg)->op;

    for (int r = 0; r < op->c->size; r++)
        if (mend_slots_look(&op->slots, &slots_ops, op, r) == MEND_SLOTS_WAIT)
            mend_missing_add(peers, mend_group_peer(op->c->group, r));
}

/* The others may be here in no time: looks for a moment at the slot that the evaluation waits for.  If it waits for none, but
 * for a death that others know, any slot does: it is filled, and does not hold this up. */
static void spin(struct mend_proc *self, struct waiter *w)
{
    struct op *op = &w->op;

    for (int i = 0; i < MEND_CELL_SPINS && !is_done(self, w); i++) {
        struct mend_slots *m = &op->slots;
        const struct mend_slot *s = mend_slots_of(m, &slots_ops, op, m->seen % m->members_n);

        for (; i < MEND_CELL_SPINS && !mend_slots_has(m, s); i++)
            mend_cpu_relax();
    }
}

static __attribute__((noinline)) void wait_long(struct waiter *w)
{
    struct mend_comm *c = w->op.c;

    w->wait = (struct mend_wait){.cause = MEND_WAIT_AGREEMENTS,
                                 .until = is_done_long,
                                 .arg = w,
                                 .hint = MEND_PEER_NONE,
                                 .rings = mend_node_is_oversubscribed(c->self),
                                 .what = mend_decide_what(w->op.which),
                                 .comm = c,
                                 .missing = not_in};
    mend_wait_until(c->self, &w->wait);
}

static inline bool may_spin(const struct mend_comm *c)
{
    return !c->self->oversubscribed && !mend_proc_has_threads(c->self);
}

/* Votes in a word and a slot, and looks for a moment at the word of the other one.  False: that one has not voted. */
static inline bool agree_briefly(struct mend_comm *c, enum mend_decide_kind which,
                                 struct mend_brief *b, const struct mend_slots *m, uint64_t vote)
{
    int me = c->decide->me;

    mend_brief_say(b, m, me, vote);
    mend_slots_contribute(m, &area_of(c, me)->slot[which][m->seq % MEND_SLOTS_N], 0, 0);
    mend_event(c->self, MEND_EV_AGREE_ENTER);
    told(c);
    for (int i = may_spin(c) ? MEND_CELL_SPINS : 1; i > 0; i--) {
        if (mend_brief_hear(b, m, !me, m->and_word))
            return true;
        mend_cpu_relax();
    }
    return false;
}

/* *value becomes what both have decided. */
static inline void end_briefly(struct mend_comm *c, enum mend_decide_kind which,
                               struct mend_decision *value)
{
    mend_event(c->self, MEND_EV_AGREE_DECIDED);
    c->decide->agreements[which].decided++;
    value->max_word[MEND_AGREE_WORDS - 1] = 0;
    value->failed = NULL;
    value->failed_n = 0;
    value->all_acked = true;
    mend_event(c->self, MEND_EV_AGREE_DONE);
    mend_decide_report(c, which, 0);
}

/* voted: in the newest agreement of the sequence, and in no other that is not decided. */
static __attribute__((noinline)) void wait_as_op(struct mend_comm *c, enum mend_decide_kind which,
                                                 struct mend_decision *value, bool voted)
{
    struct mend_decide_sequence *a = &c->decide->agreements[which];
    struct waiter w;

    w.base = (struct mend_decide_waiter){value, false};
    set_up(&w.op, c, which, value, mend_decide_wake, &w.base);
    mend_list_append(voted ? &a->running : &a->waiting, &w.op.link);
    w.op.slots.seq = a->begun - voted;
    if (!voted && may_spin(c))
        spin(c->self, &w);
    if (!w.base.done)
        wait_long(&w);
}

void mend_decide_memory_wait(struct mend_comm *c, enum mend_decide_kind which,
                             struct mend_decision *value)
{
    struct mend_decide_sequence *a = &c->decide->agreements[which];
    struct mend_slots m = {
        .seq = a->begun, .and_word = value->and_word, .max_word = value->max_word};
    struct mend_brief *b;
    uint64_t vote;

    c->calls_n++;
    open_areas(c);
    b = brief_of(c, which);
    vote = b && a->begun == a->decided ? mend_brief_of(&m) : 0;
    a->begun += vote != 0;
    if (vote && agree_briefly(c, which, b, &m, vote))
        end_briefly(c, which, value);
    else
        wait_as_op(c, which, value, vote);
}

void mend_decide_memory_say_no(struct mend_comm *c, enum mend_decide_kind which)
{
    struct mend_decide_sequence *a = &c->decide->agreements[which];
    struct mend_list *waiting = &a->waiting;

    if (c->cell < 0)
        open_areas(c);
    mend_slots_say_no(no_from_of(c, which, c->decide->me), a->begun,
                      c->revoked ? MEND_CLASS_INVALIDATED : MEND_CLASS_PROC_FAILED);
    if (c->cell < 0)
        told(c);
    else
        told_no(c, which);
    while (!mend_list_empty(waiting)) {
        struct op *op = mend_list_entry(waiting->next, struct op, link);

        mend_decide_refused(c, &op->value);
        finish(op, false);
    }
}

static void refuse_all(struct mend_comm *c, struct mend_list *ops, bool begun)
{
    while (!mend_list_empty(ops)) {
        struct op *op = mend_list_entry(ops->next, struct op, link);

        mend_decide_refused(c, &op->value);
        finish(op, begun);
    }
}

void mend_decide_memory_abandon(struct mend_comm *c, enum mend_decide_kind which)
{
    refuse_all(c, &c->decide->agreements[which].waiting, false);
    refuse_all(c, &c->decide->agreements[which].running, true);
}
