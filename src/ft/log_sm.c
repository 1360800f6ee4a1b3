/* SPDX-License-Identifier: BSD-3-Clause */
/* log_sm.c – the rules of the log; see log_sm.h. */
#include "ft/log_sm.h"

#include <string.h>

#define AT_UNKNOWN UINT32_MAX

/* ---- memory ---- */

static size_t children_words(const struct mend_log_config *config)
{
    return config->children_max * sizeof(struct mend_log_child) / 8;
}

static struct mend_log_child *children(const struct mend_log *x)
{
    return (struct mend_log_child *)(uintptr_t)x->store;
}

static uint64_t *entries(const struct mend_log *x)
{
    return (uint64_t *)(uintptr_t)x->store + children_words(&x->config);
}

static uint64_t *proposals(const struct mend_log *x)
{
    return entries(x) + x->config.entries_words;
}

static bool is_root(const struct mend_log *x)
{
    return x->config.me == x->config.root;
}

static struct mend_ledger *ledger(const struct mend_log *x)
{
    return (struct mend_ledger *)(void *)(proposals(x) + x->config.proposals_words);
}

const struct mend_ledger *mend_log_ledger(const struct mend_log *x)
{
    return is_root(x) ? ledger(x) : NULL;
}

size_t mend_log_size(const struct mend_log_config *config)
{
    size_t words = children_words(config) + config->entries_words + config->proposals_words;

    return sizeof(struct mend_log) + words * 8 +
           (config->me == config->root ? mend_ledger_size(config->agents_n, config->names_n) : 0);
}

void mend_log_init(struct mend_log *x, const struct mend_log_config *config)
{
    MEND_ASSERT(config->entries_words >= mend_fact_words((uint32_t)config->names_n) &&
                config->proposals_words >= mend_fact_words(1) && config->entries_per_ack > 0);
    memset(x, 0, sizeof(*x)); /* the store has megabytes, of which most jobs use a page */
    x->config = *config;
    x->parent = x->refused = MEND_LOG_NOBODY;
    x->have = x->applied = x->gone = x->min = x->told = config->have;
    x->entries.room = config->entries_words;
    x->proposals.room = config->proposals_words;
    if (is_root(x))
        mend_ledger_init(ledger(x), config->root, config->agents_n, config->names_n);
}

const struct mend_fact *mend_log_entries(const struct mend_log *x, const uint64_t **words_p)
{
    *words_p = entries(x);
    return mend_fact_first(&x->entries, entries(x));
}

const struct mend_fact *mend_log_proposals(const struct mend_log *x, const uint64_t **words_p)
{
    *words_p = proposals(x);
    return mend_fact_first(&x->proposals, proposals(x));
}

/* ---- children ---- */

static struct mend_log_child *child_of(const struct mend_log *x, int32_t agent)
{
    for (uint32_t i = 0; i < x->children_n; i++)
        if (children(x)[i].agent == agent)
            return &children(x)[i];
    return NULL;
}

const struct mend_log_child *mend_log_child(const struct mend_log *x, int32_t agent)
{
    return child_of(x, agent);
}

static struct mend_log_child *add_child(struct mend_log *x, int32_t agent)
{
    struct mend_log_child *c = child_of(x, agent);

    if (c || x->children_n == x->config.children_max)
        return c;
    c = &children(x)[x->children_n++];
    *c = (struct mend_log_child){.agent = agent};
    return c;
}

static void ask_children_again(struct mend_log *x)
{
    for (uint32_t i = 0; i < x->children_n; i++)
        children(x)[i].again = children(x)[i].open;
}

static void press_children(struct mend_log *x)
{
    for (uint32_t i = 0; i < x->children_n; i++)
        children(x)[i].press = children(x)[i].open && children(x)[i].min < x->have;
}

static void lack_room(struct mend_log *x)
{
    if (!x->thirsty)
        press_children(x);
    x->thirsty = true;
}

/* One of which nothing counts any more, as far as this agent must know. */
static bool is_lost(const struct mend_log *x, int32_t agent)
{
    const struct mend_ledger_agent *a = is_root(x) ? mend_ledger_agent(ledger(x), agent) : NULL;

    return a && a->lost;
}

