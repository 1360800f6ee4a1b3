/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.c – drives ft/agree_sm over the members of a communicator.
 *
 *   call ──> START ──> machine ──> messages ──> frames (kind AGREE, channel FT, tag = which machine)
 *   frame ──> decode ──> RECV ──┐
 *   death ──> DEATH ────────────┴─> machine ──> decided? ──> dead known here? ──> done(arg, value)
 *
 * A process gets a decision when it knows all of the dead that are decided: others know them, so its agent tells it, too.  So what it asks
 * afterwards fits what it was told, in whatever order nodes learn of deaths.
 *
 * Where all members share memory, memory.c does the same without messages.  Here the processes that have returned
 * with a decision know it; they answer questions even after they have freed the communicator (linger.c).
 *
 * all_acked (R16): every participant sends ~(number of failed members it acknowledged) in
 * max_word[3].  Its acknowledged members are a part of the union that is decided, so the smallest number
 * equals the size of the union exactly if every participant had acknowledged all of it. */
#include "decide/internal.h"

#include "coll/cell.h"
#include "coll/nodes.h"
#include "ft/wire.h"
#include "net/net.h"
#include "rt/rt.h"

#include <string.h>

#define FRAME_STACK_BYTES 512

static void step(struct mend_comm *c, enum mend_decide_kind which,
                 const struct mend_agree_event *ev);

/* The machine counts members node by node, so that few edges of its tree lead from node to node (coll/nodes.h). */
static int32_t index_of(const struct mend_comm *c, int32_t rank)
{
    return c->coll->nodes ? c->coll->nodes->at[rank] : rank;
}

static int32_t rank_at(const struct mend_comm *c, int32_t index)
{
    return c->coll->nodes ? c->coll->nodes->member[index] : index;
}

/* An empty set of members, by index.  To be freed. */
static uint64_t *make_set(const struct mend_comm *c)
{
    struct mend_proc *self = c->self;
    uint64_t *set;

    mend_memory_press(self); /* agreements go on without the dead, or others wait */
    set = mend_zalloc(self, mend_bits_words(c->decide->members_n), sizeof(*set));
    mend_memory_relax(self);
    return set;
}

/* Those of the n deaths that are members'. */
static uint64_t *dead_members(struct mend_comm *c, const struct mend_death *death, uint32_t n)
{
    uint64_t *set = make_set(c);

    for (uint32_t i = 0; i < n; i++) {
        int32_t rank = mend_decide_rank(c->self, c->decide, death[i].peer);

        if (rank >= 0)
            mend_bits_set(set, index_of(c, rank));
    }
    return set;
}

static void tell_dead(struct mend_comm *c, enum mend_decide_kind which)
{
    struct mend_proc *self = c->self;
    uint64_t *set = dead_members(c, self->deaths, self->deaths_n);
    struct mend_agree_event ev = {.kind = MEND_AGREE_DEATH, .dead = set};

    step(c, which, &ev);
    mend_free(self, set);
}

/* The machine, told of all members that are dead already. */
static struct mend_agree *machine(struct mend_comm *c, enum mend_decide_kind which)
{
    struct mend_proc *self = c->self;
    struct mend_decide_comm *d = c->decide;
    struct mend_decide_sequence *a = &d->agreements[which];

    if (a->sm)
        return a->sm;
    mend_memory_press(self); /* the others wait for this one's vote */
    a->sm = mend_alloc(self, mend_agree_size(d->members_n, MEND_DECIDE_WINDOW));
    mend_memory_relax(self);
    mend_agree_init(a->sm, d->members_n, index_of(c, d->me), 1, MEND_DECIDE_WINDOW);
    if (mend_decide_papers_has(c))
        mend_agree_use_papers(a->sm);
    if (self->deaths_n)
        tell_dead(c, which);
    return a->sm;
}

