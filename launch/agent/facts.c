/* SPDX-License-Identifier: BSD-3-Clause */
/* facts.c – see facts.h.
 *
 * The agents of a job are a star: the first node's is the root of the log, and its process the root of the job, through which
 * their messages go.  An agent whose connection ends is lost, so no agent ever has another parent. */
#include "agent/facts.h"

#include "agent/far.h"
#include "agent/papers.h"
#include "agent/revoked.h"
#include "agent/tell.h"
#include "agent/verdict.h"
#include "base/time.h"
#include "ft/log_wire.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define PROPOSALS_WORDS 4096u /* what is due waits for room here */
#define BATCH_WORDS     1024u
#define ROOT            0
/* Longer than an agent holds its own victims (open.c). */
#define HOLD_NS (4 * MEND_NS_PER_S)

/* A fact that the log has no room for yet, or that the main thread has not come to. */
struct due {
    struct mend_list link;
    bool heard; /* deaths: what the dead had said was read */
    struct mend_fact what;
    struct mend_fact_run runs[];
};

/* At the root of the log: those of its victims that are dead are held until the others are, or for so long. */
struct held {
    struct mend_list link;
    int32_t victim;
    mend_time_ns until;
};

struct mend_facts {
    struct mend_log *log;
    struct mend_list held;
    struct mend_list due;     /* with the lock */
    uint32_t due_n;           /* with the lock */
    struct mend_list revoked; /* due before the others */
};

static bool is_root(const struct agent *agent)
{
    return agent->ranks.nodes.me == ROOT;
}

/* ---- what is due ---- */

static struct due *new_due(uint32_t kind, int32_t about, uint32_t runs_n)
{
    struct due *d = mend_xalloc(1, sizeof(*d) + runs_n * sizeof(*d->runs));

    d->what = (struct mend_fact){.kind = kind, .agent = about, .runs_n = runs_n};
    return d;
}

/* With the lock. */
static void add(struct agent *agent, struct due *d)
{
    struct mend_facts *f = agent->facts;

    mend_list_append(&f->due, &d->link);
    f->due_n++;
    mend_sources_note(&agent->sources);
}

static void add_locked(struct agent *agent, struct due *d)
{
    pthread_mutex_lock(&agent->ranks.lock);
    add(agent, d);
    pthread_mutex_unlock(&agent->ranks.lock);
}

static int by_name(const void *a, const void *b)
{
    const struct mend_fact_run *x = a, *y = b;

    return x->first < y->first ? -1 : x->first > y->first;
}

void mend_facts_die(struct agent *agent, const struct mend_verdict *v, int n)
{
    struct due *d = new_due(MEND_FACT_DEATHS, 0, (uint32_t)n);

    for (int i = 0; i < n; i++) {
        d->runs[i] = (struct mend_fact_run){v[i].peer, 1, v[i].cause, v[i].code};
        agent->ranks.rank[v[i].peer].told_dead = true;
    }
    qsort(d->runs, (size_t)n, sizeof(*d->runs), by_name);
    add(agent, d);
}

void mend_facts_explain(struct agent *agent, const struct rank *r)
{
    struct due *d = new_due(MEND_FACT_CAUSE, 0, 1);

    d->runs[0] = (struct mend_fact_run){r->index, 1, r->verdict.cause, r->verdict.code};
    add(agent, d);
}

void mend_facts_abort(struct agent *agent, const uint64_t *set, uint32_t words,
                      struct mend_abort what)
{
    int cause = what.follows ? MEND_VERDICT_UNKNOWN : MEND_VERDICT_ABORT;
    struct due *d = new_due(MEND_FACT_ABORT, 0, (uint32_t)mend_bits_count(set, words));
    uint32_t n = 0;

    for (int32_t i = 0; i < agent->ranks.n; i++)
        if ((uint32_t)i / 64 < words && mend_bits_test(set, i))
            d->runs[n++] = (struct mend_fact_run){i, 1, cause, what.code};
    d->what.runs_n = n;
    add_locked(agent, d);
}

