/* SPDX-License-Identifier: BSD-3-Clause */
/* alloc.c – memory for the program, where possible such that other processes can map it. */
#include "rma/alloc.h"

#include "comm/comm.h"
#include "node/heap.h"

#include <stdlib.h>

#define PAGE ((size_t)4096)

void *mend_rma_alloc(struct mend_proc *self, size_t size, size_t align)
{
    struct mend_heap_piece *piece = NULL;
    void *p = NULL;

    if (size >= PAGE)
        piece = mend_heap_take_aligned(self, size, align);
    if (piece)
        return piece->base;
    if (align < MEND_CACHE_LINE)
        align = MEND_CACHE_LINE;
    return posix_memalign(&p, align, size) ? NULL : p;
}

int mend_rma_free(struct mend_proc *self, void *base)
{
    struct mend_heap_piece *piece = mend_heap_find(self, base, 1);

    if (piece && piece->base != base)
        return MPI_ERR_BASE;
    if (piece)
        mend_heap_give_back(self, piece);
    else
        free(base);
    return MPI_SUCCESS;
}
