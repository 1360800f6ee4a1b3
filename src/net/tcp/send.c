/* SPDX-License-Identifier: BSD-3-Clause */
/* send.c – the sender's side of a stream: frames go into the ring, and from there to the kernel.
 *
 * A frame that is sent outside of a poll is written at once, so it is on its way although this process may compute from then
 * on.  What is sent in a poll, mostly answers, is written at its end, with one call for each peer, and so is what its caller
 * gathers (net.h: gather).  A payload of DIRECT bytes and more goes to the kernel from where it lies, and into the ring behind that,
 * while the receiver works on it already.
 *
 * What is gathered as lent (fragments of large messages) is not copied (stream.h: loans): all fragments leave with one call, which
 * takes half the time of a call for each, since the receiver reads while the kernel copies.  A receiver that computes does not hold
 * up the sender: LOAN_POLLS polls after the kernel has everything, loans are copied.
 *
 * Where the kernel takes no more the rest stays in the ring, and a poll goes on when there is room; until then no further frame
 * is taken.  Of that frame, and of those that are sent before the first connection is there, has_left() tells, so a send of
 * the program's is complete when the kernel has its bytes.
 *
 * A buffer of the program's that it may not read or write is its own fault, and no other process's: where the kernel finds that it touches
 * the buffer itself, and gets SIGSEGV as by any other way that a message goes. */
#include "net/tcp/internal.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#define DIRECT     2048u /* bytes */
#define LOAN_POLLS 256u  /* before loans are copied, which a receiver that waits has by then */
#define LOAN_COUNT (MEND_TCP_ASK_BYTES / MEND_TCP_ASK_LOANS) /* bytes as which a loan counts */
#define PAGE       ((size_t)4096)                            /* the smallest one */

/* Until the ring has memory nothing of the pair was sent. */
static bool has_ring(struct mend_proc *self, struct mend_tcp_pair *p)
{
    if (!p->out.ring)
        p->out.ring = mend_alloc(self, MEND_TCP_RING_BYTES + MEND_TCP_PAYLOAD_MAX);
    return p->out.ring != NULL;
}

/* Nor was anything lent.  Memory to copy loans to is not touched until then. */
static bool has_loans(struct mend_proc *self, struct mend_tcp_pair *p)
{
    if (!p->out.loans && (p->out.loans = mend_alloc(self, sizeof(*p->out.loans))) != NULL)
        p->out.loans->first = p->out.loans->n = 0;
    return p->out.loans != NULL;
}

/* Does a payload of len bytes stay where it is? */
static bool is_lent(struct mend_proc *self, struct mend_tcp_pair *p, uint32_t len)
{
    return self->tcp->lends && len >= DIRECT && len % 8 == 0 && has_loans(self, p);
}

static bool is_backlogged(const struct mend_tcp_pair *p)
{
    return p->wants_room || p->fd < 0;
}

/* MEND_OK: there is room for a frame with a payload of len bytes; *lent_p: which stays where it is.  NULL: it may not. */
static enum mend_status find_room(struct mend_proc *self, mend_peer to, uint32_t len,
                                  struct mend_tcp_pair **p_p, bool *lent_p)
{
    struct mend_tcp_pair *p;
    bool lent;

    if (self->tcp->severed[to])
        return MEND_ERR_PEER;
    p = mend_tcp_pair_to(self, to);
    if (!p || !has_ring(self, p))
        return MEND_AGAIN;
    *p_p = p;
    lent = lent_p && is_lent(self, p, len);
    if (lent_p)
        *lent_p = lent;
    if ((p->fd >= 0 && p->wants_room) || (lent && p->out.loans->n == MEND_TCP_LOANS))
        return MEND_AGAIN;
    return mend_tcp_has_room(&p->out, mend_tcp_bytes_of(lent ? 0 : len), false) ? MEND_OK
                                                                                : MEND_AGAIN;
}

/* The header as it goes out: with what has come of the other stream. */
static struct mend_frame header(struct mend_tcp_pair *p, const struct mend_frame *f)
{
    struct mend_frame h = *f;

    h.seq = (uint32_t)p->in.received;
    p->in.told = p->in.received;
    p->asked = false;
    return h;
}

/* n: what the kernel has said of a write. */
static void on_written(struct mend_proc *self, struct mend_tcp_pair *p, ssize_t n)
{
    if (n >= 0)
        return;
    if (errno == EAGAIN || errno == EWOULDBLOCK)
        mend_tcp_listen(self, p, true);
    else if (errno != EINTR)
        mend_tcp_broken(self, p);
}

static void touch(volatile unsigned char *at, bool writes)
{
    unsigned char byte = *at;

    if (writes)
        *at = byte;
}

void mend_tcp_meet_fault(const struct iovec *piece, int n, bool writes)
{
    for (int i = 0; i < n; i++) {
        volatile unsigned char *at = piece[i].iov_base;

        for (size_t k = 0; k < piece[i].iov_len; k += PAGE)
            touch(at + k, writes);
        if (piece[i].iov_len)
            touch(at + piece[i].iov_len - 1, writes);
    }
}