/* A child is here, and says what it has (invariant 3). */
static void join(struct mend_log *x, int32_t agent, const struct mend_log_msg *m)
{
    bool fits = x->min <= m->min && m->min <= m->number && !is_lost(x, agent);
    struct mend_log_child *c = fits ? add_child(x, agent) : NULL;

    if (!c) {
        x->refused = agent;
        return;
    }
    c->open = true;
    c->min = m->min;
    c->sent = m->number;
    c->at = AT_UNKNOWN;
}

static void expect(struct mend_log *x, int32_t agent, uint64_t have)
{
    struct mend_log_child *c = add_child(x, agent);

    MEND_ASSERT(c && !c->open && have >= x->min);
    c->min = have;
}

static void lose(struct mend_log *x, int32_t agent)
{
    struct mend_log_child *c = child_of(x, agent);

    if (agent == x->parent)
        x->parent = MEND_LOG_NOBODY;
    if (c)
        c->open = c->again = c->press = false;
}

static void forget(struct mend_log *x, int32_t agent)
{
    struct mend_log_child *c = child_of(x, agent);

    if (c && !c->open)
        *c = children(x)[--x->children_n];
}

/* ---- own proposals ---- */

static void propose(struct mend_log *x, const struct mend_log_event *ev)
{
    struct mend_fact *f = mend_fact_reserve(&x->proposals, proposals(x), ev->what.runs_n);

    MEND_ASSERT(f && !x->ended);
    *f = ev->what;
    f->by = x->config.me;
    f->seq = ++x->seq;
    f->known = x->have;
    if (f->runs_n)
        memcpy(mend_fact_runs(f), ev->runs, f->runs_n * sizeof(*ev->runs));
    f->left = mend_fact_weight(f);
    MEND_ASSERT(mend_fact_is_sound(f, x->config.names_n));
}

/* The entry says what was proposed here, or that it has been judged. */
static bool says_all(const struct mend_log *x, const struct mend_fact *entry, struct mend_fact *f)
{
    uint64_t covers = mend_fact_covers(entry, f);

    f->left = covers < f->left ? f->left - covers : 0;
    return f->left == 0 || (entry->by == x->config.me && f->seq <= entry->seq);
}

static void take_back(struct mend_log *x, const struct mend_fact *entry)
{
    struct mend_fact *f = mend_fact_first(&x->proposals, proposals(x));

    while (f)
        f = says_all(x, entry, f) ? mend_fact_remove(&x->proposals, proposals(x), f)
                                  : mend_fact_next(&x->proposals, proposals(x), f);
}

/* The first that is to be said to the parent; each says which one is before it. */
static struct mend_fact *unsaid(const struct mend_log *x)
{
    struct mend_fact *f = mend_fact_first(&x->proposals, proposals(x));
    uint64_t before = 0;

    while (f && f->seq <= x->said) {
        before = f->seq;
        f = mend_fact_next(&x->proposals, proposals(x), f);
    }
    if (f)
        f->before = before;
    return f;
}

/* ---- entries ---- */

/* It is the next of the log.  False: there is no room. */
static bool append(struct mend_log *x, const struct mend_fact *f)
{
    if (!mend_fact_push(&x->entries, entries(x), f))
        return false;
    x->have++;
    take_back(x, f);
    x->ended |= f->kind == MEND_FACT_LOST && f->agent == x->config.me;
    return true;
}

/* What is due in the ledger becomes an entry.  False: there is no room. */
static bool append_due(struct mend_log *x)
{
    uint32_t runs_n;

    while (mend_ledger_due(ledger(x), &runs_n)) {
        struct mend_fact *f = mend_fact_reserve(&x->entries, entries(x), runs_n);

        if (!f)
            return false;
        mend_ledger_take(ledger(x), f);
        x->have++;
        take_back(x, f);
    }
    return true;
}

/* Whether the log says already what is proposed; *silent_p: by entries that its agent had not seen, and will. */
static bool is_said(const struct mend_log *x, const struct mend_fact *proposal, bool *silent_p)
{
    uint64_t number = x->gone, weight = mend_fact_weight(proposal), all = 0, unseen = 0;

    for (const struct mend_fact *f = mend_fact_first(&x->entries, entries(x)); f;
         f = mend_fact_next(&x->entries, entries(x), f)) {
        uint64_t covers = mend_fact_covers(f, proposal);

        all += covers;
        unseen += ++number > proposal->known ? covers : 0;
    }
    *silent_p = unseen >= weight;
    return all >= weight;
}

