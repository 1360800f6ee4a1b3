/* SPDX-License-Identifier: BSD-3-Clause */
/* inject.c – injections of --inject that wait for a time or for ranks in a call, and whether all have happened.
 *
 *   at a time     the root tells the agent of the rank
 *   in:CALL:RANKS asked: do they wait there? ── all agents of these ranks say yes, twice ──> the root tells the agent
 *   elsewhere     the rank watches the places of the library, and its agent says when one happens; if it is meant for the rank's node
 *                 the rank waits there, and the root tells the agent (agent/outage.h)
 *
 * Ranks of two nodes are not seen at one moment, so agents are asked twice: who waited when the second question was asked and waits when
 * it is answered waits in between, unless it goes on to a call of the same name.  Injections that did not are reported when the job is over and make it fail, because a test would otherwise
 * pass without showing anything. */
#include "root/hint.h"
#include "root/root.h"

#include "base/time.h"

#include <signal.h>
#include <stdlib.h>

#define ROUNDS 2 /* so often all ranks are found waiting */

void mend_root_say_injections(struct root *root)
{
    for (int i = 0; i < root->o->injections_n; i++)
        if (root->o->injections[i].said)
            mend_root_say(root, "%s", root->o->injections[i].said);
}

/* ---- times ---- */

static int by_delay(const void *a, const void *b, void *injections)
{
    const struct mend_injection *in = injections;
    mend_time_ns x = in[*(const int *)a].what.delay_ns, y = in[*(const int *)b].what.delay_ns;

    return x < y ? -1 : x > y;
}

void mend_root_list_timed(struct root *root)
{
    root->timed = mend_xalloc((size_t)root->o->injections_n, sizeof(*root->timed));
    for (int i = 0; i < root->o->injections_n; i++)
        if (root->o->injections[i].what.at == MEND_INJECT_AT_TIME)
            root->timed[root->timed_n++] = i;
    qsort_r(root->timed, (size_t)root->timed_n, sizeof(*root->timed), by_delay,
            root->o->injections);
}

/* All of its ranks are in the report, as if it had happened to each. */
static void strike(struct root *root, int k)
{
    struct mend_injection *in = &root->o->injections[k];
    struct root_node *node = &root->node[in->node];

    if (in->done || !mend_root_is_there(node))
        return;
    in->done = true;
    for (int i = 0; i < root->n; i++)
        if (mend_root_is_of(root, i, node))
            mend_root_report(root, mend_time_monotonic_ns() - root->start_ns, inject, .rank = i,
                             .what = in->value);
    mend_post(&node->agent,
              &(struct mend_message){.kind = MEND_DOWN_INJECT, .rank = -1, .arg = {k}});
}

static void carry_out(struct root *root, int k)
{
    int rank = root->o->injections[k].rank;

    if (root->o->injections[k].node >= 0) {
        strike(root, k);
        return;
    }
    mend_post(&root->node[mend_root_node_of(root, rank)].agent,
              &(struct mend_message){.kind = MEND_DOWN_INJECT, .rank = rank, .arg = {k}});
}

static mend_time_ns look_at_times(struct root *root, mend_time_ns now)
{
    for (; root->injected_n < root->timed_n; root->injected_n++) {
        int k = root->timed[root->injected_n];
        mend_time_ns at = root->running_ns + root->o->injections[k].what.delay_ns;

        if (now < at)
            return at;
        carry_out(root, k);
    }
    return MEND_TIME_NEVER;
}

/* ---- waits ---- */

void mend_root_list_blocked(struct root *root)
{
    root->blocked = mend_xalloc((size_t)root->o->injections_n, sizeof(*root->blocked));
    for (int i = 0; i < root->o->injections_n; i++)
        root->blocked[i].restart = root->o->injections[i].what.at == MEND_INJECT_AT_WAIT;
}

static bool concerns(const struct root *root, const struct mend_injection *in, int node)
{
    for (int i = 0; i < in->waiters_n; i++)
        if (mend_root_node_of(root, in->waiters[i].rank) == node)
            return true;
    return mend_root_node_of(root, in->rank) == node;
}

