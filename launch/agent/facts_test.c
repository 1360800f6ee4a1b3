/* SPDX-License-Identifier: BSD-3-Clause */
/* facts_test.c – three agents, and a root between them that passes on in order what they say: what is proposed at any of them is carried
 * out at all, together and in one order; and what a process has said counts before its death.
 *
 *   S5-2: the loss of a node is one verdict over all its processes
 *   S5-10: the victims of one abort on several nodes are one set
 *   S5-11: a revocation reaches every survivor on every node, and no rank relays it */
#include "agent/facts.h"

#include "agent/verdict.h"
#include "base/test.h"
#include "ft/bits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES 3
#define NAMES 6 /* two of each node */
#define MANY  64

static struct node {
    struct mend_ranks ranks;
    struct mend_tell tell;
    struct mend_sources sources;
    struct mend_facts *facts;
    struct rank rank[NAMES];
    char log[512];    /* what was carried out, and which ranks were heard */
    uint64_t lowered; /* ranks that end with the lowest priority */
    bool is_lost;
} node[NODES];

/* With the root, oldest first. */
static struct parcel {
    int32_t from, to;
    uint32_t len;
    char *data;
} parcels[MANY];
static int parcels_n, names_end;
static uint64_t
    said_by_dying; /* a context that a rank has revoked, of which its agent has not heard */

void *mend_xalloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);

    CHECK(p);
    return p;
}

void mend_sources_note(const struct mend_sources *s)
{
    (void)s;
}

void mend_watch_let_survivors_run(struct mend_ranks *ranks, const struct rank *r)
{
    for (int k = 0; k < NODES; k++)
        if (&node[k].ranks == ranks)
            node[k].lowered |= UINT64_C(1) << r->index;
}

void mend_say(const struct mend_tell *tell, const char *format, ...)
{
    (void)tell, (void)format;
}

void mend_tell_names(const struct mend_tell *tell, int end)
{
    (void)tell;
    names_end = end;
}

static void deliver(void *to, const struct mend_message *m)
{
    struct node *from = to;

    if (m->kind == MEND_UP_PRESENCE)
        return;
    CHECK(m->kind == MEND_UP_LOG && parcels_n < MANY);
    parcels[parcels_n] = (struct parcel){
        .from = (int32_t)from->ranks.nodes.me, .to = (int32_t)m->arg[0], .len = m->len};
    parcels[parcels_n].data = mend_xalloc(1, m->len);
    memcpy(parcels[parcels_n++].data, m->data, m->len);
}

static void note(struct node *n, const char *format, int32_t what)
{
    size_t len = strlen(n->log);

    snprintf(n->log + len, sizeof(n->log) - len, format, what);
}

static void apply(void *self, const struct mend_fact *entry)
{
    static const char *const names[MEND_FACT_KINDS] = {
        [MEND_FACT_NAMES] = "names", [MEND_FACT_DEATHS] = "dead", [MEND_FACT_LOST] = "lost",
        [MEND_FACT_ABORT] = "abort", [MEND_FACT_CAUSE] = "cause", [MEND_FACT_REVOKED] = "revoked",
        [MEND_FACT_LEFT] = "left",   [MEND_FACT_BACK] = "back",   [MEND_FACT_ENDED] = "ended"};
    struct node *n = self;
    const struct mend_fact_run *runs = mend_fact_runs(entry);

    if (entry->kind == MEND_FACT_NAMES)
        return;
    note(n, names[entry->kind], 0);
    if (entry->kind == MEND_FACT_REVOKED)
        note(n, " %d", (int32_t)entry->context);
    for (uint32_t i = 0; i < entry->runs_n; i++)
        for (int32_t k = runs[i].first; k < runs[i].first + runs[i].n; k++) {
            note(n, " %d", k);
            if (entry->kind == MEND_FACT_DEATHS || entry->kind == MEND_FACT_LOST)
                n->rank[k].shared = &n->ranks.stub;
        }
    note(n, "; ", 0);
}

static void read_rank(void *self, struct rank *r)
{
    struct node *n = self;

    note(n, "hear %d; ", r->index);
    if (said_by_dying)
        mend_facts_revoke(n->facts, said_by_dying);
    said_by_dying = 0;
}

