/* SPDX-License-Identifier: BSD-3-Clause */
/* attach.c – which bytes belong to a member's own part: those of the window, or those attached to a dynamic one. */
#include "rma/win.h"

static bool holds(const char *base, MPI_Aint size, uintptr_t at, uint64_t len)
{
    uintptr_t from = (uintptr_t)base;

    return at >= from && at - from <= (uintptr_t)size && (uint64_t)size - (at - from) >= len;
}

/* Pieces that were attached apart may lie side by side. */
static bool is_attached(struct mend_win *w, uintptr_t at, uint64_t len)
{
    struct mend_attached *a;
    uint64_t n;

    for (; at < UINTPTR_MAX; at += n, len -= n) {
        a = mend_rma_pieces_below(w->pieces, at + 1);
        if (!a || !holds(a->base, a->size, at, 1))
            return false;
        n = (uint64_t)a->size - (at - (uintptr_t)a->base);
        if (n >= len)
            return true;
    }
    return false;
}

char *mend_win_own_bytes(struct mend_win *w, int64_t disp, uint64_t len)
{
    if (w->flavor != MPI_WIN_FLAVOR_DYNAMIC)
        return holds(NULL, w->size, (uintptr_t)disp, len) ? w->base + disp : NULL;
    return is_attached(w, (uintptr_t)disp, len) ? (char *)(uintptr_t)disp : NULL;
}

/* MPI-5.0 12.2.4 forbids it.  Of the pieces that begin below its end the last one is also the last one to end. */
static bool overlaps(struct mend_win *w, const char *base, MPI_Aint size)
{
    const struct mend_attached *a =
        mend_rma_pieces_below(w->pieces, (uintptr_t)base + (uintptr_t)size);

    return a && a->base + a->size > base;
}

int mend_win_attach(struct mend_win *w, void *base, MPI_Aint size)
{
    struct mend_attached *a;

    if (overlaps(w, base, size))
        return MPI_ERR_RMA_ATTACH;
    a = mend_zalloc(w->self, 1, sizeof(*a));
    if (!a)
        return MPI_ERR_NO_MEM;
    a->base = base;
    a->size = size;
    a->priority = mend_rma_piece_priority(++w->attached_n);
    mend_rma_pieces_add(&w->pieces, a);
    mend_list_append(&w->attached, &a->link);
    return MPI_SUCCESS;
}

int mend_win_detach(struct mend_win *w, const void *base)
{
    struct mend_attached *a = mend_rma_pieces_take(&w->pieces, base);

    if (!a)
        return MPI_ERR_RMA_ATTACH;
    mend_list_remove(&a->link);
    mend_free(w->self, a);
    return MPI_SUCCESS;
}
