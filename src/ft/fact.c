/* SPDX-License-Identifier: BSD-3-Clause */
/* fact.c – facts and queues of them; see fact.h. */
#include "ft/fact.h"

#include <string.h>

/* ---- facts ---- */

bool mend_fact_has_runs(uint32_t kind)
{
    return kind != MEND_FACT_NOTHING && kind != MEND_FACT_REVOKED;
}

bool mend_fact_has_context(uint32_t kind)
{
    return kind == MEND_FACT_REVOKED;
}

bool mend_fact_has_agent(uint32_t kind)
{
    return kind == MEND_FACT_NAMES || kind == MEND_FACT_LOST;
}

static bool runs_are_sound(const struct mend_fact *f, int32_t names_n)
{
    int64_t end = 0;

    for (uint32_t i = 0; i < f->runs_n; i++) {
        const struct mend_fact_run *r = &mend_fact_runs(f)[i];

        if (r->first < end || r->n < 1 || (int64_t)r->first + r->n > names_n || r->cause < 0 ||
            r->cause >= MEND_VERDICT_CAUSES)
            return false;
        end = (int64_t)r->first + r->n;
    }
    return true;
}

bool mend_fact_is_sound(const struct mend_fact *f, int32_t names_n)
{
    return f->kind < MEND_FACT_KINDS && f->by >= 0 && f->agent >= 0 &&
           (mend_fact_has_agent(f->kind) || f->agent == 0) &&
           (mend_fact_has_context(f->kind) || f->context == 0) &&
           (mend_fact_has_runs(f->kind) ? f->runs_n > 0 || f->kind == MEND_FACT_LOST
                                        : f->runs_n == 0) &&
           runs_are_sound(f, names_n);
}

/* Its processes need not be named any more when they are dead. */
static bool is_over_with_deaths(uint32_t kind)
{
    return kind == MEND_FACT_DEATHS || kind == MEND_FACT_ABORT || kind == MEND_FACT_LEFT ||
           kind == MEND_FACT_BACK || kind == MEND_FACT_ENDED;
}

uint64_t mend_fact_weight(const struct mend_fact *proposal)
{
    uint64_t n = 0;

    if (!is_over_with_deaths(proposal->kind))
        return 1;
    for (uint32_t i = 0; i < proposal->runs_n; i++)
        n += (uint64_t)mend_fact_runs(proposal)[i].n;
    return n;
}

/* How many processes are in both. */
static uint64_t overlap(const struct mend_fact *a, const struct mend_fact *b)
{
    uint64_t n = 0;

    for (uint32_t i = 0, k = 0; i < a->runs_n && k < b->runs_n;) {
        const struct mend_fact_run *p = &mend_fact_runs(a)[i], *q = &mend_fact_runs(b)[k];
        int32_t first = p->first > q->first ? p->first : q->first;
        int32_t p_end = p->first + p->n, q_end = q->first + q->n;
        int32_t end = p_end < q_end ? p_end : q_end;

        n += end > first ? (uint64_t)(end - first) : 0;
        i += p_end == end;
        k += q_end == end;
    }
    return n;
}

uint64_t mend_fact_covers(const struct mend_fact *entry, const struct mend_fact *proposal)
{
    bool dead = entry->kind == MEND_FACT_DEATHS || entry->kind == MEND_FACT_LOST;

    if (dead && is_over_with_deaths(proposal->kind))
        return overlap(entry, proposal);
    if (entry->kind == MEND_FACT_LOST)
        return mend_fact_has_agent(proposal->kind) && proposal->agent == entry->agent;
    return entry->kind == MEND_FACT_REVOKED && proposal->kind == MEND_FACT_REVOKED &&
           proposal->context == entry->context;
}

/* ---- queues ---- */

static struct mend_fact *at(const uint64_t *words, uint32_t word)
{
    return (struct mend_fact *)(uintptr_t)(words + word);
}

struct mend_fact *mend_fact_reserve(struct mend_fact_queue *q, uint64_t *words, uint32_t runs_n)
{
    uint32_t need = mend_fact_words(runs_n), used = mend_fact_used(q);
    struct mend_fact *f;

    if (need > q->room - used)
        return NULL;
    if (need > q->room - q->end) {
        memmove(words, words + q->begin, used * sizeof(*words));
        q->begin = 0;
        q->end = used;
    }
    f = at(words, q->end);
    memset(f, 0, need * sizeof(*words));
    f->runs_n = runs_n;
    q->end += need;
    q->facts_n++;
    return f;
}

struct mend_fact *mend_fact_push(struct mend_fact_queue *q, uint64_t *words,
                                 const struct mend_fact *f)
{
    struct mend_fact *place = mend_fact_reserve(q, words, f->runs_n);

    if (place)
        memcpy(place, f, mend_fact_words(f->runs_n) * sizeof(*words));
    return place;
}

struct mend_fact *mend_fact_first(const struct mend_fact_queue *q, const uint64_t *words)
{
    return q->begin == q->end ? NULL : at(words, q->begin);
}

struct mend_fact *mend_fact_next(const struct mend_fact_queue *q, const uint64_t *words,
                                 const struct mend_fact *f)
{
    struct mend_fact *next = mend_fact_behind(f);

    return next == at(words, q->end) ? NULL : next;
}

struct mend_fact *mend_fact_remove(struct mend_fact_queue *q, uint64_t *words, struct mend_fact *f)
{
    uint32_t size = mend_fact_words(f->runs_n);
    char *next = (char *)mend_fact_behind(f);

    q->facts_n--;
    if (f == at(words, q->begin)) {
        q->begin += size;
        return mend_fact_first(q, words);
    }
    memmove(f, next, (size_t)((char *)at(words, q->end) - next));
    q->end -= size;
    return f == at(words, q->end) ? NULL : f;
}
