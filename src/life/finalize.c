/* SPDX-License-Identifier: BSD-3-Clause */
/* finalize.c – ending without leaving another process waiting.
 *
 * A process that is in MPI_Finalize says so (proc/presence.h), and waits until all that it is connected to have said so.  It looks
 * at one after the other, and sleeps.  What ends each of these waits: that process calls
 * MPI_Finalize, or closes its last session, and wakes those that await it, or does so on another node, whose agent tells this one's,
 * which wakes them; or it dies, or its node is lost, and the agent wakes all; a frame, a revocation, the verdict on another process or an
 * answer of the agents (proc/news.h) wakes for one more look, and while others have not freed what this process has freed all that they
 * say does.  A process that computes for ever is waited for as long (MPI-5.0 11.2.2).  The
 * agent's own end ends all its ranks.  Nobody wakes it for a process of a connected job of this machine: then it looks by itself.
 *
 * A process of another job that is reached by sockets may have to hear why this one gave a meeting up, and nobody else says it: so
 * what was sent there has left this process first.  What ends that: its agent takes the connection, it leaves, too, or dies. */
#include "comm/attr.h"
#include "create/published.h"
#include "decide/decide.h"
#include "life/life.h"
#include "node/abroad.h"
#include "node/node.h"
#include "notify/notify.h"
#include "proc/detour.h"
#include "proc/news.h"
#include "proc/post.h"
#include "proc/ticker.h"
#include "req/request.h"
#include "rt/rt.h"

static bool are_leaving(struct mend_proc *self, const struct mend_group *g, uint64_t since)
{
    for (int i = 0; i < g->size; i++)
        if (!mend_is_leaving_since(self, mend_group_peer(g, i), since))
            return false;
    return true;
}

/* They may be processes from which this one has parted, for which it does not wait otherwise. */
static bool are_members_leaving(struct mend_proc *self, const struct mend_comm *c)
{
    return are_leaving(self, c->group, c->decide->done_at) &&
           are_leaving(self, c->remote, c->decide->done_at);
}

bool mend_life_nobody_asks(struct mend_proc *self, bool of_world)
{
    uint32_t at = 0;
    uint64_t ctx;
    void *c;

    mend_linger_look(self);
    if (mend_decide_is_quiet(self))
        return true;
    while (mend_hash_next(&self->comms, &at, &ctx, &c))
        if (mend_decide_is_freed(c) &&
            !((!of_world || !((struct mend_comm *)c)->session) && are_members_leaving(self, c)))
            return false;
    return true;
}

/* No news are told of it when it is asked for them (proc/news.h). */
static bool has_sent(struct mend_proc *self, mend_peer p)
{
    const struct mend_abroad *job = mend_peer_job(self, p);
    uint64_t end = 0;

    return !job || !job->by_sockets || mend_is_leaving(self, p) ||
           (mend_out_empty(self, p) && mend_net_has_left(self, p, &end));
}

static bool has_sent_abroad(struct mend_proc *self)
{
    if (mend_list_empty(&self->abroad))
        return true;
    for (mend_peer p = 0; p < self->peers_n; p++)
        if (!has_sent(self, p))
            return false;
    return true;
}

#define NOT_YET UINT64_MAX

struct leaving {
    mend_peer seen_n; /* those with names below are leaving, or were, or nobody waits for them */
    uint64_t since;   /* when this process has said that it is leaving */
    bool was_back;    /* a callback has taken it back before */
    bool awaits_any;  /* because of what was freed, and others may not have freed yet */
    struct mend_wait wait;
};

/* A process that was away may have come for MPI_Init.  A callback that has taken this process back may have been asked for by one that
 * runs a callback itself, and has not said yet that it is leaving once more. */
static bool is_leaving(struct mend_proc *self, const struct leaving *l, mend_peer p)
{
    return l->was_back ? mend_presence_since(self, p, l->since) >= MEND_PRESENCE_LEAVING
                       : mend_is_leaving_since(self, p, l->since);
}

/* From now on the peer, or the agent that is told of it, wakes this process. */
static bool is_missing(struct mend_proc *self, const struct leaving *l, mend_peer p)
{
    if (!mend_peer_entry(self, p)->connected || is_leaving(self, l, p))
        return false;
    if (!l->awaits_any && mend_node_may_await(self, p))
        mend_node_await(self, p);
    return !is_leaving(self, l, p);
}

