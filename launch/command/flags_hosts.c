/* SPDX-License-Identifier: BSD-3-Clause */
/* flags_hosts.c – flags that name the hosts of a job.
 *
 *   --host a,b:2,[::1]:4,ann@c    names, some with slots
 *   --hostfile FILE               the same, one in a line; behind it slots=N, max_slots=N, user=NAME; '#' begins a comment
 *
 * Lists add up: a host that is named again gets more slots.  But where a file was read, --host chooses among its hosts, as with Open
 * MPI.  A list belongs to its block; blocks without one have the hosts of all lists, as with MPICH.  All names of this machine are
 * one host, node 0. */
#include "command/flags.h"

#include "base/host_text.h"

#include <stdlib.h>
#include <string.h>

#define WHY_BYTES 200

/* A host as one word or line names it. */
struct mend_named {
    struct mend_host_text host;
    char *where; /* the flag, and the line of a file */
};

/* ---- the table ---- */

static void list_add(struct mend_hosts_list *l, int node, int share)
{
    int i = 0;

    while (i < l->n && l->at[i] != node)
        i++;
    if (i == l->n) {
        l->at = realloc(l->at, (size_t)(l->n + 1) * sizeof(*l->at));
        l->share = realloc(l->share, (size_t)(l->n + 1) * sizeof(*l->share));
        if (!l->at || !l->share)
            mend_options_fail(1, "no memory");
        l->at[l->n] = node;
        l->share[l->n++] = 0;
    }
    l->share[i] += share;
}

static int share_of(const struct mend_named *named)
{
    return named->host.slots ? named->host.slots : 1;
}

static void add_row(struct mend_hosts *h)
{
    if (h->n > MEND_MACHINES_MAX)
        mend_options_fail(2, "a job has at most %d hosts", MEND_MACHINES_MAX);
    h->at = realloc(h->at, (size_t)(h->n + 1) * sizeof(*h->at));
    if (!h->at)
        mend_options_fail(1, "no memory");
    h->at[h->n++] = (struct mend_host){0};
}

void mend_hosts_begin(struct mend_options *o)
{
    if (o->hosts.n)
        return;
    add_row(&o->hosts);
    o->hosts.at[0].here = true;
}

/* -1: it has none yet. */
static int node_of(const struct mend_hosts *h, const char *name)
{
    if (mend_host_is_here(name))
        return 0;
    for (int k = 1; k < h->n; k++)
        if (mend_host_is_same(h->at[k].name, name))
            return k;
    return -1;
}

static void check_slots(const char *where, const struct mend_host *x)
{
    int slots = mend_host_slots(x);

    if (x->slots_max && slots > x->slots_max)
        mend_options_fail(2, "%s: %d slots of '%s' are more than its max_slots, %d", where, slots,
                          x->name, x->slots_max);
}

/* own: the list of its block. */
static void add_host(struct mend_options *o, struct mend_hosts_list *own,
                     const struct mend_named *named)
{
    const struct mend_host_text *said = &named->host;
    struct mend_host *x;
    int node;

    mend_hosts_begin(o);
    node = node_of(&o->hosts, said->name);
    if (node < 0) {
        node = o->hosts.n;
        add_row(&o->hosts);
    }
    x = &o->hosts.at[node];
    x->name = x->name ? x->name : said->name;
    x->user = x->user ? x->user : said->user;
    x->slots += said->slots;
    x->mentions += !said->slots;
    x->slots_max += said->slots_max;
    x->listed = true;
    check_slots(named->where, x);
    list_add(&o->listed, node, share_of(named));
    list_add(own, node, share_of(named));
}

/* --host with a file: of the file's hosts, and not more slots than it says. */
static void choose_host(struct mend_options *o, struct mend_hosts_list *own,
                        const struct mend_named *named)
{
    const struct mend_host_text *said = &named->host;
    int node = node_of(&o->hosts, said->name);
    struct mend_host *x;

    if (node < 0 || !o->hosts.at[node].listed)
        mend_options_fail(2, "%s: '%s' is not in the file of hosts", named->where, said->name);
    x = &o->hosts.at[node];
    if (said->slots && mend_host_slots(x) && said->slots > mend_host_slots(x))
        mend_options_fail(2, "%s: '%s' has %d slots in the file of hosts, not %d", named->where,
                          said->name, mend_host_slots(x), said->slots);
    if (said->slots) {
        x->slots = said->slots;
        x->mentions = 0;
    }
    list_add(own, node, mend_host_share(x));
}

/* ---- lists ---- */

static void name_host(struct mend_parse *p, char *word, char *where)
{
    struct mend_named named = {.where = where};
    char why[WHY_BYTES];

    if (!mend_host_text_word(word, &named.host, why, sizeof(why)))
        mend_options_fail(2, "%s: %s", where, why);
    p->named = realloc(p->named, (size_t)(p->named_n + 1) * sizeof(*p->named));
    if (!p->named)
        mend_options_fail(1, "no memory");
    p->named[p->named_n++] = named;
}

void mend_on_hosts(struct mend_parse *p, const char *value, const char *second)
{
    char *words, *where, *word, *save;

    if (p->o->decided)
        return;
    words = mend_options_keep(p->o, mend_xprintf("%s", value));
    where = mend_options_keep(p->o, mend_xprintf("%s", p->flag));
    word = strtok_r(words, ", \t", &save);
    if (!word)
        mend_options_fail(2, "%s: no host is named", p->flag);
    for (; word; word = strtok_r(NULL, ", \t", &save))
        name_host(p, word, where);
}

void mend_hosts_end_block(struct mend_parse *p)
{
    if (p->named_n && p->has_file)
        p->app.hosts.n = 0;
    for (int i = 0; i < p->named_n; i++)
        (p->has_file ? choose_host : add_host)(p->o, &p->app.hosts, &p->named[i]);
    p->named_n = 0;
}

/* ---- files ---- */

static void take_line(struct mend_parse *p, const char *file, int number, char *line)
{
    char *where = mend_options_keep(p->o, mend_xprintf("%s %s:%d", p->flag, file, number));
    char why[WHY_BYTES];
    struct mend_named named = {.where = where};

    if (!mend_host_text_line(line, &named.host, why, sizeof(why)))
        mend_options_fail(2, "%s: %s", where, why);
    if (!named.host.name)
        return;
    if (named.host.binding)
        mend_options_note(p->o, "%s: '%s': ignored; --bind-to binds the ranks of all hosts", where,
                          named.host.binding);
    add_host(p->o, &p->app.hosts, &named);
    p->has_file = true;
}

void mend_on_host_file(struct mend_parse *p, const char *value, const char *second)
{
    int before = p->app.hosts.n;
    char *line, *next;

    if (p->o->decided)
        return;
    line = mend_options_keep(p->o, mend_xprintf("%s", mend_texts_read(p->o, p->flag, value)));
    for (int number = 1; line; number++, line = next) {
        next = mend_host_text_cut(line);
        take_line(p, value, number, line);
    }
    if (p->app.hosts.n == before && !p->has_file)
        mend_options_fail(2, "%s %s: the file names no host", p->flag, value);
}
