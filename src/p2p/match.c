/* SPDX-License-Identifier: BSD-3-Clause */
/* match.c – which message matches which receive.
 *
 *   space --> page --> source: posted     (receives that name it)
 *         |                    unexpected (its messages)
 *         +-> any_posted   (wildcard receives)       one number line orders all receives
 *         +-> any_messages (all unexpected messages) one arrival order for wildcards
 *
 * Rules (MPI-5.0 3.5, non-overtaking); the invariants of the queues are in match.h:
 *   1  an arriving message goes to the matching receive of lowest number;
 *   2  a new receive takes the matching message that arrived first.
 * Named receives cost O(1) plus the tags they pass over; a source costs memory on first use only. */
#include "p2p/match.h"

#include "p2p/internal.h"

#include <string.h>

int mend_match_create(struct mend_comm *c)
{
    struct mend_proc *self = c->self;
    struct mend_match *m = mend_zalloc(self, 1, sizeof(*m));
    size_t pages = ((size_t)c->peers_n + SOURCES_PER_PAGE - 1) / SOURCES_PER_PAGE;

    if (!m)
        return MPI_ERR_NO_MEM;
    c->match = m;
    mend_list_init(&m->transfers);
    for (int i = 0; i < 2; i++) {
        mend_list_init(&m->space[i].any_posted);
        mend_list_init(&m->space[i].any_messages);
        m->space[i].pages = mend_zalloc(self, pages, sizeof(void *));
    }
    return m->space[0].pages && m->space[1].pages ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

void mend_match_destroy(struct mend_comm *c)
{
    struct mend_proc *self = c->self;
    size_t pages = ((size_t)c->peers_n + SOURCES_PER_PAGE - 1) / SOURCES_PER_PAGE;

    if (!c->match)
        return;
    for (int i = 0; i < 2; i++) {
        struct mend_space *space = &c->match->space[i];

        while (!mend_list_empty(&space->any_messages)) {
            struct mend_message *m =
                mend_list_entry(space->any_messages.next, struct mend_message, by_arrival);

            mend_match_take(m);
            mend_message_free(self, m);
        }
        for (size_t p = 0; space->pages && p < pages; p++)
            mend_free(self, space->pages[p]);
        mend_free(self, space->pages);
    }
    mend_free(self, c->match);
    c->match = NULL;
    mend_free(self, c->buffer); /* messages in it would keep the communicator */
    c->buffer = NULL;
    if (self->p2p->last_comm == c)
        self->p2p->last_comm = NULL;
}

static bool space_is_idle(struct mend_comm *c, struct mend_space *space)
{
    if (!mend_list_empty(&space->any_posted))
        return false;
    for (int page = 0; page * SOURCES_PER_PAGE < c->peers_n; page++)
        for (int i = 0; space->pages[page] && i < SOURCES_PER_PAGE; i++)
            if (!mend_list_empty(&space->pages[page][i].posted))
                return false;
    return true;
}

bool mend_p2p_idle(struct mend_comm *c)
{
    mend_list_foreach (l, next, &c->self->active)
        if (mend_list_entry(l, struct mend_request, link)->comm == c)
            return false;
    return mend_list_empty(&c->match->transfers) && space_is_idle(c, &c->match->space[0]) &&
           space_is_idle(c, &c->match->space[1]);
}

struct mend_source *mend_match_make_page(struct mend_comm *c, struct mend_space *space, int rank)
{
    struct mend_source *page;

    mend_memory_press(c->self); /* messages come, whether there is memory or not */
    page = mend_zalloc(c->self, SOURCES_PER_PAGE, sizeof(*page));
    mend_memory_relax(c->self);
    for (int i = 0; i < SOURCES_PER_PAGE; i++) {
        mend_list_init(&page[i].posted);
        mend_list_init(&page[i].unexpected);
    }
    space->pages[rank / SOURCES_PER_PAGE] = page;
    return &page[rank % SOURCES_PER_PAGE];
}

static inline bool tag_fits(int want, int tag)
{
    return want == tag || want == MPI_ANY_TAG;
}

/* A wildcard does not see an RTS whose sender died (its data will never come), nor, since messages do
 * not overtake, what the same sender had sent behind it. */
static bool is_lost(struct mend_comm *c, struct mend_space *space, struct mend_message *m, int tag)
{
    struct mend_source *s;

    if (mend_likely(!mend_peer_is_dead(c->self, m->peer)))
        return false;
    s = mend_match_source(c, space, m->source);
    mend_list_foreach (l, next, &s->unexpected) {
        struct mend_message *earlier = mend_list_entry(l, struct mend_message, by_source);

        if (earlier->broken && tag_fits(tag, earlier->tag))
            return true;
        if (earlier == m)
            break;
    }
    return false;
}

struct mend_message *mend_match_find(struct mend_comm *c, struct mend_space *space, int source,
                                     int tag)
{
    struct mend_source *s;

    if (source == MPI_ANY_SOURCE) {
        mend_list_foreach (l, next, &space->any_messages) {
            struct mend_message *m = mend_list_entry(l, struct mend_message, by_arrival);

            if (tag_fits(tag, m->tag) && !is_lost(c, space, m, tag))
                return m;
        }
        return NULL;
    }
    s = mend_match_source(c, space, source);
    if (!s)
        return NULL;
    mend_list_foreach (l, next, &s->unexpected) {
        struct mend_message *m = mend_list_entry(l, struct mend_message, by_source);

        if (tag_fits(tag, m->tag))
            return m;
    }
    return NULL;
}

void mend_match_take(struct mend_message *m)
{
    mend_list_remove(&m->by_source);
    mend_list_remove(&m->by_arrival);
    m->comm->self->p2p->kept_n--;
}

/* What it counts for in credit.c. */
static size_t kept_bytes(const struct mend_message *m)
{
    return sizeof(*m) + (size_t)m->bytes;
}

void mend_message_free(struct mend_proc *self, struct mend_message *m)
{
    m->magic = 0;
    if (mend_unlikely(m->lost) && mend_credit_give_back(self, m))
        return;
    if (m->kind == MEND_FRAME_EAGER && m->peer != self->me)
        mend_credit_let_go(self, m->peer, kept_bytes(m));
    mend_free(self, m);
}

void mend_match_post(struct mend_p2p_request *r)
{
    struct mend_comm *c = r->base.comm;
    struct mend_space *space = mend_p2p_space(c, r->channel);

    r->seq = c->match->seq++;
    if (r->rank == MPI_ANY_SOURCE)
        mend_list_append(&space->any_posted, &r->queue);
    else
        mend_list_append(&mend_match_source(c, space, r->rank)->posted, &r->queue);
}

static struct mend_p2p_request *first_fit(struct mend_list *posted, int tag)
{
    mend_list_foreach (l, next, posted) {
        struct mend_p2p_request *r = mend_list_entry(l, struct mend_p2p_request, queue);

        if (tag_fits(r->want_tag, tag))
            return r;
    }
    return NULL;
}

struct mend_p2p_request *mend_match_arrived_slow(struct mend_comm *c, struct mend_space *space,
                                                 int source, int tag)
{
    struct mend_source *s = mend_match_source(c, space, source);
    struct mend_p2p_request *named = s ? first_fit(&s->posted, tag) : NULL, *any;

    if (mend_unlikely(!mend_list_empty(&space->any_posted))) {
        any = first_fit(&space->any_posted, tag);
        if (any && (!named || any->seq < named->seq))
            named = any;
    }
    if (named)
        mend_list_remove(&named->queue);
    return named;
}

static void enqueue(struct mend_space *space, struct mend_source *s, struct mend_message *m)
{
    struct mend_p2p *p = m->comm->self->p2p;

    if (++p->kept_n > p->kept_peak)
        p->kept_peak = p->kept_n;
    mend_list_append(&s->unexpected, &m->by_source);
    mend_list_append(&space->any_messages, &m->by_arrival);
}

struct mend_message *mend_match_keep(struct mend_comm *c, struct mend_space *space,
                                     enum mend_frame_kind kind, mend_peer peer, int source, int tag,
                                     const void *payload, size_t len)
{
    struct mend_source *s = mend_match_source(c, space, source);
    struct mend_message *m = s ? mend_alloc(c->self, sizeof(*m) + len) : NULL;

    if (mend_unlikely(!m))
        return NULL;
    *m = (struct mend_message){.magic = MEND_MESSAGE_MAGIC,
                               .comm = c,
                               .kind = kind,
                               .peer = peer,
                               .source = source,
                               .tag = tag,
                               .bytes = (MPI_Count)len};
    if (payload && len)
        memcpy(m->payload, payload, len);
    enqueue(space, s, m);
    return m;
}

/* In a collective others wait for what this process makes of it.  Those of the program's own are kept as
 * long as that leaves enough for the others; in any case their sender is told to hold. */
static struct mend_message *keep_in_reserve(struct mend_comm *c, struct mend_space *space,
                                            mend_peer peer, int source, int tag,
                                            const void *payload, size_t len)
{
    struct mend_message *m;

    if (space == mend_p2p_space(c, MEND_CHANNEL_P2P) && mend_arena_is_low(c->self->arena))
        return NULL;
    mend_memory_press(c->self);
    m = mend_match_keep(c, space, MEND_FRAME_EAGER, peer, source, tag, payload, len);
    mend_memory_relax(c->self);
    mend_credit_hold(c->self, peer);
    return m;
}

/* The receive that it matches must end.  When no record is left, one comes from the reserve, and counts as kept. */
static void keep_lost(struct mend_comm *c, struct mend_space *space, mend_peer peer, int source,
                      int tag, size_t len)
{
    struct mend_message *m = mend_credit_take_record(c->self, peer);
    bool set_aside = m != NULL;
    struct mend_source *s;

    mend_memory_press(c->self);
    s = mend_match_source(c, space, source);
    if (!m)
        m = mend_alloc(c->self, sizeof(*m));
    mend_memory_relax(c->self);
    *m = (struct mend_message){.magic = MEND_MESSAGE_MAGIC,
                               .comm = c,
                               .kind = MEND_FRAME_EAGER,
                               .lost = true,
                               .peer = peer,
                               .source = source,
                               .tag = tag,
                               .bytes = (MPI_Count)len};
    enqueue(space, s, m);
    if (!set_aside)
        mend_credit_kept(c->self, peer, kept_bytes(m));
}

void mend_match_keep_eager(struct mend_comm *c, struct mend_space *space, mend_peer peer,
                           int source, int tag, const void *payload, size_t len)
{
    struct mend_message *m =
        mend_match_keep(c, space, MEND_FRAME_EAGER, peer, source, tag, payload, len);

    if (mend_unlikely(!m))
        m = keep_in_reserve(c, space, peer, source, tag, payload, len);
    if (mend_likely(m != NULL))
        mend_credit_kept(c->self, peer, kept_bytes(m));
    else
        keep_lost(c, space, peer, source, tag, len);
}

void mend_match_keep_declined(struct mend_comm *c, struct mend_space *space, mend_peer peer,
                              int source, int tag)
{
    struct mend_message *m;

    mend_memory_press(c->self); /* its receive must end */
    m = mend_match_keep(c, space, MEND_FRAME_EAGER, peer, source, tag, NULL, 0);
    mend_memory_relax(c->self);
    m->lost = true;
    mend_credit_kept(c->self, peer, kept_bytes(m));
}

/* Deaths outside the group are skipped for good: acknowledging them means nothing here. */
bool mend_match_unacked(struct mend_comm *c)
{
    struct mend_proc *self = c->self;

    while (c->acked_deaths_n < self->deaths_n) {
        mend_peer dead = self->deaths[c->acked_deaths_n].peer;

        if (mend_group_rank(self, c->remote, dead) != MPI_UNDEFINED)
            return true;
        if (c->inter && mend_group_rank(self, c->group, dead) != MPI_UNDEFINED)
            break; /* R6: to be acknowledged, but no wildcard looks at the local group (S0-9) */
        c->acked_deaths_n++;
    }
    for (uint32_t i = c->acked_deaths_n; i < self->deaths_n; i++)
        if (mend_group_rank(self, c->remote, self->deaths[i].peer) != MPI_UNDEFINED)
            return true;
    return false;
}

void mend_match_source_failed(struct mend_comm *c, struct mend_space *space, int rank)
{
    struct mend_source *s = mend_match_source(c, space, rank);

    if (!s)
        return;
    while (!mend_list_empty(&s->unexpected)) {
        struct mend_message *m =
            mend_list_entry(s->unexpected.next, struct mend_message, by_source);

        mend_match_take(m);
        mend_message_free(c->self, m);
    }
}
