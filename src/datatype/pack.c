/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.c – moves packed bytes [at, at + n) of count elements, walking the run list.
 *
 * The range is cut where it does not fit whole items; what is whole goes through the inner loops of
 * copy.c.  The cut can go on inside the item, one level deeper:
 *
 *     items      |    0    |    1    |    2    |    3    |    4    |
 *     range               [at ................. at + n)
 *                      tail   whole     whole   head
 *
 * Finding a position costs one division per loop and a binary search per irregular level. */
#include "datatype/copy.h"
#include "datatype/cursor.h"
#include "datatype/layout.h"

static MPI_Count min(MPI_Count a, MPI_Count b)
{
    return a < b ? a : b;
}

static void move_whole(const struct mend_mover *m, const struct mend_run *run, char *mem,
                       char *stream);

/* A loop over numbers or rows: what most types of two and three dimensions repeat. */
static bool is_plain_loop(const struct mend_run *run)
{
    return run->kind == MEND_RUN_LOOP && run->body->kind == MEND_RUN_BYTES;
}

/* Items first .. first + n - 1 of the run, whose origin is mem. */
static void move_items(const struct mend_mover *m, const struct mend_run *run, char *mem,
                       char *stream, MPI_Count first, MPI_Count n)
{
    const struct mend_run *body = run->body; /* its offset is 0 */

    if (run->kind == MEND_RUN_PIECES) {
        m->pieces(mem, stream, n, run->displs + first, run->starts + first);
        return;
    }
    if (body && body->kind == MEND_RUN_BYTES) {
        if (run->kind == MEND_RUN_LOOP)
            m->loop(mend_mem_at(mem, first * run->stride), stream, n, run->stride,
                    (size_t)body->size);
        else
            m->at(mem, stream, n, run->displs + first, (size_t)body->size);
        return;
    }
    if (run->kind == MEND_RUN_LOOP && is_plain_loop(body)) {
        mem = mend_mem_at(mem, first * run->stride);
        for (MPI_Count i = 0; i < n; i++) {
            m->loop(mem, stream, body->count, body->stride, (size_t)body->body->size);
            mem = mend_mem_at(mem, run->stride);
            stream += body->size;
        }
        return;
    }
    if (run->kind == MEND_RUN_LOOP && body->kind == MEND_RUN_PIECES) {
        m->structs(mend_mem_at(mem, first * run->stride), stream, n, run->stride, body->count,
                   body->displs, body->starts);
        return;
    }
    for (MPI_Count i = first; i < first + n; i++) {
        const struct mend_run *item = body ? body : &run->parts[i];

        move_whole(m, item, mend_run_item(run, mem, i), stream);
        stream += item->size;
    }
}

static void move_whole(const struct mend_mover *m, const struct mend_run *run, char *mem,
                       char *stream)
{
    mem = mend_mem_at(mem, run->offset);
    if (run->kind == MEND_RUN_BYTES)
        m->bytes(mem, stream, (size_t)run->size);
    else
        move_items(m, run, mem, stream, 0, run->count);
}

static void move_part(const struct mend_mover *m, const struct mend_run *run, char *mem,
                      char *stream, MPI_Count at, MPI_Count n);

/* n bytes from position within of item i on. */
static void move_in_item(const struct mend_mover *m, const struct mend_run *run, char *mem,
                         char *stream, MPI_Count i, MPI_Count within, MPI_Count n)
{
    mem = mend_run_item(run, mem, i);
    if (run->kind == MEND_RUN_PIECES)
        m->bytes(mem + within, stream, (size_t)n);
    else
        move_part(m, run->body ? run->body : &run->parts[i], mem, stream, within, n);
}

/* Packed bytes at .. at + n - 1 of the run; n > 0. */
static void move_part(const struct mend_mover *m, const struct mend_run *run, char *mem,
                      char *stream, MPI_Count at, MPI_Count n)
{
    MPI_Count i, end, within, rest;

    mem = mend_mem_at(mem, run->offset);
    if (run->kind == MEND_RUN_BYTES) {
        m->bytes(mem + at, stream, (size_t)n);
        return;
    }
    i = mend_run_find(run, at, &within);
    if (within > 0) {
        MPI_Count k = min(n, mend_run_item_size(run, i) - within);

        move_in_item(m, run, mem, stream, i, within, k);
        stream += k;
        at += k;
        n -= k;
        i++;
    }
    if (n == 0)
        return;
    end = mend_run_find(run, at + n, &rest);
    if (end > i)
        move_items(m, run, mem, stream, i, end - i);
    if (rest > 0)
        move_in_item(m, run, mem, stream + (n - rest), end, 0, rest);
}

/* Both directions.  Returns the bytes moved. */
static size_t move_range(const struct mend_mover *m, const struct mend_type *t, char *mem,
                         MPI_Count count, MPI_Count at, char *stream, size_t max)
{
    MPI_Count left = t->size * count - at, n = left;
    const struct mend_run *run;
    struct mend_run all, body;

    if (left <= 0 || max == 0)
        return 0;
    if ((size_t)n > max)
        n = (MPI_Count)max;
    if (t->dense) {
        m->bytes(mend_mem_at(mem, t->lb + at), stream, (size_t)n);
        return (size_t)n;
    }
    run = &t->layout->root;
    if (count > 1) {
        all = mend_run_repeat(run, count, t->extent, &body);
        run = &all;
    }
    if (n == run->size)
        move_whole(m, run, mem, stream);
    else
        move_part(m, run, mem, stream, at, n);
    return (size_t)n;
}

size_t mend_type_pack(const struct mend_type *t, const void *buf, MPI_Count count, MPI_Count at,
                      void *out, size_t max)
{
    return move_range(&mend_mover_pack, t, (char *)buf, count, at, out, max);
}

size_t mend_type_unpack(const struct mend_type *t, void *buf, MPI_Count count, MPI_Count at,
                        const void *in, size_t len)
{
    return move_range(&mend_mover_unpack, t, buf, count, at, (char *)in, len);
}

void mend_type_copy(const struct mend_type *from_t, const void *from, MPI_Count from_n,
                    const struct mend_type *to_t, void *to, MPI_Count to_n)
{
    MPI_Count total = min(from_t->size * from_n, to_t->size * to_n);
    struct mend_cursor from_k, to_k;

    if (to_t->dense) {
        mend_type_pack(from_t, from, from_n, 0, mend_type_dense_at(to_t, to, 0), (size_t)total);
        return;
    }
    if (from_t->dense) {
        mend_type_unpack(to_t, to, to_n, 0, mend_type_dense_at(from_t, from, 0), (size_t)total);
        return;
    }
    mend_cursor_begin(&from_k, from_t, from, from_n, 0);
    mend_cursor_begin(&to_k, to_t, to, to_n, 0);
    mend_cursor_copy(&to_k, &from_k);
}
