/* SPDX-License-Identifier: BSD-3-Clause */
/* abroad_test.c – only a sealed segment of this version is mapped; processes of another job have names that all jobs
 * understand; what nobody looks at any more is unmapped. */
#include "node/abroad.h"
#include "node/log.h"
#include "node/node.h"

#include "base/test.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { OURS = 3, PLACES = 4, PEERS = 12 };
#define THEIR_JOB    UINT64_C(0xb0b)
#define OUR_NUMBER   5u
#define THEIR_NUMBER 9u

static struct mend_proc value, *self = &value;

static int segment(uint64_t job, uint64_t more_bytes, bool seals,
                   struct mend_node_header **header_p)
{
    int fd = memfd_create("abroad_test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    struct mend_node_header layout = {0}, *h;

    mend_node_layout(&layout, PLACES);
    CHECK_EQ(ftruncate(fd, (off_t)(layout.bytes + more_bytes)), 0);
    h = mmap(NULL, layout.at[MEND_NODE_PART_CELL], PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(h != MAP_FAILED);
    *h = layout;
    h->job = job;
    if (seals)
        CHECK_EQ(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    *header_p = h;
    return fd;
}

static void set_up(void)
{
    struct mend_node_header *h;
    int fd;

    if (self->node)
        return;
    fd = segment(1, 0, true, &h);
    self->arena = mend_arena_create();
    CHECK(self->arena != NULL);
    self->peers_max = PEERS;
    mend_list_init(&self->abroad);
    CHECK(mend_peers_add(self, PEERS));
    CHECK_EQ(mend_node_open(self, h, fd), MEND_OK);
    self->node->mine = mend_place_at(0);
}

static bool is_mapped(int fd)
{
    size_t bytes;
    struct mend_node_header *h = mend_abroad_map(fd, MEND_NODE_PART_CELL, &bytes);

    if (h)
        munmap(h, bytes);
    close(fd);
    return h != NULL;
}

MEND_TEST(what_is_no_segment_is_not_mapped)
{
    struct mend_node_header *h;
    int fd = segment(2, 0, true, &h);

    CHECK(is_mapped(fd));
    CHECK(!is_mapped(segment(2, 0, false, &h)));   /* its owner could shrink it under us */
    CHECK(!is_mapped(segment(2, 4096, true, &h))); /* it says another size than it has */
    CHECK(!is_mapped(memfd_create("empty", MFD_CLOEXEC)));
    fd = segment(2, 0, true, &h);
    h->at[MEND_NODE_PART_CELL] += 4096; /* of another version */
    CHECK(!is_mapped(fd));
}

MEND_TEST(a_segment_of_another_job_is_refused)
{
    struct mend_node_header *h;
    struct mend_abroad_block block = {.here = OURS, .there = 0, .n = 1};
    int fd;

    set_up();
    fd = segment(7, 0, true, &h);
    CHECK(!mend_abroad_learn(
        self,
        &(struct mend_abroad_news){
            .job = 8, .number = 2, .mine = MEND_PLACE_NONE, .blocks = &block, .blocks_n = 1},
        fd));
    CHECK_EQ(fcntl(fd, F_GETFD), -1); /* it was this function's */
}

/* There: 4, 5 and 9; here: 3, 4 and 7. */
static const struct mend_abroad_block blocks[] = {{.here = OURS, .there = 4, .n = 2},
                                                  {.here = 7, .there = 9, .n = 1}};

static struct mend_abroad *learn(uint32_t n)
{
    struct mend_node_header *h;
    int fd = segment(THEIR_JOB, 0, true, &h);

    for (uint32_t i = 0; i < MEND_COUNT_OF(blocks); i++)
        for (int k = 0; k < blocks[i].n; k++)
            mend_node_process_of(h, blocks[i].there + k)->place = (uint32_t)(i + (uint32_t)k);
    return mend_abroad_learn(self,
                             &(struct mend_abroad_news){.job = THEIR_JOB,
                                                        .number = THEIR_NUMBER,
                                                        .mine = mend_place_at(1),
                                                        .blocks = blocks,
                                                        .blocks_n = n},
                             fd);
}

MEND_TEST(names_that_all_jobs_understand)
{
    struct mend_abroad *a;
    int32_t there;

    set_up();
    mend_store_release(&self->node->header->number, OUR_NUMBER);
    a = learn(1);
    CHECK(a && a->mine.at == 1);
    CHECK(mend_abroad_meet(self, OURS) && mend_abroad_meet(self, OURS + 1));
    CHECK(!mend_abroad_meet(self, 7)); /* it was not told of */
    CHECK(mend_peer_entry(self, OURS + 1)->where.place.at == 1);
    CHECK(!mend_peer_shares_memory(self, OURS) && mend_peer_job(self, OURS) == a);
    CHECK_EQ(mend_peer_entry(self, 7)->where.kind, MEND_WHERE_NODE); /* that is not known yet */
    CHECK(learn(2) == a && mend_abroad_meet(self, 7));
    there = mend_abroad_name(self, 7);
    CHECK_EQ(there, (int32_t)(THEIR_NUMBER << MEND_ABROAD_NAME_BITS) | 9);
    CHECK_EQ(mend_abroad_peer(self, there), 7);
    CHECK_EQ(mend_abroad_name(self, 2), (int32_t)(OUR_NUMBER << MEND_ABROAD_NAME_BITS) | 2);
    CHECK_EQ(mend_abroad_peer(self, mend_abroad_name(self, 2)), 2);
    CHECK_EQ(mend_abroad_peer(self, 2), 2); /* of a process of this job the name alone will do */
    CHECK_EQ(mend_abroad_find(self, THEIR_JOB, 5), OURS + 1);
}

MEND_TEST(nobody_is_found_that_is_not_known)
{
    set_up();
    CHECK_EQ(mend_abroad_find(self, THEIR_JOB, 6), MEND_PEER_NONE);
    CHECK_EQ(mend_abroad_find(self, THEIR_JOB + 1, 4), MEND_PEER_NONE);
    CHECK_EQ(mend_abroad_peer(self, -1), MEND_PEER_NONE);
    CHECK_EQ(mend_abroad_peer(self, (int32_t)(77 << MEND_ABROAD_NAME_BITS) | 4), MEND_PEER_NONE);
    CHECK_EQ(mend_abroad_peer(self, PEERS), MEND_PEER_NONE);
}

static enum mend_presence said(struct mend_node_header *h, mend_peer name, enum mend_presence what)
{
    mend_store_release(&mend_node_process_of(h, name)->presence, (uint32_t)what);
    return what;
}

MEND_TEST(presence_is_read_where_the_process_writes_it)
{
    struct mend_node_header *ours, *theirs;

    set_up();
    ours = self->node->header;
    theirs = mend_peer_job(self, OURS)->header;
    CHECK_EQ(mend_presence_of(self, 2), MEND_PRESENCE_IN_MPI); /* nothing is said of it */
    mend_node_meet(self, 2, mend_place_at(2));
    CHECK_EQ(mend_presence_of(self, 2), MEND_PRESENCE_NONE);
    CHECK(!mend_is_leaving(self, 2) && !mend_is_outside(self, 2));
    CHECK_EQ(said(ours, 2, MEND_PRESENCE_LEAVING), mend_presence_of(self, 2));
    CHECK(mend_is_leaving(self, 2) && !mend_is_outside(self, 2));
    said(ours, OURS + 1,
         MEND_PRESENCE_LEFT); /* an entry of our agent's, which says nothing of it */
    CHECK_EQ(said(theirs, 5, MEND_PRESENCE_IN_MPI), mend_presence_of(self, OURS + 1));
    CHECK_EQ(said(theirs, 5, MEND_PRESENCE_AWAY), mend_presence_of(self, OURS + 1));
    CHECK(mend_is_leaving(self, OURS + 1) && mend_is_outside(self, OURS + 1));
    mend_peer_entry(self, OURS + 1)->fate = MEND_PEER_DEAD;
    CHECK_EQ(mend_presence_of(self, OURS + 1), MEND_PRESENCE_DEAD);
    CHECK(mend_is_leaving(self, OURS + 1) && !mend_is_outside(self, OURS + 1));
}

MEND_TEST(what_nobody_looks_at_is_unmapped)
{
    struct mend_abroad *a;

    set_up();
    a = mend_peer_job(self, OURS);
    mend_peer_entry(self, OURS)->gone = mend_peer_entry(self, OURS + 1)->gone = true;
    mend_abroad_forget(self);
    CHECK(a->header != NULL); /* one is still looked at */
    mend_peer_entry(self, 7)->gone = true;
    mend_abroad_forget(self);
    CHECK(a->header == NULL);
    CHECK_EQ(mend_abroad_peer(self, mend_abroad_name(self, 7)), 7); /* the name stays its name */
}

MEND_TEST_MAIN()
