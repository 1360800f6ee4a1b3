/* SPDX-License-Identifier: BSD-3-Clause */
/* link.c – operations that go by messages, at the origin. */
#include "rma/link.h"

#include "net/net.h"
#include "proc/post.h"
#include "rma/control.h"
#include "rma/pending.h"
#include "rma/serve.h"

#define LONG_REPLIES 2u
#define TURN_POLLS   200u /* 10 to 20 us: both could have copied a frame meanwhile */

static struct mend_rma_pending *pending_of(struct mend_list *l)
{
    return mend_list_entry(l, struct mend_rma_pending, link);
}

static enum mend_status push(struct mend_proc *self, mend_peer to, struct mend_out *out);
static void drop(struct mend_proc *self, struct mend_out *out);

struct mend_rma_link *mend_link(struct mend_win *w, int target)
{
    struct mend_rma_link *l;

    if (!w->links)
        w->links = mend_zalloc(w->self, (size_t)w->n, sizeof(struct mend_rma_link *));
    if (!w->links)
        return NULL;
    l = w->links[target];
    if (l)
        return l;
    l = mend_zalloc(w->self, 1, sizeof(*l));
    if (l)
        l->next_id = l->flushes_n = l->flushed_n = mend_params_first(&w->self->params, 1);
    if (!l)
        return NULL;
    l->w = w;
    l->target = target;
    l->out.push = push;
    l->out.drop = drop;
    mend_list_init(&l->unsent);
    mend_list_init(&l->unanswered);
    return w->links[target] = l;
}

static struct mend_rma_link *known(const struct mend_win *w, int target)
{
    return w->links ? w->links[target] : NULL;
}

void mend_rma_link_end(struct mend_rma_link *l, int error)
{
    if (l->queued)
        mend_out_remove(l->w->self, mend_comm_peer(l->w->comm, l->target), &l->out);
    l->queued = false;
    while (!mend_list_empty(&l->unsent))
        mend_rma_pending_end(pending_of(l->unsent.next), error);
    while (!mend_list_empty(&l->unanswered))
        mend_rma_pending_end(pending_of(l->unanswered.next), error);
    l->replies_n = 0;
    l->early_kind = 0;
    if (!l->w->shared)
        l->changes_n = 0;
}

void mend_rma_link_drop_all(struct mend_win *w)
{
    for (int r = 0; w->links && r < w->n; r++)
        if (w->links[r]) {
            mend_rma_link_end(w->links[r], MEND_CLASS_INVALIDATED);
            mend_free(w->self, w->links[r]);
        }
    mend_free(w->self, w->links);
    w->links = NULL;
}

/* ---- sending ---- */

static bool is_alone(const struct mend_rma_link *l)
{
    return l->polls_n >= TURN_POLLS;
}

/* The least number of fragments of a long operation, all of one length.  With a single fragment in progress one of the two ends
 * would have nothing to copy.  Fewer are better where both ends copy anyway, because both put at the same time. */
static MPI_Count fragments_of(const struct mend_rma_link *l, bool answered)
{
    return answered ? 8 : is_alone(l) ? 17 : 4;
}

static uint32_t frame_wanted(const struct mend_rma_link *l, MPI_Count total, bool answered)
{
    MPI_Count line = MEND_CACHE_LINE, fragments = fragments_of(l, answered);

    if (l->w->self->oversubscribed || total <= fragments * MEND_RMA_LONG)
        return is_alone(l) && total > MEND_RMA_LONG ? MEND_RMA_LONG : MEND_RMA_FRAME_SHORT_MAX;
    if (total > fragments * (MEND_RMA_FRAME_MAX - line))
        fragments = (total - 1) / (MEND_RMA_FRAME_MAX - line) + 1;
    return (uint32_t)(((total - 1) / fragments / line + 2) * line);
}

/* Of an operation that moves `total` bytes. */
static uint32_t frame_max(const struct mend_rma_link *l, MPI_Count total, bool answered)
{
    struct mend_win *w = l->w;
    uint32_t max = mend_net_of(w->self, mend_comm_peer(w->comm, l->target))->payload_max_bytes;
    uint32_t wanted = frame_wanted(l, total, answered);

    return max < wanted ? max : wanted;
}

