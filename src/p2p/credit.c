/* SPDX-License-Identifier: BSD-3-Clause */
/* credit.c – how much a sender may send to a receiver that does not want it yet.
 *
 *   receiver                                        sender
 *   kept from it > UNEXPECTED_MAX   -- HOLD -->     small messages are offered, like large ones
 *   kept from it <= half of that    -- GO   -->     small messages go at once again
 *
 * An offer is a small record here, and the sender's memory there, so it is the sender that runs out of
 * memory or waits, as with large messages.  What was under way when HOLD was sent still comes: at most
 * what a ring holds and what the sender sends between two looks at its own frames.
 *
 * A receiver without memory says HOLD to everybody whose message it cannot keep, and keeps that message in
 * its reserve (base/arena.h).  When that is low it keeps of a message only a record that its data is lost, in memory reserved for this; the receive that meets it
 * reports MPI_ERR_NO_MEM.
 *
 * A process's death ends what waits for it: offers are ended as those of large messages
 * (p2p/death.c), and a dead receiver holds nobody: messages to others go at once again.
 *
 * Cost: 16 bytes per process of the job, once anything is kept; nothing for a message that is wanted. */
#include "p2p/internal.h"

enum { GO = 0, HOLD = 1 }; /* the tag of a frame */

#define LOST_RECORDS 256 /* about what two rings hold */

static struct mend_credit *credit_of(struct mend_proc *self, mend_peer peer)
{
    struct mend_p2p *p = self->p2p;

    mend_memory_press(self); /* others must stop if there is none */
    if (mend_unlikely(!p->credit))
        p->credit = mend_zalloc(self, (size_t)self->peers_n, sizeof(*p->credit));
    mend_memory_relax(self);
    return &p->credit[peer];
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
    return self->p2p->held_n && self->p2p->credit[peer].holds_us;
}

static void set_hold(struct mend_proc *self, struct mend_credit *credit, bool hold)
{
    struct mend_p2p *p = self->p2p;

    if (credit->holds_us == hold)
        return;
    credit->holds_us = hold;
    p->held_n += hold ? 1 : -1u;
    p->at_once_max = p->held_n ? -1 : (MPI_Count)self->params.eager_max_bytes;
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
    if (self->p2p->credit)
        set_hold(self, &self->p2p->credit[dead], false);
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
