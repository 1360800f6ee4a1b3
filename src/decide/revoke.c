/* SPDX-License-Identifier: BSD-3-Clause */
/* revoke.c – how a revocation gets to all members, and what it does in this process.
 *
 * Among processes that share memory each communicator has a bit, in the row of the process that proposed
 * its context; those that were made of one context together (create/split.c) have one after the other:
 *
 *   caller    sets the bit, then interrupts each member (mend_node_interrupt())
 *   member    sees that with its next MPI call, or in its wait, checks the bits of its communicators,
 *             and carries out each revocation that it finds; it does not pass it on
 *   caller dies in between ──> the verdict interrupts all members, too
 *
 * The bit outlives the caller and is never cleared.  So if any member has learned of a revocation, all do, without
 * help: not from the caller, which may leave MPI at once, and not from a third process, which might have
 * freed the communicator.  Nothing can be full: the process that proposes a context has reserved its bits,
 * and a bit may be set any number of times.
 *
 * Where members or the proposer share no memory it is a flood (ft/flood_sm.h): a process that learns of it passes it on before it does
 * anything else, so the flood never waits for a process's cleaning up.  The same applies to a context whose bits
 * found no memory, and to one of a process that has used up the MEND_NODE_REVOKED bits of its row.
 *
 * Invariants:
 *   1  a member is interrupted only after the bit was set (mend_revoke()), and looks at the bits after it
 *      took note of the interrupt (mend_interrupt_check()): none is overlooked;
 *   2  the bits of a new communicator are checked once it can be found (mend_revoke_look()), so an earlier
 *      revocation is not overlooked either;
 *   3  a revocation that is carried out here without a message has its bit set, or was flooded: all
 *      others get it without this process (mend_revoke_heard()). */
#include "decide/internal.h"

#include "net/net.h"
#include "node/node.h"
#include "proc/detour.h"
#include "proc/occurrence.h"
#include "proc/report.h"

#define MARKS_PER_PAGE (4096u * 8)

/* What goes on on c ends, and nothing can be created on it any more. */
static void end(struct mend_comm *c)
{
    mend_comm_mark_revoked(c);
    mend_p2p_on_revoke(c);
    mend_decide_say_no(c, MEND_DECIDE_CREATION);
}

void mend_revoke_along(struct mend_comm *c)
{
    mend_comm_get(c);
    end(c);
    mend_comm_put(c);
}

void mend_revoke_here(struct mend_comm *c)
{
    mend_comm_get(c);
    end(c);
    mend_decide_say_no(c, MEND_DECIDE_VALIDATION);
    c->self->comm_hooks->revoked(c);
    mend_comm_put(c);
}

/* Everything a revocation means to this process. */
static void carry_out(struct mend_comm *c)
{
    if (c->revoked)
        return;
    mend_record_event(c->self, revoke, .ctx = c->ctx);
    c->self->revocations_n++;
    mend_occurred(c->self, .kind = MEND_OCCURRED_REVOCATION, .comm = c);
    mend_revoke_here(c);
}

/* Through shared memory. */

static bool uses_marks(const struct mend_proc *self)
{
    return self->node && self->params.revoke_shm;
}

void mend_revoke_init_process(struct mend_proc *self)
{
    if (!(uses_marks(self) && mend_node_holds_all(self)) && self->peers_n > 1)
        mend_proc_hears_by_frames(self);
}

static mend_atomic_u64 *mark_at(struct mend_proc *self, mend_peer proposer, uint64_t number)
{
    return &mend_node_revoked_of(self->node->header, mend_peer_place(self, proposer))
                ->word[number / 64];
}

/* Of the bit of c in its proposer's row. */
static uint64_t number_of(const struct mend_comm *c)
{
    return MEND_CTX_COUNTER(c->ctx) + (uint64_t)c->decide->part;
}

/* The word with the bit of c; NULL: it is flooded, as where the proposer, a member of the parent, is of
 * another node, or the parent spans several jobs.  A communicator of one process, or one that nobody
 * proposed because processes only meet there (create/meet.c), is told to nobody. */
static mend_atomic_u64 *word_of(struct mend_comm *c)
{
    struct mend_proc *self = c->self;
    uint32_t proposer = MEND_CTX_INDEX(c->ctx);

    if (!c->in_segment || !uses_marks(self) || c->ctx & MEND_CTX_SPANS ||
        c->decide->members_n == 1 || proposer >= (uint32_t)self->peers_n ||
        number_of(c) >= MEND_NODE_REVOKED || !mend_peer_shares_memory(self, (mend_peer)proposer))
        return NULL;
    return mark_at(self, (mend_peer)proposer, number_of(c));
}

bool mend_revoke_is_flooded(struct mend_comm *c)
{
    return MEND_CTX_INDEX(c->ctx) < (uint32_t)c->self->peers_n && !word_of(c);
}

static uint64_t bit_of(const struct mend_comm *c)
{
    return UINT64_C(1) << number_of(c) % 64;
}

static bool is_marked(struct mend_comm *c)
{
    mend_atomic_u64 *word = word_of(c);

    /* acquire: pairs with the release in mend_revoke() */
    return word && mend_load_acquire(word) & bit_of(c);
}

