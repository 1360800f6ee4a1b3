/* SPDX-License-Identifier: BSD-3-Clause */
/* threads.c – waking threads that sleep while another one polls for them. */
#include "proc/threads.h"

#include "node/bell.h"

void mend_threads_wake(struct mend_waiter *w)
{
    mend_list_remove(&w->link);
    w->awake = true;
    pthread_cond_signal(&w->woken);
}

bool mend_threads_may_sleep(const struct mend_proc *self)
{
    if (self->outbox_n || !mend_list_empty(&self->active) || !self->poller->rings)
        return false;
    mend_list_foreach (l, next, &self->asleep)
        if (!mend_list_entry(l, struct mend_waiter, link)->rings)
            return false;
    return true;
}

void mend_threads_settle(struct mend_proc *self)
{
    mend_list_foreach (l, next, &self->asleep) {
        struct mend_waiter *w = mend_list_entry(l, struct mend_waiter, link);

        if (w->over(self, w))
            mend_threads_wake(w);
    }
    if (!self->poller_asleep ||
        (mend_threads_may_sleep(self) && !self->poller->over(self, self->poller)))
        return;
    self->poller_asleep = false; /* once is enough */
    self->bell->rouse(self);
}
