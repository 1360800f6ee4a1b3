/* SPDX-License-Identifier: BSD-3-Clause */
/* count_coll.c – the cost of an allreduce: the step lists of src/coll/ in the LogGP network of count.c.
 *
 * Every rank goes through its list; at the end of a round it waits for its messages.  Whenever a message was sent to a
 * rank, it runs until it must wait again. */
#include "coll/algorithms.h"
#include "count.h"

#include <stdlib.h>

#define MAIL_MAX 64 /* messages that a rank has not asked for yet */

struct mail {
    int from;
    mend_time_ns at;
};

struct rank {
    struct mend_sched list;
    unsigned next;     /* step */
    mend_time_ns busy; /* until when */
    struct mail mail[MAIL_MAX];
    int mail_n;
    int32_t sent;
    bool due;
};

struct all {
    int n;
    struct rank *rank;
    int *todo; /* ranks that may get further */
    int todo_n;
    struct mend_sim_cost cost;
};

static void wake(struct all *x, int r)
{
    if (x->rank[r].due)
        return;
    x->rank[r].due = true;
    x->todo[x->todo_n++] = r;
}

static void deliver(struct all *x, int from, const struct mend_step *step)
{
    const struct mend_sim_loggp *net = &mend_sim_loggp_default;
    struct rank *me = &x->rank[from], *to = &x->rank[step->rank];

    me->busy += mend_sim_loggp_busy(net);
    MEND_ASSERT(to->mail_n < MAIL_MAX);
    to->mail[to->mail_n++] = (struct mail){
        from, me->busy + mend_sim_loggp_flight(net, (size_t)mend_piece_bytes(step->from))};
    me->sent++;
    x->cost.messages++;
    wake(x, step->rank);
}

/* Takes the oldest message from a rank; false: it is not there. */
static bool take(struct rank *me, int from)
{
    for (int i = 0; i < me->mail_n; i++) {
        if (me->mail[i].from != from)
            continue;
        if (me->busy < me->mail[i].at)
            me->busy = me->mail[i].at;
        me->busy += mend_sim_ns(mend_sim_loggp_default.o_us);
        me->mail_n--;
        for (; i < me->mail_n; i++)
            me->mail[i] = me->mail[i + 1];
        return true;
    }
    return false;
}

/* What is received in a round is received at its end: first all sends from step `next` on, then this. */
static void advance(struct all *x, int r)
{
    struct rank *me = &x->rank[r];

    while (me->next < me->list.steps_n) {
        struct mend_step *step = &me->list.steps[me->next];

        if (step->kind == MEND_STEP_RECV) {
            for (struct mend_step *s = step; s->kind != MEND_STEP_ROUND; s++) {
                if (s->kind != MEND_STEP_SEND)
                    continue;
                deliver(x, r, s);
                s->kind = MEND_STEP_COPY; /* done */
            }
            if (!take(me, step->rank))
                return;
        }
        if (step->kind == MEND_STEP_SEND)
            deliver(x, r, step);
        me->next++;
    }
}

static void write_list(struct rank *me, bool doubling)
{
    static const struct mend_op op = {.commutative = true};
    struct mend_piece in = mend_piece_of(MEND_OPERAND_INPUT, 8, mend_sched_byte());
    struct mend_piece out = mend_piece_of(MEND_OPERAND_OUTPUT, 8, mend_sched_byte());

    me->list.op = &op;
    if (doubling) {
        mend_allreduce_doubling(&me->list, in, out);
        return;
    }
    mend_reduce_binomial(&me->list, in, out, 0);
    mend_bcast_binomial(&me->list, out, 0);
}

struct mend_sim_cost mend_sim_count_allreduce(int ranks, bool doubling)
{
    struct all x = {.n = ranks,
                    .rank = calloc((size_t)ranks, sizeof *x.rank),
                    .todo = calloc((size_t)ranks, sizeof *x.todo)};
    struct mend_proc *self = mend_proc_create_bare();
    mend_time_ns last = 0;

    MEND_ASSERT(x.rank && x.todo && self);
    for (int r = ranks - 1; r >= 0; r--) {
        mend_sched_open(&x.rank[r].list, self, "allreduce", r, ranks);
        write_list(&x.rank[r], doubling);
        wake(&x, r);
    }
    while (x.todo_n) {
        int r = x.todo[--x.todo_n];

        x.rank[r].due = false;
        advance(&x, r);
    }
    for (int r = 0; r < ranks; r++) {
        struct rank *me = &x.rank[r];

        MEND_ASSERT(me->next == me->list.steps_n);
        x.cost.most = me->sent > x.cost.most ? me->sent : x.cost.most;
        last = me->busy > last ? me->busy : last;
        mend_sched_close(&me->list);
    }
    x.cost.us = (double)last / MEND_SIM_NS_PER_US;
    free(x.rank);
    free(x.todo);
    return x.cost;
}
