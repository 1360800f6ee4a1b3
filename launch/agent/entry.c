/* SPDX-License-Identifier: BSD-3-Clause */
/* entry.c – what an entry of the log of facts means on this node.
 *
 *   DEATHS, LOST   the processes are dead, published together, and the first node drops their names; LOST: their papers are gone, and
 *                  the first node tells the root what their own agent cannot
 *   CAUSE          why they died
 *   ENDED          they have not failed, but nobody waits for them any more
 *   REVOKED        the ranks see it; the first node tells other jobs what concerns several
 *   ABORT          those of this node end; the first node tells other jobs of their processes
 *
 * What the log alone has to do with an entry is in facts.c. */
#include "agent/entry.h"

#include "agent/control.h"
#include "agent/links.h"
#include "agent/names.h"
#include "agent/papers.h"
#include "agent/revoked.h"
#include "agent/tell.h"
#include "agent/verdict.h"
#include "ft/log_sm.h"

#include <stdlib.h>

/* One verdict for each process that it names; the caller frees them. */
static struct mend_verdict *verdicts_of(const struct mend_fact *entry, uint32_t *n_p)
{
    const struct mend_fact_run *runs = mend_fact_runs(entry);
    struct mend_verdict *v;
    uint32_t n = 0;

    for (uint32_t i = 0; i < entry->runs_n; i++)
        n += (uint32_t)runs[i].n;
    v = mend_xalloc(n, sizeof(*v));
    n = 0;
    for (uint32_t i = 0; i < entry->runs_n; i++)
        for (int32_t k = runs[i].first; k < runs[i].first + runs[i].n; k++)
            v[n++] = (struct mend_verdict){.peer = k, .cause = runs[i].cause, .code = runs[i].code};
    *n_p = n;
    return v;
}

static void apply_ends(struct mend_verdicts *verdicts, const struct mend_verdict *v, uint32_t n)
{
    struct rank **ended = mend_xalloc(n, sizeof(struct rank *));

    for (uint32_t i = 0; i < n; i++)
        ended[i] = &verdicts->ranks->rank[v[i].peer];
    mend_verdict_left(verdicts, ended, (int)n);
    free(ended);
}

static void apply_causes(struct mend_verdicts *verdicts, struct mend_links *links,
                         const struct mend_verdict *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (mend_verdict_explain(verdicts, &v[i]))
            mend_links_explain(links, v[i].peer);
}

/* By the agents of their jobs. */
static void end_guests(struct mend_links *links, const int32_t *named, int32_t n,
                       struct mend_abort what)
{
    uint32_t words = (uint32_t)mend_bits_words(MEND_NODE_NAMES);
    uint64_t *set = mend_xalloc(words, sizeof(*set));

    for (int32_t i = 0; i < n; i++)
        mend_bits_set(set, named[i]);
    mend_links_abort(links, -1, set, words, what);
    free(set);
}

static bool is_first_node(const struct mend_entry_target *on)
{
    return !on->verdicts->ranks->nodes.me;
}

static void apply_abort(const struct mend_entry_target *on, const struct mend_verdict *v,
                        uint32_t n)
{
    int32_t *named = mend_xalloc(n, sizeof(*named));
    struct mend_abort what = {0};

    for (uint32_t i = 0; i < n; i++) {
        what = (struct mend_abort){v[i].code, v[i].cause == MEND_VERDICT_UNKNOWN};
        named[i] = v[i].peer;
    }
    if (n)
        mend_control_end(on->verdicts, on->course, named, (int32_t)n, what);
    if (is_first_node(on))
        end_guests(on->links, named, (int32_t)n, what);
    free(named);
}

static void apply_revoked(const struct mend_entry_target *on, uint64_t ctx)
{
    mend_revoked_add(on->revoked, ctx);
    if (is_first_node(on) && ctx & MEND_ABROAD_CTX)
        mend_links_revoke_all(on->links, ctx);
}

void mend_entry_apply(const struct mend_entry_target *on, const struct mend_fact *entry)
{
    uint32_t n;
    struct mend_verdict *v = verdicts_of(entry, &n);

    switch ((enum mend_fact_kind)entry->kind) {
    case MEND_FACT_DEATHS:
    case MEND_FACT_LOST:
        if (n)
            mend_verdict_apply(on->verdicts, v, n);
        if (is_first_node(on))
            mend_names_died(on->names, v, n);
        if (entry->kind == MEND_FACT_LOST && is_first_node(on))
            mend_tell_lost(on->tell, on->verdicts, v, n);
        if (entry->kind == MEND_FACT_LOST)
            mend_papers_lost(on->papers, entry->agent);
        break;
    case MEND_FACT_CAUSE:
        apply_causes(on->verdicts, on->links, v, n);
        break;
    case MEND_FACT_ENDED:
        apply_ends(on->verdicts, v, n);
        break;
    case MEND_FACT_REVOKED:
        apply_revoked(on, entry->context);
        break;
    case MEND_FACT_ABORT:
        apply_abort(on, v, n);
        break;
    default:
        break;
    }
    free(v);
}
