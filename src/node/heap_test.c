/* SPDX-License-Identifier: BSD-3-Clause */
/* heap_test.c – pieces are apart from each other, zero when they are taken, seen by processes that map their offset, and
 * used again; no memory is an answer. */
#include "node/heap.h"
#include "node/node.h"

#include "base/test.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct mend_proc value, *self = &value;
static int fd;

static void set_up(void)
{
    struct mend_node_header layout = {0}, *header;

    if (self->node)
        return;
    fd = memfd_create("heap_test", MFD_CLOEXEC);
    mend_node_layout(&layout, 2);
    self->arena = mend_arena_create();
    CHECK(self->arena != NULL);
    CHECK_EQ(ftruncate(fd, (off_t)layout.bytes), 0);
    header = mmap(NULL, layout.at[MEND_NODE_PART_CELL], PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(header != MAP_FAILED);
    *header = layout;
    self->me = 1;
    CHECK_EQ(mend_node_open(self, header, fd), MEND_OK);
    self->node->mine = mend_place_at(1);
}

static uint64_t pages_used(void)
{
    struct stat st;

    CHECK_EQ(fstat(fd, &st), 0);
    return (uint64_t)st.st_blocks * 512 / 4096;
}

MEND_TEST(pieces_are_zero_and_apart)
{
    struct mend_heap_piece *p[40];

    set_up();
    for (int i = 0; i < 40; i++) {
        size_t len = (size_t)(i % 5) * 3000 + 1;

        p[i] = mend_heap_take(self, len);
        CHECK(p[i] != NULL && p[i]->len >= len);
        for (size_t k = 0; k < p[i]->len; k++)
            CHECK_EQ(p[i]->base[k], 0);
        memset(p[i]->base, i + 1, p[i]->len);
        if (i % 3 == 2) { /* a gap for later ones */
            mend_heap_give_back(self, p[i - 1]);
            p[i - 1] = NULL;
        }
    }
    for (int i = 0; i < 40; i++)
        for (size_t k = 0; p[i] && k < p[i]->len; k++)
            CHECK_EQ(p[i]->base[k], i + 1);
    for (int i = 0; i < 40; i++)
        if (p[i])
            mend_heap_give_back(self, p[i]);
    CHECK(mend_list_empty(&self->node->pieces));
}

MEND_TEST(who_maps_the_offset_sees_the_bytes)
{
    struct mend_heap_piece *p;
    char *there;

    set_up();
    p = mend_heap_take(self, 5000);
    CHECK(p && p->at >= mend_node_heap_at(self->node->header, mend_place_at(1)));
    there = mend_node_map(self, p->at, p->len);
    CHECK(there && there != p->base);
    there[4999] = 7;
    CHECK_EQ(p->base[4999], 7);
    mend_node_unmap(there, p->len);
    mend_heap_give_back(self, p);
}

MEND_TEST(what_is_given_back_leaves_no_pages_and_no_room)
{
    uint64_t before, at;

    set_up();
    before = pages_used();
    at = mend_node_heap_at(self->node->header, mend_place_at(1));
    for (int i = 0; i < 1000; i++) {
        struct mend_heap_piece *p = mend_heap_take(self, 100000);

        CHECK(p && p->at == at);
        mend_heap_give_back(self, p);
    }
    CHECK_EQ(pages_used(), before);
}

MEND_TEST(an_address_leads_to_its_piece)
{
    struct mend_heap_piece *a, *b;

    set_up();
    a = mend_heap_take(self, 8192);
    b = mend_heap_take(self, 8192);
    CHECK(mend_heap_find(self, a->base, 8192) == a);
    CHECK(mend_heap_find(self, b->base + 8000, 192) == b);
    CHECK(mend_heap_find(self, b->base + 8000, 193) == NULL);
    CHECK(mend_heap_find(self, &a, sizeof(a)) == NULL);
    mend_heap_give_back(self, a);
    mend_heap_give_back(self, b);
}

MEND_TEST(too_much_is_refused_and_costs_nothing)
{
    uint64_t before;

    set_up();
    before = pages_used();
    CHECK(mend_heap_take(self, MEND_NODE_HEAP_BYTES + 1) == NULL);
    CHECK(mend_heap_take(self, MEND_NODE_HEAP_BYTES) == NULL); /* no machine has the pages */
    CHECK_EQ(pages_used(), before);
    CHECK(mend_list_empty(&self->node->pieces));
}

MEND_TEST_MAIN()
