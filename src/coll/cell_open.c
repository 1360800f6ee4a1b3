/* SPDX-License-Identifier: BSD-3-Clause */
/* cell_open.c – the state of collectives in a communicator, and its first use of its cell (node/cells.h).
 *
 * First use: a member reserves the pages of its own block, clears its lines and says "open" in the segment, apart from the
 * cell; no member looks at a block before it has seen that all are open.  A member without memory says "declined" instead.
 * All members then learn of it, because none goes on before it has seen the words of all, and their collectives go by
 * messages from then on.
 *
 *     said[m][cell].opened    mark          m's block is open
 *                             mark ^ 2      so it is, and there are more ranks than cores
 *                             mark ^ 1      it will never be
 *                             else          m has not come here yet: a word about an earlier communicator
 */
#include "coll/cell.h"
#include "coll/nodes.h"
#include "node/cells.h"
#include "node/node.h"

static uint64_t mark_of(const struct mend_comm *c)
{
    return c->ctx | MEND_CTX_CHANNEL_MASK; /* never 0 */
}

/* What a member says about its block. */
static mend_atomic_u64 *word_of(const struct mend_comm *c, int rank)
{
    return &mend_node_said_of(c->self->node->header,
                              mend_peer_place(c->self, mend_group_peer(c->group, rank)),
                              (uint32_t)c->cell)
                ->opened;
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
    c->coll = mend_zalloc(c->self, 1, sizeof(*c->coll));
    if (!c->coll)
        return MPI_ERR_NO_MEM;
    c->coll->tick = c->coll->floor = mend_params_first(&c->self->params, 1);
    mend_coll_choose_table(c);
    return mend_nodes_of(c, &c->coll->nodes);
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
    mend_free(self, c->coll->nodes);
    mend_free(self, c->coll->block);
    mend_free(self, c->coll);
    c->coll = NULL;
}

static bool is_open(const struct mend_comm *c, uint64_t word)
{
    return (word | 2) == mark_of(c);
}

struct opening {
    struct mend_comm *c;
    int seen; /* ranks below it have opened */
    bool declined, oversubscribed;
};

static bool all_open(struct mend_proc *self, void *arg)
{
    struct opening *o = arg;
    struct mend_comm *c = o->c;

    (void)self;
    for (; o->seen < c->size; o->seen++) {
        /* acquire: pairs with the release in say() */
        uint64_t word = mend_load_acquire(word_of(c, o->seen));

        o->declined = word == (mark_of(c) ^ 1);
        o->oversubscribed |= word == (mark_of(c) ^ 2);
        if (!is_open(c, word))
            break;
    }
    return o->seen == c->size || o->declined || mend_coll_check(c);
}

static void not_open(const void *arg, uint64_t *peers)
{
    const struct opening *o = arg;
    const struct mend_comm *c = o->c;

    for (int r = o->seen; r < c->size; r++)
        if (!is_open(c, mend_load_relaxed(word_of(c, r))))
            mend_missing_add(peers, mend_group_peer(c->group, r));
}

/* This member's block, with clear lines.  False: there is no memory. */
static bool make_block(struct mend_comm *c)
{
    struct mend_coll_comm *cc = c->coll;
    struct mend_cell_block *mine = block_of(c->self, c->self->me, c->cell);

    if (!mend_node_touch(c->self, mine, MEND_NODE_CELL_CONTROL))
        return false;
    cc->block = mend_alloc_for_others(c->self, (size_t)c->size * sizeof(struct mend_cell_block *));
    if (!cc->block)
        return false;
    for (int r = 0; r < c->size; r++)
        cc->block[r] = block_of(c->self, mend_group_peer(c->group, r), c->cell);
    cc->mine = mine;
    for (unsigned i = 0; i < MEND_CELL_LINES; i++)
        mend_store_relaxed(&mine->line[i].number, 0);
    mend_store_relaxed(&mine->done, 0);
    if (c->rank == 0)
        memset(&mine->pair, 0, sizeof(mine->pair));
    return true;
}

static void say(struct mend_comm *c, uint64_t word)
{
    /* release: pairs with the acquire in all_open() */
    mend_store_release(word_of(c, c->rank), word);
    mend_cell_told(c);
}

static void wait_for_all(struct opening *o)
{
    struct mend_wait wait = {.cause = MEND_WAIT_COLLECTIVES,
                             .until = all_open,
                             .arg = o,
                             .hint = MEND_PEER_NONE,
                             .rings = mend_node_is_oversubscribed(o->c->self),
                             .what = "others to take part",
                             .comm = o->c,
                             .missing = not_open};

    o->c->calls_n++; /* for reports: it counts only when it has begun */
    mend_wait_until(o->c->self, &wait);
    o->c->calls_n--;
}

bool mend_cell_open(struct mend_comm *c)
{
    struct mend_coll_comm *cc = c->coll;
    struct opening o = {.c = c};

    if (cc->declined || mend_coll_check(c))
        return false;
    if (make_block(c)) {
        say(c, mend_node_is_oversubscribed(c->self) ? mark_of(c) ^ 2 : mark_of(c));
        wait_for_all(&o);
    } else {
        say(c, mark_of(c) ^ 1);
        o.declined = true;
    }
    if (o.seen == c->size) {
        cc->oversubscribed = o.oversubscribed;
        cc->pair = c->size == 2 ? &cc->block[0]->pair : NULL;
        return true;
    }
    cc->declined = o.declined;
    mend_free(c->self, cc->block);
    cc->block = NULL;
    return false;
}
