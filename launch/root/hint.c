/* SPDX-License-Identifier: BSD-3-Clause */
/* hint.c – the nodes that the hint `host` names (MPI-5.0 11.8.4).
 *
 *   "m2"   "m1, m2"   "m1:2,m2"    a name, or several with commas; NAME:N counts N times, as one that is there N times
 *   localhost, 127.0.0.1           the machine of the process that asks
 *   node:1                         the node of that number, as --display-map shows it
 *
 * A name is that of a list of hosts, or the one that the machine gives itself; of the machine of mpiexec, any that it has.  If several
 * nodes have it (--machines), it names them all.  Names that are equal go before those of which only one has a domain.
 *
 * A host that has no ranks in this job, or is lost, fails the request, whatever else the list names: the standard lets a library ignore
 * the key, not the value (11.8.4: "if it does interpret the key, it must provide the functionality described"). */
#include "root/hint.h"

#include "base/host_text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS     ", \t"
#define NODE       "node:"
#define LIST_BYTES 120 /* of the hosts of the job in a sentence */

/* A word of the hint. */
struct word {
    const char *text;
    int share;
    int by; /* the node of the process that asks */
};

/* ---- names ---- */

const char *mend_root_host_of(const struct root *root, int node)
{
    const struct mend_host *host = &root->o->hosts.at[node];

    return host->name ? host->name : root->node[node].host;
}

static bool is_alike(const char *a, const char *b, bool exactly)
{
    return exactly ? !strcasecmp(a, b) : mend_host_is_same(a, b);
}

static bool is_one_machine(const struct root *root, int a, int b)
{
    return a == b || (root->o->hosts.at[a].here && root->o->hosts.at[b].here);
}

/* -1: it is none, and stands for a name. */
static int number_of(const char *text)
{
    char *end;
    long n;

    if (strncmp(text, NODE, strlen(NODE)) != 0 || !isdigit((unsigned char)text[strlen(NODE)]))
        return -1;
    n = strtol(text + strlen(NODE), &end, 10);
    return *end || n >= MEND_MACHINES_MAX ? -1 : (int)n;
}

static bool is_named(const struct root *root, int node, const struct word *w, bool exactly)
{
    const struct mend_host *host = &root->o->hosts.at[node];
    int number = number_of(w->text);

    if (!host->listed)
        return false;
    if (number >= 0)
        return node == number;
    if (mend_host_is_any(w->text))
        return is_one_machine(root, node, w->by);
    return (host->here && mend_host_is_here(w->text)) ||
           (host->name && is_alike(host->name, w->text, exactly)) ||
           is_alike(root->node[node].host, w->text, exactly);
}

/* ---- what is wrong ---- */

static bool say(char *why, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool say(char *why, size_t size, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(why, size, format, args);
    va_end(args);
    return false;
}

/* Those that may have processes, each name once where equal ones are beside each other. */
static void list_hosts(const struct root *root, char text[LIST_BYTES])
{
    const char *last = "";
    size_t at = 0;

    *text = '\0';
    for (int k = 0; k < root->nodes_n; k++) {
        const char *name = mend_root_host_of(root, k);

        if (!root->o->hosts.at[k].listed || !mend_root_is_there(&root->node[k]) ||
            !strcmp(name, last))
            continue;
        if (at + strlen(name) + 8 > LIST_BYTES) {
            snprintf(text + at, LIST_BYTES - at, ", ...");
            return;
        }
        at += (size_t)snprintf(text + at, LIST_BYTES - at, "%s%s", at ? ", " : "", name);
        last = name;
    }
}

static bool refuse(const struct root *root, const struct word *w, bool lost, char *why, size_t size)
{
    char hosts[LIST_BYTES];

    list_hosts(root, hosts);
    if (lost)
        return say(why, size, "host '%.64s' is lost; this job runs on %s", w->text, hosts);
    if (root->o->left_out_n)
        return say(why, size,
                   "host '%.64s' is not in this job, which runs on %s (mpiexec --universe: on "
                   "more of the list)",
                   w->text, hosts);
    return say(why, size, "host '%.64s' is not in this job, which runs on %s", w->text, hosts);
}

/* ---- words ---- */

static void add_node(struct mend_hosts_list *on, int node, int share)
{
    int i = 0;

    while (i < on->n && on->at[i] != node)
        i++;
    if (i == on->n) {
        on->at[i] = node;
        on->share[i] = 0;
        on->n++;
    }
    on->share[i] += share;
}

/* False: it names none that is there. */
static bool add_named(const struct root *root, const struct word *w, struct mend_hosts_list *on,
                      bool *lost_p)
{
    bool there = false;

    *lost_p = false;
    for (int exactly = 1; exactly >= 0 && !there && !*lost_p; exactly--)
        for (int k = 0; k < root->nodes_n; k++) {
            if (!is_named(root, k, w, exactly))
                continue;
            *lost_p |= !mend_root_is_there(&root->node[k]);
            there |= mend_root_is_there(&root->node[k]);
            if (mend_root_is_there(&root->node[k]))
                add_node(on, k, w->share);
        }
    return there;
}

/* False: *why says what is wrong with it. */
static bool read_word(char *text, struct word *w, char *why, size_t size)
{
    struct mend_host_text host;

    w->text = text;
    w->share = 1;
    if (!strncmp(text, NODE, strlen(NODE)))
        return true;
    if (!mend_host_text_word(text, &host, why, size))
        return false;
    w->text = host.name;
    w->share = host.slots ? host.slots : 1;
    return true;
}

bool mend_root_read_hint(const struct root *root, int by, const char *host,
                         struct mend_hosts_list *on_p, char *why, size_t size)
{
    char *words = mend_xprintf("%s", host), *save, *text = strtok_r(words, BLANKS, &save);
    bool good = true, lost;

    *on_p = (struct mend_hosts_list){.at = mend_xalloc((size_t)root->nodes_n, sizeof(int)),
                                     .share = mend_xalloc((size_t)root->nodes_n, sizeof(int))};
    for (; text && good; text = strtok_r(NULL, BLANKS, &save)) {
        struct word w = {.by = by};

        good = read_word(text, &w, why, size) &&
               (add_named(root, &w, on_p, &lost) || refuse(root, &w, lost, why, size));
    }
    free(words);
    return good && (on_p->n || say(why, size, "the hint host names no host"));
}
