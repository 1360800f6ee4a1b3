/* SPDX-License-Identifier: BSD-3-Clause */
/* table.c – chunks of a table, and the list of them. */
#include "base/table.h"

#include <string.h>

/* Twice as long each time, so a table that grows by one element at a time copies each pointer once or twice. */
static bool make_list(struct mend_table *t, uint32_t chunks_n)
{
    uint32_t n = t->chunks_n ? t->chunks_n : 1;
    void **list;

    if (chunks_n <= t->chunks_n)
        return true;
    while (n < chunks_n)
        n *= 2;
    list = mend_arena_alloc(t->arena, n * sizeof(*list));
    if (!list)
        return false;
    if (t->chunks_n)
        memcpy(list, t->chunk, t->chunks_n * sizeof(*list));
    memset(list + t->chunks_n, 0, (n - t->chunks_n) * sizeof(*list));
    mend_arena_free(t->arena, t->chunk);
    t->chunk = list;
    t->chunks_n = n;
    return true;
}

void *mend_table_make(struct mend_table *t, uint32_t i)
{
    size_t bytes = (size_t)MEND_TABLE_CHUNK * t->element_bytes;
    uint32_t k = i / MEND_TABLE_CHUNK;

    if (!make_list(t, k + 1))
        return NULL;
    if (!t->chunk[k]) {
        void *chunk = mend_arena_alloc(t->arena, bytes);

        if (!chunk)
            return NULL;
        t->chunk[k] = memset(chunk, 0, bytes);
    }
    return mend_table_get(t, i);
}

void *mend_table_next(const struct mend_table *t, uint32_t *i_p)
{
    while (*i_p / MEND_TABLE_CHUNK < t->chunks_n) {
        if (t->chunk[*i_p / MEND_TABLE_CHUNK])
            return mend_table_get(t, *i_p);
        *i_p += MEND_TABLE_CHUNK - *i_p % MEND_TABLE_CHUNK;
    }
    return NULL;
}
