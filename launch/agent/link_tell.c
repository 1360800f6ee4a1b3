/* SPDX-License-Identifier: BSD-3-Clause */
/* link_tell.c – what the agents of several connected jobs are told at once: aborts and revocations. */
#include "agent/link.h"

#include <stdlib.h>
#include <string.h>

void mend_links_abort(struct mend_links *links, int by, const uint64_t *set, uint32_t words,
                      struct mend_abort what)
{
    struct mend_ranks *ranks = links->with.ranks;
    int32_t *names = mend_xalloc((size_t)ranks->n, sizeof(*names));

    mend_list_foreach (l, next, &links->all) {
        struct mend_link *x = mend_list_entry(l, struct mend_link, link);
        struct mend_link_msg m = {
            .kind = MEND_LINK_ABORT, .code = what.code, .follows = what.follows, .from = by};

        for (int i = 0; i < ranks->n && (uint32_t)i / 64 < words; i++)
            if (ranks->rank[i].guest_of == x && mend_bits_test(set, i) && m.n < MEND_LINK_BODY_MAX)
                names[m.n++] = mend_guest_there(x, i);
        if (m.n && mend_link_is_open(links, x))
            mend_link_send(links, x, &m, names, m.n);
    }
    free(names);
}

static bool is_one_of(uint64_t job, const uint64_t *jobs, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (jobs[i] == job)
            return true;
    return false;
}

void mend_links_revoke(struct mend_links *links, uint64_t ctx, const uint64_t *jobs, uint32_t n)
{
    struct mend_link_msg m = {.kind = MEND_LINK_REVOKED, .n = 1 + n};
    uint64_t *words = mend_xalloc(m.n, sizeof(*words));

    words[0] = ctx;
    memcpy(words + 1, jobs, n * sizeof(*words));
    mend_list_foreach (l, next, &links->all) {
        struct mend_link *x = mend_list_entry(l, struct mend_link, link);

        if (mend_link_is_open(links, x) && is_one_of(x->other, jobs, n))
            mend_link_send(links, x, &m, words, (size_t)m.n * 2);
    }
    free(words);
}

void mend_links_revoke_all(struct mend_links *links, uint64_t ctx)
{
    uint64_t *jobs;
    uint32_t n = 0;

    mend_list_foreach (l, next, &links->all)
        n++;
    jobs = mend_xalloc(n + 1, sizeof(*jobs));
    n = 0;
    mend_list_foreach (l, next, &links->all)
        jobs[n++] = mend_list_entry(l, struct mend_link, link)->other;
    mend_links_revoke(links, ctx, jobs, n);
    free(jobs);
}
