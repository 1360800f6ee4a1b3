/* SPDX-License-Identifier: BSD-3-Clause */
/* link_wire.c – the socket of a link: its address, whose it is, what is sent and received over it.
 *
 * The socket has no file, so nothing is left behind.  Only processes of the same user are talked to, by the kernel's word
 * (SO_PEERCRED).  A job that has ended has no socket: the connection is refused at once.
 *
 * No send waits here: what finds no room is queued, because the other agent may be stopped. */
#include "agent/link.h"

#include "proc/death.h"

#include "rt/pass.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct queued {
    struct mend_list link;
    size_t len;
    char bytes[];
};

static socklen_t address_of(struct sockaddr_un *a, uint64_t job)
{
    int n;

    memset(a, 0, sizeof(*a));
    a->sun_family = AF_UNIX;
    n = snprintf(a->sun_path + 1, sizeof(a->sun_path) - 1, "mend-%u-%016llx", (unsigned)geteuid(),
                 (unsigned long long)job);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

bool mend_link_is_same_user(int fd)
{
    struct ucred who;
    socklen_t len = sizeof(who);

    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) && who.uid == geteuid();
}

int mend_link_door(uint64_t job)
{
    struct sockaddr_un a;
    socklen_t len = address_of(&a, job);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd >= 0 && (bind(fd, (struct sockaddr *)&a, len) != 0 || listen(fd, 64) != 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

int mend_link_reach(uint64_t job, int *fd_p)
{
    struct sockaddr_un to;
    socklen_t len = address_of(&to, job);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error = 0;

    if (fd < 0 || connect(fd, (struct sockaddr *)&to, len) != 0)
        error = errno;
    else if (!mend_link_is_same_user(fd))
        error = EPERM;
    if (error && fd >= 0)
        close(fd);
    *fd_p = error ? -1 : fd;
    return error == ECONNREFUSED ? ENOENT : error;
}

/* ---- sending ---- */

/* 0: there is no room now.  fd: goes with it; -1: none. */
static ssize_t send_now(struct mend_link *x, const void *bytes, size_t len, int fd)
{
    ssize_t n = mend_pass(x->fd, bytes, len, &fd, fd >= 0, MSG_DONTWAIT);

    return n < 0 && (errno == EAGAIN || errno == ENOBUFS) ? 0 : n;
}

static void queue(struct mend_links *links, struct mend_link *x, const void *bytes, size_t len)
{
    struct queued *q = mend_xalloc(1, sizeof(*q) + len);

    q->len = len;
    memcpy(q->bytes, bytes, len);
    mend_list_append(&x->out, &q->link);
    mend_sources_set_link(links->with.sources, x->fd, !x->admits, true);
}

void mend_link_flush(struct mend_links *links, struct mend_link *x)
{
    mend_list_foreach (l, next, &x->out) {
        struct queued *q = mend_list_entry(l, struct queued, link);

        if (x->fd >= 0 && send_now(x, q->bytes, q->len, -1) == 0)
            return;
        mend_list_remove(l); /* sent, or the end of the link is to be read */
        free(q);
    }
    if (x->fd >= 0)
        mend_sources_set_link(links->with.sources, x->fd, !x->admits, false);
}

void mend_link_send(struct mend_links *links, struct mend_link *x, struct mend_link_msg *m,
                    const void *body, size_t words)
{
    size_t len = sizeof(*m) + words * sizeof(int32_t);
    struct mend_link_msg *whole;

    if (x->fd < 0)
        return;
    m->magic = MEND_LINK_MAGIC;
    whole = mend_xalloc(1, len);
    *whole = *m;
    if (words)
        memcpy(whole->body, body, words * sizeof(int32_t));
    if (!mend_list_empty(&x->out) || send_now(x, whole, len, -1) == 0)
        queue(links, x, whole, len);
    free(whole);
}

bool mend_link_greet(struct mend_link *x, const struct mend_link_msg *m, int fd)
{
    return send_now(x, m, sizeof(*m), fd) > 0;
}

void mend_link_drop_queue(struct mend_link *x)
{
    mend_list_foreach (l, next, &x->out) {
        mend_list_remove(l);
        free(mend_list_entry(l, struct queued, link));
    }
}

/* ---- receiving ---- */

/* Its body names processes of this job. */
static bool is_of_ours(const struct mend_link_msg *m)
{
    return m->kind == MEND_LINK_RELEASED || m->kind == MEND_LINK_ABORT || m->kind == MEND_LINK_CUT;
}

/* As far as an agent of ours would: names in range, everything as long as it says. */
static bool is_sound(const struct mend_links *links, const struct mend_link *x,
                     const struct mend_link_msg *m, size_t len)
{
    const struct mend_ranks *ranks = links->with.ranks;
    const struct mend_link_run *runs = (const struct mend_link_run *)m->body;
    const struct mend_link_death *deaths = (const struct mend_link_death *)m->body;
    bool has_runs = m->kind >= MEND_LINK_ASK && m->kind <= MEND_LINK_UNTELL;
    bool ours = m->kind >= MEND_LINK_GUESTS;
    size_t words = (len - sizeof(*m)) / sizeof(int32_t), names = 0, need = 0;

    if (len < sizeof(*m) || len % sizeof(int32_t) || m->magic != MEND_LINK_MAGIC ||
        m->kind < MEND_LINK_HELLO || m->kind > MEND_LINK_CUT || m->n > MEND_LINK_BODY_MAX ||
        mend_link_is_open(links, x) != (m->kind >= MEND_LINK_ASK))
        return false;
    if (has_runs)
        need = m->n * MEND_LINK_RUN_WORDS;
    else if (m->kind == MEND_LINK_DEATH || m->kind == MEND_LINK_EXPLAIN)
        need = (size_t)m->n * 3;
    else if (is_of_ours(m))
        need = m->n;
    else if (m->kind == MEND_LINK_REVOKED || m->kind == MEND_LINK_PRESENCE)
        need = (size_t)m->n * 2;
    if (words < need || ((m->kind == MEND_LINK_REVOKED || m->kind == MEND_LINK_EXPLAIN) && !m->n) ||
        (m->kind == MEND_LINK_CUT && m->n != 1) ||
        (m->kind == MEND_LINK_PRESENCE && (m->n != 1 || (uint32_t)m->body[1] > MEND_PRESENCE_AWAY)))
        return false;
    for (uint32_t i = 0; has_runs && i < m->n; i++) {
        int32_t end = ours ? ranks->n : (int32_t)MEND_NODE_NAMES;

        if (runs[i].n <= 0 || runs[i].presence > MEND_PRESENCE_AWAY || runs[i].first < 0 ||
            runs[i].first > end - runs[i].n || (names += (size_t)runs[i].n) > MEND_LINK_NAMES_MAX)
            return false;
    }
    for (uint32_t i = 0; (m->kind == MEND_LINK_DEATH || m->kind == MEND_LINK_EXPLAIN) && i < m->n;
         i++)
        if ((uint32_t)deaths[i].cause > MEND_CAUSE_LEFT)
            return false;
    for (uint32_t i = 0; is_of_ours(m) && i < m->n; i++)
        if (m->body[i] < 0 || m->body[i] >= ranks->n)
            return false;
    return words == need + (m->kind == MEND_LINK_GUESTS ? names : 0);
}

int mend_link_receive(const struct mend_links *links, const struct mend_link *x,
                      struct mend_link_msg *m, int *fd_p)
{
    ssize_t len = mend_pass_take(x->fd, m, MEND_LINK_MSG_MAX, fd_p, 1, MSG_DONTWAIT);

    if (len < 0 && errno == EAGAIN)
        return EAGAIN;
    if (len > 0 && is_sound(links, x, m, (size_t)len))
        return 0;
    if (*fd_p >= 0)
        close(*fd_p);
    return len > 0 ? EPROTO : ENOENT;
}
