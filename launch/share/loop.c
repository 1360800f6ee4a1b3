/* SPDX-License-Identifier: BSD-3-Clause */
/* loop.c – see loop.h.  An event carries the number of the member, and what that has said of the descriptor. */
#include "share/loop.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"

#define TIMER UINT32_MAX /* as a member */

static uint64_t tag(uint32_t member, uint32_t from, uint32_t of)
{
    return (uint64_t)member << 56 | (uint64_t)from << 32 | of;
}

bool mend_loop_open(struct mend_loop *l)
{
    struct epoll_event ev = {.events = EPOLLIN, .data.u64 = UINT64_MAX};

    l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    l->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    l->timer_at = MEND_TIME_NEVER;
    return l->epoll_fd >= 0 && l->timer_fd >= 0 &&
           epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, l->timer_fd, &ev) == 0;
}

uint32_t mend_loop_join(struct mend_loop *l, struct mend_loop_member member)
{
    l->member[l->members_n] = member;
    return l->members_n++;
}

bool mend_loop_add(struct mend_loop *l, uint32_t member, int fd, uint32_t from, uint32_t of)
{
    struct epoll_event ev = {.events = EPOLLIN, .data.u64 = tag(member, from, of)};

    return epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &ev) == 0;
}

void mend_loop_set(struct mend_loop *l, uint32_t member, int fd, uint32_t from, uint32_t of,
                   bool in, bool out)
{
    struct epoll_event ev = {.events = EPOLLIN | (out ? EPOLLOUT : 0),
                             .data.u64 = tag(member, from, of)};

    if (!in)
        mend_loop_drop(l, fd);
    else if (epoll_ctl(l->epoll_fd, EPOLL_CTL_MOD, fd, &ev) != 0)
        epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &ev);
}

void mend_loop_drop(struct mend_loop *l, int fd)
{
    epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

static void on_event(struct mend_loop *l, uint64_t tag)
{
    uint64_t count;

    if (tag == UINT64_MAX) {
        while (read(l->timer_fd, &count, sizeof(count)) < 0 && errno == EINTR)
            ;
        return;
    }
    l->member[tag >> 56].event(l->member[tag >> 56].self, tag >> 32 & 0xffffff, (uint32_t)tag);
}

static void set_timer(struct mend_loop *l, mend_time_ns at)
{
    struct itimerspec t = {0};

    if (at == l->timer_at)
        return;
    l->timer_at = at;
    if (at != MEND_TIME_NEVER) {
        t.it_value.tv_sec = (time_t)(at / MEND_NS_PER_S);
        t.it_value.tv_nsec = (long)(at % MEND_NS_PER_S) + (at == 0);
    }
    timerfd_settime(l->timer_fd, TFD_TIMER_ABSTIME, &t, NULL);
}

/* Does what is due and sets the timer for what is next. */
static void look(struct mend_loop *l)
{
    mend_time_ns next = MEND_TIME_NEVER;

    for (uint32_t i = 0; i < l->members_n; i++) {
        mend_time_ns at = l->member[i].look(l->member[i].self, mend_time_monotonic_ns());

        next = at < next ? at : next;
    }
    set_timer(l, next);
}

static bool is_done(struct mend_loop *l)
{
    for (uint32_t i = 0; i < l->members_n; i++)
        if (!l->member[i].is_done(l->member[i].self))
            return false;
    return true;
}

void mend_loop_run(struct mend_loop *l)
{
    struct epoll_event ev[64];

    for (;;) {
        int n;

        look(l); /* may find that the last rank has ended */
        if (is_done(l))
            return;
        n = epoll_wait(l->epoll_fd, ev, 64, -1);
        for (int i = 0; i < n; i++)
            on_event(l, ev[i].data.u64);
    }
}
