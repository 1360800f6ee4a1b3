/* SPDX-License-Identifier: BSD-3-Clause */
/* hash.c – linear probing; removal moves later entries of the run back, so no tombstones. */
#include "base/hash.h"

#include <string.h>

void mend_hash_init(struct mend_hash *h, struct mend_arena *arena)
{
    *h = (struct mend_hash){.arena = arena};
}

void mend_hash_fini(struct mend_hash *h)
{
    mend_arena_free(h->arena, h->slots);
    mend_hash_init(h, h->arena);
}

/* Index of the key's slot, or of the empty slot where it would go. */
static uint32_t find(const struct mend_hash *h, uint64_t key)
{
    uint32_t i = (uint32_t)mend_hash_mix(key) & h->mask;

    while (h->slots[i].value && h->slots[i].key != key)
        i = (i + 1) & h->mask;
    return i;
}

void *mend_hash_get(const struct mend_hash *h, uint64_t key)
{
    return h->slots ? h->slots[find(h, key)].value : NULL;
}

static enum mend_status grow(struct mend_hash *h)
{
    uint32_t n = h->slots ? (h->mask + 1) * 2 : 16, old_n = h->slots ? h->mask + 1 : 0;
    struct mend_hash_slot *old = h->slots, *slots = mend_arena_alloc(h->arena, n * sizeof(*slots));

    if (!slots)
        return MEND_ERR_MEM;
    memset(slots, 0, n * sizeof(*slots));
    h->slots = slots;
    h->mask = n - 1;
    for (uint32_t i = 0; i < old_n; i++)
        if (old[i].value)
            h->slots[find(h, old[i].key)] = old[i];
    mend_arena_free(h->arena, old);
    return MEND_OK;
}

enum mend_status mend_hash_put(struct mend_hash *h, uint64_t key, void *value)
{
    uint32_t i;

    MEND_ASSERT(value);
    if ((!h->slots || (h->used + 1) * 4 > (h->mask + 1) * 3) && grow(h) != MEND_OK)
        return MEND_ERR_MEM;
    i = find(h, key);
    h->used += !h->slots[i].value;
    h->slots[i] = (struct mend_hash_slot){key, value};
    return MEND_OK;
}

void *mend_hash_remove(struct mend_hash *h, uint64_t key)
{
    uint32_t i, j;
    void *value;

    if (!h->slots)
        return NULL;
    i = find(h, key);
    value = h->slots[i].value;
    if (!value)
        return NULL;
    for (j = (i + 1) & h->mask; h->slots[j].value; j = (j + 1) & h->mask) {
        uint32_t home = (uint32_t)mend_hash_mix(h->slots[j].key) & h->mask;

        if (((j - home) & h->mask) >= ((j - i) & h->mask)) {
            h->slots[i] = h->slots[j];
            i = j;
        }
    }
    h->slots[i].value = NULL;
    h->used--;
    return value;
}

bool mend_hash_next(const struct mend_hash *h, uint32_t *pos, uint64_t *key_p, void **value_p)
{
    for (; h->slots && *pos <= h->mask; ++*pos)
        if (h->slots[*pos].value) {
            *key_p = h->slots[*pos].key;
            *value_p = h->slots[(*pos)++].value;
            return true;
        }
    return false;
}
