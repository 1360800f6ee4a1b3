/* SPDX-License-Identifier: BSD-3-Clause */
/* facts.c – see facts.h.
 *
 * The agents of a job are a star: the first node's is the root of the log, and its process the root of the job, through which
 * their messages go.  Connections may end and be made again; the stream of messages goes on. */
#include "agent/facts.h"

#include "agent/verdict.h"
#include "base/time.h"
#include "ft/log_wire.h"

#include <stdlib.h>
#include <string.h>

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
    struct mend_facts_needs with;
    struct mend_log *log;
    struct mend_list held;
    struct mend_list due;     /* with the lock */
    uint32_t due_n;           /* with the lock */
    struct mend_list revoked; /* due before the others */
};

static bool is_root(const struct mend_facts *f)
{
    return f->with.ranks->nodes.me == ROOT;
}

/* ---- what is due ---- */

static struct due *new_due(uint32_t kind, int32_t about, uint32_t runs_n)
{
    struct due *d = mend_xalloc(1, sizeof(*d) + runs_n * sizeof(*d->runs));

    d->what = (struct mend_fact){.kind = kind, .agent = about, .runs_n = runs_n};
    return d;
}

/* With the lock. */
static void add(struct mend_facts *f, struct due *d)
{
    mend_list_append(&f->due, &d->link);
    f->due_n++;
}

static void add_locked(struct mend_facts *f, struct due *d)
{
    pthread_mutex_lock(&f->with.ranks->lock);
    add(f, d);
    pthread_mutex_unlock(&f->with.ranks->lock);
    mend_sources_note(f->with.sources);
}

static int by_name(const void *a, const void *b)
{
    const struct mend_fact_run *x = a, *y = b;

    return x->first < y->first ? -1 : x->first > y->first;
}

void mend_facts_die(struct mend_facts *f, const struct mend_verdict *v, int n)
{
    struct due *d = new_due(MEND_FACT_DEATHS, 0, (uint32_t)n);

    for (int i = 0; i < n; i++) {
        d->runs[i] = (struct mend_fact_run){v[i].peer, 1, v[i].cause, v[i].code};
        f->with.ranks->rank[v[i].peer].told_dead = true;
    }
    qsort(d->runs, (size_t)n, sizeof(*d->runs), by_name);
    add(f, d);
}

void mend_facts_explain(struct mend_facts *f, const struct rank *r)
{
    struct due *d = new_due(MEND_FACT_CAUSE, 0, 1);

    d->runs[0] = (struct mend_fact_run){r->index, 1, r->verdict.cause, r->verdict.code};
    add(f, d);
}

void mend_facts_abort(struct mend_facts *f, const uint64_t *set, uint32_t words,
                      struct mend_abort what)
{
    int cause = what.follows ? MEND_VERDICT_UNKNOWN : MEND_VERDICT_ABORT;
    struct due *d = new_due(MEND_FACT_ABORT, 0, (uint32_t)mend_bits_count(set, words));
    uint32_t n = 0;

    for (int32_t i = 0; i < f->with.ranks->n; i++)
        if ((uint32_t)i / 64 < words && mend_bits_test(set, i))
            d->runs[n++] = (struct mend_fact_run){i, 1, cause, what.code};
    d->what.runs_n = n;
    add_locked(f, d);
}

/* A process of this node has said so before. */
static bool is_proposed(struct mend_facts *f, uint64_t ctx)
{
    const uint64_t *words;
    bool found = false;

    mend_list_foreach (l, next, &f->revoked)
        found |= mend_list_entry(l, struct due, link)->what.context == ctx;
    for (const struct mend_fact *p = mend_log_proposals(f->log, &words); p && !found;
         p = mend_fact_next(&f->log->proposals, words, p))
        found = p->context == ctx;
    return found;
}

void mend_facts_revoke(struct mend_facts *f, uint64_t ctx)
{
    struct due *d;

    if (is_proposed(f, ctx))
        return;
    d = new_due(MEND_FACT_REVOKED, 0, 0);
    d->what.context = ctx;
    mend_list_append(&f->revoked, &d->link);
    mend_sources_note(f->with.sources);
}

