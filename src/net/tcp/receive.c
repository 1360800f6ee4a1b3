/* SPDX-License-Identifier: BSD-3-Clause */
/* receive.c – the receiver's side of a stream: reading, taking frames apart, and the end of a stream whose sender is dead.
 *
 * One buffer serves all peers: what a read has brought is delivered from there before the next read, in place.  Only a frame
 * that has come in part is put together elsewhere: in memory of the pair, or where its receiver wants to have it (net.h:
 * displace).  The rest of a long payload is read there, and what follows it into the buffer, with the same call; of what follows a
 * payload that has its place only the next header, since the payload behind it will have one, too.  Frames lie at multiples of 8 bytes, as in the stream. */
#include "net/tcp/internal.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#define EVENTS_MAX   16    /* connections that are looked at in a poll */
#define OTHERS_EVERY 64u   /* polls with a hint between two looks at all connections */
#define LONG_BYTES   1024u /* of a payload, which are worth a place of their own in a read */
#define AFTER_BYTES  256u  /* that are read behind a payload which has its place */

static bool is_sound(const struct mend_frame *f)
{
    uint32_t kind = mend_frame_kind(f), len = mend_frame_len(f);

    return kind < MEND_FRAME_KINDS_USED && len <= MEND_TCP_PAYLOAD_MAX &&
           (kind != MEND_FRAME_SKIP || !len);
}

/* Nothing is read from there any more, nor does it wake this process. */
static void damaged(struct mend_proc *self, struct mend_tcp_pair *p)
{
    p->damaged = true;
    if (p->fd >= 0)
        epoll_ctl(self->tcp->set, EPOLL_CTL_DEL, p->fd, NULL);
    self->on_damage(self, p->peer);
}

static void deliver(struct mend_proc *self, struct mend_tcp_pair *p, const struct mend_frame *f,
                    const void *payload)
{
    if (!mend_tcp_acknowledge(&p->out, f->seq)) {
        damaged(self, p);
    } else if (mend_frame_kind(f) == MEND_FRAME_SKIP) {
        p->asked |= f->tag == MEND_TCP_ASKS;
    } else {
        self->tcp->delivered_n++;
        self->on_frame[mend_frame_kind(f)](self, p->peer, f, payload);
    }
}

static uint32_t at_most(size_t a, uint32_t b)
{
    return a < b ? (uint32_t)a : b;
}

/* Takes the next len bytes, or as many as there are, to `to`. */
static uint32_t move(struct mend_tcp *t, void *to, uint32_t len)
{
    uint32_t n = at_most((size_t)(t->end - t->at), len);

    memcpy(to, t->at, n);
    t->at += n;
    return n;
}

static bool has_payload_room(struct mend_proc *self, struct mend_tcp_pair *p)
{
    if (!p->payload)
        p->payload = mend_alloc(self, MEND_TCP_PAYLOAD_MAX);
    return p->payload != NULL;
}

/* There is no memory for a frame that comes in parts, of which nothing was taken: the sender keeps it, and it comes again. */
static void leave_part(struct mend_proc *self, struct mend_tcp_pair *p)
{
    self->tcp->at = self->tcp->end;
    mend_tcp_broken(self, p);
}

static char *payload_of(const struct mend_tcp_pair *p)
{
    return p->place ? p->place : p->payload;
}

static void deliver_part(struct mend_proc *self, struct mend_tcp_pair *p)
{
    const char *payload = payload_of(p);

    p->part_n = 0;
    p->place = NULL;
    deliver(self, p, &p->part, payload);
}

/* The header has come.  What pads a payload has no room in a place. */
static void find_place(struct mend_proc *self, struct mend_tcp_pair *p)
{
    uint32_t len = mend_frame_len(&p->part);

    p->place = self->place && len >= LONG_BYTES && len % 8 == 0
                   ? self->place(self, p->peer, &p->part)
                   : NULL;
}

void mend_tcp_displace(struct mend_proc *self, mend_peer peer)
{
    struct mend_tcp_pair *p = mend_tcp_of(self, peer);

    if (!p)
        return;
    mend_tcp_end_loans(p);
    if (!p->place)
        return;
    memcpy(p->payload, p->place, p->part_n - MEND_TCP_HEADER);
    p->place = NULL;
}

/* Bytes of the frame that is put together; its header has come. */
static uint32_t part_bytes(const struct mend_tcp_pair *p)
{
    return mend_tcp_bytes_of(mend_frame_len(&p->part));
}

