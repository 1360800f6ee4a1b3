/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.c – see wire.h. */
#include "share/wire.h"

#include "base/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAGIC     0x4d574952u /* "MWIR" */
#define READ_ROOM ((size_t)64 << 10)
#define CARRIED   ((size_t)1 << 20) /* bytes in one message of another stream */
#define SAY_TAKEN                                                                                  \
    ((uint64_t)64 << 10) /* bytes of which the other end is told without another message */

void mend_wire_encode(const struct mend_message *m, uint64_t taken,
                      unsigned char head[MEND_WIRE_HEAD])
{
    mend_bytes_put(head, MAGIC, 4);
    mend_bytes_put(head + 4, MEND_WIRE_VERSION, 2);
    mend_bytes_put(head + 6, MEND_WIRE_HEAD, 2);
    mend_bytes_put(head + 8, m->kind, 4);
    mend_bytes_put(head + 12, (uint32_t)m->rank, 4);
    mend_bytes_put(head + 16, m->len, 4);
    mend_bytes_put(head + 20, 0, 4);
    mend_bytes_put(head + 24, taken, 8);
    for (size_t i = 0; i < MEND_MESSAGE_ARGS; i++)
        mend_bytes_put(head + 32 + 8 * i, (uint64_t)m->arg[i], 8);
}

static bool is_sound(const unsigned char *head)
{
    return mend_bytes_get(head, 4) == MAGIC && mend_bytes_get(head + 4, 2) == MEND_WIRE_VERSION &&
           mend_bytes_get(head + 6, 2) == MEND_WIRE_HEAD &&
           mend_bytes_get(head + 8, 4) <= MEND_WIRE_TAKEN &&
           mend_bytes_get(head + 16, 4) <= MEND_WIRE_DATA_MAX && mend_bytes_get(head + 20, 4) == 0;
}

ssize_t mend_wire_decode(const unsigned char *at, size_t len, struct mend_message *m_p,
                         uint64_t *taken_p)
{
    if (len < MEND_WIRE_HEAD)
        return 0;
    if (!is_sound(at))
        return -1;
    m_p->kind = (enum mend_message_kind)mend_bytes_get(at + 8, 4);
    m_p->rank = (int32_t)mend_bytes_get(at + 12, 4);
    m_p->len = (uint32_t)mend_bytes_get(at + 16, 4);
    *taken_p = mend_bytes_get(at + 24, 8);
    for (size_t i = 0; i < MEND_MESSAGE_ARGS; i++)
        m_p->arg[i] = (int64_t)mend_bytes_get(at + 32 + 8 * i, 8);
    m_p->data = (const char *)at + MEND_WIRE_HEAD;
    if (len < MEND_WIRE_HEAD + m_p->len + 1)
        return 0;
    return m_p->data[m_p->len] ? -1 : (ssize_t)(MEND_WIRE_HEAD + m_p->len + 1);
}

void mend_wire_open(struct mend_wire *w, int fd)
{
    *w = (struct mend_wire){.fd = fd};
    pthread_mutex_init(&w->lock, NULL);
}

static void end_connection(struct mend_wire *w)
{
    if (w->fd >= 0)
        close(w->fd);
    w->fd = -1;
    w->over = (struct mend_post){0};
    w->waits = false;
}

void mend_wire_close(struct mend_wire *w)
{
    pthread_mutex_lock(&w->lock);
    end_connection(w);
    w->broken = true;
    free(w->in);
    free(w->out);
    w->in = w->out = NULL;
    w->in_n = w->in_room = w->out_n = w->out_room = w->gone_n = w->kept_at = 0;
    pthread_mutex_unlock(&w->lock);
}

/* Room for `more` bytes behind the n of a buffer; false: no memory. */
static bool make_room(unsigned char **buffer, size_t n, size_t *room, size_t more)
{
    size_t want = *room ? *room : READ_ROOM;
    unsigned char *p;

    while (want < n + more)
        want *= 2;
    if (want == *room)
        return true;
    p = realloc(*buffer, want);
    if (!p)
        return false;
    *buffer = p;
    *room = want;
    return true;
}

/* That stream keeps what it has no room for. */
static void flush_over(struct mend_wire *w)
{
    struct mend_message m = w->frame;

    while (w->gone_n < w->out_n) {
        size_t n = w->out_n - w->gone_n;

        m.data = (const char *)w->out + w->gone_n;
        m.len = (uint32_t)(n < CARRIED ? n : CARRIED);
        mend_post(&w->over, &m);
        w->gone_n += m.len;
    }
}

static void flush(struct mend_wire *w)
{
    if (w->over.deliver)
        flush_over(w);
    while (w->gone_n < w->out_n && w->fd >= 0) {
        ssize_t n =
            send(w->fd, w->out + w->gone_n, w->out_n - w->gone_n, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) /* there is no room, or its reader is gone, which a read tells */
            break;
        w->gone_n += (size_t)n;
    }
}

/* The other end has taken so much of the stream: that is kept no longer.  False: so much was never sent. */
static bool forget(struct mend_wire *w, uint64_t taken_there)
{
    if (taken_there > w->start + w->out_n)
        return false;
    if (taken_there > w->start + w->kept_at)
        w->kept_at = (size_t)(taken_there - w->start);
    if (!w->kept_at || w->kept_at < w->out_n - w->kept_at)
        return true;
    w->out_n -= w->kept_at; /* no more bytes move than were forgotten */
    w->gone_n = w->gone_n > w->kept_at ? w->gone_n - w->kept_at : 0;
    memmove(w->out, w->out + w->kept_at, w->out_n);
    w->start += w->kept_at;
    w->kept_at = 0;
    return true;
}

