/* SPDX-License-Identifier: BSD-3-Clause */
/* ledger_sm.c – the rules by which the root agent judges proposals; see ledger_sm.h. */
#include "ft/ledger_sm.h"

#include <string.h>

/* ---- memory ---- */

static struct mend_ledger_agent *agents(const struct mend_ledger *x)
{
    return (struct mend_ledger_agent *)(uintptr_t)x->store;
}

static struct mend_ledger_name *names(const struct mend_ledger *x)
{
    return (struct mend_ledger_name *)(void *)(agents(x) + x->agents_n);
}

size_t mend_ledger_size(int32_t agents_n, int32_t names_n)
{
    size_t bytes = sizeof(struct mend_ledger) +
                   (size_t)agents_n * sizeof(struct mend_ledger_agent) +
                   (size_t)names_n * sizeof(struct mend_ledger_name);

    return (bytes + 7) / 8 * 8;
}

void mend_ledger_init(struct mend_ledger *x, int32_t root, int32_t agents_n, int32_t names_n)
{
    MEND_ASSERT(0 <= root && root < agents_n && names_n >= 0);
    memset(x, 0, mend_ledger_size(agents_n, names_n));
    x->root = root;
    x->agents_n = agents_n;
    x->names_n = names_n;
    for (int32_t a = 0; a < agents_n; a++)
        agents(x)[a].victim = -1;
    for (int32_t p = 0; p < names_n; p++)
        names(x)[p].abort = -1;
}

struct mend_ledger_agent *mend_ledger_agent(const struct mend_ledger *x, int32_t agent)
{
    return 0 <= agent && agent < x->agents_n ? &agents(x)[agent] : NULL;
}

const struct mend_ledger_name *mend_ledger_name(const struct mend_ledger *x, int32_t name)
{
    return &names(x)[name];
}

/* ---- states, aborts, what is due ---- */

/* The only writer of a state. */
static void become(struct mend_ledger *x, int32_t p, enum mend_ledger_state to)
{
    enum {
        L = 1 << MEND_LEDGER_LIVING,
        F = 1 << MEND_LEDGER_LEFT,
        H = 1 << MEND_LEDGER_HELD,
        D = 1 << MEND_LEDGER_DEAD
    };
    static const uint8_t edges[] = {
        [MEND_LEDGER_UNKNOWN] = L, [MEND_LEDGER_LIVING] = F | H | D, [MEND_LEDGER_LEFT] = L | D,
        [MEND_LEDGER_HELD] = D,    [MEND_LEDGER_DEAD] = 0,
    };
    struct mend_ledger_name *q = &names(x)[p];

    MEND_ASSERT(edges[q->state] >> to & 1);
    if (q->abort >= 0 && q->state == MEND_LEDGER_LIVING)
        x->closes |= --names(x)[q->abort].left == 0;
    if (q->abort >= 0 && to != MEND_LEDGER_HELD)
        q->abort = -1;
    q->state = (uint8_t)to;
}

static void mark_due(struct mend_ledger *x, int32_t p)
{
    if (x->first == x->end)
        x->first = x->end = p;
    x->first = p < x->first ? p : x->first;
    x->end = p >= x->end ? p + 1 : x->end;
    names(x)[p].due = true;
}

static void set_due(struct mend_ledger *x, const struct mend_fact *from)
{
    x->has_due = true;
    x->due = *from;
    x->due.before = x->due.known = x->due.left = 0;
}

static void give_cause(struct mend_ledger *x, int32_t p, int32_t cause, int32_t code)
{
    names(x)[p].cause = cause;
    names(x)[p].code = code;
}

/* One that lives or is held belongs to an abort from now on, with all of the one to which it belongs already.  *abort_p: its
 * name, -1 if it has none yet. */
