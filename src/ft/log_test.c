/* SPDX-License-Identifier: BSD-3-Clause */
/* log_test.c – one log of facts for several agents, in every order of proposals, messages, losses and broken connections.
 *
 * A state is all machines and the messages between them, in the bytes that go over the wire.  Each agent runs a script of proposals,
 * reports its processes when an abort tells it to kill them, and proposes that a neighbour is lost when it learns so.
 * What the log must be is in log_model.h; a job in which nothing is left to do must have said everything.
 *
 * The caller that repairs the tree gives an agent the nearest living agent that was above it at the start.
 *
 * All agents apply the same deaths in the same order, and the victims of an abort as one set.  No decision is taken here, and no
 * process dies: sim/nodes.c plays that. */
#define MODEL_AGENTS   4
#define MODEL_NAMES    8
#define MODEL_ENTRIES  24
#define MODEL_CONTEXTS 8

#include "ft/log_model.h"
#include "ft/log_wire.h"
#include "base/test.h"

#define AGENTS         4
#define NAMES_EACH     2
#define MACHINE_WORDS  330
#define MAIL_BYTES     2400
#define WORDS_OF_MSG   128
#define SCRIPT_MAX     4
#define PATH_MAX_STEPS 200
#define VISITED_FIRST  (1u << 16)

/* ---- a job ---- */

struct item {
    uint8_t kind, names, agent, context; /* names: a set */
};

struct job {
    const char *name;
    int agents;
    int8_t above[AGENTS]; /* the tree at the start; agent 0 is the root */
    uint8_t losses, breaks, timeouts;
    uint32_t entries_words, batch_words, entries_per_ack;
    uint32_t words_of_1; /* entries_words of agent 1, if it has less */
    bool lazy;           /* what is proposed does not leave at once */
    struct item script[AGENTS][SCRIPT_MAX];
};

struct mail {
    uint8_t to, from;
    uint16_t len;
};

struct world {
    uint64_t machine[AGENTS][MACHINE_WORDS];
    struct model model;
    uint64_t applied[AGENTS];
    uint8_t at[AGENTS];    /* in its script */
    uint8_t kills[AGENTS]; /* processes that it has killed and not reported */
    uint8_t lost[AGENTS];  /* neighbours of whose loss it is to be told */
    uint8_t below[AGENTS]; /* of a dead one: those that were below it */
    int8_t parent[AGENTS]; /* by the caller */
    uint8_t dead, orphans; /* sets of agents */
    uint8_t losses, breaks, timeouts;
    bool lazy;
    uint32_t mail_bytes;
    uint8_t mail[MAIL_BYTES];
};

enum action { PROPOSE, REPORT, SEND, DELIVER, CRASH, TELL, REJOIN, SETTLE, BREAK, TIMEOUT };

struct choice {
    uint8_t action, agent, other;
};

struct search {
    const struct job *job;
    uint64_t *visited;
    size_t size, used;
    const char *wrong;
    struct choice path[PATH_MAX_STEPS];
    int depth;
};

static struct mend_log *machine(struct world *w, int agent)
{
    return (struct mend_log *)(void *)w->machine[agent];
}

static bool is_in(uint8_t set, int i)
{
    return set >> i & 1;
}

/* ---- messages ---- */

static void post(struct world *w, int from, int to, const struct mend_log_msg *msg)
{
    size_t len = mend_log_wire_bytes(msg);
    struct mail m = {.to = (uint8_t)to, .from = (uint8_t)from, .len = (uint16_t)len};
    uint32_t at = 0;

    if (is_in(w->dead, to) || is_in(w->lost[from], to))
        return;
    while (at <
           w->mail_bytes) { /* sorted by pair, so that states that are alike have the same bytes */
        struct mail other;

        memcpy(&other, w->mail + at, sizeof(other));
        if (other.to > m.to || (other.to == m.to && other.from > m.from))
            break;
        at += (uint32_t)sizeof(other) + other.len;
    }
    CHECK(w->mail_bytes + sizeof(m) + len <= MAIL_BYTES);
    memmove(w->mail + at + sizeof(m) + len, w->mail + at, w->mail_bytes - at);
    memcpy(w->mail + at, &m, sizeof(m));
    mend_log_wire_encode(msg, w->mail + at + sizeof(m));
    w->mail_bytes += (uint32_t)(sizeof(m) + len);
}

