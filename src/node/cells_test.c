/* SPDX-License-Identifier: BSD-3-Clause */
/* cells_test.c – a cell is offered again when all members have closed its communicator or are dead, not before; what
 * one creation is offered, no other one is.  Two processes, in one. */
#include "node/cells.h"
#include "node/node.h"

#include "base/test.h"

#include <sys/mman.h>
#include <unistd.h>

enum { RANKS = 2, CELL = 3 };
#define BIT(k) (UINT64_C(1) << (k))

static struct mend_proc value[RANKS];

static void set_up_rank(mend_peer me, struct mend_node_header *header, int fd)
{
    struct mend_proc *self = &value[me];

    self->arena = mend_arena_create();
    self->me = me;
    self->params.coll_shm = true;
    CHECK(mend_peers_add(self, RANKS));
    CHECK_EQ(mend_node_open(self, header, fd), MEND_OK);
    for (mend_peer p = 0; p < RANKS; p++)
        mend_node_meet(self, p, mend_place_at((uint32_t)p));
}

static void set_up(void)
{
    struct mend_node_header layout = {0}, *header;
    int fd = memfd_create("cells_test", MFD_CLOEXEC);

    mend_node_layout(&layout, RANKS);
    CHECK_EQ(ftruncate(fd, (off_t)layout.bytes), 0);
    header = mmap(NULL, layout.at[MEND_NODE_PART_SLAB], PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(header != MAP_FAILED);
    *header = layout;
    memset(value, 0, sizeof(value));
    for (mend_peer me = 0; me < RANKS; me++) {
        set_up_rank(me, header, fd);
        mend_cells_reserve_all(&value[me]);
    }
}

static uint64_t offered(mend_peer me)
{
    uint64_t offer = mend_cells_offer(&value[me], false, 0);

    mend_cells_settle(&value[me], offer);
    return offer;
}

static void close_at(mend_peer me, uint64_t mark)
{
    struct mend_cells_closing *x = mend_cells_closing(&value[me], CELL, mark, RANKS);

    mend_cells_add_member(&value[me], x, !me);
    mend_cells_close(&value[me], x);
}

static void take_both(void)
{
    mend_cells_take(&value[0], CELL);
    mend_cells_take(&value[1], CELL);
}

MEND_TEST(free_when_all_have_closed)
{
    set_up();
    for (uint64_t mark = 1; mark < 20; mark++) {
        mend_peer first = mark % 2;

        take_both();
        CHECK_EQ(offered(0), ~BIT(CELL));
        close_at(first, mark);
        CHECK_EQ(offered(first), ~BIT(CELL)); /* the other one may still read */
        CHECK_EQ(offered(!first), ~BIT(CELL));
        close_at(!first, mark);
        CHECK_EQ(offered(0), UINT64_MAX);
        CHECK_EQ(offered(1), UINT64_MAX);
    }
}

/* The second member closes, takes the cell for another communicator and closes that: the first one still knows. */
MEND_TEST(a_later_use_does_not_hide_a_closing)
{
    set_up();
    take_both();
    close_at(0, 1);
    close_at(1, 1);
    CHECK_EQ(offered(1), UINT64_MAX);
    mend_cells_take(&value[1], CELL);
    CHECK_EQ(offered(0), UINT64_MAX);
}

MEND_TEST(free_when_the_others_are_dead)
{
    set_up();
    take_both();
    close_at(0, 1);
    CHECK_EQ(offered(0), ~BIT(CELL));
    mend_peer_entry(&value[0], 1)->fate = MEND_PEER_DEAD;
    CHECK_EQ(offered(0), UINT64_MAX);
}

MEND_TEST(creations_that_overlap_are_offered_different_cells)
{
    uint64_t seen = 0;

    set_up();
    for (unsigned turn = 0; turn < 4; turn++) {
        uint64_t offer = mend_cells_offer(&value[0], true, turn);

        CHECK_EQ(__builtin_popcountll(offer), 16);
        CHECK_EQ(offer & seen, 0);
        seen |= offer;
    }
    CHECK_EQ(mend_cells_offer(&value[0], false, 0), 0);
    mend_cells_settle(&value[0], seen);
    CHECK_EQ(offered(0), UINT64_MAX);
}

/* What lies between cells that are taken is reserved run by run, and no more than is asked for. */
MEND_TEST(runs_of_cells)
{
    set_up();
    value[0].node->cells_ready = 0;
    mend_cells_take(&value[0], 1);
    mend_cells_take(&value[0], 4);
    CHECK_EQ(offered(0), 0x3ffed); /* 16 of them */
    CHECK_EQ(value[0].node->cells_ready, 0x3ffed);
    mend_cells_reserve_all(&value[0]);
    CHECK_EQ(value[0].node->cells_ready, UINT64_MAX);
}

/* They are reserved some at a time, and stay. */
MEND_TEST(only_cells_with_pages)
{
    int fd;

    set_up();
    value[0].node->cells_ready = 0;
    CHECK_EQ(offered(0), 0xffff);
    for (int cell = 0; cell < 9; cell++)
        mend_cells_take(&value[0], cell);
    fd = value[0].node->fd;
    value[0].node->fd = -1; /* no memory */
    value[0].node->touched = 0;
    CHECK_EQ(offered(0), 0xfe00);
    value[0].node->fd = fd;
    CHECK_EQ(offered(0), 0xfffffe00);
    value[0].node->fd = -1;
    value[0].node->cells_ready = 0;
    CHECK_EQ(offered(0), 0);
}

MEND_TEST(nothing_without_a_segment)
{
    struct mend_proc alone = {.params = {.coll_shm = true}};

    CHECK_EQ(mend_cells_offer(&alone, false, 0), 0);
    mend_cells_settle(&alone, 0);
    set_up();
    value[0].params.coll_shm = false;
    CHECK_EQ(offered(0), 0);
}

MEND_TEST_MAIN()
