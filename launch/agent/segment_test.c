/* SPDX-License-Identifier: BSD-3-Clause */
/* segment_test.c – what the segment keeps of a rank that had a place before: nothing that the next one there would read.  And
 * what it keeps of a dead rank, and for which ranks: each part that is given back, and each kind of rank that may still look there.
 *
 *   R12: messages that arrived before a death are delivered before it is reported, none after it */
#include "agent/segment.h"

#include "agent/tell.h"
#include "base/test.h"
#include "base/time.h"
#include "node/log.h"
#include "proc/death.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PLACES 3

static struct rank table[PLACES];
static const struct mend_tell tell;

/* A segment in which each rank has a place. */
static void create(struct mend_ranks *ranks)
{
    uint64_t bytes;

    CHECK(mend_segment_create(ranks, &tell, &bytes));
    for (uint32_t i = 0; i < PLACES; i++) {
        ranks->rank[i].place = mend_place_at(i);
        ranks->rank[i].shared = mend_node_rank_of(ranks->shm, mend_place_at(i));
    }
    ranks->shm->places_used = PLACES;
    mend_segment_name(ranks, 0, PLACES);
}

void mend_papers_keep(struct mend_papers *p, struct rank *r)
{
}

void mend_say(const struct mend_tell *to, const char *format, ...)
{
    CHECK(!"something failed");
}

/* A rank maps all, the launcher less. */
static struct mend_node_header *rank_maps(const struct mend_ranks *ranks, uint64_t bytes)
{
    struct mend_node_header *h =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, ranks->shm_fd, 0);

    CHECK(h != MAP_FAILED);
    return h;
}

static bool pair_is_clear(struct mend_node_header *h, uint32_t a, uint32_t b)
{
    static const char zero[MEND_CACHE_LINE];

    return !memcmp(mend_node_fbox_of(h, mend_place_at(a), mend_place_at(b)), zero, sizeof(zero)) &&
           mend_node_head_of(h, mend_place_at(a), mend_place_at(b))->consumed == 0 &&
           mend_node_head_of(h, mend_place_at(b), mend_place_at(a))->consumed == 0;
}

static void use_pair(struct mend_node_header *h, uint32_t a, uint32_t b)
{
    memset(mend_node_fbox_of(h, mend_place_at(a), mend_place_at(b)), 1, MEND_CACHE_LINE);
    mend_store_relaxed(&mend_node_head_of(h, mend_place_at(a), mend_place_at(b))->consumed, 5);
    mend_store_relaxed(&mend_node_head_of(h, mend_place_at(b), mend_place_at(a))->consumed, 6);
}

MEND_TEST(a_place_is_clear_for_the_next_rank_there)
{
    struct mend_ranks ranks = {.n = PLACES, .ours_n = PLACES, .places_n = PLACES, .rank = table};
    struct mend_node_header *h;

    create(&ranks);
    h = rank_maps(&ranks, ranks.shm->at[MEND_NODE_PART_SLAB]);
    for (uint32_t a = 0; a < PLACES; a++)
        for (uint32_t b = a + 1; b < PLACES; b++)
            use_pair(h, a, b);
    mend_segment_clear(&ranks, &tell, mend_place_at(1));
    CHECK(pair_is_clear(h, 0, 1));
    CHECK(pair_is_clear(h, 1, 2));
    CHECK(!pair_is_clear(h, 0, 2));
    munmap(h, ranks.shm->at[MEND_NODE_PART_SLAB]);
    close(ranks.shm_fd);
}

/* ---- what is left of a dead rank ---- */

#define ALIVE 0
#define DEAD  1
#define OTHER 2
#define NOW   MEND_TIME_NEVER

enum keeps { NEVER, IF_SENT, ALWAYS }; /* for a rank that has not come to MPI_Init */

static const struct piece {
    const char *what;
    enum mend_node_part part;
    uint64_t at; /* in the dead rank's block */
    enum keeps keeps;
} pieces[] = {
    {"a ring to it", MEND_NODE_PART_RING, 0, IF_SENT},
    {"a pair's trays", MEND_NODE_PART_RING, MEND_NODE_RING_BYTES, IF_SENT},
    {"a head, or a fast box", MEND_NODE_PART_HEAD, 0, IF_SENT},
    {"votes on the world", MEND_NODE_PART_VOTES, 0, ALWAYS},
    {"other votes", MEND_NODE_PART_VOTES, MEND_NODE_CELL_AGREE, NEVER},
    {"a vote block", MEND_NODE_PART_SLAB, sizeof(struct mend_node_slab) - 1, ALWAYS},
    {"a cell", MEND_NODE_PART_CELL, MEND_NODE_CELL_BYTES, NEVER},
    {"a copy page", MEND_NODE_PART_COPYPAGE, 0, NEVER},
    {"a piece of its heap", MEND_NODE_PART_HEAP, 4096, NEVER},
};

static struct mend_ranks left;

