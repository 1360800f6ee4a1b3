/* SPDX-License-Identifier: BSD-3-Clause */
/* open.c – what keeps the library open: the world (MPI_Init to MPI_Finalize), and sessions.
 *
 *                 first open                          last close
 *      BARE ─────────────────────> RUNNING ──────────────────────────────> AWAY
 *                                 │   ^  ^ ────────── next open ────────────┘
 *      MPI_Finalize of a process  │   │ next open
 *      that never had a session   v   │
 *                               FINALIZED
 *
 * A process that is AWAY keeps its place, its memory and its descriptors, so it is the same peer when it opens again, and
 * opening is cheap. While it is away its end is not a failure; the others are told of the end all the same, because one of them
 * may wait for it to come back (R36).  It takes note of what happened meanwhile before it does anything else.
 *
 * One that is FINALIZED keeps them, too, but nobody expects it: its end is told to nobody, and others may have the places of
 * those that have died meanwhile.  If it comes back after all, it looks at nothing of these dead.  None of those others has
 * sent it anything: there is no communicator that has both.
 *
 * Before a process goes away it waits until nobody needs it any more: what it has queued is out, and every communicator
 * that it has freed was freed by all survivors that have not left (decide/linger.c).  One of the world is as good as freed
 * when all its members have called MPI_Finalize. */
#include "comm/session.h"
#include "create/create.h"
#include "create/published.h"
#include "decide/decide.h"
#include "life/life.h"
#include "node/node.h"
#include "notify/notify.h"
#include "p2p/p2p.h"
#include "proc/detour.h"
#include "proc/news.h"
#include "proc/post.h"
#include "proc/ticker.h"
#include "req/request.h"
#include "rt/rt.h"

static void raise_level(struct mend_proc *self, int level, bool threads)
{
    if (level > self->thread_level)
        self->thread_level = level;
    mend_detour_end(self, MEND_DETOUR_CLOSED);
    if (threads || self->tool_threads)
        mend_detour_begin(self, MEND_DETOUR_THREADS);
}

static void run_again(struct mend_proc *self)
{
    self->thread_level = MPI_THREAD_SINGLE;
    mend_detour_end(self, MEND_DETOUR_THREADS);
    self->state = MEND_PROC_RUNNING;
    mend_interrupt_check(self);
}

/* Nobody waits in MPI_Finalize for a process that has been there. */
static enum mend_presence in_mpi(const struct mend_proc *self)
{
    return self->world_state == MEND_WORLD_OVER ? MEND_PRESENCE_LEAVING : MEND_PRESENCE_IN_MPI;
}

static void come_back(struct mend_proc *self)
{
    self->rt->say(self, in_mpi(self));
    run_again(self);
}

static int come_back_unexpected(struct mend_proc *self, const char **why_p)
{
    *why_p = "a process that was forked after MPI_Finalize cannot use MPI";
    if (!self->rt->say(self, in_mpi(self)))
        return MPI_ERR_UNSUPPORTED_OPERATION;
    run_again(self);
    if (self->node)
        mend_let_go_of_all(self);
    return MPI_SUCCESS;
}

int mend_life_open(struct mend_proc *self, int level, bool threads, const char **why_p)
{
    int err = MPI_SUCCESS;

    if (self->state == MEND_PROC_BARE)
        err = mend_life_start(self, level, why_p);
    else if (self->state == MEND_PROC_AWAY)
        come_back(self);
    else if (self->state == MEND_PROC_FINALIZED)
        err = come_back_unexpected(self, why_p);
    if (!err)
        raise_level(self, level, threads);
    return err;
}

/* A process that has left never comes back, and one that makes a communicator of a set with it shall not wait for that. */
void mend_life_first_session(struct mend_proc *self)
{
    if (self->rt->mind_left)
        self->rt->mind_left(self);
}

/* A process that has left needs no frame any more, and makes no room for it; unless it was back when that was sent. */
static void drop_for_those_that_left(struct mend_proc *self, uint64_t since)
{
    if (self->outbox_n)
        for (mend_peer p = 0; p < self->peers_n; p++)
            if (!mend_out_empty(self, p) && mend_has_left_since(self, p, since))
                mend_out_drop_all(self, p);
}

struct going {
    uint64_t since; /* when this process began to go */
    struct mend_wait wait;
};

static bool may_go(struct mend_proc *self, void *arg)
{
    struct going *g = arg;
    bool idle;

    mend_interrupt_check(self);
    drop_for_those_that_left(self, g->since);
    idle = mend_p2p_buffer_idle(self, mend_p2p_buffer_slot(self));
    g->wait.rings = mend_linger_rings(self) && idle;
    return !self->outbox_n && idle && mend_life_nobody_asks(self, true);
}

void mend_life_await_quiet(struct mend_proc *self)
{
    struct going g = {
        .since = mend_news_now(self),
        .wait = {.until = may_go,
                 .arg = &g,
                 .what = "the others to free the communicators that this process has freed",
                 .hint = MEND_PEER_NONE}};

    mend_wait_until(self, &g.wait);
    if (self->node)
        mend_node_await(self, MEND_PEER_NONE);
}

void mend_life_close(struct mend_proc *self)
{
    if (self->world_state == MEND_WORLD_OPEN || !mend_list_empty(&self->sessions))
        return;
    mend_life_await_quiet(self);
    mend_notify_end(self);
    mend_published_withdraw_all(self);
    mend_ticker_end(self);
    self->rt->say(self, MEND_PRESENCE_AWAY);
    self->state = MEND_PROC_AWAY;
    mend_detour_begin(self, MEND_DETOUR_CLOSED);
    mend_event(self, MEND_EV_SESSION_AWAY);
}

/* The program's communicators of the session that it has not freed: as if it did so now.  One whose attributes refuse to
 * be deleted stays. */
static int close_comms(struct mend_proc *self, const struct mend_session *s)
{
    struct mend_comm *c;
    int err = MPI_SUCCESS;

    while (!err && (c = mend_session_comm(self, s->number))) {
        err = mend_comm_close(c);
        if (!err)
            mend_create_part(c);
    }
    return err;
}

int mend_life_end_session(struct mend_proc *self, struct mend_session *s)
{
    MPI_Count size;
    void *buffer;
    int err;

    mend_event(self, MEND_EV_SESSION_END);
    err = close_comms(self, s);
    if (err)
        return err;
    if (s->buffer) /* its messages go out first */
        mend_p2p_buffer_detach(self, &s->buffer, &buffer, &size);
    mend_session_free(self, s);
    mend_life_close(self);
    return MPI_SUCCESS;
}
