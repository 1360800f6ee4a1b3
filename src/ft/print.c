/* SPDX-License-Identifier: BSD-3-Clause */
/* print.c – the machines and their messages in one line each, for traces and reports.
 *
 * Apart from the machines, because these functions call snprintf. */
#include "ft/agree_sm.h"
#include "ft/birth_sm.h"
#include "ft/contact_sm.h"
#include "ft/detector_sm.h"
#include "ft/lease_sm.h"
#include "ft/ledger_sm.h"
#include "ft/lineage_sm.h"
#include "ft/log_sm.h"
#include "ft/refill_sm.h"
#include "ft/starter_sm.h"
#include "ft/visit_sm.h"

#include <stdio.h>

/* A line that grows; knows the length it would have had. */
struct line {
    char *buf;
    size_t size;
    int len;
};

#define ADD(line_, ...)                                                                            \
    do {                                                                                           \
        size_t at_ = (size_t)(line_)->len < (line_)->size ? (size_t)(line_)->len : (line_)->size;  \
        (line_)->len += snprintf((line_)->buf + at_, (line_)->size - at_, __VA_ARGS__);            \
    } while (0)

static void add_set(struct line *l, const char *name, const uint64_t *set, int32_t words)
{
    const char *sep = "";

    ADD(l, " %s {", name);
    for (int32_t i = 0; i < 64 * words; i++)
        if (mend_bits_test(set, i)) {
            ADD(l, "%s%d", sep, (int)i);
            sep = ",";
        }
    ADD(l, "}");
}

static void add_value(struct line *l, const struct mend_agree_value *v, int32_t words)
{
    for (int w = 0; w < MEND_AGREE_WORDS; w++)
        if (v->and_word[w] != UINT64_MAX)
            ADD(l, " and%d=%llx", w, (unsigned long long)v->and_word[w]);
    for (int w = 0; w < MEND_AGREE_WORDS; w++)
        if (v->max_word[w])
            ADD(l, " max%d=%llx", w, (unsigned long long)v->max_word[w]);
    if (v->nfailed && words)
        add_set(l, "failed", v->failed, words);
    else if (v->nfailed)
        ADD(l, " failed %d", (int)v->nfailed);
}

int mend_agree_msg_print(const struct mend_agree_msg *msg, char *buf, size_t size)
{
    static const char *const kinds[] = {"NONE", "UP", "DOWN", "REQUEST", "GONE"};
    struct line l = {buf, size, 0};

    ADD(&l, "%s #%llu", kinds[msg->kind], (unsigned long long)msg->seq);
    if (msg->kind != MEND_AGREE_GONE)
        ADD(&l, " ballot %d", (int)msg->ballot);
    if (msg->accepted >= 0)
        ADD(&l, " decided at %d", (int)msg->accepted);
    if (msg->kind == MEND_AGREE_UP || msg->kind == MEND_AGREE_DOWN)
        add_value(&l, &msg->value, 0);
    return l.len;
}

int mend_agree_print(const struct mend_agree *x, char *buf, size_t size)
{
    static const char *const states[] = {"free",    "early",  "gather", "sent",
                                         "decided", "reopen", "resent"};
    struct line l = {buf, size, 0};

    ADD(&l, "agree %d/%d root %d parent %d next #%llu", (int)x->tree.me, (int)x->tree.n,
        (int)x->root, (int)x->parent, (unsigned long long)x->next);
    if (x->ndead)
        add_set(&l, "dead", mend_agree_dead(x), (int32_t)x->words);
    if (x->excluded)
        ADD(&l, " excluded");
    for (unsigned i = 0; i < x->nslots; i++) {
        const struct mend_agree_slot *s = mend_agree_slot(x, i);

        if (s->state == MEND_AGREE_FREE)
            continue;
        ADD(&l, " | #%llu %s", (unsigned long long)s->seq, states[s->state]);
        if (s->accepted >= 0)
            ADD(&l, "@%d", (int)s->accepted);
        if (s->nheard)
            add_set(&l, "heard", mend_agree_heard(x, i), (int32_t)x->words);
    }
    return l.len;
}

int mend_detector_print(const struct mend_detector *x, char *buf, size_t size)
{
    static const char *const states[] = {"running",   "suspected", "killing", "held",
                                         "finalized", "lingering", "dead",    "ended"};
    struct line l = {buf, size, 0};

    ADD(&l, "detector %d processes:", (int)x->n);
    for (int32_t p = 0; p < x->n; p++)
        ADD(&l, " %s", states[x->peer[p].state]);
    return l.len;
}

int mend_birth_print(const struct mend_birth *x, char *buf, size_t size)
{
    static const char *const roles[] = {"root", "parent", "first", "child"};
    static const char *const acts[] = {"ask", "name", "tell", "bridge", "meet", "leave", "end"};

    return snprintf(buf, size, "%s %s error %d result %d", roles[x->role], acts[x->act],
                    (int)x->error, (int)x->result);
}

int mend_refill_print(const struct mend_refill *x, char *buf, size_t size)
{
    static const char *const acts[] = {"shrink", "join", "seat", "settle", "end"};

    return snprintf(buf, size, "%s %s result %d", x->newcomer ? "newcomer" : "survivor",
                    acts[x->act], (int)x->result);
}

