/* SPDX-License-Identifier: BSD-3-Clause */
/* given.c – see given.h.
 *
 *   magic 4 | version 2 | hosts, blocks, runs of ranks, texts, variables 4 each | seed 4 | rows, columns 2 each
 *   a host: slots, mentions, slots_max 4 each | flags 1 | name, user     a block: ranks 4
 *   a run: ranks 4, node 4                                               a text, a variable: name, text
 *
 * A string is its length, 4 bytes, and its bytes; a host has no name, or no user, if it is empty.  The numbers of ranks in blocks and
 * in runs have one sum. */
#include "command/given.h"

#include "base/bytes.h"
#include "command/options.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC   0x4e56474du /* "MGVN" */
#define VERSION 4

enum { FLAG_HERE = 1, FLAG_LISTED = 2, FLAG_SPARE = 4, FLAGS = 7 };

/* ---- writing ---- */

/* Bytes; with at NULL they are only counted. */
struct writer {
    uint8_t *at;
    size_t len;
};

static void put(struct writer *w, uint64_t v, int n)
{
    if (w->at)
        mend_bytes_put(w->at + w->len, v, n);
    w->len += (size_t)n;
}

static void put_text(struct writer *w, const char *text)
{
    size_t len = text ? strlen(text) : 0;

    put(w, len, 4);
    if (w->at && len)
        memcpy(w->at + w->len, text, len);
    w->len += len;
}

static void put_host(struct writer *w, const struct mend_host *x)
{
    put(w, (uint64_t)x->slots, 4);
    put(w, (uint64_t)x->mentions, 4);
    put(w, (uint64_t)x->slots_max, 4);
    put(w, (x->here ? FLAG_HERE : 0) | (x->listed ? FLAG_LISTED : 0) | (x->spare ? FLAG_SPARE : 0),
        1);
    put_text(w, x->name);
    put_text(w, x->user);
}

/* The rank behind those that are on the node of rank i, one behind the other. */
static int end_of_run(const struct mend_options *o, int i)
{
    int end = i;

    while (end < o->ranks_n && o->node_of[end] == o->node_of[i])
        end++;
    return end;
}

static int count_runs(const struct mend_options *o)
{
    int n = 0;

    for (int i = 0; i < o->ranks_n; i = end_of_run(o, i))
        n++;
    return n;
}

static void put_texts(struct writer *w, const struct mend_texts *t)
{
    for (int i = 0; i < t->n; i++) {
        put_text(w, t->at[i].name);
        put_text(w, t->at[i].text);
    }
}

static void put_all(struct writer *w, const struct mend_options *o)
{
    put(w, MAGIC, 4);
    put(w, VERSION, 2);
    put(w, (uint64_t)o->hosts.n, 4);
    put(w, (uint64_t)o->apps_n, 4);
    put(w, (uint64_t)count_runs(o), 4);
    put(w, (uint64_t)o->texts.n, 4);
    put(w, (uint64_t)o->variables.n, 4);
    put(w, (uint64_t)o->seed, 4);
    put(w, (uint64_t)o->rows, 2);
    put(w, (uint64_t)o->columns, 2);
    for (int k = 0; k < o->hosts.n; k++)
        put_host(w, &o->hosts.at[k]);
    for (int i = 0; i < o->apps_n; i++)
        put(w, (uint64_t)o->apps[i].ranks_n, 4);
    for (int i = 0, end; i < o->ranks_n; i = end) {
        end = end_of_run(o, i);
        put(w, (uint64_t)(end - i), 4);
        put(w, (uint64_t)o->node_of[i], 4);
    }
    put_texts(w, &o->texts);
    put_texts(w, &o->variables);
}

struct mend_given_bytes mend_given_encode(const struct mend_options *o)
{
    struct writer w = {0};

    put_all(&w, o);
    w.at = mend_xalloc(w.len, 1);
    w.len = 0;
    put_all(&w, o);
    return (struct mend_given_bytes){w.at, w.len};
}

/* ---- reading ---- */

/* At most `most`, else it is bad. */
static int get(struct mend_bytes *r, int n, int most)
{
    uint64_t v = mend_bytes_next(r, n);

    r->bad |= v > (uint64_t)most;
    return r->bad ? 0 : (int)v;
}

/* There are so many bytes. */
static bool has(struct mend_bytes *r, int n, size_t bytes)
{
    r->bad |= (size_t)n * bytes > (size_t)(r->end - r->at);
    return !r->bad;
}

/* NULL: it is bad. */
static char *get_text(struct mend_bytes *r)
{
    size_t len = (size_t)mend_bytes_next(r, 4);
    char *text;

    if (r->bad || len > (size_t)(r->end - r->at) || memchr(r->at, 0, len)) {
        r->bad = true;
        return NULL;
    }
    text = mend_xalloc(len + 1, 1);
    memcpy(text, r->at, len);
    r->at += len;
    return text;
}