static void send_message(struct mend_comm *c, enum mend_decide_kind which,
                         const struct mend_agree_msg *msg)
{
    struct mend_proc *self = c->self;
    unsigned char small[FRAME_STACK_BYTES], *buf = small;
    size_t max = mend_ft_agree_max_bytes(c->decide->members_n), len;
    struct mend_frame f;

    mend_memory_press(self);
    if (max > sizeof(small))
        buf = mend_alloc(self, max);
    mend_memory_relax(self);
    len = mend_ft_agree_encode(msg, c->decide->members_n, buf,
                               max > sizeof(small) ? max : sizeof(small));
    MEND_ASSERT(len);
    f = mend_frame_make(MEND_FRAME_AGREE, c->ctx | MEND_CHANNEL_FT, (int)which, c->decide->me,
                        (uint32_t)len);
    mend_post(self, mend_decide_peer(c->decide, rank_at(c, msg->peer)), &f, buf);
    mend_event(self, msg->kind == MEND_AGREE_UP     ? MEND_EV_AGREE_SENT_UP
                     : msg->kind == MEND_AGREE_DOWN ? MEND_EV_AGREE_SENT_DOWN
                                                    : MEND_EV_AGREE_SENT_UP);
    if (buf != small)
        mend_free(self, buf);
}

/* The group of the decided failures, NULL if there are none. */
static struct mend_group *failed_group(struct mend_comm *c, const struct mend_agree_value *v)
{
    struct mend_proc *self = c->self;
    size_t bytes = (size_t)c->decide->members_n * sizeof(mend_peer);
    mend_peer *peers;
    struct mend_group *g;
    int n = 0;

    if (!v->nfailed)
        return NULL;
    mend_memory_press(self); /* all shall have the same */
    peers = mend_alloc(self, bytes);
    for (int32_t r = 0; r < c->decide->members_n; r++)
        if (mend_bits_test(v->failed, index_of(c, r)))
            peers[n++] = mend_decide_peer(c->decide, r);
    g = mend_group_create(self, peers, n);
    mend_memory_relax(self);
    mend_free(self, peers);
    return g;
}

static void start_waiting(struct mend_comm *c, enum mend_decide_kind which);
static void go_on_saying_no(struct mend_comm *c, enum mend_decide_kind which);

/* Of a decision that may count members as dead that have left no death is waited for. */
static bool is_known_here(struct mend_comm *c, const struct mend_decide_op *op)
{
    const struct mend_group *g = op->value.failed;
    int i = 0;

    if (!g || op->last || c->decide->passes_over_left)
        return true;
    while (i < g->size && mend_peer_is_dead(c->self, mend_group_peer(g, i)))
        i++;
    return i == g->size;
}

static void give(struct mend_comm *c, enum mend_decide_kind which, struct mend_decide_op *op)
{
    struct mend_proc *self = c->self;

    mend_event(self, MEND_EV_AGREE_DONE);
    mend_decide_report(c, which, op->value.failed_n);
    op->done(op->arg, &op->value);
    if (op->value.failed)
        mend_group_put(self, op->value.failed);
    mend_free(self, op);
}

static void finish(struct mend_comm *c, enum mend_decide_kind which, uint64_t seq)
{
    struct mend_decide_sequence *a = &c->decide->agreements[which];
    struct mend_agree_value v;

    mend_list_foreach (l, next, &a->running) {
        struct mend_decide_op *op = mend_list_entry(l, struct mend_decide_op, link);

        if (op->seq != seq)
            continue;
        if (!mend_agree_result(a->sm, seq, &v))
            MEND_ASSERT(!"decided");
        mend_list_remove(l);
        memcpy(op->value.and_word, v.and_word, sizeof(v.and_word));
        memcpy(op->value.max_word, v.max_word, sizeof(v.max_word));
        op->value.failed = failed_group(c, &v);
        op->value.failed_n = op->value.failed ? op->value.failed->size : 0;
        op->value.all_acked = (uint32_t)~v.max_word[3] == (uint32_t)op->value.failed_n;
        if (mend_list_empty(&a->unheard) && is_known_here(c, op))
            give(c, which, op);
        else
            mend_list_append(&a->unheard, l);
        return;
    }
}