static void join_abort(struct mend_ledger *x, int32_t p, int32_t *abort_p)
{
    struct mend_ledger_name *q = &names(x)[p];
    int32_t before = q->abort;

    if (*abort_p < 0)
        *abort_p = before < 0 ? p : before;
    if (before == *abort_p)
        return;
    if (before < 0) {
        q->abort = *abort_p;
        names(x)[*abort_p].left += q->state == MEND_LEDGER_LIVING;
        return;
    }
    for (int32_t r = 0; r < x->names_n; r++)
        if (names(x)[r].abort == before)
            names(x)[r].abort = *abort_p;
    names(x)[*abort_p].left += names(x)[before].left;
    names(x)[before].left = 0;
}

/* It is dead, with others: held if one of them is the victim of an abort. */
static void die(struct mend_ledger *x, int32_t p, int32_t abort)
{
    if (abort < 0) {
        become(x, p, MEND_LEDGER_DEAD);
        mark_due(x, p);
        return;
    }
    join_abort(x, p, &abort);
    become(x, p, MEND_LEDGER_HELD);
}

/* A lost agent that waited for the entry that has just become due, or was just taken; -1: there is none. */
static int32_t next_waiting(const struct mend_ledger *x)
{
    for (int32_t a = 0; x->waiting_n > 0 && a < x->agents_n; a++)
        if (agents(x)[a].victim >= 0 && names(x)[agents(x)[a].victim].state == MEND_LEDGER_DEAD)
            return a;
    return -1;
}

static void name_lost(struct mend_ledger *x, int32_t agent)
{
    x->due.kind = MEND_FACT_LOST;
    x->due.agent = agent;
    agents(x)[agent].victim = -1;
    x->waiting_n--;
}

/* Those of that abort that are held are due together. */
static void release(struct mend_ledger *x, int32_t abort, int32_t by, uint64_t seq)
{
    struct mend_fact f = {.kind = MEND_FACT_DEATHS, .by = by, .seq = seq};
    int32_t lost;

    for (int32_t p = 0; p < x->names_n; p++)
        if (names(x)[p].state == MEND_LEDGER_HELD && names(x)[p].abort == abort) {
            become(x, p, MEND_LEDGER_DEAD);
            mark_due(x, p);
        }
    if (x->first == x->end)
        return;
    set_due(x, &f);
    lost = next_waiting(x);
    if (lost >= 0)
        name_lost(x, lost);
}

/* What else is due: the other lost agents, an abort that is complete. */
static void look_for_more(struct mend_ledger *x, int32_t by, uint64_t seq)
{
    struct mend_fact f = {.by = by, .seq = seq};
    int32_t lost = next_waiting(x);

    if (lost >= 0) {
        set_due(x, &f);
        name_lost(x, lost);
    }
    for (int32_t p = 0; !x->has_due && x->closes && p < x->names_n; p++)
        if (names(x)[p].state == MEND_LEDGER_HELD && names(x)[names(x)[p].abort].left == 0)
            release(x, names(x)[p].abort, by, seq);
    x->closes &= x->has_due;
}

/* ---- proposals ---- */

/* Calls f for each process of the fact. */
#define FOR_EACH_NAME(fact_, run_, name_)                                                          \
    for (const struct mend_fact_run *run_ = mend_fact_runs(fact_);                                 \
         run_ < mend_fact_runs(fact_) + (fact_)->runs_n; run_++)                                   \
        for (int32_t name_ = run_->first; name_ < run_->first + run_->n; name_++)

static bool on_names(struct mend_ledger *x, const struct mend_fact *f)
{
    const struct mend_ledger_agent *agent = mend_ledger_agent(x, f->agent);

    if (!agent || agent->lost)
        return false;
    FOR_EACH_NAME(f, run, p)
    {
        if (names(x)[p].state != MEND_LEDGER_UNKNOWN)
            continue;
        names(x)[p].agent = f->agent;
        become(x, p, MEND_LEDGER_LIVING);
        mark_due(x, p);
    }
    return x->first < x->end;
}

static enum mend_ledger_answer on_deaths(struct mend_ledger *x, const struct mend_fact *f)
{
    int32_t abort = -1;
    bool any = false;