static struct mend_frame frame_of(const struct mend_win *w, enum mend_rma_kind kind, uint32_t len)
{
    return mend_frame_make(MEND_FRAME_RMA, w->comm->ctx | MEND_CHANNEL_RMA, (int)kind, w->me, len);
}

/* The same, carried out here: the target is this process. */
static void do_here(struct mend_rma_pending *p)
{
    char room[MEND_RMA_FRAME_SHORT_MAX];
    struct mend_win *w = p->at->w;
    uint32_t len = mend_rma_pending_fill(p, room, sizeof(room), sizeof(room));

    mend_serve(w, w->me, p->op.kind, room, len);
}

/* A frame of one block without data is a part of a slot of the transport. */
static uint32_t room_for(const struct mend_rma_pending *p, uint32_t max)
{
    return p->op.kind == MEND_RMA_GET && p->op.there.type->dense
               ? sizeof(struct mend_rma_head) + sizeof(struct mend_rma_block)
               : max;
}

static enum mend_status send_one(struct mend_rma_link *l, struct mend_rma_pending *p)
{
    struct mend_proc *self = l->w->self;
    mend_peer to = mend_comm_peer(l->w->comm, l->target);
    uint32_t answer_max = frame_max(l, p->total, p->answered), max = room_for(p, answer_max);
    struct mend_frame f;
    char *room;

    if (l->target == l->w->me) {
        do_here(p);
        return MEND_OK;
    }
    room = mend_net_of(self, to)->reserve(self, to, max);
    if (!room)
        return mend_out_starves(self, to, max);
    f = frame_of(l->w, p->op.kind, mend_rma_pending_fill(p, room, max, answer_max));
    mend_net_of(self, to)->commit(self, to, &f);
    mend_event(self, MEND_EV_RMA_SENT);
    return MEND_OK;
}

/* A frame of the operation was sent: puts the operation where it belongs now.  Answers may have come meanwhile. */
static void after_frame(struct mend_rma_link *l, struct mend_rma_pending *p)
{
    p->sending = false;
    if (p->framed < p->total)
        return;
    if (!p->answered || p->got >= p->total) {
        mend_rma_pending_end(p, p->error);
        return;
    }
    mend_list_remove(&p->link);
    mend_list_append(&l->unanswered, &p->link);
}

/* Two processes that put long data to each other, or accumulate, use the same memory by turns: each writes what it has just read, which is in
 * its cache.  So the next frame waits for one of the target; not for many polls, for it may have nothing to put. */
static bool awaits_turn(struct mend_rma_link *l, const struct mend_rma_pending *p)
{
    struct mend_proc *self = l->w->self;
    mend_peer to = mend_comm_peer(l->w->comm, l->target);
    const struct mend_near *near = mend_near_of(self, to);

    if (p->answered || p->total - p->framed <= MEND_RMA_LONG || is_alone(l) || !near->is_handy ||
        near->is_handy(self, to, frame_max(l, p->total, p->answered)))
        return false;
    l->polls_n++;
    return true;
}

void mend_rma_link_on_long_frame(struct mend_win *w, int target)
{
    struct mend_rma_link *l = known(w, target);

    if (!l)
        return;
    l->polls_n = 0;
    w->self->sated |= l->queued;
}

/* Replies that may be under way to an operation: of a long one as many as both ends need to copy at a time. */
static unsigned replies_max(const struct mend_rma_link *l, const struct mend_rma_pending *p)
{
    return frame_max(l, p->total, true) > MEND_RMA_FRAME_SHORT_MAX ? LONG_REPLIES
                                                                   : MEND_RMA_LINK_REPLIES;
}

/* Sends what the transport has room for and the target allows.  MEND_AGAIN: the transport has no room, or will have a better
 * one. */
static enum mend_status send_all(struct mend_rma_link *l)
{
    while (!mend_list_empty(&l->unsent)) {
        struct mend_rma_pending *p = pending_of(l->unsent.next);

        if (l->lock == MEND_RMA_LINK_ASKED || (p->answered && l->replies_n >= replies_max(l, p)))
            return MEND_OK; /* an answer goes on with it */
        if (awaits_turn(l, p))
            return MEND_AGAIN;
        p->sending = true;
        l->replies_n += p->answered; /* before: one's own answer comes at once */
        if (send_one(l, p) != MEND_OK) {
            l->replies_n -= p->answered;
            p->sending = false;
            return MEND_AGAIN;
        }
        l->changes_n += !p->answered;
        after_frame(l, p);
    }
    return MEND_OK;
}

