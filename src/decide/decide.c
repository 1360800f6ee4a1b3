/* SPDX-License-Identifier: BSD-3-Clause */
/* decide.c – what the API and create/ call: agreements begin here, and go on in shared memory (memory.c) or by messages
 * (tree.c). */
#include "decide/internal.h"

#include "proc/news.h"
#include "proc/occurrence.h"

#include <stdio.h>

static void on_interrupt(struct mend_proc *self)
{
    mend_revoke_on_interrupt(self);
    mend_decide_papers_look(self);
}

int mend_decide_init(struct mend_proc *self)
{
    struct mend_decide *m = mend_zalloc(self, 1, sizeof(*m));

    if (!m)
        return MPI_ERR_NO_MEM;
    mend_list_init(&m->lingering);
    mend_list_init(&m->questions);
    self->decide = m;
    self->on_interrupt = on_interrupt;
    self->on_frame[MEND_FRAME_AGREE] = mend_decide_tree_on_frame;
    self->on_homeless[MEND_FRAME_AGREE] = mend_linger_answer;
    return MPI_SUCCESS;
}

static void comm_on_deaths(struct mend_comm *c, void *arg)
{
    const struct mend_deaths *all = arg;

    if (!c->decide || !mend_comm_has_one_of(c, all->death, all->n))
        return;
    mend_decide_tree_on_deaths(c, all->death, all->n);
    mend_decide_say_no(c, MEND_DECIDE_CREATION);
}

void mend_decide_on_deaths(struct mend_proc *self, const struct mend_death *death, int n)
{
    struct mend_deaths all = {death, n};

    mend_comm_each(self, comm_on_deaths, &all);
}

struct letting {
    mend_peer dead;
    bool held;
};

static void let_go(struct mend_comm *c, void *arg)
{
    struct letting *l = arg;
    int32_t rank = c->decide ? mend_decide_rank(c->self, c->decide, l->dead) : -1;

    if (rank < 0 || l->held)
        return;
    l->held = c->win || c->file || (mend_decide_in_memory(c) && !mend_decide_memory_keep(c, rank));
}

bool mend_decide_let_go(struct mend_proc *self, mend_peer dead)
{
    struct letting l = {.dead = dead};

    mend_comm_each(self, let_go, &l);
    return !l.held;
}

static bool has_said_no(struct mend_comm *c, enum mend_decide_kind which)
{
    return c->decide->agreements[which].said_no;
}

void mend_decide_call(struct mend_comm *c, enum mend_decide_kind which,
                      const struct mend_decision *value, mend_decide_done *done, void *arg)
{
    struct mend_decision no = *value;

    if (has_said_no(c, which)) {
        mend_decide_refused(c, &no);
        done(arg, &no);
    } else if (mend_decide_in_memory(c)) {
        mend_decide_memory_call(c, which, value, done, arg);
    } else {
        mend_decide_tree_call(c, which, false, value, done, arg);
    }
}

void mend_decide_last(struct mend_comm *c, mend_decide_done *done)
{
    struct mend_decision nothing = {.and_word = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};

    mend_comm_get(c); /* done() may drop the last reference */
    if (mend_decide_in_memory(c))
        mend_decide_memory_last(c, &nothing, done);
    else
        mend_decide_tree_call(c, MEND_DECIDE_EXPLICIT, true, &nothing, done, c);
    mend_comm_put(c);
}

void mend_decide_wake(void *arg, struct mend_decision *value)
{
    struct mend_decide_waiter *w = arg;

    *w->value = *value;
    value->failed = NULL; /* the caller's now */
    w->done = true;
}

struct waiter {
    struct mend_decide_waiter base;
    struct mend_comm *c;
    struct mend_wait wait;
};

/* A process that leaves wakes nobody. */
static bool is_done(struct mend_proc *self, void *arg)
{
    struct waiter *w = arg;

    if (!w->base.done && mend_unlikely(w->c->decide->passes_over_left)) {
        w->wait.rings = false;
        mend_decide_tree_pass_over_left(w->c);
    }
    return w->base.done;
}

/* By messages only the processes on the way of a vote know that it is missing.  So this names all survivors, and the
 * launcher finds out which of them are not in the call. */
static void all_living(const void *arg, uint64_t *peers)
{
    const struct waiter *w = arg;
    const struct mend_comm *c = w->c;

    for (int32_t r = 0; r < c->decide->members_n; r++)
        if (r != c->decide->me && !mend_peer_is_dead(c->self, mend_decide_peer(c->decide, r)))
            mend_missing_add(peers, mend_decide_peer(c->decide, r));
}

static void describe(const void *arg, char *text, size_t max)
{
    (void)arg;
    snprintf(text, max, "the votes of the others, which go by messages");
}

void mend_decide_wait(struct mend_comm *c, enum mend_decide_kind which, struct mend_decision *value)
{
    struct waiter waiter = {.base = {value, false},
                            .c = c,
                            .wait = {.cause = MEND_WAIT_AGREEMENTS,
                                     .until = is_done,
                                     .arg = &waiter,
                                     .hint = MEND_PEER_NONE,
                                     .rings = true,
                                     .what = mend_decide_what(which),
                                     .comm = c,
                                     .missing = all_living,
                                     .describe = describe}};

    mend_interrupt_check(c->self);
    if (has_said_no(c, which)) {
        mend_decide_refused(c, value);
    } else if (mend_decide_in_memory(c)) {
        mend_decide_memory_wait(c, which, value);
    } else {
        mend_decide_tree_call(c, which, false, value, mend_decide_wake, &waiter.base);
        mend_wait_until(c->self, &waiter.wait);
    }
    mend_tell(c->self, false);
}

void mend_decide(struct mend_comm *c, struct mend_decision *value)
{
    mend_decide_wait(c, MEND_DECIDE_EXPLICIT, value);
}

void mend_decide_start(struct mend_comm *c, const struct mend_decision *value,
                       mend_decide_done *done, void *arg)
{
    mend_decide_call(c, MEND_DECIDE_EXPLICIT, value, done, arg);
}

void mend_decide_pass_over_left(struct mend_comm *c)
{
    c->decide->passes_over_left = true;
    c->decide->done_at = mend_news_now(c->self);
}

void mend_decide_say_no(struct mend_comm *c, enum mend_decide_kind which)
{
    struct mend_decide_sequence *a = &c->decide->agreements[which];

    if (a->said_no)
        return;
    a->said_no = true;
    if (mend_decide_in_memory(c))
        mend_decide_memory_say_no(c, which);
    else
        mend_decide_tree_say_no(c, which);
}

void mend_decide_abandon(struct mend_comm *c)
{
    for (int which = 0; which < MEND_DECIDE_KINDS; which++) {
        c->decide->agreements[which].said_no = true;
        if (mend_decide_in_memory(c))
            mend_decide_memory_abandon(c, (enum mend_decide_kind)which);
        else
            mend_decide_tree_abandon(c, (enum mend_decide_kind)which);
    }
}