/* The first message of a pair; false: there is none. */
static bool find_mail(const struct world *w, int from, int to, uint32_t *at_p, struct mail *m_p)
{
    for (*at_p = 0; *at_p < w->mail_bytes; *at_p += (uint32_t)sizeof(*m_p) + m_p->len) {
        memcpy(m_p, w->mail + *at_p, sizeof(*m_p));
        if (m_p->to == to && m_p->from == from)
            return true;
    }
    return false;
}

static void drop_mail(struct world *w, uint32_t at, const struct mail *m)
{
    uint32_t size = (uint32_t)sizeof(*m) + m->len;

    memmove(w->mail + at, w->mail + at + size, w->mail_bytes - at - size);
    w->mail_bytes -= size;
}

static void drop_pair(struct world *w, int from, int to)
{
    struct mail m;
    uint32_t at;

    while (find_mail(w, from, to, &at, &m))
        drop_mail(w, at, &m);
}

/* ---- what the caller of a machine does ---- */

static uint8_t own_names(int agent)
{
    return (uint8_t)(((1u << NAMES_EACH) - 1) << (agent * NAMES_EACH));
}

static uint8_t set_of(const struct mend_fact *f)
{
    uint8_t set = 0;

    for (int p = 0; p < MODEL_NAMES; p++)
        set |= (uint8_t)(model_names(f, p) << p);
    return set;
}

static void apply(struct world *w, int agent, const struct mend_log_act *act)
{
    if (agent == 0)
        model_append(&w->model, act->entry);
    model_apply(&w->model, w->applied[agent], act->number, act->entry);
    w->applied[agent] = act->number;
    if (act->entry->kind == MEND_FACT_ABORT)
        w->kills[agent] |= set_of(act->entry) & own_names(agent);
}

static bool do_send(struct world *w, int agent)
{
    struct mend_log_msg msg;
    bool any = false;
    int32_t to;

    for (; mend_log_send(machine(w, agent), &to, &msg); any = true)
        post(w, agent, to, &msg);
    return any;
}

static void step(struct world *w, int agent, const struct mend_log_event *ev,
                 const struct mend_log_msg *heard)
{
    struct mend_log *x = machine(w, agent);
    struct mend_log_act act;

    mend_log_step(x, ev);
    while (mend_log_next(x, &act)) {
        if (act.kind == MEND_LOG_APPLY) {
            apply(w, agent, &act);
        } else if (act.kind == MEND_LOG_PASS) {
            act.msg.facts = heard->facts;
            act.msg.facts_n = heard->facts_n;
            post(w, agent, act.agent, &act.msg);
        } else {
            model_expect(&w->model, is_in(w->dead, act.agent), "a child is refused");
        }
    }
    if (!w->lazy || ev->kind != MEND_LOG_PROPOSE)
        do_send(w, agent);
    mend_log_check(x);
    model_expect(&w->model, x->gone == x->min || x->ended, "entries are kept that all have");
}

static void propose(struct world *w, int agent, struct item item)
{
    struct mend_fact_run runs[MODEL_NAMES];
    struct mend_log_event ev = {.kind = MEND_LOG_PROPOSE, .runs = runs};
    uint32_t n = 0;

    for (int p = 0; p < MODEL_NAMES; p++)
        if (is_in(item.names, p))
            runs[n++] = (struct mend_fact_run){p, 1, MEND_VERDICT_UNKNOWN, p};
    ev.what = (struct mend_fact){
        .kind = item.kind, .agent = item.agent, .context = item.context, .runs_n = n};
    if (!machine(w, agent)->ended)
        step(w, agent, &ev, NULL);
}

static void tell(struct world *w, int agent, enum mend_log_event_kind kind, int other)
{
    struct mend_log_event ev = {.kind = kind, .agent = other, .name = other};

    step(w, agent, &ev, NULL);
}

/* ---- actions; each returns false if it is not possible ---- */

