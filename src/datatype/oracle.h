/* SPDX-License-Identifier: BSD-3-Clause */
/* oracle.h – for tests: the type map of a type, written out entry by entry.
 *
 * Slow and simple: every constructor is what the standard says it does to a list of (displacement,
 * basic type), and every bound is the formula of MPI-5.0 5.1.7.  It shares nothing with build.c,
 * array.c, commit.c and pack.c but the arguments that the envelope keeps. */
#ifndef MEND_DATATYPE_ORACLE_H
#define MEND_DATATYPE_ORACLE_H

#include "datatype/make.h"

typedef long long number;

struct entry {
    number displ;
    type leaf;
};

struct map {
    struct entry *entries;
    number n;
    bool marked;
    number marked_lb, marked_ub;
};

static inline struct map map_of(type t);

static inline void map_add(struct map *m, number displ, type leaf)
{
    m->entries = realloc(m->entries, (size_t)(m->n + 1) * sizeof(*m->entries));
    m->entries[m->n++] = (struct entry){displ, leaf};
}

static inline void map_mark(struct map *m, number lb, number ub)
{
    if (!m->marked || lb < m->marked_lb)
        m->marked_lb = lb;
    if (!m->marked || ub > m->marked_ub)
        m->marked_ub = ub;
    m->marked = true;
}

static inline void map_append(struct map *m, const struct map *old, number displ)
{
    for (number i = 0; i < old->n; i++)
        map_add(m, old->entries[i].displ + displ, old->entries[i].leaf);
    if (old->marked)
        map_mark(m, old->marked_lb + displ, old->marked_ub + displ);
}

static inline void map_bounds(const struct map *m, number *lb_p, number *ub_p)
{
    number lb = 0, ub = 0, align = 1;

    for (number i = 0; i < m->n; i++) {
        number displ = m->entries[i].displ, end = displ + m->entries[i].leaf->size;

        lb = i == 0 || displ < lb ? displ : lb;
        ub = i == 0 || end > ub ? end : ub;
        if (mend_type_facts(m->entries[i].leaf).align > align)
            align = mend_type_facts(m->entries[i].leaf).align;
    }
    while ((ub - lb) % align)
        ub++;
    *lb_p = m->marked ? m->marked_lb : lb;
    *ub_p = m->marked ? m->marked_ub : ub;
}

static inline number map_extent(const struct map *m)
{
    number lb, ub;

    map_bounds(m, &lb, &ub);
    return ub - lb;
}

/* len copies side by side, beginning at displ. */
static inline void map_block(struct map *m, const struct map *old, number len, number displ)
{
    number extent = map_extent(old);

    for (number i = 0; i < len; i++)
        map_append(m, old, displ + i * extent);
}

/* Is index i of dimension d this process's? */
static inline bool map_owns(const MPI_Count *v, number n, number d, number i)
{
    number rank = v[1], block, coord;
    const MPI_Count *gsizes = v + 3, *distribs = gsizes + n, *dargs = distribs + n,
                    *psizes = dargs + n;

    for (number k = n - 1; k > d; k--)
        rank /= psizes[k];
    coord = rank % psizes[d];
    block = dargs[d];
    if (distribs[d] == MPI_DISTRIBUTE_NONE)
        return true;
    if (block == MPI_DISTRIBUTE_DFLT_DARG)
        block = distribs[d] == MPI_DISTRIBUTE_BLOCK ? (gsizes[d] + psizes[d] - 1) / psizes[d] : 1;
    return distribs[d] == MPI_DISTRIBUTE_BLOCK ? i / block == coord
                                               : i / block % psizes[d] == coord;
}

/* Visits every index of the whole array in the order of memory. */
static inline void map_array(struct map *m, const struct mend_envelope *e, const struct map *old)
{
    const MPI_Count *v = e->values;
    bool sub = e->combiner == MPI_COMBINER_SUBARRAY;
    number n = sub ? v[0] : v[2], total = 1, extent = map_extent(old);
    const MPI_Count *sizes = sub ? v + 1 : v + 3;
    bool c_order = v[sub ? 3 * n + 1 : 4 * n + 3] == MPI_ORDER_C;

    for (number d = 0; d < n; d++)
        total *= sizes[d];
    for (number at = 0; at < total; at++) {
        number rest = at;
        bool mine = true;

        for (number k = 0; k < n; k++) {
            number d = c_order ? n - 1 - k : k, i = rest % sizes[d];

            rest /= sizes[d];
            mine &= sub ? i >= v[1 + 2 * n + d] && i < v[1 + 2 * n + d] + v[1 + n + d]
                        : map_owns(v, n, d, i);
        }
        for (number k = 0; mine && k < old->n; k++)
            map_add(m, old->entries[k].displ + at * extent, old->entries[k].leaf);
    }
    map_mark(m, 0, total * extent);
}

