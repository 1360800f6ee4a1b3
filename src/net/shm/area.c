/* SPDX-License-Identifier: BSD-3-Clause */
/* area.c – blocks in turn, and stores past the caches. */
#include "net/shm/area.h"

#include "base/copy.h"
#include "net/net.h"
#include "node/node.h"

#include <string.h>

#define GROW_PART 64u /* of what is sent */
#define LOOKS     8   /* blocks in a row that may be in use, by slower receivers */

static bool is_free(const struct mend_area *a, uint32_t k)
{
    /* acquire: pairs with the release in publish_head(): the receiver has read what is overwritten */
    return !a->block[k].consumed ||
           (int32_t)(mend_load_acquire(a->block[k].consumed) - a->block[k].slot) > 0;
}

static bool are_free(const struct mend_area *a, uint32_t first, uint32_t n)
{
    for (uint32_t k = first; k < first + n; k++)
        if (!is_free(a, k))
            return false;
    return true;
}

static bool add_block(struct mend_proc *self, struct mend_area *a)
{
    const char *block = a->base + a->ready_n * MEND_AREA_BLOCK;

    if (!mend_node_touch(self, block, MEND_AREA_BLOCK))
        return false;
    mend_node_map_pages(block, MEND_AREA_BLOCK);
    a->ready_n++;
    return true;
}

void mend_area_grow(struct mend_proc *self, struct mend_area *a, uint64_t bytes)
{
    if (a->ready_n == MEND_AREA_BLOCKS)
        return;
    if (!a->base)
        a->base = mend_node_area_of(self->node->header, mend_peer_place(self, self->me));
    a->due += bytes / GROW_PART;
    while (a->due >= MEND_AREA_BLOCK && a->ready_n < MEND_AREA_BLOCKS && add_block(self, a))
        a->due -= MEND_AREA_BLOCK;
    a->due %= MEND_AREA_BLOCK;
}

unsigned mend_area_lays(const struct mend_area *a)
{
    unsigned lays = 1u << MEND_LAY_RING;

    if (a->ready_n >= MEND_AREA_FEW)
        lays |= 1u << MEND_LAY_AREA;
#ifdef __SSE2__
    if (a->ready_n >= MEND_AREA_PAST)
        lays |= 1u << MEND_LAY_PAST_CACHES;
#endif
    return lays;
}

uint32_t mend_area_take(struct mend_area *a, uint32_t len, const mend_atomic_u32 *consumed,
                        uint32_t slot)
{
    uint32_t blocks_n = a->ready_n;
    uint32_t n = len <= MEND_AREA_BLOCK ? 1 : (len + MEND_AREA_BLOCK - 1) / MEND_AREA_BLOCK;

    for (uint32_t i = 0; i < LOOKS && n <= blocks_n; i++) {
        uint32_t first = a->next <= blocks_n - n ? a->next : 0;

        a->next = first + 1;
        if (!are_free(a, first, n))
            continue;
        a->next = first + n;
        a->first = !a->block[first].consumed;
        for (uint32_t k = first; k < a->next; k++) {
            a->block[k].consumed = consumed;
            a->block[k].slot = slot;
        }
        return first * MEND_AREA_BLOCK;
    }
    return UINT32_MAX;
}

void mend_area_forget(struct mend_area *a, const mend_atomic_u32 *consumed)
{
    for (uint32_t k = 0; k < MEND_AREA_BLOCKS; k++)
        if (a->block[k].consumed == consumed)
            a->block[k].consumed = NULL;
}

void mend_area_copy(void *to, const void *from, size_t n, bool past_caches)
{
    if (past_caches)
        mend_copy_past_caches(to, from, n);
    else
        memcpy(to, from, n);
}
