/* SPDX-License-Identifier: BSD-3-Clause */
/* credit.c – how many unexpected messages a sender may send.
 *
 *   receiver                                        sender
 *   kept from it > UNEXPECTED_MAX   -- HOLD -->     small messages go by RTS, like large ones
 *   kept from it <= half of that    -- GO   -->     small messages go at once again
 *
 * An RTS is a small record here, and the sender's memory there, so the sender runs out of
 * memory or waits, as with large messages.  Messages that were on their way when HOLD was sent still arrive: at most
 * a ring full, and those that the sender sends until it next polls.
 *
 * A receiver without memory sends HOLD to each sender whose message it cannot keep, and keeps the message in
 * its reserve (base/arena.h).  When the reserve is low, it keeps only a record that the data is lost, in memory set
 * aside for this; the receive that matches the record reports MPI_ERR_NO_MEM.  It sends GO when all records of that
 * sender are free again and there is memory.  So no sender needs more of them than messages that can come after a HOLD, and
 * so many are set aside for each.
 *
 * A process's death ends every wait for it: its RTSs end like those of large messages
 * (p2p/death.c), and a dead receiver holds no sender.
 *
 * Cost: 16 bytes per process of the job, once a message is kept; nothing for an expected message.  The records are
 * 64 KiB of addresses per process: for the first 64 processes from the start, for others once they send a message that is
 * kept.  Their pages exist once a message is lost. */
#include "p2p/internal.h"

#include "p2p/match.h"

enum { GO = 0, HOLD = 1 }; /* the tag of a frame */

#define RECORDS 512 /* per sender: two rings full, of which HOLD may have to wait for the first */
#define FIRST_SENDERS                                                                              \
    64 /* for so many at the start; for more when they send something that is kept */

/* Records that came as one block, which stand behind it. */
struct mend_set_aside {
    struct mend_set_aside *next;
    uint32_t n, used_n;
};

static struct mend_message *record(struct mend_set_aside *a, uint32_t i)
{
    return (struct mend_message *)(a + 1) + i;
}

static uint32_t first_senders(const struct mend_proc *self)
{
    return self->peers_n > FIRST_SENDERS ? FIRST_SENDERS : (uint32_t)self->peers_n;
}

/* Later as many again as there are, so that the blocks stay few. */
bool mend_credit_set_aside(struct mend_proc *self)
{
    struct mend_p2p *p = self->p2p;
    uint32_t n = p->aside_n ? p->aside_n : RECORDS * first_senders(self);
    struct mend_set_aside *a = mend_alloc(self, sizeof(*a) + n * sizeof(struct mend_message));

    if (!a)
        return false;
    *a = (struct mend_set_aside){p->aside, n, 0};
    p->aside = a;
    p->aside_n += n;
    return true;
}

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

/* Its records are set aside as long as there is memory; without them the reserve has to do. */
static void count(struct mend_proc *self, struct mend_credit *credit)
{
    struct mend_p2p *p = self->p2p;

    credit->counted = true;
    if (++p->credit_n * (uint64_t)RECORDS > p->aside_n)
        mend_credit_set_aside(self);
}

static void tell(struct mend_proc *self, mend_peer peer, struct mend_credit *credit, bool hold)
{
    struct mend_frame f =
        mend_frame_make(MEND_FRAME_CREDIT, MEND_CTX_WORLD, hold ? HOLD : GO, (int)self->me, 0);

    if (credit->told_hold == hold)
        return;
    mend_post(self, peer, &f, NULL);
    credit->told_hold = hold;
    self->p2p->told_n += hold ? 1 : -1u;
    if (hold)
        mend_event(self, MEND_EV_P2P_HOLD);
}

void mend_credit_kept(struct mend_proc *self, mend_peer peer, size_t bytes)
{
    uint64_t max = self->params.unexpected_max_bytes;
    struct mend_credit *credit = credit_of(self, peer);

    credit->kept_bytes += bytes;
    if (mend_unlikely(!credit->counted))
        count(self, credit);
    if (mend_unlikely(max && credit->kept_bytes > max))
        tell(self, peer, credit, true);
}

void mend_credit_let_go(struct mend_proc *self, mend_peer peer, size_t bytes)
{
    struct mend_credit *credit = credit_of(self, peer);

    credit->kept_bytes -= bytes < credit->kept_bytes ? bytes : credit->kept_bytes;
    if (mend_unlikely(credit->told_hold))
        mend_credit_look(self, peer);
}

void mend_credit_look(struct mend_proc *self, mend_peer peer)
{
    struct mend_credit *credit = mend_table_get(&self->p2p->credit, (uint32_t)peer);

    if (credit && credit->told_hold && !credit->lost_n && !mend_arena_is_low(self->arena) &&
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

    if (!credit)
        return;
    set_hold(self, credit, false);
    self->p2p->told_n -= credit->told_hold;
    credit->told_hold = false;
}

/* Lost messages. */

static struct mend_message *take_unused(struct mend_p2p *p)
{
    struct mend_message *m = p->unused;

    if (m) {
        p->unused = m->next_unused;
        return m;
    }
    for (struct mend_set_aside *a = p->aside; a; a = a->next)
        if (a->used_n < a->n)
            return record(a, a->used_n++);
    return NULL;
}

struct mend_message *mend_credit_take_record(struct mend_proc *self, mend_peer peer)
{
    struct mend_message *m;

    mend_credit_hold(self, peer);
    m = take_unused(self->p2p);
    if (m)
        credit_of(self, peer)->lost_n++;
    return m;
}

static bool was_set_aside(const struct mend_p2p *p, const struct mend_message *m)
{
    for (struct mend_set_aside *a = p->aside; a; a = a->next)
        if (m >= record(a, 0) && m < record(a, a->n))
            return true;
    return false;
}

bool mend_credit_give_back(struct mend_proc *self, struct mend_message *m)
{
    struct mend_p2p *p = self->p2p;

    if (!was_set_aside(p, m))
        return false;
    m->next_unused = p->unused;
    p->unused = m;
    credit_of(self, m->peer)->lost_n--;
    mend_credit_look(self, m->peer);
    return true;
}
