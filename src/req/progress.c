/* SPDX-License-Identifier: BSD-3-Clause */
/* progress.c – making progress, and taking verdicts. */
#include "net/net.h"
#include "proc/occurrence.h"
#include "proc/post.h"
#include "req/request.h"
#include "rt/rt.h"

/* True if a poll completed anything: a waiting process must check again before it sleeps.
 *
 * A poll may complete and release any request, so after it nothing is known of the list but where the
 * mark stands, which is behind the request that is polled. */
static bool poll_active(struct mend_proc *self)
{
    struct mend_request mark = {.comm = NULL};
    bool any = false;

    mend_list_prepend(&self->active, &mark.link);
    while (mark.link.next != &self->active) {
        struct mend_list *l = mark.link.next;
        struct mend_request *r = mend_list_entry(l, struct mend_request, link);

        mend_list_remove(&mark.link);
        mend_list_prepend(l, &mark.link);
        r->ops->poll(r);
        any |= mark.link.prev != l;
    }
    mend_list_remove(&mark.link);
    return any;
}

#define OTHERS_EVERY                                                                               \
    64u /* polls with a hint between two looks at the transports that do not reach that peer */

static inline bool poll_nets(struct mend_proc *self, mend_peer hint)
{
    const struct mend_net *hinted = hint >= 0 ? mend_net_of(self, hint) : NULL;
    bool any = false;

    if (mend_likely(hinted && hinted->poll && ++self->hinted_n % OTHERS_EVERY))
        return hinted->poll(self, hint) > 0;
    for (const struct mend_net **n = self->nets; *n; n++) {
        any |= (*n)->poll(self, hinted && (*n)->poll == hinted->poll ? hint : MEND_PEER_NONE) > 0;
    }
    return any;
}

bool mend_progress(struct mend_proc *self, mend_peer hint)
{
    bool any;

    if (mend_unlikely(self->in_progress))
        return false;
    self->in_progress = true;
    self->sated = false;
    any = poll_nets(self, hint);
    if (mend_unlikely(self->outbox_n))
        any |= mend_out_flush(self);
    if (mend_unlikely(!mend_list_empty(&self->active)))
        any |= poll_active(self);
    self->in_progress = false;
    return any;
}

/* Reads the next verdicts that were given together; they are published at once.  Returns how many. */
static int read_verdicts(struct mend_proc *self)
{
    uint32_t k = self->deaths_n;
    struct mend_death death;

    while (self->rt->verdict(self, k, &death) &&
           (k == self->deaths_n || death.first == self->deaths[k - 1].first)) {
        if (self->rt->names) /* the dead one may have come after names() was read */
            mend_peers_meet(self, death.peer + 1);
        self->deaths[k++] = death;
    }
    return (int)(k - self->deaths_n);
}

bool mend_interrupt_check(struct mend_proc *self)
{
    int n;

    if (mend_unlikely(self->let_go_n < self->deaths_n) && self->let_go)
        self->let_go(self);
    if (mend_likely(!mend_has_news(self)) || self->in_progress)
        return false;
    self->interrupt_seen = mend_load_acquire(self->interrupt); /* as in mend_has_news() */
    if (self->rt->names)
        mend_peers_meet(self, self->rt->names(self));
    while ((n = read_verdicts(self)) > 0)
        self->on_deaths(self, n);
    if (self->let_go_n < self->deaths_n && self->let_go)
        self->let_go(self);
    if (self->on_interrupt)
        self->on_interrupt(self);
    mend_tell(self, false);
    return true;
}

void mend_look_around(struct mend_proc *self)
{
    if (self->reducing)
        return;
    mend_progress(self, MEND_PEER_NONE);
    mend_interrupt_check(self);
}
