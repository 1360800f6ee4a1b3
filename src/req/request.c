/* SPDX-License-Identifier: BSD-3-Clause */
/* request.c – the life of an operation, and statuses.
 *
 * A status keeps its byte count in MPI_internal[0..1] (bit 31 of [1]: cancelled); applications copy
 * statuses bytewise, so there is no pointer in it. */
#include "req/request.h"

void mend_status_empty(MPI_Status *status)
{
    mend_status_set(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, false);
    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = MPI_SUCCESS;
}

MPI_Count mend_status_bytes(const MPI_Status *status)
{
    uint32_t high = (uint32_t)status->MPI_internal[1] & ~MEND_STATUS_CANCELLED;

    return (MPI_Count)((uint64_t)high << 32 | (uint32_t)status->MPI_internal[0]);
}

bool mend_status_cancelled(const MPI_Status *status)
{
    return (uint32_t)status->MPI_internal[1] & MEND_STATUS_CANCELLED;
}

int mend_request_start(struct mend_request *r)
{
    int err;

    mend_request_begin(r);
    r->cancelled = false;
    r->error = MPI_SUCCESS;
    r->pending = 0;
    r->source = MPI_ANY_SOURCE;
    r->tag = MPI_ANY_TAG;
    r->bytes = 0;
    if (r->comm)
        r->comm->used_at = r->comm->self->points_n;
    err = r->ops->start(r);
    if (err)
        r->state = MEND_REQUEST_INACTIVE;
    return err;
}

void mend_request_complete_slow(struct mend_request *r, int error)
{
    struct mend_comm *comm = r->comm;
    bool detached = r->state == MEND_REQUEST_DETACHED;
    bool lost = (detached || (comm && comm->closing)) && /* S4-2, S0-71 */
                !(comm && (comm->undone || comm->self->state == MEND_PROC_FINALIZED));

    if (mend_list_linked(&r->link))
        mend_list_remove(&r->link);
    r->state = MEND_REQUEST_DONE;
    r->pending = 0;
    r->error = error;
    if (mend_unlikely(lost && error && comm) && !comm->self->unwinds)
        comm->self->on_lost_error(comm->self, error,
                                  "an operation whose request or communicator was freed");
    if (detached)
        r->ops->release(r);
}
