/* SPDX-License-Identifier: BSD-3-Clause */
/* shrink.c – a new communicator of the survivors: one agreement, no loop.
 *
 *   { failures I know, context id proposal, free cells, "it is revoked here" } ── agreement ──>
 *   members = old members - agreed failures, in their old order (S0-75..78)
 *
 * Never fails because of deaths or revocation (S0-74).  A process that dies after the decision is in the
 * new communicator, whose later calls report its death (S0-79). */
#include "create/creation.h"

#include "comm/errcode.h"
#include "proc/report.h"

#define WORD_INVALID 1 /* max_word: 1 if the communicator is revoked at a participant (R3) */

static void propose(struct mend_comm *c, bool later, struct mend_decision *value)
{
    mend_creation_propose(c, true, later, value);
    value->max_word[WORD_INVALID] = c->revoked;
}

struct mend_group *mend_create_survivors(struct mend_proc *self, struct mend_group *g,
                                         struct mend_group *failed)
{
    mend_peer *peers;
    struct mend_group *left;
    int n = 0;

    mend_memory_press(self); /* the members are decided: there is no way back */
    peers = mend_alloc(self, (size_t)(g->size ? g->size : 1) * sizeof(*peers));
    for (int i = 0; i < g->size; i++)
        if (!failed || mend_group_rank(self, failed, mend_group_peer(g, i)) == MPI_UNDEFINED)
            peers[n++] = mend_group_peer(g, i);
    left = mend_group_create(self, peers, n);
    mend_memory_relax(self);
    mend_free(self, peers);
    return left;
}

static int conclude(struct mend_comm *c, bool strict, const struct mend_decision *value,
                    struct mend_comm **new_p)
{
    struct mend_proc *self = c->self;
    struct mend_group *group, *remote;
    int err;

    mend_event(self, MEND_EV_SHRINK_DECIDED);
    if (strict && !value->max_word[WORD_INVALID])
        return MPI_ERR_ARG;
    if (strict && !c->revoked)
        mend_revoke_heard(c); /* R3: the call itself is the notification */
    if (value->failed)
        mend_failure_told_group(self, value->failed);
    group = mend_create_survivors(self, c->group, value->failed);
    remote = c->inter ? mend_create_survivors(self, c->remote, value->failed) : NULL;
    err = mend_creation_object(c, group, remote, value, new_p);
    mend_record_event(self, shrink, .ctx = c->ctx, .from = c->size, .to = group->size);
    mend_group_put(self, group);
    if (remote)
        mend_group_put(self, remote);
    return err;
}

int mend_create_shrink(struct mend_comm *c, bool strict, struct mend_comm **new_p)
{
    struct mend_decision value;
    int err;

    mend_interrupt_check(c->self);
    propose(c, false, &value);
    mend_decide(c, &value);
    mend_creation_settle(c, &value);
    err = conclude(c, strict, &value, new_p);
    if (value.failed)
        mend_group_put(c->self, value.failed);
    return err;
}

struct ishrink {
    struct mend_request base;
    struct mend_comm **new_p;
};

static void ishrink_release(struct mend_request *r)
{
    struct mend_comm *c = r->comm;

    r->magic = 0;
    mend_free(c->self, r);
    mend_comm_put(c);
}

static const struct mend_request_ops ishrink_ops = {
    .name = "shrink", .cause = MEND_WAIT_AGREEMENTS, .release = ishrink_release};

static void ishrink_done(void *arg, struct mend_decision *value)
{
    struct ishrink *s = arg;
    struct mend_comm *made = NULL;
    int err;

    mend_creation_settle(s->base.comm, value);
    err = conclude(s->base.comm, false, value, &made);
    if (!err) /* R4: nobody is left on one side */
        *s->new_p = made ? made : (struct mend_comm *)MPI_COMM_NULL;
    mend_request_complete(&s->base, err);
}

int mend_create_ishrink(struct mend_comm *c, struct mend_comm **new_p, struct mend_request **req_p)
{
    struct mend_decision value;
    struct ishrink *s;

    mend_memory_press(c->self); /* it takes part in any case */
    s = mend_zalloc(c->self, 1, sizeof(*s));
    mend_memory_relax(c->self);
    mend_request_init(&s->base, &ishrink_ops, c);
    mend_comm_get(c);
    s->new_p = new_p;
    mend_request_begin(&s->base);
    *req_p = &s->base;
    propose(c, true, &value);
    mend_decide_start(c, &value, ishrink_done, s);
    return MPI_SUCCESS;
}
