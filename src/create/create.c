/* SPDX-License-Identifier: BSD-3-Clause */
/* create.c – what creation keeps in a process, and what deaths and revocations do to it. */
#include "create/create.h"

#include "create/meet.h"
#include "node/node.h"

int mend_create_init(struct mend_proc *self)
{
    struct mend_create *m = mend_zalloc(self, 1, sizeof(*m));

    if (!m)
        return MPI_ERR_NO_MEM;
    mend_list_init(&m->meetings);
    mend_list_init(&m->invitations);
    mend_list_init(&m->hellos);
    mend_list_init(&m->ports);
    mend_list_init(&m->knocks);
    mend_list_init(&m->visits);
    mend_hash_init(&m->declined, self->arena);
    self->create = m;
    self->ctx_counter = self->node ? mend_node_contexts(self) : MEND_CTX_FIRST;
    self->on_frame[MEND_FRAME_CREATE] = mend_create_on_frame;
    return MPI_SUCCESS;
}

void mend_create_on_deaths(struct mend_proc *self, const struct mend_death *death, int n)
{
    mend_invite_on_deaths(self, death, n);
    mend_leaders_on_deaths(self, death, n);
    mend_port_on_deaths(self, death, n);
    mend_meet_look(self);
}

void mend_create_on_revoke(struct mend_comm *c)
{
    mend_cut_on_revoke(c);
    mend_meet_look(c->self);
}

void mend_create_detach(struct mend_comm *c)
{
    mend_cut_drop(c);
    mend_leaders_forget(c);
}
