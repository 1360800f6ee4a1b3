/* SPDX-License-Identifier: BSD-3-Clause */
/* pieces.h – the pieces of memory that are attached to a dynamic window, found by address in O(log n).
 *
 * A binary search tree in the order of the addresses, and a heap in priorities, which are as good as random (a treap):
 *
 *            base 40, priority 9
 *           /                   \
 *     base 10, priority 7    base 60, priority 4
 *
 *   1  pieces do not overlap; one without bytes may lie at either end of others, and stands before one with bytes at its address;
 *   2  a node's priority is not less than its children's. */
#ifndef MEND_RMA_PIECES_H
#define MEND_RMA_PIECES_H

#include "base/list.h"

#include <mpi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mend_attached {
    struct mend_list link; /* in mend_win.attached */
    struct mend_attached *left, *right;
    uint64_t priority;
    char *base;
    MPI_Aint size;
};

/* splitmix64: of the nth piece. */
static inline uint64_t mend_rma_piece_priority(uint64_t nth)
{
    uint64_t x = nth * UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static inline bool mend_rma_piece_before(const struct mend_attached *a,
                                         const struct mend_attached *b)
{
    return a->base != b->base ? a->base < b->base : !a->size && b->size;
}

/* The last one that begins below the limit; NULL: there is none. */
static inline struct mend_attached *mend_rma_pieces_below(struct mend_attached *root,
                                                          uintptr_t limit)
{
    struct mend_attached *found = NULL;

    while (root) {
        bool below = (uintptr_t)root->base < limit;

        found = below ? root : found;
        root = below ? root->right : root->left;
    }
    return found;
}

/* Divides the tree at *at: before the piece, and behind it. */
static inline void mend_rma_pieces_split(struct mend_attached *at, struct mend_attached *piece)
{
    struct mend_attached **low = &piece->left, **high = &piece->right;

    while (at) {
        if (mend_rma_piece_before(at, piece)) {
            *low = at;
            low = &at->right;
            at = at->right;
        } else {
            *high = at;
            high = &at->left;
            at = at->left;
        }
    }
    *low = *high = NULL;
}

/* The piece, whose priority is set, must not overlap another one. */
static inline void mend_rma_pieces_add(struct mend_attached **root, struct mend_attached *piece)
{
    while (*root && (*root)->priority >= piece->priority)
        root = mend_rma_piece_before(*root, piece) ? &(*root)->right : &(*root)->left;
    mend_rma_pieces_split(*root, piece);
    *root = piece;
}

/* Takes one that begins at base out of the tree; NULL: there is none. */
static inline struct mend_attached *mend_rma_pieces_take(struct mend_attached **root,
                                                         const char *base)
{
    struct mend_attached *piece, *low, *high;

    while (*root && (*root)->base != base)
        root = (*root)->base < base ? &(*root)->right : &(*root)->left;
    piece = *root;
    if (!piece)
        return NULL;
    low = piece->left;
    high = piece->right;
    while (low && high) {
        bool first = low->priority >= high->priority;

        *root = first ? low : high;
        root = first ? &low->right : &high->left;
        if (first)
            low = low->right;
        else
            high = high->left;
    }
    *root = low ? low : high;
    return piece;
}

#endif
