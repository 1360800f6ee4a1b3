/* SPDX-License-Identifier: BSD-3-Clause */
/* papers.c – where members that share memory vote without a cell: on intercommunicators, in meetings, on
 * copies with holes, and where 64 communicators have taken all cells.
 *
 *   rank i:   shelf 0 │ title 0 .. title 4095 │ paper 0 .. paper 4095 │   shelf 1 │ ...
 *             title   mark of a communicator, and whether this rank has closed it
 *             paper   no_from of CREATION and of VALIDATION, slots (decide/memory.c)
 *
 * The place of a vote is not agreed on: a member takes the first free paper in its own shelves
 * when it first votes on a communicator, and the others search its titles for the mark,
 * once.  So finding a vote needs neither room in a ring nor another process, and the vote stays there until
 * all survivors have closed the communicator (ft/closing.h): a member that has contributed to an agreement
 * can evaluate it, whatever the others do by then.
 *
 * A paper costs memory while it is used, and is reused first; doc/limits.md has the bounds.
 *
 * Invariants:
 *   1  a title's mark is written when its paper is empty, and papers_made after it;
 *   2  a member that closes without a vote still takes a paper, because the others wait for it to
 *      close;
 *   3  where a member's title was found it stays until this process is DONE (ft/closing.h). */
#include "node/papers.h"

#include "ft/closing.h"
#include "node/node.h"

#include <string.h>

#define NOWHERE   UINT32_MAX
#define LOOKS_MAX 4 /* closed ones that are looked at with each one that comes or goes */

/* Where a member's title is. */
struct place {
    mend_peer peer;
    uint32_t at;     /* NOWHERE: not found yet */
    uint64_t looked; /* papers that the member had taken by then */
};

struct mend_papers {
    uint64_t mark;
    uint32_t mine; /* NOWHERE: none yet */
    int n, me;
    struct place member[];
};

/* A closed communicator whose title others may still look at. */
struct closed {
    struct mend_list link; /* in self->node->closed */
    uint64_t mark;
    uint32_t mine;
    enum mend_title state;
    int seen, n; /* others; those below `seen` pass */
    struct place member[];
};

static struct mend_node_rank *rank_of(struct mend_proc *self, mend_peer peer)
{
    return mend_node_rank_of(self->node->header, mend_peer_place(self, peer));
}

/* NULL: there is no address space for it. */
static struct mend_node_shelf *map_shelf(struct mend_proc *self, mend_peer peer, uint32_t shelf)
{
    struct mend_node_shelf ***of_peer;

    mend_memory_press(self); /* a process that cannot vote keeps the others waiting */
    of_peer = mend_table_make(&self->node->shelves, (uint32_t)peer);
    if (!*of_peer)
        *of_peer = mend_zalloc(self, MEND_NODE_SHELVES, sizeof(**of_peer));
    mend_memory_relax(self);
    if (!(*of_peer)[shelf])
        (*of_peer)[shelf] = mend_node_map(
            self, mend_node_shelf_at(self->node->header, mend_peer_place(self, peer), shelf),
            sizeof(struct mend_node_shelf));
    return (*of_peer)[shelf];
}

static struct mend_node_shelf *shelf_of(struct mend_proc *self, mend_peer peer, uint32_t paper)
{
    struct mend_node_shelf *s = map_shelf(self, peer, paper / MEND_NODE_SHELF_PAPERS);

    MEND_ASSERT(s); /* a process that cannot read votes ends, so that nobody waits for it */
    return s;
}

static struct mend_node_title *title_of(struct mend_proc *self, mend_peer peer, uint32_t paper)
{
    return &shelf_of(self, peer, paper)->title[paper % MEND_NODE_SHELF_PAPERS];
}

static void *paper_of(struct mend_proc *self, mend_peer peer, uint32_t paper)
{
    return shelf_of(self, peer, paper)->paper[paper % MEND_NODE_SHELF_PAPERS];
}

/* ---- one's own ---- */