int mend_starter_print(const struct mend_starter *x, char *buf, size_t size)
{
    static const char *const acts[] = {"count", "hold",     "find",   "admit",
                                       "start", "withdraw", "answer", "end"};
    static const char *const answers[] = {"nothing", "started", "failed", "full"};

    return snprintf(buf, size, "agent %s, %d of %d started, says %s", acts[x->act],
                    (int)x->started_n, (int)x->total_n, answers[x->answer]);
}

int mend_visit_print(const struct mend_visit *x, char *buf, size_t size)
{
    static const char *const states[] = {"journey", "waits", "listens", "awaits", "meet", "end"};
    static const char *const whys[] = {"", " refused", " late", " lost", " own", " theirs"};

    return snprintf(buf, size, "%s %s %d%s error %d", x->host ? "host" : "guest", states[x->state],
                    (int)x->other, whys[x->why], (int)x->error);
}

int mend_contact_print(const struct mend_contact *x, char *buf, size_t size)
{
    static const char *const states[] = {"calls", "called", "open", "lost", "over", "closed"};
    static const char *const stages[] = {"seeks", "dials", "rests", "sent", "given up"};
    const struct mend_contact_link *links = mend_contact_links(x);
    const struct mend_contact_ask *asks = mend_contact_asks(x);
    struct line l = {buf, size, 0};

    ADD(&l, "job %d number %d", (int)x->job, (int)x->number);
    for (uint32_t i = 0; i < x->links_n; i++)
        ADD(&l, ", %s %d%s", states[links[i].state], (int)links[i].other,
            links[i].proved ? " proved" : "");
    for (uint32_t i = 0; i < x->asks_n; i++)
        ADD(&l, ", %d %s %d", (int)asks[i].rank, stages[asks[i].stage], (int)asks[i].job);
    return l.len;
}

int mend_ledger_print(const struct mend_ledger *x, char *buf, size_t size)
{
    static const char *const states[] = {"", "living", "left", "held", "dead"};
    struct line l = {buf, size, 0};

    ADD(&l, "ledger of agent %d%s:", (int)x->root, x->has_due ? ", an entry is due" : "");
    for (int32_t p = 0; p < x->names_n; p++) {
        const struct mend_ledger_name *q = mend_ledger_name(x, p);

        if (q->state == MEND_LEDGER_UNKNOWN)
            continue;
        ADD(&l, " %d %s at %d", (int)p, states[q->state], (int)q->agent);
        if (q->abort >= 0)
            ADD(&l, " in abort %d", (int)q->abort);
    }
    return l.len;
}

int mend_log_print(const struct mend_log *x, char *buf, size_t size)
{
    struct line l = {buf, size, 0};

    ADD(&l,
        "log of agent %d parent %d: %llu entries, %u kept, %u words; all have %llu; proposes %u",
        (int)x->config.me, (int)x->parent, (unsigned long long)x->have, x->entries.facts_n,
        mend_fact_used(&x->entries), (unsigned long long)x->min, x->proposals.facts_n);
    ADD(&l, "%s%s", x->thirsty ? ", lacks room" : "", x->ended ? ", is lost" : "");
    return l.len;
}

int mend_lease_msg_print(const struct mend_lease_msg *msg, char *buf, size_t size)
{
    static const char *const words[] = {"nothing", "BEAT", "GRANT", "REFUSE"};
    struct line l = {buf, size, 0};

    ADD(&l, "%s %llu of %d, life %u turn %u", words[msg->word], (unsigned long long)msg->number,
        (int)msg->node, msg->turn.incarnation, msg->turn.turn);
    if (msg->word == MEND_LEASE_GRANT)
        ADD(&l, ": %llu", (unsigned long long)msg->d_ns);
    return l.len;
}

int mend_lease_print(const struct mend_lease *x, char *buf, size_t size)
{
    static const char *const states[] = {"none", "held", "over"};
    struct line l = {buf, size, 0};

    ADD(&l, "lease %s", states[x->state]);
    if (x->state == MEND_LEASE_HELD)
        ADD(&l, " until %llu", (unsigned long long)x->until);
    ADD(&l, ", %s %d, life %u turn %u, %llu beats", x->linked ? "linked to" : "without a link to",
        (int)x->parent, x->turn.incarnation, x->turn.turn, (unsigned long long)x->number);
    return l.len;
}

int mend_lease_child_print(const struct mend_lease_child *x, char *buf, size_t size)
{
    static const char *const states[] = {"absent", "expected", "held", "reported", "declared"};
    struct line l = {buf, size, 0};

    ADD(&l, "child %d %s, life %u turn %u", (int)x->node, states[x->state], x->turn.incarnation,
        x->turn.turn);
    if (x->state == MEND_LEASE_CHILD_HELD)
        ADD(&l, ", lost at %llu", (unsigned long long)x->lost_at);
    if (x->asked.turn)
        ADD(&l, ", asked about life %u turn %u", x->asked.incarnation, x->asked.turn);
    return l.len;
}

int mend_lineage_print(const struct mend_lineage *x, char *buf, size_t size)
{
    struct line l = {buf, size, 0};

    ADD(&l, "lineage");
    for (int32_t i = 1; i < x->n; i++) {
        const struct mend_lineage_node *q = &x->node[i];

        ADD(&l, " %d:%s%d by %d turn %u", (int)i,
            q->declared     ? "lost, "
            : q->orphan_end ? "orphan, "
                            : "",
            (int)q->turn.incarnation, (int)q->parent, q->turn.turn);
    }
    return l.len;
}