/* Its agent learns that the log has it already. */
static void append_nothing(struct mend_log *x, int32_t by, uint64_t seq)
{
    struct mend_fact f = {.kind = MEND_FACT_NOTHING, .by = by, .seq = seq};

    if (by != x->config.me)
        MEND_ASSERT(append(x, &f));
}

/* The root decides about a proposal that counts.  False: there is no room. */
static bool judge(struct mend_log *x, const struct mend_fact *f)
{
    struct mend_ledger_agent *agent = mend_ledger_agent(ledger(x), f->by);
    struct mend_ledger_event ev = {.kind = MEND_LEDGER_PROPOSED, .fact = f};
    enum mend_ledger_answer answer = MEND_LEDGER_VOID;
    uint64_t seq = f->seq;
    int32_t by = f->by;
    bool silent;

    if (!agent || agent->lost || seq <= agent->seq || f->before > agent->seq)
        return true;
    if (!append_due(x) || mend_fact_words(0) > x->entries.room - mend_fact_used(&x->entries))
        return false;
    agent->seq = seq;
    if (!is_said(x, f, &silent))
        answer = mend_ledger_step(ledger(x), &ev);
    if (answer == MEND_LEDGER_VOID && !silent)
        append_nothing(x, by, seq);
    return append_due(x);
}

/* The root's own proposals need no way. */
static void judge_own(struct mend_log *x)
{
    struct mend_fact *f;

    while ((f = unsaid(x))) {
        uint64_t seq = f->seq;
        bool room = judge(x, f);

        if (mend_ledger_agent(ledger(x), x->config.me)->seq < seq) {
            lack_room(x);
            return;
        }
        x->said = seq;
        f = mend_fact_first(&x->proposals, proposals(x));
        if (f && f->seq == seq)
            mend_fact_remove(&x->proposals, proposals(x), f);
        if (!room)
            lack_room(x);
    }
}

/* ---- messages ---- */

static const struct mend_fact *first_of(const struct mend_log_msg *m)
{
    return (const struct mend_fact *)(const void *)m->facts;
}

static void hear_child(struct mend_log *x, int32_t agent, const struct mend_log_msg *m)
{
    const struct mend_fact *f = first_of(m);
    struct mend_log_child *c;

    if (m->joins)
        join(x, agent, m);
    c = child_of(x, agent);
    if (!c || !c->open)
        return;
    if (m->min > c->min && m->min <= c->sent)
        c->min = m->min;
    x->pass = m->facts_n && !is_root(x) && x->parent != MEND_LOG_NOBODY;
    for (uint32_t i = 0; is_root(x) && i < m->facts_n; i++, f = mend_fact_behind(f))
        if (!judge(x, f)) {
            lack_room(x);
            return;
        }
}

static void take_entries(struct mend_log *x, const struct mend_log_msg *m)
{
    const struct mend_fact *f = first_of(m);

    for (uint32_t i = 0; i < m->facts_n && !x->ended; i++, f = mend_fact_behind(f))
        if (m->number + i == x->have + 1 && !append(x, f)) {
            lack_room(x);
            return;
        }
}

static void hear_parent(struct mend_log *x, const struct mend_log_msg *m)
{
    if (m->number > x->have + 1) { /* an entry is missing */
        x->joins |= !x->rejoined && !x->thirsty;
        return;
    }
    x->rejoined = false;
    take_entries(x, m);
    if (m->again) {
        x->said = 0;
        ask_children_again(x);
    }
    if (m->press) {
        x->press = x->have;
        press_children(x);
    }
}

static void hear(struct mend_log *x, const struct mend_log_event *ev)
{
    if (!ev->msg->down)
        hear_child(x, ev->agent, ev->msg);
    else if (ev->agent == x->parent)
        hear_parent(x, ev->msg);
}

void mend_log_step(struct mend_log *x, const struct mend_log_event *ev)
{
    struct mend_ledger_event timeout = {.kind = MEND_LEDGER_TIMEOUT, .name = ev->name};

    MEND_ASSERT(x->applied == x->have && !x->pass && x->refused == MEND_LOG_NOBODY);
    if (x->ended)
        return;
    switch (ev->kind) {
    case MEND_LOG_PROPOSE:
        propose(x, ev);
        break;
    case MEND_LOG_HEARD:
        hear(x, ev);
        break;
    case MEND_LOG_PARENT:
        MEND_ASSERT(!is_root(x));
        x->parent = ev->agent;
        x->joins = true;
        break;
    case MEND_LOG_EXPECT:
        expect(x, ev->agent, ev->have);
        break;
    case MEND_LOG_LOST:
        lose(x, ev->agent);
        break;
    case MEND_LOG_SETTLED:
        forget(x, ev->agent);
        break;
    case MEND_LOG_TIMEOUT:
        MEND_ASSERT(is_root(x));
        if (append_due(x))
            mend_ledger_step(ledger(x), &timeout);
        if (!append_due(x))
            lack_room(x);
        break;
    }
    if (is_root(x))
        judge_own(x);
}

