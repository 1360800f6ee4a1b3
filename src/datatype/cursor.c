/* SPDX-License-Identifier: BSD-3-Clause */
/* cursor.c – from one piece to the next, and copying from piece to piece. */
#include "datatype/cursor.h"
#include "datatype/layout.h"

#include <string.h>

/* Through the stack where pieces are small: stays in the first cache.  The loops of pack.c take about 1 ns for a
 * small piece, the way from one to the next here takes 5 to 15. */
#define BOUNCE_BYTES 8192
#define DIRECT_MIN   256

static MPI_Count min(MPI_Count a, MPI_Count b)
{
    return a < b ? a : b;
}

void mend_cursor_begin(struct mend_cursor *k, const struct mend_type *t, const void *buf,
                       MPI_Count count, MPI_Count at)
{
    *k = (struct mend_cursor){
        .at = at, .end = t->size * count, .type = t, .buf = (char *)buf, .count = count};
}

static void take_piece(struct mend_cursor *k, char *mem, MPI_Count len, MPI_Count within)
{
    k->mem = mem;
    k->i = 0;
    k->n = 1;
    k->within = within;
    k->len = len;
    k->displs = k->starts = NULL;
    k->rows_left = 0;
}

/* Is it a loop over pieces? */
static bool is_row(const struct mend_run *run)
{
    return run->kind == MEND_RUN_PIECES || (run->body && run->body->kind == MEND_RUN_BYTES);
}

static void take_row(struct mend_cursor *k, const struct mend_run *run, char *mem, MPI_Count i,
                     MPI_Count within)
{
    k->mem = mem;
    k->i = i;
    k->n = run->count;
    k->within = within;
    k->len = run->body ? run->body->size : 0;
    k->stride = run->stride;
    k->displs = run->displs;
    k->starts = run->starts;
}

/* The row or the single piece that holds packed position `at` of the run. */
static void descend(struct mend_cursor *k, const struct mend_run *run, char *mem, MPI_Count at)
{
    k->rows_left = 0;
    for (;;) {
        MPI_Count i, within;

        mem = mend_mem_at(mem, run->offset);
        if (run->kind == MEND_RUN_BYTES) {
            take_piece(k, mem, run->size, at);
            return;
        }
        i = mend_run_find(run, at, &within);
        if (is_row(run)) {
            take_row(k, run, mem, i, within);
            return;
        }
        k->rows_left = run->kind == MEND_RUN_LOOP ? run->count - 1 - i : 0;
        k->row_stride = run->stride;
        mem = mend_run_item(run, mem, i);
        run = run->body ? run->body : &run->parts[i];
        at = within;
    }
}

static void find_row(struct mend_cursor *k)
{
    const struct mend_type *t = k->type;
    struct mend_run all, body;

    if (k->rows_left > 0) {
        k->rows_left--;
        k->mem = mend_mem_at(k->mem, k->row_stride);
        k->i = 0;
    } else if (t->dense) {
        take_piece(k, mend_mem_at(k->buf, t->lb), k->end, k->at);
    } else {
        all = mend_run_repeat(&t->layout->root, k->count, t->extent, &body);
        descend(k, &all, k->buf, k->at);
    }
}

static MPI_Count piece_len(const struct mend_cursor *k)
{
    return k->starts ? k->starts[k->i + 1] - k->starts[k->i] : k->len;
}

static char *piece_at(const struct mend_cursor *k)
{
    return mend_mem_at(k->mem, k->displs ? k->displs[k->i] : k->i * k->stride);
}

/* `bytes` more of the piece have been used. */
static void use(struct mend_cursor *k, MPI_Count bytes, MPI_Count len)
{
    k->at += bytes;
    k->within += bytes;
    if (k->within == len) {
        k->within = 0;
        k->i++;
    }
}

