/* SPDX-License-Identifier: BSD-3-Clause */
/* shm_reduce.c – reductions in shared memory.
 *
 * Direct: everybody publishes its vector, everybody who needs the result reads all vectors and reduces
 * them itself.  One tick per piece; the next piece is published before this one is read, so that the
 * others have it in time:
 *
 *     say 1 │ say 2, wait 1, reduce 1 │ say 3, wait 2, reduce 2 │ ...
 *
 * Sliced, for long vectors of three and more: each reduces one slice of a piece and publishes it, then all
 * copy the slices.  Two ticks per piece, a and b:
 *
 *     say a1 │ say a2, wait a1, reduce my slice, say b1, wait b1, copy │ say a3, wait a2, ...
 *
 * Values are reduced in the order of the ranks, from the highest down (the operator writes its right
 * operand), so all get the same bits.  Only predefined operators on dense types come here: the
 * user's functions never see shared memory. */
#include "coll/shm.h"

#define DIRECT_MAX   (4 * 1024)  /* longer vectors of three and more ranks are sliced */
#define DIRECT_CHUNK (32 * 1024) /* bytes per tick, so that four buffers stay in the cache */
#define BLOCK_BYTES  (8 * 1024)  /* reduced at once, so that the result stays in the nearest cache */

/* One reduction, as bytes. */
struct job {
    struct mend_comm *c;
    const struct mend_op *op;
    const struct mend_type *type;
    MPI_Datatype handle;
    const char *in;
    char *out;
    MPI_Count bytes, chunk;
    enum mend_shm_what kind;
};

static struct job job_of(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                         const struct mend_op *op, enum mend_shm_what kind)
{
    MPI_Count lb = out->type->true_lb;

    return (struct job){
        .c = c,
        .op = op,
        .type = out->type,
        .handle = out->handle,
        .in = (const char *)(in == MPI_IN_PLACE ? out->buf : in) + lb,
        .out = (char *)out->buf + lb,
        .bytes = out->count * out->type->size,
        .kind = kind,
    };
}

static void apply(const struct job *j, const void *in, void *inout, MPI_Count bytes)
{
    mend_op_apply(j->op, (const char *)in - j->type->true_lb, (char *)inout - j->type->true_lb,
                  bytes / j->type->size, j->type, j->handle);
}

/* to = values of ranks 0 .. top in a tick, bytes [at, at + n) of `size` in that tick. */
static void reduce_ranks(const struct job *j, uint64_t tick, MPI_Count size, MPI_Count at,
                         MPI_Count n, int top, char *to)
{
    MPI_Count block = BLOCK_BYTES - BLOCK_BYTES % j->type->size;

    for (MPI_Count b = 0; b < n; b += block) {
        MPI_Count len = n - b < block ? n - b : block;

        memcpy(to + b, (const char *)mend_shm_data(j->c, top, tick, size) + at + b, (size_t)len);
        for (int r = top - 1; r >= 0; r--)
            apply(j, (const char *)mend_shm_data(j->c, r, tick, size) + at + b, to + b, len);
    }
}

static int say(const struct job *j, uint64_t tick, MPI_Count at)
{
    MPI_Count n = j->bytes - at < j->chunk ? j->bytes - at : j->chunk;
    void *room;
    int err = mend_shm_room(j->c, tick, n, &room);

    if (mend_unlikely(err))
        return err;
    if (mend_likely(room && n))
        memcpy(room, j->in + at, (size_t)n);
    mend_shm_publish(j->c, tick, MEND_SHM_WHAT(j->kind, n) | (room ? 0 : MEND_SHM_NO_MEMORY));
    return MPI_SUCCESS;
}

/* Bytes per tick: a whole number of elements. */
static MPI_Count chunk_bytes(const struct job *j, MPI_Count target)
{
    return target - target % j->type->size;
}

/* reader: this member needs the result. */
static int run_direct(struct job *j, bool reader)
{
    struct mend_comm *c = j->c;
    MPI_Count target = c->coll->crowded ? MEND_SHM_COLL_CHUNK : DIRECT_CHUNK;
    uint64_t n, first;
    int err;

    j->chunk = chunk_bytes(j, target);
    n = j->bytes <= j->chunk ? 1 : (uint64_t)((j->bytes + j->chunk - 1) / j->chunk);
    err = mend_shm_begin(c, n, &first);
    if (mend_unlikely(err))
        return err;
    err = say(j, first, 0);
    for (uint64_t i = 0; i < n && !err; i++) {
        MPI_Count at = (MPI_Count)i * j->chunk;
        MPI_Count bytes = j->bytes - at < j->chunk ? j->bytes - at : j->chunk;

        if (i + 1 < n)
            err = say(j, first + i + 1, at + j->chunk);
        if (reader && !err)
            err = mend_shm_wait_all(c, first + i, MEND_SHM_WHAT(j->kind, bytes));
        if (reader && !err) {
            /* Who published this tick is past the one before the last (or the last, at the first). */
            mend_shm_all_past(c, first + i - (i ? 2 : 1));
            reduce_ranks(j, first + i, bytes, 0, bytes, c->size - 1, j->out + at);
        }
        if (i + 1 < n)
            mend_shm_past(c, first + i);
    }
    mend_shm_end(c, first + n - 1);
    return err;
}

