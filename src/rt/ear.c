/* SPDX-License-Identifier: BSD-3-Clause */
/* ear.c – hearing what the agent says of other jobs (ear.h). */
#include "rt/ear.h"

#include "node/abroad.h"
#include "rt/pass.h"
#include "rt/wire.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void mend_ctl_open(struct mend_ctl_ear *ear, int fd)
{
    ear->fd = fd;
    mend_list_init(&ear->asks);
    mend_list_init(&ear->callers);
    mend_list_init(&ear->told);
}

uint64_t mend_ctl_ask(struct mend_ctl_ear *ear, struct mend_rt_ask *ask)
{
    *ask = (struct mend_rt_ask){.number = ++ear->asked_n};
    mend_list_append(&ear->asks, &ask->link);
    return ask->number;
}

static void on_answer(struct mend_ctl_ear *ear, const struct mend_ctl_abroad *m)
{
    mend_list_foreach (l, next, &ear->asks) {
        struct mend_rt_ask *ask = mend_list_entry(l, struct mend_rt_ask, link);

        if (ask->number != m->ask)
            continue;
        ask->error = m->error;
        ask->answered = true;
        mend_list_remove(l);
    }
}

/* Takes fd.  A process without memory for what it hears finds nothing when it looks for the peer. */
static void on_abroad(struct mend_proc *self, struct mend_ctl_ear *ear,
                      const struct mend_ctl_abroad *m, size_t len, int fd)
{
    const struct mend_abroad_news news = {.job = m->job,
                                          .number = m->number,
                                          .mine = m->mine,
                                          .blocks = m->blocks,
                                          .blocks_n = m->blocks_n,
                                          .key = m->by_sockets ? m->key : NULL};

    if (len >= MEND_CTL_ABROAD_BYTES(0) && m->blocks_n <= MEND_ABROAD_BLOCKS_MAX &&
        len == MEND_CTL_ABROAD_BYTES(m->blocks_n) && (fd < 0) == (m->by_sockets != 0)) {
        mend_memory_press(self);
        ear->deaf |= !mend_abroad_learn(self, &news, fd);
        mend_memory_relax(self);
    } else if (fd >= 0) {
        close(fd);
    }
}

struct caller {
    struct mend_list link;
    struct mend_greeting greeting;
    int fd;
};

/* Those that come while this process listens for something else have descriptors of it until they are taken. */
#define CALLERS_MOST 8

/* Without memory the connection ends, as with too many, and is begun again. */
static void on_caller(struct mend_proc *self, struct mend_ctl_ear *ear,
                      const struct mend_ctl_caller *m, int fd)
{
    struct caller *c = ear->callers_n < CALLERS_MOST ? mend_alloc(self, sizeof(*c)) : NULL;

    if (!c) {
        if (fd >= 0)
            close(fd);
        return;
    }
    *c = (struct caller){.greeting = m->greeting, .fd = fd};
    mend_list_append(&ear->callers, &c->link);
    ear->callers_n++;
}

struct told {
    struct mend_list link;
    struct mend_rt_told what;
};

/* Others may wait for this process, so there is memory for it. */
static void on_told(struct mend_proc *self, struct mend_ctl_ear *ear, const struct mend_ctl_told *m)
{
    struct told *t;

    mend_memory_press(self);
    t = mend_alloc(self, sizeof(*t));
    mend_memory_relax(self);
    t->what =
        (struct mend_rt_told){.mark = m->mark, .seq = m->seq, .round = m->round, .len = m->len};
    memcpy(t->what.bytes, m->bytes, m->len);
    mend_list_append(&ear->told, &t->link);
}

static bool is_told(const struct mend_ctl_told *m, size_t len)
{
    return len >= MEND_CTL_TOLD_BYTES(0) && m->magic == MEND_CTL_MAGIC &&
           m->kind == MEND_CTL_TOLD && m->len <= MEND_PAPER_BYTES &&
           len == MEND_CTL_TOLD_BYTES(m->len);
}

/* One datagram; false: there is none. */
static bool hear_one(struct mend_proc *self, struct mend_ctl_ear *ear)
{
    union {
        struct mend_ctl_abroad abroad;
        struct mend_ctl_caller caller;
        struct mend_ctl_told told;
    } any;
    struct mend_ctl_abroad m;
    int fd;
    ssize_t len = mend_pass_take(ear->fd, &any, sizeof(any), &fd, 1, MSG_DONTWAIT);

    if (len <= 0)
        return false;
    if (len == sizeof(any.caller) && any.caller.magic == MEND_CTL_MAGIC &&
        any.caller.kind == MEND_CTL_CALLER) {
        on_caller(self, ear, &any.caller, fd);
        return true;
    }
    if (is_told(&any.told, (size_t)len)) {
        on_told(self, ear, &any.told);
        return true;
    }
    m = any.abroad;
    if ((size_t)len >= MEND_CTL_ABROAD_BYTES(0) && m.magic == MEND_CTL_MAGIC &&
        m.kind == MEND_CTL_ABROAD) {
        on_abroad(self, ear, &m, (size_t)len, fd);
        return true;
    }
    if ((size_t)len >= MEND_CTL_ABROAD_BYTES(0) && m.magic == MEND_CTL_MAGIC &&
        m.kind == MEND_CTL_ANSWER)
        on_answer(ear, &m);
    if (fd >= 0)
        close(fd);
    return true;
}

bool mend_ctl_caller(struct mend_proc *self, struct mend_ctl_ear *ear, struct mend_greeting *g,
                     int *fd_p)
{
    bool heard = false;
    struct caller *c;

    while (!ear->callers_n && hear_one(self, ear))
        heard = true;
    if (heard)
        mend_abroad_forget(self);
    if (!ear->callers_n)
        return false;
    c = mend_list_entry(mend_list_first(&ear->callers), struct caller, link);
    *g = c->greeting;
    *fd_p = c->fd;
    mend_list_remove(&c->link);
    ear->callers_n--;
    mend_free(self, c);
    return true;
}

bool mend_ctl_told(struct mend_proc *self, struct mend_ctl_ear *ear, struct mend_rt_told *told_p)
{
    struct told *t;

    if (mend_list_empty(&ear->told))
        mend_ctl_hear(self, ear);
    if (mend_list_empty(&ear->told))
        return false;
    t = mend_list_entry(mend_list_first(&ear->told), struct told, link);
    *told_p = t->what;
    mend_list_remove(&t->link);
    mend_free(self, t);
    return true;
}

void mend_ctl_hear(struct mend_proc *self, struct mend_ctl_ear *ear)
{
    while (hear_one(self, ear))
        ;
    mend_abroad_forget(self);
}

bool mend_ctl_meet(struct mend_proc *self, struct mend_ctl_ear *ear, mend_peer p, bool forgotten)
{
    struct pollfd fd = {.fd = ear->fd, .events = POLLIN};

    do {
        mend_ctl_hear(self, ear);
        if (mend_abroad_meet(self, p))
            return true;
    } while (!forgotten && !ear->deaf && (poll(&fd, 1, -1) >= 0 || errno == EINTR) &&
             !(fd.revents & (POLLHUP | POLLERR)));
    return false;
}