void mend_facts_presence(struct mend_facts *f, const struct rank *r, enum mend_presence presence)
{
    bool was = r->told == MEND_PRESENCE_LEFT, left = presence == MEND_PRESENCE_LEFT;
    struct due *d;

    mend_post(&f->with.tell->root, &(struct mend_message){.kind = MEND_UP_PRESENCE,
                                                          .rank = r->index,
                                                          .arg = {(int64_t)presence}});
    f->with.ranks->rank[r->index].told = presence;
    if (was == left)
        return;
    d = new_due(left ? MEND_FACT_LEFT : MEND_FACT_BACK, 0, 1);
    d->runs[0] = (struct mend_fact_run){r->index, 1, 0, 0};
    add_locked(f, d);
}

void mend_facts_end(struct mend_facts *f, struct rank *const *r, int n)
{
    struct due *d = new_due(MEND_FACT_ENDED, 0, (uint32_t)n);

    for (int i = 0; i < n; i++) {
        d->runs[i] = (struct mend_fact_run){r[i]->index, 1, 0, 0};
        r[i]->told_ended = true;
    }
    qsort(d->runs, (size_t)n, sizeof(*d->runs), by_name);
    add_locked(f, d);
}

bool mend_facts_pending(struct mend_facts *f)
{
    const uint64_t *words;
    bool due;

    pthread_mutex_lock(&f->with.ranks->lock);
    due = f->due_n > 0;
    for (int i = 0; i < f->with.ranks->n; i++) /* the log may wait for other victims of an abort */
        due |= f->with.ranks->rank[i].told_dead && !mend_rank_is_dead(f->with.ranks, i);
    pthread_mutex_unlock(&f->with.ranks->lock);
    return due || !mend_list_empty(&f->revoked) || mend_log_proposals(f->log, &words);
}

/* ---- entries ---- */

/* An abort that names this process, if that is waited for: one that had left MPI is not. */
static bool hold(struct mend_facts *f, int32_t named)
{
    struct held *h;

    if (mend_ledger_name(mend_log_ledger(f->log), named)->abort < 0)
        return false;
    h = mend_xalloc(1, sizeof(*h));
    h->victim = named;
    h->until = mend_time_monotonic_ns() + HOLD_NS;
    mend_list_append(&f->held, &h->link);
    return true;
}

/* One more than the last name. */
static int32_t end_of(const struct mend_fact *entry)
{
    const struct mend_fact_run *last = &mend_fact_runs(entry)[entry->runs_n - 1];

    return last->first + last->n;
}

/* By one of its victims. */
static void hold_named(struct mend_facts *f, const struct mend_fact *entry)
{
    const struct mend_fact_run *runs = mend_fact_runs(entry);

    for (uint32_t i = 0; i < entry->runs_n; i++)
        for (int32_t k = runs[i].first; k < runs[i].first + runs[i].n; k++)
            if (hold(f, k))
                return;
}

static void apply(struct mend_facts *f, const struct mend_fact *entry)
{
    f->with.apply(f->with.self, entry);
    if (entry->kind == MEND_FACT_ABORT && is_root(f))
        hold_named(f, entry);
    else if (entry->kind == MEND_FACT_NAMES && is_root(f))
        mend_tell_names(f->with.tell, end_of(entry));
}

/* ---- the machine ---- */

static void send_to(struct mend_facts *f, int32_t to, const struct mend_log_msg *msg)
{
    size_t len = mend_log_wire_bytes(msg);
    char *buf = mend_xalloc(1, len);

    mend_log_wire_encode(msg, buf);
    mend_post(&f->with.tell->root,
              &(struct mend_message){
                  .kind = MEND_UP_LOG, .rank = -1, .arg = {to}, .data = buf, .len = (uint32_t)len});
    free(buf);
}

