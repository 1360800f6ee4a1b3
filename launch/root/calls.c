/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.c – the collective calls that ranks wait in, compared.
 *
 * Each rank says: I am in the nth call on the communicator ctx, it is MPI_X, and I wait for these.  The calls on a
 * communicator are numbered alike at all its members, so those with one number belong together:
 *
 *     different names                      the calls do not match
 *     a rank is waited for and not there   it has not entered the call
 *
 * The second follows because a rank that has left a call has contributed everything that others need of it. */
#include "root/root.h"

#include "base/ranks.h"
#include "ft/bits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_call(const void *a, const void *b)
{
    const struct mend_root_call *x = a, *y = b;

    if (x->call.ctx != y->call.ctx)
        return x->call.ctx < y->call.ctx ? -1 : 1;
    if (x->call.nth != y->call.nth)
        return x->call.nth < y->call.nth ? -1 : 1;
    return strcmp(x->call.name, y->call.name);
}

static bool together(const struct mend_root_call *a, const struct mend_root_call *b)
{
    return a->call.ctx == b->call.ctx && a->call.nth == b->call.nth;
}

/* The end of those that are in the same call by its name, too; their ranks in words. */
static const struct mend_root_call *same_name(const struct mend_root_call *e,
                                              const struct mend_root_call *end, int ranks_n,
                                              char *text, size_t max)
{
    uint64_t set[MEND_CTL_RANKS_MAX / 64] = {0};
    const char *name = e->call.name;

    for (; e < end && !strcmp(e->call.name, name); e++)
        mend_bits_set(set, e->rank);
    mend_ranks_text(set, ranks_n, text, max);
    return e;
}

static void say_mismatch(struct root *root, const struct mend_root_call *first,
                         const struct mend_root_call *end)
{
    char line[1024] = "", ranks[128];
    size_t at = 0;

    for (const struct mend_root_call *e = first, *next; e < end && at < sizeof(line); e = next) {
        next = same_name(e, end, root->n, ranks, sizeof(ranks));
        at += (size_t)snprintf(line + at, sizeof(line) - at, "%s%s in %s", e == first ? "" : ", ",
                               ranks, e->call.name);
    }
    mend_root_say(root, "mend: collective calls on %s do not match: %s", first->call.comm, line);
}

static void say_absent(struct root *root, const struct mend_root_call *first,
                       const struct mend_root_call *end)
{
    uint64_t absent[MEND_NODE_PEERS_WORDS] = {0};
    char ranks[128];
    int n;

    for (const struct mend_root_call *e = first; e < end; e++)
        for (unsigned w = 0; w < MEND_NODE_PEERS_WORDS; w++)
            absent[w] |= e->call.peers[w];
    for (const struct mend_root_call *e = first; e < end; e++)
        if (e->rank < (int)MEND_NODE_PEERS_WORDS * 64)
            absent[e->rank / 64] &= ~(UINT64_C(1) << e->rank % 64);
    n = root->n < (int)MEND_NODE_PEERS_WORDS * 64 ? root->n : (int)MEND_NODE_PEERS_WORDS * 64;
    n = mend_ranks_text(absent, n, ranks, sizeof(ranks));
    if (n)
        mend_root_say(root, "mend: %s on %s: %s %s not entered it", first->call.name,
                      first->call.comm, ranks, n == 1 ? "has" : "have");
}

void mend_root_compare_calls(struct root *root, struct mend_root_call *all, int n)
{
    const struct mend_root_call *end = all + n, *next;

    if (n)
        qsort(all, (size_t)n, sizeof(*all), by_call);
    for (const struct mend_root_call *e = all; e < end; e = next) {
        for (next = e + 1; next < end && together(e, next);)
            next++;
        if (strcmp(e->call.name, next[-1].call.name) != 0)
            say_mismatch(root, e, next);
        else
            say_absent(root, e, next);
    }
}
