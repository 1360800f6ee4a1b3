/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.c – the root and nodes below other nodes (ft/lineage_sm.h): over which connection the stream of each goes, which agent grants its
 * lease, and who is lost together.
 *
 *   a call      of an agent, at the root itself (agents.c) or passed on (agent/relay.c): its stream goes on over that connection
 *   a turn      of a lease: the agent that it has turned to, or this process, has asked; the answer goes back there
 *   a loss      a lease is over, or a keeper says that nothing is left: the lineage says which nodes that are, and all are buried at once
 *
 * The two are apart: a stream may go over one agent while another still grants the lease, for as long as it takes to turn.
 *
 * A stream that goes over an agent that is lost ends with its next call, or with its own loss.  Until then what is sent over it goes
 * nowhere and is kept, as after the end of a connection (share/wire.h). */
#include "root/root.h"

#include "base/time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mend_root_open_tree(struct root *root, int radix)
{
    struct mend_lineage *x = malloc(mend_lineage_size(root->nodes_n));

    root->tree_at = MEND_TIME_NEVER;
    root->lineage = x;
    if (x)
        mend_lineage_init(x, &root->beats.config, root->nodes_n, radix, mend_fence_now());
    return x != NULL;
}

/* ---- who is lost ---- */

/* Those that may have granted it a lease shall not do so again. */
static void tell_its_ancestors(const struct root *root, int number)
{
    const struct mend_lineage *x = root->lineage;
    const struct mend_message m = {.kind = MEND_DOWN_CHILD_DECLARED,
                                   .rank = -1,
                                   .arg = {number, x->node[number].turn.incarnation}};

    for (int a = mend_lineage_parent(x->radix, number); a > 0; a = mend_lineage_parent(x->radix, a))
        if (mend_root_is_there(&root->node[a]))
            mend_post(&root->node[a].agent, &m);
}

/* Of those that are lost with another one the user reads which that is. */
static void bury(struct root *root, int number, int first, const char *how)
{
    char below[96];

    if (number != first) {
        snprintf(below, sizeof(below), "its lease came from node %d, which is lost",
                 root->lineage->node[number].parent);
        how = below;
    }
    mend_beats_declare(&root->beats, number, root->lineage->node[number].turn.incarnation);
    tell_its_ancestors(root, number);
    mend_root_bury(&root->node[number], how);
}

static enum mend_lineage_answer step(struct root *root, struct mend_lineage_event ev,
                                     const char *how)
{
    struct mend_lineage_out out;
    int32_t lost;

    ev.now = mend_fence_now();
    mend_lineage_step(root->lineage, &ev, &out);
    root->tree_at = out.wake_at;
    while (mend_lineage_lost(root->lineage, &lost))
        bury(root, lost, ev.node, how);
    return out.answer;
}

void mend_root_lose(struct root_node *node, const char *how)
{
    struct root *root = node->root;

    if (root->ended || node->state == NODE_LOST)
        return;
    step(root,
         (struct mend_lineage_event){.kind = MEND_LINEAGE_EV_GONE,
                                     .node = node->number,
                                     .turn = root->lineage->node[node->number].turn},
         how);
}

/* Its parent has not heard it for so long. */
static void on_silence(struct root_node *node, int by, struct mend_lease_turn turn,
                       mend_time_ns silent)
{
    struct root *root = node->root;
    char how[64] = "it can be heard, and hears nothing";

    node->has_left |= root->ended;
    if (root->ended || node->state == NODE_LOST)
        return;
    if (silent < root->beats.config.lease_ns && mend_root_has_no_lease(node))
        return;
    if (silent >= root->beats.config.lease_ns)
        snprintf(how, sizeof(how), "no sign of life for %.1f s", (double)silent / 1e9);
    step(root,
         (struct mend_lineage_event){
             .kind = MEND_LINEAGE_EV_LOST, .node = node->number, .by = by, .turn = turn},
         how);
}

/* ---- whose lease comes from where ---- */

/* NO_ANSWER: old news. */
static enum mend_lineage_answer adopt(struct root *root, int number, int by,
                                      struct mend_lease_turn turn)
{
    return step(root,
                (struct mend_lineage_event){
                    .kind = MEND_LINEAGE_EV_ADOPT, .node = number, .by = by, .turn = turn},
                NULL);
}

static void on_asks(struct root_node *via, int number, struct mend_lease_turn turn)
{
    enum mend_lineage_answer answer = adopt(via->root, number, via->number, turn);

    if (answer == MEND_LINEAGE_NO_ANSWER)
        return;
    mend_post(&via->agent, &(struct mend_message){.kind = answer == MEND_LINEAGE_ADOPTED
                                                              ? MEND_DOWN_CHILD_ADOPTED
                                                              : MEND_DOWN_CHILD_DECLARED,
                                                  .rank = -1,
                                                  .arg = {number, turn.incarnation, turn.turn}});
}

