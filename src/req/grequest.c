/* SPDX-License-Identifier: BSD-3-Clause */
/* grequest.c – requests that the user completes. */
#include "req/grequest.h"

#include "comm/objects.h"

#include <stdio.h>

struct grequest {
    struct mend_request base;
    struct mend_proc *self;
    MPI_Grequest_query_function *query_fn;
    MPI_Grequest_free_function *free_fn; /* NULL once called */
    MPI_Grequest_cancel_function *cancel_fn;
    void *extra_state;
};

static struct grequest *of(struct mend_request *r)
{
    return MEND_CONTAINER_OF(r, struct grequest, base);
}

/* The user's function fills a whole status; its parts go into the request. */
static int query(struct mend_request *r)
{
    struct grequest *g = of(r);
    MPI_Status status = {.MPI_ERROR = MPI_SUCCESS};
    int err = MPI_SUCCESS;

    mend_status_empty(&status);
    if (g->query_fn) {
        mend_unlock(g->self);
        err = g->query_fn(g->extra_state, &status);
        mend_lock(g->self);
    }
    r->source = status.MPI_SOURCE;
    r->tag = status.MPI_TAG;
    r->bytes = mend_status_bytes(&status);
    r->cancelled = mend_status_cancelled(&status);
    return err;
}

int mend_grequest_free(struct mend_request *r)
{
    struct grequest *g = of(r);
    MPI_Grequest_free_function *fn = g->free_fn;
    int err = MPI_SUCCESS;

    g->free_fn = NULL;
    if (fn) {
        mend_unlock(g->self);
        err = fn(g->extra_state);
        mend_lock(g->self);
    }
    return err;
}

static void release(struct mend_request *r)
{
    struct mend_proc *self = of(r)->self;

    mend_grequest_free(r);
    r->magic = 0;
    mend_free(self, of(r));
}

static void describe(const struct mend_request *r, char *text, size_t max)
{
    (void)r;
    snprintf(text, max, "generalized request, to be completed by the program");
}

static const struct mend_request_ops ops = {
    .name = "generalized request",
    .release = release,
    .query = query,
    .describe = describe,
};

bool mend_grequest_is(const struct mend_request *r)
{
    return r->ops == &ops;
}

struct mend_request *mend_grequest_start(struct mend_proc *self,
                                         MPI_Grequest_query_function *query_fn,
                                         MPI_Grequest_free_function *free_fn,
                                         MPI_Grequest_cancel_function *cancel_fn, void *extra_state)
{
    struct grequest *g = mend_zalloc(self, 1, sizeof *g);

    if (!g)
        return NULL;
    mend_request_init(&g->base, &ops, NULL);
    mend_request_begin(&g->base);
    g->self = self;
    g->query_fn = query_fn;
    g->free_fn = free_fn;
    g->cancel_fn = cancel_fn;
    g->extra_state = extra_state;
    return &g->base;
}

void mend_grequest_complete(struct mend_request *r)
{
    mend_request_complete(r, MPI_SUCCESS);
}

int mend_grequest_cancel(struct mend_request *r)
{
    struct grequest *g = of(r);
    bool done = mend_request_is_done(r);
    int err = MPI_SUCCESS;

    if (g->cancel_fn) {
        mend_unlock(g->self);
        err = g->cancel_fn(g->extra_state, done);
        mend_lock(g->self);
    }
    return err;
}
