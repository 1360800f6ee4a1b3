/* SPDX-License-Identifier: BSD-3-Clause */
/* free.c – the end of a communicator's handle (MPI-5.0 7.4.3, 11.10.4).
 *
 * MPI_Comm_free is local.  Others may ask this process about the communicator later, so it does not leave MPI before all
 * have freed it (decide/linger.c).  MPI_Comm_disconnect waits for that itself: then a process can leave MPI while another
 * one, from which it has parted, computes. */
#include "create/create.h"

#include "node/node.h"
#include "proc/report.h"

int mend_create_free(struct mend_comm *c)
{
    struct mend_proc *self = c->self;
    int err = mend_comm_close(c);

    if (err)
        return err;
    mend_decide_free_alone(c);
    mend_record_holdings(self);
    return MPI_SUCCESS;
}

/* Nothing is under way.  With a dead member nobody can say whether a wildcard receive will end, so
 * that is not waited for: what can still complete does so behind the caller. */
static bool is_quiet(struct mend_proc *self, void *arg)
{
    struct mend_comm *c = arg;

    return (mend_p2p_idle(c) && self->outbox_n == 0) || mend_comm_has_dead(c);
}

/* Unless there is another communicator with them: life/finalize.c. */
static void disconnect(struct mend_proc *self, const struct mend_group *g)
{
    for (int i = 0; i < g->size; i++)
        mend_peer_entry(self, mend_group_peer(g, i))->connected = false;
}

void mend_create_part(struct mend_comm *c)
{
    if (mend_p2p_idle(c))
        mend_decide_part(c);
    else
        mend_decide_free(c);
}

struct parting {
    struct mend_comm *c;
    struct mend_wait wait;
};

static bool is_over(struct mend_proc *self, void *arg)
{
    struct parting *p = arg;

    mend_interrupt_check(self);
    p->wait.rings = mend_linger_rings(self);
    return mend_linger_are_over(p->c);
}

/* A death, a revocation or a member in MPI_Finalize ends the wait. */
static void free_and_await_others(struct mend_comm *c)
{
    struct mend_proc *self = c->self;
    struct parting p = {.c = c,
                        .wait = {.cause = MEND_WAIT_CREATION,
                                 .until = is_over,
                                 .arg = &p,
                                 .what = "the others to disconnect the communicator, too",
                                 .hint = MEND_PEER_NONE}};

    mend_comm_get(c);
    mend_create_part(c);
    mend_record_holdings(self);
    mend_wait_until(self, &p.wait);
    if (self->node)
        mend_node_await(self, MEND_PEER_NONE);
    mend_comm_put(c);
}

int mend_create_disconnect(struct mend_comm *c)
{
    struct mend_proc *self = c->self;
    struct mend_wait w = {.cause = MEND_WAIT_CREATION,
                          .until = is_quiet,
                          .arg = c,
                          .what = "operations on a communicator that is disconnected",
                          .hint = MEND_PEER_NONE};
    int err = c->buffer ? mend_p2p_buffer_flush(self, &c->buffer) : MPI_SUCCESS;

    if (err)
        return err;
    mend_wait_until(self, &w);
    mend_event(self, MEND_EV_DISCONNECT_QUIET);
    disconnect(self, c->group);
    disconnect(self, c->remote);
    err = mend_comm_close(c);
    if (!err)
        free_and_await_others(c);
    mend_event(self, MEND_EV_DISCONNECT_DONE);
    return err;
}