    FOR_EACH_NAME(f, run, p)
    {
        if (names(x)[p].state != MEND_LEDGER_LIVING)
            continue;
        any = true;
        if (names(x)[p].abort >= 0)
            join_abort(x, p, &abort);
    }
    FOR_EACH_NAME(f, run, p)
    {
        if (names(x)[p].state != MEND_LEDGER_LIVING)
            continue;
        give_cause(x, p, run->cause, run->code);
        die(x, p, abort);
    }
    if (any && abort < 0)
        set_due(x, f);
    return any ? MEND_LEDGER_KEPT : MEND_LEDGER_VOID;
}

/* The abort to which processes of the agent belong; -1: none. */
static int32_t abort_of_agent(struct mend_ledger *x, int32_t agent)
{
    int32_t abort = -1;

    for (int32_t p = 0; p < x->names_n; p++)
        if (names(x)[p].agent == agent && names(x)[p].abort >= 0)
            join_abort(x, p, &abort);
    return abort;
}

static enum mend_ledger_answer on_lost(struct mend_ledger *x, const struct mend_fact *f)
{
    struct mend_ledger_agent *agent = mend_ledger_agent(x, f->agent);
    int32_t abort;

    if (!agent || agent->lost || f->agent == x->root)
        return agent && agent->victim >= 0 ? MEND_LEDGER_KEPT : MEND_LEDGER_VOID;
    agent->lost = true;
    abort = abort_of_agent(x, f->agent);
    for (int32_t p = 0; p < x->names_n; p++) {
        if (names(x)[p].agent != f->agent)
            continue;
        if (names(x)[p].state == MEND_LEDGER_LIVING) {
            give_cause(x, p, MEND_VERDICT_LOST, 0);
            die(x, p, abort);
        }
        if (names(x)[p].state == MEND_LEDGER_HELD)
            agent->victim = p;
    }
    x->waiting_n += agent->victim >= 0;
    if (agent->victim < 0)
        set_due(x, f);
    return MEND_LEDGER_KEPT;
}

static bool on_abort(struct mend_ledger *x, const struct mend_fact *f)
{
    int32_t abort = -1;

    FOR_EACH_NAME(f, run, p)
    {
        uint8_t state = names(x)[p].state;

        if (state == MEND_LEDGER_LIVING || state == MEND_LEDGER_HELD)
            join_abort(x, p, &abort);
        if (state == MEND_LEDGER_LIVING || state == MEND_LEDGER_LEFT) {
            give_cause(x, p, run->cause, run->code);
            mark_due(x, p);
        }
    }
    return x->first < x->end;
}

static bool on_cause(struct mend_ledger *x, const struct mend_fact *f)
{
    FOR_EACH_NAME(f, run, p)
    {
        uint8_t state = names(x)[p].state;

        if (state == MEND_LEDGER_DEAD || state == MEND_LEDGER_HELD)
            give_cause(x, p, run->cause, run->code);
        if (state == MEND_LEDGER_DEAD)
            mark_due(x, p);
    }
    return x->first < x->end;
}

/* All that are in one state go to another. */
static bool on_move(struct mend_ledger *x, const struct mend_fact *f, enum mend_ledger_state from,
                    enum mend_ledger_state to)
{
    FOR_EACH_NAME(f, run, p)
    {
        if (names(x)[p].state != from)
            continue;
        become(x, p, to);
        mark_due(x, p);
    }
    return x->first < x->end;
}

static enum mend_ledger_answer on_proposal(struct mend_ledger *x, const struct mend_fact *f)
{
    bool due = false;

    switch (f->kind) {
    case MEND_FACT_DEATHS:
        return on_deaths(x, f);
    case MEND_FACT_LOST:
        return on_lost(x, f);
    case MEND_FACT_NAMES:
        due = on_names(x, f);
        break;
    case MEND_FACT_ABORT:
        due = on_abort(x, f);
        break;
    case MEND_FACT_CAUSE:
        due = on_cause(x, f);
        break;
    case MEND_FACT_LEFT:
        due = on_move(x, f, MEND_LEDGER_LIVING, MEND_LEDGER_LEFT);
        break;
    case MEND_FACT_BACK:
        due = on_move(x, f, MEND_LEDGER_LEFT, MEND_LEDGER_LIVING);
        break;
    case MEND_FACT_ENDED:
        due = on_move(x, f, MEND_LEDGER_LEFT, MEND_LEDGER_DEAD);
        break;
    default:
        due = f->kind == MEND_FACT_REVOKED;
        break;
    }
    if (due)
        set_due(x, f);
    return MEND_LEDGER_VOID;
}

