/* SPDX-License-Identifier: BSD-3-Clause */
/* revoke.c – how a revocation gets to all members, and what it does in this process.
 *
 * Among processes that share memory:
 *
 *   caller    writes the context into its row of the segment (`revoked`), then a frame to each member
 *   member    carries it out; it tells nobody
 *   caller dies, or has no room for a frame and calls (mend_shm_call()) ──> who hears of that carries
 *             out what stands in its row
 *
 * The row outlives the caller, and the agent kills before it declares: so if anybody was told then all
 * find it there.  Nobody stands between the caller and a member, who might be outside of MPI or have
 * freed the communicator.
 *
 * Without a segment (and where the row is full of revocations whose frames still wait for room) it is
 * a flood (ft/revoke_sm.h): whoever hears of it first passes it on before it does anything else, so
 * its way does not wait for anybody's cleaning up.
 *
 * Invariants:
 *   1  a frame that says TOLD_ALL is sent only when the caller's row holds the context (tell_all());
 *   2  it holds it until all these frames are in the members' rings, where they outlive the caller
 *      (publish());
 *   3  what is carried out here although no frame has come stands in the row of a process, or was
 *      flooded: everybody else gets it without us (mend_revoke_heard()). */
#include "member/internal.h"

#include "net/net.h"
#include "net/shm/shm.h"
#include "proc/report.h"

enum { PASS_ON = 0, TOLD_ALL = 1 }; /* the tag of a frame */

/* Everything a revocation means to this process. */
static void carry_out(struct mend_comm *c)
{
    if (c->revoked)
        return;
    c->revoked = true;
    mend_report_event(c->self, "\"event\":\"revoke\",\"ctx\":%llu", (unsigned long long)c->ctx);
    mend_comm_get(c);
    mend_p2p_on_revoke(c);
    mend_agree_say_no(c, MEND_MACHINE_CREATION);
    mend_agree_say_no(c, MEND_MACHINE_VALIDATION);
    mend_living_on_revoke(c);
    mend_meet_look(c->self);
    mend_comm_put(c);
}

static void tell(struct mend_comm *c, int32_t to, int tag)
{
    struct mend_frame f =
        mend_frame_make(MEND_FRAME_REVOKE, c->ctx | MEND_CHANNEL_FT, tag, c->ft->me, 0);

    MEND_ASSERT(mend_post(c->self, mend_ft_peer(c->ft, to), &f, NULL));
    mend_event(c->self, MEND_EV_REVOKE_SENT_ONE);
}

/* Through shared memory. */

static uint64_t mark_of(const struct mend_comm *c)
{
    return c->ctx | MEND_CTX_CHANNEL_MASK; /* never 0 */
}

static struct mend_shm_revoked *row_of(struct mend_proc *self, mend_peer peer)
{
    return mend_shm_revoked_of(self->shm_base, (uint32_t)peer);
}

/* False: an older entry must not go yet. */
static bool publish(struct mend_comm *c)
{
    struct mend_proc *self = c->self;
    uint64_t n = self->member->revoked_n;

    if (!mend_revoke_uses_rows(self) || (n >= MEND_SHM_REVOKED && self->outbox_n))
        return false;
    self->member->revoked_n++;
    /* release: pairs with the acquire of those who learn of this process's death */
    mend_store_release(&row_of(self, self->me)->mark[n % MEND_SHM_REVOKED], mark_of(c));
    return true;
}

static void tell_all(struct mend_comm *c)
{
    c->self->net->hold(c->self);
    for (int32_t to = 0; to < c->ft->members_n; to++)
        if (to != c->ft->me)
            tell(c, to, TOLD_ALL);
    c->self->net->release(c->self);
    mend_event(c->self, MEND_EV_REVOKE_SENT);
}

/* Carries out what stands in the row of a peer. */
static void read_row(struct mend_proc *self, mend_peer peer)
{
    for (unsigned i = 0; i < MEND_SHM_REVOKED; i++) {
        uint64_t mark = mend_load_acquire(&row_of(self, peer)->mark[i]);
        struct mend_comm *c =
            mark ? mend_hash_get(&self->comms, mark & ~MEND_CTX_CHANNEL_MASK) : NULL;

        if (c && c->ft && mend_ft_rank(self, c->ft, peer) >= 0)
            carry_out(c);
    }
}

void mend_revoke_last_words(struct mend_proc *self, mend_peer dead)
{
    if (mend_revoke_uses_rows(self))
        read_row(self, dead);
}

