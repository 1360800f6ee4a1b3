/* SPDX-License-Identifier: BSD-3-Clause */
/* tally.c – see tally.h. */
#include "agent/tally.h"

#include "rt/wire.h"

void mend_tally_ask(const struct mend_post *root, const struct rank *r, const struct mend_ctl *m)
{
    struct mend_message up = {.kind = MEND_UP_TALLY,
                              .rank = r->index,
                              .arg = {[MEND_TALLY_ARG_OF] = (int64_t)m->tally.of,
                                      [MEND_TALLY_ARG_HOW] = (int64_t)m->tally.how,
                                      [MEND_TALLY_ARG_VALUE] = m->tally.value,
                                      [MEND_TALLY_ARG_QUESTION] = (int64_t)m->tally.question}};

    mend_post(root, &up);
}

void mend_tally_answer(struct mend_ranks *ranks, const struct mend_message *m)
{
    struct rank *r = m->rank >= 0 && m->rank < ranks->n ? &ranks->rank[m->rank] : NULL;

    if (!r || !mend_rank_is_ours(r) || mend_rank_is_dead(ranks, r->index))
        return;
    mend_store_relaxed(&r->shared->tally_was, (uint64_t)m->arg[1]);
    /* release: pairs with the acquire in local_tallied() (rt/local.c) */
    mend_store_release(&r->shared->tallied_n, (uint64_t)m->arg[0]);
    mend_rank_call(ranks, r);
}