/* ---- what is to be done ---- */

/* Entries that every agent below has are dropped.  True: there were some. */
static bool drop_entries(struct mend_log *x)
{
    uint64_t gone = x->gone;

    for (; x->gone < x->min && x->gone < x->applied; x->gone++) {
        struct mend_fact *f = mend_fact_first(&x->entries, entries(x));
        uint32_t words = mend_fact_words(f->runs_n);

        x->applied_at -= words;
        for (uint32_t i = 0; i < x->children_n; i++)
            children(x)[i].at -= children(x)[i].at == AT_UNKNOWN ? 0 : words;
        mend_fact_remove(&x->entries, entries(x), f);
    }
    return x->gone > gone;
}

/* What all below have, and what follows from it. */
static void settle(struct mend_log *x)
{
    uint64_t min = x->have;

    for (uint32_t i = 0; i < x->children_n; i++)
        min = children(x)[i].min < min ? children(x)[i].min : min;
    MEND_ASSERT(min >= x->min);
    x->min = min;
    if (!drop_entries(x) || !x->thirsty || 2 * mend_fact_used(&x->entries) > x->entries.room)
        return;
    x->thirsty = false;
    x->joins = !is_root(x);
    if (!is_root(x))
        return;
    if (!append_due(x))
        lack_room(x);
    judge_own(x);
    ask_children_again(x);
}

static bool apply_next(struct mend_log *x, struct mend_log_act *act_p)
{
    const struct mend_fact *f;

    if (x->applied == x->have)
        return false;
    f = (const struct mend_fact *)(void *)(entries(x) + x->entries.begin + x->applied_at);
    x->applied++;
    x->applied_at += mend_fact_words(f->runs_n);
    *act_p = (struct mend_log_act){.kind = MEND_LOG_APPLY, .number = x->applied, .entry = f};
    return true;
}

bool mend_log_next(struct mend_log *x, struct mend_log_act *act_p)
{
    if (apply_next(x, act_p))
        return true;
    if (x->pass) {
        x->pass = false;
        x->told = x->min;
        *act_p = (struct mend_log_act){
            .kind = MEND_LOG_PASS, .agent = x->parent, .msg = {.number = x->have, .min = x->min}};
        return true;
    }
    if (x->refused != MEND_LOG_NOBODY) {
        *act_p = (struct mend_log_act){.kind = MEND_LOG_REFUSE, .agent = x->refused};
        x->refused = MEND_LOG_NOBODY;
        return true;
    }
    settle(x);
    return apply_next(x, act_p);
}

/* As many facts from f on as a message takes. */
static void fill(struct mend_log_msg *m, const struct mend_log *x, const struct mend_fact *f,
                 uint64_t facts_n)
{
    uint32_t words = 0;

    m->facts = (const uint64_t *)(const void *)f;
    for (; m->facts_n < facts_n; m->facts_n++, f = mend_fact_behind(f)) {
        words += mend_fact_words(f->runs_n);
        if (m->facts_n > 0 && words > x->config.batch_words)
            return;
    }
}

static bool has_words_for_parent(const struct mend_log *x)
{
    uint64_t news = x->min - x->told;

    return x->joins || unsaid(x) ||
           (news > 0 && (news >= x->config.entries_per_ack || x->told < x->press));
}

static void speak_up(struct mend_log *x, struct mend_log_msg *m)
{
    struct mend_fact *f;
    uint64_t facts_n = 0;

    *m = (struct mend_log_msg){.joins = x->joins, .number = x->have, .min = x->min};
    x->told = x->min;
    if (x->joins) {
        x->joins = false;
        x->rejoined = true;
        x->said = 0;
        ask_children_again(x);
    }
    for (f = unsaid(x); f; f = mend_fact_next(&x->proposals, proposals(x), f)) {
        struct mend_fact *next = mend_fact_next(&x->proposals, proposals(x), f);

        if (next)
            next->before = f->seq;
        facts_n++;
    }
    f = unsaid(x);
    fill(m, x, f, facts_n);
    for (uint32_t i = 0; i < m->facts_n; i++, f = mend_fact_behind(f))
        x->said = f->seq;
}

