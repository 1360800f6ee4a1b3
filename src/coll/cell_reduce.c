/* SPDX-License-Identifier: BSD-3-Clause */
/* cell_reduce.c – reductions in shared memory.
 *
 * Direct, for two ranks, and for short vectors: every member publishes its vector piece by piece, and each member that
 * needs the result reads all of them and reduces them itself.  One tick per piece; the next piece is published before
 * this one is read, so that the others have it in time:
 *
 *     say 1 │ say 2, wait 1, reduce 1 │ say 3, wait 2, reduce 2 │ ...
 *
 * Sliced, for long ones of more ranks: every member publishes a piece except its own slice, reduces that slice,
 * publishes the result, and all copy the slices.  Two ticks per piece, a and b; the next piece is
 * published before this one is read, so that the others have it in time:
 *
 *     say a1 │ say a2, wait a1, reduce my slice, say b1, wait b1, copy │ say a3, wait a2, ...
 *
 *     2 ranks     rank 0: . x        rank 0: X .        both: X Y       x, y: values of the two
 *                 rank 1: y .        rank 1: . Y                        slices; X, Y: their results
 *
 * Values are reduced in the order of the ranks, from the highest down (the operator writes its
 * right operand), so all get the same bits.  Only predefined operators on dense types come here:
 * the user's functions never see shared memory. */
#include "coll/cell.h"

#include "coll/cell_forms.h"
#include "coll/cell_pair.h"

#define DIRECT_MAX  (4 * 1024) /* longer vectors of three and more ranks are sliced */
#define BLOCK_BYTES (8 * 1024) /* reduced at once: the result stays in the nearest cache */

/* One reduction, as bytes. */
struct job {
    struct mend_comm *c;
    const struct mend_op *op;
    const struct mend_type *type;
    MPI_Datatype handle;
    const char *in;
    char *out;
    MPI_Count bytes, chunk;
    enum mend_cell_what kind;
};

/* Predefined operators come with predefined types, whose first byte is at their origin. */
static struct job job_of(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                         const struct mend_op *op, enum mend_cell_what kind)
{
    return (struct job){
        .c = c,
        .op = op,
        .type = out->type,
        .handle = out->handle,
        .in = in == MPI_IN_PLACE ? out->buf : in,
        .out = out->buf,
        .bytes = out->count * out->type->size,
        .kind = kind,
    };
}

/* to = values of n ranks in order, `bytes` bytes each; of two, one may be `to`. */
static void reduce_values(const struct job *j, const char *const *value, int n, MPI_Count bytes,
                          char *to)
{
    MPI_Count block = n > 2 ? BLOCK_BYTES - BLOCK_BYTES % j->type->size : bytes;

    if (n == 1)
        memcpy(to, value[0], (size_t)bytes);
    for (MPI_Count b = 0; b < bytes && n > 1; b += block) {
        MPI_Count len = bytes - b < block ? bytes - b : block, count = len / j->type->size;
        const char *right = value[n - 1] + b;

        for (int r = n - 2; r >= 0; r--, right = to + b)
            mend_op_combine(j->op, value[r] + b, right, to + b, count, j->type);
    }
}

/* The same for ranks 0 .. n - 1: bytes [at, at + bytes) of what they published in a tick of
 * `size`. */
static void reduce_ranks(const struct job *j, uint64_t tick, MPI_Count size, MPI_Count at,
                         MPI_Count bytes, int n, char *to)
{
    const char *value[MEND_CELL_MEMBERS];

    for (int r = 0; r < n; r++)
        value[r] = (const char *)mend_cell_data(j->c, r, tick, size) + at;
    reduce_values(j, value, n, bytes, to);
}

static MPI_Count piece_bytes(const struct job *j, MPI_Count at)
{
    return j->bytes - at < j->chunk ? j->bytes - at : j->chunk;
}

/* My vector, or the piece at `at` of it without [skip, skip_end), which nobody else reads. */
static int say(const struct job *j, uint64_t tick, MPI_Count at, MPI_Count skip, MPI_Count skip_end)
{
    MPI_Count n = piece_bytes(j, at);
    void *room;
    int err = mend_cell_room(j->c, tick, n, &room);

    if (mend_unlikely(err))
        return err;
    if (mend_likely(room && n)) {
        memcpy(room, j->in + at, (size_t)skip);
        memcpy((char *)room + skip_end, j->in + at + skip_end, (size_t)(n - skip_end));
    }
    mend_cell_publish(j->c, tick, MEND_CELL_WHAT(j->kind, n) | (room ? 0 : MEND_CELL_NO_MEMORY));
    return MPI_SUCCESS;
}

/* Every member publishes its vector; a member that reads waits for all. */
static int say_and_wait(struct job *j, bool reader, uint64_t *tick_p)
{
    int err = mend_cell_begin(j->c, 1, tick_p);

    j->chunk = j->bytes;
    if (!err)
        err = say(j, *tick_p, 0, 0, 0);
    if (!err && reader)
        err = mend_cell_wait_all(j->c, *tick_p, MEND_CELL_WHAT(j->kind, j->bytes));
    if (!err && reader) /* a rank that has published this tick is past the one before */
        mend_cell_all_past(j->c, *tick_p - 1);
    return err;
}

