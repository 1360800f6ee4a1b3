/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks are walked in turn, and none is given out while a slot that names it waits to be consumed. */
#include "net/shm/area.h"
#include "net/shm/shm.h"
#include "node/node.h"

#include "base/test.h"

#include <sys/mman.h>
#include <unistd.h>

static struct mend_proc value, *self = &value;
static struct mend_area area;
static mend_atomic_u32 quick, slow;

static void set_up(void)
{
    struct mend_node_header layout = {0}, *header;
    int fd = memfd_create("area_test", MFD_CLOEXEC);

    mend_node_layout(&layout, 1);
    self->arena = mend_arena_create();
    CHECK(self->arena != NULL);
    CHECK_EQ(ftruncate(fd, (off_t)layout.at[MEND_NODE_PART_SLAB]), 0);
    header = mmap(NULL, layout.at[MEND_NODE_PART_SLAB], PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_NORESERVE, fd, 0);
    CHECK(header != MAP_FAILED);
    *header = layout;
    CHECK_EQ(mend_node_open(self, header, fd), MEND_OK);
    self->me = 0;
    CHECK(mend_peers_add(self, 1));
    mend_node_meet(self, 0, mend_place_at(0));
    CHECK_EQ(mend_shm_open(self), MEND_OK);
}

static void set_up_all(void)
{
    memset(&area, 0, sizeof(area));
    mend_area_grow(self, &area, 100 * (uint64_t)MEND_NODE_AREA_BYTES);
    CHECK_EQ(area.ready_n, MEND_AREA_BLOCKS);
}

MEND_TEST(it_grows_with_what_is_sent)
{
    uint64_t sent = 0;

    set_up();
    CHECK_EQ(mend_area_take(&area, MEND_AREA_BLOCK, &quick, 0), UINT32_MAX);
    CHECK_EQ(mend_area_lays(&area), 1u << MEND_LAY_RING);
    for (; !(mend_area_lays(&area) & 1u << MEND_LAY_AREA); sent += 10000)
        mend_area_grow(self, &area, 10000);
    CHECK_EQ(area.ready_n, MEND_AREA_FEW);
    CHECK(sent > 32 * MEND_AREA_FEW * MEND_AREA_BLOCK &&
          sent < 128 * MEND_AREA_FEW * MEND_AREA_BLOCK);
    mend_area_grow(self, &area, UINT64_MAX / 2);
    CHECK_EQ(area.ready_n, MEND_AREA_BLOCKS);
}

MEND_TEST(each_block_once_until_consumed)
{
    set_up_all();
    for (uint32_t k = 0; k < MEND_AREA_BLOCKS; k++)
        CHECK_EQ(mend_area_take(&area, MEND_AREA_BLOCK, &quick, k), k * MEND_AREA_BLOCK);
    CHECK_EQ(mend_area_take(&area, MEND_AREA_BLOCK, &quick, 1000), UINT32_MAX);
    mend_store_release(&quick, MEND_AREA_BLOCKS);
    CHECK(mend_area_take(&area, MEND_AREA_BLOCK, &quick, MEND_AREA_BLOCKS) != UINT32_MAX);
}

MEND_TEST(long_payloads_take_blocks_that_follow_one_another)
{
    const uint32_t len = 2 * MEND_AREA_BLOCK + 1;

    set_up_all();
    mend_store_release(&quick, 0);
    for (uint32_t n = 0; n < MEND_AREA_BLOCKS / 3; n++)
        CHECK_EQ(mend_area_take(&area, len, &quick, n), 3 * n * MEND_AREA_BLOCK);
    CHECK_EQ(mend_area_take(&area, len, &quick, 100), UINT32_MAX);
    area.next = 0;
    mend_store_release(&quick, 1);
    CHECK_EQ(mend_area_take(&area, 3 * MEND_AREA_BLOCK, &slow, 0), 0);
    CHECK(!area.first);
    area.next = 1;
    mend_store_release(&quick, 100);
    CHECK_EQ(mend_area_take(&area, len, &quick, 200), 3 * MEND_AREA_BLOCK);
    area.next = MEND_AREA_BLOCKS - 1;
    CHECK_EQ(mend_area_take(&area, 1, &quick, 200), (MEND_AREA_BLOCKS - 1) * MEND_AREA_BLOCK);
    CHECK(area.first);
}

MEND_TEST(a_long_payload_passes_over_a_block_in_use)
{
    set_up_all();
    mend_store_release(&slow, 0);
    area.next = 1;
    CHECK_EQ(mend_area_take(&area, 1, &slow, 0), MEND_AREA_BLOCK);
    area.next = 0;
    CHECK_EQ(mend_area_take(&area, 2 * MEND_AREA_BLOCK, &quick, 0), 2 * MEND_AREA_BLOCK);
}

MEND_TEST(a_slow_receiver_holds_up_nobody_else)
{
    uint32_t its;

    set_up_all();
    mend_store_release(&quick, 0);
    its = mend_area_take(&area, MEND_AREA_BLOCK, &slow, 0);
    for (uint32_t n = 0; n < 3 * MEND_AREA_BLOCKS; n++) {
        uint32_t at = mend_area_take(&area, MEND_AREA_BLOCK, &quick, n);

        CHECK(at != its && at < MEND_NODE_AREA_BYTES);
        mend_store_release(&quick, n + 1);
    }
}

MEND_TEST(what_the_dead_held_is_free)
{
    set_up_all();
    for (uint32_t k = 0; k < MEND_AREA_BLOCKS; k++)
        mend_area_take(&area, MEND_AREA_BLOCK, &slow, k);
    CHECK_EQ(mend_area_take(&area, MEND_AREA_BLOCK, &quick, 0), UINT32_MAX);
    mend_area_forget(&area, &slow);
    CHECK(mend_area_take(&area, MEND_AREA_BLOCK, &quick, 0) != UINT32_MAX);
}

MEND_TEST(copies_are_exact)
{
    static unsigned char from[1000], to[1100];

    for (size_t i = 0; i < sizeof(from); i++)
        from[i] = (unsigned char)(i * 7 + i / 256);
    for (size_t off = 0; off < 66; off++)
        for (size_t n = 0; n < 400; n += 7)
            for (int past = 0; past < 2; past++) {
                unsigned char *block = (unsigned char *)(((uintptr_t)to + 63) & ~(uintptr_t)63);

                memset(block, 0xEE, 500);
                mend_area_copy(block, from + off, n, past);
                CHECK_EQ(memcmp(block, from + off, n), 0);
                CHECK_EQ(block[n], 0xEE);
            }
}

MEND_TEST_MAIN()