static void put_on_free(struct mend_proc *self, uint32_t k)
{
    title_of(self, self->me, k)->next_free = self->node->paper_free;
    self->node->paper_free = k + 1;
}

/* Adds one that was never used, with its pages, to the free ones.  False: there is none, or no memory for it. */
static bool add_paper(struct mend_proc *self)
{
    uint32_t k = self->node->papers_n, i = k % MEND_NODE_SHELF_PAPERS;
    uint64_t at;

    if (k == MEND_NODE_SHELVES * MEND_NODE_SHELF_PAPERS)
        return false;
    at = mend_node_shelf_at(self->node->header, self->node->mine, k / MEND_NODE_SHELF_PAPERS);
    if (!map_shelf(self, self->me, k / MEND_NODE_SHELF_PAPERS) ||
        !mend_node_reserve(self, at + i * sizeof(struct mend_node_title),
                           sizeof(struct mend_node_title)) ||
        !mend_node_reserve(self,
                           at + offsetof(struct mend_node_shelf, paper) +
                               (uint64_t)i * MEND_NODE_PAPER_BYTES,
                           MEND_NODE_PAPER_BYTES))
        return false;
    put_on_free(self, k);
    mend_store_relaxed(&rank_of(self, self->me)->papers_n, ++self->node->papers_n);
    return true;
}

bool mend_papers_room(struct mend_proc *self)
{
    return self->node->paper_free || add_paper(self);
}

static uint32_t free_paper(struct mend_proc *self)
{
    struct mend_node *m = self->node;
    bool any = mend_papers_room(self);
    uint32_t k = m->paper_free - 1;

    MEND_ASSERT(any); /* a process that cannot vote ends, so that nobody waits for it */
    m->paper_free = title_of(self, self->me, k)->next_free;
    memset(paper_of(self, self->me, k), 0, MEND_NODE_PAPER_BYTES);
    return k;
}

static uint32_t take_paper(struct mend_proc *self, uint64_t mark)
{
    uint32_t k = free_paper(self);
    struct mend_node_title *t = title_of(self, self->me, k);
    struct mend_node_rank *me = rank_of(self, self->me);

    mend_store_relaxed(&t->state, MEND_TITLE_OPEN);
    /* release: pairs with the acquire in search() */
    mend_store_release(&t->mark, mark);
    mend_store_release(&me->papers_made, mend_load_relaxed(&me->papers_made) + 1);
    return k;
}

static void put_back(struct mend_proc *self, uint32_t k)
{
    struct mend_node_title *t = title_of(self, self->me, k);

    mend_store_release(&t->mark, 0); /* release: pairs with the acquire in state_of() */
    put_on_free(self, k);
}

/* ---- the others' ---- */

/* Members often do the same things in the same order: then it is where one's own is. */
static uint32_t search(struct mend_proc *self, mend_peer peer, uint64_t mark, uint32_t mine)
{
    uint32_t n = mend_load_relaxed(&rank_of(self, peer)->papers_n);

    if (mine < n && mend_load_acquire(&title_of(self, peer, mine)->mark) == mark)
        return mine;
    for (uint32_t k = 0; k < n; k++)
        if (mend_load_acquire(&title_of(self, peer, k)->mark) == mark)
            return k;
    return NOWHERE;
}

static bool find(struct mend_proc *self, struct place *p, uint64_t mark, uint32_t mine)
{
    uint64_t made;

    if (p->at != NOWHERE)
        return true;
    /* acquire: pairs with the release in take_paper() */
    made = mend_load_acquire(&rank_of(self, p->peer)->papers_made);
    if (made == p->looked)
        return false;
    p->looked = made;
    p->at = search(self, p->peer, mark, mine);
    return p->at != NOWHERE;
}

static enum mend_title state_of(struct mend_proc *self, struct closed *x, struct place *p)
{
    struct mend_node_title *t;

