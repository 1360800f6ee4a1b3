/* SPDX-License-Identifier: BSD-3-Clause */
/* heap.c – pieces of this process's own heap. */
#include "node/heap.h"

#include "node/node.h"
#include "node/room.h"

#define PAGE     ((size_t)4096)
#define NO_WORRY ((size_t)1 << 20)

static struct mend_heap_piece *piece_of(struct mend_list *l)
{
    return mend_list_entry(l, struct mend_heap_piece, link);
}

/* The first gap that is large enough: *before_p is the link that the new piece follows.  0: there is none. */
static uint64_t find_gap(struct mend_proc *self, size_t len, struct mend_list **before_p)
{
    struct mend_list *pieces = &self->node->pieces, *l;
    uint64_t at = mend_node_heap_at(self->node->header, self->node->mine);
    uint64_t end = at + MEND_NODE_HEAP_BYTES;

    for (l = pieces->next; l != pieces && piece_of(l)->at - at < len; l = l->next)
        at = piece_of(l)->at + piece_of(l)->len;
    *before_p = l->prev;
    return end - at < len ? 0 : at;
}

/* Between two looks whether there is memory left: of what is left for others all processes of the node together may take
 * half at once. */
static size_t step_bytes(const struct mend_proc *self)
{
    size_t step =
        (size_t)(MEND_NODE_LEFT_FOR_OTHERS / 2) / (size_t)(self->peers_max + 1) & ~(PAGE - 1);

    return step < NO_WORRY ? NO_WORRY : step;
}

/* In steps: others may want memory at the same time. */
static bool reserve(struct mend_proc *self, uint64_t at, size_t len)
{
    size_t done = 0, step, at_once = step_bytes(self);

    if (len > NO_WORRY && !mend_node_has_room(len))
        return false;
    for (; done < len; done += step) {
        step = len - done < at_once ? len - done : at_once;
        if ((done && !mend_node_has_room(step)) || !mend_node_reserve(self, at + done, step)) {
            mend_node_punch(self, at, len);
            return false;
        }
    }
    return true;
}

struct mend_heap_piece *mend_heap_take(struct mend_proc *self, size_t len)
{
    return mend_heap_take_aligned(self, len, 0);
}

struct mend_heap_piece *mend_heap_take_aligned(struct mend_proc *self, size_t len, size_t align)
{
    struct mend_heap_piece *p;
    struct mend_list *before;

    if (!self->node || len > MEND_NODE_HEAP_BYTES)
        return NULL;
    len = len ? (len + PAGE - 1) & ~(PAGE - 1) : PAGE;
    p = mend_zalloc(self, 1, sizeof(*p));
    if (!p)
        return NULL;
    p->len = len;
    p->at = find_gap(self, len, &before);
    if (!p->at || !reserve(self, p->at, len))
        goto free_note;
    p->base = mend_node_map_aligned(self, p->at, len, align);
    if (!p->base)
        goto free_pages;
    mend_list_prepend(before, &p->link); /* behind it, for the list is a ring */
    return p;
free_pages:
    mend_node_punch(self, p->at, len);
free_note:
    mend_free(self, p);
    return NULL;
}

void mend_heap_give_back(struct mend_proc *self, struct mend_heap_piece *p)
{
    mend_list_remove(&p->link);
    mend_node_unmap(p->base, p->len);
    mend_node_punch(self, p->at, p->len);
    mend_free(self, p);
}

struct mend_heap_piece *mend_heap_find(struct mend_proc *self, const void *base, size_t len)
{
    uintptr_t from = (uintptr_t)base;

    if (!self->node)
        return NULL;
    for (struct mend_list *l = self->node->pieces.next; l != &self->node->pieces; l = l->next) {
        struct mend_heap_piece *p = piece_of(l);
        uintptr_t at = (uintptr_t)p->base;

        if (from >= at && from - at <= p->len && p->len - (from - at) >= len)
            return p;
    }
    return NULL;
}
