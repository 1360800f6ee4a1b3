/* SPDX-License-Identifier: BSD-3-Clause */
/* credit.c – how many unexpected messages a sender may send.
 *
 *   receiver                                        sender
 *   kept from it > UNEXPECTED_MAX   -- HOLD -->     small messages are offered, like large ones
 *   kept from it <= half of that    -- GO   -->     small messages go at once again
 *
 * An offer is a small record here, and the sender's memory there, so the sender runs out of
 * memory or waits, as with large messages.  Messages that were on their way when HOLD was sent still arrive: at most
 * a ring full, and those that the sender sends until it next polls.
 *
 * A receiver without memory sends HOLD to each sender whose message it cannot keep, and keeps the message in
 * its reserve (base/arena.h).  When the reserve is low, it keeps only a record that the data is lost, in memory set
 * aside for this; the receive that matches the record reports MPI_ERR_NO_MEM.
 *
 * A process's death ends every wait for it: its offers end like those of large messages
 * (p2p/death.c), and a dead receiver holds no sender.
 *
 * Cost: 16 bytes per process of the job, once a message is kept; nothing for an expected message. */
#include "p2p/internal.h"

#include "p2p/match.h"

enum { GO = 0, HOLD = 1 }; /* the tag of a frame */

#define LOST_RECORDS 256 /* about what two rings hold */

static struct mend_credit *credit_of(struct mend_proc *self, mend_peer peer)
{
    struct mend_table *t = &self->p2p->credit;
    struct mend_credit *credit = mend_table_get(t, (uint32_t)peer);

    if (mend_likely(credit != NULL))
        return credit;
    if (!t->arena)
        mend_table_init(t, self->arena, sizeof(*credit));
    mend_memory_press(self); /* others must stop if there is none */
    credit = mend_table_make(t, (uint32_t)peer);
    mend_memory_relax(self);
    return credit;
}

static void tell(struct mend_proc *self, mend_peer peer, struct mend_credit *credit, bool hold)
{
    struct mend_frame f =
        mend_frame_make(MEND_FRAME_CREDIT, MEND_CTX_WORLD, hold ? HOLD : GO, (int)self->me, 0);

    if (credit->told_hold == hold)
        return;
    mend_post(self, peer, &f, NULL);
    credit->told_hold = hold;
    if (hold)
        mend_event(self, MEND_EV_P2P_HOLD);
}

void mend_credit_kept(struct mend_proc *self, mend_peer peer, size_t bytes)
{
    uint64_t max = self->params.unexpected_max_bytes;
    struct mend_credit *credit = credit_of(self, peer);

    credit->kept_bytes += bytes;
    if (mend_unlikely(max && credit->kept_bytes > max))
        tell(self, peer, credit, true);
}

void mend_credit_let_go(struct mend_proc *self, mend_peer peer, size_t bytes)
{
    struct mend_credit *credit = credit_of(self, peer);

    credit->kept_bytes -= bytes < credit->kept_bytes ? bytes : credit->kept_bytes;
    if (mend_unlikely(credit->told_hold) &&
        credit->kept_bytes <= self->params.unexpected_max_bytes / 2)
        tell(self, peer, credit, false);
}

void mend_credit_hold(struct mend_proc *self, mend_peer peer)
{
    tell(self, peer, credit_of(self, peer), true);
}

bool mend_credit_holds(const struct mend_proc *self, mend_peer peer)
{
    const struct mend_credit *credit;

    if (mend_likely(!self->p2p->held_n))
        return false;
    credit = mend_table_get(&self->p2p->credit, (uint32_t)peer);
    return credit && credit->holds_us;
}

static void set_hold(struct mend_proc *self, struct mend_credit *credit, bool hold)
{
    struct mend_p2p *p = self->p2p;

    if (credit->holds_us == hold)
        return;
    credit->holds_us = hold;
    p->held_n += hold ? 1 : -1u;
    p->at_once_max = p->held_n ? -1 : p->eager_max;
}

void mend_p2p_on_credit(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                        const void *payload)
{
    struct mend_credit *credit = credit_of(self, from);

    (void)payload;
    set_hold(self, credit, f->tag == HOLD);
}

void mend_credit_on_death(struct mend_proc *self, mend_peer dead)
{
    struct mend_credit *credit = mend_table_get(&self->p2p->credit, (uint32_t)dead);

    if (credit)
        set_hold(self, credit, false);
}

/* Lost messages. */

bool mend_credit_reserve(struct mend_proc *self)
{
    struct mend_p2p *p = self->p2p;

    p->reserve = mend_alloc(self, LOST_RECORDS * sizeof(*p->reserve));
    p->reserve_n = 0;
    p->reserved = NULL;
    return p->reserve != NULL;
}

struct mend_message *mend_credit_take_reserved(struct mend_proc *self, mend_peer peer)
{
    struct mend_p2p *p = self->p2p;
    struct mend_message *m = p->reserved;

    mend_credit_hold(self, peer);
    if (m)
        p->reserved = m->next_reserved;
    else if (p->reserve_n < LOST_RECORDS)
        m = &p->reserve[p->reserve_n++];
    return m;
}

bool mend_credit_give_back(struct mend_proc *self, struct mend_message *m)
{
    struct mend_p2p *p = self->p2p;

    if (m < p->reserve || m >= p->reserve + LOST_RECORDS)
        return false;
    m->next_reserved = p->reserved;
    p->reserved = m;
    return true;
}
