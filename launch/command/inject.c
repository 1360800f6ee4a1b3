/* SPDX-License-Identifier: BSD-3-Clause */
/* inject.c – reading --inject.
 *
 *   ACTION:RANKS[:CODE]@PLACE[#COUNT][?]
 *
 *   kill:1,3@coll.enter#2    ──>  rank 1: kill@coll.enter#2    rank 3: the same
 *   kill:random(7)@time:5ms  ──>  the rank that the seed 7 gives in a job of this size
 *   kill:2@in:MPI_Recv:0,1   ──>  rank 2, when ranks 0 and 1 wait in that call (agent/blocked.c)
 *   node:1@call:MPI_Send#3   ──>  node 1, when its lowest rank is there: rank 4: stop@call:MPI_Send#3
 *
 * A rank gets the specifications that are its own in its environment.  A ? at the end allows that the injection does not
 * happen. */
#include "command/options.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORM      "ACTION:RANKS[:CODE]@PLACE[#COUNT][?]"
#define NODE_FORM "node:NODE[:TIME]@PLACE[#COUNT][?]"

/* One --inject while it is read. */
struct reading {
    const char *value;
    char *
        ranks; /* the text between the colons; of this struct, the other texts are of the options */
    char *spec; /* without the ranks */
    bool may_miss;
    char *said; /* with random: which rank it is */
    int node;   /* -1: it is about ranks */
    mend_time_ns for_ns;
};

/* ---- reading ---- */

/* Takes "2" or "4-7" and a comma off the front of a list. */
static bool take_ranks(const char **at_p, int *first_p, int *last_p)
{
    char *end = NULL;
    long first, last;

    errno = 0;
    first = last = isdigit((unsigned char)**at_p) ? strtol(*at_p, &end, 10) : -1;
    if (first >= 0 && *end == '-' && isdigit((unsigned char)end[1]))
        last = strtol(end + 1, &end, 10);
    if (first < 0 || first > last || errno || last > INT_MAX || (*end && (*end != ',' || !end[1])))
        return false;
    *first_p = (int)first;
    *last_p = (int)last;
    *at_p = end + (*end == ',');
    return true;
}

/* The ranks that wait; ranks_n: those that there may be. */
static bool add_waiters(struct mend_injection *i, int ranks_n, char **why_p)
{
    int first, last;

    for (const char *at = i->what.waiters; *at;) {
        if (!take_ranks(&at, &first, &last) || last >= ranks_n) {
            *why_p = mend_xprintf("'%s': '%s' are not ranks of a job of %d", i->value,
                                  i->what.waiters, ranks_n);
            return false;
        }
        i->waiters =
            realloc(i->waiters, (size_t)(i->waiters_n + last - first + 1) * sizeof(*i->waiters));
        if (!i->waiters)
            abort();
        for (; first <= last; first++)
            i->waiters[i->waiters_n++] = (struct mend_waiter){.rank = first};
    }
    return true;
}