static void ask(struct root *root, int k)
{
    struct root_blocked *b = &root->blocked[k];
    struct mend_message m = {.kind = MEND_DOWN_BLOCKED, .rank = -1};

    b->restart = false;
    b->open_n = 0;
    m.arg[0] = k;
    m.arg[1] = ++b->question;
    m.arg[2] = b->rounds > 0;
    for (int i = 0; i < root->nodes_n; i++)
        if (concerns(root, &root->o->injections[k], i)) {
            b->open_n++;
            mend_post(&root->node[i].agent, &m);
        }
}

void mend_root_note_blocked(struct root *root, const struct mend_message *m)
{
    struct root_blocked *b;

    if (m->arg[0] < 0 || m->arg[0] >= root->o->injections_n)
        return;
    b = &root->blocked[m->arg[0]];
    if (m->arg[1] != b->question)
        return;
    b->open_n--;
    b->restart |= !m->arg[2];
}

/* Returns whether something was asked, which the agent in this process looks at next. */
static bool look_at_blocked(struct root *root, int k)
{
    struct root_blocked *b = &root->blocked[k];

    if (b->restart) {
        b->rounds = 0;
    } else {
        if (!b->question || b->open_n)
            return false;
        if (++b->rounds == ROUNDS) {
            b->question = 0;
            carry_out(root, k);
            return false;
        }
    }
    ask(root, k);
    return true;
}

/* Its lowest rank is there. */
static bool is_reached(const struct mend_injection *in)
{
    return in->node >= 0 && in->happened && !in->done &&
           (in->what.at == MEND_INJECT_AT_EVENT || in->what.at == MEND_INJECT_AT_CALL);
}

mend_time_ns mend_root_inject(struct root *root, mend_time_ns now)
{
    bool asked = false;

    if (!root->running_ns)
        return MEND_TIME_NEVER; /* they are looked at again when the last node says so */
    for (int k = 0; k < root->o->injections_n; k++) {
        asked |= look_at_blocked(root, k);
        if (is_reached(&root->o->injections[k]))
            strike(root, k);
    }
    return asked ? now : look_at_times(root, now);
}

/* ---- happening ---- */

void mend_root_injected(struct root *root, int rank, int number)
{
    for (int i = 0; i < root->o->injections_n; i++) {
        struct mend_injection *in = &root->o->injections[i];

        if (in->rank == rank && in->number == number)
            in->happened = true;
    }
}

/* The signal may have come to a process that had ended by itself: how it ended tells. */
static bool happened(const struct root *root, const struct mend_injection *in)
{
    const struct root_rank *r;

    if (in->node >= 0)
        return in->done;
    r = &root->rank[in->rank];
    if ((in->what.at == MEND_INJECT_AT_TIME || in->what.at == MEND_INJECT_AT_WAIT) &&
        in->what.action == MEND_INJECT_KILL && !r->in_script)
        return in->happened && !r->exited && r->status == SIGKILL;
    return in->happened;
}

static const char *why_not(const struct root *root, const struct mend_injection *in)
{
    if (in->rank >= 0 && mend_rank_end_is_death(&root->rank[in->rank].end))
        return "had died before";
    if (in->what.at == MEND_INJECT_AT_WAIT)
        return "was not touched, as the others never all waited in that call";
    return in->what.at == MEND_INJECT_AT_TIME ? "had ended before" : "did not get there";
}

/* It may have happened, and the agent had no time to say so. */
static bool is_unknown(struct root *root, const struct mend_injection *in)
{
    const struct root_node *node =
        in->rank >= 0 ? &root->node[mend_root_node_of(root, in->rank)] : NULL;

    if (!node || node->state != NODE_LOST ||
        (in->what.at != MEND_INJECT_AT_EVENT && in->what.at != MEND_INJECT_AT_CALL))
        return false;
    mend_root_say(root,
                  "mend: whether the injection %s happened is not known: node %d (%s) is lost",
                  in->value, node->number, mend_root_host_of(root, node->number));
    return true;
}

bool mend_root_missed(struct root *root)
{
    bool missed = false;

    for (int i = 0; i < root->o->injections_n; i++) {
        const struct mend_injection *in = &root->o->injections[i];

        if (in->may_miss || happened(root, in) || is_unknown(root, in))
            continue;
        missed = true;
        mend_root_say(root, "mend: the injection %s never happened: %s %d %s", in->value,
                      in->rank >= 0 ? "rank" : "node", in->rank >= 0 ? in->rank : in->node,
                      why_not(root, in));
    }
    return missed;
}
