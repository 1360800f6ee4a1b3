/* SPDX-License-Identifier: BSD-3-Clause */
/* vote_blocks.c – where members that share memory vote without a cell: on intercommunicators, in meetings, on
 * copies with holes, and where 64 communicators have taken all cells.
 *
 *   rank i:   slab 0 │ label 0 .. label 4095 │ block 0 .. block 4095 │   slab 1 │ ...
 *             label   mark of a communicator, and whether this rank has closed it
 *             block   no_from of CREATION and of VALIDATION, slots (decide/memory.c)
 *
 * The place of a vote is not agreed on: a member takes the first free vote block in its own slabs
 * when it first votes on a communicator, and the others search its labels for the mark,
 * once.  So finding a vote needs neither room in a ring nor another process, and the vote stays there until
 * all survivors have closed the communicator (ft/closing.h): a member that has contributed to an agreement
 * can evaluate it, whatever the others do by then.
 *
 * A vote block costs memory while it is used, and is reused first; doc/limits.md has the bounds.
 *
 * Invariants:
 *   1  a label's mark is written when its vote block is empty, and vote_blocks_made after it;
 *   2  a member that closes without a vote still takes a vote block, because the others wait for it to
 *      close;
 *   3  where a member's label was found it stays until this process is DONE (ft/closing.h). */
#include "node/vote_blocks.h"

#include "ft/closing.h"
#include "node/node.h"

#include <string.h>

#define NOWHERE   UINT32_MAX
#define LOOKS_MAX 4 /* closed ones that are looked at with each one that comes or goes */

/* Where a member's label is. */
struct location {
    mend_peer peer;
    uint32_t at;     /* NOWHERE: not found yet */
    uint64_t looked; /* vote blocks that the member had taken by then */
};

struct mend_voteblocks {
    uint64_t mark;
    uint32_t mine; /* NOWHERE: none yet */
    int n, me;
    struct location member[];
};

/* A closed communicator whose label others may still look at. */
struct closed {
    struct mend_list link; /* in self->node->closed */
    uint64_t mark;
    uint32_t mine;
    enum mend_closing state;
    int seen, n; /* others; those below `seen` pass */
    struct location member[];
};

static struct mend_node_rank *rank_of(struct mend_proc *self, mend_peer peer)
{
    return mend_node_rank_of(self->node->header, mend_peer_place(self, peer));
}

/* NULL: there is no address space for it. */
static struct mend_node_slab *map_slab(struct mend_proc *self, mend_peer peer, uint32_t slab)
{
    struct mend_node_slab ***of_peer;

    mend_memory_press(self); /* a process that cannot vote keeps the others waiting */
    of_peer = mend_table_make(&self->node->slabs, (uint32_t)peer);
    if (!*of_peer)
        *of_peer = mend_zalloc(self, MEND_NODE_SLABS, sizeof(**of_peer));
    mend_memory_relax(self);
    if (!(*of_peer)[slab])
        (*of_peer)[slab] = mend_node_map(
            self, mend_node_slab_at(self->node->header, mend_peer_place(self, peer), slab),
            sizeof(struct mend_node_slab));
    return (*of_peer)[slab];
}

static struct mend_node_slab *slab_of(struct mend_proc *self, mend_peer peer, uint32_t k)
{
    struct mend_node_slab *s = map_slab(self, peer, k / MEND_NODE_SLAB_BLOCKS);

    MEND_ASSERT(s); /* a process that cannot read votes ends, so that nobody waits for it */
    return s;
}

static struct mend_node_label *label_of(struct mend_proc *self, mend_peer peer, uint32_t k)
{
    return &slab_of(self, peer, k)->label[k % MEND_NODE_SLAB_BLOCKS];
}

static void *block_of(struct mend_proc *self, mend_peer peer, uint32_t k)
{
    return slab_of(self, peer, k)->block[k % MEND_NODE_SLAB_BLOCKS];
}

/* ---- one's own ---- */

static void put_on_free(struct mend_proc *self, uint32_t k)
{
    label_of(self, self->me, k)->next_free = self->node->vote_block_free;
    self->node->vote_block_free = k + 1;
}

