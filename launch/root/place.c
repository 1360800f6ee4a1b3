/* SPDX-License-Identifier: BSD-3-Clause */
/* place.c – requests for processes: on which nodes they are started, and the acts of ft/starter_sm.h.
 *
 *   agent of the rank that asks ── SPAWN ──> root ── ACT: COUNT ──> all agents    how many places are taken?
 *                                                    ACT: FIND                    the programs, and which node starts how many
 *                                                    ACT: ADMIT                   names for all, places
 *                                                    BIRTH ──> the log of facts   with several nodes
 *                                                    ACT: START                   the processes
 *                                <── SPAWNED ── root ── ACT: END, or WITHDRAW and END
 *
 * Requests are carried out one after the other.  One for which there is no room, but may be soon, goes behind the others.
 *
 * Every agent knows the names before a process that has one is started, and so does the log of facts: no agent hears of a death
 * before the birth, and no rank of a process that its own agent does not know.
 *
 *   an agent is lost                     it has no answer to give, and its processes are not started: the others are withdrawn
 *   the rank that asked dies, or its agent   its children find that (src/create/spawn.c)
 *   names that some agents have given, and others could not for want of memory, are skipped by those with the next request
 *
 * A node is chosen because it has the fewest processes, for a replacement rather one with a spare; or because the request names it
 * (hint.c, spread.h).  It has no more than it has slots (--oversubscribe: than max_slots), and a host that no list names has none.  Their
 * number is bounded for the job as a whole, too (mpiexec --universe).  Whether a host that is named is there is asked anew whenever
 * places are counted: it may be lost while the request waits for room. */
#include "root/hint.h"
#include "root/spread.h"

#include "base/time.h"
#include "ft/starter_sm.h"
#include "rt/spawn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The survivors let go of a dead rank when they are in MPI, which takes microseconds, or until they call it.  A process
 * that ends does so as soon as it gets a core.  Both times begin anew with each end, of which there are as many as processes. */
#define ROOM_LOOK_NS MEND_NS_PER_MS
#define ROOM_WAIT_NS MEND_NS_PER_S
#define END_WAIT_NS                                                                                \
    (10 * MEND_NS_PER_S) /* while a process is ending, or has parted from the root of the spawn */

struct root_request {
    struct mend_list link; /* in root->requests */
    struct root_node *by;  /* the node of the rank that asks */
    int rank;
    int64_t number; /* that its agent has given it */
    bool parted;
    struct mend_spawn_file file; /* a copy */
    int fd;
    struct mend_spawn_block *blocks;
    int blocks_n;
    uint32_t asked_n;

    struct mend_starter starter;
    bool posted;      /* what is to be done was told to the agents */
    bool is_short;    /* there were too few places */
    bool by_slots;    /* ... on the nodes */
    bool named;       /* the log of facts is told the names */
    int32_t *on_node; /* how many are started on each node */
    int32_t *node_of; /* the node of each process; NULL: not chosen */
    int *n;           /* of each block */
    int total_n, room, first;
    char why[MEND_SPAWN_WHY_BYTES]; /* none will be started, in words; empty: not said */
    mend_time_ns again_at;          /* HOLD */
    mend_time_ns since;             /* nothing has changed, as `seen` shows; 0: it is new */
    uint64_t seen;
};

/* ---- what agents say ---- */

static bool read_request(struct root_request *q, const struct mend_message *m)
{
    q->fd = mend_spawn_copy(m->data, m->len, &q->file);
    if (q->fd < 0)
        return false;
    q->blocks_n = mend_spawn_read(&q->file, &q->blocks, &q->asked_n);
    return q->blocks_n >= 0;
}

static void forget(struct root_request *q)
{
    if (q->fd >= 0) {
        mend_spawn_unmap(&q->file);
        close(q->fd);
    }
    free(q->blocks);
    free(q->on_node);
    free(q->node_of);
    free(q->n);
    free(q);
}

