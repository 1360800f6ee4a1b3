/* SPDX-License-Identifier: BSD-3-Clause */
/* failed.c – the users' agreement on which members have failed (R45).
 *
 *   { failures I know } ── one agreement ──> their union, at all survivors, in the order of the ranks
 *
 * The vote of each agreement holds the failures that its process knows, so this one says nothing else.  A process gets
 * the result when it knows these failures itself: what MPI_Comm_get_failed gives afterwards holds them.  It acknowledges
 * none of them. */
#include "decide/internal.h"

#include "comm/errcode.h"
#include "comm/handle.h"

struct mend_group *mend_decide_in_order(struct mend_comm *c, struct mend_group *failed)
{
    struct mend_proc *self = c->self;
    struct mend_group *first, *second, *all;

    if (!failed)
        return mend_group_create_range(self, 0, 1, 0);
    first = mend_group_intersection(self, c->decide->first, failed);
    if (!c->decide->second)
        return first;
    second = mend_group_intersection(self, c->decide->second, failed);
    all = mend_group_union(self, first, second);
    mend_group_put(self, first);
    mend_group_put(self, second);
    return all;
}

/* What a process waits for. */
struct question {
    struct mend_request base;  /* nonblocking form */
    struct mend_group *failed; /* NULL: not decided yet */
    MPI_Group *answer;
};

static const struct mend_decision nothing = {
    .and_word = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};

/* It is refused only where the communicator is made anew (mend_decide_abandon()). */
static int conclude(struct mend_comm *c, const struct mend_decision *value, struct question *q)
{
    if (value->and_word[0] != UINT64_MAX)
        return (int)value->max_word[1];
    mend_memory_press(c->self); /* what is decided holds for all */
    q->failed = mend_decide_in_order(c, value->failed);
    mend_memory_relax(c->self);
    mend_failure_told_group(c->self, q->failed);
    return MPI_SUCCESS;
}

/* Others know of these deaths, so this process hears of them, too. */
static bool are_dead_here(struct mend_proc *self, void *arg)
{
    const struct question *q = arg;
    int i = 0;

    while (i < q->failed->size && mend_peer_is_dead(self, mend_group_peer(q->failed, i)))
        i++;
    return i == q->failed->size;
}

int mend_decide_failed(struct mend_comm *c, struct mend_group **failed_p)
{
    struct mend_decision value = nothing;
    struct question q = {.failed = NULL};
    struct mend_wait wait = {.cause = MEND_WAIT_AGREEMENTS,
                             .until = are_dead_here,
                             .arg = &q,
                             .what = "a failure that was agreed on and is not known here",
                             .hint = MEND_PEER_NONE,
                             .rings = true};
    int err;

    mend_decide(c, &value);
    err = conclude(c, &value, &q);
    if (value.failed)
        mend_group_put(c->self, value.failed);
    if (err)
        return err;
    mend_wait_until(c->self, &wait);
    *failed_p = q.failed;
    return MPI_SUCCESS;
}

static struct question *of(struct mend_request *r)
{
    return MEND_CONTAINER_OF(r, struct question, base);
}

static void look(struct mend_request *r)
{
    struct question *q = of(r);

    if (!are_dead_here(r->comm->self, q))
        return;
    mend_list_remove(&r->link);
    *q->answer = mend_group_handle(q->failed);
    mend_request_complete(r, MPI_SUCCESS);
}

static void release(struct mend_request *r)
{
    struct mend_comm *c = r->comm;

    r->magic = 0;
    mend_free(c->self, of(r));
    mend_comm_put(c);
}

static const struct mend_request_ops ops = {.name = "agreement on failures",
                                            .cause = MEND_WAIT_AGREEMENTS,
                                            .poll = look,
                                            .release = release};

static void done(void *arg, struct mend_decision *value)
{
    struct question *q = arg;
    struct mend_comm *c = q->base.comm;
    int err = conclude(c, value, q);

    if (err) {
        mend_request_complete(&q->base, err);
        return;
    }
    mend_list_append(&c->self->active, &q->base.link);
    look(&q->base);
}

void mend_decide_ifailed(struct mend_comm *c, MPI_Group *answer, struct mend_request **r_p)
{
    struct question *q;

    mend_memory_press(c->self); /* it takes part in any case: the others wait for it */
    q = mend_zalloc(c->self, 1, sizeof(*q));
    mend_memory_relax(c->self);
    mend_request_init(&q->base, &ops, c);
    mend_comm_get(c);
    mend_request_begin(&q->base);
    q->base.rings = true; /* a death wakes a process */
    q->answer = answer;
    *r_p = &q->base;
    mend_decide_start(c, &nothing, done, q);
}