static bool add(struct mend_options *o, const struct reading *r, int rank, char **why_p)
{
    struct mend_injection i = {.rank = rank,
                               .node = r->node,
                               .for_ns = r->for_ns,
                               .spec = r->spec,
                               .value = r->value,
                               .said = r->said};
    /* one that is started later can be named if the user has said that there are more */
    int ranks = o->params.universe_size ? mend_options_places(o) : o->ranks_n;
    const char *why;

    i.may_miss = r->may_miss;
    for (int k = 0; k < o->injections_n; k++)
        i.number += o->injections[k].rank == rank;
    if (rank >= ranks)
        *why_p = mend_xprintf("'%s': there is no rank %d in a job of %d", r->value, rank, ranks);
    else if (!mend_event_parse_inject(i.spec, &i.what, &why))
        *why_p = mend_xprintf("'%s': %s", r->value, why);
    if (*why_p || !add_waiters(&i, ranks, why_p))
        return false;
    o->injections = realloc(o->injections, (size_t)(o->injections_n + 1) * sizeof(*o->injections));
    if (!o->injections)
        abort();
    o->injections[o->injections_n++] = i;
    return true;
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* "random" or "random(SEED)". */
static bool add_random(struct mend_options *o, struct reading *r, char **why_p)
{
    uint64_t seed = (uint64_t)(o->seed + o->injections_n) % (MEND_SEED_MAX + 1);
    const char *text = r->ranks + strlen("random");
    char *end = NULL;
    int rank;

    if (*text) {
        errno = 0;
        seed = *text == '(' && isdigit((unsigned char)text[1]) ? strtoull(text + 1, &end, 10) : 0;
        if (!end || errno || strcmp(end, ")") != 0) {
            *why_p = mend_xprintf("'%s': the seed is a number, as in random(7)", r->value);
            return false;
        }
    }
    rank = (int)(mix(seed + 1) % (uint64_t)o->ranks_n);
    r->said = mend_options_keep(
        o, mend_xprintf("mend: --inject %s: the seed is %llu, which gives rank %d", r->value,
                        (unsigned long long)seed, rank));
    return add(o, r, rank, why_p);
}

/* "1,3,4-7" */
static bool add_list(struct mend_options *o, const struct reading *r, char **why_p)
{
    const char *at = r->ranks;
    int first, last;

    while (*at) {
        if (!take_ranks(&at, &first, &last)) {
            *why_p = mend_xprintf("'%s': '%s' does not name ranks: write 2 or 1,3 or 4-7, random, "
                                  "or random(SEED)",
                                  r->value, r->ranks);
            return false;
        }
        for (; first <= last; first++)
            if (!add(o, r, first, why_p))
                return false;
    }
    return true;
}

/* Takes the value apart; the part without the ranks is what the library reads. */
static bool take_apart(struct mend_options *o, const char *value, struct reading *r_p)
{
    const char *colon = strchr(value, ':'), *at = strchr(value, '@'), *code;
    size_t len = strlen(value), ranks_len;

    if (!colon || !at || colon > at)
        return false;
    ranks_len = strcspn(colon + 1, ":@");
    code = colon + 1 + ranks_len;
    *r_p = (struct reading){.value = value, .node = -1, .may_miss = value[len - 1] == '?'};
    r_p->ranks = mend_xprintf("%.*s", (int)ranks_len, colon + 1);
    r_p->spec = mend_options_keep(o, mend_xprintf("%.*s%.*s", (int)(colon - value), value,
                                                  (int)(value + len - r_p->may_miss - code), code));
    return true;
}

static int lowest_rank_on(const struct mend_options *o, int node)
{
    for (int i = 0; i < o->ranks_n; i++)
        if (o->node_of[i] == node)
            return i;
    return -1;
}

/* "" or ":300ms", before the place. */
static bool read_stay(const char *code, mend_time_ns *for_ns_p)
{
    size_t len = strcspn(code, "@");
    struct mend_inject stay;
    const char *why;
    char *text;
    bool good;

    *for_ns_p = 0;
    if (!len)
        return true;
    text = mend_xprintf("stop@time%.*s", (int)len, code);
    good = mend_event_parse_inject(text, &stay, &why) && stay.delay_ns;
    *for_ns_p = stay.delay_ns;
    free(text);
    return good;
}

/* The lowest rank of the node, which waits at the place until that happens. */
static void add_node(struct mend_options *o, struct reading *r, char **why_p)
{
    const char *code = r->spec + strlen("node"), *end = r->ranks;
    int last, rank;

    if (!take_ranks(&end, &r->node, &last) || r->node != last || *end)
        *why_p = mend_xprintf("'%s': behind node: stands the number of one node, as --display-map "
                              "shows it",
                              r->value);
    else if (r->node >= o->hosts.n)
        *why_p = mend_xprintf("'%s': there is no node %d in a job of %d node%s", r->value, r->node,
                              o->hosts.n, o->hosts.n > 1 ? "s" : "");
    else if (!r->node)
        *why_p = mend_xprintf("'%s': node 0 is that of mpiexec, with which the job ends", r->value);
    else if (!read_stay(code, &r->for_ns))
        *why_p = mend_xprintf("'%s': the time in " NODE_FORM " is a number of seconds, or one with "
                              "s, ms or us",
                              r->value);
    if (*why_p)
        return;
    rank = lowest_rank_on(o, r->node);
    r->spec = mend_options_keep(o, mend_xprintf("stop%s", code + strcspn(code, "@")));
    if (rank < 0 && strncmp(r->spec, "stop@time:", strlen("stop@time:")) != 0)
        *why_p =
            mend_xprintf("'%s': node %d has no ranks that could get there, so PLACE can only be "
                         "time:TIME",
                         r->value, r->node);
    else
        add(o, r, rank, why_p);
}

static bool is_of_node(const char *value)
{
    return !strncmp(value, "node:", strlen("node:"));
}

static bool action_known(const char *value)
{
    size_t n = strcspn(value, ":");

    return (n == 4 && (!strncmp(value, "kill", n) || !strncmp(value, "stop", n) ||
                       !strncmp(value, "note", n) || !strncmp(value, "cont", n))) ||
           (n == 5 && !strncmp(value, "abort", n));
}

static char *read_one(struct mend_options *o, const char *value)
{
    struct reading r;
    char *why = NULL;

    if (!take_apart(o, value, &r))
        return mend_xprintf("'%s' is not " FORM ", for example kill:2@p2p.send.rts#3", value);
    if (!action_known(value) && !is_of_node(value))
        why =
            mend_xprintf("'%s': the ACTION in " FORM " is kill, stop, cont, abort or note; a whole "
                         "node is " NODE_FORM,
                         value);
    else if (strchr(value, ';'))
        why = mend_xprintf("one specification at a time, not '%s'", value);
    else if (is_of_node(value))
        add_node(o, &r, &why);
    else if (!strncmp(r.ranks, "random", strlen("random")))
        add_random(o, &r, &why);
    else
        add_list(o, &r, &why);
    free(r.ranks);
    return why;
}

char *mend_injections_check(const char *text)
{
    char *copy = mend_xprintf("%s", text), *save = NULL, *said = NULL;
    struct mend_inject inject;
    const char *why;

    for (char *one = strtok_r(copy, ";", &save); one && !said; one = strtok_r(NULL, ";", &save))
        if (!mend_event_parse_inject(one, &inject, &why))
            said = mend_xprintf("'%s': %s", one, why);
    free(copy);
    return said;
}

/* If mpiexec runs in a rank of another job, the variable is for that rank, and not for the job that it starts. */
static bool meant_for_us(void)
{
    return getenv(MEND_ENV_INJECT) && !getenv(MEND_ENV_RANK);
}

char *mend_injections_read(struct mend_options *o)
{
    char *why = NULL;

    if (meant_for_us())
        why = mend_xprintf("the variable " MEND_ENV_INJECT " is set here, but ranks get it from "
                           "mpiexec only: use --inject " FORM);
    for (int i = 0; !why && i < o->injects.n; i++)
        why = read_one(o, o->injects.at[i]);
    return why;
}

char *mend_injections_of(const struct mend_options *o, int rank)
{
    char *all = NULL;

    for (int i = 0; i < o->injections_n; i++) {
        const struct mend_injection *in = &o->injections[i];
        char *before = all;

        if (in->rank != rank)
            continue;
        all = before ? mend_xprintf("%s;%s", before, in->spec)
                     : mend_xprintf(MEND_ENV_INJECT "=%s", in->spec);
        free(before);
    }
    return all;
}