/* The errors, and behind them why none was started; the caller frees them. */
static char *text_of_answer(const struct root_request *q, bool started, uint32_t *len_p)
{
    size_t errors = q->asked_n * sizeof(int32_t), why = started ? 0 : strlen(q->why);
    char *data = mend_xalloc(1, errors + why);

    memcpy(data, mend_spawn_errors(q->file.h), errors);
    memcpy(data + errors, q->why, why);
    *len_p = (uint32_t)(errors + why);
    return data;
}

/* room: with an answer that is no. */
static void answer(const struct root_request *q, enum mend_spawn_answer what)
{
    bool started = what == MEND_SPAWN_STARTED;
    struct mend_message m = {.kind = MEND_DOWN_SPAWNED, .rank = q->rank, .data = ""};
    char *data = NULL;

    m.arg[MEND_SPAWNED_NUMBER] = q->number;
    m.arg[MEND_SPAWNED_ANSWER] = what;
    m.arg[MEND_SPAWNED_FIRST] = started ? q->first : 0;
    m.arg[MEND_SPAWNED_N] = started ? q->total_n : 0;
    m.arg[MEND_SPAWNED_ROOM] = q->room;
    if (q->blocks_n >= 0) {
        data = text_of_answer(q, started, &m.len);
        m.data = data;
        m.arg[MEND_SPAWNED_ASKED] = q->asked_n;
    }
    if (mend_root_is_there(q->by))
        mend_post(&q->by->agent, &m);
    free(data);
}

void mend_root_asked(struct root_node *by, const struct mend_message *m)
{
    struct root *root = by->root;
    struct root_request *q = mend_xalloc(1, sizeof(*q));

    *q = (struct root_request){.by = by,
                               .rank = m->rank,
                               .number = m->arg[0],
                               .parted = m->arg[1],
                               .on_node = mend_xalloc((size_t)root->nodes_n, sizeof(int32_t))};
    if (!read_request(q, m))
        q->blocks_n = -1;
    else
        q->n = mend_xalloc((size_t)q->blocks_n, sizeof(*q->n));
    mend_starter_init(&q->starter);
    mend_list_append(&root->requests, &q->link);
}

/* The request that is being carried out has the errors of all agents. */
static void note_errors(struct root_request *q, const struct mend_message *m)
{
    for (uint32_t k = 0; k < q->asked_n && (k + 1) * sizeof(int32_t) <= m->len; k++) {
        int32_t error;

        memcpy(&error, m->data + k * sizeof(error), sizeof(error));
        if (error)
            mend_spawn_errors(q->file.h)[k] = error;
    }
}

void mend_root_acted(struct root_node *node, const struct mend_message *m)
{
    node->acted = *m;
    node->is_asked = false;
    if (m->arg[MEND_ACTED_ACT] == MEND_STARTER_START)
        node->state = NODE_RUNNING; /* it says again when nothing is left there */
    if (node->root->request)
        note_errors(node->root->request, m);
}

/* ---- acts ---- */

static void tell(struct root *root, struct mend_message *m, enum mend_starter_act act, bool asks)
{
    m->kind = MEND_DOWN_ACT;
    m->rank = -1;
    m->arg[MEND_ACT_ACT] = act;
    for (int k = 0; k < root->nodes_n; k++) {
        struct root_node *node = &root->node[k];

        node->acted = (struct mend_message){0};
        node->is_asked = asks && mend_root_is_there(node);
        if (mend_root_is_there(node))
            mend_post(&node->agent, m);
    }
}

static bool is_asked(const struct root *root)
{
    for (int k = 0; k < root->nodes_n; k++)
        if (root->node[k].is_asked && mend_root_is_there(&root->node[k]))
            return true;
    return false;
}

static int64_t sum(const struct root *root, enum mend_acted_arg what)
{
    int64_t sum = 0;

    for (int k = 0; k < root->nodes_n; k++)
        if (mend_root_is_there(&root->node[k]))
            sum += root->node[k].acted.arg[what];
    return sum;
}

