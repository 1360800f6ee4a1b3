/* SPDX-License-Identifier: BSD-3-Clause */
/* linger.c – what is kept of a freed communicator while others may still ask about it.
 *
 * Where members vote by messages, a member that has returned from its last agreement may be asked for the decision if
 * the process that should have passed it on has died.  So a communicator that is freed lingers:
 *
 *   freed ── no call on it is in progress ──> asked ── all survivors have done the same ──> gone
 *
 * A request that refers to the communicator counts as such a call until the program has waited for it, but not where the
 * communicator is disconnected, since then all operations are complete.
 *
 * The members detect the end with one more agreement, EXPLICIT and with `last` set (ft/agree_sm.h), which runs
 * in the background, and for which no call waits: a contribution to it means "I have freed the communicator
 * and have returned from all calls on it".  A member that learns of the decision forgets the communicator.  If
 * another member does not know of it yet and asks, the answer is that the communicator is gone
 * (mend_linger_answer()).  `mend-sim agree --free` searches this protocol.
 *
 * A member that has left MPI meanwhile (a spawned process that was disconnected) or has closed its last session has freed
 * the communicator, or never had it, and asks nothing any more, so the others go on as if it were dead.  Where each member
 * had it, the one that has left has seen its end, and so it is the end for the others.
 *
 * MPI_Comm_disconnect waits for the end (create/free.c), and for that of whatever the members have freed in other collective
 * calls: windows, files, what a creation needed for a while.  Then others need this process no more, wherever it is.  It does
 * not wait where a member may never disconnect, because the communicator is revoked or has a dead member, nor for what a
 * member in MPI_Finalize has not freed.
 *
 * Only memory bounds their number, and no call depends on it: those that this process has freed and some survivor has
 * not.  Where members vote in shared memory, no process is ever asked, and only a
 * communicator of which a member may leave before the others are in MPI_Finalize lingers.  The launcher tells the others of its end as of a death (life/death.c), which ends what they do on a
 * communicator with it; so it leaves when they have freed that.  Such a communicator was made of groups, whose members may
 * end their last session (life/open.c), or it has members of several worlds, which may disconnect. */
#include "decide/internal.h"

#include "ft/wire.h"
#include "node/node.h"
#include "proc/news.h"
#include "proc/threads.h"
#include "rt/rt.h"

static bool is_of_my_world(const struct mend_proc *self, mend_peer p)
{
    return !self->world_n || (p >= self->world_first && p - self->world_first < self->world_n);
}

/* If a member has another world than this process, each member finds one that has another world than itself. */
static bool has_several_worlds(const struct mend_comm *c)
{
    for (int32_t r = 0; r < c->decide->members_n; r++)
        if (!is_of_my_world(c->self, mend_decide_peer(c->decide, r)))
            return true;
    return false;
}

/* All members answer alike: they agree on its end, or none of them does. */
static bool can_be_asked(struct mend_comm *c)
{
    return c->decide->members_n > 1 &&
           (c->of_groups || !mend_decide_in_memory(c) || has_several_worlds(c));
}

static void gone(void *arg, struct mend_decision *value)
{
    struct mend_comm *c = arg;

    (void)value;
    mend_list_remove(&c->decide->linger);
    if (!mend_decide_in_memory(c)) /* a member may ask, however late it comes to that */
        mend_bury_for_good(c->self, c->ctx);
    mend_comm_put(c);
}

/* Goes on without the members that have left: then c may be gone.  Votes in shared memory are looked at here only: a request
 * that is polled would keep every wait of this process from sleeping. */
static void look_at(struct mend_comm *c)
{
    mend_comm_get(c);
    if (mend_decide_in_memory(c))
        mend_decide_memory_look(c);
    else if (c->decide->parts)
        mend_decide_tree_end_with_left(c);
    else
        mend_decide_tree_pass_over_left(c);
    mend_comm_put(c);
}

void mend_linger_look(struct mend_proc *self)
{
    mend_list_foreach (l, next, &self->decide->lingering)
        look_at(MEND_CONTAINER_OF(l, struct mend_decide_comm, linger)->comm);
}

/* What ends the wait for the end of what is freed: frames, verdicts and answers of the agents, which wake in any case; what others say of how
 * far they are in MPI; and votes in shared memory, of which a process is told where there are more ranks than cores. */
bool mend_linger_rings(struct mend_proc *self)
{
    if (!self->node || !mend_list_empty(&self->abroad) || mend_proc_has_threads(self))
        return false;
    mend_node_await_any(self);
    mend_list_foreach (l, next, &self->decide->lingering)
        if (mend_decide_in_memory(MEND_CONTAINER_OF(l, struct mend_decide_comm, linger)->comm) &&
            !mend_node_is_oversubscribed(self))
            return false;
    return true;
}

/* One that is behind MPI_Finalize, or without a session, had freed everything before.  No news are needed: what a process has not freed in
 * MPI_Finalize may stay although a callback has taken it back, and one that is back from elsewhere frees it. */