    if (!find(self, p, x->mark, x->mine))
        return MEND_TITLE_GONE;
    t = title_of(self, p->peer, p->at);
    if (mend_load_acquire(&t->mark) != x->mark)
        return MEND_TITLE_GONE;
    /* Of another communicator if the paper was taken again just now: that is seen the next time.
     * acquire: pairs with the release in go_on() and mend_papers_close() */
    return mend_load_acquire(&t->state);
}

/* ---- a communicator's ---- */

struct mend_papers *mend_papers_make(struct mend_proc *self, uint64_t mark, int n, int me)
{
    struct mend_papers *p;

    mend_memory_press(self);
    p = mend_alloc(self, sizeof(*p) + (size_t)n * sizeof(p->member[0]));
    mend_memory_relax(self);
    *p = (struct mend_papers){.mark = mark, .mine = NOWHERE, .n = n, .me = me};
    for (int r = 0; r < n; r++)
        p->member[r] = (struct place){.peer = MEND_PEER_NONE, .at = NOWHERE};
    return p;
}

void mend_papers_set_member(struct mend_papers *p, int rank, mend_peer peer)
{
    p->member[rank].peer = peer;
}

static void collect(struct mend_proc *self);

void mend_papers_open(struct mend_proc *self, struct mend_papers *p)
{
    if (p->mine != NOWHERE)
        return;
    collect(self);
    p->mine = take_paper(self, p->mark);
    p->member[p->me].at = p->mine;
}

void *mend_papers_look(struct mend_proc *self, struct mend_papers *p, int rank)
{
    struct place *place = &p->member[rank];

    return find(self, place, p->mark, p->mine) ? paper_of(self, place->peer, place->at) : NULL;
}

/* ---- closing ---- */

static bool all_pass(struct mend_proc *self, struct closed *x)
{
    for (; x->seen < x->n; x->seen++) {
        struct place *p = &x->member[x->seen];

        if (!mend_peer_is_dead(self, p->peer) && !mend_title_passes(x->state, state_of(self, x, p)))
            return false;
    }
    return true;
}

/* True if it has gone. */
static bool go_on(struct mend_proc *self, struct closed *x)
{
    while (x->state != MEND_TITLE_GONE && all_pass(self, x)) {
        x->state = mend_title_next(x->state);
        x->seen = 0;
        if (x->state == MEND_TITLE_DONE) /* release: pairs with the acquire in state_of() */
            mend_store_release(&title_of(self, self->me, x->mine)->state, MEND_TITLE_DONE);
    }
    if (x->state == MEND_TITLE_GONE)
        put_back(self, x->mine);
    return x->state == MEND_TITLE_GONE;
}

/* The paper that has waited longest comes first. */
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

void mend_papers_close(struct mend_proc *self, struct mend_papers *p)
{
    struct closed *x;

    mend_memory_press(self); /* without it the paper would never be free again, nor the others' */
    x = mend_alloc(self, sizeof(*x) + (size_t)p->n * sizeof(x->member[0]));
    mend_memory_relax(self);
    mend_papers_open(self, p); /* invariant 2 */
    /* release: pairs with the acquire in state_of(); this process reads the others' papers no more */
    mend_store_release(&title_of(self, self->me, p->mine)->state, MEND_TITLE_CLOSED);
    *x = (struct closed){.mark = p->mark, .mine = p->mine, .state = MEND_TITLE_CLOSED};
    for (int r = 0; r < p->n; r++)
        if (r != p->me)
            x->member[x->n++] = p->member[r];
    mend_list_append(&self->node->closed, &x->link);
    mend_free(self, p);
    collect(self);
}

void mend_papers_forget(struct mend_proc *self, mend_peer dead)
{
    struct mend_node_shelf ***of_peer = mend_table_get(&self->node->shelves, (uint32_t)dead);

    if (!of_peer || !*of_peer)
        return;
    for (uint32_t k = 0; k < MEND_NODE_SHELVES; k++)
        if ((*of_peer)[k])
            mend_node_unmap((*of_peer)[k], sizeof(struct mend_node_shelf));
    mend_free(self, *of_peer);
    *of_peer = NULL;
}
