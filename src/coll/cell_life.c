/* SPDX-License-Identifier: BSD-3-Clause */
/* cell_life.c – which communicator uses which cell of the node's segment, and how long.
 *
 *   free ──offered at creation, agreed on──> taken ──first use──> open ──detach──> closed ──> free
 *                                                                             all others closed it
 *                                                                             too, or are dead
 *
 * A member that has closed a communicator no longer reads the others' blocks.  It publishes this
 * in the segment, and keeps its cell back until all other members have done the same or are dead,
 * because a slow member may still be reading.  This needs no message and no wait: the list of
 * closed cells is checked when a cell is requested.
 *
 * P finds out that M has closed the communicator with mark X, although M's words may continue to change:
 * M's cell can serve another communicator only after P, too, has closed X.  So when P closes X,
 * either the mark that M closed last is X, or M has not closed X yet and the next change of M's counter
 * means that it has.
 *
 * Invariant: the agreement area and no_from of a free cell are zero (mend_node_votes_clear()). */
#include "coll/cell.h"
#include "node/node.h"

#include <string.h>

/* A closed communicator's cell that others may still look at. */
struct closed {
    struct mend_list link;
    int cell, n;
    struct {
        mend_peer peer;
        uint64_t closed_n; /* it has closed the communicator when its counter is beyond this */
    } waiting[];
};

static uint64_t mark_of(const struct mend_comm *c)
{
    return c->ctx | MEND_CTX_CHANNEL_MASK; /* never 0 */
}

static struct mend_node_said *said_of(struct mend_proc *self, mend_peer peer, int cell)
{
    return mend_node_said_of(self->node->header, mend_peer_place(self, peer), (uint32_t)cell);
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
    mend_list_init(&m->closed);
    m->cells_free = self->node && self->params.coll_shm ? UINT64_MAX : 0;
    self->coll = m;
    return MPI_SUCCESS;
}

/* The segment says which of our cells others may look at, for the time when we are dead. */
static void set_free(struct mend_proc *self, uint64_t cells)
{
    self->coll->cells_free = cells;
    if (self->node)
        mend_store_release(
            &mend_node_rank_of(self->node->header, mend_peer_place(self, self->me))->cells_taken,
            ~cells);
}

void mend_coll_cell_take(struct mend_proc *self, int cell)
{
    MEND_ASSERT(self->coll->cells_free >> cell & 1);
    set_free(self, self->coll->cells_free & ~(UINT64_C(1) << cell));
}

void mend_coll_cell_give_back(struct mend_proc *self, int cell)
{
    MEND_ASSERT(!(self->coll->cells_free >> cell & 1));
    set_free(self, self->coll->cells_free | UINT64_C(1) << cell);
}

/* acquire: pairs with the release in say_closed() */
static bool is_closed(struct mend_proc *self, const struct closed *x, int i)
{
    return mend_load_acquire(&said_of(self, x->waiting[i].peer, x->cell)->closed_n) !=
           x->waiting[i].closed_n;
}

/* Everybody has closed the communicator, or is dead. */
static bool nobody_left(struct mend_proc *self, const struct closed *x)
{
    for (int i = 0; i < x->n; i++)
        if (!mend_peer_is_dead(self, x->waiting[i].peer) && !is_closed(self, x, i))
            return false;
    return true;
}

/* Who died before it closed the communicator has its cell for ever, and nobody looks at it. */
static void give_back_dead(struct mend_proc *self, const struct closed *x)
{
    for (int i = 0; i < x->n; i++)
        if (mend_peer_is_dead(self, x->waiting[i].peer) && !is_closed(self, x, i))
            mend_node_give_back(self, block_of(self, x->waiting[i].peer, x->cell),
                                MEND_NODE_CELL_BYTES);
}

static void collect_closed(struct mend_proc *self)
{
    mend_list_foreach (l, next, &self->coll->closed) {
        struct closed *x = mend_list_entry(l, struct closed, link);

        if (!nobody_left(self, x))
            continue;
        mend_node_votes_clear(self, x->cell);
        give_back_dead(self, x);
        mend_coll_cell_give_back(self, x->cell);
        mend_list_remove(&x->link);
        mend_free(self, x);
    }
}

uint64_t mend_coll_cells_offer(struct mend_proc *self, bool modest, unsigned turn)
{
    uint64_t offer;

    collect_closed(self);
    offer = self->coll->cells_free & ~self->coll->cells_offered;
    if (modest)
        offer &= UINT64_C(0x1111111111111111) << turn % 4;
    self->coll->cells_offered |= offer;
    return offer;
}

void mend_coll_cells_settle(struct mend_proc *self, uint64_t offered)
{
    MEND_ASSERT((self->coll->cells_offered & offered) == offered);
    self->coll->cells_offered &= ~offered;
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

/* Whom the cell still waits for.  To be called before the own closing is told. */
static struct closed *others(struct mend_comm *c)
{
    struct mend_proc *self = c->self;
    struct closed *x;

    mend_memory_press(self); /* without it the cell would never be free again */
    x = mend_alloc(self, sizeof(*x) + (size_t)c->size * sizeof(x->waiting[0]));
    mend_memory_relax(self);
    x->cell = c->cell;
    x->n = 0;
    for (int r = 0; r < c->size; r++) {
        mend_peer p = mend_group_peer(c->group, r);
        struct mend_node_said *b = said_of(self, p, c->cell);
        /* acquire, both: pair with the releases in say_closed(); the mark alone may be there already */
        uint64_t n = mend_load_acquire(&b->closed_n);

        if (r == c->rank || mend_load_acquire(&b->closed_mark) == mark_of(c))
            continue;
        x->waiting[x->n].peer = p;
        x->waiting[x->n++].closed_n = n;
    }
    return x;
}

static void say_closed(struct mend_comm *c)
{
    struct mend_node_said *b = said_of(c->self, c->self->me, c->cell);

    /* release, both: pair with the acquires in is_closed() and others(); this process reads the cell no more */
    mend_store_release(&b->closed_mark, mark_of(c));
    mend_store_release(&b->closed_n, mend_load_relaxed(&b->closed_n) + 1);
}

static void close_cell(struct mend_comm *c)
{
    struct closed *x = others(c);

    say_closed(c);
    mend_list_append(&c->self->coll->closed, &x->link);
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
