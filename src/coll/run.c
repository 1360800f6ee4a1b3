/* SPDX-License-Identifier: BSD-3-Clause */
/* run.c – the one executor of lists of steps: blocking, nonblocking and persistent collectives.
 *
 *     steps:  local, local, start, start, ROUND │ local, start, ROUND │ ...
 *                                           ^ advance() stops here until all started are done
 *
 *   blocking      the operation is on the stack, the wait calls advance()
 *   nonblocking   it is a request in self->active, progress calls advance()
 *   persistent    the same; start() goes back to the first step
 *
 * The failure path, for all collectives: if a member is dead, or a message failed for that reason or
 * because the communicator was revoked, fail() takes back every message in progress, so that
 * the user's buffers are no longer accessed (S0-28), and ends the operation with the class.  The
 * agent tells every process of every death, so every member that cannot complete leaves (S0-27).  A
 * message that was too long does not stop the others: the list runs to its end and then reports
 * MPI_ERR_TRUNCATE.
 *
 * A member that finds no memory for its messages or scratch space *declines*: it sends DECLINE in place of each
 * of its messages, all at once because they contain nothing, and discards as many messages as its list
 * receives, from any member and in any order.  A member that receives DECLINE has no data to go on with: from then on
 * it only exchanges messages, and sends DECLINE, too.  So all lists run to their end, and every
 * member whose result depends on the missing memory reports MPI_ERR_NO_MEM.
 *
 * Traffic runs on the collectives' channel with the operation's number as tag: each call takes one
 * number in the order of calls, which is the same at all members; a persistent operation keeps the
 * number of its _init call, because starts may come in any order.  Two members that say first which call they are in use
 * the tick instead: both count it, even if their calls differ and one of them sends no message.
 *
 * Invariants:
 *   1  an operation is in coll->running exactly from begin() to finish();
 *   2  messages[0 .. open_n) were started in this round and are not accounted for;
 *   3  an operation that declines has no steps, and its messages that have not come are left_n. */
#include "coll/run.h"

#include "coll/cell_pair.h"

#include "base/ranks.h"

#include <stdio.h>
#include <string.h>

#define STACK_BYTES 4096 /* room for messages and scratch memory of a blocking call */
#define TAG_MASK    0x3fffffff
#define TICK_TAG    0x40000000

struct mend_coll_op {
    struct mend_request base;
    struct mend_list running;
    struct mend_comm *c;
    const char *name;
    const char *call; /* the MPI function, and which of those on c: for reports */
    uint64_t nth;
    const void *in;
    void *out;
    const struct mend_op *op;
    MPI_Datatype handle;
    char *temp;
    struct mend_p2p_request *messages;
    const struct mend_step *steps;
    unsigned steps_n, next, open_n, rounds;
    int tag;
    const int *dests; /* of its messages, if it declines */
    unsigned dests_n, receives_n, left_n;
    bool declines; /* from its beginning */
    bool no_data;  /* a message was declined: what is left is exchanged without data */
    int error;     /* first error that did not stop the operation */
    int refused;   /* it ends with this class when it begins */
    bool over;
    bool blocking;
};

static struct mend_coll_op *of(struct mend_request *r)
{
    return MEND_CONTAINER_OF(r, struct mend_coll_op, base);
}

/* Computed as numbers: a buffer of nothing may be NULL, and so is MPI_BOTTOM, and C defines no sum of a
 * null pointer and an offset, not even 0. */
static const void *read_at(const struct mend_coll_op *op, const struct mend_piece *p)
{
    const void *at[] = {op->in, op->out, op->temp};

    return (const void *)((uintptr_t)at[p->operand] + (uintptr_t)p->at);
}

static void *write_at(const struct mend_coll_op *op, const struct mend_piece *p)
{
    MEND_ASSERT(p->operand != MEND_OPERAND_INPUT);
    return (void *)((uintptr_t)(p->operand == MEND_OPERAND_OUTPUT ? op->out : op->temp) +
                    (uintptr_t)p->at);
}

