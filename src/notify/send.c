/* SPDX-License-Identifier: BSD-3-Clause */
/* send.c – a notification on its way.
 *
 * It goes as one frame, behind all that goes to the same peer.  Where there is no room for it the peer is poked at once, so
 * that it makes room, and again when the frame has left.  A peer that blocks the signal and computes makes none: after a while
 * the frame is left to the next calls of this process. */
#include "base/time.h"
#include "net/net.h"
#include "notify/internal.h"
#include "proc/news.h"
#include "proc/post.h"
#include "req/request.h"
#include "rt/rt.h"

#define ROOM_NS 1000000000 /* a process that takes the signal makes room within milliseconds */

struct letter {
    struct mend_out out;
    bool *over; /* set when it has left, or never will; NULL: nobody waits */
    struct mend_frame frame;
    unsigned char data[];
};

static bool poke(struct mend_proc *self, mend_peer to)
{
    return self->rt->poke && self->rt->poke(self, to);
}

static void sent(struct mend_proc *self, mend_peer to)
{
    mend_event(self, MEND_EV_NOTIFY_SENT);
    poke(self, to);
}

static void drop(struct mend_proc *self, struct mend_out *out)
{
    struct letter *l = MEND_CONTAINER_OF(out, struct letter, out);

    if (l->over)
        *l->over = true;
    mend_free(self, l);
}

static enum mend_status push(struct mend_proc *self, mend_peer to, struct mend_out *out)
{
    struct letter *l = MEND_CONTAINER_OF(out, struct letter, out);
    enum mend_status st = mend_net_of(self, to)->send(self, to, &l->frame, l->data);

    if (st == MEND_AGAIN)
        return mend_out_starves(self, to, mend_frame_len(&l->frame));
    sent(self, to);
    drop(self, out);
    return st;
}

struct room_wait {
    bool over;
    mend_time_ns end;
};

static bool is_over(struct mend_proc *self, void *arg)
{
    const struct room_wait *k = arg;

    (void)self;
    return k->over || mend_time_monotonic_ns() >= k->end;
}

/* What ends the wait when the peer dies: its letters are dropped; if it makes no room: time.  What is in an outbox keeps this process from
 * sleeping, so it looks at the clock. */
static void await_room(struct mend_proc *self, mend_peer to, struct letter *l)
{
    struct room_wait k = {.end = mend_time_monotonic_ns() + ROOM_NS};
    struct mend_wait w = {
        .until = is_over, .arg = &k, .what = "room for a notification", .hint = to};

    l->over = &k.over;
    mend_wait_until(self, &w);
    if (!k.over)
        l->over = NULL;
}

struct departure {
    mend_peer to;
    uint64_t end;
};

static bool has_left(struct mend_proc *self, void *arg)
{
    struct departure *d = arg;

    return mend_peer_is_dead(self, d->to) || mend_net_has_left(self, d->to, &d->end);
}

/* The caller may compute next.  What ends the wait when the peer dies or cannot be reached: the verdict. */
static void await_departure(struct mend_proc *self, mend_peer to)
{
    struct departure d = {.to = to};
    struct mend_wait w = {
        .until = has_left, .arg = &d, .what = "a notification to leave", .hint = to};

    if (!has_left(self, &d))
        mend_wait_until(self, &w);
}

struct question {
    mend_peer to;
    uint64_t since;
};

static bool is_answered(struct mend_proc *self, void *arg)
{
    const struct question *q = arg;

    mend_interrupt_check(self);
    return mend_presence_of(self, q->to) != MEND_PRESENCE_LEFT ||
           mend_news_of(self, q->to, q->since);
}

bool mend_notify_has_left(struct mend_proc *self, mend_peer to)
{
    struct question q = {.to = to, .since = mend_news_now(self)};
    struct mend_wait w = {.until = is_answered,
                          .arg = &q,
                          .what = "news of whether a process has left MPI",
                          .hint = MEND_PEER_NONE,
                          .rings = true};

    if (to == self->me)
        return false;
    if (!is_answered(self, &q))
        mend_wait_until(self, &w);
    return mend_has_left_since(self, to, q.since);
}

static int queue(struct mend_proc *self, mend_peer to, const struct mend_frame *f, const void *data)
{
    uint32_t bytes = mend_frame_len(f);
    struct letter *l = mend_alloc(self, sizeof(*l) + bytes);

    if (!l)
        return MPI_ERR_NO_MEM;
    l->out.push = push;
    l->out.drop = drop;
    l->frame = *f;
    l->over = NULL;
    if (bytes)
        memcpy(l->data, data, bytes);
    mend_out_append(self, to, &l->out);
    if (!poke(self, to))
        return MPI_SUCCESS;
    await_room(self, to, l);
    return mend_peer_is_dead(self, to) ? MPI_ERR_PROC_FAILED : MPI_SUCCESS;
}

int mend_notify_send(struct mend_proc *self, mend_peer to, int key, const void *data, int bytes)
{
    struct mend_frame f = mend_frame_make(MEND_FRAME_NOTIFY, 0, key, 0, (uint32_t)bytes);

    if (mend_peer_is_dead(self, to))
        return MPI_ERR_PROC_FAILED;
    if (to == self->me) {
        mend_notify_take(self, to, key, data, (uint32_t)bytes);
        return MPI_SUCCESS;
    }
    if (!mend_out_empty(self, to) || mend_net_of(self, to)->send(self, to, &f, data) == MEND_AGAIN)
        return queue(self, to, &f, data);
    sent(self, to);
    await_departure(self, to);
    return mend_peer_is_dead(self, to) ? MPI_ERR_PROC_FAILED : MPI_SUCCESS;
}