static void open_node(int k)
{
    struct node *n = &node[k];

    memset(n, 0, sizeof(*n));
    n->tell.root = (struct mend_post){deliver, n};
    n->ranks =
        (struct mend_ranks){.n = NAMES, .rank = n->rank, .nodes = {.n = NODES, .me = (uint32_t)k}};
    mend_store_relaxed(&n->ranks.stub.fate, MEND_PEER_DEAD);
    pthread_mutex_init(&n->ranks.lock, NULL);
    for (int r = 0; r < NAMES; r++)
        n->rank[r] = (struct rank){.index = r, .node = (uint32_t)r / 2, .shared = &n->ranks.far};
    n->facts = mend_facts_open(&(struct mend_facts_needs){.ranks = &n->ranks,
                                                          .tell = &n->tell,
                                                          .sources = &n->sources,
                                                          .self = n,
                                                          .apply = apply,
                                                          .read = read_rank});
}

/* All propose what is due, and the root passes on what they say, until nobody says anything. */
static void work(mend_time_ns now)
{
    bool again = true;

    while (again) {
        for (int k = 0; k < NODES; k++)
            if (!node[k].is_lost)
                mend_facts_look(node[k].facts, now);
        again = parcels_n > 0;
        for (int i = 0; i < parcels_n; i++) {
            struct parcel p = parcels[i];

            if (!node[p.to].is_lost)
                mend_facts_hear(node[p.to].facts, p.from, p.data, p.len);
            free(p.data);
        }
        parcels_n = 0;
    }
}

static void begin(void)
{
    parcels_n = names_end = 0;
    for (int k = 0; k < NODES; k++)
        open_node(k);
    for (int k = 0; k < NODES; k++)
        mend_facts_join(node[k].facts);
    work(0);
    CHECK_EQ(names_end, NAMES);
}

static void end(void)
{
    for (int k = 0; k < NODES; k++)
        if (!node[k].is_lost)
            mend_facts_close(node[k].facts);
}

/* Of node k. */
static void die(int k, int32_t name, int32_t n)
{
    struct mend_verdict v[NAMES];

    for (int32_t i = 0; i < n; i++)
        v[i] = (struct mend_verdict){.peer = name + n - 1 - i, .cause = MEND_VERDICT_SIGNAL};
    pthread_mutex_lock(&node[k].ranks.lock);
    mend_facts_die(node[k].facts, v, n);
    pthread_mutex_unlock(&node[k].ranks.lock);
}

static void abort_both(int k, int32_t a, int32_t b)
{
    uint64_t set = UINT64_C(1) << a | UINT64_C(1) << b;

    mend_facts_abort(node[k].facts, &set, 1, (struct mend_abort){.code = 3});
}

/* On all nodes that are left, what node `but` has read of its ranks aside. */
static void check_all(const char *log, int but)
{
    for (int k = 0; k < NODES; k++)
        if (k != but && !node[k].is_lost)
            CHECK_STR(node[k].log, log);
}

MEND_TEST(what_dies_together_is_one_entry_everywhere)
{
    begin();
    die(1, 2, 2);
    CHECK(node[1].rank[2].told_dead && node[1].rank[3].told_dead);
    CHECK(mend_facts_pending(node[1].facts));
    work(0);
    check_all("dead 2 3; ", 1);
    CHECK_STR(node[1].log, "hear 2; hear 3; dead 2 3; ");
    CHECK(!mend_facts_pending(node[1].facts));
    end();
}

MEND_TEST(the_dead_keep_no_survivor_from_its_core)
{
    begin();
    die(1, 2, 2);
    CHECK_EQ(node[1].lowered, 0);
    mend_facts_look(node[1].facts, 0);
    CHECK_EQ(node[1].lowered, 1 << 2 | 1 << 3);
    check_all("", 1); /* nobody else knows yet */
    work(0);
    CHECK_EQ(node[0].lowered | node[2].lowered, 0);
    end();
}