/* All nodes that start some have said yes. */
static bool are_good(const struct root *root, const struct root_request *q)
{
    for (int k = 0; k < root->nodes_n; k++) {
        const struct root_node *node = &root->node[k];

        if (q->on_node[k] && !mend_root_is_there(node))
            return false;
        if (mend_root_is_there(node) && !node->acted.arg[MEND_ACTED_GOOD])
            return false;
    }
    return true;
}

/* It replaces processes: a spare would save their start. */
static bool wants_spares(const struct root_request *q)
{
    return q->blocks_n && q->blocks[0].again;
}

/* How many processes a node may have beside those that it has; a single one has guests, too, so there slots count at the start only. */
static int64_t room_on(const struct root *root, int node)
{
    const struct mend_host *host = &root->o->hosts.at[node];
    int limit = mend_host_limit(host, root->o->policy.oversubscribe);
    int64_t left = limit - root->node[node].acted.arg[MEND_ACTED_TAKEN];

    if (!mend_root_is_there(&root->node[node]) || !host->listed)
        return 0;
    if (!limit || root->nodes_n == 1)
        return MEND_NODE_NAMES;
    return left > 0 ? left : 0;
}

/* A name that any agent has given is taken. */
static int first_name(const struct root *root)
{
    int first = root->n;

    for (int k = 0; k < root->nodes_n; k++) {
        int names = (int)root->node[k].acted.arg[MEND_ACTED_NAMES];

        if (mend_root_is_there(&root->node[k]) && names > first)
            first = names;
    }
    return first;
}

static bool is_late(const struct root *root, struct root_request *q, mend_time_ns now)
{
    uint64_t seen = (uint64_t)sum(root, MEND_ACTED_PROGRESS);
    bool patient = q->parted || sum(root, MEND_ACTED_ENDING);

    if (seen != q->seen || !q->since)
        q->since = now;
    q->seen = seen;
    return now >= q->since + (patient ? END_WAIT_NS : ROOM_WAIT_NS);
}

/* Of places, of names, and on the nodes.  *by_slots_p: these have the least. */
static int count_room(const struct root *root, int first_name, bool *by_slots_p)
{
    int64_t places = root->places_n - sum(root, MEND_ACTED_TAKEN), on_nodes = 0;
    int64_t room = MEND_NODE_NAMES - first_name;

    for (int k = 0; k < root->nodes_n; k++)
        on_nodes += room_on(root, k);
    room = places < room ? places : room;
    *by_slots_p = on_nodes < room;
    room = on_nodes < room ? on_nodes : room;
    return room > 0 ? (int)room : 0;
}

static bool is_same_host(const struct mend_spawn_block *a, const struct mend_spawn_block *b)
{
    return a->host && b->host ? !strcmp(a->host, b->host) : !a->host && !b->host;
}

static void free_wishes(struct mend_spread_wish *wish, int n)
{
    for (int i = 0; i < n; i++) {
        free(wish[i].on.at);
        free(wish[i].on.share);
    }
    free(wish);
}

/* What is wrong with the hosts of the block from which on others name the same is an error of all processes of it. */
static void note_hosts(struct root_request *q, int block)
{
    int32_t *error = mend_spawn_errors(q->file.h);

    for (int i = 0; i < block; i++)
        error += q->blocks[i].asked_n;
    for (int k = 0; k < q->blocks[block].asked_n; k++)
        error[k] = EHOSTUNREACH;
}

/* The wishes of all blocks, which the caller frees.  False: one names a host that is not there. */
static bool read_wishes(const struct root *root, struct root_request *q,
                        struct mend_spread_wish **wish_p, int *n_p)
{
    struct mend_spread_wish *wish = mend_xalloc((size_t)q->blocks_n, sizeof(*wish));
    bool good = true;
    int n = 0;

    for (int i = 0; i < q->blocks_n && good; i += wish[n++].blocks_n) {
        struct mend_spread_wish *w = &wish[n];

        while (i + w->blocks_n < q->blocks_n &&
               is_same_host(&q->blocks[i], &q->blocks[i + w->blocks_n]))
            w->blocks_n++;
        if (q->blocks[i].host)
            good = mend_root_read_hint(root, q->by->number, q->blocks[i].host, &w->on, q->why,
                                       sizeof(q->why));
        if (!good)
            note_hosts(q, i);
    }
    *wish_p = wish;
    *n_p = n;
    return good;
}

