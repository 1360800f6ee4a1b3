/* SPDX-License-Identifier: BSD-3-Clause */
/* check.c – the invariants of requests, as request.h numbers them; and everything of a process that
 * checks itself, looked at together. */
#include "base/check.h"
#include "req/request.h"

const char *mend_request_check(const struct mend_request *r)
{
    MEND_HOLDS(r && r->magic == MEND_REQUEST_MAGIC && r->ops, "request 3: it is alive");
    MEND_HOLDS(!r->comm || (r->comm->magic == MEND_COMM_MAGIC && r->comm->refs > 0),
               "request 3: its communicator is alive");
    MEND_HOLDS(r->state <= MEND_REQUEST_DETACHED, "request 4: it has a state");
    MEND_HOLDS(!r->pending || (r->pending == MPI_ERR_PENDING && mend_request_is_active(r)),
               "request 5: only an active one is pending");
    MEND_HOLDS(!mend_list_linked(&r->link) || (mend_request_is_active(r) && r->ops->poll),
               "request 6: only an active one is polled");
    return NULL;
}

static const char *check_comms(struct mend_proc *self)
{
    uint32_t pos = 0;
    uint64_t key;
    void *value;

    while (mend_hash_next(&self->comms, &pos, &key, &value))
        MEND_HOLDS_IN(mend_comm_check(value));
    return NULL;
}

static const char *check_polled(struct mend_proc *self)
{
    MEND_HOLDS_IN(mend_list_check(&self->active));
    mend_list_foreach (l, next, &self->active)
        MEND_HOLDS_IN(mend_request_check(mend_list_entry(l, struct mend_request, link)));
    return NULL;
}

/* While frames are delivered, or requests polled, something is being changed. */
void mend_request_check_all(struct mend_proc *self)
{
    const char *broken;

    if (self->in_progress)
        return;
    broken = check_polled(self);
    if (!broken)
        broken = check_comms(self);
    if (mend_unlikely(broken != NULL))
        mend_assert_fail(broken, __FILE__, __LINE__, __func__);
}
