/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.c – where each part of the segment begins: the only table of this.
 *
 * The same function runs in the agent, which writes the result into the header, and in every rank,
 * which compares: a segment of another build is refused. */
#include "node/layout.h"

#include "node/build_id.h"

#include "node/log.h"
#include "node/rank.h"
#include "node/revoked.h"

#include <string.h>

#define LINE     MEND_CACHE_LINE
#define PAGE     UINT64_C(4096)
#define PAGE_MAX UINT64_C(65536) /* on AArch64; what is mapped apart begins at pages of any size */

_Static_assert(sizeof(struct mend_node_slab) % PAGE_MAX == 0, "slabs are mapped one by one");

enum count { ONE, PER_RANK, PER_PAIR, PER_SLEEPERS, PER_NAME, PER_NODE };

/* The pages that the agent reserves before any rank starts, or before one that they belong to does; the process that first
 * touches another page reserves it. */
enum early { NONE, ALL, FIRST_PAGE, STARTED, ONE_PAGE, NAMED };

static const struct part {
    uint64_t bytes;
    enum count count;
    uint64_t align;
    enum early early;
} parts[MEND_NODE_PARTS] = {
    [MEND_NODE_PART_RANK] = {sizeof(struct mend_node_rank), PER_RANK, LINE, STARTED},
    [MEND_NODE_PART_SLEEP] = {sizeof(struct mend_node_sleep), PER_SLEEPERS, LINE, ALL},
    [MEND_NODE_PART_NODE] = {sizeof(struct mend_node_of_job), PER_NODE, LINE, ALL},
    [MEND_NODE_PART_PROCESS] = {sizeof(struct mend_node_process), PER_NAME, LINE, NAMED},
    [MEND_NODE_PART_DEATH] = {sizeof(struct mend_node_death), PER_NAME, LINE, NAMED},
    [MEND_NODE_PART_HANDLED] = {1, PER_NAME, LINE, NAMED},
    [MEND_NODE_PART_TOLD] = {((UINT64_C(1) << MEND_NODE_TOLD_TABLES) - 1) * MEND_NODE_TOLD_WORDS *
                                 sizeof(uint64_t),
                             ONE, PAGE, FIRST_PAGE},
    [MEND_NODE_PART_BELL] = {1, PER_PAIR, LINE, STARTED},
    [MEND_NODE_PART_HEAD] = {sizeof(struct mend_node_head), PER_PAIR, PAGE, NONE},
    [MEND_NODE_PART_SAID] = {MEND_NODE_CELLS * sizeof(struct mend_node_said), PER_RANK, 1, STARTED},
    [MEND_NODE_PART_CELL] = {MEND_NODE_CELLS * MEND_NODE_CELL_BYTES, PER_RANK, PAGE, NONE},
    [MEND_NODE_PART_VOTES] = {MEND_NODE_CELLS * MEND_NODE_CELL_AGREE, PER_RANK, PAGE, NONE},
    [MEND_NODE_PART_REVOKED] = {sizeof(struct mend_node_revoked), PER_RANK, PAGE, ONE_PAGE},
    [MEND_NODE_PART_COPYPAGE] = {MEND_NODE_COPYPAGE_BYTES, PER_RANK, PAGE, NONE},
    [MEND_NODE_PART_RING] = {MEND_NODE_RING_BYTES + MEND_NODE_PAIR_BYTES, PER_PAIR, PAGE, NONE},
    [MEND_NODE_PART_SLAB] = {MEND_NODE_SLABS * sizeof(struct mend_node_slab), PER_RANK, PAGE_MAX,
                             NONE},
    [MEND_NODE_PART_HEAP] = {MEND_NODE_HEAP_BYTES, PER_RANK, PAGE_MAX, NONE},
};

static uint64_t align_up(uint64_t at, uint64_t to)
{
    return (at + to - 1) & ~(to - 1);
}

static uint64_t ring_bytes(uint32_t n)
{
    return MEND_NODE_RING_BYTES + (n <= MEND_NODE_PAIRS_MAX ? MEND_NODE_PAIR_BYTES : 0);
}

/* Each row is of another rank: no line is of two, and no page if it fills one, so that those of the dead can
 * be given back. */
static uint64_t row_bytes(const struct part *p, uint32_t n)
{
    uint64_t one = p == &parts[MEND_NODE_PART_RING] ? ring_bytes(n) : p->bytes;
    uint64_t row = align_up(n * one, LINE);

    return p->align >= PAGE && row > PAGE ? align_up(row, PAGE) : row;
}

static uint64_t part_bytes(const struct part *p, const struct mend_node_header *h)
{
    uint32_t n = h->places_n;

    switch (p->count) {
    case ONE:
        return p->bytes;
    case PER_RANK:
        return n * p->bytes;
    case PER_PAIR:
        return n * row_bytes(p, n);
    case PER_SLEEPERS:
        return (n + MEND_NODE_SLEEPERS - 1) / MEND_NODE_SLEEPERS * p->bytes;
    case PER_NAME:
        return MEND_NODE_NAMES * p->bytes;
    case PER_NODE:
        return h->nodes_n * p->bytes;
    }
    return 0;
}

void mend_node_layout(struct mend_node_header *header, uint32_t n)
{
    uint64_t at = sizeof(*header);

    header->magic = MEND_NODE_MAGIC;
    header->build = MEND_BUILD_ID;
    header->places_n = n;
    header->ring_bytes = (uint32_t)ring_bytes(n);
    for (unsigned i = 0; i < MEND_NODE_PARTS; i++) {
        const struct part *p = &parts[i];

        header->at[i] = align_up(at, p->align);
        header->row_bytes[i] = p->count == PER_PAIR ? row_bytes(p, n) : 0;
        at = header->at[i] + part_bytes(p, header);
    }
    header->bytes = at;
}

struct mend_node_range mend_node_part_early(const struct mend_node_header *header,
                                            enum mend_node_part part, uint32_t first, uint32_t n)
{
    const struct part *p = &parts[part];
    uint64_t one = p->count == PER_PAIR ? header->row_bytes[part] : p->bytes;

    switch (p->early) {
    case NONE:
    case NAMED:
        break;
    case ALL:
        if (first == 0)
            return (struct mend_node_range){header->at[part], part_bytes(p, header)};
        break;
    case FIRST_PAGE:
        if (first == 0)
            return (struct mend_node_range){header->at[part], PAGE};
        break;
    case STARTED:
        return (struct mend_node_range){header->at[part] + first * one, n * one};
    case ONE_PAGE:
        return (struct mend_node_range){header->at[part] + first * one, PAGE};
    }
    return (struct mend_node_range){header->at[part], 0};
}

uint64_t mend_node_block_bytes(enum mend_node_part part)
{
    return parts[part].bytes;
}

struct mend_node_range mend_node_part_of_names(const struct mend_node_header *header,
                                               enum mend_node_part part, uint32_t first, uint32_t n)
{
    const struct part *p = &parts[part];

    if (p->early != NAMED)
        return (struct mend_node_range){header->at[part], 0};
    return (struct mend_node_range){header->at[part] + first * p->bytes, n * p->bytes};
}

bool mend_node_layout_is(const struct mend_node_header *header,
                         const struct mend_node_header *expected)
{
    return header->magic == expected->magic && header->build == expected->build &&
           header->places_n == expected->places_n && header->nodes_n == expected->nodes_n &&
           header->bytes == expected->bytes && header->ring_bytes == expected->ring_bytes &&
           !memcmp(header->at, expected->at, sizeof(header->at)) &&
           !memcmp(header->row_bytes, expected->row_bytes, sizeof(header->row_bytes));
}