static void finish(struct mend_coll_op *op, int error)
{
    mend_list_remove(&op->running);
    op->over = true;
    op->error = error;
    mend_event(op->c->self, MEND_EV_COLL_DONE);
    if (!op->blocking)
        mend_request_complete(&op->base, error); /* may be the end of op */
}

/* Ends the operation early. */
static void fail(struct mend_coll_op *op, int error)
{
    for (unsigned i = 0; i < op->open_n; i++)
        if (!mend_request_is_done(&op->messages[i].base))
            mend_p2p_abandon(&op->messages[i]);
    op->open_n = 0;
    if (error == MEND_CLASS_PROC_FAILED)
        mend_comm_deactivate(op->c);
    finish(op, error);
}

static int start_message(struct mend_coll_op *op, const struct mend_step *step)
{
    struct mend_p2p_request *r = &op->messages[op->open_n];
    const struct mend_piece *p = &step->from;

    r->embedded = true;
    if (step->kind == MEND_STEP_SEND)
        return mend_p2p_isend(r, op->c, MEND_CHANNEL_COLL, MEND_SEND_STANDARD, read_at(op, p),
                              p->count, p->type, step->rank, op->tag);
    return mend_p2p_irecv(r, op->c, MEND_CHANNEL_COLL, write_at(op, p), p->count, p->type,
                          step->rank, op->tag);
}

/* One step other than ROUND. */
static int carry_out(struct mend_coll_op *op, const struct mend_step *step)
{
    int err;

    if (mend_unlikely(op->no_data) && step->kind != MEND_STEP_RECV) {
        if (step->kind == MEND_STEP_SEND)
            mend_p2p_decline(op->c, step->rank, op->tag);
        return MPI_SUCCESS;
    }
    switch (step->kind) {
    case MEND_STEP_REDUCE:
        mend_op_apply(op->op, read_at(op, &step->from), write_at(op, &step->to), step->to.count,
                      step->to.type, op->handle);
        return MPI_SUCCESS;
    case MEND_STEP_COPY:
        mend_type_copy(step->from.type, read_at(op, &step->from), step->from.count, step->to.type,
                       write_at(op, &step->to), step->to.count);
        return MPI_SUCCESS;
    default:
        err = start_message(op, step);
        if (!err)
            op->open_n++;
        return err;
    }
}

/* Accounts for messages that are done.  MPI_ERR_PENDING: one is not; another class: it failed for
 * good. */
static int settle(struct mend_coll_op *op)
{
    while (op->open_n > 0) {
        struct mend_request *r = &op->messages[op->open_n - 1].base;

        if (!mend_request_is_done(r)) {
            op->base.hint = r->hint;
            return MPI_ERR_PENDING;
        }
        op->open_n--;
        if (mend_unlikely(r->error)) {
            if (r->error == MEND_CLASS_PROC_FAILED || r->error == MEND_CLASS_INVALIDATED)
                return r->error;
            op->no_data |= r->error == MPI_ERR_NO_MEM;
            op->error = op->error ? op->error : r->error;
        }
    }
    return MPI_SUCCESS;
}

/* All DECLINEs have left, as small messages must have before their sends are done. */
static bool has_declined(const struct mend_coll_op *op)
{
    struct mend_proc *self = op->c->self;

    for (unsigned i = 0; self->outbox_n && i < op->dests_n; i++)
        if (!mend_out_empty(self, mend_comm_peer(op->c, op->dests[i])))
            return false;
    return true;
}

static void discard(struct mend_coll_op *op)
{
    int err = mend_coll_check(op->c);

    while (op->left_n > 0 && mend_p2p_discard(op->c, op->tag))
        op->left_n--;
    if (err)
        fail(op, err);
    else if (op->left_n == 0 && has_declined(op))
        finish(op, op->error);
}

static void decline(struct mend_coll_op *op)
{
    op->error = MPI_ERR_NO_MEM;
    op->left_n = op->receives_n;
    op->base.hint = MEND_PEER_NONE;
    for (unsigned i = 0; i < op->dests_n; i++)
        mend_p2p_decline(op->c, op->dests[i], op->tag);
    discard(op);
}

