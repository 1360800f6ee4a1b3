/* SPDX-License-Identifier: BSD-3-Clause */
/* cells.c – when a cell may serve another communicator (cells.h has the idea).
 *
 * P finds out that M has closed the communicator with mark X, although M's words may continue to change:
 * M's cell can serve another communicator only after P, too, has closed X.  So when P closes X,
 * either the mark that M closed last is X, or M has not closed X yet and the next change of M's counter
 * means that it has. */
#include "node/cells.h"

#include "node/node.h"

#define READY_MIN                                                                                  \
    8 /* cells that are offered, if there is memory: members often use different ones */
#define READY_MORE 16

/* A closed communicator's cell that others may still look at. */
struct mend_cells_closing {
    struct mend_list link;
    uint64_t mark;
    int cell, n;
    struct {
        mend_peer peer;
        uint64_t closed_n; /* it has closed the communicator when its counter is beyond this */
    } waiting[];
};

static struct mend_node_said *said_of(struct mend_proc *self, mend_peer peer, int cell)
{
    return mend_node_said_of(self->node->header, mend_peer_place(self, peer), (uint32_t)cell);
}

void mend_cells_take(struct mend_proc *self, int cell)
{
    MEND_ASSERT(self->node->cells_free >> cell & 1);
    self->node->cells_free &= ~(UINT64_C(1) << cell);
}

static void put_back(struct mend_proc *self, int cell)
{
    MEND_ASSERT(!(self->node->cells_free >> cell & 1));
    self->node->cells_free |= UINT64_C(1) << cell;
}

/* acquire: pairs with the release in say_closed() */
static bool is_closed(struct mend_proc *self, const struct mend_cells_closing *x, int i)
{
    return mend_load_acquire(&said_of(self, x->waiting[i].peer, x->cell)->closed_n) !=
           x->waiting[i].closed_n;
}

/* Everybody has closed the communicator, or is dead. */
static bool nobody_left(struct mend_proc *self, const struct mend_cells_closing *x)
{
    for (int i = 0; i < x->n; i++)
        if (!mend_peer_is_dead(self, x->waiting[i].peer) && !is_closed(self, x, i))
            return false;
    return true;
}

static void collect(struct mend_proc *self)
{
    mend_list_foreach (l, next, &self->node->cells_closed) {
        struct mend_cells_closing *x = mend_list_entry(l, struct mend_cells_closing, link);

        if (!nobody_left(self, x))
            continue;
        mend_node_votes_clear(self, x->cell);
        put_back(self, x->cell);
        mend_list_remove(&x->link);
        mend_free(self, x);
    }
}

/* How many of these cells, from `first` on, lie side by side. */
static unsigned run_of(uint64_t cells, unsigned first)
{
    uint64_t rest = ~(cells >> first);

    return rest ? (unsigned)__builtin_ctzll(rest) : 64 - first;
}

/* Reserves the pages of this process's votes in the lowest n of these cells that have none.  Nothing gives them back
 * while it lives. */
static void reserve(struct mend_proc *self, uint64_t cells, unsigned max)
{
    struct mend_node *n = self->node;
    uint64_t left = cells & ~n->cells_ready;

    while (left && max > 0) {
        unsigned first = (unsigned)__builtin_ctzll(left), run = run_of(left, first);
        uint64_t taken;

        run = run < max ? run : max;
        taken = (run < 64 ? (UINT64_C(1) << run) - 1 : UINT64_MAX) << first;
        if (!mend_node_reserve(self, mend_node_votes_at(n->header, n->mine, first),
                               run * MEND_NODE_CELL_AGREE))
            break;
        n->cells_ready |= taken;
        left &= ~taken;
        max -= run;
    }
}

void mend_cells_reserve_all(struct mend_proc *self)
{
    reserve(self, UINT64_MAX, MEND_NODE_CELLS);
}

/* Those of the cells for whose votes this process has pages, of which some are reserved now if there are few. */
static uint64_t with_pages(struct mend_proc *self, uint64_t cells)
{
    if (__builtin_popcountll(cells & self->node->cells_ready) < READY_MIN)
        reserve(self, cells, READY_MORE);
    return cells & self->node->cells_ready;
}

uint64_t mend_cells_offer(struct mend_proc *self, bool modest, unsigned turn)
{
    struct mend_node *n = self->node;
    uint64_t offer;

    if (!n || !self->params.coll_shm)
        return 0;
    collect(self);
    offer = n->cells_free & ~n->cells_offered;
    if (modest)
        offer &= UINT64_C(0x1111111111111111) << turn % 4;
    offer = with_pages(self, offer);
    n->cells_offered |= offer;
    return offer;
}

void mend_cells_settle(struct mend_proc *self, uint64_t offered)
{
    if (!offered)
        return;
    MEND_ASSERT((self->node->cells_offered & offered) == offered);
    self->node->cells_offered &= ~offered;
}

struct mend_cells_closing *mend_cells_closing(struct mend_proc *self, int cell, uint64_t mark,
                                              int members_max)
{
    struct mend_cells_closing *x;

    mend_memory_press(self);
    x = mend_alloc(self, sizeof(*x) + (size_t)members_max * sizeof(x->waiting[0]));
    mend_memory_relax(self);
    x->cell = cell;
    x->mark = mark;
    x->n = 0;
    return x;
}

void mend_cells_add_member(struct mend_proc *self, struct mend_cells_closing *x, mend_peer peer)
{
    struct mend_node_said *b = said_of(self, peer, x->cell);
    uint64_t n;

    if (mend_peer_is_dead(self, peer))
        return;
    /* acquire, both: pair with the releases in say_closed(); the mark alone may be there already */
    n = mend_load_acquire(&b->closed_n);
    if (mend_load_acquire(&b->closed_mark) == x->mark)
        return;
    x->waiting[x->n].peer = peer;
    x->waiting[x->n++].closed_n = n;
}

static void say_closed(struct mend_proc *self, const struct mend_cells_closing *x)
{
    struct mend_node_said *b = said_of(self, self->me, x->cell);

    /* release, both: pair with the acquires in is_closed() and mend_cells_add_member(); this process reads the cell no
     * more */
    mend_store_release(&b->closed_mark, x->mark);
    mend_store_release(&b->closed_n, mend_load_relaxed(&b->closed_n) + 1);
}

void mend_cells_close(struct mend_proc *self, struct mend_cells_closing *x)
{
    say_closed(self, x);
    mend_list_append(&self->node->cells_closed, &x->link);
}