static off_t place_of(const struct piece *x)
{
    uint64_t row = left.shm->row_bytes[x->part];

    return (off_t)(left.shm->at[x->part] + DEAD * (row ? row : mend_node_block_bytes(x->part)) +
                   x->at);
}

static void is_in(int i, enum mend_presence presence)
{
    mend_store_relaxed(&mend_node_process_of(left.shm, i)->presence, presence);
}

static struct mend_node_rank *rank_at(int i)
{
    return mend_node_rank_of(left.shm, mend_place_at((uint32_t)i));
}

/* Rank DEAD has used all of its parts and died; rank ALIVE has let go of it.  So many places that a row of each part fills
 * pages of its own. */
static void lose_a_rank(bool sent_early)
{
    const char byte = 1;

    memset(table, 0, sizeof(table));
    left = (struct mend_ranks){.n = 3, .ours_n = 3, .places_n = 64, .rank = table};
    create(&left);
    for (size_t i = 0; i < MEND_COUNT_OF(pieces); i++)
        CHECK_EQ(pwrite(left.shm_fd, &byte, 1, place_of(&pieces[i])), 1);
    is_in(ALIVE, MEND_PRESENCE_IN_MPI);
    mend_store_relaxed(&rank_at(ALIVE)->let_go_n, 1);
    is_in(DEAD, MEND_PRESENCE_IN_MPI);
    mend_store_relaxed(&rank_at(DEAD)->sent_early, sent_early);
    mend_store_relaxed(&rank_at(DEAD)->fate, MEND_PEER_DEAD);
    mend_node_death_of(left.shm, 0)->name = DEAD;
    mend_store_relaxed(&left.shm->deaths_n, 1);
}

static bool is_kept(const struct piece *x)
{
    char byte = 0;

    CHECK_EQ(pread(left.shm_fd, &byte, 1, place_of(x)), 1);
    return byte != 0;
}

/* Of the pieces that a rank which has not come to MPI_Init keeps so. */
static void check_kept(enum keeps least)
{
    mend_segment_give_back(&left, NULL, NOW);
    for (size_t i = 0; i < MEND_COUNT_OF(pieces); i++)
        if (is_kept(&pieces[i]) != (pieces[i].keeps >= least)) {
            printf("# %s: kept %d\n", pieces[i].what, is_kept(&pieces[i]));
            CHECK(!"what is kept is not what should be");
        }
}

static void check_all(bool kept)
{
    check_kept(kept ? NEVER : ALWAYS + 1);
    CHECK_EQ(left.cleared_n, !kept);
}

static void end(void)
{
    munmap(left.shm, left.shm->at[MEND_NODE_PART_CELL]);
    close(left.shm_fd);
}

MEND_TEST(what_was_sent_to_a_rank_that_has_not_come_is_kept)
{
    lose_a_rank(true);
    check_kept(IF_SENT);
    is_in(OTHER, MEND_PRESENCE_STARTING);
    check_kept(IF_SENT);
    is_in(OTHER, MEND_PRESENCE_IN_MPI);
    check_kept(IF_SENT);
    CHECK_EQ(left.cleared_n, 0);
    mend_store_relaxed(&rank_at(OTHER)->let_go_n, 1);
    check_all(false);
    end();
}

MEND_TEST(a_rank_that_has_not_come_keeps_no_more_than_it_may_look_at)
{
    lose_a_rank(false);
    check_kept(ALWAYS);
    CHECK_EQ(left.cleared_n, 0);
    table[OTHER].state.child = MEND_CHILD_ENDED;
    check_all(false);
    end();
}

MEND_TEST(a_rank_that_never_comes_keeps_nothing_when_it_has_ended)
{
    lose_a_rank(true);
    check_kept(IF_SENT);
    table[OTHER].state.child = MEND_CHILD_ENDED;
    check_all(false);
    end();
}

/* Of which the process goes on, or may come back. */
static void check_holds(enum mend_presence presence, bool script_ended)
{
    lose_a_rank(true);
    is_in(OTHER, presence);
    if (script_ended) {
        table[OTHER].state.child = MEND_CHILD_ENDED;
        table[OTHER].state.ending = MEND_ENDING_HELD;
    }
    check_all(true);
    mend_store_relaxed(&rank_at(OTHER)->let_go_n, 1);
    check_all(false);
    end();
}

MEND_TEST(a_rank_that_has_not_let_go_keeps_all)
{
    check_holds(MEND_PRESENCE_STARTING, false);
    check_holds(MEND_PRESENCE_IN_MPI, false);
    check_holds(MEND_PRESENCE_LEAVING, false);
    check_holds(MEND_PRESENCE_AWAY, false);
    check_holds(MEND_PRESENCE_IN_MPI, true);
}

MEND_TEST(a_rank_that_has_left_or_died_keeps_nothing)
{
    lose_a_rank(true);
    is_in(OTHER, MEND_PRESENCE_LEFT);
    check_all(false);
    end();
    lose_a_rank(true);
    mend_store_relaxed(&rank_at(OTHER)->fate, MEND_PEER_DEAD);
    check_all(false);
    end();
}

MEND_TEST_MAIN()