static void step(struct mend_facts *f, const struct mend_log_event *ev)
{
    struct mend_log *log = f->log;
    struct mend_log_act act;
    struct mend_log_msg msg;
    int32_t to;

    mend_log_step(log, ev);
    while (mend_log_next(log, &act))
        if (act.kind == MEND_LOG_APPLY)
            apply(f, act.entry);
        else if (act.kind == MEND_LOG_PASS)
            send_to(f, act.agent, &act.msg);
    while (mend_log_send(log, &to, &msg))
        send_to(f, to, &msg);
}

/* A revocation, or else the oldest.  It stays: only this thread takes one out. */
static struct due *next_due(struct mend_facts *f)
{
    struct mend_list *from = mend_list_empty(&f->revoked) ? &f->due : &f->revoked;
    struct due *d;

    pthread_mutex_lock(&f->with.ranks->lock);
    d = mend_list_empty(from) ? NULL : mend_list_entry(from->next, struct due, link);
    pthread_mutex_unlock(&f->with.ranks->lock);
    return d;
}

static void take_out(struct mend_facts *f, struct due *d)
{
    pthread_mutex_lock(&f->with.ranks->lock);
    mend_list_remove(&d->link);
    f->due_n -= d->what.kind != MEND_FACT_REVOKED;
    pthread_mutex_unlock(&f->with.ranks->lock);
}

/* What a process has revoked is so before its death. */
static void hear_the_dead(struct mend_facts *f, struct due *d)
{
    for (uint32_t i = 0; i < d->what.runs_n; i++)
        f->with.read(f->with.self, &f->with.ranks->rank[d->runs[i].first]);
    d->heard = true;
}

/* The watcher does so, too, but may have lost its core when it woke this thread. */
static void let_survivors_run(struct mend_facts *f, const struct due *d)
{
    for (uint32_t i = 0; i < d->what.runs_n; i++)
        mend_watch_let_survivors_run(f->with.ranks, &f->with.ranks->rank[d->runs[i].first]);
}

static bool is_dead(const struct mend_facts *f, int32_t name)
{
    const struct mend_ledger *l = mend_log_ledger(f->log);

    return mend_ledger_name(l, name)->state == MEND_LEDGER_DEAD;
}

/* An abort of which some victim does not die lets go of the others. */
static mend_time_ns look_at_held(struct mend_facts *f, mend_time_ns now)
{
    mend_time_ns next = MEND_TIME_NEVER;

    mend_list_foreach (l, behind, &f->held) {
        struct held *h = mend_list_entry(l, struct held, link);

        if (is_dead(f, h->victim)) {
            mend_list_remove(&h->link);
            free(h);
            continue;
        }
        if (now >= h->until) {
            h->until = now + HOLD_NS;
            step(f, &(struct mend_log_event){.kind = MEND_LOG_TIMEOUT, .name = h->victim});
        }
        next = h->until < next ? h->until : next;
    }
    return next;
}

mend_time_ns mend_facts_look(struct mend_facts *f, mend_time_ns now)
{
    struct due *d;

    while ((d = next_due(f))) {
        if (d->what.kind == MEND_FACT_DEATHS && !d->heard) {
            hear_the_dead(f, d);
            continue;
        }
        if (!mend_log_has_room(f->log, d->what.runs_n))
            break;
        take_out(f, d);
        step(f,
             &(struct mend_log_event){.kind = MEND_LOG_PROPOSE, .what = d->what, .runs = d->runs});
        if (d->what.kind == MEND_FACT_DEATHS)
            let_survivors_run(f, d);
        free(d);
    }
    return is_root(f) ? look_at_held(f, now) : MEND_TIME_NEVER;
}

void mend_facts_hear(struct mend_facts *f, int32_t from, const void *data, size_t len)
{
    size_t words_n = mend_log_wire_words(len);
    uint64_t *words = mend_xalloc(words_n, sizeof(*words));
    struct mend_log_msg msg;
    if (mend_log_wire_decode(data, len, (int32_t)f->with.ranks->nodes.n, (int32_t)MEND_NODE_NAMES,
                             words, words_n, &msg) == MEND_OK)
        step(f, &(struct mend_log_event){.kind = MEND_LOG_HEARD, .agent = from, .msg = &msg});
    free(words);
}

