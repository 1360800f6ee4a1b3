/* SPDX-License-Identifier: BSD-3-Clause */
/* iof_open.c – the descriptors 0, 1 and 2 of a rank that is started, and our ends of its pipes. */
#include "output/iof_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define WAKE_EVERY 64 /* ranks that are started between two looks at what they write */

static bool open_input(struct mend_iof *f, int i, int *in_p)
{
    bool terminal = isatty(0), far = f->relay && f->direct_rank < 0;
    int fd[2];

    if (i != f->o->stdin_rank ||
        (terminal && f->direct_rank >= 0)) { /* a terminal has one reader */
        *in_p = open("/dev/null", O_RDONLY | O_CLOEXEC);
        return *in_p >= 0;
    }
    *in_p = 0;
    if (!terminal && !far)
        return true;
    if (pipe2(fd, O_CLOEXEC) != 0)
        return false;
    fcntl(fd[1], F_SETFL, O_NONBLOCK);
    *in_p = fd[0];
    mend_iof_input_open(f, fd[1]);
    return true;
}

/* That of the rank, or the one of that name, or a new one; there are no more than ranks.  Takes the name. */
static struct sink *file_of(struct mend_iof *f, int i, bool error, const char *pattern, char *name)
{
    const struct mend_options *o = f->o;
    bool one = o->out_pattern && o->err_pattern && !strcmp(o->out_pattern, o->err_pattern);
    struct sink *s = &f->file[(error && !one) + (mend_pattern_per_rank(pattern) ? 2 * i : 0)];

    while (s->name && strcmp(s->name, name) != 0)
        s += 2;
    if (!s->name)
        return mend_iof_open_file(f, s, name) ? s : NULL;
    free(name);
    return s;
}

struct sink *mend_iof_sink_of(struct mend_iof *f, int i, bool error, const char *host)
{
    const char *pattern = error ? f->o->err_pattern : f->o->out_pattern;
    struct sink *s;

    if (!pattern || f->relay)
        return error ? f->err : f->out;
    pthread_mutex_lock(&f->files_lock);
    s = file_of(f, i, error, pattern, mend_pattern_name(pattern, i, f->o->ranks_n, host));
    pthread_mutex_unlock(&f->files_lock);
    return s;
}

/* A terminal in place of a pipe, so that programs write each line at once.  It changes no byte, echoes nothing and is
 * nobody's controlling terminal.  fd: our end, the rank's. */
static bool open_terminal(const struct mend_options *o, int fd[2])
{
    const struct winsize size = {.ws_row = (unsigned short)o->rows,
                                 .ws_col = (unsigned short)o->columns};
    struct termios raw;
    int error;

    fd[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd[0] < 0)
        return false;
    fd[1] = grantpt(fd[0]) || unlockpt(fd[0])
                ? -1
                : ioctl(fd[0], TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd[1] >= 0 && tcgetattr(fd[1], &raw) == 0) {
        cfmakeraw(&raw);
        ioctl(fd[1], TIOCSWINSZ, &size);
        if (tcsetattr(fd[1], TCSANOW, &raw) == 0)
            return true;
    }
    error = errno;
    if (fd[1] >= 0)
        close(fd[1]);
    close(fd[0]);
    errno = error;
    return false;
}

void mend_iof_set_stream(struct mend_iof *f, struct stream *s, int i, bool error, struct sink *sink)
{
    s->sink = sink;
    s->rank = i;
    s->error = error;
    if (f->relay) /* the rest is the root's */
        return;
    s->reports = error || f->o->merge_output;
    s->stamped = f->o->timestamp_output;
    if (f->o->tag_output)
        snprintf(s->tag, sizeof(s->tag), error ? "[%d:err] " : "[%d] ", i);
}

/* The thread takes it when it is woken; the rank writes nothing before it is started. */
static void add_stream(struct mend_iof *f, int i, bool error, struct sink *sink, int fd)
{
    struct mend_iof_news *n =
        mend_iof_news(&f->stream[2 * i + error], i, error, MEND_OUTPUT_OPEN, 0);

    n->sink = sink;
    n->fd = fd;
    mend_iof_add_news(f, n);
}

static bool open_output(struct mend_iof *f, int i, bool error, int *fd_p)
{
    char host[HOST_NAME_MAX + 1] = "";
    struct sink *sink;
    int fd[2];

    if (error && f->o->merge_output) {
        *fd_p = fcntl(f->child_end[i][1], F_DUPFD_CLOEXEC, 3);
        return *fd_p >= 0;
    }
    gethostname(host, sizeof(host) - 1);
    sink = mend_iof_sink_of(f, i, error, host);
    if (!sink || !(f->o->pty && !error ? open_terminal(f->o, fd) : pipe2(fd, O_CLOEXEC) == 0))
        return false;
    fcntl(fd[0], F_SETFL, O_NONBLOCK);
    add_stream(f, i, error, sink, fd[0]);
    *fd_p = fd[1];
    return true;
}

bool mend_iof_open_rank(struct mend_iof *f, int i, int *in_p, int *out_p, int *err_p)
{
    int *end = f->child_end[i];

    end[0] = end[1] = end[2] = -1;
    if (i == f->direct_rank) {
        add_stream(f, i, false, NULL, -1);
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

static void close_child_ends(struct mend_iof *f, int i)
{
    for (int k = 0; k < 3; k++)
        if (f->child_end[i][k] > 2)
            close(f->child_end[i][k]);
}

void mend_iof_not_started_rank(struct mend_iof *f, int i)
{
    close_child_ends(f, i); /* so our ends end, too */
    mend_iof_wake(f);
}

void mend_iof_started_rank(struct mend_iof *f, int i)
{
    close_child_ends(f, i);
    if (i + 1 >= f->o->ranks_n || i % WAKE_EVERY == WAKE_EVERY - 1)
        mend_iof_wake(f);
}

void mend_iof_started_all(struct mend_iof *f)
{
    mend_iof_wake(f);
}
