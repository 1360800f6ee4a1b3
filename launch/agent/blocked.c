/* SPDX-License-Identifier: BSD-3-Clause */
/* blocked.c – injections at in:CALL:RANKS, which happen when all of these ranks wait in that call.
 *
 *   it sleeps ──asked──> its answer (life/waits.c) is "in CALL..." ──all, and all once more──> the injection
 *
 * While such an injection is open the agent looks every millisecond.  Only a rank that sleeps is asked, so ranks that
 * compute or move data are not disturbed.  All answer twice, because the first to answer may have gone on meanwhile.  The
 * look ends when the rank that it happens to or a rank that should wait has ended; a rank that never waits there is a matter of
 * --timeout. */
#include "agent/agent.h"

#include <stdlib.h>
#include <string.h>

#define LOOK_NS     1000000
#define ROUNDS      2
#define CALL_PREFIX "in "

static struct mend_node_rank *shared(struct agent *agent, int rank)
{
    return agent->rank[rank].shared;
}

/* "in MPI_Recv: waits for ...", or another thread's wait behind that. */
static bool names(const char *text, const char *call)
{
    size_t len = strlen(call);

    while ((text = strstr(text, CALL_PREFIX)) != NULL) {
        text += strlen(CALL_PREFIX);
        if (!strncmp(text, call, len) && strchr(": ", text[len]))
            return true;
    }
    return false;
}

static bool waits_there(struct agent *agent, const struct mend_injection *in, int rank)
{
    char text[MEND_NODE_WAIT_BYTES];

    memcpy(text, shared(agent, rank)->wait_text, sizeof(text));
    text[sizeof(text) - 1] = '\0';
    return names(text, in->what.call);
}

/* The victim, too, is behind MPI_Init: what it prepares before, such as a mask of signals, is done. */
static bool has_begun(struct agent *agent, int rank)
{
    return mend_rank_presence(agent, rank) >= MEND_PRESENCE_IN_MPI;
}

static bool sleeps(struct agent *agent, int rank)
{
    /* relaxed: the answer to a question decides */
    return has_begun(agent, rank) && mend_load_relaxed(&shared(agent, rank)->armed);
}

/* One step with one rank; returns whether it has answered in this round that it waits there. */
static bool look_at(struct agent *agent, struct mend_injection *in, struct mend_waiter *w)
{
    if (!sleeps(agent, w->rank)) {
        w->asked = w->there = false;
        in->rounds = 0;
    } else if (w->asked) {
        /* acquire: pairs with the release in on_signal(), after the text */
        w->asked = mend_load_acquire(&shared(agent, w->rank)->wait_seq) == w->seq;
        w->there = !w->asked && waits_there(agent, in, w->rank);
        in->rounds = w->asked || w->there ? in->rounds : 0;
    } else if (!w->there) {
        w->seq = mend_load_acquire(&shared(agent, w->rank)->wait_seq);
        w->asked = mend_rank_signal(&agent->rank[w->rank], MEND_SIG_REPORT);
    }
    return w->there;
}

static bool all_wait(struct agent *agent, struct mend_injection *in)
{
    bool all = has_begun(agent, in->rank);

    for (int i = 0; i < in->waiters_n; i++)
        all &= look_at(agent, in, &in->waiters[i]);
    if (!all || ++in->rounds == ROUNDS)
        return all;
    for (int i = 0; i < in->waiters_n; i++)
        in->waiters[i].there = false;
    return false;
}

static bool can_happen(struct agent *agent, const struct mend_injection *in)
{
    for (int i = 0; i < in->waiters_n; i++)
        if (mend_rank_has_ended(&agent->rank[in->waiters[i].rank]))
            return false;
    return !mend_rank_has_ended(&agent->rank[in->rank]);
}

mend_time_ns mend_blocked_look(struct agent *agent, mend_time_ns now)
{
    mend_time_ns next = MEND_TIME_NEVER;

    for (int i = 0; i < agent->o->injections_n; i++) {
        struct mend_injection *in = &agent->o->injections[i];

        if (in->what.at != MEND_INJECT_AT_WAIT || in->happened || !can_happen(agent, in))
            continue;
        if (all_wait(agent, in))
            mend_agent_inject(agent, in);
        else
            next = now + LOOK_NS;
    }
    return next;
}