void mend_facts_lost(struct mend_facts *f, int32_t node)
{
    step(f, &(struct mend_log_event){.kind = MEND_LOG_LOST, .agent = node});
    step(f, &(struct mend_log_event){.kind = MEND_LOG_SETTLED, .agent = node});
    add_locked(f, new_due(MEND_FACT_LOST, node, 0));
}

void mend_facts_name(struct mend_facts *f, int32_t node, int32_t first, int32_t n)
{
    struct due *d = new_due(MEND_FACT_NAMES, node, 1);

    d->runs[0] = (struct mend_fact_run){first, n, 0, 0};
    add_locked(f, d);
}

/* Of the table: processes that are there from the beginning. */
static void name_node(struct mend_facts *f, int32_t node)
{
    const struct mend_ranks *ranks = f->with.ranks;
    struct due *d = new_due(MEND_FACT_NAMES, node, (uint32_t)ranks->n);
    uint32_t runs_n = 0;

    for (int i = 0; i < ranks->n; i++) {
        struct mend_fact_run *last = &d->runs[runs_n ? runs_n - 1 : 0];

        if (ranks->rank[i].node != (uint32_t)node)
            continue;
        if (runs_n && last->first + last->n == i)
            last->n++;
        else
            d->runs[runs_n++] = (struct mend_fact_run){i, 1, 0, 0};
    }
    d->what.runs_n = runs_n;
    if (runs_n)
        add_locked(f, d);
    else
        free(d);
}

static void begin(struct mend_facts *f)
{
    int32_t nodes_n = (int32_t)f->with.ranks->nodes.n;

    for (int32_t k = 1; k < nodes_n; k++)
        step(f, &(struct mend_log_event){.kind = MEND_LOG_EXPECT, .agent = k});
    for (int32_t k = 0; k < nodes_n; k++)
        name_node(f, k);
}

struct mend_facts *mend_facts_open(const struct mend_facts_needs *with)
{
    struct mend_log_config config = {.me = (int32_t)with->ranks->nodes.me,
                                     .root = ROOT,
                                     .agents_n = (int32_t)with->ranks->nodes.n,
                                     .names_n = (int32_t)MEND_NODE_NAMES,
                                     .children_max = with->ranks->nodes.n,
                                     .entries_words = 4 * mend_fact_words(MEND_NODE_NAMES),
                                     .proposals_words =
                                         PROPOSALS_WORDS + mend_fact_words(MEND_NODE_NAMES),
                                     .batch_words = BATCH_WORDS,
                                     .entries_per_ack = 1};
    struct mend_facts *f = mend_xalloc(1, sizeof(*f));

    f->with = *with;
    mend_list_init(&f->due);
    mend_list_init(&f->revoked);
    mend_list_init(&f->held);
    f->log = mend_xalloc(1, mend_log_size(&config));
    mend_log_init(f->log, &config);
    if (is_root(f))
        begin(f);
    return f;
}

void mend_facts_print(struct mend_facts *f)
{
    const struct mend_log *log = f->log;
    char text[256];
    const uint64_t *words;

    mend_log_print(log, text, sizeof(text));
    mend_say(f->with.tell, "mend:   agent of node %u: %s%s", f->with.ranks->nodes.me, text,
             mend_log_entries(log, &words) ? ", keeps entries for others" : "");
    if (!mend_log_ledger(log))
        return;
    mend_ledger_print(mend_log_ledger(log), text, sizeof(text));
    mend_say(f->with.tell, "mend:   ledger: %s", text);
}

void mend_facts_close(struct mend_facts *f)
{
    mend_log_check(f->log);
}

void mend_facts_join(struct mend_facts *f)
{
    if (!is_root(f))
        step(f, &(struct mend_log_event){.kind = MEND_LOG_PARENT, .agent = ROOT});
}
