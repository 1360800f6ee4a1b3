/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.c – the thread that turns readable descriptors into rings of the bell (watch.h has the idea).
 *
 *   descriptors ──> all (epoll, level-triggered) ──> once (epoll, one event for each request) ──> the thread
 *                                            stop ──┘
 *
 * So a request is one system call, whatever the number of descriptors. */
#include "node/watch.h"

#include "base/thread.h"
#include "node/bell.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct mend_watch {
    struct mend_proc *self;
    int all, once, stop;
    unsigned watched_n;
    pthread_t thread;
};

static void *ring(void *arg)
{
    struct mend_watch *w = arg;
    struct epoll_event e;

    for (;;) {
        int n = epoll_wait(w->once, &e, 1, -1);

        if (n > 0 && e.data.fd == w->stop)
            return NULL;
        if (n > 0)
            w->self->bell->rouse(w->self);
        MEND_ASSERT(n > 0 || errno == EINTR);
    }
}

static bool add(int set, int fd, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.fd = fd};

    return epoll_ctl(set, EPOLL_CTL_ADD, fd, &e) == 0;
}

static void drop(struct mend_proc *self, struct mend_watch *w)
{
    close(w->all);
    close(w->once);
    close(w->stop);
    mend_free(self, w);
}

static struct mend_watch *make(struct mend_proc *self)
{
    struct mend_watch *w = mend_alloc(self, sizeof(*w));

    if (!w)
        return NULL;
    *w = (struct mend_watch){.self = self,
                             .all = epoll_create1(EPOLL_CLOEXEC),
                             .once = epoll_create1(EPOLL_CLOEXEC),
                             .stop = eventfd(0, EFD_CLOEXEC)};
    if (add(w->once, w->stop, EPOLLIN) && add(w->once, w->all, EPOLLONESHOT) &&
        mend_thread_start(&w->thread, ring, w))
        return w;
    drop(self, w);
    return NULL;
}

static void end(struct mend_proc *self, struct mend_watch *w)
{
    eventfd_write(w->stop, 1);
    pthread_join(w->thread, NULL);
    drop(self, w);
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
    if (!(*w)->watched_n) {
        end(self, *w);
        *w = NULL;
    }
    return MEND_ERR_MEM;
}

void mend_watch_remove(struct mend_proc *self, struct mend_watch **w, int fd)
{
    epoll_ctl((*w)->all, EPOLL_CTL_DEL, fd, NULL);
    if (--(*w)->watched_n)
        return;
    end(self, *w);
    *w = NULL;
}

void mend_watch_ask(struct mend_watch *w)
{
    struct epoll_event e = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = w->all};

    epoll_ctl(w->once, EPOLL_CTL_MOD, w->all, &e);
}
