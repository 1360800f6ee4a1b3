/* SPDX-License-Identifier: BSD-3-Clause */
/* iof_input.c – what is typed on our terminal goes to a rank through a pipe, while we are in the foreground; and our input, of
 * whatever kind, to a rank of another node.
 *
 *   our input ──> root ──INPUT: bytes, at last none──> buffer of the agent ──pipe──> rank
 *                      <──INPUT: so many were taken──
 *
 * At most a buffer is on the way, so a rank that does not read keeps nobody from anything.  When nobody reads the pipe any more the agent says
 * so; then, and when that agent is lost, our input is not read any more. */
#include "output/iof_parts.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* A rank of this process's node reads it, or nobody. */
static void input_close(struct input *in)
{
    close(in->fd);
    in->fd = -1;
    in->len = 0;
}

/* ---- at the root ---- */

bool mend_iof_wants_input(struct mend_iof *f)
{
    struct input *in = &f->input;
    bool wanted;

    pthread_mutex_lock(&in->lock);
    wanted = in->to ? in->sent < INPUT_BYTES : !f->relay && in->fd >= 0 && !in->len;
    pthread_mutex_unlock(&in->lock);
    return wanted;
}

bool mend_iof_may_read_input(void)
{
    return !isatty(0) || tcgetpgrp(0) == getpgrp();
}

static void pass_on(struct mend_iof *f, const char *bytes, size_t n)
{
    mend_post(f->input.to, &(struct mend_message){.kind = MEND_DOWN_INPUT,
                                                  .rank = f->o->stdin_rank,
                                                  .data = bytes,
                                                  .len = (uint32_t)n});
    f->input.sent += n;
    if (!n)
        f->input.to = NULL;
}

static void keep(struct input *in, const char *bytes, ssize_t n)
{
    if (n > 0)
        memcpy(in->buf, bytes, (size_t)n);
    in->len = n > 0 ? (size_t)n : 0;
    if (n == 0)
        input_close(in);
}

static size_t room_for_input(struct mend_iof *f)
{
    size_t room;

    pthread_mutex_lock(&f->input.lock);
    room = INPUT_BYTES - (f->input.to ? f->input.sent : 0);
    pthread_mutex_unlock(&f->input.lock);
    return room;
}

/* For a rank of another node an error is the end, as for one that reads by itself. */
void mend_iof_input_read(struct mend_iof *f)
{
    char bytes[INPUT_BYTES];
    ssize_t n = read(0, bytes, room_for_input(f));
    bool failed = n < 0 && errno != EAGAIN && errno != EINTR;

    pthread_mutex_lock(&f->input.lock);
    if (f->input.to && (n >= 0 || failed))
        pass_on(f, bytes, n > 0 ? (size_t)n : 0);
    else if (f->input.fd >= 0 && !f->input.to)
        keep(&f->input, bytes, n);
    pthread_mutex_unlock(&f->input.lock);
}

void mend_iof_ask_input(struct mend_iof *f, const struct mend_message *m,
                        const struct mend_post *agent)
{
    struct input *in = &f->input;

    if (m->rank != f->o->stdin_rank)
        return;
    pthread_mutex_lock(&in->lock);
    if (m->arg[0] == 0 && in->fd < 0)
        in->to = agent;
    else if (m->arg[0] < 0)
        in->to = NULL;
    else
        in->sent -= (size_t)m->arg[0] < in->sent ? (size_t)m->arg[0] : in->sent;
    pthread_mutex_unlock(&in->lock);
    mend_iof_wake(f);
}

void mend_iof_input_end(struct mend_iof *f, const struct mend_post *agent)
{
    pthread_mutex_lock(&f->input.lock);
    if (f->input.to == agent)
        f->input.to = NULL;
    pthread_mutex_unlock(&f->input.lock);
}

/* ---- at the rank's end ---- */

static void tell(struct mend_iof *f, int64_t taken)
{
    if (f->relay)
        mend_post(f->relay, &(struct mend_message){
                                .kind = MEND_UP_INPUT, .rank = f->o->stdin_rank, .arg = {taken}});
}

void mend_iof_input_open(struct mend_iof *f, int fd)
{
    pthread_mutex_lock(&f->input.lock);
    f->input.fd = fd;
    pthread_mutex_unlock(&f->input.lock);
    tell(f, 0);
    mend_iof_wake(f);
}

/* More than there is room for is damage: the root has counted.  The thread closes the pipe. */
void mend_iof_input(struct mend_iof *f, const struct mend_message *m)
{
    struct input *in = &f->input;

    pthread_mutex_lock(&in->lock);
    if (m->len <= sizeof(in->buf) - in->len && in->fd >= 0) {
        memcpy(in->buf + in->len, m->data, m->len);
        in->len += m->len;
    }
    in->ends |= !m->len;
    pthread_mutex_unlock(&in->lock);
    mend_iof_wake(f);
}

/* A pipe to a rank of the root's own node is looked at only when there is something for it. */
struct pollfd mend_iof_input_poll(struct mend_iof *f)
{
    struct input *in = &f->input;
    struct pollfd p;

    pthread_mutex_lock(&in->lock);
    p = (struct pollfd){in->len || f->relay ? in->fd : -1, in->len || in->ends ? POLLOUT : 0, 0};
    pthread_mutex_unlock(&in->lock);
    return p;
}

static void write_out(struct mend_iof *f, bool unread)
{
    struct input *in = &f->input;
    ssize_t n = in->len ? write(in->fd, in->buf, in->len) : 0;

    if (n > 0) {
        in->len -= (size_t)n;
        memmove(in->buf, in->buf + n, in->len);
        tell(f, n);
    }
    unread |= n < 0 && errno != EAGAIN && errno != EINTR;
    if (!unread && !(in->ends && !in->len))
        return;
    input_close(in);
    if (unread)
        tell(f, -1);
}

void mend_iof_input_write(struct mend_iof *f, short events)
{
    pthread_mutex_lock(&f->input.lock);
    if (f->input.fd >= 0)
        write_out(f, events & POLLERR);
    pthread_mutex_unlock(&f->input.lock);
}
