/* SPDX-License-Identifier: BSD-3-Clause */
/* iof.c – the ranks' output in whole lines, and the terminal's input to rank 0.
 *
 *   rank 0 stdout ──pipe──> buffer ─┐ whole lines
 *   rank 1 stdout ──pipe──> buffer ─┼────────────> sink: our standard output
 *   ...                             ┘
 *   rank i stderr ──pipe──> buffer ──────────────> sink: our standard error
 *
 * If both of ours are the same file or terminal they are one sink.  A sink takes whole lines.  A
 * line without an end (a prompt, a progress display with '\r') is held for a moment, `hold`, and
 * then written as it is; its stream then owns the sink, and other streams wait until it ends its
 * line or was silent for another `hold`, after which the line is broken.  `hold` is 50 ms on a
 * terminal, where somebody looks, and 500 ms elsewhere, where nobody does and a torn line costs
 * more.  A line longer than 64 KiB is cut.
 *
 * A report with which a rank ends (gather.h) is held for GATHER_NS, or until the job ends, or its rank
 * writes something else, and is then written as one with the equal ones of other ranks.  Our own messages
 * wait behind it.  One about a rank comes after what that rank has written before.
 *
 * Who gets what directly: a job of one rank, and the rank named by --tty, inherit our three
 * descriptors; rank 0 inherits our standard input if that is not a terminal (so it takes no more of
 * it than it reads).  A terminal is read by us and passed on through a pipe, because rank 0 is not
 * in the terminal's foreground process group. */
#include "iof.h"

#include "base/time.h"
#include "ft/bits.h"
#include "gather.h"
#include "shell_limits.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES  (64 * 1024)
#define HOLD_TTY_NS   (50 * MEND_NS_PER_MS)
#define HOLD_FILE_NS  (500 * MEND_NS_PER_MS)
#define GATHER_NS     (300 * MEND_NS_PER_MS)
#define INPUT_BYTES   4096
#define WAKE_EVERY    64  /* ranks that are started between two looks at what they write */
#define BACKGROUND_MS 200 /* how often we look whether we are in the foreground again */

struct stream;

struct sink {
    int fd;
    mend_time_ns hold_ns;
    bool closed; /* the reader has gone: EPIPE, or `error` */
    int error;   /* why nothing more can be written; 0: nothing is wrong */
    bool error_told;
    bool midline;         /* the last byte written was not the end of a line */
    struct stream *owner; /* whose line is open, NULL: nobody's (or our own message's) */
    mend_time_ns written_ns;
    char *name; /* of a file that we have opened, else NULL */
};

struct stream {
    int fd; /* our end of the pipe, -1: closed */
    int rank;
    bool reports; /* the rank's standard error comes here */
    struct sink *sink;
    char *buf;
    size_t len;
    mend_time_ns since_ns; /* when the oldest byte of buf came */
    char tag[24];
    bool stamped; /* the time before the tag */
};

struct input {
    int fd; /* our end of rank 0's standard input, -1: closed or not ours */
    char buf[INPUT_BYTES];
    size_t len;
};

/* What happens to a report that came alone. */
enum reports {
    REPORTS_TIMED, /* it is held until release_ns */
    REPORTS_HELD,
    REPORTS_RELEASED,
};

struct mend_iof {
    const struct mend_options *o;
    int n, direct_rank;
    struct stream *stream; /* 2 per rank: output, error */
    int (*child_end)[3];   /* per rank, while it is being started */
    struct sink sink[2], *out, *err;
    struct sink
        *file; /* 2 per rank, if there are files in place of ours (mend_options.out_pattern) */
    struct input input;
    struct pollfd *poll; /* streams that can be read, then three more */
    int *polled;         /* whose descriptor poll[i] is */
    int wake_fd;
    _Atomic int streams_n; /* ranks that have been opened, times 2 */
    _Atomic bool finish;
    enum reports reports;
    mend_time_ns release_ns; /* MEND_TIME_NEVER: none is held */
    char *later;             /* our messages that wait for that */
    size_t later_len;
    pthread_mutex_t lock; /* streams and sinks */
    pthread_t thread;
};

/* ---- sinks ---- */

