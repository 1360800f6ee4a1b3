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
#include "agent/agent.h"

#include "agent/tell.h"

#include "base/ranks.h"
#include "ft/bits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    int rank;
    struct mend_node_call call; /* a copy: the rank may write again */
};

static int by_call(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->call.ctx != y->call.ctx)
        return x->call.ctx < y->call.ctx ? -1 : 1;
    if (x->call.nth != y->call.nth)
        return x->call.nth < y->call.nth ? -1 : 1;
    return strcmp(x->call.name, y->call.name);
}

static bool together(const struct entry *a, const struct entry *b)
{
    return a->call.ctx == b->call.ctx && a->call.nth == b->call.nth;
}

/* The text comes from a program that we do not trust. */
static void clean(char *text, size_t size)
{
    text[size - 1] = '\0';
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
}

/* The end of those that are in the same call by its name, too; their ranks in words. */
static const struct entry *same_name(const struct entry *e, const struct entry *end, int ranks_n,
                                     char *text, size_t max)
{
    uint64_t set[MEND_CTL_RANKS_MAX / 64] = {0};
    const char *name = e->call.name;

    for (; e < end && !strcmp(e->call.name, name); e++)
        mend_bits_set(set, e->rank);
    mend_ranks_text(set, ranks_n, text, max);
    return e;
}

static void say_mismatch(struct agent *agent, const struct entry *first, const struct entry *end)
{
    char line[1024] = "", ranks[128];
    size_t at = 0;

    for (const struct entry *e = first, *next; e < end && at < sizeof(line); e = next) {
        next = same_name(e, end, agent->n, ranks, sizeof(ranks));
        at += (size_t)snprintf(line + at, sizeof(line) - at, "%s%s in %s", e == first ? "" : ", ",
                               ranks, e->call.name);
    }
    mend_say(agent, "mend: collective calls on %s do not match: %s", first->call.comm, line);
}

static void say_absent(struct agent *agent, const struct entry *first, const struct entry *end)
{
    uint64_t absent[MEND_NODE_PEERS_WORDS] = {0};
    char ranks[128];
    int n;

    for (const struct entry *e = first; e < end; e++)
        for (unsigned w = 0; w < MEND_NODE_PEERS_WORDS; w++)
            absent[w] |= e->call.peers[w];
    for (const struct entry *e = first; e < end; e++)
        if (e->rank < (int)MEND_NODE_PEERS_WORDS * 64)
            absent[e->rank / 64] &= ~(UINT64_C(1) << e->rank % 64);
    n = agent->n < (int)MEND_NODE_PEERS_WORDS * 64 ? agent->n : (int)MEND_NODE_PEERS_WORDS * 64;
    n = mend_ranks_text(absent, n, ranks, sizeof(ranks));
    if (n)
        mend_say(agent, "mend: %s on %s: %s %s not entered it", first->call.name, first->call.comm,
                 ranks, n == 1 ? "has" : "have");
}

static int collect(struct agent *agent, const bool *answers, struct entry *all)
{
    int n = 0;

    for (int i = 0; i < agent->n; i++) {
        struct mend_node_rank *s = agent->rank[i].shared;

        if (!answers[i] || !s->wait_call.ctx)
            continue;
        all[n] = (struct entry){i, s->wait_call};
        clean(all[n].call.name, sizeof(all[n].call.name));
        clean(all[n].call.comm, sizeof(all[n].call.comm));
        n++;
    }
    return n;
}

void mend_calls_compare(struct agent *agent, const bool *answers)
{
    struct entry *all = mend_xalloc((size_t)agent->n, sizeof(*all)), *end, *next;

    end = all + collect(agent, answers, all);
    qsort(all, (size_t)(end - all), sizeof(*all), by_call);
    for (struct entry *e = all; e < end; e = next) {
        for (next = e + 1; next < end && together(e, next);)
            next++;
        if (strcmp(e->call.name, next[-1].call.name) != 0)
            say_mismatch(agent, e, next);
        else
            say_absent(agent, e, next);
    }
    free(all);
}