/* Adds one that was never used, with its pages, to the free ones.  False: there is none, or no memory for it. */
static bool add_block(struct mend_proc *self)
{
    uint32_t k = self->node->vote_blocks_n, i = k % MEND_NODE_SLAB_BLOCKS;
    uint64_t at;

    if (k == MEND_NODE_SLABS * MEND_NODE_SLAB_BLOCKS)
        return false;
    at = mend_node_slab_at(self->node->header, self->node->mine, k / MEND_NODE_SLAB_BLOCKS);
    if (!map_slab(self, self->me, k / MEND_NODE_SLAB_BLOCKS) ||
        !mend_node_reserve(self, at + i * sizeof(struct mend_node_label),
                           sizeof(struct mend_node_label)) ||
        !mend_node_reserve(
            self, at + offsetof(struct mend_node_slab, block) + (uint64_t)i * MEND_NODE_BLOCK_BYTES,
            MEND_NODE_BLOCK_BYTES))
        return false;
    put_on_free(self, k);
    mend_store_relaxed(&rank_of(self, self->me)->vote_blocks_n, ++self->node->vote_blocks_n);
    return true;
}

bool mend_voteblocks_room(struct mend_proc *self)
{
    return self->node->vote_block_free || add_block(self);
}

static uint32_t free_block(struct mend_proc *self)
{
    struct mend_node *m = self->node;
    bool any = mend_voteblocks_room(self);
    uint32_t k = m->vote_block_free - 1;

    MEND_ASSERT(any); /* a process that cannot vote ends, so that nobody waits for it */
    m->vote_block_free = label_of(self, self->me, k)->next_free;
    memset(block_of(self, self->me, k), 0, MEND_NODE_BLOCK_BYTES);
    return k;
}

static uint32_t take_block(struct mend_proc *self, uint64_t mark)
{
    uint32_t k = free_block(self);
    struct mend_node_label *t = label_of(self, self->me, k);
    struct mend_node_rank *me = rank_of(self, self->me);

    mend_store_relaxed(&t->state, MEND_CLOSING_OPEN);
    /* release: pairs with the acquire in search() */
    mend_store_release(&t->mark, mark);
    mend_store_release(&me->vote_blocks_made, mend_load_relaxed(&me->vote_blocks_made) + 1);
    return k;
}

static void put_back(struct mend_proc *self, uint32_t k)
{
    struct mend_node_label *t = label_of(self, self->me, k);

    mend_store_release(&t->mark, 0); /* release: pairs with the acquire in state_of() */
    put_on_free(self, k);
}

/* ---- the others' ---- */

/* Members often do the same things in the same order: then it is where one's own is. */
static uint32_t search(struct mend_proc *self, mend_peer peer, uint64_t mark, uint32_t mine)
{
    uint32_t n = mend_load_relaxed(&rank_of(self, peer)->vote_blocks_n);

    if (mine < n && mend_load_acquire(&label_of(self, peer, mine)->mark) == mark)
        return mine;
    for (uint32_t k = 0; k < n; k++)
        if (mend_load_acquire(&label_of(self, peer, k)->mark) == mark)
            return k;
    return NOWHERE;
}

static bool find(struct mend_proc *self, struct location *p, uint64_t mark, uint32_t mine)
{
    uint64_t made;

    if (p->at != NOWHERE)
        return true;
    /* acquire: pairs with the release in take_block() */
    made = mend_load_acquire(&rank_of(self, p->peer)->vote_blocks_made);
    if (made == p->looked)
        return false;
    p->looked = made;
    p->at = search(self, p->peer, mark, mine);
    return p->at != NOWHERE;
}

static enum mend_closing state_of(struct mend_proc *self, struct closed *x, struct location *p)
{
    struct mend_node_label *t;

    if (!find(self, p, x->mark, x->mine))
        return MEND_CLOSING_GONE;
    t = label_of(self, p->peer, p->at);
    if (mend_load_acquire(&t->mark) != x->mark)
        return MEND_CLOSING_GONE;
    /* Of another communicator if the vote block was taken again just now: that is seen the next time.
     * acquire: pairs with the release in go_on() and mend_voteblocks_close() */
    return mend_load_acquire(&t->state);
}

/* ---- a communicator's ---- */