static void write_all(struct sink *s, const char *at, size_t len)
{
    while (len && !s->closed) {
        ssize_t n = write(s->fd, at, len);

        if (n >= 0) {
            at += n;
            len -= (size_t)n;
        } else if (errno == EAGAIN) { /* somebody else made the terminal non-blocking */
            struct pollfd p = {s->fd, POLLOUT, 0};

            poll(&p, 1, 1000);
        } else if (errno != EINTR) {
            s->closed = true;
            s->error = errno == EPIPE ? 0 : errno;
        }
    }
}

static void sink_write(struct sink *s, const char *at, size_t len, struct stream *owner,
                       mend_time_ns now)
{
    write_all(s, at, len);
    s->midline = at[len - 1] != '\n';
    s->owner = s->midline ? owner : NULL;
    s->written_ns = now;
}

/* Ends somebody else's open line. */
static void sink_break_line(struct sink *s)
{
    if (s->midline)
        write_all(s, "\n", 1);
    s->midline = false;
    s->owner = NULL;
}

/* What cannot be written is said once. */
static void complain_of(struct mend_iof *f, struct sink *s)
{
    char text[MEND_LIMITS_TEXT], *line;

    if (!s || !s->error || s->error_told || s == f->err)
        return;
    s->error_told = true;
    line =
        mend_xprintf("mpiexec: %s cannot be written: %s\n", s->name ? s->name : "standard output",
                     mend_limits_error(s->error, text, sizeof(text)));
    sink_break_line(f->err);
    sink_write(f->err, line, strlen(line), NULL, mend_time_monotonic_ns());
    free(line);
}

static void complain(struct mend_iof *f)
{
    complain_of(f, f->out);
    for (int i = 0; f->file && i < f->streams_n; i++)
        complain_of(f, f->stream[i].sink);
}

static void sink_open(struct sink *s, int fd)
{
    *s = (struct sink){.fd = fd, .hold_ns = isatty(fd) ? HOLD_TTY_NS : HOLD_FILE_NS};
}

static bool same_file(int a, int b)
{
    struct stat sa, sb;

    return fstat(a, &sa) == 0 && fstat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
           sa.st_ino == sb.st_ino && sa.st_rdev == sb.st_rdev;
}

/* ---- streams ---- */

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
    sink_write(s->sink, text, (size_t)(to - text), s, now);
    free(text);
}

static void write_text(struct stream *s, const char *text, size_t len, mend_time_ns now)
{
    if (s->tag[0] || s->stamped)
        write_tagged(s, text, len, now);
    else
        sink_write(s->sink, text, len, s, now);
}

static void drop_head(struct stream *s, size_t len, mend_time_ns now)
{
    s->len -= len;
    memmove(s->buf, s->buf + len, s->len);
    s->since_ns = now;
}

static void write_head(struct stream *s, size_t len, mend_time_ns now)
{
    write_text(s, s->buf, len, now);
    drop_head(s, len, now);
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
    sink_break_line(k);
    return true;
}

/* ---- reports ---- */

/* The bytes of the report that comes next in the stream, 0: something else does. */
static size_t next_report(const struct stream *s)
{
    if (!s->reports || !s->len || s->sink->owner == s)
        return 0;
    return mend_gather_len(s->buf, s->len, s->rank);
}

/* The bytes before the first report that does not come next. */
static size_t before_report(const struct stream *s)
{
    const char *at = s->buf, *end = s->buf + s->len, *line;

    while (s->reports && (line = memmem(at, (size_t)(end - at), "\n" MEND_GATHER_HEAD,
                                        strlen("\n" MEND_GATHER_HEAD))) != NULL) {
        at = line + 1;
        if (mend_gather_len(at, (size_t)(end - at), s->rank))
            return (size_t)(at - s->buf);
    }
    return s->len;
}

/* The report that comes next waits for equal ones.  Nobody can write one if there is one rank. */
static bool is_held(struct mend_iof *f, const struct stream *s, size_t report, mend_time_ns now)
{
    if (f->n < 2 || s->len > report || s->sink->closed || f->reports == REPORTS_RELEASED)
        return false;
    if (f->release_ns == MEND_TIME_NEVER)
        f->release_ns = now + GATHER_NS;
    return f->reports == REPORTS_HELD || now < f->release_ns;
}