/* A process of this node has said so before. */
static bool is_proposed(struct agent *agent, uint64_t ctx)
{
    struct mend_facts *f = agent->facts;
    const uint64_t *words;
    bool found = false;

    mend_list_foreach (l, next, &f->revoked)
        found |= mend_list_entry(l, struct due, link)->what.context == ctx;
    for (const struct mend_fact *p = mend_log_proposals(f->log, &words); p && !found;
         p = mend_fact_next(&f->log->proposals, words, p))
        found = p->context == ctx;
    return found;
}

void mend_facts_revoke(struct agent *agent, uint64_t ctx)
{
    struct due *d;

    if (is_proposed(agent, ctx))
        return;
    d = new_due(MEND_FACT_REVOKED, 0, 0);
    d->what.context = ctx;
    mend_list_append(&agent->facts->revoked, &d->link);
    mend_sources_note(&agent->sources);
}

void mend_facts_presence(struct agent *agent, const struct rank *r, enum mend_presence presence)
{
    bool was = r->told_left, left = presence == MEND_PRESENCE_LEFT;
    struct due *d;

    if (was == left)
        return;
    agent->ranks.rank[r->index].told_left = left;
    d = new_due(left ? MEND_FACT_LEFT : MEND_FACT_BACK, 0, 1);
    d->runs[0] = (struct mend_fact_run){r->index, 1, 0, 0};
    add_locked(agent, d);
}

void mend_facts_end(struct agent *agent, struct rank *const *r, int n)
{
    struct due *d = new_due(MEND_FACT_ENDED, 0, (uint32_t)n);

    for (int i = 0; i < n; i++) {
        d->runs[i] = (struct mend_fact_run){r[i]->index, 1, 0, 0};
        r[i]->told_ended = true;
    }
    qsort(d->runs, (size_t)n, sizeof(*d->runs), by_name);
    add_locked(agent, d);
}

bool mend_facts_pending(struct agent *agent)
{
    struct mend_facts *f = agent->facts;
    const uint64_t *words;
    bool due;

    pthread_mutex_lock(&agent->ranks.lock);
    due = f->due_n > 0;
    for (int i = 0; i < agent->ranks.n; i++) /* the log may wait for other victims of an abort */
        due |= agent->ranks.rank[i].told_dead && !mend_rank_is_dead(&agent->ranks, i);
    pthread_mutex_unlock(&agent->ranks.lock);
    return due || !mend_list_empty(&f->revoked) || mend_log_proposals(f->log, &words);
}

/* ---- entries ---- */

/* All processes of the entry, published together. */
static void apply_deaths(struct agent *agent, const struct mend_fact *entry)
{
    struct mend_verdict *v;
    uint32_t n = 0;

    for (uint32_t i = 0; i < entry->runs_n; i++)
        n += (uint32_t)mend_fact_runs(entry)[i].n;
    v = mend_xalloc(n, sizeof(*v));
    n = 0;
    for (uint32_t i = 0; i < entry->runs_n; i++) {
        const struct mend_fact_run *run = &mend_fact_runs(entry)[i];

        for (int32_t k = run->first; k < run->first + run->n; k++)
            v[n++] = (struct mend_verdict){.peer = k, .cause = run->cause, .code = run->code};
    }
    mend_verdict_apply(&agent->verdicts, v, n);
    free(v);
}

/* They have not failed, but nobody waits for them any more. */
static void apply_ends(struct agent *agent, const struct mend_fact *entry)
{
    struct rank **ended = mend_xalloc((size_t)agent->ranks.n, sizeof(struct rank *));
    int n = 0;

    for (uint32_t i = 0; i < entry->runs_n; i++) {
        const struct mend_fact_run *run = &mend_fact_runs(entry)[i];

        for (int32_t k = run->first; k < run->first + run->n; k++)
            ended[n++] = &agent->ranks.rank[k];
    }
    mend_verdict_left(&agent->verdicts, ended, n);
    free(ended);
}