/* Deaths have become known: gives the decisions that have waited for that, in their order. */
static void give_heard(struct mend_comm *c, enum mend_decide_kind which)
{
    struct mend_decide_sequence *a = &c->decide->agreements[which];

    if (mend_list_empty(&a->unheard))
        return;
    while (!mend_list_empty(&a->unheard)) {
        struct mend_decide_op *op = mend_list_entry(a->unheard.next, struct mend_decide_op, link);

        if (!is_known_here(c, op))
            return;
        mend_list_remove(&op->link);
        give(c, which, op);
    }
    start_waiting(c, which);
}

static void give_all_heard(struct mend_comm *c)
{
    for (int which = 0; which < MEND_DECIDE_KINDS; which++)
        give_heard(c, (enum mend_decide_kind)which);
}

/* One step of a machine, with everything that follows from it. */
static void step(struct mend_comm *c, enum mend_decide_kind which,
                 const struct mend_agree_event *ev)
{
    struct mend_agree *sm = c->decide->agreements[which].sm;
    struct mend_agree_out out;
    struct mend_agree_msg msg;
    struct mend_agree_value v;

    mend_comm_get(c);
    mend_agree_step(sm, ev, &out);
    for (int i = 0; i < out.decided_n && sm->papers; i++)
        mend_decide_papers_write(c, which, out.decided_seq[i]);
    if (out.decided_n)
        mend_event(c->self, MEND_EV_AGREE_DECIDED);
    while (mend_agree_next(sm, &msg))
        send_message(c, which, &msg);
    for (int i = 0; i < out.asked_n; i++)
        if (!mend_agree_result(sm, out.asked[i].seq, &v))
            mend_decide_papers_ask(c, which, &out.asked[i]);
    for (int i = 0; i < out.decided_n && sm->papers; i++)
        mend_decide_papers_decided(c, which, out.decided_seq[i]);
    for (int i = 0; i < out.decided_n; i++)
        finish(c, which, out.decided_seq[i]);
    if (out.decided_n)
        start_waiting(c, which);
    if (out.decided_n)
        go_on_saying_no(c, which);
    mend_comm_put(c);
}

/* Everything known to be failed among the members, and how much of it is acknowledged. */
static int32_t known_failures(struct mend_comm *c, uint64_t *set, uint32_t *acked_p)
{
    struct mend_proc *self = c->self;
    int32_t n = 0;

    *acked_p = 0;
    for (uint32_t i = 0; i < self->deaths_n; i++) {
        int32_t rank = mend_decide_rank(self, c->decide, self->deaths[i].peer);

        if (rank < 0)
            continue;
        mend_bits_set(set, index_of(c, rank));
        n++;
        *acked_p += i < c->acked_deaths_n;
    }
    return n;
}

/* Contributes to the next agreement.  op NULL: a vote beforehand, whose result nobody waits for. */
static void contribute(struct mend_comm *c, enum mend_decide_kind which, struct mend_decide_op *op,
                       const struct mend_decision *value)
{
    struct mend_proc *self = c->self;
    struct mend_decide_sequence *a = &c->decide->agreements[which];
    struct mend_agree_value v;
    struct mend_agree_event ev = {.kind = MEND_AGREE_START, .value = &v};
    uint64_t *failed = NULL;
    uint32_t acked = 0;

    mend_agree_value_init(&v);
    memcpy(v.and_word, value->and_word, sizeof(v.and_word));
    memcpy(v.max_word, value->max_word, sizeof(v.max_word));
    if (self->deaths_n) {
        mend_memory_press(self);
        failed = mend_zalloc(self, mend_bits_words(c->decide->members_n), sizeof(*failed));
        mend_memory_relax(self);
        v.nfailed = known_failures(c, failed, &acked);
        v.failed = failed;
    }
    v.max_word[3] = (uint32_t)~acked;
    if (op) {
        op->seq = a->sm->next;
        ev.last = op->last;
        mend_list_append(&a->running, &op->link);
    }
    mend_event(self, MEND_EV_AGREE_ENTER);
    step(c, which, &ev);
    mend_free(self, failed);
}