static enum mend_status pump(struct mend_rma_link *l)
{
    enum mend_status st;

    l->pumping = true;
    st = send_all(l);
    l->pumping = false;
    return st;
}

static enum mend_status push(struct mend_proc *self, mend_peer to, struct mend_out *out)
{
    struct mend_rma_link *l = MEND_CONTAINER_OF(out, struct mend_rma_link, out);
    enum mend_status st = pump(l);

    (void)self, (void)to;
    l->queued = st == MEND_AGAIN;
    return st;
}

static void drop(struct mend_proc *self, struct mend_out *out)
{
    struct mend_rma_link *l = MEND_CONTAINER_OF(out, struct mend_rma_link, out);

    (void)self;
    l->queued = false;
    mend_rma_link_end(l, MPI_ERR_PROC_FAILED);
}

/* Sends now, or behind what waits for room. */
static void go_on(struct mend_rma_link *l)
{
    struct mend_proc *self = l->w->self;
    mend_peer to = mend_comm_peer(l->w->comm, l->target);

    if (l->queued || l->pumping || mend_list_empty(&l->unsent))
        return;
    if (l->target != l->w->me && !mend_out_empty(self, to))
        l->queued = true;
    else
        l->queued = pump(l) == MEND_AGAIN;
    if (l->queued)
        mend_out_append(self, to, &l->out);
}

static void say(struct mend_win *w, int target, enum mend_rma_kind kind, const void *what,
                size_t len)
{
    struct mend_frame f = frame_of(w, kind, (uint32_t)len);

    if (target == w->me)
        mend_serve(w, w->me, kind, what, len);
    else
        mend_post(w->self, mend_comm_peer(w->comm, target), &f, what);
}

void mend_rma_link_say(struct mend_win *w, int target, enum mend_rma_kind kind, uint32_t id,
                       uint64_t at)
{
    struct mend_rma_head h = {.id = id, .at = at};

    say(w, target, kind, &h, sizeof(h));
}

void mend_rma_link_tell(struct mend_win *w, int target, enum mend_rma_kind kind)
{
    mend_rma_link_say(w, target, kind, 0, 0);
}

/* ---- beginning ---- */

/* Nothing is before it, and nothing must come first. */
static bool is_free(const struct mend_rma_link *l)
{
    const struct mend_win *w = l->w;
    bool asks = !w->shared && w->access == MEND_ACCESS_LOCK_ALL && l->lock == MEND_RMA_LINK_FREE;

    return l->target != w->me && !l->queued && !l->pumping && mend_list_empty(&l->unsent) &&
           l->lock != MEND_RMA_LINK_ASKED && !asks &&
           mend_out_empty(w->self, mend_comm_peer(w->comm, l->target));
}

/* A put of one block, which fits into a frame: it is over as soon as the frame is written. */
static bool put_at_once(struct mend_rma_link *l, const struct mend_rma_op *op)
{
    struct mend_win *w = l->w;
    struct mend_proc *self = w->self;
    mend_peer to = mend_comm_peer(w->comm, op->target);
    size_t len = (size_t)(op->there.count * op->there.type->size);
    MPI_Aint unit = w->flavor == MPI_WIN_FLAVOR_DYNAMIC ? 1 : w->part[op->target].disp_unit;
    struct {
        struct mend_rma_head head;
        struct mend_rma_block block;
        char data[];
    } * room;
    struct mend_frame f;
    uint32_t need = (uint32_t)(sizeof(*room) + mend_rma_padded(len));

    if (op->kind != MEND_RMA_PUT || !op->there.type->dense || !op->origin.type->dense ||
        len > frame_max(l, (MPI_Count)len, false) - sizeof(*room) - 8 || !is_free(l))
        return false;
    room = mend_net_of(self, to)->reserve(self, to, need);
    if (!room)
        return false;
    room->head = (struct mend_rma_head){0};
    room->block =
        (struct mend_rma_block){(int64_t)(op->disp * unit + op->there.type->true_lb), len};
    memcpy(room->data, (const char *)op->origin.from + op->origin.type->true_lb, len);
    f = frame_of(w, MEND_RMA_PUT, need);
    mend_net_of(self, to)->commit(self, to, &f);
    mend_event(self, MEND_EV_RMA_SENT);
    l->changes_n++;
    return true;
}

