/* SPDX-License-Identifier: BSD-3-Clause */
/* entry_test.c – each kind of entry of the log of facts reaches the parts of the agent that have to do with it, and those of other nodes
 * and jobs hear from the first node only. */
#include "agent/entry.h"

#include "agent/control.h"
#include "agent/links.h"
#include "agent/names.h"
#include "agent/papers.h"
#include "agent/revoked.h"
#include "agent/tell.h"
#include "agent/verdict.h"
#include "base/test.h"
#include "ft/fact.h"
#include "node/revoked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES 8

static struct rank rank[NAMES];
static struct mend_ranks ranks;
static struct mend_verdicts verdicts;
static char log_[256]; /* what was done */
static bool is_far;    /* causes are of processes of another node */

void *mend_xalloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);

    CHECK(p);
    return p;
}

static void note(const char *format, int64_t what)
{
    size_t len = strlen(log_);

    snprintf(log_ + len, sizeof(log_) - len, format, (int)what);
}

void mend_verdict_apply(struct mend_verdicts *x, struct mend_verdict *v, uint32_t n)
{
    note("dead", 0);
    for (uint32_t i = 0; i < n; i++) {
        note(" %d", v[i].peer);
        note("/%d", v[i].code);
    }
    note("; ", 0);
}

bool mend_verdict_explain(struct mend_verdicts *x, const struct mend_verdict *v)
{
    note("why %d; ", v->peer);
    return is_far;
}

void mend_verdict_left(struct mend_verdicts *x, struct rank *const *left, int n)
{
    note("left", 0);
    for (int i = 0; i < n; i++)
        note(" %d", left[i]->index);
    note("; ", 0);
}

void mend_control_end(struct mend_verdicts *x, struct mend_course *course, const int32_t *peers,
                      int32_t n, struct mend_abort what)
{
    note(what.follows ? "end %d behind a death" : "end %d with a code", n);
    note(" from %d; ", peers[0]);
}

void mend_names_died(struct mend_names *n, const struct mend_verdict *v, uint32_t dead_n)
{
}

void mend_papers_lost(struct mend_papers *p, int32_t node)
{
    note("papers of %d; ", node);
}

void mend_revoked_add(struct mend_revoked *x, uint64_t ctx)
{
    note("revoked; ", 0);
}

void mend_links_explain(struct mend_links *links, int name)
{
    note("jobs hear why %d; ", name);
}

void mend_links_abort(struct mend_links *links, int by, const uint64_t *set, uint32_t words,
                      struct mend_abort what)
{
    CHECK_EQ(by, -1);
    note("jobs end %d; ", (int64_t)set[0]);
}

void mend_tell_lost(const struct mend_tell *tell, struct mend_verdicts *x,
                    const struct mend_verdict *v, uint32_t n)
{
    note("root hears of %d; ", n);
}

void mend_links_revoke_all(struct mend_links *links, uint64_t ctx)
{
    note("jobs hear of a revocation; ", 0);
}

/* At node `me`: an entry about these runs. */
static const char *apply(uint32_t me, struct mend_fact what, const struct mend_fact_run *runs)
{
    struct {
        struct mend_fact fact;
        struct mend_fact_run run[4];
    } entry = {.fact = what};

    for (uint32_t i = 0; i < what.runs_n; i++)
        entry.run[i] = runs[i];
    for (int i = 0; i < NAMES; i++)
        rank[i] = (struct rank){.index = i};
    ranks = (struct mend_ranks){.rank = rank, .n = NAMES, .nodes = {.me = me, .n = 3}};
    verdicts = (struct mend_verdicts){.ranks = &ranks};
    log_[0] = '\0';
    mend_entry_apply(&(struct mend_entry_target){.verdicts = &verdicts}, &entry.fact);
    return log_;
}

static const struct mend_fact_run two[] = {{1, 2, MEND_VERDICT_SIGNAL, 9},
                                           {5, 1, MEND_VERDICT_EXIT, 3}};

MEND_TEST(deaths_are_published_together)
{
    CHECK_STR(apply(1, (struct mend_fact){.kind = MEND_FACT_DEATHS, .runs_n = 2}, two),
              "dead 1/9 2/9 5/3; ");
}

MEND_TEST(papers_of_a_lost_node_are_lost_behind_its_processes)
{
    CHECK_STR(apply(1, (struct mend_fact){.kind = MEND_FACT_LOST, .agent = 2, .runs_n = 2}, two),
              "dead 1/9 2/9 5/3; papers of 2; ");
    CHECK_STR(apply(0, (struct mend_fact){.kind = MEND_FACT_LOST, .agent = 2, .runs_n = 2}, two),
              "dead 1/9 2/9 5/3; root hears of 3; papers of 2; ");
    CHECK_STR(apply(1, (struct mend_fact){.kind = MEND_FACT_LOST, .agent = 2}, NULL),
              "papers of 2; ");
}

/* Those that its own agent has not told of. */
MEND_TEST(jobs_hear_the_causes_of_deaths_on_other_nodes)
{
    const struct mend_fact cause = {.kind = MEND_FACT_CAUSE, .runs_n = 1};

    is_far = false;
    CHECK_STR(apply(0, cause, two), "why 1; why 2; ");
    is_far = true;
    CHECK_STR(apply(0, cause, two), "why 1; jobs hear why 1; why 2; jobs hear why 2; ");
}

MEND_TEST(those_that_have_ended_are_let_go)
{
    CHECK_STR(apply(1, (struct mend_fact){.kind = MEND_FACT_ENDED, .runs_n = 2}, two),
              "left 1 2 5; ");
}

MEND_TEST(the_first_node_tells_jobs_of_a_revocation)
{
    struct mend_fact revoked = {.kind = MEND_FACT_REVOKED, .context = 16};

    CHECK_STR(apply(0, revoked, NULL), "revoked; ");
    revoked.context |= MEND_ABROAD_CTX;
    CHECK_STR(apply(0, revoked, NULL), "revoked; jobs hear of a revocation; ");
    CHECK_STR(apply(1, revoked, NULL), "revoked; ");
}

MEND_TEST(the_first_node_ends_guests)
{
    const struct mend_fact_run named[] = {{1, 2, MEND_VERDICT_ABORT, 9}};
    const struct mend_fact_run behind[] = {{1, 2, MEND_VERDICT_UNKNOWN, 9}};
    const struct mend_fact ends = {.kind = MEND_FACT_ABORT, .runs_n = 1};

    CHECK_STR(apply(1, ends, named), "end 2 with a code from 1; ");
    CHECK_STR(apply(0, ends, named), "end 2 with a code from 1; jobs end 6; ");
    CHECK_STR(apply(1, ends, behind), "end 2 behind a death from 1; ");
}

/* They are the log's only. */
MEND_TEST(other_facts_change_nothing)
{
    CHECK_STR(apply(0, (struct mend_fact){.kind = MEND_FACT_NAMES, .runs_n = 2}, two), "");
    CHECK_STR(apply(0, (struct mend_fact){.kind = MEND_FACT_LEFT, .runs_n = 2}, two), "");
}

MEND_TEST_MAIN()