static bool is_room(struct world *w, int agent, uint8_t names)
{
    return mend_log_has_room(machine(w, agent), (uint32_t)__builtin_popcount(names));
}

/* Nobody proposes a revocation that it knows of. */
static bool do_propose(struct world *w, const struct job *job, int agent)
{
    struct item item = {0};

    if (w->at[agent] < SCRIPT_MAX)
        item = job->script[agent][w->at[agent]];
    if (!item.kind || !is_room(w, agent, item.names))
        return false;
    w->at[agent]++;
    if (item.kind == MEND_FACT_REVOKED &&
        model_is_revoked(&w->model, w->applied[agent], item.context))
        return true;
    if (item.kind == MEND_FACT_ABORT)
        w->kills[agent] |= item.names & own_names(agent);
    propose(w, agent, item);
    return true;
}

static bool do_report(struct world *w, int agent)
{
    struct item item = {.kind = MEND_FACT_DEATHS};

    for (int p = 0; p < MODEL_NAMES; p++)
        if (is_in(w->kills[agent], p) && !w->model.dead[p])
            item.names |= (uint8_t)(1u << p);
    if (!item.names || !is_room(w, agent, item.names))
        return false;
    w->kills[agent] = 0;
    propose(w, agent, item);
    return true;
}

static bool do_deliver(struct world *w, const struct job *job, int agent, int from)
{
    uint64_t words[WORDS_OF_MSG];
    struct mend_log_msg msg;
    struct mail m;
    uint32_t at;
    struct mend_log_event ev = {.kind = MEND_LOG_HEARD, .agent = from, .msg = &msg};

    if (!find_mail(w, from, agent, &at, &m))
        return false;
    CHECK_EQ(mend_log_wire_decode(w->mail + at + sizeof(m), m.len, job->agents, MODEL_NAMES, words,
                                  WORDS_OF_MSG, &msg),
             MEND_OK);
    drop_mail(w, at, &m);
    step(w, agent, &ev, &msg);
    return true;
}

/* Those that are below it, by the caller. */
static uint8_t those_below(const struct world *w, const struct job *job, int agent)
{
    uint8_t below = 0;

    for (int round = 0; round < job->agents; round++)
        for (int a = 1; a < job->agents; a++)
            if (w->parent[a] == agent || is_in(below, w->parent[a]))
                below |= (uint8_t)(1u << a);
    return below;
}

static bool do_crash(struct world *w, const struct job *job, int agent)
{
    if (agent == 0 || w->losses == 0)
        return false;
    w->losses--;
    w->below[agent] = those_below(w, job, agent);
    w->dead |= (uint8_t)(1u << agent);
    for (int a = 0; a < job->agents; a++) {
        drop_pair(w, a, agent);
        if (!is_in(w->dead, a) && (w->parent[a] == agent || w->parent[agent] == a ||
                                   mend_log_child(machine(w, a), agent)))
            w->lost[a] |= (uint8_t)(1u << agent);
    }
    return true;
}

/* It learns that a neighbour is gone, and proposes so. */
static bool do_tell(struct world *w, int agent, int other)
{
    struct item item = {.kind = MEND_FACT_LOST, .agent = (uint8_t)other};

    if (!is_in(w->lost[agent], other) || !is_room(w, agent, 0))
        return false;
    drop_pair(w, other, agent);
    tell(w, agent, MEND_LOG_LOST, other);
    w->lost[agent] &= (uint8_t) ~(1u << other);
    if (w->parent[agent] == other)
        w->orphans |= (uint8_t)(1u << agent);
    propose(w, agent, item);
    return true;
}

static bool do_rejoin(struct world *w, const struct job *job, int agent)
{
    int parent = job->above[agent];

    if (!is_in(w->orphans, agent))
        return false;
    while (is_in(w->dead, parent))
        parent = job->above[parent];
    w->orphans &= (uint8_t) ~(1u << agent);
    w->parent[agent] = (int8_t)parent;
    tell(w, agent, MEND_LOG_PARENT, parent);
    return true;
}

