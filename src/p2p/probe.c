/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.c – probing for messages before they are received, and matched receives.
 *
 * A probe that can never find a message returns the error: its source is dead, a wildcard's group
 * has an unacknowledged death, or the communicator is revoked (S0-12..14). */
#include "p2p/internal.h"

#include "comm/handle.h"
#include "p2p/match.h"

#include <stdio.h>

struct query {
    struct mend_comm *c;
    int source, tag;
    struct mend_message *found;
    int error;
    bool take;
};

/* One look.  True: there is an answer, found or error.  What an earlier look has found for this thread, on behalf of
 * which another one looked, may be gone. */
static bool answer(struct mend_proc *self, void *arg)
{
    struct query *q = arg;
    struct mend_comm *c = q->c;
    struct mend_space *space = mend_p2p_space(c, MEND_CHANNEL_P2P);

    q->found = NULL;
    q->error = MPI_SUCCESS;
    if (c->revoked) {
        q->error = MEND_CLASS_INVALIDATED;
        return true;
    }
    q->found = mend_match_find(c, space, q->source, q->tag);
    if (q->found && !q->found->broken)
        return true;
    if (q->source == MPI_ANY_SOURCE ? mend_match_unacked(c)
                                    : mend_peer_is_dead(self, mend_comm_peer(c, q->source))) {
        if (q->source != MPI_ANY_SOURCE)
            mend_match_source_failed(c, space, q->source);
        q->found = NULL;
        q->error = MEND_CLASS_PROC_FAILED;
        return true;
    }
    return q->found != NULL;
}

static void describe(const void *arg, char *text, size_t max)
{
    const struct query *q = arg;
    char from[48] = "any rank", tag[32] = "any tag", comm[MEND_COMM_TEXT];

    mend_comm_describe(q->c, comm, sizeof(comm));
    if (q->source != MPI_ANY_SOURCE)
        mend_comm_describe_rank(q->c, q->source, from, sizeof(from));
    if (q->tag != MPI_ANY_TAG)
        snprintf(tag, sizeof(tag), "tag %d", q->tag);
    snprintf(text, max, "a message from %s, %s, on %s", from, tag, comm);
}

static void look(struct query *q, bool wait)
{
    struct mend_proc *self = q->c->self;
    struct mend_wait w = {.cause = MEND_WAIT_MESSAGES,
                          .until = answer,
                          .arg = q,
                          .what = "a message",
                          .describe = describe,
                          .hint = MEND_PEER_NONE,
                          .rings = true};

    if (answer(self, q))
        return;
    if (q->source != MPI_ANY_SOURCE)
        w.hint = mend_comm_peer(q->c, q->source);
    if (wait) {
        mend_wait_until(self, &w);
    } else {
        mend_progress(self, w.hint);
        mend_interrupt_check(self);
        answer(self, q);
        if (self->yield)
            self->yield(self);
    }
}

static int probe(struct mend_comm *c, int source, int tag, bool wait, bool take, bool *found_p,
                 struct mend_message **message_p, MPI_Status *status)
{
    struct query q = {.c = c, .source = source, .tag = tag, .take = take};

    if (source == MPI_PROC_NULL && !c->revoked) {
        mend_status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
        *found_p = true;
        return MPI_SUCCESS;
    }
    if (source == MPI_PROC_NULL)
        return MEND_CLASS_INVALIDATED;
    look(&q, wait);
    *found_p = q.found != NULL || q.error; /* S0-12: an error is an answer */
    if (!q.found)
        return q.error;
    mend_status_set(status, q.found->source, q.found->tag, q.found->bytes, false);
    if (take) {
        mend_match_take(q.found);
        mend_comm_get(c);
        *message_p = q.found;
    }
    return MPI_SUCCESS;
}

int mend_p2p_iprobe(struct mend_comm *c, int source, int tag, bool *found_p, MPI_Status *status)
{
    return probe(c, source, tag, false, false, found_p, NULL, status);
}

int mend_p2p_probe(struct mend_comm *c, int source, int tag, MPI_Status *status)
{
    bool found;

    return probe(c, source, tag, true, false, &found, NULL, status);
}

int mend_p2p_improbe(struct mend_comm *c, int source, int tag, bool *found_p,
                     struct mend_message **message_p, MPI_Status *status)
{
    return probe(c, source, tag, false, true, found_p, message_p, status);
}

int mend_p2p_mprobe(struct mend_comm *c, int source, int tag, struct mend_message **message_p,
                    MPI_Status *status)
{
    bool found;

    return probe(c, source, tag, true, true, &found, message_p, status);
}

struct mend_comm *mend_message_comm(const struct mend_message *m)
{
    return m->comm;
}

bool mend_message_check(const struct mend_message *m)
{
    return m && mend_handle_mark(&m->magic) == MEND_MESSAGE_MAGIC &&
           !mend_list_linked(&m->by_source);
}

/* The receive of a taken message.  Its sender may have died since (S0-14), or the communicator may
 * have been revoked. */
int mend_p2p_imrecv(struct mend_p2p_request *r, struct mend_message *m, void *buf, MPI_Count count,
                    const struct mend_type *t)
{
    struct mend_comm *c = m->comm;

    mend_p2p_recv_init(r, c, buf, count, t, m->source, m->tag);
    r->base.persistent = false;
    mend_request_begin(&r->base);
    r->peer = m->peer;
    if (c->revoked) {
        mend_message_free(c->self, m);
        mend_request_complete(&r->base, MEND_CLASS_INVALIDATED);
    } else {
        if (m->kind == MEND_FRAME_RTS && !m->local_sender && mend_peer_is_dead(c->self, m->peer))
            m->broken = true;
        mend_recv_meet(r, m);
    }
    mend_comm_put(c); /* the message's */
    return MPI_SUCCESS;
}

int mend_p2p_mrecv(struct mend_message *m, void *buf, MPI_Count count, const struct mend_type *t,
                   MPI_Status *status)
{
    struct mend_p2p_request r;
    struct mend_proc *self = m->comm->self;

    r.embedded = true;
    mend_comm_get(m->comm);
    mend_p2p_imrecv(&r, m, buf, count, t);
    mend_wait(self, &r.base);
    mend_request_status(&r.base, status);
    mend_comm_put(r.base.comm);
    return r.base.error;
}