static void add_to_part(struct mend_proc *self, struct mend_tcp_pair *p)
{
    struct mend_tcp *t = self->tcp;
    uint32_t n;

    if (!has_payload_room(self, p)) {
        leave_part(self, p);
        return;
    }
    if (p->part_n < MEND_TCP_HEADER) {
        n = move(t, (char *)&p->part + p->part_n, MEND_TCP_HEADER - p->part_n);
        p->part_n += n;
        p->in.received += n;
        if (p->part_n < MEND_TCP_HEADER)
            return;
        if (!is_sound(&p->part)) {
            damaged(self, p);
            return;
        }
        find_place(self, p);
    }
    n = move(t, payload_of(p) + (p->part_n - MEND_TCP_HEADER), part_bytes(p) - p->part_n);
    p->part_n += n;
    p->in.received += n;
    if (p->part_n == part_bytes(p))
        deliver_part(self, p);
}

/* The next frame, which begins in the buffer. */
static void take_frame(struct mend_proc *self, struct mend_tcp_pair *p)
{
    struct mend_tcp *t = self->tcp;
    const struct mend_frame *f = (const struct mend_frame *)(const void *)t->at;
    size_t here = (size_t)(t->end - t->at);

    if (here < MEND_TCP_HEADER || (is_sound(f) && here < mend_tcp_bytes_of(mend_frame_len(f)))) {
        add_to_part(self, p);
        return;
    }
    if (!is_sound(f)) {
        damaged(self, p);
        return;
    }
    t->at += mend_tcp_bytes_of(mend_frame_len(f));
    p->in.received += mend_tcp_bytes_of(mend_frame_len(f));
    deliver(self, p, f, (const char *)f + MEND_TCP_HEADER);
}

static void take_challenge(struct mend_proc *self, struct mend_tcp_pair *p)
{
    p->challenge_n += (uint8_t)move(self->tcp, (char *)&p->challenge + p->challenge_n,
                                    (uint32_t)sizeof(p->challenge) - p->challenge_n);
    if (p->challenge_n < sizeof(p->challenge) || mend_tcp_on_challenge(self, p))
        return;
    p->challenge_n = 0; /* so nothing is said there */
    damaged(self, p);
}

static void take_greeting(struct mend_proc *self, struct mend_tcp_pair *p)
{
    p->answer_n += (uint8_t)move(self->tcp, (char *)&p->answer + p->answer_n,
                                 (uint32_t)sizeof(p->answer) - p->answer_n);
    if (p->answer_n == sizeof(p->answer) && !mend_tcp_on_greeting(self, p))
        damaged(self, p);
}

/* Bytes that have come before. */
static void skip(struct mend_tcp *t, struct mend_tcp_pair *p)
{
    size_t here = (size_t)(t->end - t->at), n = here < p->skip ? here : (size_t)p->skip;

    t->at += n;
    p->skip -= n;
}

/* Delivers what is in the buffer, until a frame says that it was waited for. */
static void deliver_buffer(struct mend_proc *self)
{
    struct mend_tcp *t = self->tcp;
    struct mend_tcp_pair *p = t->from;

    while (t->at < t->end && !p->damaged && !self->sated) {
        if (p->challenge_n < sizeof(p->challenge))
            take_challenge(self, p);
        else if (p->answer_n < sizeof(p->answer))
            take_greeting(self, p);
        else if (p->skip)
            skip(t, p);
        else if (p->part_n)
            add_to_part(self, p);
        else
            take_frame(self, p);
    }
    if (t->at == t->end || p->damaged)
        t->from = NULL;
    mend_tcp_tell(self, p);
}

/* Where the next bytes belong: the rest of a long payload, then the buffer, at an address that fits their position. */
static int places(struct mend_tcp *t, struct mend_tcp_pair *p, struct iovec place[2])
{
    bool direct = p->part_n >= MEND_TCP_HEADER && part_bytes(p) - p->part_n >= LONG_BYTES &&
                  !p->skip && p->answer_n == sizeof(p->answer);
    uint64_t next = p->in.received - p->skip;

    if (direct) {
        place[0] = (struct iovec){payload_of(p) + (p->part_n - MEND_TCP_HEADER),
                                  part_bytes(p) - p->part_n};
        place[1] = (struct iovec){t->buffer, p->place ? AFTER_BYTES : MEND_TCP_READ_BYTES};
        return 2;
    }
    if (p->challenge_n < sizeof(p->challenge))
        next = p->challenge_n;
    else if (p->answer_n < sizeof(p->answer))
        next = p->answer_n;
    place[0] = (struct iovec){t->buffer + next % 8, MEND_TCP_READ_BYTES};
    return 1;
}