static bool has_room(struct mend_win *w, void *arg)
{
    const int *target = arg;

    return !mend_rma_link_is_full(w, *target);
}

int mend_rma_link_await_room(struct mend_win *w, int target)
{
    return mend_win_wait(w, &(struct mend_win_wait){has_room, &target,
                                                    "room for one more one-sided operation",
                                                    .by = target});
}

int mend_rma_link_begin(struct mend_win *w, const struct mend_rma_op *op,
                        struct mend_request **request_p)
{
    bool dead = mend_win_is_dead(w, op->target) || w->lock[op->target].failed;
    struct mend_rma_link *l = mend_link(w, op->target);
    struct mend_rma_pending *p;

    if (l && !dead && !request_p && put_at_once(l, op))
        return MPI_SUCCESS;
    p = l ? mend_rma_pending_make(l, op, request_p != NULL) : NULL;
    if (!p)
        return MPI_ERR_NO_MEM;
    if (request_p)
        *request_p = &p->base;
    if (dead || !p->total) {
        mend_rma_pending_end(p, dead ? MPI_ERR_PROC_FAILED : MPI_SUCCESS);
        return MPI_SUCCESS;
    }
    if (!w->shared && w->access == MEND_ACCESS_LOCK_ALL && l->lock == MEND_RMA_LINK_FREE)
        mend_rma_link_ask(l, MEND_WINLOCK_ALL);
    mend_list_append(&l->unsent, &p->link);
    go_on(l);
    return MPI_SUCCESS;
}

/* ---- locks by messages ---- */

static void say_dead(struct mend_rma_link *l)
{
    struct mend_win *w = l->w;
    struct {
        struct mend_rma_head head;
        uint32_t ranks[MEND_RMA_DEAD_MAX];
    } said = {0};
    uint32_t n = 0;

    for (int r = 0; r < w->n; r++) {
        if (mend_win_is_dead(w, r))
            said.ranks[n++] = (uint32_t)r;
        if (n == MEND_RMA_DEAD_MAX || (n && r == w->n - 1)) {
            say(w, l->target, MEND_RMA_DEAD, &said, sizeof(said.head) + n * sizeof(uint32_t));
            n = 0;
        }
    }
}

/* A shared lock has other holders, which the target may believe to live (R32, S0-48). */
static void say_what_is_known(struct mend_rma_link *l, enum mend_winlock_kind kind)
{
    if (kind == MEND_WINLOCK_SHARED && l->w->comm->inactive)
        say_dead(l);
}

void mend_rma_link_ask(struct mend_rma_link *l, enum mend_winlock_kind kind)
{
    say_what_is_known(l, kind);
    l->early_kind = 0;
    l->lock = MEND_RMA_LINK_ASKED;
    mend_rma_link_say(l->w, l->target, MEND_RMA_LOCK, 0, (uint64_t)kind);
}

void mend_rma_link_give_back(struct mend_rma_link *l, enum mend_winlock_kind kind)
{
    say_what_is_known(l, kind);
    mend_rma_link_tell(l->w, l->target, MEND_RMA_UNLOCK);
}

/* ---- answers ---- */

static struct mend_rma_pending *find(struct mend_list *list, uint32_t id)
{
    for (struct mend_list *k = list->next; k != list; k = k->next)
        if (pending_of(k)->id == id)
            return pending_of(k);
    return NULL;
}

static void on_reply(struct mend_rma_link *l, const struct mend_rma_head *h, const void *data,
                     size_t len, int error)
{
    struct mend_rma_pending *p = find(&l->unanswered, h->id);

    if (!p)
        p = find(&l->unsent, h->id);
    if (l->replies_n)
        l->replies_n--;
    if (!p)
        return; /* it was given up */
    if (error)
        p->error = error;
    else
        mend_type_unpack(p->op.result.type, p->op.result.to, p->op.result.count, (MPI_Count)h->at,
                         data, len);
    p->got += error ? p->total : (MPI_Count)len;
    if (p->got >= p->total && p->framed >= p->total && !p->sending) {
        if (p->error && !p->wanted) /* no request tells it */
            l->fault = p->error;
        mend_rma_pending_end(p, p->error);
        l->w->self->sated = mend_list_empty(&l->unanswered) && mend_list_empty(&l->unsent);
    }
}

