/* SPDX-License-Identifier: BSD-3-Clause */
/* match.c – logs of two processes, compared; and the set of processes that a roll-back reaches.  See match.h. */
#include "match.h"

#include <stdlib.h>
#include <string.h>

bool rollback_log_add(struct rollback_log *log, const struct rollback_entry *e)
{
    if (log->n == log->room) {
        size_t room = log->room ? 2 * log->room : 256;
        struct rollback_entry *bigger = realloc(log->e, room * sizeof(*bigger));

        if (!bigger)
            return false;
        log->e = bigger;
        log->room = room;
    }
    log->e[log->n++] = *e;
    return true;
}

void rollback_log_free(struct rollback_log *log)
{
    free(log->e);
    *log = (struct rollback_log){0};
}

bool rollback_log_part(const struct rollback_log *log, int peer,
                       bool (*shared)(uint64_t comm, int peer, void *arg), void *arg,
                       struct rollback_log *part)
{
    for (size_t i = 0; i < log->n; i++) {
        const struct rollback_entry *e = &log->e[i];
        bool sent = e->kind == ROLLBACK_SEND && e->peer == peer;

        if (!sent && !(e->kind == ROLLBACK_COLL && shared(e->comm, peer, arg)))
            continue;
        if (!rollback_log_add(part, e))
            return false;
    }
    return true;
}

/* One operation in the comparison: those of one channel stand together, in the order of their log. */
struct item {
    uint64_t comm;
    int32_t tag;
    bool coll;
    size_t at; /* place in its log */
};

static int by_channel(const void *a_, const void *b_)
{
    const struct item *a = a_, *b = b_;

    if (a->coll != b->coll)
        return a->coll ? 1 : -1;
    if (a->comm != b->comm)
        return a->comm < b->comm ? -1 : 1;
    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static bool same_channel(const struct item *a, const struct item *b)
{
    return a->coll == b->coll && a->comm == b->comm && a->tag == b->tag;
}

/* The collectives, and the messages of one kind with one peer, by channel. */
static size_t sorted(const struct rollback_log *log, enum rollback_kind kind, int peer,
                     struct item *items)
{
    size_t n = 0;

    for (size_t i = 0; i < log->n; i++) {
        const struct rollback_entry *e = &log->e[i];
        bool coll = e->kind == ROLLBACK_COLL;

        if (coll || (e->kind == (int)kind && e->peer == peer))
            items[n++] = (struct item){e->comm, coll ? 0 : e->tag, coll, i};
    }
    if (n)
        qsort(items, n, sizeof(*items), by_channel);
    return n;
}

static bool same_operation(const struct rollback_entry *a, const struct rollback_entry *b)
{
    return a->kind != ROLLBACK_COLL || (a->op == b->op && a->peer == b->peer);
}

static int by_place(const void *a_, const void *b_)
{
    const struct item *a = a_, *b = b_;

    return a->at < b->at ? -1 : a->at > b->at;
}

/* Merges the two sorted lists: what is in both is dropped; the rest of theirs moves to the front of theirs. */
static enum rollback_verdict subtract(const struct rollback_log *mine, const struct item *m,
                                      size_t m_n, const struct rollback_log *theirs, struct item *t,
                                      size_t t_n, size_t *rest_n)
{
    size_t i = 0, rest = 0;

    for (size_t j = 0; j < t_n; j++) {
        while (i < m_n && !same_channel(&m[i], &t[j]) && by_channel(&m[i], &t[j]) < 0) {
            if (!m[i].coll)
                return ROLLBACK_CROSSED;
            i++; /* I am ahead: the partner will find out */
        }
        if (i < m_n && same_channel(&m[i], &t[j])) {
            if (!same_operation(&mine->e[m[i].at], &theirs->e[t[j].at]))
                return ROLLBACK_DIFFERENT;
            i++;
        } else {
            t[rest++] = t[j];
        }
    }
    for (; i < m_n; i++)
        if (!m[i].coll)
            return ROLLBACK_CROSSED;
    *rest_n = rest;
    return ROLLBACK_MATCHED;
}

/* Appends what the partner did and I did not, all or nothing. */
static enum rollback_verdict append(struct rollback_log *mine, const struct rollback_log *theirs,
                                    int peer, struct item *rest, size_t n)
{
    size_t before = mine->n;

    if (n)
        qsort(rest, n, sizeof(*rest), by_place);
    for (size_t i = 0; i < n; i++) {
        struct rollback_entry e = theirs->e[rest[i].at];

        if (e.kind == ROLLBACK_SEND) {
            e.kind = ROLLBACK_RECV;
            e.peer = peer;
        }
        if (!rollback_log_add(mine, &e)) {
            mine->n = before;
            return ROLLBACK_NO_MEMORY;
        }
    }
    return ROLLBACK_MATCHED;
}

enum rollback_verdict rollback_match(struct rollback_log *mine, int me,
                                     const struct rollback_log *theirs, int peer)
{
    struct item *m = malloc((mine->n + 1) * sizeof(*m)), *t = malloc((theirs->n + 1) * sizeof(*t));
    enum rollback_verdict verdict = ROLLBACK_NO_MEMORY;
    size_t rest_n = 0;

    if (m && t) {
        size_t m_n = sorted(mine, ROLLBACK_RECV, peer, m),
               t_n = sorted(theirs, ROLLBACK_SEND, me, t);

        verdict = subtract(mine, m, m_n, theirs, t, t_n, &rest_n);
        if (verdict == ROLLBACK_MATCHED)
            verdict = append(mine, theirs, peer, t, rest_n);
    }
    free(m);
    free(t);
    return verdict;
}

int rollback_spread_next(const unsigned char *reached, unsigned char *asked, int n)
{
    for (int i = 0; i < n; i++) {
        if (reached[i] && !asked[i]) {
            asked[i] = 1;
            return i;
        }
    }
    return -1;
}

void rollback_spread_add(unsigned char *reached, const unsigned char *row, int n)
{
    for (int i = 0; i < n; i++)
        reached[i] |= row[i] != 0;
}
