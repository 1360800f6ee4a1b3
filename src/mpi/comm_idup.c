/* SPDX-License-Identifier: BSD-3-Clause */
/* comm_idup.c – MPI_Comm_idup: a duplicate that comes later (MPI-5.0 7.4.2).
 *
 *   call:        attributes, topology and hints are copied now, as MPI_Comm_dup would
 *   meanwhile:   create/ makes the communicator, a request of its own
 *   completion:  the copies move to the new communicator, the user's handle is written
 *
 * Collective, does not block.  Deaths and invalidation are reported by the completion call (S0-15,
 * R1).  A copy callback that refuses is an error of this process alone, reported there too: the
 * others get their communicator. */
#include "mpi/check.h"

#include "comm/attr.h"
#include "comm/info.h"
#include "comm/topo.h"
#include "create/create.h"

#include <stdio.h>

struct idup {
    struct mend_request base;
    struct mend_proc *self;
    struct mend_request *inner; /* create/'s */
    struct mend_comm *made;
    struct mend_attrs *attrs;
    struct mend_topo *topo;
    struct mend_info *info;
    int copy_error;
    MPI_Comm *newcomm;
};

static struct idup *of(struct mend_request *r)
{
    return MEND_CONTAINER_OF(r, struct idup, base);
}

/* Copies that found no communicator. */
static void drop_copies(struct idup *d)
{
    mend_attrs_delete_all(d->self, &d->attrs, (void *)MPI_COMM_NULL);
    if (d->topo)
        mend_topo_free(d->self, d->topo);
    if (d->info)
        mend_info_free(d->self, d->info);
    d->topo = NULL;
    d->info = NULL;
}

static void furnish(struct idup *d)
{
    d->made->attrs = d->attrs;
    d->made->topo = d->topo;
    d->made->info = d->info;
    d->attrs = NULL;
    d->topo = NULL;
    d->info = NULL;
    *d->newcomm = mend_comm_handle(d->made);
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
        mend_comm_close(d->made);
        mend_decide_free(d->made);
        err = d->copy_error;
    }
    if (err)
        drop_copies(d);
    else
        furnish(d);
    mend_request_complete(r, err);
}

static void release(struct mend_request *r)
{
    struct idup *d = of(r);

    r->magic = 0;
    mend_free(d->self, d);
}

static void describe(const struct mend_request *r, char *text, size_t max)
{
    snprintf(text, max, "duplicate of %s", mend_comm_label(r->comm));
}

static const struct mend_request_ops ops = {
    .name = "MPI_Comm_idup",
    .poll = move_on,
    .release = release,
    .describe = describe,
};

static int copy(struct idup *d, struct mend_comm *c, const struct mend_info *info)
{
    mend_memory_press(d->self); /* the others have it */
    if (c->topo)
        d->topo = mend_topo_dup(d->self, c->topo);
    if (info)
        d->info = mend_info_dup(d->self, info);
    mend_memory_relax(d->self);
    return mend_attrs_copy(d->self, c->attrs, (void *)mend_comm_handle(c), &d->attrs);
}

static int begin(struct mend_comm *c, const struct mend_info *info, MPI_Comm *newcomm,
                 MPI_Request *request)
{
    struct mend_proc *self = c->self;
    struct idup *d;
    int err;

    mend_memory_press(self); /* it takes part in any case */
    d = mend_zalloc(self, 1, sizeof(*d));
    mend_memory_relax(self);
    d->self = self;
    d->newcomm = newcomm;
    mend_request_init(&d->base, &ops, c);
    d->copy_error = copy(d, c, info);
    err = mend_create_idup(c, &d->made, &d->inner);
    if (err) {
        drop_copies(d);
        mend_free(self, d);
        return err;
    }
    mend_comm_get(c);
    mend_request_begin(&d->base);
    mend_list_append(&self->active, &d->base.link);
    *request = mend_mpi_request_handle(&d->base);
    return MPI_SUCCESS;
}

static int idup(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request,
                const char *fn)
{
    struct mend_comm *c = NULL;
    struct mend_info *i = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_info_or_null(info, &i);
    if (!err && !(newcomm && request))
        err = MPI_ERR_ARG;
    if (!err)
        err = begin(c, i, newcomm, request);
    return mend_report_comm(c, err, fn);
}

MEND_API(MPI_Comm_idup);
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
    return idup(comm, MPI_INFO_NULL, newcomm, request, __func__);
}

MEND_API(MPI_Comm_idup_with_info);
int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request)
{
    return idup(comm, info, newcomm, request, __func__);
}