static void take(struct mend_iof *f, struct stream *s, mend_time_ns now);

/* What the rank of a report has written to its standard output comes first, if that goes to the same place. */
static void take_output(struct mend_iof *f, const struct stream *s, mend_time_ns now)
{
    struct stream *output = &f->stream[2 * s->rank];

    if (output != s && output->sink == s->sink)
        take(f, output, now);
}

/* Takes the equal reports out of the other streams, and adds their ranks to the set. */
static void collect(struct mend_iof *f, const struct stream *s, size_t report, uint64_t *set,
                    mend_time_ns now)
{
    for (int i = 0; i < f->streams_n; i++) {
        struct stream *t = &f->stream[i];
        size_t len = t != s && t->sink == s->sink ? next_report(t) : 0;

        if (!len || !mend_gather_equal(s->buf, report, t->buf, len))
            continue;
        mend_bits_set(set, t->rank);
        take_output(f, t, now);
        drop_head(t, len, now);
    }
}

/* Writes the report that comes next, as one with those that are equal, below what the ranks printed before. */
static void write_report(struct mend_iof *f, struct stream *s, size_t report, mend_time_ns now)
{
    uint64_t *set = mend_xalloc(mend_bits_words(f->n), sizeof(*set));
    char *text = mend_xalloc(report + MEND_GATHER_MORE, 1);

    mend_bits_set(set, s->rank);
    take_output(f, s, now);
    collect(f, s, report, set, now);
    sink_break_line(s->sink);
    write_text(s, text, mend_gather_text(s->buf, report, set, f->n, text), now);
    drop_head(s, report, now);
    free(text);
    free(set);
}

/* Writes the messages that were waiting, if no report is held any more. */
static void release_messages(struct mend_iof *f, mend_time_ns now)
{
    if (f->release_ns == MEND_TIME_NEVER)
        return;
    for (int i = 0; i < f->streams_n; i++)
        if (next_report(&f->stream[i]))
            return;
    f->release_ns = MEND_TIME_NEVER;
    if (!f->later_len)
        return;
    sink_break_line(f->err);
    sink_write(f->err, f->later, f->later_len, NULL, now);
    f->later_len = 0;
}

/* ---- streams, continued ---- */

/* Writes what may be written of the stream's buffer; returns when to look again.  all: also a line
 * without an end; break_in: also if somebody else's line is open. */
static mend_time_ns push(struct mend_iof *f, struct stream *s, mend_time_ns now, bool all,
                         bool break_in)
{
    struct sink *k = s->sink;
    size_t report = next_report(s), len = report ? report : before_report(s);
    const char *end = memrchr(s->buf, '\n', len);
    size_t whole = end ? (size_t)(end - s->buf) + 1 : 0;
    mend_time_ns retry = MEND_TIME_NEVER;

    if (report && is_held(f, s, report, now))
        return f->release_ns;
    if (len == s->len &&
        (k->owner == s || s->len == BUFFER_BYTES || all || now >= s->since_ns + k->hold_ns))
        whole = s->len;
    if (!whole)
        return s->since_ns + k->hold_ns;
    if (!sink_free(s, now, break_in || report, &retry))
        return retry;
    if (report)
        write_report(f, s, report, now);
    else
        write_head(s, whole, now);
    return s->len ? s->since_ns + k->hold_ns : MEND_TIME_NEVER;
}

static void stream_close(struct stream *s)
{
    close(s->fd);
    s->fd = -1;
}

/* Reads what is there.  Our end is non-blocking.  False: nothing (now, or for ever). */
static bool pull(struct stream *s, mend_time_ns now)
{
    ssize_t n;

    if (s->fd < 0 || s->len == BUFFER_BYTES)
        return false;
    if (!s->buf)
        s->buf = mend_xalloc(BUFFER_BYTES, 1);
    n = read(s->fd, s->buf + s->len, BUFFER_BYTES - s->len);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        stream_close(s);
    if (n <= 0)
        return false;
    if (!s->len)
        s->since_ns = now;
    s->len += (size_t)n;
    return true;
}

