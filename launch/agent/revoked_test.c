/* SPDX-License-Identifier: BSD-3-Clause */
/* revoked_test.c – the set of revoked contexts in the segment: what is in it is found at all times, and nothing else; and which
 * others the agent tells.
 *
 *   S5-11: a revocation reaches every survivor on every node, and no rank relays it */
#include "agent/revoked.h"

#include "agent/facts.h"
#include "agent/links.h"
#include "agent/segment.h"
#include "agent/tell.h"

#include "base/test.h"
#include "node/revoked.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct mend_ranks ranks;
static struct mend_revoked revoked;
static struct mend_facts {
    uint64_t proposed;
} facts;
static uint64_t reserved_to; /* bytes of the segment that have pages */
static bool full;            /* there are no more */
static uint64_t passed_on;
static uint32_t calls_n, jobs_n;

bool mend_segment_reserve(struct mend_ranks *r, const void *at, uint64_t bytes)
{
    uint64_t from = (uint64_t)((const char *)at - (const char *)r->shm);

    CHECK_EQ(from, reserved_to);
    if (full)
        return false;
    reserved_to = from + bytes;
    return true;
}

void mend_rank_call_all(struct mend_ranks *r)
{
    (void)r;
    calls_n++;
}

void mend_facts_revoke(struct mend_facts *f, uint64_t ctx)
{
    f->proposed = ctx;
}

void mend_links_revoke(struct mend_links *links, uint64_t ctx, const uint64_t *jobs, uint32_t n)
{
    (void)links, (void)jobs;
    passed_on = ctx;
    jobs_n = n;
}

void mend_say(const struct mend_tell *tell, const char *format, ...)
{
    (void)tell, (void)format;
}

static void open_job(uint32_t nodes_n)
{
    struct mend_node_header layout = {.nodes_n = nodes_n};
    struct mend_node_range first;

    mend_node_layout(&layout, 4);
    ranks = (struct mend_ranks){.nodes.n = nodes_n};
    revoked = (struct mend_revoked){.ranks = &ranks, .facts = nodes_n ? &facts : NULL};
    ranks.shm = mmap(NULL, layout.at[MEND_NODE_PART_CELL], PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(ranks.shm != MAP_FAILED);
    memcpy(ranks.shm, &layout, sizeof(layout));
    first = mend_node_part_early(&layout, MEND_NODE_PART_TOLD, 0, 4);
    CHECK_EQ(first.bytes, mend_revoked_words(0) * sizeof(uint64_t));
    reserved_to = first.at + first.bytes;
    full = false;
    facts.proposed = passed_on = 0;
    calls_n = 0;
}

static void close_job(void)
{
    munmap(ranks.shm, ranks.shm->at[MEND_NODE_PART_CELL]);
}

/* As processes propose them: many of one, and the same ones of many. */
static uint64_t context(unsigned k)
{
    return (uint64_t)(k % 7) << 44 | (16 + k / 7) << 4;
}

MEND_TEST(all_that_is_revoked_is_found_while_the_set_grows)
{
    enum { MANY = 20000 };

    open_job(0);
    for (unsigned k = 0; k < MANY; k++) {
        CHECK(!mend_revoked_has(ranks.shm, context(k)));
        mend_revoked_add(&revoked, context(k));
        CHECK(mend_revoked_has(ranks.shm, context(k)));
        CHECK(mend_revoked_has(ranks.shm, context(k / 2)));
    }
    for (unsigned k = 0; k < 2 * MANY; k++)
        CHECK_EQ(mend_revoked_has(ranks.shm, context(k)), k < MANY);
    CHECK_EQ(calls_n, MANY);
    mend_revoked_add(&revoked, context(1));
    CHECK_EQ(calls_n, MANY); /* they know it */
    close_job();
}

/* Searches end although nothing is free but one word; then the node ends, for its ranks would not learn of the next one. */
MEND_TEST(without_memory_the_set_fills_up)
{
    unsigned words = (unsigned)mend_revoked_words(0);
    int status;

    open_job(0);
    full = true;
    for (unsigned k = 0; k < words - 1; k++)
        mend_revoked_add(&revoked, context(k));
    for (unsigned k = 0; k < 2 * words; k++)
        CHECK_EQ(mend_revoked_has(ranks.shm, context(k)), k < words - 1);
    if (fork() == 0) {
        mend_revoked_add(&revoked, context(words));
        _exit(EXIT_SUCCESS);
    }
    CHECK(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FAILURE);
    close_job();
}

MEND_TEST(several_nodes_learn_of_it_by_the_log)
{
    open_job(2);
    mend_revoked_heard(&revoked, NULL, context(1), NULL, 0);
    CHECK_EQ(facts.proposed, context(1));
    CHECK(!calls_n && !passed_on);
    mend_revoked_add(&revoked, context(1));
    facts.proposed = 0;
    mend_revoked_heard(&revoked, NULL, context(1), NULL, 0);
    CHECK(!facts.proposed);
    close_job();
}

MEND_TEST(connected_jobs_are_told_once)
{
    const uint64_t jobs[] = {5, 6};

    open_job(0);
    mend_revoked_heard(&revoked, NULL, context(1), jobs, 2);
    CHECK_EQ(passed_on, context(1));
    CHECK_EQ(jobs_n, 2);
    CHECK_EQ(calls_n, 1);
    passed_on = 0;
    mend_revoked_heard(&revoked, NULL, context(1), jobs, 2);
    CHECK(!passed_on && calls_n == 1);
    close_job();
}

MEND_TEST_MAIN()