MEND_TEST(deaths_have_one_order)
{
    begin();
    die(2, 4, 1);
    die(0, 1, 1);
    die(1, 3, 1);
    work(0);
    CHECK_STR(node[1].log + strlen("hear 3; "), node[2].log + strlen("hear 4; "));
    CHECK_STR(node[1].log + strlen("hear 3; "), node[0].log + strlen("hear 1; "));
    CHECK_EQ(strlen(node[1].log), strlen("hear 3; dead 1; dead 3; dead 4; "));
    end();
}

/* Its agent reads what it has said before it proposes its death. */
MEND_TEST(what_a_process_has_revoked_comes_before_its_death)
{
    begin();
    die(1, 2, 1);
    said_by_dying = 77;
    work(0);
    check_all("revoked 77; dead 2; ", 1);
    CHECK_STR(node[1].log, "hear 2; revoked 77; dead 2; ");
    end();
}

MEND_TEST(a_node_proposes_a_revocation_once)
{
    int said_n;

    begin();
    mend_facts_revoke(node[2].facts, 7);
    mend_facts_revoke(node[2].facts, 7);
    CHECK(mend_facts_pending(node[2].facts));
    mend_facts_look(node[2].facts, 0);
    said_n = parcels_n;
    mend_facts_revoke(node[2].facts, 7); /* it was said and is not known yet */
    mend_facts_look(node[2].facts, 0);
    CHECK_EQ(parcels_n, said_n);
    work(0);
    check_all("revoked 7; ", NODES);
    CHECK(!mend_facts_pending(node[2].facts));
    end();
}

MEND_TEST(the_victims_of_an_abort_die_together)
{
    begin();
    abort_both(0, 2, 4);
    work(0);
    die(1, 2, 1);
    work(0);
    check_all("abort 2 4; ", 1);
    CHECK(mend_facts_pending(node[1].facts));
    die(2, 4, 1);
    work(0);
    CHECK_STR(node[0].log, "abort 2 4; dead 2 4; ");
    CHECK(!mend_facts_pending(node[1].facts));
    end();
}

/* One of them does not die. */
MEND_TEST(victims_are_not_held_for_ever)
{
    mend_time_ns at;

    begin();
    abort_both(0, 2, 4);
    work(0);
    die(1, 2, 1);
    work(0);
    CHECK_STR(node[0].log, "abort 2 4; ");
    at = mend_facts_look(node[0].facts, 0);
    CHECK(at != MEND_TIME_NEVER);
    CHECK_EQ(mend_facts_look(node[1].facts, 0), MEND_TIME_NEVER);
    work(at - 1);
    CHECK_STR(node[0].log, "abort 2 4; ");
    work(at);
    CHECK_STR(node[0].log, "abort 2 4; dead 2; ");
    end();
}

MEND_TEST(the_loss_of_a_node_is_one_entry)
{
    begin();
    node[1].is_lost = true;
    mend_facts_lost(node[0].facts, 1);
    work(0);
    check_all("lost 2 3; ", NODES);
    end();
}

/* Those that have left MPI have not failed. */
MEND_TEST(who_has_left_is_told_of_once)
{
    struct rank *r = &node[1].rank[2];

    begin();
    mend_facts_presence(node[1].facts, r, MEND_PRESENCE_IN_MPI);
    mend_facts_presence(node[1].facts, r, MEND_PRESENCE_LEFT);
    mend_facts_presence(node[1].facts, r, MEND_PRESENCE_LEFT);
    mend_facts_presence(node[1].facts, r, MEND_PRESENCE_IN_MPI);
    mend_facts_presence(node[1].facts, r, MEND_PRESENCE_LEFT);
    mend_facts_end(node[1].facts, &r, 1);
    work(0);
    check_all("left 2; back 2; left 2; ended 2; ", NODES);
    end();
}

MEND_TEST(a_cause_follows_its_death)
{
    begin();
    die(1, 2, 1);
    pthread_mutex_lock(&node[1].ranks.lock);
    mend_facts_explain(node[1].facts, &node[1].rank[2]);
    pthread_mutex_unlock(&node[1].ranks.lock);
    work(0);
    check_all("dead 2; cause 2; ", 1);
    end();
}

MEND_TEST_MAIN()
