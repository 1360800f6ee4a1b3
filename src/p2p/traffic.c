/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic.c – what tools ask about messages (tool/). */
#include "p2p/internal.h"

#include "p2p/match.h"

struct mend_p2p_traffic mend_p2p_traffic(const struct mend_proc *self, enum mend_channel channel)
{
    return self->p2p ? self->p2p->traffic[channel] : (struct mend_p2p_traffic){0};
}

uint64_t mend_p2p_unexpected(const struct mend_proc *self)
{
    return self->p2p ? self->p2p->kept_n : 0;
}

uint64_t mend_p2p_take_unexpected_peak(struct mend_proc *self)
{
    uint64_t peak = self->p2p ? self->p2p->kept_peak : 0;

    if (self->p2p)
        self->p2p->kept_peak = self->p2p->kept_n;
    return peak;
}

static uint64_t length(const struct mend_list *list)
{
    uint64_t n = 0;

    for (const struct mend_list *l = list->next; l != list; l = l->next)
        n++;
    return n;
}

uint64_t mend_p2p_unexpected_on(const struct mend_comm *c)
{
    return length(&c->match->space[MEND_CHANNEL_P2P].any_messages) +
           length(&c->match->space[MEND_CHANNEL_COLL].any_messages);
}

static uint64_t posted_in(const struct mend_comm *c, const struct mend_space *space)
{
    uint64_t n = length(&space->any_posted);

    for (int rank = 0; rank < c->peers_n; rank++)
        if (space->pages[rank / SOURCES_PER_PAGE])
            n += length(&space->pages[rank / SOURCES_PER_PAGE][rank % SOURCES_PER_PAGE].posted);
    return n;
}

uint64_t mend_p2p_posted_on(const struct mend_comm *c)
{
    return posted_in(c, &c->match->space[MEND_CHANNEL_P2P]) +
           posted_in(c, &c->match->space[MEND_CHANNEL_COLL]);
}
