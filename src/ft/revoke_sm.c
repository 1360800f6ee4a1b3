/* SPDX-License-Identifier: BSD-3-Clause */
/* revoke_sm.c – the rules of revocation; see revoke_sm.h. */
#include "ft/revoke_sm.h"

#include <string.h>

#define LINK_NONE INT16_MAX

size_t mend_revoke_size(int32_t n)
{
    return sizeof(struct mend_revoke) + mend_bits_words(n) * sizeof(uint64_t);
}

void mend_revoke_init(struct mend_revoke *x, int32_t n, int32_t me)
{
    MEND_ASSERT(0 <= me && me < n);
    memset(x, 0, mend_revoke_size(n));
    x->n = n;
    x->me = me;
    x->from = x->lost = -1;
    x->link = LINK_NONE;
}

/* The only writer of the state: there is no way back. */
static void become(struct mend_revoke *x, enum mend_revoke_state to)
{
    MEND_ASSERT(x->state == MEND_REVOKE_IDLE && to == MEND_REVOKE_REVOKED);
    x->state = (uint8_t)to;
}

static void on_revoked(struct mend_revoke *x, int32_t from, struct mend_revoke_out *out)
{
    if (x->state == MEND_REVOKE_REVOKED || (from >= 0 && mend_bits_test(x->dead, from)))
        return;
    become(x, MEND_REVOKE_REVOKED);
    x->from = from;
    x->link = 0;
    out->news = true;
}

static void on_death(struct mend_revoke *x, int32_t r)
{
    if (r == x->me)
        x->excluded = true;
    if (r == x->me || mend_bits_test(x->dead, r))
        return;
    mend_bits_set(x->dead, r);
    if (x->state == MEND_REVOKE_IDLE || mend_links_find(x->n, x->me, x->dead, r, r) < 0)
        return;
    x->lost = r;
    x->link = 0;
}

void mend_revoke_step(struct mend_revoke *x, const struct mend_revoke_event *ev,
                      struct mend_revoke_out *out)
{
    MEND_ASSERT(x->link == LINK_NONE);
    out->news = false;
    if (x->excluded)
        return;
    switch (ev->kind) {
    case MEND_REVOKE_LOCAL:
        on_revoked(x, -1, out);
        break;
    case MEND_REVOKE_RECV:
        MEND_ASSERT(0 <= ev->rank && ev->rank < x->n);
        on_revoked(x, ev->rank, out);
        break;
    case MEND_REVOKE_DEATH:
        MEND_ASSERT(0 <= ev->rank && ev->rank < x->n);
        on_death(x, ev->rank);
        break;
    }
}

/* True if link l leads to somebody who has to be told now: not by an earlier link, not by a link
 * that existed before `lost` died, and not the one we heard it from. */
static bool due(const struct mend_revoke *x, int l, int32_t to)
{
    if (to < 0 || to == x->from || mend_links_find(x->n, x->me, x->dead, -1, to) != l)
        return false;
    return x->lost < 0 || mend_links_find(x->n, x->me, x->dead, x->lost, to) < 0;
}

bool mend_revoke_next(struct mend_revoke *x, int32_t *to_p)
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

void mend_revoke_check(const struct mend_revoke *x)
{
    MEND_ASSERT(!mend_bits_test(x->dead, x->me));
    MEND_ASSERT(!mend_bits_overflow(x->dead, x->n));
    MEND_ASSERT(x->state <= MEND_REVOKE_REVOKED);
    MEND_ASSERT(x->from < x->n && (x->from < 0 || x->state == MEND_REVOKE_REVOKED));
    MEND_ASSERT(x->link == LINK_NONE || x->state == MEND_REVOKE_REVOKED);
}
