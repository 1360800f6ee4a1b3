/* SPDX-License-Identifier: BSD-3-Clause */
/* hash.h – 64-bit key to pointer, open addressing, grown at 3/4 load.  O(1) expected per call. */
#ifndef MEND_BASE_HASH_H
#define MEND_BASE_HASH_H

#include "base/arena.h"

struct mend_hash_slot {
    uint64_t key;
    void *value; /* NULL: empty */
};

struct mend_hash {
    struct mend_arena *arena;
    struct mend_hash_slot *slots;
    uint32_t mask; /* slots - 1; 0 before the first insertion */
    uint32_t used;
};

static inline uint64_t mend_hash_mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    return x;
}

void mend_hash_init(struct mend_hash *h, struct mend_arena *arena);
void mend_hash_fini(struct mend_hash *h);

/* The value of the key, or NULL. */
void *mend_hash_get(const struct mend_hash *h, uint64_t key);

/* Sets the key's value (not NULL).  MEND_ERR_MEM leaves the table as it was. */
enum mend_status mend_hash_put(struct mend_hash *h, uint64_t key, void *value);

/* Removes the key and returns its value, NULL if it was not there. */
void *mend_hash_remove(struct mend_hash *h, uint64_t key);

/* Walks all entries: start with *pos = 0; false at the end.  Do not change the table inside. */
bool mend_hash_next(const struct mend_hash *h, uint32_t *pos, uint64_t *key_p, void **value_p);

#endif
