/* SPDX-License-Identifier: BSD-3-Clause */
/* direct.c – operations by loads and stores.
 *
 * Between two types nothing is packed: both are walked at once.  Accumulates go through a small buffer where the
 * origin's elements do not lie side by side. */
#include "rma/direct.h"

#include "base/copy.h"
#include "net/net.h"
#include "rma/element.h"
#include "rma/link.h"
#include "rma/run.h"

#define CHUNK 2048              /* bytes of elements that are gathered at a time */
#define PIECE ((size_t)1 << 20) /* of a single copy: between two looks whether there is news */

static char *address_of(const struct mend_win *w, const struct mend_rma_op *op)
{
    const struct mend_win_part *p = &w->part[op->target];

    if (w->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return (char *)(uintptr_t)op->disp;
    return p->here + op->disp * p->disp_unit;
}

static bool moves_only(const struct mend_rma_op *op)
{
    return op->kind == MEND_RMA_PUT || op->kind == MEND_RMA_GET;
}

/* In a window that is not shared only the target changes elements.  Its own process may do what the target does: it holds the library's
 * lock. */
bool mend_direct_can(struct mend_win *w, const struct mend_rma_op *op)
{
    if (w->flavor == MPI_WIN_FLAVOR_DYNAMIC || !mend_win_reach(w, op->target)->here)
        return false;
    if (w->shared)
        return true;
    return (op->target == w->me || (moves_only(op) && mend_win_is_near(w, op->target))) &&
           mend_rma_link_has_lock(w, op->target);
}

static void put_or_get(const struct mend_rma_data *from, const struct mend_rma_data *to)
{
    struct mend_cursor a, b;

    if (mend_likely(from->type->dense && to->type->dense)) {
        mend_copy_any((char *)to->to + to->type->true_lb,
                      (const char *)from->from + from->type->true_lb,
                      (size_t)(from->count * from->type->size));
        return;
    }
    mend_cursor_begin(&a, from->type, from->from, from->count, 0);
    mend_cursor_begin(&b, to->type, to->to, to->count, 0);
    mend_cursor_copy(&b, &a);
}

static bool is_plain(const struct mend_rma_data *d, const struct mend_type *basic)
{
    return d->type->dense && d->type->predefined && basic->size == basic->extent;
}

/* Elements in one piece on all sides. */
static bool is_in_one_piece(const struct mend_rma_op *op)
{
    return is_plain(&op->there, op->basic) &&
           (op->origin.count == 0 || is_plain(&op->origin, op->basic)) &&
           (op->kind != MEND_RMA_GET_ACC || is_plain(&op->result, op->basic));
}

static int accumulate_plain(struct mend_win *w, const struct mend_rma_op *op, char *at)
{
    return mend_rma_apply(w, op->target, op->op, op->basic,
                          op->origin.count ? op->origin.from : op->result.to, at, op->there.count,
                          op->kind == MEND_RMA_GET_ACC ? op->result.to : NULL);
}

static int accumulate(struct mend_win *w, const struct mend_rma_op *op, char *at)
{
    _Alignas(32) char in[CHUNK], old[CHUNK];
    bool fetch = op->kind == MEND_RMA_GET_ACC;
    size_t size = (size_t)op->basic->size;
    MPI_Count n, packed = 0;
    struct mend_runs runs;
    int err = MPI_SUCCESS;

    if (is_in_one_piece(op))
        return accumulate_plain(w, op, at);
    memset(in, 0, sizeof(in));
    mend_runs_begin(&runs, op->basic, op->there.type, at, op->there.count);
    while (!err && mend_runs_next(&runs, (MPI_Count)(CHUNK / size), &at, &n)) {
        size_t len = (size_t)n * size;

        if (op->origin.count)
            mend_type_pack(op->origin.type, op->origin.from, op->origin.count, packed, in, len);
        err = mend_rma_apply(w, op->target, op->op, op->basic, in, at, n, fetch ? old : NULL);
        if (fetch && !err)
            mend_type_unpack(op->result.type, op->result.to, op->result.count, packed, old, len);
        packed += (MPI_Count)len;
    }
    return err;
}

int mend_direct_do(struct mend_win *w, const struct mend_rma_op *op)
{
    char *at = address_of(w, op);
    struct mend_rma_data there = op->there;

    there.to = at;
    switch (op->kind) {
    case MEND_RMA_PUT:
        put_or_get(&op->origin, &there);
        return MPI_SUCCESS;
    case MEND_RMA_GET:
        put_or_get(&there, &op->result);
        return MPI_SUCCESS;
    case MEND_RMA_SWAP:
        return mend_rma_swap(w, op->target, op->basic, op->compare, op->origin.from, at,
                             op->result.to);
    default:
        return accumulate(w, op, at);
    }
}

/* ---- single copy ---- */

static const struct mend_near *near_of(const struct mend_win *w, const struct mend_rma_op *op)
{
    return mend_near_of(w->self, mend_comm_peer(w->comm, op->target));
}

bool mend_direct_may_copy(const struct mend_win *w, const struct mend_rma_op *op)
{
    const struct mend_rma_data *mine = op->kind == MEND_RMA_PUT ? &op->origin : &op->result;

    return moves_only(op) && w->flavor == MPI_WIN_FLAVOR_CREATE && !w->part[op->target].at &&
           mend_win_is_near(w, op->target) && mine->type->dense && op->there.type->dense &&
           near_of(w, op)->pull && near_of(w, op)->push && mend_rma_link_has_lock(w, op->target);
}

static enum mend_status copy_piece(struct mend_win *w, const struct mend_rma_op *op, char *mine,
                                   uint64_t remote, size_t len)
{
    mend_peer peer = mend_comm_peer(w->comm, op->target);

    if (mend_win_is_dead(w, op->target) || w->comm->revoked)
        return MEND_ERR_PEER;
    return op->kind == MEND_RMA_PUT
               ? near_of(w, op)->push(w->self, peer, mine, remote, len)
               : near_of(w, op)->pull(w->self, peer, mine, remote, len, MEND_STAMP_STAYS);
}

bool mend_direct_copy(struct mend_win *w, const struct mend_rma_op *op)
{
    const struct mend_rma_data *d = op->kind == MEND_RMA_PUT ? &op->origin : &op->result;
    const struct mend_win_part *p = &w->part[op->target];
    size_t len = (size_t)(op->there.count * op->there.type->size), step;
    uint64_t remote = p->address + (uint64_t)(op->disp * p->disp_unit + op->there.type->true_lb);
    char *mine = (char *)(uintptr_t)d->from;

    mine += d->type->true_lb;
    for (size_t at = 0; at < len; at += step) {
        step = len - at < PIECE ? len - at : PIECE;
        if (copy_piece(w, op, mine + at, remote + at, step) != MEND_OK)
            return false;
    }
    return true;
}