static mend_time_ns push_one(struct mend_iof *f, struct stream *s, mend_time_ns now)
{
    mend_time_ns at;

    if (s->fd >= 0 && s->sink->closed)
        stream_close(s); /* the rank gets SIGPIPE, as in a pipeline */
    at = push(f, s, now, s->fd < 0, false);
    if (s->fd < 0 && !s->len && s->sink->owner == s)
        s->sink->owner = NULL; /* its line will never end */
    return at;
}

/* Pushes until nothing more can be written, for a line that ends frees the sink for others. Returns
 * when to look again. */
static mend_time_ns push_all(struct mend_iof *f)
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
            mend_time_ns t = before ? push_one(f, s, now) : MEND_TIME_NEVER;

            at = t < at ? t : at;
            wrote |= s->len != before;
        }
    }
    release_messages(f, now);
    complain(f);
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

/* Writes what the stream's rank has written up to now, and no more: it may go on. */
static void take(struct mend_iof *f, struct stream *s, mend_time_ns now)
{
    size_t there = 0, before;
    int bytes;

    if (s->fd >= 0 && ioctl(s->fd, FIONREAD, &bytes) == 0 && bytes > 0)
        there = (size_t)bytes;
    for (;;) {
        push_out(f, s, now, false);
        before = s->len;
        if (!there || !pull(s, now))
            break;
        there -= s->len - before < there ? s->len - before : there;
    }
    push_out(f, s, now, true);
}

/* Everything that is left of one stream, to the end, but for a report that is held.  Its buffer may be full. */
static void drain(struct mend_iof *f, struct stream *s)
{
    mend_time_ns now = mend_time_monotonic_ns();

    do {
        push_out(f, s, now, false);
    } while (pull(s, now));
    push_out(f, s, now, true);
}

/* The ranks have ended; one stream after the other, so that no line is torn.  Whose line is open
 * comes first, and reports come last. */
static void drain_all(struct mend_iof *f)
{
    mend_time_ns now = mend_time_monotonic_ns();

    pthread_mutex_lock(&f->lock);
    f->reports = REPORTS_HELD;
    for (int k = 0; k < 2; k++)
        if (f->sink[k].owner)
            drain(f, f->sink[k].owner);
    for (int i = 0; i < f->streams_n; i++)
        drain(f, &f->stream[i]);
    f->reports = REPORTS_RELEASED;
    for (int i = 0; i < f->streams_n; i++)
        push_out(f, &f->stream[i], now, true);
    release_messages(f, now);
    complain(f);
    pthread_mutex_unlock(&f->lock);
}

/* ---- standard input ---- */

static void input_close(struct input *in)
{
    close(in->fd);
    in->fd = -1;
}

static bool foreground(void)
{
    return tcgetpgrp(0) == getpgrp();
}

static void input_read(struct input *in)
{
    ssize_t n = read(0, in->buf, sizeof(in->buf));

    if (n == 0)
        input_close(in);
    else if (n > 0)
        in->len = (size_t)n;
}

static void input_write(struct input *in)
{
    ssize_t n = write(in->fd, in->buf, in->len);

    if (n > 0) {
        in->len -= (size_t)n;
        memmove(in->buf, in->buf + n, in->len);
    } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
        input_close(in);
    }
}

/* ---- the thread ---- */

static int to_ms(mend_time_ns at)
{
    mend_time_ns now = mend_time_monotonic_ns();

    if (at == MEND_TIME_NEVER)
        return -1;
    return at <= now ? 0 : (int)((at - now) / MEND_NS_PER_MS) + 1;
}

/* Fills the list with those that are open and have room; returns their number. */
static int poll_streams(struct mend_iof *f)
{
    int n = 0;

    pthread_mutex_lock(&f->lock);
    for (int i = 0; i < f->streams_n; i++) {
        const struct stream *s = &f->stream[i];

        if (s->fd < 0 || s->len == BUFFER_BYTES)
            continue;
        f->polled[n] = i;
        f->poll[n++] = (struct pollfd){s->fd, POLLIN, 0};
    }
    pthread_mutex_unlock(&f->lock);
    return n;
}

static void pull_streams(struct mend_iof *f, int n)
{
    pthread_mutex_lock(&f->lock);
    for (int i = 0; i < n; i++)
        if (f->poll[i].revents)
            pull(&f->stream[f->polled[i]], mend_time_monotonic_ns());
    pthread_mutex_unlock(&f->lock);
}