/* Reduces the piece at `at`.  My own values are where they were, unless the result of several ranks goes there. */
static void reduce_piece(const struct job *j, uint64_t tick, MPI_Count at, MPI_Count bytes)
{
    const struct mend_comm *c = j->c;
    const char *value[MEND_CELL_MEMBERS];

    for (int r = 0; r < c->size; r++)
        value[r] = mend_cell_data(c, r, tick, bytes);
    if (c->size == 2 || j->in != j->out)
        value[c->rank] = j->in + at;
    reduce_values(j, value, c->size, bytes, j->out + at);
}

/* reader: this member needs the result. */
static int run_direct(struct job *j, bool reader)
{
    struct mend_comm *c = j->c;
    uint64_t n, first;
    int err;

    j->chunk = MEND_CELL_CHUNK - MEND_CELL_CHUNK % j->type->size;
    n = j->bytes <= j->chunk ? 1 : (uint64_t)((j->bytes + j->chunk - 1) / j->chunk);
    err = mend_cell_begin(c, n, &first);
    if (err)
        return err;
    err = say(j, first, 0, 0, 0);
    for (uint64_t i = 0; i < n && !err; i++) {
        MPI_Count at = (MPI_Count)i * j->chunk, bytes = piece_bytes(j, at);

        if (i + 1 < n)
            err = say(j, first + i + 1, at + j->chunk, 0, 0);
        if (!err && reader)
            err = mend_cell_wait_all(c, first + i, MEND_CELL_WHAT(j->kind, bytes));
        if (!err && reader) {
            mend_cell_all_past(c,
                               first + i - (i ? 2 : 1)); /* the next is said before this is read */
            reduce_piece(j, first + i, at, bytes);
        }
        if (i + 1 < n)
            mend_cell_past(c, first + i);
    }
    mend_cell_end(c, first + n - 1);
    return err;
}

static MPI_Count slice_at(const struct job *j, MPI_Count bytes, int rank)
{
    return mend_stretch_begin(bytes / j->type->size, j->c->size, rank) * j->type->size;
}

/* Largest slice of a piece: rank 0's. */
static MPI_Count slice_size(const struct job *j, MPI_Count bytes)
{
    return slice_at(j, bytes, 1);
}

/* The piece at `at`, except my own slice. */
static int say_piece(const struct job *j, uint64_t tick, MPI_Count at)
{
    MPI_Count n = piece_bytes(j, at);

    return say(j, tick, at, slice_at(j, n, j->c->rank), slice_at(j, n, j->c->rank + 1));
}

/* Reduces my slice of the piece at `at`, published in tick a, into my buffer of tick a + 1. */
static int reduce_slice(const struct job *j, uint64_t a, MPI_Count at, MPI_Count bytes)
{
    struct mend_comm *c = j->c;
    MPI_Count from = slice_at(j, bytes, c->rank), size = slice_size(j, bytes);
    MPI_Count n = slice_at(j, bytes, c->rank + 1) - from;
    const char *value[MEND_CELL_MEMBERS];
    void *room;
    int err = mend_cell_room(c, a + 1, size, &room);

    if (err)
        return err;
    for (int r = 0; r < c->size; r++)
        value[r] = (const char *)mend_cell_data(c, r, a, bytes) + from;
    value[c->rank] = j->in + at + from;
    if (room)
        reduce_values(j, value, c->size, n, room);
    mend_cell_publish(c, a + 1,
                      MEND_CELL_WHAT(MEND_CELL_RESULT, size) | (room ? 0 : MEND_CELL_NO_MEMORY));
    return MPI_SUCCESS;
}

static void copy_slices(const struct job *j, uint64_t b, MPI_Count bytes, char *out)
{
    for (int r = 0; r < j->c->size; r++) {
        MPI_Count at = slice_at(j, bytes, r), n = slice_at(j, bytes, r + 1) - at;

        memcpy(out + at, mend_cell_data(j->c, r, b, slice_size(j, bytes)), (size_t)n);
    }
}

static int run_sliced(struct job *j, bool reader)
{
    struct mend_comm *c = j->c;
    uint64_t n, first;
    int err;

    j->chunk = MEND_CELL_CHUNK - MEND_CELL_CHUNK % j->type->size;
    n = (uint64_t)((j->bytes + j->chunk - 1) / j->chunk);
    err = mend_cell_begin(c, 2 * n, &first);
    if (err)
        return err;
    err = say_piece(j, first, 0);
    for (uint64_t i = 0; i < n && !err; i++) {
        MPI_Count at = (MPI_Count)i * j->chunk;
        MPI_Count bytes = piece_bytes(j, at);
        uint64_t a = first + 2 * i;

        if (i + 1 < n)
            err = say_piece(j, a + 2, at + j->chunk);
        if (!err)
            err = mend_cell_wait_all(c, a, MEND_CELL_WHAT(j->kind, bytes));
        if (!err)
            err = reduce_slice(j, a, at, bytes);
        if (!err && reader)
            err = mend_cell_wait_all(c, a + 1,
                                     MEND_CELL_WHAT(MEND_CELL_RESULT, slice_size(j, bytes)));
        if (!err && reader) {
            mend_cell_all_past(c, a); /* a rank that published its slice has read all vectors */
            copy_slices(j, a + 1, bytes, j->out + at);
        }
        if (i + 1 < n)
            mend_cell_past(c, a + 1);
    }
    mend_cell_end(c, first + 2 * n - 1);
    return err;
}

