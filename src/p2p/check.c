/* SPDX-License-Identifier: BSD-3-Clause */
/* check.c – the invariants of a communicator's message queues, as match.h numbers them. */
#include "base/check.h"
#include "p2p/internal.h"
#include "p2p/match.h"

/* The next message in order of arrival that comes from the same source. */
static const struct mend_message *next_of_source(const struct mend_space *space,
                                                 const struct mend_message *m)
{
    for (const struct mend_list *l = m->by_arrival.next; l != &space->any_messages; l = l->next) {
        const struct mend_message *later = mend_list_entry(l, struct mend_message, by_arrival);

        if (later->source == m->source)
            return later;
    }
    return NULL;
}

static const char *check_message(struct mend_comm *c, struct mend_space *space,
                                 const struct mend_message *m)
{
    const struct mend_message *later = next_of_source(space, m);
    const struct mend_source *s;

    MEND_HOLDS(m->magic == MEND_MESSAGE_MAGIC && m->comm == c && m->source >= 0 &&
                   m->source < c->peers_n && m->peer == mend_comm_peer(c, m->source),
               "match 2: a message that waits is alive, and its source is a member");
    s = mend_match_source(c, space, m->source);
    MEND_HOLDS(s && m->by_source.next == (later ? &later->by_source : &s->unexpected),
               "match 2: messages of a source wait in the order of arrival");
    return NULL;
}

static const char *check_messages(struct mend_comm *c, struct mend_space *space, size_t *n_p)
{
    MEND_HOLDS_IN(mend_list_check(&space->any_messages));
    mend_list_foreach (l, next, &space->any_messages) {
        MEND_HOLDS_IN(check_message(c, space, mend_list_entry(l, struct mend_message, by_arrival)));
        ++*n_p;
    }
    return NULL;
}

static const char *check_receive(struct mend_comm *c, enum mend_channel channel, int rank,
                                 const struct mend_p2p_request *r)
{
    MEND_HOLDS_IN(mend_request_check(&r->base));
    MEND_HOLDS(mend_request_is_active(&r->base) && !r->is_send && r->stage == MEND_STAGE_ALONE &&
                   r->base.comm == c && r->channel == channel && r->rank == rank,
               "match 3: a posted receive is active, unmatched, and where it belongs");
    MEND_HOLDS(rank == MPI_ANY_SOURCE || (!r->base.pending && !mend_peer_is_dead(c->self, r->peer)),
               "match 6: nothing waits for a dead process");
    MEND_HOLDS(!c->revoked, "match 7: nothing waits on a revoked communicator");
    MEND_HOLDS(!mend_match_find(c, mend_p2p_space(c, channel), r->rank, r->want_tag),
               "match 4: no message waits that a posted receive fits");
    return NULL;
}

/* All that name one rank, or any. */
static const char *check_posted(struct mend_comm *c, enum mend_channel channel, int rank,
                                const struct mend_list *posted)
{
    uint64_t from = 0;

    MEND_HOLDS_IN(mend_list_check(posted));
    mend_list_foreach (l, next, posted) {
        const struct mend_p2p_request *r = mend_list_entry(l, struct mend_p2p_request, queue);

        MEND_HOLDS_IN(check_receive(c, channel, rank, r));
        MEND_HOLDS(r->seq >= from && r->seq < c->match->seq,
                   "match 3: receives are posted in order");
        from = r->seq + 1;
    }
    return NULL;
}

static size_t length(const struct mend_list *head)
{
    size_t n = 0;

    mend_list_foreach (l, next, head)
        n++;
    return n;
}

static const char *check_source(struct mend_comm *c, enum mend_channel channel, int rank,
                                const struct mend_source *s, size_t *n_p)
{
    MEND_HOLDS_IN(mend_list_check(&s->unexpected));
    *n_p += length(&s->unexpected);
    return check_posted(c, channel, rank, &s->posted);
}

static const char *check_space(struct mend_comm *c, enum mend_channel channel)
{
    struct mend_space *space = mend_p2p_space(c, channel);
    size_t by_arrival = 0, by_source = 0;

    MEND_HOLDS_IN(check_messages(c, space, &by_arrival));
    MEND_HOLDS_IN(check_posted(c, channel, MPI_ANY_SOURCE, &space->any_posted));
    for (int rank = 0; rank < c->peers_n; rank++) {
        const struct mend_source *page = space->pages[rank / SOURCES_PER_PAGE];

        if (!page)
            rank |= SOURCES_PER_PAGE - 1;
        else
            MEND_HOLDS_IN(
                check_source(c, channel, rank, &page[rank % SOURCES_PER_PAGE], &by_source));
    }
    MEND_HOLDS(by_arrival == by_source, "match 2: a message waits in both queues or in neither");
    return NULL;
}

static const char *check_transfer(struct mend_comm *c, const struct mend_p2p_request *r)
{
    const struct mend_proc *self = c->self;

    MEND_HOLDS_IN(mend_request_check(&r->base));
    MEND_HOLDS(mend_request_is_active(&r->base) && r->base.comm == c &&
                   (r->is_send || r->stage >= MEND_STAGE_MATCHED),
               "match 5: a transfer is active, and a receive among them has its message");
    MEND_HOLDS(!r->id || mend_hash_get(&self->p2p->large, r->id) == r,
               "match 5: the name of a transfer leads to it");
    MEND_HOLDS(!mend_peer_is_dead(self, r->peer), "match 6: nothing waits for a dead process");
    MEND_HOLDS(!c->revoked || r->over, "match 7: nothing waits on a revoked communicator");
    return NULL;
}

const char *mend_match_check(const struct mend_comm *const_c)
{
    struct mend_comm *c = (struct mend_comm *)const_c; /* searches take one that they may change */

    MEND_HOLDS(c->match, "match 1: a communicator has queues");
    MEND_HOLDS_IN(check_space(c, MEND_CHANNEL_P2P));
    MEND_HOLDS_IN(check_space(c, MEND_CHANNEL_COLL));
    MEND_HOLDS_IN(mend_list_check(&c->match->transfers));
    mend_list_foreach (l, next, &c->match->transfers)
        MEND_HOLDS_IN(check_transfer(c, mend_list_entry(l, struct mend_p2p_request, queue)));
    return NULL;
}