/* Its way up to an agent is open. */
static bool hangs_below(struct world *w, int a, int agent)
{
    for (; a > 0 && a != agent; a = w->parent[a]) {
        const struct mend_log_child *c = NULL;

        if (!is_in(w->dead, w->parent[a]) && !is_in(w->orphans, a))
            c = mend_log_child(machine(w, w->parent[a]), a);
        if (!c || !c->open)
            return false;
    }
    return a == agent;
}

/* The caller waits for those that were below a lost agent.  Those that do not come are lost, too. */
static bool do_settle(struct world *w, const struct job *job, int agent, int other)
{
    const struct mend_log_child *c = mend_log_child(machine(w, agent), other);

    if (!c || c->open || !is_in(w->dead, other) || is_in(w->lost[agent], other) ||
        !is_room(w, agent, AGENTS))
        return false;
    for (int a = 0; a < job->agents; a++)
        if (is_in(w->below[other], a) && !is_in(w->dead, a) && !hangs_below(w, a, agent))
            return false;
    tell(w, agent, MEND_LOG_SETTLED, other);
    for (int a = 0; a < job->agents; a++)
        if (is_in(w->below[other], a) && is_in(w->dead, a) && !w->model.lost[a])
            propose(w, agent, (struct item){.kind = MEND_FACT_LOST, .agent = (uint8_t)a});
    return true;
}

/* The connection to the parent, which learns of that at once, or when the child joins again. */
static bool do_break(struct world *w, int agent, bool unseen)
{
    int parent = w->parent[agent];

    if (agent == 0 || w->breaks == 0 || is_in(w->orphans, agent) || is_in(w->dead, parent))
        return false;
    w->breaks--;
    drop_pair(w, agent, parent);
    drop_pair(w, parent, agent);
    tell(w, agent, MEND_LOG_LOST, parent);
    if (!unseen)
        tell(w, parent, MEND_LOG_LOST, agent);
    w->orphans |= (uint8_t)(1u << agent);
    return true;
}

static bool do_timeout(struct world *w, int name)
{
    if (w->timeouts == 0 || mend_ledger_name(mend_log_ledger(machine(w, 0)), name)->abort < 0)
        return false;
    w->timeouts--;
    w->model.late = true;
    tell(w, 0, MEND_LOG_TIMEOUT, name);
    return true;
}

static bool act_on(struct world *w, const struct job *job, struct choice c)
{
    if (is_in(w->dead, c.agent))
        return false;
    switch ((enum action)c.action) {
    case PROPOSE:
        return c.other == 0 && do_propose(w, job, c.agent);
    case REPORT:
        return c.other == 0 && do_report(w, c.agent);
    case SEND:
        return c.other == 0 && do_send(w, c.agent);
    case DELIVER:
        return do_deliver(w, job, c.agent, c.other);
    case CRASH:
        return c.other == 0 && do_crash(w, job, c.agent);
    case TELL:
        return do_tell(w, c.agent, c.other);
    case REJOIN:
        return c.other == 0 && do_rejoin(w, job, c.agent);
    case SETTLE:
        return do_settle(w, job, c.agent, c.other);
    case BREAK:
        return c.other < 2 && do_break(w, c.agent, c.other);
    case TIMEOUT:
        return c.agent == 0 && do_timeout(w, c.other);
    }
    return false;
}

/* ---- the start ---- */

static void set_up(struct world *w, const struct job *job)
{
    memset(w, 0, sizeof(*w));
    model_init(&w->model);
    w->losses = job->losses;
    w->breaks = job->breaks;
    w->timeouts = job->timeouts;
    w->lazy = job->lazy;
    for (int a = 0; a < job->agents; a++) {
        struct mend_log_config config = {
            .me = a,
            .agents_n = job->agents,
            .names_n = MODEL_NAMES,
            .children_max = AGENTS,
            .entries_words = a == 1 && job->words_of_1 ? job->words_of_1 : job->entries_words,
            .proposals_words = 60,
            .batch_words = job->batch_words,
            .entries_per_ack = job->entries_per_ack,
            .have = a ? (uint64_t)job->agents : 0};

        CHECK(mend_log_size(&config) <= sizeof(w->machine[a]));
        mend_log_init(machine(w, a), &config);
        w->parent[a] = job->above[a];
        w->applied[a] = config.have;
    }
    for (int a = 0; a < job->agents; a++)
        propose(w, 0,
                (struct item){.kind = MEND_FACT_NAMES, .names = own_names(a), .agent = (uint8_t)a});
    for (int a = 1; a < job->agents; a++) {
        struct mend_log_event ev = {
            .kind = MEND_LOG_EXPECT, .agent = a, .have = (uint64_t)job->agents};

        step(w, job->above[a], &ev, NULL);
        tell(w, a, MEND_LOG_PARENT, job->above[a]);
    }
    for (int a = 1; a < job->agents; a++) /* the tree is there before anything happens */
        for (int b = 0; b < job->agents; b++)
            while (do_deliver(w, job, a, b) || do_deliver(w, job, b, a))
                ;
}

