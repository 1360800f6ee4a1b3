/* SPDX-License-Identifier: BSD-3-Clause */
/* death.c – what deaths, revocations and acknowledgements do to point-to-point operations. */
#include "p2p/internal.h"

#include "comm/errcode.h"
#include "p2p/match.h"

/* A wildcard goes on, but a completion call must say that it may never match (S0-20). */
static void mark_pending(struct mend_comm *c, int pending)
{
    mend_list_foreach (l, next, &mend_p2p_space(c, MEND_CHANNEL_P2P)->any_posted)
        mend_list_entry(l, struct mend_p2p_request, queue)->base.pending = pending;
}

static void end_posted(struct mend_list *posted, int error)
{
    while (!mend_list_empty(posted)) {
        struct mend_p2p_request *r = mend_list_entry(posted->next, struct mend_p2p_request, queue);

        mend_list_remove(&r->queue);
        mend_request_complete(&r->base, error);
    }
}

/* It has ended already, except for what its sender is still writing. */
static bool is_held(struct mend_proc *self, const struct mend_p2p_request *r)
{
    return r->over && !mend_peer_is_dead(self, r->peer);
}

/* Those with dead peers; every: all. */
static void end_transfers(struct mend_comm *c, bool every, int error)
{
    struct mend_list *all = &c->match->transfers;
    bool again = true;

    while (again) { /* ending one may end others: start over after each */
        again = false;
        mend_list_foreach (l, next, all) {
            struct mend_p2p_request *r = mend_list_entry(l, struct mend_p2p_request, queue);

            if ((!every && !mend_peer_is_dead(c->self, r->peer)) || is_held(c->self, r))
                continue;
            mend_send_withdraw(r);
            mend_transfer_end(r, error);
            again = true;
            break;
        }
    }
}

static void source_died(struct mend_comm *c, struct mend_space *space, int rank)
{
    struct mend_source *s;

    if (!space->pages[rank / SOURCES_PER_PAGE])
        return;
    s = mend_match_source(c, space, rank);
    mend_list_foreach (l, next, &s->unexpected) {
        struct mend_message *m = mend_list_entry(l, struct mend_message, by_source);

        m->broken = m->kind == MEND_FRAME_RTS;
    }
    if (mend_list_empty(&s->posted))
        return;
    mend_match_source_failed(c, space, rank);
    end_posted(&s->posted, MEND_CLASS_PROC_FAILED);
}

static void comm_on_deaths(struct mend_comm *c, void *arg)
{
    const struct mend_deaths *all = arg;
    bool any = false;

    for (int i = 0; c->match && i < all->n; i++) {
        int rank = mend_group_rank(c->self, c->remote, all->death[i].peer);

        if (rank == MPI_UNDEFINED)
            continue;
        source_died(c, mend_p2p_space(c, MEND_CHANNEL_P2P), rank);
        source_died(c, mend_p2p_space(c, MEND_CHANNEL_COLL), rank);
        any = true;
    }
    if (!any)
        return;
    end_transfers(c, false, MEND_CLASS_PROC_FAILED);
    mark_pending(c, MPI_ERR_PENDING);
}

void mend_p2p_on_deaths(struct mend_proc *self, const struct mend_death *death, int n)
{
    struct mend_deaths all = {death, n};

    mend_comm_each(self, comm_on_deaths, &all);
    for (int i = 0; i < n; i++) {
        mend_out_drop_all(self, death[i].peer);
        mend_credit_on_death(self, death[i].peer);
    }
}

static void space_on_revoke(struct mend_comm *c, struct mend_space *space)
{
    end_posted(&space->any_posted, MEND_CLASS_INVALIDATED);
    for (int rank = 0; rank < c->peers_n; rank++) {
        if (!space->pages[rank / SOURCES_PER_PAGE])
            rank |= SOURCES_PER_PAGE - 1;
        else
            end_posted(&mend_match_source(c, space, rank)->posted, MEND_CLASS_INVALIDATED);
    }
    while (!mend_list_empty(&space->any_messages)) {
        struct mend_message *m =
            mend_list_entry(space->any_messages.next, struct mend_message, by_arrival);

        mend_match_take(m);
        mend_message_free(c->self, m);
    }
}

void mend_p2p_on_revoke(struct mend_comm *c)
{
    mend_comm_get(c);
    end_transfers(c, true, MEND_CLASS_INVALIDATED);
    space_on_revoke(c, mend_p2p_space(c, MEND_CHANNEL_P2P));
    space_on_revoke(c, mend_p2p_space(c, MEND_CHANNEL_COLL));
    mend_comm_put(c);
}

int mend_p2p_get_failed(struct mend_comm *c, bool acked, struct mend_group **g_p)
{
    struct mend_proc *self = c->self;
    struct mend_group *g;

    if (!acked) {
        mend_progress(self, MEND_PEER_NONE);
        mend_interrupt_check(self);
    }
    g = mend_comm_dead(c, acked ? c->acked_deaths_n : self->deaths_n);
    if (!g)
        return MPI_ERR_NO_MEM;
    mend_failure_told_group(self, g);
    *g_p = g;
    return MPI_SUCCESS;
}

static bool is_member(struct mend_comm *c, mend_peer peer)
{
    return mend_group_rank(c->self, c->group, peer) != MPI_UNDEFINED ||
           mend_group_rank(c->self, c->remote, peer) != MPI_UNDEFINED;
}

int mend_p2p_ack(struct mend_comm *c, int members_n)
{
    struct mend_proc *self = c->self;
    int members = 0, acked = 0;

    for (uint32_t i = 0; i < self->deaths_n; i++) {
        if (!is_member(c, self->deaths[i].peer))
            continue;
        members++;
        if (members <= members_n && c->acked_deaths_n < i + 1)
            c->acked_deaths_n = i + 1;
        acked += c->acked_deaths_n > i;
    }
    mend_failure_told(c, c->acked_deaths_n);
    if (!mend_match_unacked(c))
        mark_pending(c, 0);
    return acked;
}