enum mend_ledger_answer mend_ledger_step(struct mend_ledger *x, const struct mend_ledger_event *ev)
{
    enum mend_ledger_answer answer = MEND_LEDGER_KEPT;

    MEND_ASSERT(!x->has_due);
    if (ev->kind == MEND_LEDGER_PROPOSED) {
        answer = on_proposal(x, ev->fact);
        if (!x->has_due)
            look_for_more(x, ev->fact->by, ev->fact->seq);
    } else if (0 <= ev->name && ev->name < x->names_n && names(x)[ev->name].abort >= 0) {
        release(x, names(x)[ev->name].abort, x->root, 0);
    }
    return x->has_due ? MEND_LEDGER_ENTRY : answer;
}

/* ---- entries ---- */

/* The run of processes that are due from p on, all for the same reason; n is 0: there is none. */
static struct mend_fact_run next_run(const struct mend_ledger *x, int32_t p)
{
    struct mend_fact_run run = {0};
    const struct mend_ledger_name *q = &names(x)[p];

    while (p < x->end && !q->due) {
        p++;
        q++;
    }
    if (p >= x->end)
        return run;
    run = (struct mend_fact_run){.first = p, .cause = q->cause, .code = q->code};
    while (p + run.n < x->end && q[run.n].due && q[run.n].cause == run.cause &&
           q[run.n].code == run.code)
        run.n++;
    return run;
}

bool mend_ledger_due(const struct mend_ledger *x, uint32_t *runs_n_p)
{
    struct mend_fact_run run;

    *runs_n_p = 0;
    if (!x->has_due)
        return false;
    for (int32_t p = x->first; (run = next_run(x, p)).n > 0; p = run.first + run.n)
        ++*runs_n_p;
    return true;
}

void mend_ledger_take(struct mend_ledger *x, struct mend_fact *f)
{
    struct mend_fact_run *to = mend_fact_runs(f), run;

    MEND_ASSERT(x->has_due);
    for (int32_t p = x->first; (run = next_run(x, p)).n > 0; p = run.first + run.n)
        *to++ = run;
    x->due.runs_n = (uint32_t)(to - mend_fact_runs(f));
    MEND_ASSERT(f->runs_n == x->due.runs_n);
    *f = x->due;
    for (int32_t p = x->first; p < x->end; p++)
        names(x)[p].due = false;
    x->first = x->end = 0;
    x->has_due = false;
    look_for_more(x, x->root, 0);
}

void mend_ledger_check(const struct mend_ledger *x)
{
    int32_t living = 0, waiting = 0;

    for (int32_t p = 0; p < x->names_n; p++) {
        const struct mend_ledger_name *q = &names(x)[p];

        MEND_ASSERT(!q->due || (x->has_due && x->first <= p && p < x->end));
        MEND_ASSERT(q->state != MEND_LEDGER_HELD ||
                    (q->abort >= 0 && (x->has_due || names(x)[q->abort].left > 0)));
        MEND_ASSERT(q->state != MEND_LEDGER_LIVING || !agents(x)[q->agent].lost);
        living += (q->state == MEND_LEDGER_LIVING && q->abort >= 0) - q->left;
        MEND_ASSERT(q->left >= 0 && (q->state != MEND_LEDGER_DEAD || q->abort < 0));
    }
    for (int32_t a = 0; a < x->agents_n; a++)
        waiting += agents(x)[a].victim >= 0;
    MEND_ASSERT(living == 0 && waiting == x->waiting_n);
}