bool mend_wire_listen(struct mend_wire *w, struct mend_loop *l, uint32_t member, uint32_t from,
                      uint32_t of)
{
    pthread_mutex_lock(&w->lock);
    w->loop = l;
    w->member = member;
    w->from = from;
    w->of = of;
    pthread_mutex_unlock(&w->lock);
    return mend_loop_add(l, member, w->fd, from, of);
}

/* What is kept leaves when the loop says that there is room. */
static void flush_later(struct mend_wire *w)
{
    bool left;

    flush(w);
    left = w->fd >= 0 && w->gone_n < w->out_n;
    if (w->loop && left != w->waits)
        mend_loop_set(w->loop, w->member, w->fd, w->from, w->of, true, left);
    w->waits = left;
}

void mend_wire_flush(struct mend_wire *w)
{
    pthread_mutex_lock(&w->lock);
    flush_later(w);
    pthread_mutex_unlock(&w->lock);
}

static void add(struct mend_wire *w, const struct mend_message *m)
{
    mend_wire_encode(m, w->taken, w->out + w->out_n);
    if (m->len)
        memcpy(w->out + w->out_n + MEND_WIRE_HEAD, m->data, m->len);
    w->out_n += MEND_WIRE_HEAD + m->len;
    w->out[w->out_n++] = 0;
    w->told = w->taken;
}

static void send_locked(struct mend_wire *w, const struct mend_message *m)
{
    if (w->broken)
        return;
    if (make_room(&w->out, w->out_n, &w->out_room, MEND_WIRE_HEAD + m->len + 1)) {
        add(w, m);
        flush_later(w);
        return;
    }
    w->broken = true; /* without memory nothing may be missing in between */
    if (w->fd >= 0)
        shutdown(w->fd, SHUT_RDWR);
}

void mend_wire_send(struct mend_wire *w, const struct mend_message *m)
{
    pthread_mutex_lock(&w->lock);
    send_locked(w, m);
    pthread_mutex_unlock(&w->lock);
}

/* A message of n bytes was taken, whose sender has taken so much.  False: that cannot be. */
static bool note_taken(struct mend_wire *w, size_t n, uint64_t taken_there)
{
    bool sound;

    pthread_mutex_lock(&w->lock);
    w->taken += n;
    sound = forget(w, taken_there);
    if (w->taken - w->told >= SAY_TAKEN)
        send_locked(w, &(struct mend_message){.kind = MEND_WIRE_TAKEN});
    pthread_mutex_unlock(&w->lock);
    return sound;
}

static bool deliver_all(struct mend_wire *w, const struct mend_post *to)
{
    size_t done = 0;
    struct mend_message m;
    uint64_t taken;
    ssize_t n;

    while ((n = mend_wire_decode(w->in + done, w->in_n - done, &m, &taken)) > 0) {
        if (!note_taken(w, (size_t)n, taken))
            return false;
        if (m.kind != MEND_WIRE_TAKEN)
            mend_post(to, &m);
        if (!mend_wire_is_up(w))
            return false;
        done += (size_t)n;
    }
    w->in_n -= done;
    if (done && w->in_n)
        memmove(w->in, w->in + done, w->in_n);
    return n == 0;
}

/* n bytes have come behind those of `in`. */
static bool take(struct mend_wire *w, size_t n, const struct mend_post *to)
{
    w->in_n += n;
    if (deliver_all(w, to))
        return true;
    w->broken |= mend_wire_is_up(w);
    return false;
}

bool mend_wire_read(struct mend_wire *w, const struct mend_post *to)
{
    ssize_t n;

    if (!make_room(&w->in, w->in_n, &w->in_room, READ_ROOM))
        return false;
    n = recv(w->fd, w->in + w->in_n, w->in_room - w->in_n, MSG_DONTWAIT);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    return n > 0 && take(w, (size_t)n, to);
}

bool mend_wire_take(struct mend_wire *w, const char *bytes, size_t n, const struct mend_post *to)
{
    if (!make_room(&w->in, w->in_n, &w->in_room, n))
        return false;
    memcpy(w->in + w->in_n, bytes, n);
    return take(w, n, to);
}

void mend_wire_cut(struct mend_wire *w)
{
    pthread_mutex_lock(&w->lock);
    end_connection(w);
    w->in_n = 0; /* the beginning of a message, which will come again */
    w->loop = NULL;
    pthread_mutex_unlock(&w->lock);
}

/* With the lock: what was sent and not taken goes again over the next connection, which the caller sets.  False: that is not possible. */
static bool can_go_on(struct mend_wire *w, uint64_t taken_there)
{
    if (w->broken || taken_there < w->start + w->kept_at || !forget(w, taken_there))
        return false;
    end_connection(w);
    w->in_n = 0;
    w->gone_n = w->kept_at;
    w->loop = NULL;
    return true;
}

bool mend_wire_resume(struct mend_wire *w, int fd, uint64_t taken_there)
{
    bool can;

    pthread_mutex_lock(&w->lock);
    can = can_go_on(w, taken_there);
    if (can) {
        w->fd = fd;
        flush(w);
    }
    pthread_mutex_unlock(&w->lock);
    return can;
}

bool mend_wire_carry(struct mend_wire *w, const struct mend_post *over,
                     const struct mend_message *frame, uint64_t taken_there)
{
    bool can;

    pthread_mutex_lock(&w->lock);
    can = can_go_on(w, taken_there);
    if (can) {
        w->over = *over;
        w->frame = *frame;
        flush(w);
    }
    pthread_mutex_unlock(&w->lock);
    return can;
}

static void deliver(void *to, const struct mend_message *m)
{
    mend_wire_send(to, m);
}

struct mend_post mend_wire_post(struct mend_wire *w)
{
    return (struct mend_post){deliver, w};
}