/* Goes on as far as possible without waiting. */
static void advance(struct mend_coll_op *op)
{
    int err;

    if (mend_unlikely(op->declines)) {
        discard(op);
        return;
    }
    while (!(err = settle(op))) {
        if (op->next == op->steps_n) {
            finish(op, op->error);
            return;
        }
        while (!err && op->next < op->steps_n) {
            const struct mend_step *step = &op->steps[op->next++];

            if (step->kind == MEND_STEP_ROUND)
                break;
            err = carry_out(op, step);
        }
        op->rounds++;
        mend_event(op->c->self, MEND_EV_COLL_ROUND);
        if (err)
            break;
    }
    if (err != MPI_ERR_PENDING)
        fail(op, err);
}

/* Begins, or begins again. */
static void begin(struct mend_coll_op *op)
{
    struct mend_proc *self = op->c->self;
    int err = mend_coll_check(op->c);

    op->next = op->open_n = op->rounds = 0;
    op->error = MPI_SUCCESS;
    op->over = op->no_data = false;
    mend_list_append(&self->coll->running, &op->running);
    mend_event(self, MEND_EV_COLL_ENTER);
    if (err)
        fail(op, err);
    else if (mend_unlikely(op->refused))
        finish(op, op->refused);
    else if (mend_unlikely(op->declines))
        decline(op);
    else
        advance(op);
}

static void move_on(struct mend_request *r)
{
    advance(of(r));
}

static int start(struct mend_request *r)
{
    struct mend_coll_op *op = of(r);

    begin(op);
    if (!mend_request_is_done(r))
        mend_list_append(&op->c->self->active, &r->link);
    return MPI_SUCCESS;
}

static void hold(const struct mend_coll_op *op, bool get)
{
    struct mend_proc *self = op->c->self;

    for (unsigned i = 0; i < op->steps_n; i++) {
        const struct mend_step *s = &op->steps[i];

        if (s->kind == MEND_STEP_ROUND)
            continue;
        for (int k = 0; k < 2; k++) {
            const struct mend_type *t = k ? s->to.type : s->from.type;

            if (get)
                mend_type_get(t);
            else
                mend_type_put(self, t);
        }
    }
    if (op->op && get)
        mend_op_get(op->op);
    else if (op->op)
        mend_op_put(self, op->op);
}

static void release(struct mend_request *r)
{
    struct mend_coll_op *op = of(r);
    struct mend_comm *c = op->c, *known = r->comm;

    hold(op, false);
    r->magic = 0;
    mend_free(c->self, op);
    mend_comm_put(c);
    mend_comm_put(known);
}

/* ---- for reports ---- */

/* Whose messages the round waits for. */
static void missing(const struct mend_coll_op *op, uint64_t *peers)
{
    for (unsigned i = 0; i < op->open_n; i++)
        if (!mend_request_is_done(&op->messages[i].base))
            mend_missing_add(peers, op->messages[i].base.hint);
}

static void describe_round(const struct mend_coll_op *op, char *text, size_t max)
{
    uint64_t peers[MEND_REPORT_WORDS] = {0};
    char ranks[64];
    int n;

    missing(op, peers);
    if (op->declines) {
        snprintf(text, max, "no memory for it, %u messages of the others still expected",
                 op->left_n);
        return;
    }
    n = mend_ranks_text(peers, MEND_PEERS_IN_REPORTS, ranks, sizeof(ranks));
    snprintf(text, max, "%s%s%s round %u of its messages", n ? "what it exchanges with " : "",
             ranks, n ? " in" : "", op->rounds);
}

static void describe(const struct mend_request *r, char *text, size_t max)
{
    const struct mend_coll_op *op = (const struct mend_coll_op *)(const void *)r;
    char comm[MEND_COMM_TEXT], round[128];

    mend_comm_describe(op->c, comm, sizeof(comm));
    describe_round(op, round, sizeof(round));
    snprintf(text, max, "%s on %s, %s", op->call ? op->call : op->name, comm, round);
}

