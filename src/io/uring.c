/* SPDX-License-Identifier: BSD-3-Clause */
/* uring.c – the ring, or none. */
#include "io/uring.h"

#ifdef MEND_HAVE_LIBURING

#include "node/bell.h"

#include <errno.h>
#include <liburing.h>

#define ORDERS                                                                                     \
    64 /* that can be put in before the kernel has taken one; each is handed over at once */

struct mend_uring {
    struct io_uring ring;
    int users_n;
    bool rings;
};

/* The descriptor of the ring is readable while there is a result (node/watch.h). */
static void hang_bell(struct mend_proc *self, struct mend_uring *u)
{
    u->rings =
        self->bell && self->bell->watch && self->bell->watch(self, u->ring.ring_fd) == MEND_OK;
}

bool mend_uring_get(struct mend_proc *self)
{
    struct mend_uring *u = self->uring;
    int error;

    if (!u && !self->uring_refused) {
        u = mend_zalloc(self, 1, sizeof(*u));
        error = u ? io_uring_queue_init(ORDERS, &u->ring, 0) : -ENOMEM;
        if (error) {
            self->uring_refused = error == -ENOSYS || error == -EPERM || error == -EACCES;
            mend_free(self, u);
            return false;
        }
        io_uring_ring_dontfork(&u->ring); /* a child is another process */
        hang_bell(self, u);
        self->uring = u;
    }
    if (u)
        u->users_n++;
    return u != NULL;
}

void mend_uring_put(struct mend_proc *self)
{
    struct mend_uring *u = self->uring;

    if (--u->users_n)
        return;
    if (u->rings)
        self->bell->unwatch(self, u->ring.ring_fd);
    io_uring_queue_exit(&u->ring);
    self->uring = NULL;
    mend_free(self, u);
}

bool mend_uring_begin(struct mend_proc *self, const struct mend_uring_order *o, void *tag)
{
    struct io_uring *ring = &self->uring->ring;
    struct io_uring_sqe *sqe = io_uring_get_sqe(ring);
    int n;

    if (!sqe)
        return false;
    (o->write ? io_uring_prep_writev : io_uring_prep_readv)(sqe, o->fd, o->piece, (unsigned)o->n,
                                                            (uint64_t)o->offset);
    io_uring_sqe_set_flags(sqe, IOSQE_ASYNC);
    io_uring_sqe_set_data(sqe, tag);
    while ((n = io_uring_submit(ring)) == -EINTR)
        ;
    if (n > 0)
        return true;
    io_uring_prep_nop(sqe); /* it stays in the queue, and does nothing */
    io_uring_sqe_set_data(sqe, NULL);
    return false;
}

void *mend_uring_take(struct mend_proc *self, int *result_p)
{
    struct io_uring_cqe *cqe;
    void *tag;

    while (self->uring && io_uring_peek_cqe(&self->uring->ring, &cqe) == 0) {
        tag = io_uring_cqe_get_data(cqe);
        *result_p = cqe->res;
        io_uring_cqe_seen(&self->uring->ring, cqe);
        if (tag)
            return tag;
    }
    return NULL;
}

bool mend_uring_rings(const struct mend_proc *self)
{
    return self->uring->rings;
}

#else

bool mend_uring_get(struct mend_proc *self)
{
    return false;
}

void mend_uring_put(struct mend_proc *self)
{
}

bool mend_uring_begin(struct mend_proc *self, const struct mend_uring_order *o, void *tag)
{
    return false;
}

void *mend_uring_take(struct mend_proc *self, int *result_p)
{
    return NULL;
}

bool mend_uring_rings(const struct mend_proc *self)
{
    return false;
}

#endif
