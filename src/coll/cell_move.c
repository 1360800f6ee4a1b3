/* SPDX-License-Identifier: BSD-3-Clause */
/* cell_move.c – gather, scatter, allgather and alltoall of short blocks: one tick each.
 *
 * A member that has data publishes them packed; a member that needs some takes them out of the owner's
 * block. */
#include "coll/algorithms.h"
#include "coll/cell.h"
#include "coll/cell_forms.h"

/* Elements of a buffer, for mend_cell_pack(). */
struct data {
    const struct mend_type *type;
    const void *buf;
    MPI_Count count;
};

/* size: bytes that every member's line announces. */
static int begin_and_say(struct mend_comm *c, enum mend_cell_what kind, MPI_Count size,
                         const struct data *d, MPI_Count bytes, uint64_t *tick_p)
{
    int err = mend_cell_begin(c, 1, tick_p);

    if (err || !d)
        return err;
    return mend_cell_say(c, *tick_p, kind, size, d->type, d->buf, d->count, 0, bytes);
}

int mend_cell_gather(struct mend_comm *c, const struct mend_coll_buf *in,
                     const struct mend_coll_buf *out, MPI_Count bytes, int root)
{
    struct data mine = {in->type, in->buf, in->count};
    uint64_t tick;
    bool at_root = c->rank == root;
    int err = begin_and_say(c, MEND_CELL_GATHER, bytes, at_root ? NULL : &mine, bytes, &tick);

    for (int r = 0; at_root && r < c->size && !err; r++) {
        char *to = (char *)out->buf + r * out->count * out->type->extent;

        if (r == root) {
            if (in->buf != MPI_IN_PLACE)
                mend_type_copy(in->type, in->buf, in->count, out->type, to, out->count);
            continue;
        }
        err = mend_cell_wait_one(c, r, tick, MEND_CELL_WHAT(MEND_CELL_GATHER, bytes));
        if (!err)
            mend_cell_unpack(out->type, to, out->count, 0, mend_cell_data(c, r, tick, bytes),
                             bytes);
    }
    mend_cell_end(c, tick);
    return err;
}

int mend_cell_scatter(struct mend_comm *c, const struct mend_coll_buf *in,
                      const struct mend_coll_buf *out, MPI_Count bytes, int root)
{
    MPI_Count all = bytes * c->size;
    struct data blocks = {in->type, in->buf, in->count * c->size};
    uint64_t tick;
    int err =
        begin_and_say(c, MEND_CELL_SCATTER, all, c->rank == root ? &blocks : NULL, all, &tick);

    if (!err && out->buf != MPI_IN_PLACE) {
        err = mend_cell_wait_one(c, root, tick, MEND_CELL_WHAT(MEND_CELL_SCATTER, all));
        if (!err)
            mend_cell_unpack(out->type, out->buf, out->count, 0,
                             (const char *)mend_cell_data(c, root, tick, all) + c->rank * bytes,
                             bytes);
    }
    mend_cell_end(c, tick);
    return err;
}

/* blocks: of out; they may differ in size, then all announce the largest. */
int mend_cell_allgather(struct mend_comm *c, const struct mend_coll_buf *in,
                        const struct mend_coll_buf *out, const struct mend_blocks *blocks)
{
    struct mend_piece own = mend_block(blocks, c->rank);
    bool in_place = in->buf == MPI_IN_PLACE;
    struct data mine = {in->type, in->buf, in->count};
    MPI_Count size = 0;
    uint64_t tick;
    int err;

    for (int r = 0; r < (blocks->counts ? c->size : 1); r++) {
        MPI_Count bytes = mend_piece_bytes(mend_block(blocks, r));

        size = bytes > size ? bytes : size;
    }
    if (in_place)
        mine = (struct data){own.type, (char *)out->buf + own.at, own.count};
    err = begin_and_say(c, MEND_CELL_ALLGATHER, size, &mine, mend_piece_bytes(own), &tick);
    if (!err)
        err = mend_cell_wait_all(c, tick, MEND_CELL_WHAT(MEND_CELL_ALLGATHER, size));
    if (!err)
        mend_cell_all_past(c, tick - 1);
    for (int r = 0; r < c->size && !err; r++) {
        struct mend_piece p = mend_block(blocks, r);

        if (r != c->rank || !in_place)
            mend_cell_unpack(p.type, (char *)out->buf + p.at, p.count, 0,
                             mend_cell_data(c, r, tick, size), mend_piece_bytes(p));
    }
    mend_cell_end(c, tick);
    return err;
}

int mend_cell_alltoall(struct mend_comm *c, const struct mend_coll_buf *in,
                       const struct mend_coll_buf *out)
{
    MPI_Count bytes = out->count * out->type->size, all = bytes * c->size;
    const struct mend_coll_buf *from = in->buf == MPI_IN_PLACE ? out : in;
    struct data blocks = {from->type, from->buf, from->count * c->size};
    uint64_t tick;
    int err = begin_and_say(c, MEND_CELL_ALLTOALL, all, &blocks, all, &tick);

    if (!err)
        err = mend_cell_wait_all(c, tick, MEND_CELL_WHAT(MEND_CELL_ALLTOALL, all));
    if (!err)
        mend_cell_all_past(c, tick - 1);
    for (int r = 0; r < c->size && !err; r++)
        mend_cell_unpack(out->type, (char *)out->buf + r * out->count * out->type->extent,
                         out->count, 0,
                         (const char *)mend_cell_data(c, r, tick, all) + c->rank * bytes, bytes);
    mend_cell_end(c, tick);
    return err;
}