static void collective(const struct mend_request *r, struct mend_collective *k_p)
{
    const struct mend_coll_op *op = (const struct mend_coll_op *)(const void *)r;

    k_p->c = op->c;
    k_p->nth = op->nth;
    k_p->call = op->call ? op->call : op->name;
    missing(op, k_p->peers);
}

static const struct mend_request_ops ops = {.name = "collective",
                                            .cause = MEND_WAIT_COLLECTIVES,
                                            .start = start,
                                            .whole = true,
                                            .poll = move_on,
                                            .release = release,
                                            .describe = describe,
                                            .collective = collective};

static void fill(struct mend_coll_op *op, struct mend_comm *c, const struct mend_sched *s)
{
    mend_request_init(&op->base, &ops, mend_comm_known(c));
    op->base.rings = true; /* frames move it on, as a blocking call */
    op->c = c;
    op->refused = s->refused;
    op->name = s->name;
    op->call = c->self->call;
    op->nth = ++c->calls_n;
    op->in = s->in;
    op->out = s->out;
    op->op = s->op;
    op->handle = s->handle;
    op->steps_n = s->steps_n;
    op->declines = s->no_memory;
    op->dests = s->declined.dests;
    op->dests_n = s->declined.dests_n;
    op->receives_n = s->declined.receives_n;
    op->left_n = 0;
}

static int next_tag(struct mend_comm *c)
{
    return (int)(c->coll_seq++ & TAG_MASK);
}

static size_t round_up(size_t n)
{
    return (n + 63) & ~(size_t)63;
}

/* A blocking call. */
struct now {
    struct mend_coll_op op;
    struct mend_cell_look other; /* what the other one of two members says; tick 0: not looked at */
    struct mend_wait wait;
};

static bool is_over(struct mend_proc *self, void *arg)
{
    struct now *now = arg;

    (void)self;
    if (!now->op.over)
        advance(&now->op);
    if (!now->op.over && mend_unlikely(mend_cell_pair_differs(&now->other)))
        fail(&now->op, mend_cell_difference(&now->other));
    now->wait.hint = now->op.base.hint; /* the message that is waited for in this round */
    return now->op.over;
}

static void now_missing(const void *arg, uint64_t *peers)
{
    missing(&((const struct now *)arg)->op, peers);
}

static void now_describe(const void *arg, char *text, size_t max)
{
    describe_round(&((const struct now *)arg)->op, text, max);
}

/* Returns the tag. */
static int tell(struct mend_cell_look *l, struct mend_comm *c, uint64_t what)
{
    *l = (struct mend_cell_look){0};
    if (what && c->size == 2 && mend_cell_possible(c))
        mend_cell_pair_tell(l, c, what);
    return l->tick ? (int)(TICK_TAG | (l->tick & TAG_MASK)) : next_tag(c);
}

/* Messages wake a member that sleeps; what the other one says in its line does so only with more ranks than cores. */
static bool wakes_me(const struct now *now)
{
    return !now->other.tick || mend_node_is_oversubscribed(now->op.c->self);
}

/* The messages of another call may have been enough for this one. */
static void look_back(struct now *now)
{
    if (!now->op.error && mend_unlikely(mend_cell_pair_differs(&now->other)))
        now->op.error = mend_cell_difference(&now->other);
    mend_cell_past(now->op.c, now->other.tick);
}

static int run_now(struct mend_comm *c, struct mend_sched *s)
{
    struct mend_proc *self = c->self;
    _Alignas(64) char stack[STACK_BYTES];
    size_t messages = round_up(s->open_max * sizeof(struct mend_p2p_request));
    size_t need = messages + s->temp_max;
    char *room = stack;
    struct now now;
    struct mend_coll_op *op = &now.op;

    if (need > sizeof(stack) && !s->no_memory)
        room = mend_alloc_for_others(self, need + 64);
    if (mend_unlikely(!room)) {
        mend_sched_decline(s);
        room = stack;
    }
    fill(op, c, s);
    op->blocking = true;
    op->steps = s->steps;
    op->messages = (void *)round_up((uintptr_t)room);
    op->temp = (char *)op->messages + messages;
    op->tag = tell(&now.other, c, s->what);
    begin(op);
    now.wait = (struct mend_wait){.until = is_over,
                                  .arg = &now,
                                  .what = s->name,
                                  .comm = c,
                                  .missing = now_missing,
                                  .describe = now_describe,
                                  .hint = op->base.hint,
                                  .rings = wakes_me(&now)};
    if (!op->over)
        mend_wait_until(self, &now.wait);
    if (now.other.tick)
        look_back(&now);
    if (room != stack)
        mend_free(self, room);
    return op->error;
}

