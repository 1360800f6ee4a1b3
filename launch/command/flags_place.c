/* SPDX-License-Identifier: BSD-3-Clause */
/* flags_place.c – flags that say how many ranks there are, and on which nodes. */
#include "command/flags.h"

#include "rt/spawn.h"

#include <stdlib.h>

/* ---- how many ---- */

void mend_on_per_node(struct mend_parse *p, const char *value, const char *second)
{
    p->o->per_unit_n = mend_flag_number(p->flag, value, 1, MEND_RANKS_MAX);
    p->o->per_unit = MEND_UNIT_MACHINE;
}

static int ranks_by_default(struct mend_options *o, const struct mend_topology *t)
{
    if (o->per_unit_n)
        return o->per_unit_n * mend_place_count(t, o->per_unit);
    return o->slots_n ? o->slots_n : 1;
}

/* The largest of the numbers of --soft that is at most that of -n. */
static void choose_soft(struct mend_app *app)
{
    int most = app->ranks_n ? app->ranks_n : MEND_RANKS_MAX, n = mend_spawn_soft(app->soft, most);

    if (n < 1)
        mend_options_fail(2, "--soft: '%s' allows no number of ranks between 1 and %d", app->soft,
                          most);
    app->ranks_n = n;
}

void mend_flags_count_ranks(struct mend_options *o)
{
    struct mend_topology *t = mend_xalloc(1, sizeof(*t));
    int most;

    mend_topology_read(t);
    for (int i = 0; i < o->apps_n; i++) {
        if (o->apps[i].soft)
            choose_soft(&o->apps[i]);
        if (!o->apps[i].ranks_n)
            o->apps[i].ranks_n = ranks_by_default(o, t);
        if (o->apps[i].ranks_n > MEND_RANKS_MAX - o->ranks_n)
            mend_options_fail(2, "more ranks than one machine's limit of %d", MEND_RANKS_MAX);
        o->ranks_n += o->apps[i].ranks_n;
    }
    most = o->per_unit_n ? o->per_unit_n * mend_place_count(t, o->per_unit) : 0;
    if (most && o->ranks_n > most)
        mend_options_note(o, "there is one machine: all %d ranks run on it, not %d", o->ranks_n,
                          most);
    if (o->no_oversubscribe && o->ranks_n > mend_place_count(t, MEND_UNIT_CORE))
        mend_options_fail(
            2, "--nooversubscribe: %d ranks are more than the %d cores that this job may use",
            o->ranks_n, mend_place_count(t, MEND_UNIT_CORE));
    free(t);
}

void mend_on_no_oversubscribe(struct mend_parse *p, const char *value, const char *second)
{
    p->o->no_oversubscribe = true;
}

/* ---- where ---- */

/* So many agents on this machine. */
static void make_machines(struct mend_options *o)
{
    int n = o->machines_n ? o->machines_n : 1;

    o->hosts = (struct mend_hosts){.at = mend_xalloc((size_t)n, sizeof(*o->hosts.at)), .n = n};
    for (int k = 0; k < n; k++)
        o->hosts.at[k] = (struct mend_host){.mentions = 1, .here = true, .listed = true};
}

void mend_flags_place(struct mend_options *o)
{
    const struct mend_hosts_policy policy = {0};
    struct mend_hosts_wish all = {.ranks_n = o->ranks_n};
    int *nodes, *used;

    make_machines(o);
    nodes = mend_xalloc((size_t)o->hosts.n, sizeof(*nodes));
    used = mend_xalloc((size_t)o->hosts.n, sizeof(*used));
    o->node_of = mend_xalloc((size_t)o->ranks_n, sizeof(*o->node_of));
    for (int k = 0; k < o->hosts.n; k++)
        nodes[all.nodes_n++] = k;
    all.nodes = nodes;
    mend_hosts_place(&o->hosts, &policy, &all, used, o->node_of);
    free(nodes);
    free(used);
}
