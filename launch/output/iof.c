/* SPDX-License-Identifier: BSD-3-Clause */
/* iof.c – the ranks' output in whole lines, and input to one of them.
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
 * more.  Where the C library's buffer was full the line most likely goes on: that is held for half
 * a second on a terminal, as it may be a long prompt, and for a minute elsewhere.  A line longer than 64 KiB is cut.
 *
 * Reports of fatal errors: iof_report.c.
 *
 * Direct output: a job of one rank, and the rank named by --tty, inherit mpiexec's three
 * descriptors; rank 0 inherits the standard input if that is not a terminal (so it consumes only what
 * it reads).  mpiexec reads a terminal and passes the input on through a pipe, because rank 0 is not
 * in the terminal's foreground process group.  A rank of another node gets what mpiexec reads by messages (iof_input.c). */
#include "output/iof_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BACKGROUND_MS 200 /* how often we look whether we are in the foreground again */

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
    mend_iof_take_news(f);
    for (int i = 0; i < n; i++)
        if (f->poll[i].revents)
            mend_iof_pull(&f->stream[f->polled[i]], mend_time_monotonic_ns());
    pthread_mutex_unlock(&f->lock);
}

/* Without poll(), for want of memory or under a limit of open files that was lowered, all are read every millisecond. */
static void look_at_all(struct mend_iof *f, int n)
{
    usleep(1000);
    for (int i = 0; i < n; i++)
        f->poll[i].revents = POLLIN;
}

static void *run(void *arg)
{
    struct mend_iof *f = arg;
    mend_time_ns at = MEND_TIME_NEVER;

    for (;;) {
        int n = poll_streams(f), extra = n, ms = to_ms(at);
        bool typing = f->streams_n && mend_iof_wants_input(f);
        bool may_read = typing && mend_iof_may_read_input();

        f->poll[extra++] = (struct pollfd){f->wake_fd, POLLIN, 0};
        f->poll[extra++] = (struct pollfd){may_read ? 0 : -1, POLLIN, 0};
        f->poll[extra++] = mend_iof_input_poll(f);
        if (typing && !may_read && (ms < 0 || ms > BACKGROUND_MS))
            ms = BACKGROUND_MS;
        if (poll(f->poll, (nfds_t)extra, ms) < 0 && errno != EINTR)
            look_at_all(f, n);
        if (f->poll[n].revents) {
            uint64_t count;

            if (read(f->wake_fd, &count, sizeof(count)) < 0)
                continue;
        }
        if (f->finish) /* looked at after the wake was taken: it may have been two in one */
            break;
        pull_streams(f, n);
        if (f->poll[n + 1].revents)
            mend_iof_input_read(f);
        if (f->poll[n + 2].revents)
            mend_iof_input_write(f, f->poll[n + 2].revents);
        at = mend_iof_push_all(f);
    }
    mend_iof_drain_all(f);
    return NULL;
}

void mend_iof_wake(struct mend_iof *f)
{
    uint64_t one = 1;

    while (write(f->wake_fd, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
}

/* ---- for the launcher ---- */

static bool same_file(int a, int b)
{
    struct stat sa, sb;

    return fstat(a, &sa) == 0 && fstat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
           sa.st_ino == sb.st_ino && sa.st_rdev == sb.st_rdev;
}

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
    mend_iof_wake(f);
}

void mend_iof_message_of(struct mend_iof *f, int rank, const char *line, size_t len)
{
    bool locked = lock_for_message(f);
    mend_time_ns now = mend_time_monotonic_ns();

    if (locked)
        mend_iof_take_news(f);
    for (int i = 2 * rank; locked && rank >= 0 && i < 2 * rank + 2 && i < f->streams_n; i++)
        if (f->stream[i].sink == f->err)
            mend_iof_take(f, &f->stream[i], now);
    if (locked && f->release_ns != MEND_TIME_NEVER) {
        add_later(f, line, len);
    } else {
        mend_iof_break_line(f->err);
        mend_iof_sink_write(f->err, line, len, NULL, now);
    }
    if (locked)
        pthread_mutex_unlock(&f->lock);
}

void mend_iof_message(struct mend_iof *f, const char *line, size_t len)
{
    mend_iof_message_of(f, -1, line, len);
}

struct mend_iof *mend_iof_create(const struct mend_options *o, int names_n,
                                 const struct mend_post *root)
{
    struct mend_iof *f = mend_xalloc(1, sizeof(*f));
    size_t n = (size_t)names_n;
    int error;

    f->o = o;
    f->n = names_n;
    f->relay = root;
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
    pthread_mutex_init(&f->news_lock, NULL);
    pthread_mutex_init(&f->input.lock, NULL);
    pthread_mutex_init(&f->files_lock, NULL);
    mend_iof_sink_open(&f->sink[0], 1);
    mend_iof_sink_open(&f->sink[1], 2);
    f->out = &f->sink[0];
    f->err = same_file(1, 2) ? f->out : &f->sink[1];
    error = pthread_create(&f->thread, NULL, run, f);
    errno = error;
    return error ? NULL : f;
}

bool mend_iof_finish(struct mend_iof *f)
{
    bool written = true;

    f->finish = true;
    mend_iof_wake(f);
    pthread_join(f->thread, NULL);
    for (int i = 0; f->file && i < 2 * f->n; i++)
        written &= !f->file[i].error;
    return written && !f->out->error && !f->err->error;
}
