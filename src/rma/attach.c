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
    for (struct mend_list *l = w->attached.next; l != &w->attached; l = l->next) {
        struct mend_attached *a = mend_list_entry(l, struct mend_attached, link);
        uint64_t n;

        if (!holds(a->base, a->size, at, 1))
            continue;
        n = (uint64_t)a->size - (at - (uintptr_t)a->base);
        return n >= len || is_attached(w, at + n, len - n);
    }
    return false;
}

char *mend_win_own_bytes(struct mend_win *w, int64_t disp, uint64_t len)
{
    if (w->flavor != MPI_WIN_FLAVOR_DYNAMIC)
        return holds(NULL, w->size, (uintptr_t)disp, len) ? w->base + disp : NULL;
    return is_attached(w, (uintptr_t)disp, len) ? (char *)(uintptr_t)disp : NULL;
}

int mend_win_attach(struct mend_win *w, void *base, MPI_Aint size)
{
    struct mend_attached *a;

    for (struct mend_list *l = w->attached.next; l != &w->attached; l = l->next) {
        a = mend_list_entry(l, struct mend_attached, link);
        if ((char *)base < a->base + a->size && a->base < (char *)base + size)
            return MPI_ERR_RMA_ATTACH; /* it overlaps what is attached (MPI-5.0 12.2.4) */
    }
    a = mend_zalloc(w->self, 1, sizeof(*a));
    if (!a)
        return MPI_ERR_NO_MEM;
    a->base = base;
    a->size = size;
    mend_list_prepend(&w->attached, &a->link);
    return MPI_SUCCESS;
}

int mend_win_detach(struct mend_win *w, const void *base)
{
    for (struct mend_list *l = w->attached.next; l != &w->attached; l = l->next) {
        struct mend_attached *a = mend_list_entry(l, struct mend_attached, link);

        if (a->base == base) {
            mend_list_remove(l);
            mend_free(w->self, a);
            return MPI_SUCCESS;
        }
    }
    return MPI_ERR_RMA_ATTACH;
}
