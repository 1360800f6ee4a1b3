/* SPDX-License-Identifier: BSD-3-Clause */
/* iof_sink.c – where output goes: our own descriptors, and files in place of them. */
#include "output/iof_parts.h"
#include "share/shell_limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOLD_TTY_NS  (50 * MEND_NS_PER_MS)
#define HOLD_FILE_NS (500 * MEND_NS_PER_MS)
#define CUT_TTY_NS   (500 * MEND_NS_PER_MS)
#define CUT_FILE_NS  (60 * MEND_NS_PER_S)

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

void mend_iof_sink_write(struct sink *s, const char *at, size_t len, struct stream *owner,
                         mend_time_ns now)
{
    write_all(s, at, len);
    s->midline = at[len - 1] != '\n';
    s->owner = s->midline ? owner : NULL;
    s->written_ns = now;
}

void mend_iof_break_line(struct sink *s)
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
    mend_iof_break_line(f->err);
    mend_iof_sink_write(f->err, line, strlen(line), NULL, mend_time_monotonic_ns());
    free(line);
}

void mend_iof_complain(struct mend_iof *f)
{
    complain_of(f, f->out);
    for (int i = 0; f->file && i < f->streams_n; i++)
        complain_of(f, f->stream[i].sink);
}

void mend_iof_sink_open(struct sink *s, int fd)
{
    bool looks = isatty(fd); /* somebody, who may be asked for something */

    *s = (struct sink){.fd = fd,
                       .hold_ns = looks ? HOLD_TTY_NS : HOLD_FILE_NS,
                       .cut_hold_ns = looks ? CUT_TTY_NS : CUT_FILE_NS};
}

static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
}

bool mend_iof_open_file(struct mend_iof *f, struct sink *s, char *name)
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
    mend_iof_sink_open(s, fd);
    s->name = name;
    return true;
}