/* Not while this process has not got the decision before: how far it goes beyond that one others count on (go_on_saying_no()). */
static void start_waiting(struct mend_comm *c, enum mend_decide_kind which)
{
    struct mend_decide_sequence *a = &c->decide->agreements[which];

    while (!mend_list_empty(&a->waiting) && mend_list_empty(&a->unheard) &&
           mend_agree_can_start(a->sm)) {
        struct mend_decide_op *op = mend_list_entry(a->waiting.next, struct mend_decide_op, link);

        mend_list_remove(&op->link);
        contribute(c, which, op, &op->value);
    }
}

void mend_decide_tree_call(struct mend_comm *c, enum mend_decide_kind which, bool last,
                           const struct mend_decision *value, mend_decide_done *done, void *arg)
{
    struct mend_decide_op *op;

    machine(c, which);
    mend_memory_press(c->self);
    op = mend_zalloc(c->self, 1, sizeof(*op));
    mend_memory_relax(c->self);
    op->last = last;
    c->calls_n++;
    op->value = *value;
    op->value.failed = NULL;
    op->done = done;
    op->arg = arg;
    mend_list_append(&c->decide->agreements[which].waiting, &op->link);
    start_waiting(c, which);
}

static void refuse_all(struct mend_comm *c, struct mend_list *ops)
{
    while (!mend_list_empty(ops)) {
        struct mend_decide_op *op = mend_list_entry(ops->next, struct mend_decide_op, link);

        mend_list_remove(&op->link);
        if (op->value.failed)
            mend_group_put(c->self, op->value.failed);
        mend_decide_refused(c, &op->value);
        op->done(op->arg, &op->value);
        mend_free(c->self, op);
    }
}

/* How many agreements others can have begun, or can still begin, that wait for a vote of this process.
 * Let s be the first one that it has not contributed to when it vetoes.  A process that gets the decision
 * on s vetoes, too (mend_creation_result()), and begins nothing more; until then it can have begun
 * what its window allows, s .. s + WINDOW - 1.  The votes go out as fast as the own window allows. */
static void go_on_saying_no(struct mend_comm *c, enum mend_decide_kind which)
{
    struct mend_decide_sequence *a = &c->decide->agreements[which];
    struct mend_decision no = {.max_word = {0}};

    if (!a->noes_left)
        return;
    mend_decide_refused(c, &no);
    while (a->noes_left && mend_agree_can_start(a->sm)) {
        a->noes_left--;
        contribute(c, which, NULL, &no);
    }
}

void mend_decide_tree_say_no(struct mend_comm *c, enum mend_decide_kind which)
{
    machine(c, which);
    /* Those that have begun will be decided, because every member has either contributed or vetoed. */
    refuse_all(c, &c->decide->agreements[which].waiting);
    c->decide->agreements[which].noes_left = MEND_DECIDE_WINDOW;
    go_on_saying_no(c, which);
}

void mend_decide_tree_abandon(struct mend_comm *c, enum mend_decide_kind which)
{
    refuse_all(c, &c->decide->agreements[which].waiting);
    refuse_all(c, &c->decide->agreements[which].running);
    refuse_all(c, &c->decide->agreements[which].unheard);
}