static MPI_Count slice_at(const struct job *j, MPI_Count bytes, int rank)
{
    return mend_part_begin(bytes / j->type->size, j->c->size, rank) * j->type->size;
}

/* Largest slice of a piece: rank 0's. */
static MPI_Count slice_size(const struct job *j, MPI_Count bytes)
{
    return slice_at(j, bytes, 1);
}

/* Reduces my slice of the piece in tick a into my buffer of tick a + 1. */
static int reduce_slice(const struct job *j, uint64_t a, MPI_Count bytes)
{
    struct mend_comm *c = j->c;
    MPI_Count at = slice_at(j, bytes, c->rank), size = slice_size(j, bytes);
    MPI_Count n = slice_at(j, bytes, c->rank + 1) - at;
    void *room;
    int err = mend_shm_room(c, a + 1, size, &room);

    if (err)
        return err;
    if (room)
        reduce_ranks(j, a, bytes, at, n, c->size - 1, room);
    mend_shm_publish(c, a + 1,
                     MEND_SHM_WHAT(MEND_SHM_RESULT, size) | (room ? 0 : MEND_SHM_NO_MEMORY));
    return MPI_SUCCESS;
}

static void copy_slices(const struct job *j, uint64_t b, MPI_Count bytes, char *out)
{
    for (int r = 0; r < j->c->size; r++) {
        MPI_Count at = slice_at(j, bytes, r), n = slice_at(j, bytes, r + 1) - at;

        if (n)
            memcpy(out + at, mend_shm_data(j->c, r, b, slice_size(j, bytes)), (size_t)n);
    }
}

static int run_sliced(struct job *j, bool reader)
{
    struct mend_comm *c = j->c;
    MPI_Count target = c->coll->crowded ? MEND_SHM_COLL_CHUNK : DIRECT_CHUNK * 2;
    uint64_t n, first;
    int err;

    j->chunk = chunk_bytes(j, target);
    n = (uint64_t)((j->bytes + j->chunk - 1) / j->chunk);
    err = mend_shm_begin(c, 2 * n, &first);
    if (err)
        return err;
    err = say(j, first, 0);
    for (uint64_t i = 0; i < n && !err; i++) {
        MPI_Count at = (MPI_Count)i * j->chunk;
        MPI_Count bytes = j->bytes - at < j->chunk ? j->bytes - at : j->chunk;
        uint64_t a = first + 2 * i;

        if (i + 1 < n)
            err = say(j, a + 2, at + j->chunk);
        if (!err)
            err = mend_shm_wait_all(c, a, MEND_SHM_WHAT(j->kind, bytes));
        if (!err)
            err = reduce_slice(j, a, bytes);
        if (!err && reader)
            err = mend_shm_wait_all(c, a + 1, MEND_SHM_WHAT(MEND_SHM_RESULT, slice_size(j, bytes)));
        if (!err && reader) {
            mend_shm_all_past(c, a); /* who published its slice has read all vectors */
            copy_slices(j, a + 1, bytes, j->out + at);
        }
        if (i + 1 < n)
            mend_shm_past(c, a + 1);
    }
    mend_shm_end(c, first + 2 * n - 1);
    return err;
}

static int run(struct job *j, bool reader)
{
    if (j->c->size <= 2 || j->bytes <= DIRECT_MAX)
        return run_direct(j, reader);
    return run_sliced(j, reader);
}

int mend_shm_allreduce(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                       const struct mend_op *op)
{
    struct job j = job_of(c, in, out, op, MEND_SHM_REDUCE);

    return run(&j, true);
}

int mend_shm_reduce(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                    const struct mend_op *op, int root)
{
    struct job j = job_of(c, in, out, op, MEND_SHM_REDUCE);

    return run(&j, c->rank == root);
}

/* Everybody publishes its vector and waits for all, so that all hear of a dead one (R7). */
static int say_and_wait(struct job *j, uint64_t *tick_p)
{
    int err = mend_shm_begin(j->c, 1, tick_p);

    j->chunk = j->bytes;
    if (!err)
        err = say(j, *tick_p, 0);
    if (!err)
        err = mend_shm_wait_all(j->c, *tick_p, MEND_SHM_WHAT(j->kind, j->bytes));
    if (!err)
        mend_shm_all_past(j->c, *tick_p - 1);
    return err;
}

int mend_shm_scan(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                  const struct mend_op *op, bool exclusive)
{
    struct job j = job_of(c, in, out, op, MEND_SHM_SCAN);
    uint64_t tick;
    int err = say_and_wait(&j, &tick);

    if (!err && c->rank >= exclusive)
        reduce_ranks(&j, tick, j.bytes, 0, j.bytes, c->rank - exclusive, j.out);
    mend_shm_end(c, tick);
    return err;
}

int mend_shm_reduce_scatter(struct mend_comm *c, const void *in, const struct mend_coll_buf *all,
                            const MPI_Count *begin, const struct mend_op *op)
{
    struct job j = job_of(c, in, all, op, MEND_SHM_REDUCE_SCATTER);
    MPI_Count at = begin[c->rank] * j.type->size, n = begin[c->rank + 1] * j.type->size - at;
    uint64_t tick;
    int err = say_and_wait(&j, &tick);

    if (!err)
        reduce_ranks(&j, tick, j.bytes, at, n, c->size - 1, j.out);
    mend_shm_end(c, tick);
    return err;
}
