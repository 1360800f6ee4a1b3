/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_external.h – for tests: external32 of a type against the oracle. */
#ifndef MEND_DATATYPE_COMPARE_EXTERNAL_H
#define MEND_DATATYPE_COMPARE_EXTERNAL_H

#include "datatype/compare.h"
#include "datatype/external32.h"

/* External32 of a type is that of its entries, one after the other. */
static inline void compare_external(type t, const struct map *m, number count)
{
    struct field mem = field_make(m, count, 1), mine = field_make(m, count, 99),
                 theirs = field_make(m, count, 99);
    number extent = map_extent(m), total = 0;
    char *want = malloc((size_t)(m->n * count) * 32 + 1), *got;

    for (number i = 0; i < m->n * count; i++) {
        number displ = m->entries[i % m->n].displ + i / m->n * extent;
        type leaf = m->entries[i % m->n].leaf;

        mend_external_pack(leaf, mem.at + displ, 1, want + total);
        mend_external_unpack(leaf, theirs.at + displ, 1, want + total);
        total += mend_external_size(leaf, 1);
    }
    CHECK_EQ(mend_external_size(t, count), total);
    got = malloc((size_t)total + 1);
    got[total] = 77;
    mend_external_pack(t, mem.at, count, got);
    CHECK(!memcmp(got, want, (size_t)total) && got[total] == 77);
    mend_external_unpack(t, mine.at, count, got);
    CHECK(map_overlaps(m, count) || !memcmp(mine.memory, theirs.memory, mine.bytes));
    free(mem.memory);
    free(mine.memory);
    free(theirs.memory);
    free(want);
    free(got);
}

#endif