static void *run(void *arg)
{
    struct mend_iof *f = arg;
    mend_time_ns at = MEND_TIME_NEVER;

    for (;;) {
        int n = poll_streams(f), extra = n, ms = to_ms(at);
        bool typing = f->streams_n && f->input.fd >= 0 && !f->input.len;
        bool may_read = typing && foreground();

        f->poll[extra++] = (struct pollfd){f->wake_fd, POLLIN, 0};
        f->poll[extra++] = (struct pollfd){may_read ? 0 : -1, POLLIN, 0};
        f->poll[extra++] = (struct pollfd){f->input.len ? f->input.fd : -1, POLLOUT, 0};
        if (typing && !may_read && (ms < 0 || ms > BACKGROUND_MS))
            ms = BACKGROUND_MS;
        if (poll(f->poll, (nfds_t)extra, ms) < 0 && errno != EINTR)
            break;
        if (f->poll[n].revents) {
            uint64_t count;

            if (read(f->wake_fd, &count, sizeof(count)) < 0)
                continue;
        }
        if (f->finish) /* looked at after the wake was taken: it may have been two in one */
            break;
        pull_streams(f, n);
        if (f->poll[n + 1].revents)
            input_read(&f->input);
        if (f->poll[n + 2].revents && f->input.fd >= 0)
            input_write(&f->input);
        at = push_all(f);
    }
    drain_all(f);
    return NULL;
}

static void wake(struct mend_iof *f)
{
    uint64_t one = 1;

    while (write(f->wake_fd, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
}

/* ---- for the launcher ---- */

/* The thread may be stuck in a write to a stopped terminal.  Then we write in between. */
static bool lock_for_message(struct mend_iof *f)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 200 * 1000 * 1000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    return pthread_mutex_timedlock(&f->lock, &until) == 0;
}

/* Behind a report that is held.  The thread learns of that one, which may be new. */
static void add_later(struct mend_iof *f, const char *line, size_t len)
{
    char *more = realloc(f->later, f->later_len + len);

    if (!more)
        abort();
    f->later = more;
    memcpy(f->later + f->later_len, line, len);
    f->later_len += len;
    wake(f);
}

void mend_iof_message_of(struct mend_iof *f, int rank, const char *line, size_t len)
{
    bool locked = lock_for_message(f);
    mend_time_ns now = mend_time_monotonic_ns();

    for (int i = 2 * rank; locked && rank >= 0 && i < 2 * rank + 2 && i < f->streams_n; i++)
        if (f->stream[i].sink == f->err)
            take(f, &f->stream[i], now);
    if (locked && f->release_ns != MEND_TIME_NEVER) {
        add_later(f, line, len);
    } else {
        sink_break_line(f->err);
        sink_write(f->err, line, len, NULL, now);
    }
    if (locked)
        pthread_mutex_unlock(&f->lock);
}

void mend_iof_message(struct mend_iof *f, const char *line, size_t len)
{
    mend_iof_message_of(f, -1, line, len);
}

struct mend_iof *mend_iof_create(const struct mend_options *o)
{
    struct mend_iof *f = mend_xalloc(1, sizeof(*f));
    size_t n = (size_t)o->ranks_n;
    int error;

    f->o = o;
    f->n = o->ranks_n;
    f->direct_rank = o->tty_rank;
    f->stream = mend_xalloc(2 * n, sizeof(*f->stream));
    f->child_end = mend_xalloc(n, sizeof(*f->child_end));
    if (o->out_pattern || o->err_pattern)
        f->file = mend_xalloc(2 * n, sizeof(*f->file));
    f->poll = mend_xalloc(2 * n + 3, sizeof(*f->poll));
    f->polled = mend_xalloc(2 * n, sizeof(*f->polled));
    f->input.fd = -1;
    f->release_ns = MEND_TIME_NEVER;
    f->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&f->lock, NULL);
    sink_open(&f->sink[0], 1);
    sink_open(&f->sink[1], 2);
    f->out = &f->sink[0];
    f->err = same_file(1, 2) ? f->out : &f->sink[1];
    error = pthread_create(&f->thread, NULL, run, f);
    errno = error;
    return error ? NULL : f;
}

