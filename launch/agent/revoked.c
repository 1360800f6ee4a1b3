/* SPDX-License-Identifier: BSD-3-Clause */
/* revoked.c – see revoked.h. */
#include "agent/revoked.h"

#include "agent/facts.h"
#include "agent/links.h"
#include "agent/segment.h"
#include "agent/tell.h"
#include "node/revoked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t last_table(const struct mend_revoked *revoked)
{
    return mend_load_relaxed(&revoked->ranks->shm->told_table);
}

/* Makes the next table.  False: there is no memory for it, or it would be one too many. */
static bool grow(struct mend_revoked *revoked)
{
    uint32_t table = last_table(revoked);
    mend_atomic_u64 *words = mend_revoked_table(revoked->ranks->shm, table);

    if (table + 1 == MEND_NODE_TOLD_TABLES ||
        !mend_segment_reserve(revoked->ranks, mend_revoked_table(revoked->ranks->shm, table + 1),
                              mend_revoked_words(table + 1) * sizeof(*words)))
        return false;
    for (uint64_t i = 0; i < mend_revoked_words(table); i++) {
        uint64_t ctx = mend_load_relaxed(&words[i]);

        if (ctx)
            mend_store_relaxed(mend_revoked_word(revoked->ranks->shm, table + 1, ctx), ctx);
    }
    /* release: pairs with the acquire in mend_revoked_has() */
    mend_store_release(&revoked->ranks->shm->told_table, table + 1);
    return true;
}

/* A set that cannot grow is filled up, except for one word, at which each search ends. */
static void make_room(struct mend_revoked *revoked)
{
    uint64_t words = mend_revoked_words(last_table(revoked));

    if (revoked->n < words / 2 || grow(revoked) || revoked->n + 1 < words)
        return;
    mend_say(revoked->tell, "mpiexec: no memory for a revocation: %s", strerror(errno));
    exit(EXIT_FAILURE); /* no rank of this node goes on without it */
}

void mend_revoked_add(struct mend_revoked *revoked, uint64_t ctx)
{
    if (mend_revoked_has(revoked->ranks->shm, ctx))
        return;
    make_room(revoked);
    mend_store_relaxed(mend_revoked_word(revoked->ranks->shm, last_table(revoked), ctx), ctx);
    revoked->n++;
    mend_rank_call_all(revoked->ranks);
}

void mend_revoked_heard(struct mend_revoked *revoked, struct mend_links *links, uint64_t ctx,
                        const uint64_t *jobs, uint32_t n)
{
    if (mend_revoked_has(revoked->ranks->shm, ctx))
        return;
    if (revoked->facts) {
        mend_facts_revoke(revoked->facts, ctx);
        return;
    }
    mend_revoked_add(revoked, ctx);
    mend_links_revoke(links, ctx, jobs, n);
}
