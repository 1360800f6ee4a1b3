/* SPDX-License-Identifier: BSD-3-Clause */
/* members.c – which members decide on a communicator, and which members a decision is about. */
#include "decide/internal.h"

#include "node/abroad.h"
#include "node/slots.h"
#include "proc/detour.h"
#include "proc/news.h"
#include "proc/occurrence.h"
#include "proc/report.h"
#include "rt/rt.h"

mend_peer mend_decide_peer(const struct mend_decide_comm *d, int32_t rank)
{
    return rank < d->first->size ? mend_group_peer(d->first, rank)
                                 : mend_group_peer(d->second, rank - d->first->size);
}

int32_t mend_decide_rank(struct mend_proc *self, const struct mend_decide_comm *d, mend_peer peer)
{
    int rank = mend_group_rank(self, d->first, peer);

    if (rank != MPI_UNDEFINED)
        return rank;
    rank = d->second ? mend_group_rank(self, d->second, peer) : MPI_UNDEFINED;
    return rank == MPI_UNDEFINED ? -1 : rank + d->first->size;
}

bool mend_decide_has_left(struct mend_comm *c, int32_t rank)
{
    struct mend_proc *self = c->self;
    mend_peer p = mend_decide_peer(c->decide, rank);

    if (mend_peer_is_dead(self, p))
        return mend_peer_entry(self, p)->had_left;
    return mend_is_outside_since(self, p, c->decide->done_at);
}

static int32_t name_of_first(const struct mend_comm *c, const struct mend_group *g)
{
    return mend_abroad_common(c->self, mend_group_peer(g, 0), c->spans);
}

int mend_decide_attach(struct mend_comm *c)
{
    struct mend_decide_comm *d = mend_zalloc(c->self, 1, sizeof(*d));

    if (!d)
        return MPI_ERR_NO_MEM;
    d->comm = c;
    d->first = c->group;
    if (c->inter) {
        bool low = name_of_first(c, c->group) < name_of_first(c, c->remote);

        d->first = low ? c->group : c->remote;
        d->second = low ? c->remote : c->group;
    }
    d->members_n = d->first->size + (d->second ? d->second->size : 0);
    d->me = mend_decide_rank(c->self, d, c->self->me);
    for (int i = 0; i < MEND_DECIDE_KINDS; i++) {
        mend_list_init(&d->agreements[i].waiting);
        mend_list_init(&d->agreements[i].running);
        mend_list_init(&d->agreements[i].unheard);
        d->agreements[i].begun = d->agreements[i].decided =
            mend_params_first(&c->self->params, 2 * MEND_SLOTS_N);
    }
    mend_hash_init(&d->last_words, c->self->arena);
    c->decide = d;
    if (d->members_n > 1 && !mend_decide_in_memory(c))
        mend_proc_hears_by_frames(c->self);
    return MPI_SUCCESS;
}

void mend_decide_detach(struct mend_comm *c)
{
    struct mend_proc *self = c->self;

    if (!c->decide)
        return;
    if (mend_decide_in_memory(c))
        mend_decide_memory_close(c);
    mend_decide_papers_close(c);
    for (int i = 0; i < MEND_DECIDE_KINDS; i++) {
        mend_free(self, c->decide->agreements[i].sm);
        mend_free(self, c->decide->agreements[i].out);
    }
    mend_free(self, c->decide);
    c->decide = NULL;
}

void mend_decide_refused(struct mend_comm *c, struct mend_decision *value)
{
    value->and_word[0] = 0;
    value->max_word[1] = (uint64_t)(c->revoked ? MEND_CLASS_INVALIDATED : MEND_CLASS_PROC_FAILED);
    value->failed = NULL;
    value->failed_n = 0;
}

static const char *const name_of[MEND_DECIDE_KINDS] = {"call", "creation", "validation"};

void mend_decide_report(struct mend_comm *c, enum mend_decide_kind which, int failed_n)
{
    if (!c->closing) { /* else it is about the end of c, of which the program knows nothing (linger.c) */
        c->self->agreements_n++;
        mend_occurred(c->self, .kind = MEND_OCCURRED_AGREEMENT, .comm = c, .which = which,
                      .failed_n = failed_n);
    }
    mend_record_event(c->self, agree, .ctx = c->ctx, .of = name_of[which], .failed = failed_n);
}
