/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.c – where each area of the segment begins.
 *
 * The same function runs in the agent, which writes the result into the header, and in every rank,
 * which compares: a segment of another version is refused. */
#include "node/layout.h"

#define PAGE     UINT64_C(4096)
#define PAGE_MAX UINT64_C(65536) /* on AArch64; what is mapped apart begins at pages of any size */

_Static_assert(sizeof(struct mend_node_shelf) % PAGE_MAX == 0, "shelves are mapped one by one");

static uint64_t align_up(uint64_t at, uint64_t to)
{
    return (at + to - 1) & ~(to - 1);
}

void mend_node_layout(struct mend_node_header *header, uint32_t n)
{
    uint64_t squared = (uint64_t)n * n;

    header->magic = MEND_NODE_MAGIC;
    header->ranks_n = n;
    header->rank_at = align_up(sizeof(*header), MEND_CACHE_LINE);
    header->sleep_at = header->rank_at + (uint64_t)n * sizeof(struct mend_node_rank);
    header->death_at = header->sleep_at + (n + MEND_NODE_SLEEPERS - 1) / MEND_NODE_SLEEPERS *
                                              sizeof(struct mend_node_sleep);
    header->bell_row_bytes = align_up(n, MEND_CACHE_LINE); /* each row is read by another rank */
    header->handled_at = header->death_at + (uint64_t)n * sizeof(struct mend_node_death);
    header->bell_at = align_up(header->handled_at + n, MEND_CACHE_LINE);
    header->head_at = align_up(header->bell_at + n * header->bell_row_bytes, PAGE);
    header->head_row_bytes = n * sizeof(struct mend_node_head);
    if (header->head_row_bytes > PAGE) /* then those of the dead can be given back */
        header->head_row_bytes = align_up(header->head_row_bytes, PAGE);
    header->said_at = header->head_at + n * header->head_row_bytes;
    header->cell_at = align_up(
        header->said_at + (uint64_t)n * MEND_NODE_CELLS * sizeof(struct mend_node_said), PAGE);
    header->revoked_at = header->cell_at + (uint64_t)n * MEND_NODE_CELLS * MEND_NODE_CELL_BYTES;
    header->sheet_at = header->revoked_at + (uint64_t)n * sizeof(struct mend_node_revoked);
    header->ring_at = header->sheet_at + (uint64_t)n * MEND_NODE_SHEET_BYTES;
    header->area_at = align_up(header->ring_at + squared * MEND_NODE_RING_BYTES, PAGE);
    header->shelf_at = align_up(header->area_at + (uint64_t)n * MEND_NODE_AREA_BYTES, PAGE_MAX);
    header->bytes =
        header->shelf_at + (uint64_t)n * MEND_NODE_SHELVES * sizeof(struct mend_node_shelf);
}