static void apply_causes(struct agent *agent, const struct mend_fact *entry)
{
    for (uint32_t i = 0; i < entry->runs_n; i++) {
        const struct mend_fact_run *run = &mend_fact_runs(entry)[i];

        for (int32_t k = run->first; k < run->first + run->n; k++)
            if (mend_verdict_explain(
                    &agent->verdicts,
                    &(struct mend_verdict){.peer = k, .cause = run->cause, .code = run->code}))
                mend_links_explain(agent, k);
    }
}

/* By one of its victims that is waited for: those that had left MPI are not. */
static void hold(struct agent *agent, const int32_t *named, int32_t n)
{
    const struct mend_ledger *l = mend_log_ledger(agent->facts->log);
    struct held *h;
    int32_t i = 0;

    while (i < n && mend_ledger_name(l, named[i])->abort < 0)
        i++;
    if (i == n)
        return;
    h = mend_xalloc(1, sizeof(*h));
    h->victim = named[i];
    h->until = mend_time_monotonic_ns() + HOLD_NS;
    mend_list_append(&agent->facts->held, &h->link);
}

/* By the agents of their jobs. */
static void end_guests(struct agent *agent, const int32_t *named, int32_t n, struct mend_abort what)
{
    uint32_t words = (uint32_t)mend_bits_words(MEND_NODE_NAMES);
    uint64_t *set = mend_xalloc(words, sizeof(*set));

    for (int32_t i = 0; i < n; i++)
        mend_bits_set(set, named[i]);
    mend_links_abort(agent, -1, set, words, what);
    free(set);
}

/* Those of this node end; the others are their agents'. */
static void apply_abort(struct agent *agent, const struct mend_fact *entry)
{
    int32_t *named = mend_xalloc((size_t)agent->ranks.n, sizeof(*named)), n = 0;
    struct mend_abort what = {0};

    for (uint32_t i = 0; i < entry->runs_n; i++) {
        const struct mend_fact_run *run = &mend_fact_runs(entry)[i];

        what = (struct mend_abort){run->code, run->cause == MEND_VERDICT_UNKNOWN};
        for (int32_t k = run->first; k < run->first + run->n; k++)
            named[n++] = k;
    }
    if (n)
        mend_control_end(agent, named, n, what);
    if (is_root(agent)) {
        end_guests(agent, named, n, what);
        hold(agent, named, n);
    }
    free(named);
}

/* One more than the last name. */
static int32_t end_of(const struct mend_fact *entry)
{
    const struct mend_fact_run *last = &mend_fact_runs(entry)[entry->runs_n - 1];

    return last->first + last->n;
}

static void apply(struct agent *agent, const struct mend_fact *entry)
{
    switch ((enum mend_fact_kind)entry->kind) {
    case MEND_FACT_DEATHS:
    case MEND_FACT_LOST:
        if (entry->runs_n)
            apply_deaths(agent, entry);
        if (entry->kind == MEND_FACT_LOST)
            mend_papers_lost(agent->papers, entry->agent);
        break;
    case MEND_FACT_CAUSE:
        apply_causes(agent, entry);
        break;
    case MEND_FACT_ENDED:
        apply_ends(agent, entry);
        break;
    case MEND_FACT_REVOKED:
        mend_revoked_add(agent, entry->context);
        if (is_root(agent) && entry->context & MEND_ABROAD_CTX)
            mend_links_revoke_all(agent, entry->context);
        break;
    case MEND_FACT_ABORT:
        apply_abort(agent, entry);
        break;
    case MEND_FACT_NAMES:
        if (is_root(agent))
            mend_tell_names(&agent->tell, end_of(entry));
        break;
    default:
        break;
    }
}

/* ---- the machine ---- */

static void send_to(struct agent *agent, int32_t to, const struct mend_log_msg *msg)
{
    size_t len = mend_log_wire_bytes(msg);
    char *buf = mend_xalloc(1, len);

    mend_log_wire_encode(msg, buf);
    mend_post(&agent->tell.root,
              &(struct mend_message){
                  .kind = MEND_UP_LOG, .rank = -1, .arg = {to}, .data = buf, .len = (uint32_t)len});
    free(buf);
}