/* Says that this process is in MPI_Finalize; true once every process that is connected to it has said so or is dead.  A
 * turn looks at the first one that has not.  A callback has taken it back meanwhile (notify/): others may have been called
 * back, too. */
static bool all_are_leaving(struct mend_proc *self, struct leaving *l)
{
    if (!mend_is_leaving(self, self->me)) {
        self->rt->say(self, MEND_PRESENCE_LEAVING);
        l->was_back = l->since != NOT_YET;
        l->since = mend_news_now(self);
        l->seen_n = 0;
    }
    while (l->seen_n < self->peers_n && !is_missing(self, l, l->seen_n))
        l->seen_n++;
    return l->seen_n == self->peers_n;
}

/* Of several threads one sleeps without a last look at what it waits for. */
static bool may_sleep(struct mend_proc *self, const struct leaving *l)
{
    return l->seen_n < self->peers_n && mend_node_may_await(self, l->seen_n) &&
           (l->awaits_any || mend_decide_is_quiet(self)) && !mend_proc_has_threads(self);
}

/* A process that has left cannot answer questions of a protocol, so nobody leaves before all are
 * leaving.  Queued frames go out meanwhile.  Once all are here nobody needs a frame any more: what is
 * still queued then (a late revocation, a message that was never received) is for nobody, and its
 * receiver may have left without making room for it. */
static bool may_leave(struct mend_proc *self, void *arg)
{
    struct leaving *l = arg;
    bool asked, all;

    mend_interrupt_check(self);
    l->awaits_any = !mend_decide_is_quiet(self) && mend_linger_rings(self);
    /* in any case: those that are awaited may wait for the end of a communicator */
    asked = !mend_life_nobody_asks(self, false);
    all = all_are_leaving(self, l);
    l->wait.rings = may_sleep(self, l);
    return all && !asked && has_sent_abroad(self);
}

static void connect_group(struct mend_proc *self, const struct mend_group *g)
{
    for (int i = 0; i < g->size; i++)
        mend_peer_entry(self, mend_group_peer(g, i))->connected = true;
}

/* Those with which this process has a communicator: others do not wait for it, nor it for them (MPI-5.0 11.10.4). */
static void find_connected(struct mend_proc *self)
{
    uint32_t at = 0;
    uint64_t ctx;
    void *c;

    while (mend_hash_next(&self->comms, &at, &ctx, &c))
        if (!mend_decide_is_freed(c)) {
            connect_group(self, ((struct mend_comm *)c)->group);
            connect_group(self, ((struct mend_comm *)c)->remote);
        }
}

/* It is for nobody, so nothing fails if it does not arrive. */
static void drop_queued(struct mend_proc *self)
{
    for (mend_peer p = 0; self->outbox_n && p < self->peers_n; p++)
        if (!mend_out_empty(self, p))
            mend_out_drop_all(self, p);
}

int mend_life_finalize(struct mend_proc *self)
{
    struct leaving l = {.since = NOT_YET,
                        .wait = {.until = may_leave,
                                 .arg = &l,
                                 .what = "everybody to be in MPI_Finalize",
                                 .hint = MEND_PEER_NONE}};

    mend_event(self, MEND_EV_FINALIZE_ENTER);
    mend_attrs_delete_all(self, &self->comm_self->attrs, MPI_COMM_SELF);
    find_connected(self);
    mend_wait_until(self, &l.wait);
    if (self->node)
        mend_node_await(self, MEND_PEER_NONE);
    mend_notify_end(self);
    self->world_state = MEND_WORLD_OVER;
    /* It may come back; or a process that has heard of a module's recovery too late waits for it, and hears of its end. */
    if (self->sessions_made_n || !mend_list_empty(&self->modules)) {
        mend_life_close(self);
        return MPI_SUCCESS;
    }
    mend_published_withdraw_all(self);
    mend_ticker_end(self);
    self->state = MEND_PROC_FINALIZED;
    drop_queued(self);
    self->rt->say(self, MEND_PRESENCE_LEFT);
    mend_detour_begin(self, MEND_DETOUR_CLOSED);
    mend_event(self, MEND_EV_FINALIZE_DONE);
    return MPI_SUCCESS;
}
