/* SPDX-License-Identifier: BSD-3-Clause */
/* flags_place.c – flags that say how many ranks there are, and on which hosts.
 *
 *   lists of hosts, --machines  ->  nodes  ->  ranks of each block  ->  hosts.c: the node of each rank
 *
 * Only mpiexec does this; the agents of other machines are told the result (given.h). */
#include "command/flags.h"

#include "rt/spawn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MORE_HOSTS 16 /* that get an agent without ranks, although nobody has asked for them */

void mend_on_per_node(struct mend_parse *p, const char *value, const char *second)
{
    p->o->per_unit_n = mend_flag_number(p->flag, value, 1, MEND_RANKS_MAX);
    p->o->per_unit = MEND_UNIT_MACHINE;
}

void mend_on_oversubscribe(struct mend_parse *p, const char *value, const char *second)
{
    p->o->policy.oversubscribe = true;
}

void mend_on_no_oversubscribe(struct mend_parse *p, const char *value, const char *second)
{
    p->o->no_oversubscribe = true;
}

void mend_on_no_local(struct mend_parse *p, const char *value, const char *second)
{
    p->o->no_local = true;
}

void mend_on_spare_nodes(struct mend_parse *p, const char *value, const char *second)
{
    p->o->spare_nodes_n = mend_flag_number(p->flag, value, 0, MEND_MACHINES_MAX);
}

void mend_on_show_map(struct mend_parse *p, const char *value, const char *second)
{
    p->o->show_map = true;
}

void mend_on_do_not_launch(struct mend_parse *p, const char *value, const char *second)
{
    p->o->do_not_launch = true;
}

/* ---- nodes ---- */

static void list_all(struct mend_hosts_list *l, int first, int end)
{
    *l = (struct mend_hosts_list){.at = mend_xalloc((size_t)(end - first), sizeof(*l->at))};
    for (int k = first; k < end; k++)
        l->at[l->n++] = k;
}

/* Without a list this machine is the only host. */
static void use_this_machine(struct mend_options *o)
{
    mend_hosts_begin(o);
    o->hosts.at[0].mentions = 1;
    o->hosts.at[0].listed = true;
    list_all(&o->listed, 0, 1);
}

/* This machine in place of several; its slots are divided. */
static void use_machines(struct mend_options *o)
{
    struct mend_host this = o->hosts.at[0];
    int n = o->machines_n;

    if (o->hosts.n > 1)
        mend_options_fail(2, "--machines is for this machine only, and '%s' is another host",
                          o->hosts.at[1].name);
    if (this.slots && mend_host_slots(&this) < n)
        mend_options_fail(2, "--machines: %d slots are too few for %d machines",
                          mend_host_slots(&this), n);
    free(o->hosts.at);
    o->hosts = (struct mend_hosts){.at = mend_xalloc((size_t)n, sizeof(this)), .n = n};
    for (int k = 0; k < n; k++) {
        int slots = mend_host_slots(&this);

        o->hosts.at[k] = this;
        o->hosts.at[k].slots = slots / n + (k < slots % n);
        o->hosts.at[k].mentions = !slots;
    }
    list_all(&o->listed, 0, n);
    for (int i = 0; i < o->apps_n; i++)
        o->apps[i].hosts.n = 0;
}

static void list_move(struct mend_hosts_list *l, int from, int to)
{
    l->at[to] = l->at[from];
    if (l->share)
        l->share[to] = l->share[from];
}

static void take_out(struct mend_hosts_list *l, int node)
{
    int n = 0;

    for (int i = 0; i < l->n; i++)
        if (l->at[i] != node)
            list_move(l, i, n++);
    if (l->n && !n)
        mend_options_fail(2, "no host is left for the ranks%s",
                          node ? "" : ": --nolocal leaves out this machine");
    l->n = n;
}

static void take_out_everywhere(struct mend_options *o, int node)
{
    take_out(&o->listed, node);
    for (int i = 0; i < o->apps_n; i++)
        take_out(&o->apps[i].hosts, node);
}

