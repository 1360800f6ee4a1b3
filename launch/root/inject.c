/* SPDX-License-Identifier: BSD-3-Clause */
/* inject.c – injections of --inject that wait for a time, and whether all have happened.
 *
 * The rank watches the places of the library, and the agent of a rank waits (agent/blocked.c); both say when
 * one happens.  Injections that did not are reported when the job is over and make it fail, because a test would otherwise
 * pass without showing anything. */
#include "root/root.h"

#include <signal.h>
#include <stdlib.h>

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

mend_time_ns mend_root_inject(struct root *root, mend_time_ns now)
{
    for (; root->injected_n < root->timed_n; root->injected_n++) {
        int k = root->timed[root->injected_n];
        mend_time_ns at = root->running_ns + root->o->injections[k].what.delay_ns;

        if (!root->running_ns)
            return MEND_TIME_NEVER; /* they are looked at again when the last node says so */
        if (now < at)
            return at;
        mend_post(&root->node[mend_root_node_of(root, root->o->injections[k].rank)].agent,
                  &(struct mend_message){
                      .kind = MEND_DOWN_INJECT, .rank = root->o->injections[k].rank, .arg = {k}});
    }
    return MEND_TIME_NEVER;
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
    const struct root_rank *r = &root->rank[in->rank];

    if ((in->what.at == MEND_INJECT_AT_TIME || in->what.at == MEND_INJECT_AT_WAIT) &&
        in->what.action == MEND_INJECT_KILL && !r->in_script)
        return in->happened && !r->exited && r->status == SIGKILL;
    return in->happened;
}

static const char *why_not(const struct root *root, const struct mend_injection *in)
{
    if (mend_rank_end_is_death(&root->rank[in->rank].end))
        return "had died before";
    if (in->what.at == MEND_INJECT_AT_WAIT)
        return "was not touched, as the others never all waited in that call";
    return in->what.at == MEND_INJECT_AT_TIME ? "had ended before" : "did not get there";
}

bool mend_root_missed(struct root *root)
{
    bool missed = false;

    for (int i = 0; i < root->o->injections_n; i++) {
        const struct mend_injection *in = &root->o->injections[i];

        if (in->may_miss || happened(root, in))
            continue;
        missed = true;
        mend_root_say(root, "mend: the injection %s never happened: rank %d %s", in->value,
                      in->rank, why_not(root, in));
    }
    return missed;
}
