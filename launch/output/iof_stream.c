/* SPDX-License-Identifier: BSD-3-Clause */
/* iof_stream.c – what a rank writes, from its pipe through a buffer to a sink, line by line. */
#include "output/iof_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define STAMP_BYTES sizeof("2026-01-02 03:04:05.678901 ")

/* The time of the machine's clock, "" if the stream's lines have none. */
static void stamp(const struct stream *s, char text[STAMP_BYTES])
{
    struct timespec now;
    struct tm day;
    size_t len = 0;

    if (s->stamped) {
        clock_gettime(CLOCK_REALTIME, &now);
        localtime_r(&now.tv_sec, &day);
        len = strftime(text, STAMP_BYTES, "%Y-%m-%d %H:%M:%S", &day);
        len += (size_t)snprintf(text + len, STAMP_BYTES - len, ".%06ld ", now.tv_nsec / 1000);
    }
    text[len] = '\0';
}

static void write_tagged(struct stream *s, const char *from, size_t len, mend_time_ns now)
{
    char head[STAMP_BYTES + sizeof(s->tag)];
    char *text, *to;
    bool start = s->sink->owner != s;
    size_t head_len;

    stamp(s, head);
    strcat(head, s->tag);
    head_len = strlen(head);
    text = to = mend_xalloc(len + (head_len + 1) * (len + 1), 1);
    for (size_t i = 0; i < len; i++) {
        if (start)
            to = mempcpy(to, head, head_len);
        *to++ = from[i];
        start = from[i] == '\n';
    }
    mend_iof_sink_write(s->sink, text, (size_t)(to - text), s, now);
    free(text);
}

void mend_iof_write_text(struct stream *s, const char *text, size_t len, mend_time_ns now)
{
    if (s->tag[0] || s->stamped)
        write_tagged(s, text, len, now);
    else
        mend_iof_sink_write(s->sink, text, len, s, now);
}

void mend_iof_drop_head(struct stream *s, size_t len)
{
    if (s->agent)
        mend_iof_say_written(s, (int64_t)len);
    s->len -= len;
    memmove(s->buf, s->buf + len, s->len);
    s->since_ns = mend_time_monotonic_ns(); /* a write may have lasted */
}

static void write_head(struct stream *s, size_t len, mend_time_ns now)
{
    mend_iof_write_text(s, s->buf, len, now);
    mend_iof_drop_head(s, len);
}

/* True if the sink takes bytes of this stream now; else *retry_p is when to ask again. */
static bool sink_free(struct stream *s, mend_time_ns now, bool break_in, mend_time_ns *retry_p)
{
    struct sink *k = s->sink;

    if (k->owner == s)
        return true;
    if (k->owner && !break_in && now < k->written_ns + k->hold_ns) {
        *retry_p = k->written_ns + k->hold_ns;
        return false;
    }
    mend_iof_break_line(k);
    return true;
}

/* When a line without an end is shown, if nothing more comes. */
static mend_time_ns shown_at(const struct stream *s)
{
    return s->since_ns + (s->cut ? s->sink->cut_hold_ns : s->sink->hold_ns);
}

/* Writes what may be written of the stream's buffer; returns when to look again.  all: also a line
 * without an end; break_in: also if somebody else's line is open. */
static mend_time_ns push_lines(struct mend_iof *f, struct stream *s, mend_time_ns now, bool all,
                               bool break_in)
{
    struct sink *k = s->sink;
    size_t report = mend_iof_next_report(s), len = report ? report : mend_iof_before_report(s);
    const char *end = memrchr(s->buf, '\n', len);
    size_t whole = end ? (size_t)(end - s->buf) + 1 : 0;
    mend_time_ns retry = MEND_TIME_NEVER;

    if (report && mend_iof_holds(f, s, report, now))
        return f->release_ns;
    if (len == s->len &&
        ((!whole && (k->owner == s || s->len == BUFFER_BYTES)) || all || now >= shown_at(s)))
        whole = s->len;
    if (!whole)
        return shown_at(s);
    if (!sink_free(s, now, break_in || report, &retry))
        return retry;
    if (report)
        mend_iof_write_report(f, s, report, now);
    else
        write_head(s, whole, now);
    return s->len ? shown_at(s) : MEND_TIME_NEVER;
}

/* To the sink, or to the root. */
static mend_time_ns push(struct mend_iof *f, struct stream *s, mend_time_ns now, bool all,
                         bool break_in)
{
    if (!f->relay)
        return push_lines(f, s, now, all, break_in);
    mend_iof_relay_stream(f, s);
    return MEND_TIME_NEVER;
}

static bool is_open(const struct stream *s)
{
    return s->fd >= 0 || s->fed;
}

static void stream_close(struct stream *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    if (s->fed)
        mend_iof_say_written(s, -1);
    s->fed = false;
}

void mend_iof_close_stream(struct stream *s)
{
    stream_close(s);
    s->len = 0;
}

