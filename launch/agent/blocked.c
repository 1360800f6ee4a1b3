/* SPDX-License-Identifier: BSD-3-Clause */
/* blocked.c – injections at in:CALL:RANKS, which happen when all of these ranks wait in that call: what this node knows of it.
 *
 *   question of the root ──> it sleeps ──asked──> its answer (life/waits.c) is "in CALL..." ──all of this node──> the root
 *
 * While a question is open the agent looks every millisecond.  A rank that sleeps is asked at once.  One that does not may
 * compute or move data, and is asked rarely: with a core of its own it may wait without sleep.  The root asks twice (root/inject.c), because the first to answer may have gone on
 * meanwhile; the second question is answered with no as soon as one does not wait.  The look ends when the rank that it happens to
 * or a rank that should wait has ended; a rank that never waits there is a matter of --timeout. */
#include "agent/waits.h"

#include "agent/ranks.h"
#include "agent/tell.h"

#include <stdlib.h>
#include <string.h>

#define LOOK_NS     1000000
#define LOOKS       32 /* between two questions to a rank that does not sleep */
#define CALL_PREFIX "in "

static struct mend_node_rank *shared(struct mend_ranks *ranks, int rank)
{
    return ranks->rank[rank].shared;
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

static bool waits_there(struct mend_ranks *ranks, const struct mend_injection *in, int rank)
{
    char text[MEND_NODE_WAIT_BYTES];

    memcpy(text, shared(ranks, rank)->wait_text, sizeof(text));
    text[sizeof(text) - 1] = '\0';
    return names(text, in->what.call);
}

/* The victim, too, is behind MPI_Init: what it prepares before, such as a mask of signals, is done. */
static bool has_begun(struct mend_ranks *ranks, int rank)
{
    return mend_rank_presence(ranks, rank) >= MEND_PRESENCE_IN_MPI;
}

static bool sleeps(struct mend_ranks *ranks, int rank)
{
    /* relaxed: the answer to a question decides */
    return has_begun(ranks, rank) && mend_load_relaxed(&shared(ranks, rank)->armed);
}

static void ask(struct mend_ranks *ranks, struct mend_waiter *w)
{
    w->seq = mend_load_acquire(&shared(ranks, w->rank)->wait_seq);
    if (mend_rank_signal(&ranks->rank[w->rank], MEND_SIG_REPORT))
        w->state = MEND_WAITER_ASKED;
}

/* acquire: pairs with the release in on_signal(), after the text */
static bool has_answered(struct mend_ranks *ranks, const struct mend_waiter *w)
{
    return mend_load_acquire(&shared(ranks, w->rank)->wait_seq) != w->seq;
}

/* One step with one rank. */
static void look_at(struct mend_ranks *ranks, struct mend_injection *in, struct mend_waiter *w)
{
    bool sleeping = sleeps(ranks, w->rank), woke = w->slept && !sleeping;

    w->slept = sleeping;
    if (w->state == MEND_WAITER_ELSEWHERE && !in->hasty)
        w->state = MEND_WAITER_OPEN;
    if (w->state != MEND_WAITER_OPEN && woke)
        w->state = MEND_WAITER_ELSEWHERE;
    else if (w->state == MEND_WAITER_ASKED && has_answered(ranks, w))
        w->state = waits_there(ranks, in, w->rank) ? MEND_WAITER_THERE : MEND_WAITER_ELSEWHERE;
    else if (w->state == MEND_WAITER_OPEN && has_begun(ranks, w->rank) &&
             (sleeping || ++w->looks_n % LOOKS == 0))
        ask(ranks, w);
}

static bool is_ours(const struct mend_ranks *ranks, int rank)
{
    return mend_rank_is_ours(&ranks->rank[rank]);
}

static void look_at_all(struct mend_ranks *ranks, const struct mend_tell *tell,
                        const struct mend_options *o, struct mend_injection *in)
{
    bool all = !is_ours(ranks, in->rank) || has_begun(ranks, in->rank), no = false;

    for (int i = 0; i < in->waiters_n; i++)
        if (is_ours(ranks, in->waiters[i].rank)) {
            look_at(ranks, in, &in->waiters[i]);
            all &= in->waiters[i].state == MEND_WAITER_THERE;
            no |= in->waiters[i].state == MEND_WAITER_ELSEWHERE;
        }
    if (!all && !(in->hasty && no))
        return;
    mend_tell_blocked(tell, in->question, (int)(in - o->injections), all);
    in->question = 0;
}

static bool can_happen(struct mend_ranks *ranks, const struct mend_injection *in)
{
    for (int i = 0; i < in->waiters_n; i++)
        if (is_ours(ranks, in->waiters[i].rank) &&
            mend_rank_has_ended(&ranks->rank[in->waiters[i].rank]))
            return false;
    return !is_ours(ranks, in->rank) || !mend_rank_has_ended(&ranks->rank[in->rank]);
}

void mend_blocked_ask(struct mend_options *o, const struct mend_message *m)
{
    struct mend_injection *in;

    if (m->arg[0] < 0 || m->arg[0] >= o->injections_n)
        return;
    in = &o->injections[m->arg[0]];
    in->question = m->arg[1];
    in->hasty = m->arg[2];
    for (int i = 0; i < in->waiters_n; i++)
        in->waiters[i].state = MEND_WAITER_OPEN;
}

mend_time_ns mend_blocked_look(struct mend_ranks *ranks, const struct mend_tell *tell,
                               struct mend_options *o, mend_time_ns now)
{
    mend_time_ns next = MEND_TIME_NEVER;

    for (int i = 0; i < o->injections_n; i++) {
        struct mend_injection *in = &o->injections[i];

        if (!in->question || !can_happen(ranks, in))
            continue;
        look_at_all(ranks, tell, o, in);
        if (in->question)
            next = now + LOOK_NS;
    }
    return next;
}
