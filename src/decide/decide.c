/* SPDX-License-Identifier: BSD-3-Clause */
/* decide.c – protocol state of communicators: its life, and what deaths do to it. */
#include "decide/internal.h"

int mend_decide_init(struct mend_proc *self)
{
    struct mend_decide *m = mend_zalloc(self, 1, sizeof(*m));

    if (!m)
        return MPI_ERR_NO_MEM;
    mend_list_init(&m->fresh_graves);
    mend_list_init(&m->graves);
    mend_list_init(&m->closed);
    self->decide = m;
    mend_revoke_init_process(self);
    self->on_interrupt = mend_revoke_on_interrupt;
    self->on_frame[MEND_FRAME_AGREE] = mend_decide_tree_on_frame;
    self->on_frame[MEND_FRAME_REVOKE] = mend_revoke_on_frame;
    return MPI_SUCCESS;
}

int mend_decide_attach(struct mend_comm *c)
{
    struct mend_decide_comm *d = mend_zalloc(c->self, 1, sizeof(*d));

    if (!d)
        return MPI_ERR_NO_MEM;
    d->comm = c;
    d->first = c->group;
    if (c->inter) {
        bool low = mend_group_peer(c->group, 0) < mend_group_peer(c->remote, 0);

        d->first = low ? c->group : c->remote;
        d->second = low ? c->remote : c->group;
    }
    d->members_n = d->first->size + (d->second ? d->second->size : 0);
    d->me = mend_decide_rank(c->self, d, c->self->me);
    for (int i = 0; i < MEND_DECIDE_KINDS; i++) {
        mend_list_init(&d->agreements[i].waiting);
        mend_list_init(&d->agreements[i].running);
    }
    c->decide = d;
    return MPI_SUCCESS;
}

void mend_decide_detach(struct mend_comm *c)
{
    struct mend_proc *self = c->self;

    if (!c->decide)
        return;
    if (mend_decide_in_memory(c) && c->cell < 0)
        mend_papers_close(c);
    mend_free(self, c->decide->papers);
    for (int i = 0; i < MEND_DECIDE_KINDS; i++)
        mend_free(self, c->decide->agreements[i].sm);
    mend_free(self, c->decide->revoke);
    mend_free(self, c->decide);
    c->decide = NULL;
}

static void comm_on_death(struct mend_comm *c, void *arg)
{
    const mend_peer *dead = arg;
    int32_t rank = c->decide ? mend_decide_rank(c->self, c->decide, *dead) : -1;

    if (rank < 0)
        return;
    mend_revoke_on_death(c, rank);
    mend_decide_tree_on_death(c, rank);
    mend_decide_say_no(c, MEND_DECIDE_CREATION);
}

void mend_decide_on_death(struct mend_proc *self, mend_peer dead)
{
    mend_comm_each(self, comm_on_death, &dead);
}