/* Nothing comes any more. */
static void drop_buffer_if_over(struct stream *s)
{
    if (is_open(s) || s->len)
        return;
    free(s->buf);
    s->buf = NULL;
}

/* The pipe is empty after a read of less than was asked for: what came since it was last empty ends where a write ended. */
static void count_burst(struct stream *s, size_t n, size_t room)
{
    s->burst += n;
    if (n == room)
        return;
    s->cut = s->burst % STDIO_BYTES == 0;
    s->burst = 0;
}

/* n bytes have come behind those of the buffer, into `room`. */
static void note_bytes(struct stream *s, size_t n, size_t room, mend_time_ns now)
{
    if (!s->len || memchr(s->buf + s->len, '\n', n))
        s->since_ns = now;
    s->len += n;
    count_burst(s, n, room);
}

void mend_iof_add(struct stream *s, const char *data, size_t n, mend_time_ns now)
{
    size_t room = BUFFER_BYTES - s->len;

    if (!s->buf)
        s->buf = mend_xalloc(BUFFER_BYTES, 1);
    memcpy(s->buf + s->len, data, n);
    note_bytes(s, n, room, now);
}

bool mend_iof_pull(struct stream *s, mend_time_ns now)
{
    size_t room = BUFFER_BYTES - s->len;
    ssize_t n;

    if (s->fd < 0 || s->len == BUFFER_BYTES)
        return false;
    if (!s->buf)
        s->buf = mend_xalloc(BUFFER_BYTES, 1);
    n = read(s->fd, s->buf + s->len, room);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        stream_close(s);
    drop_buffer_if_over(s);
    if (n <= 0)
        return false;
    note_bytes(s, (size_t)n, room, now);
    return true;
}

static mend_time_ns push_one(struct mend_iof *f, struct stream *s, mend_time_ns now)
{
    mend_time_ns at;

    if (is_open(s) && s->sink->closed)
        stream_close(s); /* the rank gets SIGPIPE, as in a pipeline */
    at = push(f, s, now, !is_open(s), false);
    if (!is_open(s) && !s->len && s->sink->owner == s)
        s->sink->owner = NULL; /* its line will never end */
    drop_buffer_if_over(s);
    return at;
}

mend_time_ns mend_iof_push_all(struct mend_iof *f)
{
    mend_time_ns now = mend_time_monotonic_ns(), at = MEND_TIME_NEVER;
    bool wrote = true;

    pthread_mutex_lock(&f->lock);
    while (wrote) {
        wrote = false;
        at = MEND_TIME_NEVER;
        for (int i = 0; i < f->streams_n; i++) {
            struct stream *s = &f->stream[i];
            size_t before = s->len;
            mend_time_ns t = before || s->relayed ? push_one(f, s, now) : MEND_TIME_NEVER;

            at = t < at ? t : at;
            wrote |= s->len != before;
        }
    }
    mend_iof_release_messages(f, now);
    mend_iof_complain(f);
    pthread_mutex_unlock(&f->lock);
    return at;
}

/* As push(), as far as it goes now; it breaks in. */
static void push_out(struct mend_iof *f, struct stream *s, mend_time_ns now, bool all)
{
    size_t before = s->len + 1;

    while (s->len && s->len != before) {
        before = s->len;
        push(f, s, now, all, true);
    }
}

void mend_iof_take(struct mend_iof *f, struct stream *s, mend_time_ns now)
{
    size_t there = 0, before;
    int bytes;

    if (s->fd >= 0 && ioctl(s->fd, FIONREAD, &bytes) == 0 && bytes > 0)
        there = (size_t)bytes;
    for (;;) {
        push_out(f, s, now, false);
        before = s->len;
        if (!there || !mend_iof_pull(s, now))
            break;
        there -= s->len - before < there ? s->len - before : there;
    }
    push_out(f, s, now, true);
}

/* Everything that is left of one stream, to the end, except a report that is held.  Its buffer may be full. */
static void drain(struct mend_iof *f, struct stream *s)
{
    mend_time_ns now = mend_time_monotonic_ns();

    do {
        push_out(f, s, now, false);
    } while (mend_iof_pull(s, now));
    push_out(f, s, now, true);
}

void mend_iof_drain_all(struct mend_iof *f)
{
    mend_time_ns now = mend_time_monotonic_ns();

    pthread_mutex_lock(&f->lock);
    mend_iof_take_news(f);
    f->reports = REPORTS_HELD;
    for (int k = 0; k < 2; k++)
        if (f->sink[k].owner)
            drain(f, f->sink[k].owner);
    for (int i = 0; i < f->streams_n; i++)
        drain(f, &f->stream[i]);
    f->reports = REPORTS_RELEASED;
    for (int i = 0; i < f->streams_n; i++)
        push_out(f, &f->stream[i], now, true);
    mend_iof_release_messages(f, now);
    mend_iof_complain(f);
    pthread_mutex_unlock(&f->lock);
}
