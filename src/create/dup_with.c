/* SPDX-License-Identifier: BSD-3-Clause */
/* dup_with.c – a duplicate with what belongs to its original: attributes, topology, hints (MPI-5.0 7.4.2).
 *
 * Blocking: they are copied to the communicator that was created.  Nonblocking:
 *
 *   call:        attributes, topology and hints are copied now
 *   meanwhile:   dup.c makes the communicator, a request of its own
 *   completion:  the copies move to the new communicator, the user's handle is written
 *
 * A copy callback that refuses is an error of this process alone: the others get their communicator. */
#include "create/create.h"

#include "comm/attr.h"
#include "comm/handle.h"
#include "comm/info.h"
#include "comm/topo.h"

#include <stdio.h>

/* What a duplicate takes from its original. */
struct copies {
    struct mend_attrs *attrs;
    struct mend_topo *topo;
    struct mend_info *info;
};

/* Error: what a copy callback says.  What was copied before it is in *k. */
static int take_copies(struct mend_comm *c, const struct mend_info *info, struct copies *k)
{
    struct mend_proc *self = c->self;

    mend_memory_press(self); /* the others have it */
    if (c->topo)
        k->topo = mend_topo_dup(self, c->topo);
    if (info)
        k->info = mend_info_dup(self, info);
    mend_memory_relax(self);
    return mend_attrs_copy(self, c->attrs, (void *)mend_comm_handle(c), &k->attrs);
}

static void give_copies(struct copies *k, struct mend_comm *made)
{
    made->attrs = k->attrs;
    made->topo = k->topo;
    made->info = k->info;
    *k = (struct copies){NULL};
}

/* Those that found no communicator. */
static void drop_copies(struct mend_proc *self, struct copies *k)
{
    mend_attrs_delete_all(self, &k->attrs, (void *)MPI_COMM_NULL);
    if (k->topo)
        mend_topo_free(self, k->topo);
    if (k->info)
        mend_info_free(self, k->info);
    *k = (struct copies){NULL};
}

/* A new communicator that cannot be given to the user goes at once. */
static void discard(struct mend_comm *made)
{
    mend_comm_close(made);
    mend_decide_free(made);
}

int mend_create_dup_with(struct mend_comm *c, const struct mend_info *info,
                         struct mend_comm **new_p)
{
    struct mend_comm *made = NULL;
    struct copies copies = {NULL};
    int err = mend_create_dup(c, MPI_SUCCESS, &made);

    if (err)
        return err;
    err = take_copies(c, info, &copies);
    give_copies(&copies, made);
    if (err)
        discard(made);
    else
        *new_p = made;
    return err;
}

struct idup {
    struct mend_request base;
    struct mend_proc *self;
    struct mend_request *inner; /* create/'s */
    struct mend_comm *made;
    struct copies copies;
    int copy_error;
    MPI_Comm *newcomm;
};

static struct idup *of(struct mend_request *r)
{
    return MEND_CONTAINER_OF(r, struct idup, base);
}

static void move_on(struct mend_request *r)
{
    struct idup *d = of(r);
    int err;

    if (!mend_request_is_done(d->inner))
        return;
    err = d->inner->error;
    mend_request_detach(d->inner);
    d->inner = NULL;
    if (!err && d->copy_error) {
        discard(d->made);
        err = d->copy_error;
    }
    if (err) {
        drop_copies(d->self, &d->copies);
    } else {
        give_copies(&d->copies, d->made);
        *d->newcomm = mend_comm_handle(d->made);
    }
    mend_request_complete(r, err);
}

static void release(struct mend_request *r)
{
    struct idup *d = of(r);
    struct mend_comm *c = r->comm;

    r->magic = 0;
    mend_free(d->self, d);
    mend_comm_put(c);
}

static void describe(const struct mend_request *r, char *text, size_t max)
{
    snprintf(text, max, "duplicate of %s", mend_comm_label(r->comm));
}

static const struct mend_request_ops ops = {
    .name = "MPI_Comm_idup",
    .cause = MEND_WAIT_AGREEMENTS,
    .poll = move_on,
    .release = release,
    .describe = describe,
};

void mend_create_idup_with(struct mend_comm *c, const struct mend_info *info, MPI_Comm *newcomm,
                           struct mend_request **req_p)
{
    struct mend_proc *self = c->self;
    struct idup *d;

    mend_memory_press(self); /* it takes part in any case */
    d = mend_zalloc(self, 1, sizeof(*d));
    mend_memory_relax(self);
    d->self = self;
    d->newcomm = newcomm;
    mend_request_init(&d->base, &ops, c);
    d->base.rings = true; /* it only follows the other one */
    d->copy_error = take_copies(c, info, &d->copies);
    mend_create_idup(c, &d->made, &d->inner);
    mend_comm_get(c);
    mend_request_begin(&d->base);
    mend_list_append(&self->active, &d->base.link);
    *req_p = &d->base;
}