static bool is_in_finalize(const struct mend_proc *self, mend_peer p)
{
    return mend_peer_is_dead(self, p) ? !mend_peer_entry(self, p)->had_left
                                      : mend_presence_of(self, p) == MEND_PRESENCE_LEAVING;
}

static bool may_stay(const struct mend_comm *c)
{
    for (int32_t r = 0; r < c->decide->members_n; r++) {
        mend_peer p = mend_decide_peer(c->decide, r);

        if (p != c->self->me && is_in_finalize(c->self, p))
            return true;
    }
    return false;
}

static bool has(const struct mend_comm *c, mend_peer p)
{
    return mend_group_rank(c->self, c->group, p) != MPI_UNDEFINED ||
           (c->inter && mend_group_rank(c->self, c->remote, p) != MPI_UNDEFINED);
}

static bool is_within(const struct mend_comm *c, const struct mend_comm *all)
{
    for (int32_t r = 0; r < c->decide->members_n; r++)
        if (!has(all, mend_decide_peer(c->decide, r)))
            return false;
    return true;
}

bool mend_linger_are_over(struct mend_comm *all)
{
    mend_linger_look(all->self);
    mend_list_foreach (l, next, &all->self->decide->lingering) {
        struct mend_comm *c = MEND_CONTAINER_OF(l, struct mend_decide_comm, linger)->comm;

        if (!c->decide->freed_alone && !c->revoked && is_within(c, all) && !may_stay(c))
            return all->revoked || mend_comm_has_dead(all);
    }
    return true;
}

/* One of them whenever another one comes, so that they do not pile up in a process that never leaves. */
static void look_at_oldest(struct mend_decide *m)
{
    struct mend_list *l = m->lingering.next;

    if (mend_list_empty(&m->lingering))
        return;
    mend_list_remove(l);
    mend_list_append(&m->lingering, l);
    look_at(MEND_CONTAINER_OF(l, struct mend_decide_comm, linger)->comm);
}

static void bury(struct mend_comm *c)
{
    c->decide->is_freed = false;
    c->self->decide->freed_n--;
    mend_comm_get(c);
    mend_list_append(&c->self->decide->lingering, &c->decide->linger);
    mend_decide_last(c, gone); /* done(c): c itself is the argument */
}

/* No agreement on it is in progress. */
static bool is_idle(const struct mend_comm *c)
{
    for (int which = 0; which < MEND_DECIDE_KINDS; which++)
        if (!mend_list_empty(&c->decide->agreements[which].waiting) ||
            !mend_list_empty(&c->decide->agreements[which].running) ||
            !mend_list_empty(&c->decide->agreements[which].unheard))
            return false;
    return true;
}

static void let_go(struct mend_comm *c, bool at_once)
{
    struct mend_decide *m = c->self->decide;

    if (!can_be_asked(c)) {
        mend_comm_put(c);
        return;
    }
    for (int i = 0; i < 2; i++) /* more than come, so that they get fewer again */
        look_at_oldest(m);
    c->decide->is_freed = true;
    c->decide->done_at = mend_news_now(c->self);
    m->freed_n++;
    if (at_once && is_idle(c))
        bury(c);
    mend_comm_put(c);
}

void mend_decide_free(struct mend_comm *c)
{
    let_go(c, false);
}

void mend_decide_free_alone(struct mend_comm *c)
{
    c->decide->freed_alone = true;
    let_go(c, false);
}

void mend_decide_part(struct mend_comm *c)
{
    c->decide->parts = true;
    let_go(c, true);
}

void mend_decide_free_temporary(struct mend_comm *c, bool made)
{
    if (made)
        mend_decide_part(c);
    else
        mend_decide_free(c);
}

bool mend_linger_keep(struct mend_comm *c)
{
    if (!c->decide || !c->decide->is_freed)
        return false;
    bury(c);
    return true;
}

bool mend_decide_is_quiet(const struct mend_proc *self)
{
    return !self->decide->freed_n && mend_list_empty(&self->decide->lingering);
}

bool mend_decide_is_freed(const struct mend_comm *c)
{
    return c->decide && mend_list_linked(&c->decide->linger);
}

/* A member can still ask about the last agreement, and about no other.  This process does not know its own rank there
 * any more: -1 stands for it. */
bool mend_linger_answer(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                        const void *payload, bool is_gone)
{
    unsigned char buf[MEND_FT_AGREE_HEAD_BYTES];
    struct mend_agree_msg asked, reply;
    struct mend_frame answer;
    size_t len;

    if (!is_gone || f->tag != MEND_DECIDE_EXPLICIT ||
        !mend_ft_agree_peek(payload, mend_frame_len(f), &asked) ||
        !mend_agree_tomb_reply(asked.seq, &asked, &reply))
        return false;
    len = mend_ft_agree_encode(&reply, 1, buf, sizeof(buf));
    answer = mend_frame_make(MEND_FRAME_AGREE, f->ctx, f->tag, -1, (uint32_t)len);
    mend_post(self, from, &answer, buf);
    return true;
}