struct mend_voteblocks *mend_voteblocks_make(struct mend_proc *self, uint64_t mark, int n, int me)
{
    struct mend_voteblocks *p;

    mend_memory_press(self);
    p = mend_alloc(self, sizeof(*p) + (size_t)n * sizeof(p->member[0]));
    mend_memory_relax(self);
    *p = (struct mend_voteblocks){.mark = mark, .mine = NOWHERE, .n = n, .me = me};
    for (int r = 0; r < n; r++)
        p->member[r] = (struct location){.peer = MEND_PEER_NONE, .at = NOWHERE};
    return p;
}

void mend_voteblocks_set_member(struct mend_voteblocks *p, int rank, mend_peer peer)
{
    p->member[rank].peer = peer;
}

static void collect(struct mend_proc *self);

void mend_voteblocks_open(struct mend_proc *self, struct mend_voteblocks *p)
{
    if (p->mine != NOWHERE)
        return;
    collect(self);
    p->mine = take_block(self, p->mark);
    p->member[p->me].at = p->mine;
}

void *mend_voteblocks_look(struct mend_proc *self, struct mend_voteblocks *p, int rank)
{
    struct location *l = &p->member[rank];

    return find(self, l, p->mark, p->mine) ? block_of(self, l->peer, l->at) : NULL;
}

/* ---- closing ---- */

static bool all_pass(struct mend_proc *self, struct closed *x)
{
    for (; x->seen < x->n; x->seen++) {
        struct location *p = &x->member[x->seen];

        if (!mend_peer_is_dead(self, p->peer) &&
            !mend_closing_passes(x->state, state_of(self, x, p)))
            return false;
    }
    return true;
}

/* True if it has gone. */
static bool go_on(struct mend_proc *self, struct closed *x)
{
    while (x->state != MEND_CLOSING_GONE && all_pass(self, x)) {
        x->state = mend_closing_next(x->state);
        x->seen = 0;
        if (x->state == MEND_CLOSING_DONE) /* release: pairs with the acquire in state_of() */
            mend_store_release(&label_of(self, self->me, x->mine)->state, MEND_CLOSING_DONE);
    }
    if (x->state == MEND_CLOSING_GONE)
        put_back(self, x->mine);
    return x->state == MEND_CLOSING_GONE;
}

/* The vote block that has waited longest comes first. */
static void collect(struct mend_proc *self)
{
    struct mend_list *list = &self->node->closed;

    for (int i = 0; i < LOOKS_MAX && !mend_list_empty(list); i++) {
        struct closed *x = mend_list_entry(list->next, struct closed, link);

        mend_list_remove(&x->link);
        if (go_on(self, x))
            mend_free(self, x);
        else
            mend_list_append(list, &x->link);
    }
}

void mend_voteblocks_close(struct mend_proc *self, struct mend_voteblocks *p)
{
    struct closed *x;

    mend_memory_press(
        self); /* without it the vote block would never be free again, nor the others' */
    x = mend_alloc(self, sizeof(*x) + (size_t)p->n * sizeof(x->member[0]));
    mend_memory_relax(self);
    mend_voteblocks_open(self, p); /* invariant 2 */
    /* release: pairs with the acquire in state_of(); this process reads the others' vote blocks no more */
    mend_store_release(&label_of(self, self->me, p->mine)->state, MEND_CLOSING_CLOSED);
    *x = (struct closed){.mark = p->mark, .mine = p->mine, .state = MEND_CLOSING_CLOSED};
    for (int r = 0; r < p->n; r++)
        if (r != p->me)
            x->member[x->n++] = p->member[r];
    mend_list_append(&self->node->closed, &x->link);
    mend_free(self, p);
    collect(self);
}

void mend_voteblocks_forget(struct mend_proc *self, mend_peer dead)
{
    struct mend_node_slab ***of_peer = mend_table_get(&self->node->slabs, (uint32_t)dead);

    if (!of_peer || !*of_peer)
        return;
    for (uint32_t k = 0; k < MEND_NODE_SLABS; k++)
        if ((*of_peer)[k])
            mend_node_unmap((*of_peer)[k], sizeof(struct mend_node_slab));
    mend_free(self, *of_peer);
    *of_peer = NULL;
}