void mend_decide_tree_on_frame(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                               const void *payload)
{
    struct mend_comm *c = mend_hash_get(&self->comms, f->ctx & ~MEND_CTX_CHANNEL_MASK);
    struct mend_agree_msg msg;
    struct mend_agree_event ev = {.kind = MEND_AGREE_RECV, .msg = &msg};
    uint64_t small[8], *sets = small;
    int32_t rank;
    size_t words;

    if (!c || !c->decide) {
        mend_park(self, from, f, payload);
        return;
    }
    rank = mend_decide_rank(self, c->decide, from);
    if (f->tag < 0 || f->tag >= MEND_DECIDE_KINDS || rank < 0 || (f->src != rank && f->src != -1)) {
        self->on_damage(self, from);
        return;
    }
    machine(c, (enum mend_decide_kind)f->tag);
    words = MEND_FT_AGREE_SETS * mend_bits_words(c->decide->members_n);
    mend_memory_press(self); /* the sender counts on having been heard */
    if (words > MEND_COUNT_OF(small))
        sets = mend_alloc(self, words * sizeof(*sets));
    mend_memory_relax(self);
    if (mend_ft_agree_decode(payload, mend_frame_len(f), c->decide->members_n, index_of(c, rank),
                             sets, &msg) == MEND_OK)
        step(c, (enum mend_decide_kind)f->tag, &ev);
    else
        self->on_damage(self, from);
    if (sets != small)
        mend_free(self, sets);
}

/* A paper that is damaged is none. */
void mend_decide_tree_told(struct mend_comm *c, enum mend_decide_kind which,
                           const struct mend_rt_told *told)
{
    struct mend_proc *self = c->self;
    int32_t n = c->decide->members_n;
    struct mend_agree_msg paper;
    struct mend_agree_event ev = {.kind = told->len ? MEND_AGREE_PAPER : MEND_AGREE_NO_PAPER,
                                  .msg = &paper,
                                  .seq = told->seq,
                                  .round = told->round};
    uint64_t *sets;

    mend_memory_press(self); /* the others may wait for this process, too */
    sets = mend_alloc(self, MEND_FT_AGREE_SETS * mend_bits_words(n) * sizeof(*sets));
    mend_memory_relax(self);
    if (!told->len || (mend_ft_agree_decode(told->bytes, told->len, n, index_of(c, c->decide->me),
                                            sets, &paper) == MEND_OK &&
                       paper.kind == MEND_AGREE_DOWN && paper.seq == told->seq))
        step(c, which, &ev);
    mend_free(self, sets);
}

static void tell_all(struct mend_comm *c, const struct mend_agree_event *ev)
{
    for (int which = 0; which < MEND_DECIDE_KINDS; which++)
        if (c->decide->agreements[which].sm)
            step(c, (enum mend_decide_kind)which, ev);
}

void mend_decide_tree_on_deaths(struct mend_comm *c, const struct mend_death *death, int n)
{
    struct mend_agree_event ev = {.kind = MEND_AGREE_DEATH};
    uint64_t *set = dead_members(c, death, (uint32_t)n);

    ev.dead = set;
    mend_comm_get(c);
    tell_all(c, &ev);
    mend_free(c->self, set);
    give_all_heard(c);
    mend_comm_put(c);
}

/* Perhaps the decision, which it has told no other process. */
static bool has_unread(struct mend_proc *self, mend_peer from)
{
    const struct mend_near *near = mend_near_of(self, from);
    const void *payload;

    return near->peek && near->peek(self, from, &payload);
}

static void tell_left(struct mend_comm *c, enum mend_agree_event_kind kind, bool all)
{
    struct mend_agree_event ev = {.kind = kind};
    uint64_t *set = make_set(c);
    bool any = false;

    for (int32_t r = 0; r < c->decide->members_n; r++) {
        if (r == c->decide->me || !mend_decide_has_left(c, r) ||
            (!all && has_unread(c->self, mend_decide_peer(c->decide, r))))
            continue;
        mend_bits_set(set, index_of(c, r));
        any = true;
    }
    ev.dead = set;
    if (any)
        tell_all(c, &ev);
    mend_free(c->self, set);
}

/* As with a dead process, everything that it has sent counts. */
void mend_decide_tree_pass_over_left(struct mend_comm *c)
{
    tell_left(c, MEND_AGREE_DEATH, false);
    give_all_heard(c);
}

void mend_decide_tree_end_with_left(struct mend_comm *c)
{
    tell_left(c, MEND_AGREE_LEFT, true);
}