static struct mend_spread_node *count_nodes(const struct root *root, const struct root_request *q)
{
    struct mend_spread_node *node = mend_xalloc((size_t)root->nodes_n, sizeof(*node));

    for (int k = 0; k < root->nodes_n; k++) {
        const int64_t *arg = root->node[k].acted.arg;

        node[k] =
            (struct mend_spread_node){.room = (int)room_on(root, k),
                                      .taken = (int)arg[MEND_ACTED_TAKEN],
                                      .spares = wants_spares(q) ? (int)arg[MEND_ACTED_SPARES] : 0};
    }
    return node;
}

static void note_nodes(const struct root *root, struct root_request *q)
{
    memset(q->on_node, 0, (size_t)root->nodes_n * sizeof(*q->on_node));
    for (int i = 0; i < q->total_n; i++)
        q->on_node[q->node_of[i]]++;
}

/* The job has more room than the hosts that are named. */
static void say_short(struct root_request *q, const struct mend_spread *x)
{
    const struct mend_spawn_block *b = &q->blocks[x->short_of];

    snprintf(q->why, sizeof(q->why),
             "on '%.64s' there is room for %d more process%s, not for %d (mpiexec --oversubscribe)",
             b->host, x->short_n, x->short_n == 1 ? "" : "es", b->asked_n);
}

/* Its hosts have less room than the job. */
static void say_no_slots(struct root_request *q)
{
    snprintf(q->why, sizeof(q->why),
             "on the hosts of the job there are slots for %d more process%s, not for %u (mpiexec "
             "--oversubscribe, or more slots)",
             q->room, q->room == 1 ? "" : "es", q->asked_n);
}

static void choose_nodes(const struct root *root, struct root_request *q,
                         const struct mend_spread_wish *wish, int wishes_n)
{
    struct mend_spread_node *node = count_nodes(root, q);
    struct mend_spread x = {.node = node,
                            .nodes_n = root->nodes_n,
                            .block = q->blocks,
                            .wish = wish,
                            .blocks_n = q->blocks_n,
                            .wishes_n = wishes_n,
                            .room = q->room,
                            .n = q->n};

    free(q->node_of);
    q->node_of = NULL;
    q->total_n = mend_spread(&x, &q->node_of);
    if (q->total_n)
        note_nodes(root, q);
    else if (x.by_hosts)
        say_short(q, &x);
    else if (q->by_slots)
        say_no_slots(q);
    free(node);
}

static void count(const struct root *root, struct root_request *q, mend_time_ns now,
                  struct mend_starter_event *ev)
{
    struct mend_spread_wish *wish;
    int wishes_n;

    q->first = first_name(root);
    q->room = count_room(root, q->first, &q->by_slots);
    q->total_n = 0;
    q->why[0] = '\0';
    ev->never = !read_wishes(root, q, &wish, &wishes_n);
    if (!ev->never)
        choose_nodes(root, q, wish, wishes_n);
    ev->total_n = q->total_n;
    ev->good = q->total_n > 0;
    ev->hopeful = sum(root, MEND_ACTED_GOOD) && !is_late(root, q, now);
    free_wishes(wish, wishes_n);
}

static void find(struct root *root, const struct root_request *q)
{
    size_t counts = (size_t)q->blocks_n * sizeof(*q->n);
    size_t nodes = (size_t)q->total_n * sizeof(*q->node_of);
    size_t len = counts + nodes + q->file.bytes;
    char *data = mend_xalloc(1, len);
    struct mend_message m = {.data = data, .len = (uint32_t)len};

    memcpy(data, q->n, counts);
    memcpy(data + counts, q->node_of, nodes);
    memcpy(data + counts + nodes, q->file.h, q->file.bytes);
    m.arg[MEND_ACT_FIRST] = q->first;
    m.arg[MEND_ACT_BLOCKS] = q->blocks_n;
    m.arg[MEND_ACT_TOTAL] = q->total_n;
    tell(root, &m, MEND_STARTER_FIND, true);
    free(data);
}

