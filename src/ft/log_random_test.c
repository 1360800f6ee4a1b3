/* SPDX-License-Identifier: BSD-3-Clause */
/* log_random_test.c – the log of many agents: a thousand in a tree of radix 32, which loses agents, at random.
 *
 * Messages are queues from agent to agent.  A run proposes facts here and there, loses agents, repairs the tree as a caller does, and
 * delivers messages in a random order of agents.  It counts what the log costs: messages for an entry, and memory.
 * What the log must be is in log_model.h. */
#define MODEL_AGENTS   1000
#define MODEL_NAMES    2000
#define MODEL_ENTRIES  4000
#define MODEL_CONTEXTS 2000

#include "ft/log_model.h"
#include "ft/log_wire.h"
#include "base/test.h"

#define NAMES_EACH    2
#define ENTRIES_WORDS 6000
#define MSG_WORDS     8192

struct mail {
    struct mail *next;
    int from;
    size_t len;
    uint8_t bytes[];
};

struct agent {
    struct mend_log *x;
    uint64_t applied;
    struct mail *first, **end; /* to it */
    int parent;
    bool dead, orphan;
};

struct world {
    struct model model;
    struct agent agent[MODEL_AGENTS];
    bool says[MODEL_AGENTS][MODEL_AGENTS]; /* the first proposes that the second is lost */
    int agents, radix;
    uint64_t messages, down; /* sent; of them with entries */
    uint64_t bytes;
    uint32_t words_max, facts_max; /* of what an agent keeps */
};

static uint32_t seed;

