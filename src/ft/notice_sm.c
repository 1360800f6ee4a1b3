/* SPDX-License-Identifier: BSD-3-Clause */
/* notice_sm.c – the rules of spreading verdicts; see notice_sm.h. */
#include "ft/notice_sm.h"

#include <string.h>

#define LINK_NONE INT16_MAX

static size_t known_words(const struct mend_notice *x)
{
    return mend_bits_words(x->nranks + x->nagents);
}

static uint64_t *dead(const struct mend_notice *x)
{
    return (uint64_t *)x->store;
}

static uint64_t *known(const struct mend_notice *x)
{
    return dead(x) + mend_bits_words(x->nagents);
}

static struct mend_verdict *record(const struct mend_notice *x, int32_t number)
{
    return (struct mend_verdict *)(void *)(known(x) + known_words(x)) + number;
}

size_t mend_notice_size(int32_t nranks, int32_t nagents)
{
    size_t words = mend_bits_words(nagents) + mend_bits_words(nranks + nagents);

    return sizeof(struct mend_notice) + words * sizeof(uint64_t) +
           (size_t)(nranks + nagents) * sizeof(struct mend_verdict);
}

void mend_notice_init(struct mend_notice *x, int32_t nranks, int32_t nagents, int32_t me)
{
    MEND_ASSERT(0 <= me && me < nagents && nranks >= 0);
    memset(x, 0, mend_notice_size(nranks, nagents));
    x->nranks = nranks;
    x->nagents = nagents;
    x->me = me;
    x->fresh = x->from = x->lost = -1;
    x->link = LINK_NONE;
}

/* The only writer of "known", which is never reset. */
static void become(struct mend_notice *x, const struct mend_verdict *v)
{
    MEND_ASSERT(!mend_bits_test(known(x), v->peer));
    mend_bits_set(known(x), v->peer);
    *record(x, v->peer) = *v;
}

static void learn(struct mend_notice *x, const struct mend_verdict *v, int32_t from,
                  struct mend_notice_out *out)
{
    int32_t agent = v->peer - x->nranks;

    if (agent == x->me) {
        x->excluded = out->excluded = true;
        return;
    }
    if (mend_bits_test(known(x), v->peer))
        return;
    become(x, v);
    x->fresh = v->peer;
    x->from = from;
    x->link = 0;
    out->news = true;
    out->verdict = *v;
    if (agent < 0)
        return;
    mend_bits_set(dead(x), agent);
    x->lost = agent;
    x->backlog = 0;
}

void mend_notice_step(struct mend_notice *x, const struct mend_notice_event *ev,
                      struct mend_notice_out *out)
{
    MEND_ASSERT(x->link == LINK_NONE);
    memset(out, 0, sizeof *out);
    if (x->excluded)
        return;
    MEND_ASSERT(0 <= ev->verdict.peer && ev->verdict.peer < x->nranks + x->nagents);
    if (ev->kind == MEND_NOTICE_LOCAL) {
        learn(x, &ev->verdict, -1, out);
        return;
    }
    MEND_ASSERT(0 <= ev->from && ev->from < x->nagents && ev->from != x->me);
    if (!mend_bits_test(dead(x), ev->from))
        learn(x, &ev->verdict, ev->from, out);
}

/* The surviving agent that link l leads to, if an earlier link does not lead there too. */
static int32_t neighbour(const struct mend_notice *x, int l)
{
    int32_t to = mend_links_target(x->nagents, x->me, dead(x), -1, l);

    return to >= 0 && mend_links_find(x->nagents, x->me, dead(x), -1, to) == l ? to : -1;
}

/* Next verdict for a neighbour that I have only because `lost` is dead; false: it has them all. */
static bool next_backlog(struct mend_notice *x, int32_t to, struct mend_verdict *verdict_p)
{
    if (x->lost < 0 || mend_links_find(x->nagents, x->me, dead(x), x->lost, to) >= 0)
        return false;
    while (x->backlog < x->nranks + x->nagents) {
        int32_t number = x->backlog++;

        if (number != x->fresh && mend_bits_test(known(x), number)) {
            *verdict_p = *record(x, number);
            return true;
        }
    }
    return false;
}

bool mend_notice_next(struct mend_notice *x, int32_t *to_p, struct mend_verdict *verdict_p)
{
    while (x->link < mend_links_count(x->nagents)) {
        *to_p = neighbour(x, x->link);
        if (*to_p >= 0 && next_backlog(x, *to_p, verdict_p))
            return true;
        x->link++;
        x->backlog = 0;
        if (*to_p >= 0 && *to_p != x->from) {
            *verdict_p = *record(x, x->fresh);
            return true;
        }
    }
    x->link = LINK_NONE;
    x->fresh = x->from = x->lost = -1;
    return false;
}

bool mend_notice_known(const struct mend_notice *x, int32_t number, struct mend_verdict *verdict_p)
{
    if (number < 0 || number >= x->nranks + x->nagents || !mend_bits_test(known(x), number))
        return false;
    *verdict_p = *record(x, number);
    return true;
}

void mend_notice_check(const struct mend_notice *x)
{
    for (int32_t a = 0; a < x->nagents; a++)
        MEND_ASSERT(mend_bits_test(dead(x), a) == mend_bits_test(known(x), x->nranks + a));
    for (int32_t v = 0; v < x->nranks + x->nagents; v++)
        MEND_ASSERT(!mend_bits_test(known(x), v) || record(x, v)->peer == v);
    MEND_ASSERT(!mend_bits_test(dead(x), x->me));
}