/* ---- the end ---- */

static bool is_said(const struct model *m, const struct item *item)
{
    bool said = item->kind != MEND_FACT_REVOKED || model_is_revoked(m, m->entries_n, item->context);

    for (int p = 0; p < MODEL_NAMES; p++)
        if (item->kind == MEND_FACT_DEATHS && is_in(item->names, p))
            said &= m->dead[p] || m->left[p];
    return said && (item->kind != MEND_FACT_LOST || m->lost[item->agent]);
}

/* Nothing happens any more. */
static void check_end(struct world *w, const struct job *job)
{
    struct model *m = &w->model;

    for (int a = 0; a < job->agents; a++) {
        const struct mend_log *x = machine(w, a);

        if (is_in(w->dead, a)) {
            model_expect(m, m->lost[a], "the log does not say that an agent is lost");
            continue;
        }
        model_expect(m, w->applied[a] == m->entries_n, "an agent does not learn all");
        model_expect(m, x->proposals.facts_n == 0, "a proposal is never taken back");
        model_expect(m, x->entries.facts_n < job->entries_per_ack * (uint32_t)job->agents,
                     "entries are kept for ever");
        for (int i = 0; i < w->at[a]; i++)
            model_expect(m, is_said(m, &job->script[a][i]), "a proposal is not in the log");
    }
}

/* ---- the search ---- */

static uint64_t print_queue(uint64_t h, const struct mend_fact_queue *q, const struct mend_fact *f,
                            const uint64_t *words)
{
    for (; f; f = mend_fact_next(q, words, f))
        h = model_mix(model_mix(model_mix(model_mix(h, model_print(f)), f->before), f->known),
                      f->left);
    return model_mix(h, 7);
}

static uint64_t print_bytes(uint64_t h, const void *bytes, size_t len)
{
    uint64_t v;

    for (size_t i = 0; i < len; i += 8) {
        v = 0;
        memcpy(&v, (const char *)bytes + i, len - i < 8 ? len - i : 8);
        h = model_mix(h, v);
    }
    return h;
}

static uint64_t print_machine(uint64_t h, const struct mend_log *x, int agents)
{
    const uint64_t numbers[] = {(uint64_t)x->parent,
                                x->children_n,
                                x->joins,
                                x->rejoined,
                                x->thirsty,
                                x->ended,
                                x->have,
                                x->gone,
                                x->min,
                                x->told,
                                x->press,
                                x->seq,
                                x->said};
    const uint64_t *words;
    const struct mend_fact *f;

    h = print_bytes(h, numbers, sizeof(numbers));
    for (int a = 0; a < agents; a++) {
        const struct mend_log_child *c = mend_log_child(x, a);

        if (c)
            h = model_mix(model_mix(model_mix(h, c->min), c->sent),
                          (uint64_t)c->open << 40 | (uint64_t)c->agent);
    }
    f = mend_log_entries(x, &words);
    h = print_queue(h, &x->entries, f, words);
    f = mend_log_proposals(x, &words);
    h = print_queue(h, &x->proposals, f, words);
    if (!mend_log_ledger(x))
        return h;
    return print_bytes(h, mend_log_ledger(x), mend_ledger_size(agents, MODEL_NAMES));
}