/* A page that nothing is wrong with any more is written the next time. */
static ssize_t write_pieces(struct mend_tcp_pair *p, struct iovec *piece, int n)
{
    struct msghdr m = {.msg_iov = piece, .msg_iovlen = (size_t)n};
    ssize_t done = sendmsg(p->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);

    if (mend_unlikely(done < 0 && errno == EFAULT)) {
        mend_tcp_meet_fault(piece, n, false);
        errno = EINTR;
    }
    return done;
}

/* The greeting comes before everything else.  True: the kernel has all of it.  A caller waits for the nonce that belongs into it. */
static bool greet(struct mend_proc *self, struct mend_tcp_pair *p)
{
    if (p->challenge_n < sizeof(p->challenge))
        return false;
    while (p->fd >= 0 && p->hello_n < sizeof(p->hello)) {
        struct iovec rest = {(char *)&p->hello + p->hello_n, sizeof(p->hello) - p->hello_n};
        ssize_t n = write_pieces(p, &rest, 1);

        on_written(self, p, n);
        if (n <= 0)
            return false;
        p->hello_n += (uint8_t)n;
    }
    return p->fd >= 0;
}

void mend_tcp_flush(struct mend_proc *self, struct mend_tcp_pair *p)
{
    struct iovec piece[MEND_TCP_PIECES];

    if (p->fd < 0 && !mend_tcp_is_done(p))
        mend_tcp_call(self, p);
    if (p->fd < 0 || !greet(self, p))
        return;
    while (p->out.written != p->out.tail) {
        ssize_t n = write_pieces(p, piece, mend_tcp_unwritten(&p->out, piece));

        on_written(self, p, n);
        if (n <= 0)
            return;
        p->out.written += (uint64_t)n;
    }
    mend_tcp_listen(self, p, false);
}

bool mend_tcp_is_done(const struct mend_tcp_pair *p)
{
    return p->fd < 0 ? mend_tcp_is_acknowledged(&p->out) && !p->missed
                     : p->hello_n == sizeof(p->hello) && p->out.written == p->out.tail;
}

/* Nothing is kept for a frame that says only that, so if it is lost nobody says it again.  False: there is no room. */
static bool say(struct mend_proc *self, struct mend_tcp_pair *p, enum mend_tcp_word word)
{
    struct mend_frame f = mend_frame_make(MEND_FRAME_SKIP, 0, word, 0, 0);

    if (!has_ring(self, p) || !mend_tcp_has_room(&p->out, MEND_TCP_HEADER, true))
        return false;
    f = header(p, &f);
    mend_tcp_put(&p->out, &f, sizeof(f));
    mend_tcp_make_due(self, p);
    return true;
}

static void ask(struct mend_proc *self, struct mend_tcp_pair *p)
{
    if (!say(self, p, MEND_TCP_ASKS))
        return;
    p->asked_for = p->out.needed;
    p->unasked = 0;
}

void mend_tcp_flush_due(struct mend_proc *self)
{
    mend_list_foreach (l, next, &self->tcp->due) {
        struct mend_tcp_pair *p = mend_list_entry(l, struct mend_tcp_pair, due);

        if (p->unasked && !mend_tcp_owes_nothing(&p->out))
            ask(self, p);
        if (!p->wants_room)
            mend_tcp_flush(self, p);
        if (mend_tcp_is_done(p) && mend_list_linked(&p->due)) {
            mend_list_remove(&p->due);
            p->cut = false;
        }
        if (mend_unlikely(p->cut))
            mend_tcp_complain(self, p);
    }
}

void mend_tcp_tell(struct mend_proc *self, struct mend_tcp_pair *p)
{
    if (p->asked)
        say(self, p, MEND_TCP_TELLS);
}

void mend_tcp_ask(struct mend_proc *self, struct mend_tcp_pair *p)
{
    if (mend_tcp_is_acknowledged(&p->out) || p->asked_for == p->out.needed)
        return;
    ask(self, p);
    mend_tcp_flush(self, p);
}

/* What was put into the ring, or lent, goes out, now or with the end of the poll.  count: the bytes as which it counts. */
static void pass_on(struct mend_proc *self, struct mend_tcp_pair *p, uint32_t count)
{
    p->out.needed = p->out.tail;
    mend_tcp_use(self->tcp, p);
    p->unasked += count;
    if (mend_unlikely(p->unasked >= MEND_TCP_ASK_BYTES))
        ask(self, p);
    if (!mend_tcp_gathers(self->tcp) && !is_backlogged(p))
        mend_tcp_flush(self, p);
    if (!mend_tcp_is_done(p))
        mend_tcp_make_due(self, p);
}

