/* SPDX-License-Identifier: BSD-3-Clause */
/* revoke.c – how a revocation gets to all members, and what it does in this process.
 *
 * Where all members and the proposer of the context share memory, each communicator has a bit, in the row of the process that proposed
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
 * Other communicators have no such bit: their members lie in several segments, or the bits of the proposer's row are used up,
 * or found no memory.  The caller tells the runtime, by a word that stays when it dies; agents tell each other, and each
 * writes the context into the segment of its node and interrupts its ranks (node/revoked.h).  So here, too, no rank passes
 * anything on, and none has to be in MPI.
 *
 * Invariants:
 *   1  a member is interrupted only after the bit was set (mend_revoke()), and looks at the bits after it
 *      took note of the interrupt (mend_interrupt_check()): none is overlooked;
 *   2  the bits of a new communicator are checked once it can be found (mend_revoke_look()), so an earlier
 *      revocation is not overlooked either;
 *   3  a revocation that is carried out here has its bit set, or the runtime knows it: all others get it without
 *      this process (mend_revoke_heard()). */
#include "decide/internal.h"

#include "node/abroad.h"
#include "node/node.h"
#include "proc/occurrence.h"
#include "proc/report.h"
#include "rt/rt.h"

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

/* The word with the bit of c; NULL: it has none, as where the proposer, a member of the parent, is of another node,
 * or the parent spans several jobs.  All members answer alike. */
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

static uint64_t bit_of(const struct mend_comm *c)
{
    return UINT64_C(1) << number_of(c) % 64;
}

uint64_t mend_revoke_name(const struct mend_comm *c)
{
    return c->ctx + MEND_CTX_MAKE(0, c->decide->part);
}

static bool is_marked(struct mend_comm *c)
{
    mend_atomic_u64 *word = word_of(c);
    const struct mend_rt *rt = c->self->rt;

    if (!word)
        return rt->is_revoked && rt->is_revoked(c->self, mend_revoke_name(c));
    /* acquire: pairs with the release in mark() */
    return mend_load_acquire(word) & bit_of(c);
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

    mend_node_hold(self);
    for (int32_t r = 0; r < c->decide->members_n; r++)
        if (r != c->decide->me) {
            mend_node_interrupt(self, mend_decide_peer(c->decide, r));
            mend_event(self, MEND_EV_REVOKE_SENT_ONE);
        }
    mend_node_release(self);
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
    mend_comm_each(self, look, NULL);
}

void mend_revoke_look(struct mend_comm *c)
{
    if (is_marked(c))
        carry_out(c);
}

static void mark(struct mend_comm *c, mend_atomic_u64 *word)
{
    /* release: pairs with the acquire in is_marked() */
    atomic_fetch_or_explicit(word, bit_of(c), memory_order_release);
    mend_event(c->self, MEND_EV_REVOKE_LOCAL);
    call_all(c);
}

/* By the runtime. */

static bool has_member_of(const struct mend_comm *c, const struct mend_abroad *job)
{
    for (int32_t r = 0; r < c->decide->members_n; r++)
        if (mend_peer_job(c->self, mend_decide_peer(c->decide, r)) == job)
            return true;
    return false;
}

/* The other jobs of its members.  To be freed. */
static uint64_t *jobs_of(const struct mend_comm *c, uint32_t *n_p)
{
    struct mend_proc *self = c->self;
    uint64_t *jobs;
    uint32_t n = 0;

    mend_list_foreach (l, next, &self->abroad)
        n++;
    mend_memory_press(self); /* the others wait for it */
    jobs = mend_alloc(self, (n + 1) * sizeof(*jobs));
    mend_memory_relax(self);
    *n_p = 0;
    mend_list_foreach (l, next, &self->abroad) {
        const struct mend_abroad *a = mend_list_entry(l, struct mend_abroad, link);

        if (has_member_of(c, a))
            jobs[(*n_p)++] = a->job;
    }
    return jobs;
}

static void tell(struct mend_comm *c)
{
    struct mend_proc *self = c->self;
    uint64_t *jobs = NULL;
    uint32_t n = 0;

    if (c->decide->members_n == 1 || !self->rt->revoke)
        return;
    if (c->ctx & MEND_CTX_SPANS)
        jobs = jobs_of(c, &n);
    self->rt->revoke(self, mend_revoke_name(c), jobs, n);
    mend_free(self, jobs);
    mend_event(self, MEND_EV_REVOKE_LOCAL);
    mend_event(self, MEND_EV_REVOKE_SENT_ONE);
    mend_event(self, MEND_EV_REVOKE_SENT);
}

/* Both. */

void mend_revoke(struct mend_comm *c)
{
    mend_atomic_u64 *word = word_of(c);

    if (c->revoked)
        return;
    if (word)
        mark(c, word);
    else
        tell(c);
    carry_out(c);
}

void mend_revoke_heard(struct mend_comm *c)
{
    if (word_of(c) || is_marked(c))
        carry_out(c);
    else
        mend_revoke(c);
}
