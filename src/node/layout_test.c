/* SPDX-License-Identifier: BSD-3-Clause */
/* layout_test.c – parts lie one behind the other, each in its line of the table; slabs can be mapped with any size
 * of pages. */
#include "base/arena.h"
#include "base/test.h"
#include "node/layout.h"

#include <stdlib.h>

#define PAGE_MAX UINT64_C(65536) /* AArch64 knows pages of 4, 16 and 64 KiB */

MEND_TEST(slabs_begin_at_pages_of_every_size)
{
    for (uint32_t n = 1; n < 300; n++) {
        struct mend_node_header h = {0};

        mend_node_layout(&h, n);
        CHECK(mend_node_slab_at(&h, mend_place_at(0), 0) % PAGE_MAX == 0);
        CHECK(mend_node_slab_at(&h, mend_place_at(n - 1), 1) % PAGE_MAX == 0);
    }
}

MEND_TEST(parts_follow_each_other)
{
    for (uint32_t n = 1; n < 300; n++) {
        struct mend_node_header h = {.nodes_n = 1 + n % 3};

        mend_node_layout(&h, n);
        CHECK(h.at[0] >= sizeof(h));
        for (unsigned i = 0; i < MEND_NODE_PARTS; i++) {
            uint64_t end = i + 1 < MEND_NODE_PARTS ? h.at[i + 1] : h.bytes;

            CHECK(h.at[i] < end); /* not so if the table has no line for it */
            for (uint32_t first = 0; first < n; first += 1 + n / 3) {
                struct mend_node_range r = mend_node_part_early(&h, i, first, n - first);

                CHECK(h.at[i] <= r.at && r.at + r.bytes <= end);
                r = mend_node_part_of_names(&h, i, MEND_NODE_NAMES - 3, 3);
                CHECK(h.at[i] <= r.at && r.at + r.bytes <= end);
            }
        }
    }
}

MEND_TEST(rows_hold_a_rank_of_each)
{
    struct mend_node_header *h = calloc(1, sizeof(*h));
    uint64_t rings_end;
    mend_place last;

    for (uint32_t n = 1; n < 300; n++) {
        mend_node_layout(h, n);
        last = mend_place_at(n - 1);
        rings_end =
            (uint64_t)((char *)mend_node_ring_of(h, last, last) - (char *)h) + h->ring_bytes;
        CHECK(rings_end <= h->at[MEND_NODE_PART_RING + 1]);
        CHECK(h->at[MEND_NODE_PART_RING + 1] - rings_end < PAGE_MAX); /* where slabs can begin */
        CHECK((char *)(mend_node_head_of(h, last, last) + 1) <=
              (char *)h + h->at[MEND_NODE_PART_HEAD + 1]);
        CHECK((char *)mend_node_bells(h, last) + n <= (char *)h + h->at[MEND_NODE_PART_BELL + 1]);
    }
    free(h);
}

/* Between the two, what every rank maps at once: the launcher takes so many ranks. */
MEND_TEST(the_largest_job_has_addresses)
{
    static const uint32_t many[] = {MEND_NODE_PAIRS_MAX, MEND_NODE_PAIRS_MAX + 1, 16384};

    for (unsigned i = 0; i < MEND_COUNT_OF(many); i++) {
        struct mend_node_header h = {0};

        mend_node_layout(&h, many[i]);
        CHECK(MEND_APART_SEGMENT + h.at[MEND_NODE_PART_SLAB] <= MEND_APART_ARENA);
        CHECK_EQ(!mend_node_pair_of(&h, mend_place_at(1), mend_place_at(0)),
                 many[i] > MEND_NODE_PAIRS_MAX);
    }
}

MEND_TEST(another_layout_is_refused)
{
    struct mend_node_header mine = {0}, other = {0};

    mend_node_layout(&mine, 4);
    mend_node_layout(&other, 4);
    CHECK(mend_node_layout_is(&other, &mine));
    for (unsigned i = 0; i < MEND_NODE_PARTS; i++) {
        other.at[i] += 64;
        CHECK(!mend_node_layout_is(&other, &mine));
        other.at[i] -= 64;
    }
    other.build++;
    CHECK(!mend_node_layout_is(&other, &mine));
    other.build--;
    other.ring_bytes = MEND_NODE_RING_BYTES;
    CHECK(!mend_node_layout_is(&other, &mine));
}

MEND_TEST_MAIN()
