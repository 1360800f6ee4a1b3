/* SPDX-License-Identifier: BSD-3-Clause */
/* burst.c – several small nonblocking sends to one process leave with one system call.
 *
 *   Isend  Isend  Isend  ...  Isend    Waitall
 *     1      2      3           n
 *     │      └──────┴── wait ───┤ in the outbox, for the last one, 16 KiB, or any poll
 *     v                         v
 *   sent                      sent, all of them with one call
 *
 * A program may compute after a nonblocking send, and what it has sent should be on its way meanwhile.  So a send waits for
 * others only if they are known to follow: the last bursts of sends to this process, which waits and tests
 * divide, were all of one length.  The first of a burst leaves at once, and so does the last one, with those that have waited.
 *
 * A burst that is shorter than the ones before it leaves with the next poll, in the wait for its requests at the latest.  If
 * that comes late, this process was wrong, and from then on twice as many bursts must be alike before it gathers again; one
 * fewer after each that was in time.
 *
 * What waits is an open request in the outbox, as if there were no room: its completion, a death and a revocation are those of
 * any other send.  Only for transports at which a send is a system call (net.h: gather). */
#include "p2p/internal.h"

#include "base/time.h"

#define TRUST_FIRST 2u /* bursts of the same length as the one before */
#define TRUST_MOST  (1u << 20)
#define WAIT_BYTES  (16u * 1024)           /* that wait for others */
#define LATE_NS     (100 * MEND_NS_PER_US) /* a peer could have worked on it */

/* What this process sends to another one. */
struct mend_burst {
    uint32_t waits_n;   /* self->waits_n at the last send */
    uint32_t sends_n;   /* in this burst */
    uint32_t length;    /* of the last burst */
    uint32_t alike_n;   /* as many before it were as long */
    uint32_t bytes;     /* that wait */
    mend_time_ns since; /* the first of them waits; 0: none does */
};

static struct mend_burst *burst_of(struct mend_proc *self, mend_peer to)
{
    struct mend_table *t = &self->p2p->burst;

    if (!t->arena)
        mend_table_init(t, self->arena, sizeof(struct mend_burst));
    return mend_table_make(t, (uint32_t)to);
}

static void end_burst(struct mend_burst *g)
{
    if (!g->sends_n)
        return;
    if (g->sends_n == g->length) {
        g->alike_n++;
    } else {
        g->length = g->sends_n;
        g->alike_n = 0;
    }
    g->sends_n = 0;
}

/* Another send: will more follow? */
static bool is_in_burst(const struct mend_proc *self, struct mend_burst *g)
{
    bool known;

    if (g->waits_n != self->waits_n)
        end_burst(g);
    g->waits_n = self->waits_n;
    g->sends_n++;
    known = g->alike_n >= self->p2p->burst_trust;
    if (!known || g->sends_n < g->length)
        return known && g->sends_n > 1;
    end_burst(g);
    return false;
}

static bool is_small(const struct mend_p2p_request *r)
{
    return (r->mode == MEND_SEND_STANDARD || r->mode == MEND_SEND_READY) &&
           r->total_bytes <= r->base.comm->self->p2p->at_once_max;
}

bool mend_burst_waits(const struct mend_p2p_request *r, mend_peer to)
{
    struct mend_proc *self = r->base.comm->self;
    struct mend_burst *g = is_small(r) ? burst_of(self, to) : NULL;

    if (!g || !is_in_burst(self, g) || (!g->since && !mend_out_empty(self, to)))
        return false;
    if (!g->since) {
        g->bytes = 0;
        g->since = mend_proc_now(self);
    }
    g->bytes += (uint32_t)sizeof(struct mend_frame) + (uint32_t)r->total_bytes;
    return g->bytes < WAIT_BYTES;
}

void mend_burst_over(struct mend_proc *self, mend_peer to)
{
    struct mend_burst *g = mend_table_get(&self->p2p->burst, (uint32_t)to);
    uint32_t *trust = &self->p2p->burst_trust;

    if (!g || !g->since)
        return;
    if (mend_proc_now(self) - g->since > LATE_NS) {
        *trust = *trust < TRUST_MOST ? *trust * 2 : TRUST_MOST;
        g->alike_n = 0;
    } else if (*trust > TRUST_FIRST) {
        --*trust;
    }
    g->since = 0;
}

void mend_burst_init(struct mend_proc *self)
{
    self->p2p->burst_trust = TRUST_FIRST;
}