/* The nodes of the processes, by name. */
static void note_names(struct root *root, const struct root_request *q)
{
    for (int i = 0; i < q->total_n; i++)
        root->rank[q->first + i].node = q->node_of[i];
    root->n = q->first + q->total_n;
}

/* Of those on one node that are one behind the other together. */
static void say_births(struct root *root, struct root_request *q)
{
    q->named = true;
    for (int i = 0, end; i < q->total_n; i = end) {
        end = i;
        while (end < q->total_n && q->node_of[end] == q->node_of[i])
            end++;
        mend_post(&root->node[0].agent,
                  &(struct mend_message){.kind = MEND_DOWN_BIRTH,
                                         .rank = -1,
                                         .arg = {q->node_of[i], q->first + i, end - i}});
    }
}

/* ADMIT ends when the log of facts has the names, too. */
static bool is_admitted(struct root *root, struct root_request *q, bool *good_p)
{
    *good_p = are_good(root, q);
    if (!*good_p || root->nodes_n == 1)
        return true;
    if (!q->named)
        say_births(root, q);
    return root->logged_n >= q->first + q->total_n;
}

static void start(struct root *root)
{
    struct mend_message m = {.arg[MEND_ACT_COUNTER] = sum(root, MEND_ACTED_COUNTER)};

    tell(root, &m, MEND_STARTER_START, true);
}

/* With `soft` fewer than asked for were enough: the last of each block are not there. */
static void note_unwanted(struct root_request *q)
{
    int32_t *error = mend_spawn_errors(q->file.h);

    for (int i = 0; i < q->blocks_n; error += q->blocks[i++].asked_n)
        for (int k = q->n[i]; k < q->blocks[i].asked_n; k++)
            error[k] = ENOSPC;
}

static bool has_error(const struct root_request *q)
{
    for (uint32_t k = 0; k < q->asked_n; k++)
        if (mend_spawn_errors(q->file.h)[k])
            return true;
    return false;
}

/* Without another reason. */
static void note_lost(const struct root *root, struct root_request *q)
{
    int32_t *error = mend_spawn_errors(q->file.h);
    int lost = -1;

    for (int k = 0; k < root->nodes_n; k++)
        if (q->on_node[k] && !mend_root_is_there(&root->node[k]))
            lost = k;
    if (lost >= 0 && !has_error(q))
        snprintf(q->why, sizeof(q->why), "node %d (%.64s) was lost before all were started there",
                 lost, mend_root_host_of(root, lost));
    for (uint32_t k = 0; lost >= 0 && k < q->asked_n; k++)
        error[k] = error[k] ? error[k] : EHOSTDOWN;
}

static void report_places(struct root *root, int first, int n)
{
    for (int i = first; i < first + n && root->nodes_n > 1; i++)
        mend_root_report(root, mend_time_monotonic_ns() - root->start_ns, place, .rank = i,
                         .node = root->rank[i].node);
}

static void say_answer(struct root *root, struct root_request *q)
{
    static const enum mend_spawn_answer answers[] = {
        [MEND_STARTER_STARTED] = MEND_SPAWN_STARTED,
        [MEND_STARTER_FAILED] = MEND_SPAWN_FAILED,
        [MEND_STARTER_FULL] = MEND_SPAWN_FULL,
    };

    if (q->starter.answer == MEND_STARTER_STARTED) {
        for (int k = 0; k < root->nodes_n; k++)
            root->node[k].living += q->on_node[k];
        mend_root_report(root, mend_time_monotonic_ns() - root->start_ns, spawn, .by = q->rank,
                         .first = q->first, .ranks = q->total_n);
        report_places(root, q->first, q->total_n);
        note_unwanted(q);
    } else if (q->starter.answer == MEND_STARTER_FAILED) {
        note_lost(root, q);
    }
    answer(q, answers[q->starter.answer]);
}