static uint64_t print_world(struct world *w, const struct job *job)
{
    uint64_t h =
        print_bytes(1, w->applied, offsetof(struct world, mail) - offsetof(struct world, applied));

    for (int a = 0; a < job->agents; a++)
        if (!is_in(w->dead, a))
            h = print_machine(h, machine(w, a), job->agents);
    h = print_bytes(h, w->mail, w->mail_bytes);
    h = print_bytes(h, w->model.print, w->model.entries_n * 8);
    return h ? h : 1;
}

static bool insert(uint64_t *table, size_t size, uint64_t key)
{
    size_t i = (key >> 7) % size;

    for (; table[i]; i = (i + 1) % size)
        if (table[i] == key)
            return false;
    table[i] = key;
    return true;
}

static bool is_new(struct search *s, uint64_t key)
{
    uint64_t *table = s->visited;

    if (!insert(s->visited, s->size, key))
        return false;
    if (++s->used * 2 < s->size)
        return true;
    s->visited = calloc(2 * s->size, sizeof(*s->visited));
    CHECK(s->visited);
    for (size_t i = 0; i < s->size; i++)
        if (table[i])
            insert(s->visited, 2 * s->size, table[i]);
    s->size *= 2;
    free(table);
    return true;
}

static void print_path(const struct search *s)
{
    static const char *const names[] = {"propose", "report", "send",   "deliver", "crash",
                                        "tell",    "rejoin", "settle", "break",   "timeout"};

    printf("# %s: %s after\n#", s->job->name, s->wrong);
    for (int i = 0; i < s->depth; i++)
        printf(" %s(%d,%d)", names[s->path[i].action], s->path[i].agent, s->path[i].other);
    printf("\n");
}

static void explore(struct search *s, struct world *w)
{
    struct world next = *w; /* an action that is not possible leaves it as it is */
    bool any = false;

    if (w->model.wrong && !s->wrong) {
        s->wrong = w->model.wrong;
        print_path(s);
    }
    if (s->wrong || !is_new(s, print_world(w, s->job)))
        return;
    for (int action = PROPOSE; action <= TIMEOUT; action++)
        for (int a = 0; a < s->job->agents; a++)
            for (int b = 0; b < MODEL_NAMES && (action == TIMEOUT || b < s->job->agents); b++) {
                struct choice c = {(uint8_t)action, (uint8_t)a, (uint8_t)b};

                if (s->wrong || !act_on(&next, s->job, c))
                    continue;
                any |= action != CRASH && action != BREAK && action != TIMEOUT;
                CHECK(s->depth < PATH_MAX_STEPS);
                s->path[s->depth++] = c;
                explore(s, &next);
                s->depth--;
                next = *w;
            }
    if (any || s->wrong)
        return;
    check_end(w, s->job);
    s->wrong = w->model.wrong;
    if (s->wrong)
        print_path(s);
}

static void search(const struct job *job)
{
    struct search s = {.job = job, .size = VISITED_FIRST};
    struct world w;

    s.visited = calloc(s.size, sizeof(*s.visited));
    CHECK(s.visited);
    set_up(&w, job);
    explore(&s, &w);
    printf("# %s: %zu states\n", job->name, s.used);
    free(s.visited);
    CHECK(!s.wrong);
}

/* ---- random runs ---- */

static uint32_t seed;

