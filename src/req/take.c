/* SPDX-License-Identifier: BSD-3-Clause */
/* take.c – one request: looks at it, takes it, frees it, cancels it. */
#include "req/take.h"

#include "proc/threads.h"
#include "req/grequest.h"

#include <sched.h>

void mend_request_look(struct mend_proc *self, const struct mend_request *r)
{
    self->waits_n++;
    if (mend_progress(self, r ? r->hint : MEND_PEER_NONE) || mend_interrupt_check(self))
        return;
    if (self->yield) {
        self->yield(self);
    } else if (mend_unlikely(self->oversubscribed || mend_proc_has_threads(self))) {
        mend_unlock(self);
        sched_yield();
        mend_lock(self);
    }
}

int mend_request_result(struct mend_request *r, MPI_Status *status)
{
    int err = r->ops->query ? r->ops->query(r) : r->error;

    mend_request_status(r, status);
    return err;
}

int mend_request_take_slow(MPI_Request *request, struct mend_request *r, MPI_Status *status)
{
    int err, err_free;

    if (mend_request_is_idle(r)) {
        mend_status_empty(status);
        return MPI_SUCCESS;
    }
    if (!mend_request_is_done(r))
        return MPI_ERR_PENDING;
    err = mend_request_result(r, status);
    if (r->persistent) {
        r->state = MEND_REQUEST_INACTIVE;
        return err;
    }
    if (mend_grequest_is(r)) {
        err_free = mend_grequest_free(r);
        err = err ? err : err_free;
    }
    *request = MPI_REQUEST_NULL;
    mend_request_detach(r);
    return err;
}

int mend_request_test(struct mend_proc *self, MPI_Request *request, struct mend_request *r,
                      int *flag_p, MPI_Status *status)
{
    if (r && mend_request_is_active(r))
        mend_request_look(self, r);
    *flag_p = mend_request_is_idle(r) || mend_request_is_done(r);
    return *flag_p || r->pending ? mend_request_take(request, r, status) : MPI_SUCCESS;
}

int mend_request_peek(struct mend_proc *self, struct mend_request *r, int *flag_p,
                      MPI_Status *status)
{
    if (r && mend_request_is_active(r))
        mend_request_look(self, r);
    *flag_p = mend_request_is_idle(r) || mend_request_is_done(r);
    if (mend_request_is_idle(r)) {
        mend_status_empty(status);
        return MPI_SUCCESS;
    }
    if (!mend_request_is_done(r))
        return r->pending;
    mend_request_result(r, status);
    return MPI_SUCCESS;
}

int mend_request_free(MPI_Request *request, struct mend_request *r)
{
    int err = mend_grequest_is(r) && mend_request_is_done(r) ? mend_grequest_free(r) : MPI_SUCCESS;

    *request = MPI_REQUEST_NULL;
    mend_request_detach(r);
    return err;
}

int mend_request_cancel(struct mend_request *r)
{
    if (mend_grequest_is(r))
        return mend_grequest_cancel(r);
    if (!mend_request_is_done(r) && r->ops->cancel)
        r->ops->cancel(r);
    return MPI_SUCCESS;
}
