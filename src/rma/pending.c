/* SPDX-License-Identifier: BSD-3-Clause */
/* pending.c – operations that go by messages: their beginning, their frames, their end. */
#include "rma/pending.h"

#include "datatype/predefined.h"
#include "rma/link.h"

#define LONG_PIECE ((size_t)4096) /* longer ones keep the alignment of the data */

/* ---- beginning and end ---- */

static bool is_answered(enum mend_rma_kind kind)
{
    return kind == MEND_RMA_GET || kind == MEND_RMA_GET_ACC || kind == MEND_RMA_SWAP;
}

static MPI_Count packed_bytes(const struct mend_rma_op *op)
{
    return op->there.count * op->there.type->size;
}

static void get_types(const struct mend_rma_op *op)
{
    mend_type_get(op->there.type);
    if (op->origin.type)
        mend_type_get(op->origin.type);
    if (op->result.type)
        mend_type_get(op->result.type);
}

/* Walks the target's data from its place in the part on, or from an address on. */
static void begin_walk(struct mend_rma_pending *p)
{
    const struct mend_rma_op *op = &p->op;
    struct mend_win *w = p->at->w;
    MPI_Aint unit = w->flavor == MPI_WIN_FLAVOR_DYNAMIC ? 1 : w->part[op->target].disp_unit;
    const void *where = (const void *)(uintptr_t)(op->disp * unit);

    if (op->basic)
        mend_runs_begin(&p->elements, op->basic, op->there.type, where, op->there.count);
    else
        mend_cursor_begin(&p->bytes, op->there.type, where, op->there.count, 0);
}

static void release(struct mend_request *r)
{
    struct mend_rma_pending *p = MEND_CONTAINER_OF(r, struct mend_rma_pending, base);
    struct mend_comm *c = r->comm;

    r->magic = 0;
    mend_free(c->self, p);
    mend_comm_put(c);
}

static const struct mend_request_ops ops = {
    .name = "one-sided operation", .cause = MEND_WAIT_WINDOWS, .release = release};

struct mend_rma_pending *mend_rma_pending_make(struct mend_rma_link *l,
                                               const struct mend_rma_op *op, bool wanted)
{
    struct mend_rma_pending *p = mend_zalloc(l->w->self, 1, sizeof(*p));

    if (!p)
        return NULL;
    l->operations_n++;
    p->at = l;
    p->op = *op;
    p->wanted = wanted;
    p->answered = is_answered(op->kind);
    l->next_id += l->next_id == UINT32_MAX ? 2 : 1; /* 0 is none */
    p->id = l->next_id;
    p->total = packed_bytes(op);
    get_types(op);
    begin_walk(p);
    if (wanted) {
        mend_request_init(&p->base, &ops, l->w->comm);
        mend_comm_get(l->w->comm);
        p->base.hint = mend_comm_peer(l->w->comm, l->target);
        mend_request_begin(&p->base);
    }
    return p;
}

static void put_types(struct mend_proc *self, struct mend_rma_op *op)
{
    mend_type_put(self, op->there.type);
    if (op->origin.type)
        mend_type_put(self, op->origin.type);
    if (op->result.type)
        mend_type_put(self, op->result.type);
}

void mend_rma_pending_end(struct mend_rma_pending *p, int error)
{
    struct mend_proc *self = p->at->w->self;

    if (p->link.next)
        mend_list_remove(&p->link);
    p->at->operations_n--;
    put_types(self, &p->op);
    if (p->wanted)
        mend_request_complete(&p->base, error);
    else
        mend_free(self, p);
}

/* ---- frames ---- */

/* The next block of at most max units: where it is at the target, and how many units. */
static bool next_block(struct mend_rma_pending *p, size_t max, struct mend_rma_block *b)
{
    char *at;
    size_t len;
    MPI_Count n;

    if (p->op.basic) {
        if (!mend_runs_next(&p->elements, (MPI_Count)max, &at, &n))
            return false;
        *b = (struct mend_rma_block){(int64_t)(intptr_t)at, (uint64_t)n};
        return true;
    }
    if (!max || !mend_cursor_next(&p->bytes, max, &at, &len))
        return false;
    *b = (struct mend_rma_block){(int64_t)(intptr_t)at, len};
    return true;
}

/* Writes origin data of the block behind its description. */
static size_t write_data(struct mend_rma_pending *p, const struct mend_rma_block *b, size_t unit,
                         char *room)
{
    size_t len = (size_t)b->n * unit;

    if (p->op.kind == MEND_RMA_GET)
        return 0;
    if (p->op.origin.count)
        mend_type_pack(p->op.origin.type, p->op.origin.from, p->op.origin.count, p->framed, room,
                       len);
    else
        memset(room, 0, len); /* MPI_NO_OP: the origin's data is not looked at */
    if (p->op.kind == MEND_RMA_SWAP) {
        mend_type_pack(p->op.basic, p->op.compare, 1, 0, room + len, len);
        return mend_rma_padded(2 * len);
    }
    return mend_rma_padded(len);
}

uint32_t mend_rma_pending_fill(struct mend_rma_pending *p, char *room, uint32_t max,
                               uint32_t answer_max)
{
    bool get = p->op.kind == MEND_RMA_GET;
    size_t unit = p->op.basic ? (size_t)p->op.basic->size : 1;
    size_t used = sizeof(struct mend_rma_head), answer = sizeof(struct mend_rma_head);
    struct mend_rma_head h = {.id = p->id, .at = (uint64_t)p->framed};
    struct mend_rma_block b;

    if (p->op.basic)
        h.type = (uint16_t)(uintptr_t)mend_type_handle(p->op.basic);
    if (p->op.op)
        h.op = p->op.op->code;
    memcpy(room, &h, sizeof(h));
    while (p->framed < p->total && used + sizeof(b) + (get ? 0 : 2 * unit + 8) <= max &&
           answer + unit <= answer_max) {
        size_t left = max - used - sizeof(b) - 8, left_there = answer_max - answer;

        left = get || left_there < left ? left_there : left;
        left = left >= LONG_PIECE && (MPI_Count)left < p->total - p->framed
                   ? left & ~(size_t)(MEND_CACHE_LINE - 1)
                   : left;
        if (!next_block(p, left / unit, &b))
            break;
        memcpy(room + used, &b, sizeof(b));
        used += sizeof(b);
        used += write_data(p, &b, unit, room + used);
        answer += (size_t)b.n * unit;
        p->framed += (MPI_Count)((size_t)b.n * unit);
    }
    return (uint32_t)used;
}