/* One allocation: the operation, its steps, its messages, its scratch memory.  NULL: no memory, or too little
 * for the list itself. */
static struct mend_coll_op *make(struct mend_comm *c, const struct mend_sched *s)
{
    size_t steps_at = round_up(sizeof(struct mend_coll_op));
    size_t messages_at = steps_at + round_up(s->steps_n * sizeof(*s->steps));
    size_t temp_at = messages_at + round_up(s->open_max * sizeof(struct mend_p2p_request));
    char *room = s->no_memory ? NULL : mend_alloc_for_others(c->self, temp_at + s->temp_max + 64);
    struct mend_coll_op *op = (void *)room;

    if (!room)
        return NULL;
    fill(op, c, s);
    op->steps = memcpy(room + steps_at, s->steps, s->steps_n * sizeof(*s->steps));
    op->messages = (void *)(room + messages_at);
    op->temp = (char *)round_up((uintptr_t)room + temp_at);
    return op;
}

/* One that declines. */
static struct mend_coll_op *make_small(struct mend_comm *c, struct mend_sched *s)
{
    struct mend_coll_op *op;
    size_t bytes;
    int *dests;

    mend_sched_decline(s);
    bytes = s->declined.dests_n * sizeof(*dests);
    op = mend_alloc_to_take_part(c->self, sizeof(*op) + bytes);
    dests = (int *)(op + 1);
    fill(op, c, s);
    if (bytes)
        memcpy(dests, s->declined.dests, bytes);
    op->dests = dests;
    return op;
}

static int run_later(struct mend_comm *c, struct mend_sched *s, struct mend_coll_how *how)
{
    struct mend_coll_op *op = make(c, s);

    if (mend_unlikely(!op))
        op = make_small(c, s);
    op->blocking = false;
    op->tag = next_tag(c);
    mend_comm_get(c);
    mend_comm_get(op->base.comm);
    hold(op, true);
    how->request = &op->base;
    if (how->kind == MEND_COLL_PREPARE) {
        op->base.persistent = true;
        return MPI_SUCCESS;
    }
    mend_request_begin(&op->base);
    return start(&op->base);
}

int mend_coll_run(struct mend_comm *c, struct mend_sched *s, struct mend_coll_how *how)
{
    int err = how->kind == MEND_COLL_NOW ? run_now(c, s) : run_later(c, s, how);

    mend_sched_close(s);
    return err;
}

/* A member of c is dead: ends all operations that run on it; what can complete all the same, does. */
static void end_all(struct mend_proc *self, struct mend_comm *c)
{
    mend_list_foreach (l, next, &self->coll->running) {
        struct mend_coll_op *op = mend_list_entry(l, struct mend_coll_op, running);

        if (op->c != c)
            continue;
        if (settle(op) == MPI_SUCCESS && op->next == op->steps_n && op->left_n == 0)
            finish(op, op->error);
        else
            fail(op, MEND_CLASS_PROC_FAILED);
    }
}

void mend_coll_on_deaths(struct mend_proc *self, const struct mend_death *death, int n)
{
    bool again = true;

    while (again) { /* ending one may release others: look again from the start */
        again = false;
        mend_list_foreach (l, next, &self->coll->running) {
            struct mend_comm *c = mend_list_entry(l, struct mend_coll_op, running)->c;

            if (!mend_comm_has_one_of(c, death, n))
                continue;
            mend_comm_get(c);
            end_all(self, c);
            mend_comm_put(c);
            again = true;
            break;
        }
    }
}