static bool open_input(struct mend_iof *f, int i, int *in_p)
{
    bool terminal = isatty(0);
    int fd[2];

    if (i != f->o->stdin_rank ||
        (terminal && f->direct_rank >= 0)) { /* a terminal has one reader */
        *in_p = open("/dev/null", O_RDONLY | O_CLOEXEC);
        return *in_p >= 0;
    }
    *in_p = 0;
    if (!terminal)
        return true;
    if (pipe2(fd, O_CLOEXEC) != 0)
        return false;
    fcntl(fd[1], F_SETFL, O_NONBLOCK);
    *in_p = fd[0];
    f->input.fd = fd[1];
    return true;
}

static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
}

static bool open_file(struct mend_iof *f, struct sink *s, char *name)
{
    char *line;
    int fd;

    make_folders(name);
    fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) {
        int error = errno;

        line = mend_xprintf("mpiexec: %s cannot be written: %s\n", name, strerror(error));
        mend_iof_message(f, line, strlen(line));
        free(line);
        free(name);
        errno = error;
        return false;
    }
    sink_open(s, fd);
    s->name = name;
    return true;
}

/* Where a stream of rank i goes, NULL: the file cannot be opened (a message was printed). */
static struct sink *sink_of(struct mend_iof *f, int i, bool error)
{
    const struct mend_options *o = f->o;
    const char *pattern = error ? o->err_pattern : o->out_pattern;
    bool one = o->out_pattern && o->err_pattern && !strcmp(o->out_pattern, o->err_pattern);
    struct sink *s;
    char host[256] = "";

    if (!pattern)
        return error ? f->err : f->out;
    s = &f->file[2 * (mend_pattern_per_rank(pattern) ? i : 0) + (error && !one)];
    gethostname(host, sizeof(host) - 1);
    if (!s->name && !open_file(f, s, mend_pattern_name(pattern, i, f->n, host)))
        return NULL;
    return s;
}

static bool open_output(struct mend_iof *f, int i, bool error, int *fd_p)
{
    struct stream *s = &f->stream[2 * i + error];
    int fd[2];

    if (error && f->o->merge_output) {
        *fd_p = fcntl(f->child_end[i][1], F_DUPFD_CLOEXEC, 3);
        return *fd_p >= 0;
    }
    s->sink = sink_of(f, i, error);
    if (!s->sink || pipe2(fd, O_CLOEXEC) != 0)
        return false;
    fcntl(fd[0], F_SETFL, O_NONBLOCK);
    s->fd = fd[0];
    s->rank = i;
    s->reports = error || f->o->merge_output;
    s->stamped = f->o->timestamp_output;
    if (f->o->tag_output)
        snprintf(s->tag, sizeof(s->tag), error ? "[%d:err] " : "[%d] ", i);
    *fd_p = fd[1];
    return true;
}

bool mend_iof_open_rank(struct mend_iof *f, int i, int *in_p, int *out_p, int *err_p)
{
    int *end = f->child_end[i];

    f->stream[2 * i].fd = f->stream[2 * i + 1].fd = -1;
    if (i == f->direct_rank) {
        *in_p = end[0] = 0;
        *out_p = end[1] = 1;
        *err_p = end[2] = f->o->merge_output ? 1 : 2;
        return true;
    }
    if (!open_input(f, i, &end[0]) || !open_output(f, i, false, &end[1]) ||
        !open_output(f, i, true, &end[2]))
        return false;
    *in_p = end[0];
    *out_p = end[1];
    *err_p = end[2];
    return true;
}

void mend_iof_started_rank(struct mend_iof *f, int i)
{
    for (int k = 0; k < 3; k++)
        if (f->child_end[i][k] > 2)
            close(f->child_end[i][k]);
    f->streams_n = 2 * (i + 1);
    if (i + 1 == f->n || i % WAKE_EVERY == WAKE_EVERY - 1)
        wake(f);
}

bool mend_iof_finish(struct mend_iof *f)
{
    bool written = true;

    f->finish = true;
    wake(f);
    pthread_join(f->thread, NULL);
    for (int i = 0; f->file && i < 2 * f->n; i++)
        written &= !f->file[i].error;
    return written && !f->out->error && !f->err->error;
}
