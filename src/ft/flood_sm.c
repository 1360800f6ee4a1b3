/* SPDX-License-Identifier: BSD-3-Clause */
/* flood_sm.c – the rules of the flood; see flood_sm.h. */
#include "ft/flood_sm.h"

#include <string.h>

#define LINK_NONE INT16_MAX

size_t mend_flood_size(int32_t n)
{
    return sizeof(struct mend_flood) + mend_bits_words(n) * sizeof(uint64_t);
}

void mend_flood_init(struct mend_flood *x, int32_t n, int32_t me)
{
    MEND_ASSERT(0 <= me && me < n);
    memset(x, 0, mend_flood_size(n));
    x->n = n;
    x->me = me;
    x->from = x->lost = -1;
    x->link = LINK_NONE;
}

/* The only writer of the state, which never goes back. */
static void become(struct mend_flood *x, enum mend_flood_state to)
{
    MEND_ASSERT(x->state == MEND_FLOOD_IDLE && to == MEND_FLOOD_REVOKED);
    x->state = (uint8_t)to;
}

static void on_revoked(struct mend_flood *x, int32_t from, struct mend_flood_out *out)
{
    if (x->state == MEND_FLOOD_REVOKED || (from >= 0 && mend_bits_test(x->dead, from)))
        return;
    become(x, MEND_FLOOD_REVOKED);
    x->from = from;
    x->link = 0;
    out->news = true;
}

static void on_death(struct mend_flood *x, int32_t r)
{
    if (r == x->me)
        x->excluded = true;
    if (r == x->me || mend_bits_test(x->dead, r))
        return;
    mend_bits_set(x->dead, r);
    if (x->state == MEND_FLOOD_IDLE || mend_links_find(x->n, x->me, x->dead, r, r) < 0)
        return;
    x->lost = r;
    x->link = 0;
}

void mend_flood_step(struct mend_flood *x, const struct mend_flood_event *ev,
                     struct mend_flood_out *out)
{
    MEND_ASSERT(x->link == LINK_NONE);
    out->news = false;
    if (x->excluded)
        return;
    switch (ev->kind) {
    case MEND_FLOOD_LOCAL:
        on_revoked(x, -1, out);
        break;
    case MEND_FLOOD_RECV:
        MEND_ASSERT(0 <= ev->rank && ev->rank < x->n);
        on_revoked(x, ev->rank, out);
        break;
    case MEND_FLOOD_DEATH:
        MEND_ASSERT(0 <= ev->rank && ev->rank < x->n);
        on_death(x, ev->rank);
        break;
    }
}

/* True if link l leads to a process that must be told now: not one of an earlier link, not one of a link
 * that existed before `lost` died, and not the one that told us. */
static bool due(const struct mend_flood *x, int l, int32_t to)
{
    if (to < 0 || to == x->from || mend_links_find(x->n, x->me, x->dead, -1, to) != l)
        return false;
    return x->lost < 0 || mend_links_find(x->n, x->me, x->dead, x->lost, to) < 0;
}

bool mend_flood_next(struct mend_flood *x, int32_t *to_p)
{
    while (x->link < mend_links_count(x->n)) {
        int l = x->link++;
        int32_t to = mend_links_target(x->n, x->me, x->dead, -1, l);

        if (due(x, l, to)) {
            *to_p = to;
            return true;
        }
    }
    x->link = LINK_NONE;
    x->lost = -1;
    return false;
}

void mend_flood_check(const struct mend_flood *x)
{
    MEND_ASSERT(!mend_bits_test(x->dead, x->me));
    MEND_ASSERT(!mend_bits_overflow(x->dead, x->n));
    MEND_ASSERT(x->state <= MEND_FLOOD_REVOKED);
    MEND_ASSERT(x->from < x->n && (x->from < 0 || x->state == MEND_FLOOD_REVOKED));
    MEND_ASSERT(x->link == LINK_NONE || x->state == MEND_FLOOD_REVOKED);
}