/* Who finds no room has room in a moment, but it may leave MPI before that. */
static void call_the_unheard(struct mend_comm *c)
{
    struct mend_proc *self = c->self;

    for (int32_t r = 0; self->outbox_n && r < c->ft->members_n; r++) {
        mend_peer peer = mend_ft_peer(c->ft, r);

        if (!mend_out_empty(self, peer))
            mend_shm_call(self, peer);
    }
}

void mend_revoke_on_interrupt(struct mend_proc *self)
{
    uint32_t called = mend_revoke_uses_rows(self) ? mend_shm_called(self) : 0;

    if (called == self->member->called)
        return;
    self->member->called = called;
    for (mend_peer p = 0; p < self->peers_n; p++)
        read_row(self, p);
}

void mend_revoke_look(struct mend_comm *c)
{
    struct mend_proc *self = c->self;

    if (!mend_revoke_uses_rows(self) || !(c->coll_failed || self->member->called))
        return;
    for (int32_t r = 0; r < c->ft->members_n; r++)
        for (unsigned k = 0; k < MEND_SHM_REVOKED; k++)
            if (mend_load_acquire(&row_of(self, mend_ft_peer(c->ft, r))->mark[k]) == mark_of(c))
                carry_out(c);
}

/* The flood. */

static struct mend_revoke *machine(struct mend_comm *c)
{
    struct mend_proc *self = c->self;
    struct mend_ft_comm *ft = c->ft;
    struct mend_revoke_out out;

    if (ft->revoke)
        return ft->revoke;
    ft->revoke = mend_alloc(self, mend_revoke_size(ft->members_n));
    if (!ft->revoke)
        return NULL;
    mend_revoke_init(ft->revoke, ft->members_n, ft->me);
    for (uint32_t i = 0; i < self->deaths_n; i++) {
        int32_t rank = mend_ft_rank(self, ft, self->deaths[i].peer);
        struct mend_revoke_event ev = {.kind = MEND_REVOKE_DEATH, .rank = rank};

        if (rank >= 0)
            mend_revoke_step(ft->revoke, &ev, &out);
    }
    return ft->revoke;
}

static void step(struct mend_comm *c, const struct mend_revoke_event *ev)
{
    struct mend_revoke_out out;
    int32_t to;

    mend_comm_get(c);
    mend_revoke_step(c->ft->revoke, ev, &out);
    while (mend_revoke_next(c->ft->revoke, &to))
        tell(c, to, PASS_ON);
    if (out.news) {
        mend_event(c->self, MEND_EV_REVOKE_SENT);
        carry_out(c);
    }
    mend_comm_put(c);
}

static void flood(struct mend_comm *c)
{
    struct mend_revoke_event ev = {.kind = MEND_REVOKE_LOCAL};

    MEND_ASSERT(machine(c));
    mend_event(c->self, MEND_EV_REVOKE_LOCAL);
    step(c, &ev);
}

void mend_revoke_on_death(struct mend_comm *c, int32_t rank)
{
    struct mend_revoke_event ev = {.kind = MEND_REVOKE_DEATH, .rank = rank};

    if (c->ft->revoke)
        step(c, &ev);
}

/* Both. */

void mend_revoke(struct mend_comm *c)
{
    if (c->revoked)
        return;
    if (!publish(c)) {
        flood(c);
        return;
    }
    mend_event(c->self, MEND_EV_REVOKE_LOCAL);
    tell_all(c);
    call_the_unheard(c);
    carry_out(c);
}

void mend_revoke_heard(struct mend_comm *c)
{
    if (mend_revoke_uses_rows(c->self))
        carry_out(c);
    else
        mend_revoke(c);
}

void mend_revoke_on_frame(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                          const void *payload)
{
    struct mend_comm *c = mend_hash_get(&self->comms, f->ctx & ~MEND_CTX_CHANNEL_MASK);
    struct mend_revoke_event ev = {.kind = MEND_REVOKE_RECV, .rank = f->src};

    if (!c || !c->ft) {
        mend_park(self, from, f, payload);
        return;
    }
    if (f->src < 0 || f->src >= c->ft->members_n || mend_ft_peer(c->ft, f->src) != from ||
        (f->tag != PASS_ON && f->tag != TOLD_ALL)) {
        self->on_damage(self, from);
        return;
    }
    if (f->tag == TOLD_ALL) {
        carry_out(c);
        return;
    }
    MEND_ASSERT(machine(c));
    step(c, &ev);
}