static void step(struct agent *agent, const struct mend_log_event *ev)
{
    struct mend_log *log = agent->facts->log;
    struct mend_log_act act;
    struct mend_log_msg msg;
    int32_t to;

    mend_log_step(log, ev);
    while (mend_log_next(log, &act))
        if (act.kind == MEND_LOG_APPLY)
            apply(agent, act.entry);
        else if (act.kind == MEND_LOG_PASS)
            send_to(agent, act.agent, &act.msg);
    while (mend_log_send(log, &to, &msg))
        send_to(agent, to, &msg);
}

/* A revocation, or else the oldest.  It stays: only this thread takes one out. */
static struct due *next_due(struct agent *agent)
{
    struct mend_facts *f = agent->facts;
    struct mend_list *from = mend_list_empty(&f->revoked) ? &f->due : &f->revoked;
    struct due *d;

    pthread_mutex_lock(&agent->ranks.lock);
    d = mend_list_empty(from) ? NULL : mend_list_entry(from->next, struct due, link);
    pthread_mutex_unlock(&agent->ranks.lock);
    return d;
}

static void take_out(struct agent *agent, struct due *d)
{
    pthread_mutex_lock(&agent->ranks.lock);
    mend_list_remove(&d->link);
    agent->facts->due_n -= d->what.kind != MEND_FACT_REVOKED;
    pthread_mutex_unlock(&agent->ranks.lock);
}

/* What a process has revoked is so before its death. */
static void hear_the_dead(struct agent *agent, struct due *d)
{
    for (uint32_t i = 0; i < d->what.runs_n; i++)
        mend_control_read(agent, &agent->ranks.rank[d->runs[i].first]);
    d->heard = true;
}

static bool is_dead(const struct agent *agent, int32_t name)
{
    const struct mend_ledger *l = mend_log_ledger(agent->facts->log);

    return mend_ledger_name(l, name)->state == MEND_LEDGER_DEAD;
}

/* An abort of which some victim does not die lets go of the others. */
static mend_time_ns look_at_held(struct agent *agent, mend_time_ns now)
{
    mend_time_ns next = MEND_TIME_NEVER;

    mend_list_foreach (l, behind, &agent->facts->held) {
        struct held *h = mend_list_entry(l, struct held, link);

        if (is_dead(agent, h->victim)) {
            mend_list_remove(&h->link);
            free(h);
            continue;
        }
        if (now >= h->until) {
            h->until = now + HOLD_NS;
            step(agent, &(struct mend_log_event){.kind = MEND_LOG_TIMEOUT, .name = h->victim});
        }
        next = h->until < next ? h->until : next;
    }
    return next;
}

mend_time_ns mend_facts_look(struct agent *agent, mend_time_ns now)
{
    struct due *d;

    while ((d = next_due(agent))) {
        if (d->what.kind == MEND_FACT_DEATHS && !d->heard) {
            hear_the_dead(agent, d);
            continue;
        }
        if (!mend_log_has_room(agent->facts->log, d->what.runs_n))
            break;
        take_out(agent, d);
        step(agent,
             &(struct mend_log_event){.kind = MEND_LOG_PROPOSE, .what = d->what, .runs = d->runs});
        free(d);
    }
    return is_root(agent) ? look_at_held(agent, now) : MEND_TIME_NEVER;
}

void mend_facts_hear(struct agent *agent, int32_t from, const void *data, size_t len)
{
    size_t words_n = mend_log_wire_words(len);
    uint64_t *words = mend_xalloc(words_n, sizeof(*words));
    struct mend_log_msg msg;
    if (mend_log_wire_decode(data, len, (int32_t)agent->ranks.nodes.n, (int32_t)MEND_NODE_NAMES,
                             words, words_n, &msg) == MEND_OK)
        step(agent, &(struct mend_log_event){.kind = MEND_LOG_HEARD, .agent = from, .msg = &msg});
    free(words);
}

