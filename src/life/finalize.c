/* SPDX-License-Identifier: BSD-3-Clause */
/* finalize.c – ending without leaving another process waiting. */
#include "comm/attr.h"
#include "decide/decide.h"
#include "life/life.h"
#include "notify/notify.h"
#include "proc/detour.h"
#include "proc/post.h"
#include "proc/ticker.h"
#include "req/request.h"
#include "rt/rt.h"
#include "rt/service.h"

static bool are_leaving(struct mend_proc *self, const struct mend_group *g)
{
    for (int i = 0; i < g->size; i++)
        if (!mend_is_leaving(self, mend_group_peer(g, i)))
            return false;
    return true;
}

/* They may be processes from which this one has parted, for which it does not wait otherwise. */
static bool are_members_leaving(struct mend_proc *self, const struct mend_comm *c)
{
    return are_leaving(self, c->group) && are_leaving(self, c->remote);
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

/* Says that this process is in MPI_Finalize; true once every process that is connected to it has said so or is dead.  Those
 * with names below *seen_n_p are known to be: a turn looks at the first one that is not.  A callback has taken it
 * back meanwhile (notify/): others may have been called back, too. */
static bool all_are_leaving(struct mend_proc *self, mend_peer *seen_n_p)
{
    if (!mend_is_leaving(self, self->me)) {
        self->rt->say(self, MEND_PRESENCE_LEAVING);
        *seen_n_p = 0;
    }
    for (; *seen_n_p < self->peers_n; (*seen_n_p)++)
        if (mend_peer_entry(self, *seen_n_p)->connected && !mend_is_leaving(self, *seen_n_p))
            return false;
    return true;
}

/* A process that has left cannot answer questions of a protocol, so nobody leaves before all are
 * leaving.  Queued frames go out meanwhile.  Once all are here nobody needs a frame any more: what is
 * still queued then (a late revocation, a message that was never received) is for nobody, and its
 * receiver may have left without making room for it. */
static bool may_leave(struct mend_proc *self, void *arg)
{
    bool asked;

    mend_interrupt_check(self);
    /* in any case: those that are awaited may wait for the end of a communicator */
    asked = !mend_life_nobody_asks(self, false);
    return all_are_leaving(self, arg) && !asked;
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

void mend_life_withdraw(struct mend_proc *self)
{
    char dir[MEND_SERVICE_DIR_BYTES];

    if (!self->publishes)
        return;
    mend_service_dir(dir);
    mend_service_sweep(dir, 0);
    self->publishes = false;
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
    mend_peer seen_n = 0;
    struct mend_wait w = {.until = may_leave,
                          .arg = &seen_n,
                          .what = "everybody to be in MPI_Finalize",
                          .hint = MEND_PEER_NONE};

    mend_event(self, MEND_EV_FINALIZE_ENTER);
    mend_attrs_delete_all(self, &self->comm_self->attrs, MPI_COMM_SELF);
    find_connected(self);
    mend_wait_until(self, &w);
    mend_notify_end(self);
    self->world_state = MEND_WORLD_OVER;
    /* It may come back; or a process that has heard of a module's recovery too late waits for it, and hears of its end. */
    if (self->sessions_made_n || !mend_list_empty(&self->modules)) {
        mend_life_close(self);
        return MPI_SUCCESS;
    }
    mend_life_withdraw(self);
    mend_ticker_end(self);
    self->state = MEND_PROC_FINALIZED;
    drop_queued(self);
    self->rt->say(self, MEND_PRESENCE_LEFT);
    mend_detour_begin(self, MEND_DETOUR_CLOSED);
    mend_event(self, MEND_EV_FINALIZE_DONE);
    return MPI_SUCCESS;
}