static void on_asks_here(struct root *root, int number, struct mend_lease_turn turn)
{
    enum mend_lineage_answer answer = adopt(root, number, 0, turn);

    if (answer == MEND_LINEAGE_ADOPTED)
        mend_beats_adopt(&root->beats, number, turn);
    else if (answer == MEND_LINEAGE_DECLARED)
        mend_beats_declare(&root->beats, number, turn.incarnation);
}

void mend_root_hear_beats(struct root *root)
{
    struct mend_lease_turn turn;
    mend_time_ns silent;
    int k;

    while ((k = mend_beats_next_lost(&root->beats, &turn, &silent)) >= 0)
        on_silence(&root->node[k], 0, turn, silent);
    while ((k = mend_beats_next_asking(&root->beats, &turn)) >= 0)
        on_asks_here(root, k, turn);
}

/* The clock of leases counts the time during which the machine sleeps. */
mend_time_ns mend_root_look_at_tree(struct root *root, mend_time_ns now)
{
    mend_time_ns own = root->nodes_n > 1 ? mend_fence_now() : 0;

    if (root->nodes_n == 1 || root->tree_at == MEND_TIME_NEVER)
        return MEND_TIME_NEVER;
    if (own >= root->tree_at)
        step(root, (struct mend_lineage_event){.kind = MEND_LINEAGE_EV_TICK, .node = -1},
             "no agent has taken it in");
    return root->tree_at == MEND_TIME_NEVER ? root->tree_at
           : root->tree_at > own            ? now + (root->tree_at - own)
                                            : now;
}

/* ---- over which connection its stream goes ---- */

static void tell(const struct root_node *via, enum mend_message_kind kind, int64_t number,
                 int64_t call, int64_t yes, uint64_t taken)
{
    mend_post(&via->agent, &(struct mend_message){.kind = kind,
                                                  .rank = -1,
                                                  .arg = {number, call, yes, (int64_t)taken}});
}

/* The answer leaves before what is kept for it. */
static void on_calls(struct root_node *via, struct root_node *node, const struct mend_message *m)
{
    const struct mend_message frame = {
        .kind = MEND_DOWN_CHILD, .rank = -1, .arg = {node->number, m->arg[1]}};
    bool good = mend_root_is_welcome(node);

    tell(via, MEND_DOWN_CHILD_CALLED, node->number, m->arg[1], good, node->wire.taken);
    if (!good)
        return;
    if (node->wire.fd >= 0)
        mend_loop_drop(via->root->loop, node->wire.fd);
    node->carrier = via->number;
    node->call = m->arg[1];
    if (mend_wire_carry(&node->wire, &via->agent, &frame, (uint64_t)m->arg[2]))
        mend_root_connected(node, &via->reached);
    else
        tell(via, MEND_DOWN_CHILD_ENDS, node->number, m->arg[1], 0, 0);
}

void mend_root_end_call(struct root_node *node)
{
    tell(&node->root->node[node->carrier], MEND_DOWN_CHILD_ENDS, node->number, node->call, 0, 0);
}

static bool is_its_connection(const struct root_node *via, const struct root_node *node,
                              const struct mend_message *m)
{
    return node->carrier == via->number && node->call == m->arg[1] && node->wire.over.deliver;
}

static void on_bytes(struct root_node *via, struct root_node *node, const struct mend_message *m)
{
    struct mend_post post = mend_root_post(node);

    if (mend_wire_take(&node->wire, m->data, m->len, &post))
        return;
    tell(via, MEND_DOWN_CHILD_ENDS, node->number, m->arg[1], 0, 0);
    mend_root_disconnected(node);
}

void mend_root_hear_below(struct root_node *via, const struct mend_message *m)
{
    struct root *root = via->root;
    const struct mend_lease_turn turn = {(uint32_t)m->arg[1], (uint32_t)m->arg[2]};
    int number = (int)m->arg[0];
    struct root_node *node;

    if (!root->lineage || number < 1 || number >= root->nodes_n ||
        !mend_lineage_is_ancestor(root->lineage->radix, via->number, number))
        return;
    node = &root->node[number];
    switch (m->kind) {
    case MEND_UP_CHILD_CALLS:
        on_calls(via, node, m);
        break;
    case MEND_UP_CHILD:
        if (is_its_connection(via, node, m))
            on_bytes(via, node, m);
        break;
    case MEND_UP_CHILD_ENDS:
        if (is_its_connection(via, node, m))
            mend_root_disconnected(node);
        break;
    case MEND_UP_CHILD_GONE:
        node->is_gone = true;
        break;
    case MEND_UP_CHILD_ASKS:
        on_asks(via, number, turn);
        break;
    case MEND_UP_CHILD_LOST:
        on_silence(node, via->number, turn, (mend_time_ns)m->arg[3]);
        break;
    default:
        mend_root_fail_to_start(node, (enum mend_brood_failure)m->arg[1], (int)m->arg[2], m->data);
    }
}