uint64_t mend_revoke_reserve(struct mend_proc *self, uint64_t counter, uint64_t n)
{
    struct mend_decide *m = self->decide;

    if (!uses_marks(self) || counter >= MEND_NODE_REVOKED)
        return counter;
    for (; m->marks_n < counter + n; m->marks_n += MARKS_PER_PAGE)
        if (m->marks_n == MEND_NODE_REVOKED ||
            !mend_node_touch(self, mark_at(self, self->me, m->marks_n), MARKS_PER_PAGE / 8))
            return MEND_NODE_REVOKED;
    return counter;
}

static void call_all(struct mend_comm *c)
{
    struct mend_proc *self = c->self;

    mend_net_hold(self);
    for (int32_t r = 0; r < c->decide->members_n; r++)
        if (r != c->decide->me) {
            mend_node_interrupt(self, mend_decide_peer(c->decide, r));
            mend_event(self, MEND_EV_REVOKE_SENT_ONE);
        }
    mend_net_release(self);
    mend_event(self, MEND_EV_REVOKE_SENT);
}

static void look(struct mend_comm *c, void *arg)
{
    (void)arg;
    if (c->decide && !c->revoked && is_marked(c))
        carry_out(c);
}

void mend_revoke_on_interrupt(struct mend_proc *self)
{
    if (uses_marks(self))
        mend_comm_each(self, look, NULL);
}

void mend_revoke_look(struct mend_comm *c)
{
    if (is_marked(c))
        carry_out(c);
    else if (MEND_CTX_COUNTER(c->ctx) >= MEND_NODE_REVOKED || c->ctx & MEND_CTX_SPANS)
        mend_proc_hears_by_frames(c->self);
}

/* The flood. */

static void tell(struct mend_comm *c, int32_t to)
{
    struct mend_frame f =
        mend_frame_make(MEND_FRAME_REVOKE, c->ctx | MEND_CHANNEL_FT, 0, c->decide->me, 0);

    mend_post(c->self, mend_decide_peer(c->decide, to), &f, NULL);
    mend_event(c->self, MEND_EV_REVOKE_SENT_ONE);
}

/* Makes it on first use. */
static struct mend_flood *machine(struct mend_comm *c)
{
    struct mend_proc *self = c->self;
    struct mend_decide_comm *d = c->decide;
    struct mend_flood_out out;

    if (d->revoke)
        return d->revoke;
    mend_memory_press(self); /* the others wait for what it passes on */
    d->revoke = mend_alloc(self, mend_flood_size(d->members_n));
    mend_memory_relax(self);
    mend_flood_init(d->revoke, d->members_n, d->me);
    for (uint32_t i = 0; i < self->deaths_n; i++) {
        int32_t rank = mend_decide_rank(self, d, self->deaths[i].peer);
        struct mend_flood_event ev = {.kind = MEND_FLOOD_DEATH, .rank = rank};

        if (rank >= 0)
            mend_flood_step(d->revoke, &ev, &out);
    }
    return d->revoke;
}

static void step(struct mend_comm *c, const struct mend_flood_event *ev)
{
    struct mend_flood_out out;
    int32_t to;

    mend_comm_get(c);
    mend_flood_step(c->decide->revoke, ev, &out);
    while (mend_flood_next(c->decide->revoke, &to))
        tell(c, to);
    if (out.news) {
        mend_event(c->self, MEND_EV_REVOKE_SENT);
        carry_out(c);
    }
    mend_comm_put(c);
}

static void flood(struct mend_comm *c)
{
    struct mend_flood_event ev = {.kind = MEND_FLOOD_LOCAL};

    machine(c);
    mend_event(c->self, MEND_EV_REVOKE_LOCAL);
    step(c, &ev);
}

void mend_revoke_on_death(struct mend_comm *c, int32_t rank)
{
    struct mend_flood_event ev = {.kind = MEND_FLOOD_DEATH, .rank = rank};

    if (c->decide->revoke && rank >= 0)
        step(c, &ev);
}

/* Both. */

void mend_revoke(struct mend_comm *c)
{
    mend_atomic_u64 *word = word_of(c);

    if (c->revoked)
        return;
    if (!word) {
        flood(c);
        return;
    }
    /* release: pairs with the acquire in is_marked() */
    atomic_fetch_or_explicit(word, bit_of(c), memory_order_release);
    mend_event(c->self, MEND_EV_REVOKE_LOCAL);
    call_all(c);
    carry_out(c);
}

void mend_revoke_heard(struct mend_comm *c)
{
    if (word_of(c))
        carry_out(c);
    else
        mend_revoke(c);
}

void mend_revoke_on_frame(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                          const void *payload)
{
    struct mend_comm *c = mend_hash_get(&self->comms, f->ctx & ~MEND_CTX_CHANNEL_MASK);
    struct mend_flood_event ev = {.kind = MEND_FLOOD_RECV, .rank = f->src};

    if (!c || !c->decide) {
        mend_park(self, from, f, payload);
        return;
    }
    if (f->src < 0 || f->src >= c->decide->members_n ||
        mend_decide_peer(c->decide, f->src) != from) {
        self->on_damage(self, from);
        return;
    }
    if (mend_peer_is_dead(self, from)) /* it lived when its frame came, and was parked (R12) */
        ev.kind = MEND_FLOOD_LOCAL;
    machine(c);
    step(c, &ev);
}