/* NULL: it is empty. */
static char *get_name(struct mend_bytes *r)
{
    char *text = get_text(r);

    if (text && !*text) {
        free(text);
        return NULL;
    }
    return text;
}

static void get_host(struct mend_bytes *r, struct mend_host *x)
{
    int flags;

    x->slots = get(r, 4, MEND_RANKS_MAX);
    x->mentions = get(r, 4, MEND_RANKS_MAX);
    x->slots_max = get(r, 4, MEND_RANKS_MAX);
    flags = get(r, 1, FLAGS);
    x->here = flags & FLAG_HERE;
    x->listed = flags & FLAG_LISTED;
    x->spare = flags & FLAG_SPARE;
    x->name = get_name(r);
    x->user = get_name(r);
}

static void get_hosts(struct mend_bytes *r, struct mend_given *g, int n)
{
    if (!has(r, n, 21))
        return;
    g->hosts.at = mend_xalloc((size_t)n, sizeof(*g->hosts.at));
    for (g->hosts.n = 0; g->hosts.n < n && !r->bad; g->hosts.n++)
        get_host(r, &g->hosts.at[g->hosts.n]);
    r->bad |= !n || (!r->bad && !g->hosts.at[0].here);
}

static void get_apps(struct mend_bytes *r, struct mend_given *g, int n)
{
    if (!has(r, n, 4))
        return;
    g->apps_n = n;
    g->app_ranks_n = mend_xalloc((size_t)n, sizeof(*g->app_ranks_n));
    for (int i = 0; i < n && !r->bad; i++) {
        g->app_ranks_n[i] = get(r, 4, MEND_RANKS_MAX - g->ranks_n);
        g->ranks_n += g->app_ranks_n[i];
        r->bad |= !g->app_ranks_n[i];
    }
    r->bad |= !n;
}

static void get_runs(struct mend_bytes *r, struct mend_given *g, int n)
{
    int i = 0;

    if (!has(r, n, 8))
        return;
    g->node_of = mend_xalloc((size_t)g->ranks_n, sizeof(*g->node_of));
    for (int k = 0; k < n && !r->bad; k++) {
        int end = i + get(r, 4, g->ranks_n - i), node = get(r, 4, g->hosts.n - 1);

        r->bad |= end == i || (!r->bad && !g->hosts.at[node].listed);
        for (; i < end && !r->bad; i++)
            g->node_of[i] = node;
    }
    r->bad |= i != g->ranks_n;
}

static void get_texts(struct mend_bytes *r, struct mend_texts *t, int n)
{
    if (!has(r, n, 8))
        return;
    for (int i = 0; i < n && !r->bad; i++) {
        char *name = get_text(r), *text = r->bad ? NULL : get_text(r);

        if (text)
            mend_texts_add(t, name, text);
        else
            free(name);
    }
}

static void get_all(struct mend_bytes *r, struct mend_given *g)
{
    int hosts_n, apps_n, runs_n, texts_n, variables_n;

    r->bad |= mend_bytes_next(r, 4) != MAGIC || mend_bytes_next(r, 2) != VERSION;
    hosts_n = get(r, 4, MEND_MACHINES_MAX + 1);
    apps_n = get(r, 4, MEND_RANKS_MAX);
    runs_n = get(r, 4, MEND_RANKS_MAX);
    texts_n = get(r, 4, MEND_RANKS_MAX);
    variables_n = get(r, 4, MEND_RANKS_MAX);
    g->seed = get(r, 4, MEND_SEED_MAX);
    g->rows = get(r, 2, UINT16_MAX);
    g->columns = get(r, 2, UINT16_MAX);
    get_hosts(r, g, hosts_n);
    get_apps(r, g, apps_n);
    get_runs(r, g, runs_n);
    get_texts(r, &g->texts, texts_n);
    get_texts(r, &g->variables, variables_n);
    r->bad |= r->at != r->end;
}

struct mend_given *mend_given_decode(struct mend_given_bytes bytes)
{
    struct mend_bytes r = {.at = bytes.at, .end = bytes.at + bytes.len};
    struct mend_given *g = mend_xalloc(1, sizeof(*g));

    get_all(&r, g);
    if (!r.bad)
        return g;
    mend_given_free(g);
    return NULL;
}

static void free_texts(struct mend_texts *t)
{
    for (int i = 0; i < t->n; i++) {
        free(t->at[i].name);
        free(t->at[i].text);
    }
    free(t->at);
}

void mend_given_free(struct mend_given *g)
{
    for (int k = 0; k < g->hosts.n; k++) {
        free((char *)g->hosts.at[k].name);
        free((char *)g->hosts.at[k].user);
    }
    free(g->hosts.at);
    free(g->app_ranks_n);
    free(g->node_of);
    free_texts(&g->texts);
    free_texts(&g->variables);
    free(g);
}
