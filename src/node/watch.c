/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.c – the two sets of a process, and its requests to the agent (watch.h has the idea). */
#include "node/watch.h"

#include "node/node.h"

#include <sys/epoll.h>
#include <unistd.h>

#define NO_SET (-1)

struct mend_watch {
    int all, once;
    unsigned watched_n;
    bool asked;
    uint32_t asked_at; /* rank.readable_n at the last request */
};

static bool add(int set, int fd, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.fd = fd};

    return epoll_ctl(set, EPOLL_CTL_ADD, fd, &e) == 0;
}

static void drop(struct mend_proc *self, struct mend_watch *w)
{
    if (w->all >= 0)
        close(w->all);
    if (w->once >= 0)
        close(w->once);
    mend_free(self, w);
}

static struct mend_watch *make(struct mend_proc *self)
{
    struct mend_watch *w = self->node->hand ? mend_alloc(self, sizeof(*w)) : NULL;

    if (!w)
        return NULL;
    *w = (struct mend_watch){.all = epoll_create1(EPOLL_CLOEXEC),
                             .once = epoll_create1(EPOLL_CLOEXEC)};
    if (w->all >= 0 && w->once >= 0 && add(w->once, w->all, EPOLLONESHOT) &&
        self->node->hand(self, w->once))
        return w;
    drop(self, w);
    return NULL;
}

static void end(struct mend_proc *self, struct mend_watch **w)
{
    self->node->hand(self, NO_SET);
    drop(self, *w);
    *w = NULL;
}

enum mend_status mend_watch_add(struct mend_proc *self, struct mend_watch **w, int fd)
{
    if (!*w)
        *w = make(self);
    if (!*w)
        return MEND_ERR_MEM;
    if (add((*w)->all, fd, EPOLLIN | EPOLLRDHUP)) {
        (*w)->watched_n++;
        return MEND_OK;
    }
    if (!(*w)->watched_n)
        end(self, w);
    return MEND_ERR_MEM;
}

void mend_watch_remove(struct mend_proc *self, struct mend_watch **w, int fd)
{
    epoll_ctl((*w)->all, EPOLL_CTL_DEL, fd, NULL);
    if (!--(*w)->watched_n)
        end(self, w);
}

bool mend_watch_is_asked(const struct mend_watch *w, uint32_t rung_n)
{
    return w->asked && w->asked_at == rung_n;
}

bool mend_watch_is_readable(const struct mend_watch *w)
{
    struct epoll_event e;

    return epoll_wait(w->all, &e, 1, 0) > 0;
}

void mend_watch_ask(struct mend_watch *w, uint32_t rung_n)
{
    struct epoll_event e = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = w->all};

    w->asked = true;
    w->asked_at = rung_n;
    epoll_ctl(w->once, EPOLL_CTL_MOD, w->all, &e);
}