static int run(struct job *j, bool reader)
{
    if (j->c->size == 1) {
        if (j->in != j->out && j->bytes)
            memcpy(j->out, j->in, (size_t)j->bytes);
        return mend_coll_check(j->c);
    }
    if (j->c->size == 2 || j->bytes <= DIRECT_MAX)
        return run_direct(j, reader);
    return run_sliced(j, reader);
}

/* Nearly always one number. */
static inline void copy_few(void *to, const void *from, size_t n)
{
    if (mend_likely(n == 8))
        memcpy(to, from, 8);
    else
        memcpy(to, from, n);
}

/* Of two members, what fits into a word. */
static int allreduce_pair(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                          const struct mend_op *op, size_t bytes)
{
    uint64_t value[2] = {0};
    int err;

    copy_few(&value[c->rank], in == MPI_IN_PLACE ? out->buf : in, bytes);
    err = mend_cell_pair_exchange(c, MEND_CELL_REDUCE, bytes, value[c->rank], &value[!c->rank]);
    if (mend_likely(!err)) {
        copy_few(out->buf, &value[1], bytes);
        mend_op_apply(op, &value[0], out->buf, out->count, out->type, out->handle);
    }
    return err;
}

/* What fits into a line, without the machinery for pieces: the same as run_direct(). */
static int allreduce_few(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                         const struct mend_op *op, size_t bytes)
{
    uint64_t tick, what = MEND_CELL_WHAT(MEND_CELL_REDUCE, bytes);
    void *room;
    int err = mend_cell_begin(c, 1, &tick);

    if (mend_likely(!err))
        err = mend_cell_room(c, tick, (MPI_Count)bytes, &room);
    if (mend_unlikely(err))
        return err;
    copy_few(room, in == MPI_IN_PLACE ? out->buf : in, bytes);
    mend_cell_publish(c, tick, what);
    err = mend_cell_wait_all(c, tick, what);
    if (mend_likely(!err)) {
        mend_cell_all_past(c, tick - 1);
        copy_few(out->buf, mend_cell_data(c, c->size - 1, tick, 0), bytes);
        for (int r = c->size - 2; r >= 0; r--)
            mend_op_apply(op, mend_cell_data(c, r, tick, 0), out->buf, out->count, out->type,
                          out->handle);
    }
    mend_cell_end(c, tick);
    return err;
}

int mend_cell_allreduce(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                        const struct mend_op *op)
{
    MPI_Count bytes = out->count * out->type->size;
    struct job j;

    if (bytes <= MEND_CELL_PAIR_BYTES && bytes > 0 && c->coll->pair)
        return allreduce_pair(c, in, out, op, (size_t)bytes);
    if (mend_likely(bytes <= MEND_CELL_INLINE && bytes > 0))
        return allreduce_few(c, in, out, op, (size_t)bytes);
    j = job_of(c, in, out, op, MEND_CELL_REDUCE);
    return run(&j, true);
}

int mend_cell_reduce(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                     const struct mend_op *op, int root)
{
    struct job j = job_of(c, in, out, op, MEND_CELL_REDUCE);

    return run(&j, c->rank == root);
}

/* All wait for all, so that all detect a dead member (R7). */
int mend_cell_scan(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                   const struct mend_op *op, bool exclusive)
{
    struct job j = job_of(c, in, out, op, MEND_CELL_SCAN);
    uint64_t tick;
    int err = say_and_wait(&j, true, &tick);

    if (!err && c->rank >= exclusive)
        reduce_ranks(&j, tick, j.bytes, 0, j.bytes, c->rank + 1 - exclusive, j.out);
    mend_cell_end(c, tick);
    return err;
}

int mend_cell_reduce_scatter(struct mend_comm *c, const void *in, const struct mend_coll_buf *all,
                             const MPI_Count *begin, const struct mend_op *op)
{
    struct job j = job_of(c, in, all, op, MEND_CELL_REDUCE_SCATTER);
    MPI_Count at = begin[c->rank] * j.type->size, n = begin[c->rank + 1] * j.type->size - at;
    uint64_t tick;
    int err = say_and_wait(&j, true, &tick);

    if (!err)
        reduce_ranks(&j, tick, j.bytes, at, n, c->size, j.out);
    mend_cell_end(c, tick);
    return err;
}
