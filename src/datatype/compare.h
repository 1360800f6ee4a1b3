/* SPDX-License-Identifier: BSD-3-Clause */
/* compare.h – for tests: everything about a type against the oracle. */
#ifndef MEND_DATATYPE_COMPARE_H
#define MEND_DATATYPE_COMPARE_H

#include "datatype/cursor.h"
#include "datatype/oracle.h"
#include "datatype/signature.h"

/* count elements somewhere in memory filled with a pattern; `at` is where element 0 begins. */
struct field {
    char *memory, *at;
    size_t bytes;
};

static inline struct field field_make(const struct map *m, number count, unsigned seed)
{
    struct field f;
    number lo, hi;

    map_range(m, count, &lo, &hi);
    f.bytes = (size_t)(hi - lo) + 64;
    f.memory = malloc(f.bytes);
    f.at = f.memory + 32 - lo;
    for (size_t i = 0; i < f.bytes; i++)
        f.memory[i] = (char)(seed + i * 131 + (i >> 8) * 7);
    return f;
}

/* The invariants of layout.h. */
static inline void check_run(const struct mend_run *run, MPI_Count size)
{
    const struct mend_run *body = run->body;
    MPI_Count sum = 0;

    CHECK_EQ(run->size, size);
    CHECK((size == 0) == (run->kind == MEND_RUN_NOTHING));
    if (run->kind == MEND_RUN_NOTHING || run->kind == MEND_RUN_BYTES)
        return;
    CHECK(run->count >= 2);
    if (run->kind == MEND_RUN_LOOP || run->kind == MEND_RUN_AT) {
        CHECK(body->offset == 0 && body->kind != MEND_RUN_NOTHING);
        check_run(body, size / run->count);
    }
    if (run->kind == MEND_RUN_LOOP) {
        CHECK(body->kind != MEND_RUN_BYTES || body->size != run->stride);
        CHECK(body->kind != MEND_RUN_LOOP || body->stride * body->count != run->stride);
    }
    if (run->kind == MEND_RUN_PIECES || run->kind == MEND_RUN_LIST) {
        for (MPI_Count i = 0; i < run->count; i++) {
            MPI_Count len = run->starts[i + 1] - run->starts[i];

            CHECK(len > 0 && run->starts[i] == sum);
            sum += len;
            if (run->kind == MEND_RUN_LIST)
                check_run(&run->parts[i], len);
            else
                CHECK(i + 1 == run->count || run->displs[i] + len != run->displs[i + 1]);
        }
        CHECK_EQ(sum, size);
    }
}

static inline void compare_bounds(type t, const struct map *m)
{
    number lb, ub, true_lb = 0, true_ub = 0;

    map_bounds(m, &lb, &ub);
    for (number i = 0; i < m->n; i++) {
        number displ = m->entries[i].displ, end = displ + m->entries[i].leaf->size;

        true_lb = i == 0 || displ < true_lb ? displ : true_lb;
        true_ub = i == 0 || end > true_ub ? end : true_ub;
    }
    CHECK_EQ(t->size, map_size(m));
    CHECK_EQ(t->lb, lb);
    CHECK_EQ(t->extent, ub - lb);
    CHECK_EQ(t->true_lb, true_lb);
    CHECK_EQ(t->true_extent, true_ub - true_lb);
    CHECK_EQ(mend_type_facts(t).elements, m->n);
    if (t->layout)
        check_run(&t->layout->root, t->size);
}

/* No byte twice: else a cut in the middle of an unpack has no defined result. */
static inline bool map_overlaps(const struct map *m, number count)
{
    struct field f = field_make(m, count, 0);
    number extent = map_extent(m);
    bool twice = false;

    memset(f.memory, 0, f.bytes);
    for (number c = 0; c < count; c++) {
        for (number i = 0; i < m->n; i++) {
            for (number k = 0; k < m->entries[i].leaf->size; k++)
                twice |= f.at[m->entries[i].displ + c * extent + k]++ > 0;
        }
    }
    free(f.memory);
    return twice;
}

/* All of it at once, then in pieces of the given length, in both directions. */
static inline void compare_moves(type t, const struct map *m, number count, size_t piece)
{
    struct field mem = field_make(m, count, 1), mine = field_make(m, count, 99),
                 theirs = field_make(m, count, 99);
    size_t total = (size_t)(map_size(m) * count);
    char *want = malloc(total + 1), *got = malloc(total + 1);
    bool overlaps = map_overlaps(m, count); /* then the order of writes decides */

    map_pack(m, mem.at, count, want);
    map_unpack(m, theirs.at, count, want);
    got[total] = 77;
    CHECK_EQ(mend_type_pack(t, mem.at, count, 0, got, SIZE_MAX), total);
    CHECK(!memcmp(got, want, total) && got[total] == 77);
    CHECK_EQ(mend_type_unpack(t, mine.at, count, 0, want, total + 100), total);
    CHECK(overlaps || !memcmp(mine.memory, theirs.memory, mine.bytes));
    free(mine.memory);
    mine = field_make(m, count, 99);
    memset(got, 0, total);
    for (size_t at = 0; at < total; at += piece) {
        size_t n = piece < total - at ? piece : total - at;

        CHECK_EQ(mend_type_pack(t, mem.at, count, (MPI_Count)at, got + at, piece), n);
        CHECK_EQ(mend_type_unpack(t, mine.at, count, (MPI_Count)at, want + at, n), n);
    }
    CHECK(!memcmp(got, want, total) && got[total] == 77);
    CHECK(overlaps || !memcmp(mine.memory, theirs.memory, mine.bytes));
    CHECK_EQ(mend_type_pack(t, mem.at, count, (MPI_Count)total, got, 10), 0);
    free(mem.memory);
    free(mine.memory);
    free(theirs.memory);
    free(want);
    free(got);
}