/* Begins what is to be done. */
static void post(struct root *root, struct root_request *q, mend_time_ns now)
{
    struct mend_message m = {0};

    q->posted = true;
    switch ((enum mend_starter_act)q->starter.act) {
    case MEND_STARTER_COUNT:
        m.arg[MEND_ACT_SHORT] = q->is_short;
        tell(root, &m, MEND_STARTER_COUNT, true);
        break;
    case MEND_STARTER_HOLD:
        q->again_at = now + ROOM_LOOK_NS;
        break;
    case MEND_STARTER_FIND:
        find(root, q);
        break;
    case MEND_STARTER_ADMIT:
        note_names(root, q);
        tell(root, &m, MEND_STARTER_ADMIT, true);
        break;
    case MEND_STARTER_START:
        start(root);
        break;
    case MEND_STARTER_WITHDRAW:
        tell(root, &m, MEND_STARTER_WITHDRAW, false);
        break;
    case MEND_STARTER_ANSWER:
        say_answer(root, q);
        break;
    case MEND_STARTER_END:
        break;
    }
}

/* False: it goes on. */
static bool has_ended(struct root *root, struct root_request *q, mend_time_ns now,
                      struct mend_starter_event *ev)
{
    if (is_asked(root))
        return false;
    switch ((enum mend_starter_act)q->starter.act) {
    case MEND_STARTER_COUNT:
        count(root, q, now, ev);
        if (ev->good || ev->never || q->is_short)
            return true;
        q->is_short = true;
        post(root, q, now);
        return has_ended(root, q, now, ev);
    case MEND_STARTER_ADMIT:
        return is_admitted(root, q, &ev->good);
    default:
        ev->good = are_good(root, q);
        return true;
    }
}

/* All processes of the nodes are started in one act. */
static void step(struct root_request *q, const struct mend_starter_event *ev)
{
    bool starts = q->starter.act == MEND_STARTER_START;

    do
        mend_starter_step(&q->starter, ev);
    while (starts && q->starter.act == MEND_STARTER_START);
    q->posted = false;
}

/* ---- one after the other ---- */

/* The next request that is due; *next_p: when to look again. */
static struct root_request *next_due(struct root *root, mend_time_ns now, mend_time_ns *next_p)
{
    mend_list_foreach (l, behind, &root->requests) {
        struct root_request *q = mend_list_entry(l, struct root_request, link);

        if (now >= q->again_at) {
            mend_list_remove(&q->link);
            return q;
        }
        *next_p = q->again_at < *next_p ? q->again_at : *next_p;
    }
    return NULL;
}

static void refuse(struct root *root, struct root_request *q)
{
    if (q->fd >= 0)
        mend_root_say(root, "mend: a damaged request for processes from rank %d was refused",
                      q->rank);
    answer(q, MEND_SPAWN_FAILED);
    forget(q);
}

/* False: it waits for agents. */
static bool carry_out(struct root *root, struct root_request *q, mend_time_ns now)
{
    while (q->starter.act != MEND_STARTER_END) {
        struct mend_starter_event ev = {0};

        if (!q->posted)
            post(root, q, now);
        if (q->starter.act == MEND_STARTER_HOLD) {
            step(q, &ev);
            mend_list_append(&root->requests, &q->link);
            return true;
        }
        if (!has_ended(root, q, now, &ev))
            return false;
        step(q, &ev);
    }
    tell(root, &(struct mend_message){0}, MEND_STARTER_END, false);
    forget(q);
    return true;
}

mend_time_ns mend_root_place(struct root *root, mend_time_ns now)
{
    mend_time_ns next = MEND_TIME_NEVER;

    for (;;) {
        if (!root->request && !mend_root_name_guests(root))
            return MEND_TIME_NEVER;
        if (!root->request)
            root->request = next_due(root, now, &next);
        if (!root->request)
            return next;
        if (root->request->blocks_n < 0)
            refuse(root, root->request);
        else if (!root->request->posted && !mend_root_is_there(root->request->by))
            forget(root->request);
        else if (!carry_out(root, root->request, now))
            return MEND_TIME_NEVER;
        root->request = NULL;
    }
}
