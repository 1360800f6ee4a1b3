/* SPDX-License-Identifier: BSD-3-Clause */
/* part.c – the memory of the members: taken, told to the others, mapped, and given back for the dead. */
#include "rma/part.h"

#include "node/heap.h"
#include "node/node.h"
#include "rma/alloc.h"
#include "rma/control.h"

#include <string.h>

#define PAGE ((uint64_t)4096)

/* ---- taking ---- */

int mend_win_take_memory(struct mend_win *w, const struct mend_win_wish *wish, size_t all)
{
    size_t len = !wish->contiguous ? (size_t)wish->size : w->me == 0 ? all : 0;

    if (w->flavor == MPI_WIN_FLAVOR_CREATE || w->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return MPI_SUCCESS;
    if (!w->self->node) {
        w->base = mend_rma_alloc(w->self, (size_t)wish->size ? (size_t)wish->size : 1, wish->align);
        if (!w->base)
            return MPI_ERR_NO_MEM;
        memset(w->base, 0, (size_t)wish->size);
        return MPI_SUCCESS;
    }
    if (!len)
        return MPI_SUCCESS;
    w->own = mend_heap_take_aligned(w->self, len, wish->align);
    if (!w->own)
        return MPI_ERR_NO_MEM;
    w->base = w->own->base;
    return MPI_SUCCESS;
}

uint64_t mend_win_place_of(struct mend_win *w, const void *base, MPI_Aint size)
{
    struct mend_heap_piece *p = base ? mend_heap_find(w->self, base, (size_t)size) : NULL;

    return p ? p->at + (uint64_t)((const char *)base - p->base) : 0;
}

/* ---- hearing ---- */

/* The parts of a contiguous window lie one behind the other in the piece of rank 0, in each process's memory, too. */
static int place_contiguous(struct mend_win *w, const struct mend_win_offer *offer, size_t align)
{
    size_t at = 0;

    for (int r = 0; r < w->n; r++)
        w->whole_len += (size_t)offer[r].size;
    if (!w->whole_len)
        return MPI_SUCCESS;
    w->whole =
        w->own ? w->own->base : mend_node_map_aligned(w->self, offer[0].at, w->whole_len, align);
    if (!w->whole)
        return MPI_ERR_NO_MEM;
    for (int r = 0; r < w->n; r++) {
        w->part[r].here = w->whole + at;
        w->part[r].at = offer[0].at + at;
        at += (size_t)offer[r].size;
    }
    w->base = w->part[w->me].here;
    return MPI_SUCCESS;
}

/* Only then its memory can be mapped. */
static bool is_here(const struct mend_win *w, int rank)
{
    return w->self->node && mend_peer_shares_memory(w->self, mend_comm_peer(w->comm, rank));
}

int mend_win_know_parts(struct mend_win *w, const struct mend_win_wish *wish,
                        const struct mend_win_offer *offer)
{
    int err = MPI_SUCCESS;

    for (int r = 0; r < w->n; r++) {
        w->part[r] = (struct mend_win_part){.size = offer[r].size,
                                            .disp_unit = offer[r].disp_unit,
                                            .at = is_here(w, r) ? offer[r].at : 0,
                                            .address = offer[r].address};
        err = offer[r].error > err ? offer[r].error : err;
    }
    if (!err && wish->contiguous && w->self->node)
        err = place_contiguous(w, offer, wish->align);
    return err;
}

/* ---- reaching ---- */

struct mend_win_part *mend_win_reach(struct mend_win *w, int rank)
{
    struct mend_win_part *p = &w->part[rank];
    uint64_t from = p->at & ~(PAGE - 1);
    char *base;

    if (mend_likely(p->here != NULL) || !p->at || !p->size)
        return p;
    base = mend_node_map(w->self, from, (size_t)(p->at - from) + (size_t)p->size);
    if (base)
        p->here = base + (p->at - from);
    return p;
}

void mend_win_unmap_parts(struct mend_win *w)
{
    if (w->whole && !w->own)
        mend_node_unmap(w->whole, w->whole_len);
    for (int r = 0; w->part && !w->whole && r < w->n; r++) {
        struct mend_win_part *p = &w->part[r];
        uint64_t from = p->at & ~(PAGE - 1);

        if (p->here && p->at && r != w->me)
            mend_node_unmap(p->here - (p->at - from), (size_t)(p->at - from) + (size_t)p->size);
    }
}

/* ---- the dead ---- */

static void punch(struct mend_win *w, uint64_t at, size_t len)
{
    if (at && len)
        mend_node_punch(w->self, at, (len + PAGE - 1) & ~(PAGE - 1));
}

/* Of those that share memory with this one. */
static int lowest_survivor(const struct mend_win *w, struct mend_group *dead)
{
    int r = 0;

    while (r < w->n &&
           (!is_here(w, r) ||
            mend_group_rank(w->self, dead, mend_comm_peer(w->comm, r)) != MPI_UNDEFINED))
        r++;
    return r;
}

void mend_win_give_back_of(struct mend_win *w, struct mend_group *dead)
{
    bool theirs = w->flavor == MPI_WIN_FLAVOR_ALLOCATE || w->flavor == MPI_WIN_FLAVOR_SHARED;

    if (!w->self->node || lowest_survivor(w, dead) != w->me)
        return;
    for (int i = 0; i < dead->size; i++) {
        int r = mend_group_rank(w->self, w->comm->group, mend_group_peer(dead, i));

        if (r == MPI_UNDEFINED || !is_here(w, r))
            continue;
        if (theirs && !w->whole)
            punch(w, w->part[r].at, (size_t)w->part[r].size);
        if (theirs && w->whole && r == 0)
            punch(w, w->part[0].at, w->whole_len);
        if (r == 0)
            punch(w, w->control_at, mend_win_control_bytes(w->n));
    }
}