/* One cut at a position, which leaves nothing else in the destination changed. */
static inline void compare_cut(type t, const struct map *m, number count, size_t at, size_t n)
{
    struct field mem = field_make(m, count, 1), mine = field_make(m, count, 99),
                 theirs = field_make(m, count, 99);
    size_t total = (size_t)(map_size(m) * count);
    char *want = malloc(total + 1), *got = malloc(n + 1);

    map_pack(m, mem.at, count, want);
    got[n] = 77;
    CHECK_EQ(mend_type_pack(t, mem.at, count, (MPI_Count)at, got, n), n);
    CHECK(!memcmp(got, want + at, n) && got[n] == 77);
    /* The oracle moves all of it; what lies outside the cut has the old contents. */
    map_pack(m, theirs.at, count, want);
    memcpy(want + at, got, n);
    map_unpack(m, theirs.at, count, want);
    CHECK_EQ(mend_type_unpack(t, mine.at, count, (MPI_Count)at, got, n), n);
    CHECK(!memcmp(mine.memory, theirs.memory, mine.bytes));
    free(mem.memory);
    free(mine.memory);
    free(theirs.memory);
    free(want);
    free(got);
}

/* Where each packed byte lies, from the buffer's address on. */
static inline number *map_places(const struct map *m, number count)
{
    number *places = malloc((size_t)(map_size(m) * count + 1) * sizeof(*places)), n = 0;

    for (number c = 0; c < count; c++) {
        for (number i = 0; i < m->n; i++) {
            for (number k = 0; k < m->entries[i].leaf->size; k++)
                places[n++] = m->entries[i].displ + c * map_extent(m) + k;
        }
    }
    return places;
}

/* A cursor from packed position `at` on, `max` bytes at a time. */
static inline void compare_cursor(type t, const struct map *m, number count, number at, size_t max)
{
    number *places = map_places(m, count), total = map_size(m) * count;
    char *buf = (char *)(uintptr_t)0x5000000, *piece;
    struct mend_cursor k;
    size_t len;

    mend_cursor_begin(&k, t, buf, count, at);
    while (at < total) {
        if (at % 2) {
            CHECK(mend_cursor_peek(&k, &piece));
            CHECK_EQ(piece - buf, places[at]);
        }
        CHECK_EQ(k.at, at);
        CHECK(mend_cursor_next(&k, max, &piece, &len));
        CHECK(len > 0 && len <= max && (number)len <= total - at);
        for (size_t i = 0; i < len; i++, at++)
            CHECK_EQ(piece + i - buf, places[at]);
    }
    CHECK_EQ(k.at, k.end);
    CHECK(!mend_cursor_peek(&k, &piece));
    CHECK(!mend_cursor_next(&k, max, &piece, &len));
    free(places);
}

/* Moves the cursor on to packed position `at`. */
static inline void step_to(struct mend_cursor *k, number at)
{
    char *piece;
    size_t len;

    while (k->at < at)
        CHECK(mend_cursor_next(k, (size_t)(at - k->at), &piece, &len));
}

/* Elements of one type to elements of the other, all but the first `at` bytes. */
static inline void compare_copy(type to_t, number to_n, type from_t, number from_n, number at)
{
    struct map to_m = map_of(to_t), from_m = map_of(from_t);
    struct field from = field_make(&from_m, from_n, 1), mine = field_make(&to_m, to_n, 99),
                 theirs = field_make(&to_m, to_n, 99);
    number to_size = map_size(&to_m) * to_n, from_size = map_size(&from_m) * from_n;
    number total = to_size < from_size ? to_size : from_size;
    char *stream = malloc((size_t)(to_size + from_size + 1)), *packed = stream + to_size;
    struct mend_cursor to_k, from_k;

    map_pack(&to_m, theirs.at, to_n, stream);
    map_pack(&from_m, from.at, from_n, packed);
    if (at < total)
        memmove(stream + at, packed + at, (size_t)(total - at));
    map_unpack(&to_m, theirs.at, to_n, stream);
    mend_cursor_begin(&to_k, to_t, mine.at, to_n, 0);
    mend_cursor_begin(&from_k, from_t, from.at, from_n, at);
    step_to(&to_k, at < to_size ? at : to_size);
    mend_cursor_copy(&to_k, &from_k);
    CHECK(at > total || (to_k.at == total && from_k.at == total));
    CHECK(map_overlaps(&to_m, to_n) || !memcmp(mine.memory, theirs.memory, mine.bytes));
    free(from.memory);
    free(mine.memory);
    free(theirs.memory);
    free(stream);
    free(to_m.entries);
    free(from_m.entries);
}

static inline void compare_elements(type t, const struct map *m, number bytes)
{
    number elements = 0, left = bytes, size = map_size(m);

    if (size == 0)
        return;
    elements = left / size * m->n;
    left %= size;
    for (number i = 0; left > 0; i++) {
        if (left < m->entries[i].leaf->size)
            break;
        left -= m->entries[i].leaf->size;
        elements++;
    }
    CHECK_EQ(mend_signature_elements(t, bytes), left ? MPI_UNDEFINED : elements);
    if (!left)
        CHECK_EQ(mend_signature_bytes(t, elements), bytes);
}

#endif
