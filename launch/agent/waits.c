/* SPDX-License-Identifier: BSD-3-Clause */
/* waits.c – what each rank of this node waits for, when the root asks.
 *
 * A rank that runs MPI answers MEND_SIG_REPORT by writing a line into the segment.  It gets 200 ms for its answer, and
 * a second if it got no processor in that time; for a rank that does not answer, the kernel says what it did. */
#include "agent/waits.h"

#include "agent/ranks.h"
#include "agent/tell.h"

#include "agent/procfs.h"
#include "rt/wire.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_TURNS   40
#define PATIENT_TURNS  200
#define ANSWER_TURN_US 5000

/* A rank that was asked. */
struct asked {
    bool open;           /* it has not answered */
    uint32_t seq, first; /* of the last question, of the first one */
    uint64_t ran_ns;
};

static struct mend_node_rank *shared(struct mend_ranks *ranks, int i)
{
    return ranks->rank[i].shared;
}

static bool can_answer(struct mend_ranks *ranks, const struct rank *r)
{
    enum mend_presence presence = mend_rank_presence(ranks, r->index);

    return r->state.child == MEND_CHILD_RUNNING &&
           (presence == MEND_PRESENCE_IN_MPI || presence == MEND_PRESENCE_LEAVING);
}

static bool answered(struct mend_ranks *ranks, int i, uint32_t before)
{
    /* acquire: pairs with the release in on_signal(), after the text */
    return mend_load_acquire(&shared(ranks, i)->wait_seq) != before;
}

/* It could run, and has not since it was asked. */
static bool starves(const struct rank *r, const struct asked *a)
{
    uint64_t ran_ns;

    return mend_procfs_state(mend_rank_named(r)) == 'R' &&
           mend_procfs_ran(mend_rank_named(r), &ran_ns) && ran_ns == a->ran_ns;
}

static const char *why_silent(const struct rank *r, const struct asked *a)
{
    if (starves(r, a))
        return "does not answer: it could run, but gets no processor";
    switch (mend_procfs_state(mend_rank_named(r))) {
    case 'T':
        return "stopped by a signal";
    case 't':
        return "stopped by a debugger";
    case 'D':
        return "does not answer: it is in a system call that cannot be interrupted";
    default:
        return "does not answer: the program handles or blocks SIGUSR1 itself";
    }
}

static void tell_one(struct mend_ranks *ranks, const struct mend_tell *tell, const struct rank *r,
                     const struct asked *a, int64_t question)
{
    struct mend_node_rank *s = shared(ranks, r->index);
    enum mend_presence presence = mend_rank_presence(ranks, r->index);
    char text[MEND_NODE_WAIT_BYTES];
    const char *what;

    memcpy(text, s->wait_text, sizeof(text));
    text[sizeof(text) - 1] = '\0';
    if (r->has_left)
        what = "has ended";
    else if (mend_rank_is_dead(ranks, r->index))
        what = "dead";
    else if (mend_rank_has_ended(r))
        what = "has ended";
    else if (r->state.child == MEND_CHILD_STOPPED)
        what = "stopped by a signal";
    else if (presence == MEND_PRESENCE_NONE)
        what = "has not called MPI_Init";
    else if (presence == MEND_PRESENCE_STARTING)
        what = "in MPI_Init";
    else if (presence == MEND_PRESENCE_LEFT)
        what = "behind MPI_Finalize";
    else if (presence == MEND_PRESENCE_AWAY)
        what = "without a session";
    else
        what = answered(ranks, r->index, a->first) ? text : why_silent(r, a);
    mend_tell_wait(tell, question, r, mend_ranks_host(ranks), what);
    if (what == text && s->wait_call.ctx)
        mend_tell_call(tell, question, r, &s->wait_call);
}

/* Its threads were inside the library, where nobody can look: it is asked once more. */
static void ask_again(struct mend_ranks *ranks, struct asked *a, int i)
{
    a->seq = mend_load_acquire(&shared(ranks, i)->wait_seq);
    mend_rank_signal(&ranks->rank[i], MEND_SIG_REPORT);
}

/* Takes the answers that have come; returns whether to go on waiting for others. */
static bool wait_on(struct mend_ranks *ranks, struct asked *asked, int turn)
{
    bool open = false, starving = false;

    for (int i = 0; i < ranks->n; i++) {
        if (asked[i].open && answered(ranks, i, asked[i].seq)) {
            asked[i].open = shared(ranks, i)->wait_busy && turn < ANSWER_TURNS;
            if (asked[i].open)
                ask_again(ranks, &asked[i], i);
        }
        open |= asked[i].open;
        starving |= asked[i].open && turn >= ANSWER_TURNS && starves(&ranks->rank[i], &asked[i]);
    }
    return open && (turn < ANSWER_TURNS || (starving && turn < PATIENT_TURNS));
}

static void ask(struct mend_ranks *ranks, struct asked *asked)
{
    for (int i = 0; i < ranks->n; i++) {
        asked[i].seq = asked[i].first = mend_load_acquire(&shared(ranks, i)->wait_seq);
        asked[i].open = can_answer(ranks, &ranks->rank[i]);
        if (!asked[i].open)
            continue;
        mend_procfs_ran(mend_rank_named(&ranks->rank[i]), &asked[i].ran_ns);
        mend_rank_signal(&ranks->rank[i], MEND_SIG_REPORT);
    }
}

void mend_waits_tell(struct mend_ranks *ranks, const struct mend_tell *tell, int64_t question)
{
    struct asked *asked = mend_xalloc((size_t)ranks->n, sizeof(*asked));

    ask(ranks, asked);
    for (int turn = 0; wait_on(ranks, asked, turn); turn++)
        usleep(ANSWER_TURN_US);
    for (int i = 0; i < ranks->n; i++)
        if (mend_rank_is_ours(&ranks->rank[i]))
            tell_one(ranks, tell, &ranks->rank[i], &asked[i], question);
    free(asked);
}