static bool has_words_for(const struct mend_log *x, const struct mend_log_child *c)
{
    return c->open && (c->sent < x->have || c->again || c->press);
}

/* Where the entry behind those that were sent is. */
static const struct mend_fact *to_send(const struct mend_log *x, struct mend_log_child *c)
{
    const struct mend_fact *f = mend_fact_first(&x->entries, entries(x));
    uint64_t *begin = entries(x) + x->entries.begin;

    if (c->sent >= x->have)
        return NULL;
    if (c->at == AT_UNKNOWN) {
        for (uint64_t number = x->gone; number < c->sent; number++)
            f = mend_fact_behind(f);
        c->at = (uint32_t)((const uint64_t *)(const void *)f - begin);
    }
    return (const struct mend_fact *)(void *)(begin + c->at);
}

static void speak_down(struct mend_log *x, struct mend_log_child *c, struct mend_log_msg *m)
{
    const struct mend_fact *f = to_send(x, c);

    *m = (struct mend_log_msg){.down = true, .again = c->again, .number = c->sent + 1};
    m->press = x->thirsty || x->press > c->min || 2 * mend_fact_used(&x->entries) > x->entries.room;
    if (f)
        fill(m, x, f, x->have - c->sent);
    for (uint32_t i = 0; i < m->facts_n; i++, f = mend_fact_behind(f)) {
        c->sent++;
        c->at += mend_fact_words(f->runs_n);
    }
    c->again = c->press = false;
}

bool mend_log_send(struct mend_log *x, int32_t *to_p, struct mend_log_msg *msg_p)
{
    MEND_ASSERT(x->applied == x->have);
    if (x->ended)
        return false;
    if (x->parent != MEND_LOG_NOBODY && has_words_for_parent(x)) {
        *to_p = x->parent;
        speak_up(x, msg_p);
        return true;
    }
    for (uint32_t i = 0; i < x->children_n; i++)
        if (has_words_for(x, &children(x)[i])) {
            *to_p = children(x)[i].agent;
            speak_down(x, &children(x)[i], msg_p);
            return true;
        }
    return false;
}

bool mend_log_has_room(const struct mend_log *x, uint32_t runs_n)
{
    return !x->ended &&
           mend_fact_words(runs_n) <= x->proposals.room - mend_fact_used(&x->proposals);
}

/* ---- invariants ---- */

static void check_queue(const struct mend_log *x, const struct mend_fact_queue *q,
                        const uint64_t *words)
{
    uint32_t facts_n = 0, used = 0;

    for (const struct mend_fact *f = mend_fact_first(q, words); f;
         f = mend_fact_next(q, words, f)) {
        MEND_ASSERT(mend_fact_is_sound(f, x->config.names_n));
        facts_n++;
        used += mend_fact_words(f->runs_n);
    }
    MEND_ASSERT(facts_n == q->facts_n && used == mend_fact_used(q) && q->end <= q->room);
}

static void check_proposals(const struct mend_log *x)
{
    uint64_t seq = 0;

    for (const struct mend_fact *f = mend_fact_first(&x->proposals, proposals(x)); f;
         f = mend_fact_next(&x->proposals, proposals(x), f)) {
        MEND_ASSERT(f->seq > seq && f->seq <= x->seq && f->left > 0);
        seq = f->seq;
    }
}

void mend_log_check(const struct mend_log *x)
{
    check_queue(x, &x->entries, entries(x));
    check_queue(x, &x->proposals, proposals(x));
    check_proposals(x);
    MEND_ASSERT(x->gone + x->entries.facts_n == x->have && x->gone <= x->min &&
                x->gone <= x->applied && x->applied <= x->have && x->told <= x->min);
    for (uint32_t i = 0; i < x->children_n; i++) {
        const struct mend_log_child *c = &children(x)[i];

        MEND_ASSERT(c->min >= x->gone && (!c->open || c->sent >= c->min));
    }
    MEND_ASSERT(!is_root(x) || x->parent == MEND_LOG_NOBODY);
    if (is_root(x))
        mend_ledger_check(ledger(x));
}
