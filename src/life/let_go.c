/* SPDX-License-Identifier: BSD-3-Clause */
/* let_go.c – when the place of a dead process may become another's.
 *
 * A dead process leaves memory that survivors still look at: what it voted, its part of windows, the flags of a
 * collective that its death ends.  A process that looks at nothing of it any more says so in the segment, as a length of
 * the log of deaths; when all have, the agent clears the memory and may give the place to a newcomer
 * (launch/agent/retire.c).
 *
 *   carried out ──> no creation under way,           ──> what it voted is copied,     ──> let_go_n
 *                   no collective with it waited for      its rings are dropped
 *
 * A creation that begins later fails if the dead one is in it, before a vote of it counts: so nobody asks for one that
 * was not copied.  A window with it holds the place as long as it exists (R31).
 *
 * Nothing waits for this, and it does not wait. */
#include "coll/coll.h"
#include "decide/decide.h"
#include "life/life.h"
#include "net/net.h"
#include "node/node.h"
#include "node/vote_blocks.h"
#include "req/request.h"

#define LOOK_EVERY 64 /* turns of a wait, if something holds a place */

/* Some wait is inside a collective that may look at the dead one's flags when it goes on. */
static bool is_in_collective(const struct mend_proc *self, mend_peer dead)
{
    for (const struct mend_waiting *x = self->waits; x; x = x->outer)
        if (x->w && x->w->comm && x->w->comm->decide &&
            mend_decide_rank((struct mend_proc *)(uintptr_t)self, x->w->comm->decide, dead) >= 0)
            return true;
    return false;
}

static void forget(struct mend_proc *self, mend_peer dead)
{
    if (mend_net_of(self, dead)->forget)
        mend_net_of(self, dead)->forget(self, dead);
    mend_voteblocks_forget(self, dead);
    mend_peer_entry(self, dead)->gone = true;
}

static bool let_go_of(struct mend_proc *self, mend_peer dead)
{
    if (is_in_collective(self, dead) || !mend_decide_let_go(self, dead))
        return false;
    forget(self, dead);
    return true;
}

/* release: pairs with the acquire in let_go() */
static void say_let_go(struct mend_proc *self)
{
    mend_store_release(&mend_node_rank_of(self->node->header, self->node->mine)->let_go_n,
                       self->let_go_n);
}

void mend_let_go(struct mend_proc *self)
{
    uint32_t before = self->let_go_n;

    if (self->in_progress || self->reducing || self->creating_n ||
        self->state != MEND_PROC_RUNNING || self->let_go_turns++ % LOOK_EVERY)
        return;
    while (self->let_go_n < self->deaths_n && let_go_of(self, self->deaths[self->let_go_n].peer))
        self->let_go_n++;
    if (self->let_go_n != before)
        say_let_go(self);
}

void mend_let_go_of_all(struct mend_proc *self)
{
    while (self->let_go_n < self->deaths_n)
        forget(self, self->deaths[self->let_go_n++].peer);
    say_let_go(self);
}
