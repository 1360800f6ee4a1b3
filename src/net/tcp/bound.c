/* SPDX-License-Identifier: BSD-3-Clause */
/* bound.c – a process has no more connections than half of the descriptors that it may have; the others are the program's.
 *
 * Where there are more peers than that a connection ends when another one is wanted.  Nothing is lost by that, since each
 * sender keeps what is not acknowledged (stream.h), and the end that has something to say makes the next one:
 *
 *   one is idle: all is acknowledged, and all that has come was read   ──> the one of these that was used least lately
 *   none is                                                            ──> all peers are asked what has come
 *   none is for PATIENCE: their processes compute, or hang             ──> a call that was refused, or any; what was sent by it follows after PAUSE
 *
 * What ends the wait for room: an answer; the end of a connection, as by its peer's death; the time.
 *
 * A process without a free descriptor ends connections in the same way. */
#include "net/tcp/internal.h"

#include "base/time.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/socket.h>

#define LEAST    2u /* connections, however few descriptors there are */
#define PATIENCE (100 * MEND_NS_PER_MS)
#define PAUSE    MEND_NS_PER_S

uint32_t mend_tcp_most(void)
{
    struct rlimit l = {0};
    rlim_t most = getrlimit(RLIMIT_NOFILE, &l) == 0 ? l.rlim_cur / 2 : 0;

    if (most < LEAST)
        return LEAST;
    return most < UINT32_MAX / 2 ? (uint32_t)most : UINT32_MAX / 2;
}

bool mend_tcp_has_unread(int fd)
{
    char byte;

    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 ||
           (errno != EAGAIN && errno != EWOULDBLOCK);
}

static bool is_idle(const struct mend_tcp *t, const struct mend_tcp_pair *p)
{
    return p->answer_n == sizeof(p->answer) && mend_tcp_is_done(p) &&
           mend_tcp_is_acknowledged(&p->out) && !p->skip && !p->part_n && !p->reserved &&
           t->from != p && !mend_tcp_has_unread(p->fd);
}

/* What has come is read first, as its sender may not be in MPI to send it again. */
static bool is_any(const struct mend_tcp *t, const struct mend_tcp_pair *p)
{
    return t->from != p && !mend_tcp_has_unread(p->fd);
}

/* Of those that fit the one that was used least lately. */
static struct mend_tcp_pair *find(struct mend_tcp *t, bool (*fits)(const struct mend_tcp *t,
                                                                   const struct mend_tcp_pair *p))
{
    mend_list_foreach (l, next, &t->open)
        if (fits(t, mend_list_entry(l, struct mend_tcp_pair, open)))
            return mend_list_entry(l, struct mend_tcp_pair, open);
    return NULL;
}

/* The peer learns what has come, so that it does not call to be told that.  Memory of the pair that holds nothing is given back. */
static void end_idle(struct mend_proc *self, struct mend_tcp_pair *p)
{
    if (p->in.told != p->in.received) {
        p->asked = true;
        mend_tcp_tell(self, p);
        mend_tcp_flush(self, p);
    }
    mend_tcp_drop(self, p);
    mend_free(self, p->payload);
    p->payload = NULL;
    if (p->out.acked != p->out.tail)
        return;
    mend_free(self, p->out.ring);
    mend_free(self, p->out.loans);
    p->out.ring = NULL;
    p->out.loans = NULL;
}

/* A call that was refused is read until its caller has heard of that. */
static struct mend_tcp_pair *find_refusal(struct mend_tcp *t)
{
    mend_list_foreach (l, next, &t->refusals) {
        struct mend_tcp_pair *p = mend_list_entry(l, struct mend_tcp_pair, refusal);

        if (t->from != p && !mend_tcp_has_unread(p->refused))
            return p;
    }
    return NULL;
}

static void end_any(struct mend_proc *self, struct mend_tcp_pair *p)
{
    mend_tcp_drop(self, p);
    if (mend_tcp_is_done(p))
        return;
    p->call_at = mend_proc_now(self) + PAUSE;
    mend_tcp_make_due(self, p);
}

static void ask_all(struct mend_proc *self)
{
    mend_list_foreach (l, next, &self->tcp->open)
        mend_tcp_ask(self, mend_list_entry(l, struct mend_tcp_pair, open));
}

bool mend_tcp_end_one(struct mend_proc *self)
{
    struct mend_tcp *t = self->tcp;
    bool late = t->full_at && mend_proc_now(self) - t->full_at >= PATIENCE;
    struct mend_tcp_pair *p = t->asked && !late ? NULL : find(t, is_idle);

    if (p) {
        end_idle(self, p);
    } else if (late && (p = find_refusal(t))) {
        mend_tcp_end_refused(self, p);
    } else if (late) {
        p = find(t, is_any);
        if (p)
            end_any(self, p);
    } else if (!t->asked) {
        ask_all(self);
        t->asked = true;
    }
    t->full_at = p ? 0 : late || !t->full_at ? mend_proc_now(self) : t->full_at;
    if (!p)
        mend_tcp_wake_at(self, t->full_at + PATIENCE);
    return p != NULL;
}

bool mend_tcp_make_room(struct mend_proc *self, uint32_t most)
{
    while (self->tcp->open_n + self->tcp->refusals_n >= most)
        if (!mend_tcp_end_one(self))
            return false;
    return true;
}