static void leave_out_this_machine(struct mend_options *o)
{
    if (o->hosts.n == 1)
        mend_options_fail(2, "--nolocal: there is no other machine; name some by --host");
    o->hosts.at[0].listed = false;
    take_out_everywhere(o, 0);
}

/* The last hosts have no ranks; they are taken when ranks are replaced. */
static void keep_spare(struct mend_options *o)
{
    int n = o->spare_nodes_n;

    if (n >= o->listed.n)
        mend_options_fail(2, "--spare-nodes: of %d host%s at most %d can be kept free", o->listed.n,
                          o->listed.n > 1 ? "s" : "", o->listed.n - 1);
    while (n--) {
        int node = o->listed.at[o->listed.n - 1];

        o->hosts.at[node].spare = true;
        take_out_everywhere(o, node);
    }
}

static const struct mend_hosts_list *list_of(const struct mend_options *o,
                                             const struct mend_app *app)
{
    return app->hosts.n ? &app->hosts : &o->listed;
}

static bool is_in(const struct mend_hosts_list *l, int node)
{
    for (int i = 0; i < l->n; i++)
        if (l->at[i] == node)
            return true;
    return false;
}

static void make_nodes(struct mend_options *o)
{
    o->has_hosts = o->listed.n > 0;
    if (!o->has_hosts)
        use_this_machine(o);
    if (o->machines_n)
        use_machines(o);
    if (o->no_local)
        leave_out_this_machine(o);
    if (o->spare_nodes_n)
        keep_spare(o);
}

/* ---- how many ---- */

/* Ranks on each host; 0: not said. */
static int per_node(const struct mend_options *o, const struct mend_topology *t)
{
    return o->per_unit_n * mend_place_count(t, o->per_unit);
}

