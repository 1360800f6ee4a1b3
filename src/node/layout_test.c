/* SPDX-License-Identifier: BSD-3-Clause */
/* layout_test.c – the segment can be mapped piece by piece with any size of pages. */
#include "base/test.h"
#include "node/layout.h"

#define PAGE_MAX UINT64_C(65536) /* AArch64 knows pages of 4, 16 and 64 KiB */

MEND_TEST(shelves_begin_at_pages_of_every_size)
{
    for (uint32_t n = 1; n < 300; n++) {
        struct mend_node_header h = {0};

        mend_node_layout(&h, n);
        CHECK(mend_node_shelf_at(&h, 0, 0) % PAGE_MAX == 0);
        CHECK(mend_node_shelf_at(&h, n - 1, 1) % PAGE_MAX == 0);
    }
}

MEND_TEST_MAIN()