static inline void map_pair(struct map *m, type value, type index)
{
    number align = mend_type_facts(index).align, displ = value->size;

    while (displ % align)
        displ++;
    map_add(m, 0, value);
    map_add(m, displ, index);
}

static inline void map_blocks(struct map *m, const struct mend_envelope *e)
{
    bool fixed =
        e->combiner == MPI_COMBINER_INDEXED_BLOCK || e->combiner == MPI_COMBINER_HINDEXED_BLOCK;
    bool in_bytes =
        e->combiner != MPI_COMBINER_INDEXED && e->combiner != MPI_COMBINER_INDEXED_BLOCK;
    number n = e->values[0];
    const MPI_Count *displs = e->values + (fixed ? 2 : 1 + n);

    for (number i = 0; i < n; i++) {
        struct map old = map_of(e->types[e->combiner == MPI_COMBINER_STRUCT ? i : 0]);

        map_block(m, &old, e->values[fixed ? 1 : 1 + i],
                  displs[i] * (in_bytes ? 1 : map_extent(&old)));
        free(old.entries);
    }
}

static inline struct map map_of(type t)
{
    const struct mend_envelope *e = t->envelope;
    struct map m = {0}, old = {0};
    type members[2];

    if (mend_type_pair(t, members)) {
        map_pair(&m, members[0], members[1]);
        return m;
    }
    if (!e) {
        map_add(&m, 0, t);
        return m;
    }
    if (e->combiner != MPI_COMBINER_STRUCT)
        old = map_of(e->types[0]);
    switch (e->combiner) {
    case MPI_COMBINER_DUP:
        map_append(&m, &old, 0);
        break;
    case MPI_COMBINER_RESIZED:
        old.marked = false;
        map_append(&m, &old, 0);
        map_mark(&m, e->values[0], e->values[0] + e->values[1]);
        break;
    case MPI_COMBINER_CONTIGUOUS:
        map_block(&m, &old, e->values[0], 0);
        break;
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
        for (number i = 0; i < e->values[0]; i++)
            map_block(&m, &old, e->values[1],
                      i * e->values[2] *
                          (e->combiner == MPI_COMBINER_VECTOR ? map_extent(&old) : 1));
        break;
    case MPI_COMBINER_SUBARRAY:
    case MPI_COMBINER_DARRAY:
        map_array(&m, e, &old);
        break;
    default:
        map_blocks(&m, e);
    }
    free(old.entries);
    return m;
}

static inline number map_size(const struct map *m)
{
    number size = 0;

    for (number i = 0; i < m->n; i++)
        size += m->entries[i].leaf->size;
    return size;
}

/* Smallest and largest displacement (behind the last byte) of count elements. */
static inline void map_range(const struct map *m, number count, number *lo_p, number *hi_p)
{
    number extent = map_extent(m), lo = 0, hi = 0;

    for (number c = 0; c < count; c++) {
        for (number i = 0; i < m->n; i++) {
            number displ = m->entries[i].displ + c * extent;
            number end = displ + m->entries[i].leaf->size;

            lo = displ < lo ? displ : lo;
            hi = end > hi ? end : hi;
        }
    }
    *lo_p = lo;
    *hi_p = hi;
}

static inline void map_pack(const struct map *m, const char *buf, number count, char *out)
{
    number extent = map_extent(m);

    for (number c = 0; c < count; c++) {
        for (number i = 0; i < m->n; i++) {
            size_t size = (size_t)m->entries[i].leaf->size;

            memcpy(out, buf + m->entries[i].displ + c * extent, size);
            out += size;
        }
    }
}

static inline void map_unpack(const struct map *m, char *buf, number count, const char *in)
{
    number extent = map_extent(m);

    for (number c = 0; c < count; c++) {
        for (number i = 0; i < m->n; i++) {
            size_t size = (size_t)m->entries[i].leaf->size;

            memcpy(buf + m->entries[i].displ + c * extent, in, size);
            in += size;
        }
    }
}

#endif