void mend_facts_lost(struct agent *agent, int32_t node)
{
    step(agent, &(struct mend_log_event){.kind = MEND_LOG_LOST, .agent = node});
    step(agent, &(struct mend_log_event){.kind = MEND_LOG_SETTLED, .agent = node});
    add_locked(agent, new_due(MEND_FACT_LOST, node, 0));
}

void mend_facts_name(struct agent *agent, int32_t node, int32_t first, int32_t n)
{
    struct due *d = new_due(MEND_FACT_NAMES, node, 1);

    d->runs[0] = (struct mend_fact_run){first, n, 0, 0};
    add_locked(agent, d);
}

/* The n ranks that a node has when the job starts. */
static void name_node(struct agent *agent, int32_t node, int n)
{
    struct due *d = new_due(MEND_FACT_NAMES, node, (uint32_t)n);
    uint32_t runs_n = 0;

    for (int i = 0; i < agent->ranks.n; i++) {
        struct mend_fact_run *last = &d->runs[runs_n ? runs_n - 1 : 0];

        if (agent->o->node_of[i] != node)
            continue;
        if (runs_n && last->first + last->n == i)
            last->n++;
        else
            d->runs[runs_n++] = (struct mend_fact_run){i, 1, 0, 0};
    }
    d->what.runs_n = runs_n;
    add_locked(agent, d);
}

static void name_nodes(struct agent *agent)
{
    for (int k = 0; k < (int)agent->ranks.nodes.n; k++) {
        int n = mend_options_on_node(agent->o, k);

        if (n)
            name_node(agent, k, n);
    }
}

static void on_deaths(void *self, const struct mend_verdict *v, int n)
{
    mend_facts_die(self, v, n);
}

static void on_cause(void *self, const struct rank *r)
{
    mend_facts_explain(self, r);
}

void mend_facts_open(struct agent *agent)
{
    struct mend_log_config config = {.me = (int32_t)agent->ranks.nodes.me,
                                     .root = ROOT,
                                     .agents_n = (int32_t)agent->ranks.nodes.n,
                                     .names_n = (int32_t)MEND_NODE_NAMES,
                                     .children_max = agent->ranks.nodes.n,
                                     .entries_words = 4 * mend_fact_words(MEND_NODE_NAMES),
                                     .proposals_words =
                                         PROPOSALS_WORDS + mend_fact_words(MEND_NODE_NAMES),
                                     .batch_words = BATCH_WORDS,
                                     .entries_per_ack = 1};
    struct mend_facts *f = agent->facts = mend_xalloc(1, sizeof(*f));

    mend_list_init(&f->due);
    mend_list_init(&f->revoked);
    mend_list_init(&f->held);
    f->log = mend_xalloc(1, mend_log_size(&config));
    mend_log_init(f->log, &config);
    agent->verdicts.facts = (struct mend_verdict_facts){agent, on_deaths, on_cause};
    if (!is_root(agent))
        return;
    for (int32_t k = 1; k < config.agents_n; k++)
        step(agent, &(struct mend_log_event){.kind = MEND_LOG_EXPECT, .agent = k});
    name_nodes(agent);
}

void mend_facts_print(struct agent *agent)
{
    const struct mend_log *log = agent->facts->log;
    char text[256];
    const uint64_t *words;

    mend_log_print(log, text, sizeof(text));
    mend_say(&agent->tell, "mend:   agent of node %u: %s%s", agent->ranks.nodes.me, text,
             mend_log_entries(log, &words) ? ", keeps entries for others" : "");
    if (!mend_log_ledger(log))
        return;
    mend_ledger_print(mend_log_ledger(log), text, sizeof(text));
    mend_say(&agent->tell, "mend:   ledger: %s", text);
}

void mend_facts_close(struct agent *agent)
{
    mend_log_check(agent->facts->log);
}

void mend_facts_join(struct agent *agent)
{
    if (!is_root(agent))
        step(agent, &(struct mend_log_event){.kind = MEND_LOG_PARENT, .agent = ROOT});
}