/* n bytes have come to these places. */
static void on_bytes(struct mend_proc *self, struct mend_tcp_pair *p, struct iovec *place,
                     int places_n, size_t n)
{
    struct mend_tcp *t = self->tcp;

    mend_tcp_use(t, p);
    t->asked = false;
    if (places_n == 2) {
        uint32_t payload_n = at_most(n, (uint32_t)place[0].iov_len);

        p->part_n += payload_n;
        p->in.received += payload_n;
        n -= payload_n;
        if (p->part_n == part_bytes(p))
            deliver_part(self, p);
    }
    t->from = p;
    t->at = place[places_n - 1].iov_base;
    t->end = t->at + n;
    deliver_buffer(self);
}

enum reading { NOTHING, SOME, END };

/* Reads once from a connection of the pair. */
static enum reading read_from(struct mend_proc *self, struct mend_tcp_pair *p, int fd)
{
    struct iovec place[2];
    int places_n = places(self->tcp, p, place);
    struct msghdr m = {.msg_iov = place, .msg_iovlen = (size_t)places_n};
    ssize_t n = recvmsg(fd, &m, MSG_DONTWAIT);

    if (n > 0) {
        on_bytes(self, p, place, places_n, (size_t)n);
        return SOME;
    }
    if (mend_unlikely(n < 0 && errno == EFAULT)) {
        mend_tcp_meet_fault(place, places_n, true);
        return NOTHING; /* the next time */
    }
    return n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) ? END : NOTHING;
}

static void read_pair(struct mend_proc *self, struct mend_tcp_pair *p)
{
    if (p->fd >= 0 && !p->damaged && read_from(self, p, p->fd) == END)
        mend_tcp_broken(self, p);
}

void mend_tcp_deliver_rest(struct mend_proc *self)
{
    while (self->tcp->from) {
        self->sated = false;
        deliver_buffer(self);
    }
}

bool mend_tcp_drain(struct mend_proc *self, struct mend_tcp_pair *p, int fd)
{
    enum reading last = SOME;

    while (!p->damaged && (last = read_from(self, p, fd)) == SOME)
        mend_tcp_deliver_rest(self);
    return last == END;
}

/* All connections at which the kernel has news. */
static void look(struct mend_proc *self)
{
    struct mend_tcp *t = self->tcp;
    struct epoll_event e[EVENTS_MAX];
    int events_n = t->set < 0 ? 0 : epoll_wait(t->set, e, EVENTS_MAX, 0);

    for (int i = 0; i < events_n; i++) {
        struct mend_tcp_pair *p;

        if (e[i].data.fd == MEND_PEER_NONE) {
            mend_tcp_on_timer(self);
            mend_tcp_look_for_silence(self);
            continue;
        }
        p = mend_tcp_of(self, e[i].data.fd);
        if (e[i].events & EPOLLOUT)
            mend_tcp_flush(self, p);
        if (mend_unlikely(p->refused >= 0) && !self->sated && !t->from)
            mend_tcp_read_refused(self, p);
        if (e[i].events & ~(uint32_t)EPOLLOUT && !self->sated && !t->from)
            read_pair(self, p);
    }
}

static bool is_look_due(struct mend_proc *self, bool hinted)
{
    struct mend_tcp *t = self->tcp;

    if (!mend_list_empty(&t->due))
        return true;
    return hinted ? ++t->turns_n % OTHERS_EVERY == 0
                  : !self->bell || self->bell->is_due(self, &t->look);
}

static void poll_connections(struct mend_proc *self, mend_peer hint)
{
    struct mend_tcp *t = self->tcp;
    struct mend_tcp_pair *p = hint >= 0 ? mend_tcp_of(self, hint) : NULL;

    if (t->from)
        deliver_buffer(self);
    if (t->from || self->sated)
        return;
    mend_tcp_take_callers(self);
    if (p && !self->sated)
        read_pair(self, p);
    if (!t->delivered_n && is_look_due(self, p && p->fd >= 0))
        look(self);
}

unsigned mend_tcp_poll(struct mend_proc *self, mend_peer hint)
{
    struct mend_tcp *t = self->tcp;

    t->delivered_n = 0;
    t->polling = true;
    poll_connections(self, hint);
    t->polling = false;
    if (mend_unlikely(!mend_list_empty(&t->due)))
        mend_tcp_flush_due(self);
    if (mend_unlikely(!mend_list_empty(&t->lenders)))
        mend_tcp_look_at_loans(self);
    self->node->read_n += t->delivered_n;
    return t->delivered_n;
}