static void on_fault(struct mend_rma_link *l, const struct mend_rma_head *h)
{
    if (h->id) {
        on_reply(l, h, NULL, 0, (int)h->at);
        return;
    }
    l->fault = (int)h->at;
    l->faults_n++;
}

static void on_locked(struct mend_rma_link *l, bool held)
{
    if (l->lock != MEND_RMA_LINK_ASKED)
        return; /* it was given up, and unlock has been said */
    l->lock = held ? MEND_RMA_LINK_HELD : MEND_RMA_LINK_POISONED;
    if (held)
        mend_rma_link_tell(l->w, l->target, MEND_RMA_TAKEN);
}

/* A verdict comes to each node by itself, and the answer of a target that has it may be faster.  So that an error comes with a member that is
 * dead here, the answer waits for the verdict, which comes, or this process ends. */
static void on_lock_answer(struct mend_rma_link *l, enum mend_rma_kind kind,
                           const struct mend_rma_head *h)
{
    bool early = h->id > mend_win_dead_n(l->w);

    l->early_kind = early ? kind : 0;
    l->early = *h;
    if (early)
        return;
    if (kind == MEND_RMA_LOCKED) {
        on_locked(l, h->at == MEND_WINLOCK_HELD);
        return;
    }
    l->lock = MEND_RMA_LINK_FREE;
    l->fault = h->at == MEND_WINLOCK_POISONED ? MPI_ERR_PROC_FAILED : l->fault;
}

void mend_rma_link_on_deaths(struct mend_win *w)
{
    for (int r = 0; w->links && r < w->n; r++) {
        struct mend_rma_link *l = w->links[r];
        struct mend_rma_head h;

        if (!l || !l->early_kind)
            continue;
        h = l->early;
        on_lock_answer(l, l->early_kind, &h);
        go_on(l);
    }
}

void mend_rma_link_on_answer(struct mend_win *w, int target, enum mend_rma_kind kind,
                             const struct mend_rma_head *h, const void *data, size_t len)
{
    struct mend_rma_link *l = mend_link(w, target);

    if (!l)
        return; /* nothing was asked for */
    switch (kind) {
    case MEND_RMA_REPLY:
        on_reply(l, h, data, len, MPI_SUCCESS);
        break;
    case MEND_RMA_FLUSHED:
        l->flushed_n = h->id;
        break;
    case MEND_RMA_FAULT:
        on_fault(l, h);
        break;
    case MEND_RMA_LOCKED:
    case MEND_RMA_UNLOCKED:
        on_lock_answer(l, kind, h);
        break;
    default:
        break;
    }
    go_on(l);
}

/* ---- completion ---- */

bool mend_rma_link_is_local(struct mend_win *w, int target)
{
    struct mend_rma_link *l = known(w, target);

    return !l || (mend_list_empty(&l->unsent) && mend_list_empty(&l->unanswered));
}

/* Has the target carried out all frames that it does not answer? */
static bool are_changes_done(const struct mend_rma_link *l)
{
    if (!l->w->shared)
        return l->changes_n == 0 && l->flushed_n == l->flushes_n;
    return l->changes_n == mend_win_executed_n(l->w, l->target) + l->faults_n;
}

bool mend_rma_link_is_idle(const struct mend_win *w, int target)
{
    struct mend_rma_link *l = known(w, target);

    return !l ||
           (mend_list_empty(&l->unsent) && mend_list_empty(&l->unanswered) && are_changes_done(l));
}

bool mend_rma_link_is_flushed(struct mend_win *w, int target)
{
    struct mend_rma_link *l = known(w, target);

    if (!l || mend_win_is_dead(w, target))
        return true;
    if (!mend_list_empty(&l->unsent) || !mend_list_empty(&l->unanswered))
        return false;
    if (!w->shared && l->changes_n) {
        l->changes_n = 0;
        mend_rma_link_say(w, target, MEND_RMA_FLUSH, ++l->flushes_n, 0);
    }
    return are_changes_done(l);
}

int mend_rma_link_fault(struct mend_win *w, int target)
{
    struct mend_rma_link *l = known(w, target);
    int fault = l ? l->fault : MPI_SUCCESS;

    if (l)
        l->fault = MPI_SUCCESS;
    return fault;
}