static uint32_t chance(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

static int above(const struct world *w, int agent)
{
    return agent ? (agent - 1) / w->radix : -1;
}

/* ---- messages ---- */

static void post(struct world *w, int from, int to, const struct mend_log_msg *msg)
{
    size_t len = mend_log_wire_bytes(msg);
    struct mail *m;

    if (w->agent[to].dead)
        return;
    m = malloc(sizeof(*m) + len);
    CHECK(m);
    *m = (struct mail){.from = from, .len = len};
    mend_log_wire_encode(msg, m->bytes);
    *w->agent[to].end = m;
    w->agent[to].end = &m->next;
    w->messages++;
    w->down += msg->down && msg->facts_n;
    w->bytes += len;
}

static bool send_all(struct world *w, int agent)
{
    struct mend_log_msg msg;
    bool any = false;
    int32_t to;

    for (; mend_log_send(w->agent[agent].x, &to, &msg); any = true)
        post(w, agent, to, &msg);
    return any;
}

static void step(struct world *w, int agent, const struct mend_log_event *ev)
{
    struct agent *a = &w->agent[agent];
    struct mend_log_act act;

    mend_log_step(a->x, ev);
    while (mend_log_next(a->x, &act)) {
        if (act.kind == MEND_LOG_APPLY) {
            if (agent == 0)
                model_append(&w->model, act.entry);
            model_apply(&w->model, a->applied, act.number, act.entry);
            a->applied = act.number;
        } else if (act.kind == MEND_LOG_PASS) {
            act.msg.facts = ev->msg->facts;
            act.msg.facts_n = ev->msg->facts_n;
            post(w, agent, act.agent, &act.msg);
        } else {
            model_expect(&w->model, false, "a child is refused");
        }
        if (mend_fact_used(&a->x->entries) > w->words_max)
            w->words_max = mend_fact_used(&a->x->entries);
        if (a->x->entries.facts_n > w->facts_max)
            w->facts_max = a->x->entries.facts_n;
    }
    if (w->model.wrong)
        printf("# agent %d: %s\n", agent, w->model.wrong);
    CHECK(!w->model.wrong);
}

static void tell(struct world *w, int agent, enum mend_log_event_kind kind, int other)
{
    struct mend_log_event ev = {.kind = kind, .agent = other, .have = w->agent[agent].x->have};

    step(w, agent, &ev);
}

/* False: the agent has no room, or is dead. */
static bool propose(struct world *w, int agent, struct mend_fact what, int first, int n)
{
    struct mend_fact_run run = {first, n, MEND_VERDICT_SIGNAL, 9};
    struct mend_log_event ev = {.kind = MEND_LOG_PROPOSE, .what = what, .runs = &run};

    ev.what.runs_n = n > 0;
    if (w->agent[agent].dead || !mend_log_has_room(w->agent[agent].x, ev.what.runs_n))
        return false;
    step(w, agent, &ev);
    return true;
}

/* The oldest message to it. */
static bool deliver(struct world *w, int agent)
{
    static uint64_t words[MSG_WORDS];
    struct agent *a = &w->agent[agent];
    struct mail *m = a->first;
    struct mend_log_msg msg;
    struct mend_log_event ev = {.kind = MEND_LOG_HEARD, .msg = &msg};

    if (!m)
        return false;
    a->first = m->next;
    if (!a->first)
        a->end = &a->first;
    ev.agent = m->from;
    CHECK_EQ(mend_log_wire_decode(m->bytes, m->len, w->agents, MODEL_NAMES, words, MSG_WORDS, &msg),
             MEND_OK);
    step(w, agent, &ev);
    free(m);
    return true;
}

/* Everybody in turn, until nothing is left to do. */
static void run_out(struct world *w)
{
    for (bool more = true; more;) {
        more = false;
        for (int a = 0; a < w->agents; a++) {
            while (deliver(w, a))
                more = true;
            if (!w->agent[a].dead)
                more |= send_all(w, a);
        }
    }
}

static void run_a_while(struct world *w, int steps)
{
    for (int i = 0; i < steps; i++) {
        int a = (int)chance((uint32_t)w->agents);

        for (uint32_t k = chance(4); k > 0; k--)
            deliver(w, a);
        if (!w->agent[a].dead && chance(2))
            send_all(w, a);
    }
}

/* ---- losses ---- */

static void drop_mail(struct world *w, int to, int from)
{
    struct agent *a = &w->agent[to];

    for (struct mail **p = &a->first; *p;) {
        struct mail *m = *p;

        if (from >= 0 && m->from != from) {
            p = &m->next;
            continue;
        }
        *p = m->next;
        free(m);
    }
    a->end = &a->first;
    while (*a->end)
        a->end = &(*a->end)->next;
}

/* What it had sent may still arrive, for a while. */
static void lose(struct world *w, int agent)
{
    int parent = w->agent[agent].parent;

    w->agent[agent].dead = true;
    drop_mail(w, agent, -1);
    run_a_while(w, (int)chance(300));
    for (int a = 0; a < w->agents; a++) {
        drop_mail(w, a, agent);
        if (w->agent[a].dead || (a != parent && w->agent[a].parent != agent))
            continue;
        tell(w, a, MEND_LOG_LOST, agent);
        w->agent[a].orphan = w->agent[a].parent == agent;
        w->says[a][agent] =
            propose(w, a, (struct mend_fact){.kind = MEND_FACT_LOST, .agent = agent}, 0, 0);
    }
    run_a_while(w, (int)chance(300));
    for (int a = 0; a < w->agents; a++)
        if (w->agent[a].orphan) {
            w->agent[a].orphan = false;
            w->agent[a].parent = parent;
            tell(w, a, MEND_LOG_PARENT, parent);
            send_all(w, a);
        }
}

/* All that were below it have joined: their parent heard them, if it has no mail. */
static void settle(struct world *w, int agent, int parent)
{
    while (deliver(w, parent))
        ;
    tell(w, parent, MEND_LOG_SETTLED, agent);
}

static void lose_some(struct world *w, int n)
{
    for (int i = 0; i < n; i++) {
        int agent = 1 + (int)chance((uint32_t)w->agents - 1);

        if (chance(2)) /* one with many children */
            agent = 1 + (int)chance(31);
        if (w->agent[agent].dead || w->agents <= agent)
            continue;
        lose(w, agent);
        run_a_while(w, 500);
        settle(w, agent, w->agent[agent].parent);
    }
}

/* ---- the job ---- */

static void set_up(struct world *w, int agents, int radix, uint32_t entries_per_ack)
{
    memset(w, 0, sizeof(*w));
    model_init(&w->model);
    w->agents = agents;
    w->radix = radix;
    for (int a = 0; a < agents; a++) {
        struct mend_log_config config = {.me = a,
                                         .agents_n = agents,
                                         .names_n = MODEL_NAMES,
                                         .children_max = (uint32_t)agents,
                                         .entries_words = ENTRIES_WORDS,
                                         .proposals_words = 100,
                                         .batch_words = 1000,
                                         .entries_per_ack = entries_per_ack,
                                         .have = a ? (uint64_t)agents : 0};

        w->agent[a].x = calloc(1, mend_log_size(&config));
        CHECK(w->agent[a].x);
        mend_log_init(w->agent[a].x, &config);
        w->agent[a].applied = config.have;
        w->agent[a].parent = above(w, a);
        w->agent[a].end = &w->agent[a].first;
    }
    for (int a = 0; a < agents; a++)
        propose(w, 0, (struct mend_fact){.kind = MEND_FACT_NAMES, .agent = a}, a * NAMES_EACH,
                NAMES_EACH);
    for (int a = 1; a < agents; a++) {
        tell(w, above(w, a), MEND_LOG_EXPECT, a);
        tell(w, a, MEND_LOG_PARENT, above(w, a));
    }
    run_out(w);
}

static void check_end(struct world *w, uint32_t entries_per_ack)
{
    for (int a = 0; a < w->agents; a++) {
        struct mend_log *x = w->agent[a].x;

        if (!w->agent[a].dead) {
            CHECK_EQ(w->agent[a].applied, w->model.entries_n);
            CHECK_EQ(x->proposals.facts_n, 0);
            CHECK(x->entries.facts_n < 4 * entries_per_ack);
            mend_log_check(x);
        } else {
            CHECK(w->model.lost[a]);
        }
        drop_mail(w, a, -1);
        free(x);
    }
}

static void tell_costs(const struct world *w, const char *what, uint32_t entries)
{
    printf("# %s: %u entries, %.2f messages and %.0f bytes for an entry and agent, at most %u "
           "facts in %u words kept\n",
           what, (unsigned)entries, (double)w->messages / entries / w->agents,
           (double)w->bytes / entries / w->agents, (unsigned)w->facts_max, (unsigned)w->words_max);
}

/* One at a time: each agent but the root receives one message with it. */
MEND_TEST(an_entry_costs_one_message_for_each_child)
{
    static struct world w;
    uint32_t before;

    set_up(&w, 1000, 32, 16);
    before = w.model.entries_n;
    w.messages = w.down = w.bytes = 0;
    w.words_max = w.facts_max = 0;
    for (int i = 0; i < 200; i++) {
        propose(&w, (int)chance(1000),
                (struct mend_fact){.kind = MEND_FACT_REVOKED, .context = 1 + (uint64_t)i}, 0, 0);
        run_out(&w);
    }
    CHECK_EQ(w.model.entries_n - before, 200);
    CHECK_EQ(w.down, 200 * 999);
    CHECK(w.messages < 200 * 1100); /* with proposals on their way up, and what all have */
    CHECK(w.facts_max <= 3 * 16);
    tell_costs(&w, "one at a time", 200);
    check_end(&w, 16);
}

/* All agents revoke the same context at once. */
MEND_TEST(what_all_propose_is_one_entry)
{
    static struct world w;
    uint32_t before;

    set_up(&w, 1000, 32, 16);
    before = w.model.entries_n;
    w.messages = w.down = w.bytes = 0;
    for (int a = 0; a < 1000; a++) {
        propose(&w, a, (struct mend_fact){.kind = MEND_FACT_REVOKED, .context = 1}, 0, 0);
        if (a) /* before they hear of it */
            send_all(&w, a);
    }
    run_out(&w);
    CHECK_EQ(w.model.entries_n - before, 1);
    CHECK_EQ(w.down, 999);
    tell_costs(&w, "all revoke", 1);
    check_end(&w, 16);
}

/* Several entries leave in one message. */
MEND_TEST(entries_that_come_together_cost_less)
{
    static struct world w;

    set_up(&w, 1000, 32, 16);
    w.messages = w.down = w.bytes = 0;
    for (int i = 0; i < 100; i++)
        propose(&w, 0, (struct mend_fact){.kind = MEND_FACT_REVOKED, .context = 1 + (uint64_t)i}, 0,
                0);
    run_out(&w);
    CHECK_EQ(w.down, 999);
    tell_costs(&w, "100 together", 100);
    check_end(&w, 16);
}

/* Those who proposed that it is lost are lost, too, or had no room. */
static void propose_forgotten(struct world *w)
{
    for (int lost = 0; lost < w->agents; lost++) {
        if (!w->agent[lost].dead || w->model.lost[lost])
            continue;
        for (int a = 0; a < w->agents; a++)
            CHECK(!w->says[a][lost] || w->agent[a].dead);
        CHECK(propose(w, 0, (struct mend_fact){.kind = MEND_FACT_LOST, .agent = lost}, 0, 0));
    }
}

static void lose_at_random(int agents, int radix, uint32_t run)
{
    static struct world w;
    uint32_t before;

    seed = run;
    set_up(&w, agents, radix, 16);
    before = w.model.entries_n;
    w.messages = w.down = w.bytes = 0;
    w.words_max = w.facts_max = 0;
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 20; i++) {
            int a = (int)chance((uint32_t)agents), name = a * NAMES_EACH + (int)chance(NAMES_EACH);

            uint64_t context = 1 + chance(400);

            if (!model_is_revoked(&w.model, w.agent[a].applied, context))
                propose(&w, a, (struct mend_fact){.kind = MEND_FACT_REVOKED, .context = context}, 0,
                        0);
            propose(&w, a, (struct mend_fact){.kind = MEND_FACT_DEATHS}, name, 1);
            run_a_while(&w, agents / 2);
        }
        lose_some(&w, 3);
    }
    run_out(&w);
    propose_forgotten(&w);
    run_out(&w);
    tell_costs(&w, "losses", w.model.entries_n - before);
    check_end(&w, 16);
}

MEND_TEST(a_tree_that_loses_agents)
{
    for (uint32_t run = 0; run < 3; run++)
        lose_at_random(1000, 32, run);
    for (uint32_t run = 10; run < 20; run++)
        lose_at_random(100, 3, run);
}

MEND_TEST_MAIN()
