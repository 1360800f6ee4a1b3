/* SPDX-License-Identifier: BSD-3-Clause */
/* way.c – the ways of a window's puts and gets, by target. */
#include "rma/way.h"

#include "rma/direct.h"
#include "rma/link.h"

#include <string.h>

/* NULL: no memory. */
static struct mend_rma_ways *ways_of(struct mend_win *w, int target)
{
    if (!w->ways)
        w->ways = mend_zalloc(w->self, (size_t)w->n, sizeof(struct mend_rma_ways *));
    if (w->ways && !w->ways[target]) {
        w->ways[target] = mend_zalloc(w->self, 1, sizeof(struct mend_rma_ways));
        if (w->ways[target])
            mend_rma_ways_init(w->ways[target]);
    }
    return w->ways ? w->ways[target] : NULL;
}

void mend_rma_way_drop(struct mend_win *w)
{
    for (int r = 0; w->ways && r < w->n; r++)
        mend_free(w->self, w->ways[r]);
    mend_free(w->self, w->ways);
    w->ways = NULL;
}

static enum mend_rma_way choose(struct mend_win *w, int target, bool put, size_t len)
{
    struct mend_rma_ways *k = NULL;
    enum mend_rma_way way;

    if (!w->self->oversubscribed && mend_rma_way_is_measured(len))
        k = ways_of(w, target);
    if (!k)
        return mend_rma_way_fixed(put, len);
    if (mend_unlikely(k->copies_until)) {
        if (mend_rma_target_computes(k, mend_proc_now(w->self)))
            return MEND_RMA_BY_COPY;
        k->copies_until = 0;
    }
    w->trial.target = target;
    way = mend_rma_trial_begin(k, &w->trial, put, len, mend_rma_link_is_idle(w, target));
    if (w->trial.choice)
        w->trial.since = mend_proc_now(w->self);
    return way;
}

bool mend_rma_way_copies(struct mend_win *w, const struct mend_rma_op *op)
{
    size_t len = (size_t)(op->there.count * op->there.type->size);
    const char *how = w->self->params.single_copy;

    w->trial.choice = NULL;
    if (!mend_direct_may_copy(w, op) || (how && !strcmp(how, "never")))
        return false;
    if (how && !strcmp(how, "always"))
        return true;
    return choose(w, op->target, op->kind == MEND_RMA_PUT, len) == MEND_RMA_BY_COPY;
}

void mend_rma_way_executed(struct mend_win *w, int target)
{
    if (w->trial.choice && (target < 0 || target == w->trial.target))
        mend_rma_trial_end(&w->trial, mend_proc_now(w->self));
}
