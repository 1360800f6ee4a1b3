/* SPDX-License-Identifier: BSD-3-Clause */
/* cell_open.c – the state of collectives in a communicator, and its first use of its cell (node/cells.h).
 *
 * First use: a member clears its lines, then writes the communicator's mark into its head; no member reads before it
 * has seen all marks. */
#include "coll/cell.h"
#include "node/cells.h"
#include "node/node.h"

static uint64_t mark_of(const struct mend_comm *c)
{
    return c->ctx | MEND_CTX_CHANNEL_MASK; /* never 0 */
}

static struct mend_cell_block *block_of(struct mend_proc *self, mend_peer peer, int cell)
{
    return (void *)mend_node_cell_of(self->node->header, mend_peer_place(self, peer),
                                     (uint32_t)cell);
}

int mend_coll_init(struct mend_proc *self)
{
    struct mend_coll *m = mend_zalloc(self, 1, sizeof(*m));

    if (!m)
        return MPI_ERR_NO_MEM;
    mend_list_init(&m->running);
    self->coll = m;
    return MPI_SUCCESS;
}

int mend_coll_attach(struct mend_comm *c)
{
    struct mend_node *node = c->self->node;

    c->coll = mend_zalloc(c->self, 1, sizeof(*c->coll));
    if (!c->coll)
        return MPI_ERR_NO_MEM;
    c->coll->crowded = node && node->header->ranks_here_n > node->header->cores_n;
    mend_coll_choose_table(c);
    return MPI_SUCCESS;
}

static bool touch_blocks(struct mend_comm *c)
{
    for (int r = 0; r < c->size; r++)
        if (!mend_node_touch(c->self, block_of(c->self, mend_group_peer(c->group, r), c->cell),
                             MEND_NODE_CELL_CONTROL))
            return false;
    return true;
}

static void close_cell(struct mend_comm *c)
{
    struct mend_cells_closing *x = mend_cells_closing(c->self, c->cell, mark_of(c), c->size);

    for (int r = 0; r < c->size; r++)
        if (r != c->rank)
            mend_cells_add_member(c->self, x, mend_group_peer(c->group, r));
    mend_cells_close(c->self, x);
}

void mend_coll_detach(struct mend_comm *c)
{
    struct mend_proc *self = c->self;

    if (!c->coll)
        return;
    if (c->cell >= 0 && self->node)
        close_cell(c);
    mend_free(self, c->coll->block);
    mend_free(self, c->coll);
    c->coll = NULL;
}

struct opening {
    struct mend_comm *c;
    int seen; /* ranks below it have opened */
};

static bool all_open(struct mend_proc *self, void *arg)
{
    struct opening *o = arg;
    struct mend_comm *c = o->c;

    (void)self;
    /* acquire: pairs with the release in mend_cell_open() */
    while (o->seen < c->size && mend_load_acquire(&c->coll->block[o->seen]->mark) == mark_of(c))
        o->seen++;
    return o->seen == c->size || mend_coll_check(c);
}

static void not_open(const void *arg, uint64_t *peers)
{
    const struct opening *o = arg;
    const struct mend_comm *c = o->c;

    for (int r = o->seen; r < c->size; r++)
        if (mend_load_relaxed(&c->coll->block[r]->mark) != mark_of(c))
            mend_missing_add(peers, mend_group_peer(c->group, r));
}

int mend_cell_open(struct mend_comm *c)
{
    struct mend_proc *self = c->self;
    struct mend_coll_comm *cc = c->coll;
    struct opening o = {.c = c};
    struct mend_wait wait = {.until = all_open,
                             .arg = &o,
                             .hint = MEND_PEER_NONE,
                             .rings = cc->crowded,
                             .what = "others to take part",
                             .comm = c,
                             .missing = not_open};

    if (!touch_blocks(c))
        return MPI_ERR_NO_MEM;
    cc->block = mend_alloc_for_others(self, (size_t)c->size * sizeof(struct mend_cell_block *));
    if (!cc->block)
        return MPI_ERR_NO_MEM;
    for (int r = 0; r < c->size; r++)
        cc->block[r] = block_of(self, mend_group_peer(c->group, r), c->cell);
    cc->mine = cc->block[c->rank];
    for (unsigned i = 0; i < MEND_CELL_LINES; i++)
        mend_store_relaxed(&cc->mine->line[i].number, 0);
    mend_store_relaxed(&cc->mine->done, 0);
    /* release: pairs with the acquire in all_open() */
    mend_store_release(&cc->mine->mark, mark_of(c));
    mend_cell_told(c);
    c->calls_n++; /* for reports: it counts only when it has begun */
    mend_wait_until(self, &wait);
    c->calls_n--;
    if (o.seen == c->size)
        return MPI_SUCCESS;
    mend_free(self, cc->block);
    cc->block = NULL;
    return mend_coll_check(c);
}
