/* SPDX-License-Identifier: BSD-3-Clause */
/* dup.c – duplicates of a communicator, blocking and nonblocking: with all its members, and with its holes. */
#include "create/creation.h"

/* The duplicate of c, as decided on its carrier: with all members, and with the same holes.  The cell
 * is free at the survivors, but maybe not at the holes, so the carrier of the duplicate gets it. */
static int duplicate(struct mend_comm *c, struct mend_comm *carrier,
                     const struct mend_decision *value, int own_error, struct mend_comm **new_p)
{
    int err = mend_creation_result(carrier, value, own_error);
    struct mend_decision whole = *value;

    if (carrier != c)
        whole.and_word[1] = 0;
    if (!err)
        err = mend_creation_object(c, c->group, c->inter ? c->remote : NULL, &whole, new_p);
    if (!err && carrier != c) {
        err = mend_cut_inherit(carrier, value, *new_p);
        if (err)
            mend_comm_put(*new_p);
    }
    return err;
}

int mend_create_dup(struct mend_comm *c, int own_error, struct mend_comm **new_p)
{
    struct mend_comm *carrier = mend_comm_carrier(c);
    struct mend_decision value;
    int err = mend_creation_check(carrier);

    if (err)
        return err;
    own_error = mend_creation_room(carrier, own_error);
    mend_creation_propose(carrier, !own_error, false, &value);
    value.max_word[1] = (uint64_t)own_error;
    mend_creation_decide(carrier, &value);
    err = duplicate(c, carrier, &value, own_error, new_p);
    if (value.failed)
        mend_group_put(c->self, value.failed);
    return err;
}

/* A duplicate that comes later. */
struct idup {
    struct mend_request base;
    struct mend_comm *carrier;
    struct mend_comm **new_p;
    int own_error; /* with which this process has voted */
};

static void idup_release(struct mend_request *r)
{
    struct idup *d = MEND_CONTAINER_OF(r, struct idup, base);
    struct mend_comm *c = r->comm, *carrier = d->carrier;

    r->magic = 0;
    mend_free(c->self, d);
    mend_comm_put(carrier);
    mend_comm_put(c);
}

static const struct mend_request_ops idup_ops = {.name = "duplication of a communicator",
                                                 .cause = MEND_WAIT_AGREEMENTS,
                                                 .release = idup_release};

static void idup_done(void *arg, struct mend_decision *value)
{
    struct idup *d = arg;
    struct mend_comm *made = NULL;
    int err;

    mend_creation_settle(d->carrier, value);
    err = duplicate(d->base.comm, d->carrier, value, d->own_error, &made);
    if (!err)
        *d->new_p = made;
    mend_request_complete(&d->base, err);
}

static int idup_begin(struct idup *d)
{
    struct mend_decision value;
    int err = mend_creation_check(d->carrier);

    if (err)
        return err;
    d->own_error = mend_creation_room(d->carrier, MPI_SUCCESS);
    mend_creation_propose(d->carrier, !d->own_error, true, &value);
    value.max_word[1] = (uint64_t)d->own_error;
    mend_decide_call(d->carrier, MEND_DECIDE_CREATION, &value, idup_done, d);
    return MPI_SUCCESS;
}

/* Errors are delivered by the request (S0-15), also those known at once. */
void mend_create_idup(struct mend_comm *c, struct mend_comm **new_p, struct mend_request **req_p)
{
    struct idup *d;
    int err;

    mend_memory_press(c->self); /* it takes part in any case */
    d = mend_zalloc(c->self, 1, sizeof(*d));
    mend_memory_relax(c->self);
    mend_request_init(&d->base, &idup_ops, c);
    d->carrier = mend_comm_carrier(c);
    mend_comm_get(c);
    mend_comm_get(d->carrier);
    d->new_p = new_p;
    mend_request_begin(&d->base);
    *req_p = &d->base;
    err = idup_begin(d);
    if (err)
        mend_request_complete(&d->base, err);
}