static int ranks_by_default(struct mend_options *o, const struct mend_app *app,
                            const struct mend_topology *t)
{
    const struct mend_hosts_list *l = list_of(o, app);
    int n = 0;

    if (o->per_unit_n)
        return per_node(o, t) * l->n;
    for (int i = 0; i < l->n; i++)
        n += app->hosts.n ? l->share[i] : mend_host_share(&o->hosts.at[l->at[i]]);
    return o->has_hosts ? n : 1;
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

static void count_ranks(struct mend_options *o, const struct mend_topology *t)
{
    for (int i = 0; i < o->apps_n; i++) {
        struct mend_app *app = &o->apps[i];

        if (app->soft)
            choose_soft(app);
        if (!app->ranks_n)
            app->ranks_n = ranks_by_default(o, app, t);
        if (app->ranks_n > MEND_RANKS_MAX - o->ranks_n)
            mend_options_fail(2, "a job has at most %d ranks", MEND_RANKS_MAX);
        o->ranks_n += app->ranks_n;
    }
}

/* Written for several hosts, and started on one. */
static void note_one_machine(struct mend_options *o, int most)
{
    if (most && o->ranks_n > most)
        mend_options_note(o, "there is one machine: all %d ranks run on it, not %d", o->ranks_n,
                          most);
}

static void take_counts(struct mend_options *o)
{
    if (o->apps_n != o->decided->apps_n)
        mend_options_fail(2, "mpiexec has %d blocks, and its command line makes %d here",
                          o->decided->apps_n, o->apps_n);
    for (int i = 0; i < o->apps_n; i++)
        o->apps[i].ranks_n = o->decided->app_ranks_n[i];
    o->ranks_n = o->decided->ranks_n;
    o->hosts = o->decided->hosts;
}

void mend_flags_count_ranks(struct mend_options *o)
{
    struct mend_topology *t;

    if (o->decided) {
        take_counts(o);
        return;
    }
    t = mend_xalloc(1, sizeof(*t));
    mend_topology_read(t);
    make_nodes(o);
    count_ranks(o, t);
    if (o->has_hosts || o->machines_n)
        o->policy.per_node = per_node(o, t);
    else
        note_one_machine(o, per_node(o, t));
    free(t);
}

/* ---- where ---- */

static bool is_equal(const struct mend_hosts_list *a, const struct mend_hosts_list *b)
{
    return a->n == b->n && !memcmp(a->at, b->at, (size_t)a->n * sizeof(*a->at));
}

/* "3 hosts (a:2, b:4, c)" */
static void hosts_text(const struct mend_options *o, const struct mend_hosts_list *l, char *text,
                       size_t size)
{
    size_t at = (size_t)snprintf(text, size, "%d host%s (", l->n, l->n > 1 ? "s" : "");

    for (int i = 0; i < l->n && at + 80 < size; i++) {
        const struct mend_host *x = &o->hosts.at[l->at[i]];
        const char *name = x->name ? x->name : "this machine";

        at += (size_t)snprintf(text + at, size - at, "%s%.40s:%d", i ? ", " : "", name,
                               mend_host_slots(x));
        if (i + 1 < l->n && at + 80 >= size)
            at += (size_t)snprintf(text + at, size - at, ", ...");
    }
    snprintf(text + at, size - at, ")");
}

static _Noreturn void fail_full(const struct mend_options *o, const struct mend_hosts_wish *w,
                                int left)
{
    const struct mend_hosts_policy *p = &o->policy;
    char text[400];

    if (p->per_node && !p->oversubscribe)
        mend_options_fail(2,
                          "there is no room for %d ranks on %d host%s with at most %d on each; "
                          "name more hosts, or "
                          "say --oversubscribe",
                          w->ranks_n, w->on.n, w->on.n > 1 ? "s" : "", p->per_node);
    hosts_text(o, &w->on, text, sizeof(text));
    mend_options_fail(2, "there is no room for %d of %d ranks on %s; %s", left, w->ranks_n, text,
                      p->oversubscribe ? "max_slots is the most that --oversubscribe may use"
                                       : "name more hosts or slots, or say --oversubscribe");
}

/* The blocks from number i on with the same hosts, of which the first rank is number `first`.  Returns the block behind them. */
static int place_blocks(struct mend_options *o, int i, int first, int *used)
{
    struct mend_hosts_wish w = {.on = *list_of(o, &o->apps[i])};
    int left;

    for (; i < o->apps_n && is_equal(list_of(o, &o->apps[i]), &w.on); i++)
        w.ranks_n += o->apps[i].ranks_n;
    left = mend_hosts_place(&o->hosts, &o->policy, &w, used, o->node_of + first);
    if (left)
        fail_full(o, &w, left);
    return i;
}

/* ---- hosts without ranks ---- */

/* A host of a file may be chosen by no block. */
static bool is_chosen(const struct mend_options *o, int node)
{
    for (int i = 0; i < o->apps_n; i++)
        if (is_in(list_of(o, &o->apps[i]), node))
            return true;
    return false;
}

/* An agent there costs no call, or was asked for. */
static bool is_kept(const struct mend_options *o, const int *used, int node)
{
    const struct mend_host *x = &o->hosts.at[node];

    return x->here || x->spare || used[node];
}

static int size_of(const struct mend_options *o, const int *used, int node)
{
    int share = mend_host_share(&o->hosts.at[node]);

    return used[node] > share ? used[node] : share;
}

/* Of hosts that are left over some are for processes that the job starts later: as many as --universe needs, or a few. */
static void number_hosts(const struct mend_options *o, const int *used, int *number)
{
    uint64_t universe = o->params.universe_size, room = 0;
    int n = 0, more = 0;

    for (int k = 0; k < o->hosts.n; k++)
        if (is_kept(o, used, k))
            room += (uint64_t)size_of(o, used, k);
    for (int k = 0; k < o->hosts.n; k++) {
        number[k] = -1;
        if (is_kept(o, used, k)) {
            number[k] = n++;
        } else if (is_chosen(o, k) && (universe ? room < universe : more < MORE_HOSTS)) {
            number[k] = n++;
            room += (uint64_t)size_of(o, used, k);
            more++;
        }
    }
}

static void renumber(struct mend_hosts_list *l, const int *number)
{
    int n = 0;

    for (int i = 0; i < l->n; i++)
        if (number[l->at[i]] >= 0) {
            list_move(l, i, n);
            l->at[n] = number[l->at[n]];
            n++;
        }
    l->n = n;
}

/* The others get no agents. */
static void drop_unwanted(struct mend_options *o, const int *used)
{
    int *number = mend_xalloc((size_t)o->hosts.n, sizeof(*number)), n = 0;

    number_hosts(o, used, number);
    for (int k = 0; k < o->hosts.n; k++)
        if (number[k] >= 0)
            o->hosts.at[n++] = o->hosts.at[k];
    renumber(&o->listed, number);
    for (int i = 0; i < o->apps_n; i++)
        renumber(&o->apps[i].hosts, number);
    for (int i = 0; i < o->ranks_n; i++)
        o->node_of[i] = number[o->node_of[i]];
    o->left_out_n = o->hosts.n - n;
    o->hosts.n = n;
    free(number);
}

/* ---- where, at last ---- */

/* n ranks are on this machine. */
static void check_cores(int n)
{
    struct mend_topology *t = mend_xalloc(1, sizeof(*t));
    int cores;

    mend_topology_read(t);
    cores = mend_place_count(t, MEND_UNIT_CORE);
    free(t);
    if (n > cores)
        mend_options_fail(
            2, "--nooversubscribe: %d ranks are more than the %d cores that this job may use", n,
            cores);
}

static void check_cores_here(const struct mend_options *o, const int *used)
{
    int n = 0;

    for (int k = 0; k < o->hosts.n; k++)
        n += o->hosts.at[k].here ? used[k] : 0;
    check_cores(n);
}

static void take_places(struct mend_options *o)
{
    o->node_of = o->decided->node_of;
    if (o->no_oversubscribe)
        check_cores(mend_options_on_node(o, o->node));
}

void mend_flags_place(struct mend_options *o)
{
    int *used;

    if (o->decided) {
        take_places(o);
        return;
    }
    used = mend_xalloc((size_t)o->hosts.n, sizeof(*used));
    if (!o->numbers_said)
        o->policy.number_by_node = o->policy.by_node;
    o->node_of = mend_xalloc((size_t)o->ranks_n, sizeof(*o->node_of));
    for (int i = 0, first = 0; i < o->apps_n;) {
        int end = place_blocks(o, i, first, used);

        for (; i < end; i++)
            first += o->apps[i].ranks_n;
    }
    if (o->no_oversubscribe)
        check_cores_here(o, used);
    drop_unwanted(o, used);
    free(used);
}

/* ---- what was decided ---- */

static void show_ranks(const struct mend_options *o, int node, FILE *to)
{
    int n = mend_options_on_node(o, node);
    const char *head = n > 1 ? "ranks " : "rank ";

    if (!n)
        fprintf(to, "no ranks%s", o->hosts.at[node].listed ? ", spare" : "");
    for (int i = 0, end; i < o->ranks_n; i = end + 1) {
        for (end = i; end < o->ranks_n && o->node_of[end] == node; end++)
            ;
        if (end > i + 1)
            fprintf(to, "%s%d to %d", head, i, end - 1);
        else if (end > i)
            fprintf(to, "%s%d", head, i);
        head = end > i ? ", " : head;
    }
    fprintf(to, "\n");
}

void mend_hosts_show(const struct mend_options *o, FILE *to)
{
    for (int k = 0; k < o->hosts.n; k++) {
        const struct mend_host *x = &o->hosts.at[k];

        fprintf(to, "node %d (%s", k, x->name ? x->name : "this machine");
        if (mend_host_slots(x))
            fprintf(to, ", %d slot%s", mend_host_slots(x), mend_host_slots(x) > 1 ? "s" : "");
        fprintf(to, "): ");
        show_ranks(o, k, to);
    }
    if (o->left_out_n)
        fprintf(to, "%d more host%s: no agent%s\n", o->left_out_n, o->left_out_n > 1 ? "s" : "",
                o->left_out_n > 1 ? "s" : "");
}