static uint32_t chance(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

static bool is_rare(const struct choice *c)
{
    return c->action == CRASH || c->action == BREAK || c->action == TIMEOUT;
}

static bool try_choice(struct search *s, struct world *w, struct choice c)
{
    if ((c.action != TIMEOUT && c.other >= s->job->agents) || !act_on(w, s->job, c))
        return false;
    CHECK(s->depth < PATH_MAX_STEPS);
    s->path[s->depth++] = c;
    return true;
}

/* Some action; false: none is possible but those that are rare. */
static bool act_somehow(struct search *s, struct world *w)
{
    for (int tries = 0; tries < 1000; tries++) {
        struct choice c = {(uint8_t)chance(TIMEOUT + 1), (uint8_t)chance((uint32_t)s->job->agents),
                           (uint8_t)chance(MODEL_NAMES)};

        if (!(is_rare(&c) && chance(12)) && try_choice(s, w, c))
            return true;
    }
    for (uint8_t action = PROPOSE; action <= TIMEOUT; action++)
        for (uint8_t a = 0; a < s->job->agents; a++)
            for (uint8_t b = 0; b < s->job->agents; b++) {
                struct choice c = {action, a, b};

                if (!is_rare(&c) && try_choice(s, w, c))
                    return true;
            }
    return false;
}

static void run_randomly(const struct job *job, uint32_t runs)
{
    struct search s = {.job = job};
    struct world w;

    for (uint32_t i = 0; i < runs; i++) {
        seed = i;
        s.depth = 0;
        set_up(&w, job);
        while (!w.model.wrong && act_somehow(&s, &w))
            ;
        check_end(&w, job);
        s.wrong = w.model.wrong;
        if (s.wrong)
            print_path(&s);
        CHECK(!s.wrong);
    }
    printf("# %s: %u runs\n", job->name, (unsigned)runs);
}

#define CHAIN(n_) .agents = (n_), .above = {-1, 0, 1, 2}
#define STAR(n_)  .agents = (n_), .above = {-1, 0, 0, 0}
#define TREE(n_)  .agents = (n_), .above = {-1, 0, 1, 1}
#define ROOMY     .entries_words = 100, .batch_words = 60, .entries_per_ack = 1
#define NARROW    .entries_words = 24, .batch_words = 12, .entries_per_ack = 2

/* Two propose the same; what one agent proposes has an order. */
#define SCRIPT                                                                                     \
    .script = {{{0}},                                                                              \
               {{MEND_FACT_REVOKED, .context = 1}},                                                \
               {{MEND_FACT_DEATHS, .names = 1 << 4}, {MEND_FACT_REVOKED, .context = 1}}}

MEND_TEST(three_agents_in_a_chain)
{
    static const struct job loses = {
        .name = "chain, 2 losses", CHAIN(3), ROOMY, .losses = 2, SCRIPT};
    static const struct job breaks = {
        .name = "chain, a break", CHAIN(3), ROOMY, .breaks = 1, SCRIPT};

    search(&loses);
    search(&breaks);
}

/* Several facts leave in one message. */
MEND_TEST(messages_that_leave_later)
{
    static const struct job breaks = {.name = "lazy, a break",
                                      CHAIN(3),
                                      ROOMY,
                                      .breaks = 1,
                                      .lazy = true,
                                      .script = {{{MEND_FACT_REVOKED, .context = 3}},
                                                 {{0}},
                                                 {{MEND_FACT_REVOKED, .context = 1},
                                                  {MEND_FACT_DEATHS, .names = 1 << 4},
                                                  {MEND_FACT_REVOKED, .context = 2}}}};

    search(&breaks);
}

MEND_TEST(three_agents_in_a_star)
{
    static const struct job loses = {.name = "star, 2 losses", STAR(3), ROOMY, .losses = 2, SCRIPT};
    static const struct job breaks = {.name = "star, a break", STAR(3), ROOMY, .breaks = 1, SCRIPT};

    search(&loses);
    search(&breaks);
}

/* An entry waits until a child has said that it has the one before. */
MEND_TEST(little_room)
{
    static const struct job job = {
        .name = "chain, little room", CHAIN(3), NARROW, .losses = 1, SCRIPT};
    static const struct job inner = {.name = "chain, little room in the middle",
                                     CHAIN(3),
                                     .entries_words = 100,
                                     .batch_words = 60,
                                     .entries_per_ack = 4,
                                     .words_of_1 = 24,
                                     .losses = 1,
                                     SCRIPT};
    static const struct job deep = {.name = "chain of 4, little room in the middle",
                                    CHAIN(4),
                                    .entries_words = 100,
                                    .batch_words = 60,
                                    .entries_per_ack = 4,
                                    .words_of_1 = 24,
                                    .script = {{{MEND_FACT_REVOKED, .context = 1},
                                                {MEND_FACT_REVOKED, .context = 2},
                                                {MEND_FACT_REVOKED, .context = 3},
                                                {MEND_FACT_REVOKED, .context = 4}}}};

    search(&job);
    search(&inner);
    search(&deep);
}

/* Agent 1 ends a process of its own and one of agent 2, which reports another death, and that a process has left. */
#define ABORT_SCRIPT                                                                               \
    .script = {{{0}},                                                                              \
               {{MEND_FACT_ABORT, .names = 1 << 2 | 1 << 4}},                                      \
               {{MEND_FACT_DEATHS, .names = 1 << 5}}}

MEND_TEST(an_abort_on_two_nodes)
{
    static const struct job chain = {
        .name = "abort, chain, a loss", CHAIN(3), ROOMY, .losses = 1, ABORT_SCRIPT};
    static const struct job star = {
        .name = "abort, star, a loss", STAR(3), ROOMY, .losses = 1, ABORT_SCRIPT};
    static const struct job late = {
        .name = "abort, star, too late", STAR(3), ROOMY, .timeouts = 1, ABORT_SCRIPT};

    search(&chain);
    search(&star);
    search(&late);
}

/* A process ends that had left MPI, and one that is back: its end is a death. */
MEND_TEST(those_that_have_left_end)
{
    static const struct job job = {.name = "ends",
                                   STAR(3),
                                   ROOMY,
                                   .losses = 1,
                                   .script = {{{MEND_FACT_DEATHS, .names = 1 << 0}},
                                              {{MEND_FACT_LEFT, .names = 1 << 2 | 1 << 3},
                                               {MEND_FACT_BACK, .names = 1 << 3},
                                               {MEND_FACT_ENDED, .names = 1 << 2},
                                               {MEND_FACT_DEATHS, .names = 1 << 3}}}};

    search(&job);
}

/* Both have a process of agent 2 among their victims. */
MEND_TEST(two_aborts_with_a_member_in_common)
{
    static const struct job job = {.name = "two aborts",
                                   STAR(3),
                                   ROOMY,
                                   .script = {{{MEND_FACT_ABORT, .names = 1 << 0 | 1 << 4}},
                                              {{MEND_FACT_ABORT, .names = 1 << 2 | 1 << 4}},
                                              {{MEND_FACT_LEFT, .names = 1 << 5}}}};

    search(&job);
}

/* Four agents do everything. */
#define LONG_SCRIPT                                                                                \
    .script = {                                                                                    \
        {{MEND_FACT_REVOKED, .context = 3}, {MEND_FACT_DEATHS, .names = 1}},                       \
        {{MEND_FACT_ABORT, .names = 1 << 2 | 1 << 4 | 1 << 6}, {MEND_FACT_REVOKED, .context = 1}}, \
        {{MEND_FACT_REVOKED, .context = 1},                                                        \
         {MEND_FACT_DEATHS, .names = 1 << 5},                                                      \
         {MEND_FACT_REVOKED, .context = 2}},                                                       \
        {{MEND_FACT_LEFT, .names = 1 << 7},                                                        \
         {MEND_FACT_REVOKED, .context = 2},                                                        \
         {MEND_FACT_BACK, .names = 1 << 7},                                                        \
         {MEND_FACT_REVOKED, .context = 1}}}

MEND_TEST(four_agents_at_random)
{
    static const struct job chain = {
        .name = "chain of 4", CHAIN(4), ROOMY, .losses = 2, .breaks = 2, LONG_SCRIPT};
    static const struct job star = {
        .name = "star of 4", STAR(4), ROOMY, .losses = 2, .breaks = 2, LONG_SCRIPT};
    static const struct job tree = {
        .name = "tree of 4", TREE(4), NARROW, .losses = 2, .breaks = 2, LONG_SCRIPT};
    static const struct job late = {
        .name = "tree of 4, too late", TREE(4), NARROW, .losses = 2, .timeouts = 2, LONG_SCRIPT};

    static const struct job lazy = {.name = "lazy tree of 4",
                                    TREE(4),
                                    NARROW,
                                    .losses = 1,
                                    .breaks = 2,
                                    .words_of_1 = 30,
                                    .lazy = true,
                                    LONG_SCRIPT};

    run_randomly(&lazy, 3000);
    run_randomly(&chain, 3000);
    run_randomly(&star, 3000);
    run_randomly(&tree, 3000);
    run_randomly(&late, 3000);
}

MEND_TEST_MAIN()
