/* SPDX-License-Identifier: BSD-3-Clause */
/* news.c – see news.h. */
#include "proc/news.h"

#include "rt/rt.h"

#define MARK UINT64_MAX /* no paper has it */

static bool is_told_by_agents(const struct mend_proc *self, mend_peer p)
{
    return self->rt->ask && mend_peer_entry(self, p)->where.kind == MEND_WHERE_NODE;
}

bool mend_news_of(struct mend_proc *self, mend_peer p, uint64_t since)
{
    if (mend_peer_is_dead(self, p) || !is_told_by_agents(self, p) || self->news_told > since)
        return true;
    if (self->news_asked == since)
        self->rt->ask(self, MARK, ++self->news_asked, 1);
    return false;
}

/* What is read behind the answer counts. */
enum mend_presence mend_presence_since(struct mend_proc *self, mend_peer p, uint64_t since)
{
    enum mend_presence seen = mend_presence_of(self, p);

    if (seen < MEND_PRESENCE_LEAVING)
        return seen;
    return mend_news_of(self, p, since) ? mend_presence_of(self, p) : MEND_PRESENCE_IN_MPI;
}

bool mend_has_left_since(struct mend_proc *self, mend_peer p, uint64_t since)
{
    return mend_presence_of(self, p) == MEND_PRESENCE_LEFT &&
           mend_presence_since(self, p, since) == MEND_PRESENCE_LEFT;
}

bool mend_is_outside_since(struct mend_proc *self, mend_peer p, uint64_t since)
{
    return mend_is_outside(self, p) && mend_news_of(self, p, since) && mend_is_outside(self, p);
}

bool mend_is_leaving_since(struct mend_proc *self, mend_peer p, uint64_t since)
{
    enum mend_presence seen = mend_presence_of(self, p);

    if (seen == MEND_PRESENCE_AWAY)
        seen = mend_presence_since(self, p, since);
    return seen >= MEND_PRESENCE_LEAVING;
}

bool mend_news_hear(struct mend_proc *self, const struct mend_rt_told *told)
{
    if (told->mark != MARK)
        return false;
    if (self->news_told < told->seq)
        self->news_told = told->seq;
    self->rt->decided(self, told->mark, told->seq);
    return true;
}
