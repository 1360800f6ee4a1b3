/* SPDX-License-Identifier: BSD-3-Clause */
/* table.h – a table by index that grows on demand.
 *
 *   chunk[0] ──> 16 elements        of the indices 0 to 15
 *   chunk[1]     NULL               none of 16 to 31 has been used yet
 *   chunk[2] ──> 16 elements
 *
 * An element begins as zero and stays where it is as long as the arena.  Memory: 8 bytes for 16 indices, and the
 * chunks that are used. */
#ifndef MEND_BASE_TABLE_H
#define MEND_BASE_TABLE_H

#include "base/arena.h"

#include <stdint.h>

#define MEND_TABLE_CHUNK 16u

struct mend_table {
    struct mend_arena *arena;
    void **chunk;
    uint32_t chunks_n, element_bytes;
};

static inline void mend_table_init(struct mend_table *t, struct mend_arena *arena,
                                   uint32_t element_bytes)
{
    *t = (struct mend_table){.arena = arena, .element_bytes = element_bytes};
}

/* Makes element i if need be.  NULL: no memory; the table is as it was. */
void *mend_table_make(struct mend_table *t, uint32_t i);

/* Element i; NULL: neither it nor one of its chunk was ever made. */
static inline void *mend_table_get(const struct mend_table *t, uint32_t i)
{
    char *chunk = i / MEND_TABLE_CHUNK < t->chunks_n ? t->chunk[i / MEND_TABLE_CHUNK] : NULL;

    return chunk ? chunk + (size_t)(i % MEND_TABLE_CHUNK) * t->element_bytes : NULL;
}

/* The first element at *i_p or behind it, whose index becomes *i_p; NULL: there is none. */
void *mend_table_next(const struct mend_table *t, uint32_t *i_p);

/* Element i of a table of this type, which has been made: two loads and no branch. */
#define MEND_TABLE_AT(t, type, i)                                                                  \
    ((type *)(t)->chunk[(i) / MEND_TABLE_CHUNK] + (i) % MEND_TABLE_CHUNK)

#endif