/* The kernel gets the frame before the ring does. */
static void write_through(struct mend_proc *self, struct mend_tcp_pair *p,
                          const struct mend_frame *h, const void *payload, uint32_t len)
{
    static const char zeros[8];
    struct iovec piece[] = {{(void *)(uintptr_t)h, sizeof(*h)},
                            {(void *)(uintptr_t)payload, len},
                            {(void *)(uintptr_t)zeros, (8 - len % 8) % 8}};
    ssize_t n = write_pieces(p, piece, 3);

    on_written(self, p, n);
    mend_tcp_put(&p->out, h, sizeof(*h));
    mend_tcp_put(&p->out, payload, len);
    if (n > 0)
        p->out.written += (uint64_t)n;
}

static void lend(struct mend_proc *self, struct mend_tcp_pair *p, const void *payload, uint32_t len)
{
    mend_tcp_lend(&p->out, payload, len);
    p->waited_n = 0;
    if (!mend_list_linked(&p->lender))
        mend_list_append(&self->tcp->lenders, &p->lender);
}

void mend_tcp_end_loans(struct mend_tcp_pair *p)
{
    if (!mend_tcp_owes_nothing(&p->out))
        mend_tcp_recall(&p->out);
}

void mend_tcp_look_at_loans(struct mend_proc *self)
{
    mend_list_foreach (l, next, &self->tcp->lenders) {
        struct mend_tcp_pair *p = mend_list_entry(l, struct mend_tcp_pair, lender);

        if (p->out.written == p->out.tail && (self->oversubscribed || p->waited_n++ >= LOAN_POLLS))
            mend_tcp_end_loans(p);
        if (mend_tcp_owes_nothing(&p->out))
            mend_list_remove(&p->lender);
    }
}

static bool goes_through(const struct mend_proc *self, const struct mend_tcp_pair *p, uint32_t len)
{
    return len >= DIRECT && !mend_tcp_gathers(self->tcp) && !is_backlogged(p) &&
           mend_tcp_is_done(p);
}

enum mend_status mend_tcp_send(struct mend_proc *self, mend_peer to, const struct mend_frame *f,
                               const void *payload)
{
    uint32_t len = mend_frame_len(f);
    struct mend_tcp_pair *p;
    bool lent;
    enum mend_status st = find_room(self, to, len, &p, &lent);
    struct mend_frame h;

    if (st != MEND_OK)
        return st;
    if (p->fd < 0 && !mend_tcp_gathers(self->tcp))
        mend_tcp_call(self, p);
    h = header(p, f);
    if (goes_through(self, p, len)) {
        write_through(self, p, &h, payload, len);
    } else {
        mend_tcp_put(&p->out, &h, sizeof(h));
        if (lent)
            lend(self, p, payload, len);
        else
            mend_tcp_put(&p->out, payload, len);
    }
    pass_on(self, p, lent ? LOAN_COUNT : mend_tcp_bytes_of(len));
    return MEND_OK;
}

void *mend_tcp_reserve(struct mend_proc *self, mend_peer to, uint32_t len)
{
    struct mend_tcp_pair *p;

    if (find_room(self, to, len, &p, NULL) != MEND_OK)
        return NULL;
    p->reserved = true;
    return mend_tcp_end(&p->out, MEND_TCP_HEADER);
}

void mend_tcp_commit(struct mend_proc *self, mend_peer to, const struct mend_frame *f)
{
    struct mend_tcp_pair *p = mend_tcp_of(self, to);
    struct mend_frame h = header(p, f);

    mend_tcp_put(&p->out, &h, sizeof(h));
    mend_tcp_put_there(&p->out, mend_frame_len(f));
    p->reserved = false;
    pass_on(self, p, mend_tcp_bytes_of(mend_frame_len(f)));
}

void mend_tcp_gather(struct mend_proc *self, enum mend_gather how)
{
    self->tcp->gathering = how != MEND_GATHER_END;
    self->tcp->lends = how == MEND_GATHER_LENT;
    if (!mend_tcp_gathers(self->tcp))
        mend_tcp_flush_due(self);
}

bool mend_tcp_has_left(struct mend_proc *self, mend_peer to, uint64_t *end)
{
    const struct mend_tcp_pair *p = mend_tcp_of(self, to);
    uint64_t lent = *end & MEND_NET_LENT;

    if (!p)
        return true;
    if (*end == lent)
        *end |= p->out.needed; /* a multiple of 8 */
    return p->out.acked >= *end - lent ||
           (p->fd >= 0 && p->hello_n == sizeof(p->hello) && p->out.written >= *end - lent &&
            (!lent || mend_tcp_owes_nothing(&p->out)));
}

int32_t mend_tcp_memory_for(struct mend_proc *self, mend_peer to, uint32_t len)
{
    struct mend_tcp_pair *p = self->tcp->severed[to] ? NULL : mend_tcp_pair_to(self, to);

    return self->tcp->severed[to] || (p && has_ring(self, p)) ? (int32_t)len : -1;
}