bool mend_cursor_next(struct mend_cursor *k, size_t max, char **at_p, size_t *len_p)
{
    MPI_Count len, left;

    if (k->at >= k->end)
        return false;
    if (k->i == k->n)
        find_row(k);
    len = piece_len(k);
    left = len - k->within;
    *at_p = mend_mem_at(piece_at(k), k->within);
    *len_p = (size_t)left < max ? (size_t)left : max;
    use(k, (MPI_Count)*len_p, len);
    return true;
}

bool mend_cursor_peek(struct mend_cursor *k, char **at_p)
{
    if (k->at >= k->end)
        return false;
    if (k->i == k->n)
        find_row(k);
    *at_p = mend_mem_at(piece_at(k), k->within);
    return true;
}

/* ---- copies ---- */

/* To another place of the same type map. */
static void move_on(struct mend_cursor *k, MPI_Count bytes)
{
    k->at += bytes;
    k->i = k->n = 0;
    k->rows_left = 0;
}

/* Do the elements lie apart in memory? */
static bool are_apart(const struct mend_cursor *a, const struct mend_cursor *b)
{
    MPI_Count a_span, a_shift, b_span, b_shift;
    uintptr_t a_at, b_at;

    mend_type_span(a->type, a->count, &a_span, &a_shift);
    mend_type_span(b->type, b->count, &b_span, &b_shift);
    a_at = (uintptr_t)a->buf + (uintptr_t)a_shift;
    b_at = (uintptr_t)b->buf + (uintptr_t)b_shift;
    return a_at + (uintptr_t)a_span <= b_at || b_at + (uintptr_t)b_span <= a_at;
}

/* `left` bytes, of which one side is one piece. */
static void copy_flat(struct mend_cursor *to, struct mend_cursor *from, MPI_Count left)
{
    const struct mend_type *to_t = to->type, *from_t = from->type;

    if (to_t->dense)
        mend_type_pack(from_t, from->buf, from->count, from->at,
                       mend_mem_at(to->buf, to_t->lb + to->at), (size_t)left);
    else
        mend_type_unpack(to_t, to->buf, to->count, to->at,
                         mend_mem_at(from->buf, from_t->lb + from->at), (size_t)left);
    move_on(to, left);
    move_on(from, left);
}

/* Many pieces.  Returns the bytes copied. */
static MPI_Count copy_small(struct mend_cursor *to, struct mend_cursor *from, MPI_Count left)
{
    MPI_Count n = min(left, BOUNCE_BYTES);
    char bounce[BOUNCE_BYTES];

    mend_type_pack(from->type, from->buf, from->count, from->at, bounce, (size_t)n);
    mend_type_unpack(to->type, to->buf, to->count, to->at, bounce, (size_t)n);
    move_on(to, n);
    move_on(from, n);
    return n;
}

static MPI_Count piece_left(struct mend_cursor *k)
{
    if (k->i == k->n)
        find_row(k);
    return piece_len(k) - k->within;
}

/* n bytes, which are of one piece on both sides. */
static void copy_piece(struct mend_cursor *to, struct mend_cursor *from, MPI_Count n)
{
    char *to_at, *from_at;
    size_t len;

    mend_cursor_next(to, (size_t)n, &to_at, &len);
    mend_cursor_next(from, (size_t)n, &from_at, &len);
    memmove(to_at, from_at, (size_t)n);
}

void mend_cursor_copy(struct mend_cursor *to, struct mend_cursor *from)
{
    MPI_Count left = min(to->end - to->at, from->end - from->at), n;
    bool apart = left > 0 && are_apart(to, from);

    if (apart && (to->type->dense || from->type->dense)) {
        copy_flat(to, from, left);
        return;
    }
    for (; left > 0; left -= n) {
        n = apart && left < DIRECT_MIN ? 0 : min(left, min(piece_left(to), piece_left(from)));
        if (apart && n < DIRECT_MIN)
            n = copy_small(to, from, left);
        else
            copy_piece(to, from, n);
    }
}
