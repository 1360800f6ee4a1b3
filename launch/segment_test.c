/* SPDX-License-Identifier: BSD-3-Clause */
/* segment_test.c – what the segment keeps of a rank that had a place before: nothing that the next one there would read. */
#include "segment.h"

#include "base/test.h"
#include "node/log.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PLACES 3

static struct rank ranks[PLACES];

void mend_vacancy_take(struct job *job, struct rank *r)
{
    r->place = mend_place_at((uint32_t)(r - job->rank));
    r->shared = mend_node_rank_of(job->shm, r->place);
    job->shm->places_used = PLACES;
}

bool mend_vacancy_collect(struct job *job)
{
    return false;
}

void mend_say(struct job *job, const char *format, ...)
{
    CHECK(!"something failed");
}

/* A rank maps all, the launcher less. */
static struct mend_node_header *rank_maps(const struct job *job, uint64_t bytes)
{
    struct mend_node_header *h =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, job->shm_fd, 0);

    CHECK(h != MAP_FAILED);
    return h;
}

static bool line_is_clear(struct mend_node_header *h, uint32_t a, uint32_t b)
{
    static const char zero[MEND_CACHE_LINE];

    return !memcmp(mend_node_line_of(h, mend_place_at(a), mend_place_at(b)), zero, sizeof(zero)) &&
           mend_node_head_of(h, mend_place_at(a), mend_place_at(b))->consumed == 0 &&
           mend_node_head_of(h, mend_place_at(b), mend_place_at(a))->consumed == 0;
}

static void use_pair(struct mend_node_header *h, uint32_t a, uint32_t b)
{
    memset(mend_node_line_of(h, mend_place_at(a), mend_place_at(b)), 1, MEND_CACHE_LINE);
    mend_store_relaxed(&mend_node_head_of(h, mend_place_at(a), mend_place_at(b))->consumed, 5);
    mend_store_relaxed(&mend_node_head_of(h, mend_place_at(b), mend_place_at(a))->consumed, 6);
}

MEND_TEST(a_place_is_clear_for_the_next_rank_there)
{
    struct job job = {.n = PLACES, .places_n = PLACES, .rank = ranks, .report_fd = -1};
    struct mend_node_header *h;
    uint64_t bytes;

    CHECK(mend_segment_create(&job, &bytes));
    h = rank_maps(&job, job.shm->at[MEND_NODE_PART_SHELF]);
    for (uint32_t a = 0; a < PLACES; a++)
        for (uint32_t b = a + 1; b < PLACES; b++)
            use_pair(h, a, b);
    mend_segment_clear(&job, mend_place_at(1));
    CHECK(line_is_clear(h, 0, 1));
    CHECK(line_is_clear(h, 1, 2));
    CHECK(!line_is_clear(h, 0, 2));
    munmap(h, job.shm->at[MEND_NODE_PART_SHELF]);
    close(job.shm_fd);
}

MEND_TEST_MAIN()
