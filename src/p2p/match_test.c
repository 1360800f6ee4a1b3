/* SPDX-License-Identifier: BSD-3-Clause */
/* Which message meets which receive (match.c); and each invariant of the queues is found when it is broken
 * (match.h). */
#include "p2p/internal.h"

#include "base/test.h"
#include "p2p/match.h"

#define RECEIVES 4

static struct mend_proc *self;
static struct mend_comm *c;
static struct mend_space *space;
static struct mend_p2p p2p;
static struct mend_p2p_request receives[RECEIVES];

static const struct mend_comm_hooks hooks = {
    .attach = {mend_match_create},
    .detach = {mend_match_destroy},
    .check = {mend_match_check},
};

static void begin(void)
{
    self = mend_proc_create_bare();
    self->me = 1;
    CHECK(mend_peers_add(self, 4));
    self->comm_hooks = &hooks;
    self->p2p = &p2p;
    mend_hash_init(&p2p.large, self->arena);
    c = mend_comm_create(self, mend_group_create_range(self, 0, 1, 4), NULL, MEND_CTX_WORLD, NULL);
    CHECK(c && !mend_comm_check(c));
    space = mend_p2p_space(c, MEND_CHANNEL_P2P);
}

static struct mend_p2p_request *post(int i, int rank, int tag)
{
    struct mend_p2p_request *r = &receives[i];

    *r = (struct mend_p2p_request){.rank = rank, .want_tag = tag};
    mend_request_init(&r->base, &mend_recv_ops, c);
    mend_request_begin(&r->base);
    r->peer = rank == MPI_ANY_SOURCE ? MEND_PEER_NONE : rank;
    mend_match_post(r);
    return r;
}

/* A small message of a rank arrives; returns the receive that it meets. */
static struct mend_p2p_request *arrive(int source, int tag)
{
    struct mend_p2p_request *r = mend_match_arrived(c, space, source, tag);

    if (!r)
        CHECK(mend_match_keep(c, space, MEND_FRAME_EAGER, source, source, tag, &tag, sizeof(tag)));
    return r;
}

static int take(int source, int tag)
{
    struct mend_message *m = mend_match_find(c, space, source, tag);

    if (!m)
        return -1;
    mend_match_take(m);
    return m->source * 100 + m->tag;
}

MEND_TEST(a_message_meets_the_receive_that_was_posted_first)
{
    struct mend_p2p_request *any, *named, *other;

    begin();
    any = post(0, MPI_ANY_SOURCE, 5);
    named = post(1, 2, MPI_ANY_TAG);
    other = post(2, 3, 5);
    CHECK(!mend_comm_check(c));
    CHECK(arrive(2, 5) == any);
    CHECK(arrive(2, 5) == named);
    CHECK(arrive(2, 5) == NULL);
    CHECK(arrive(3, 6) == NULL);
    CHECK(arrive(3, 5) == other);
    CHECK(!mend_comm_check(c));
}

MEND_TEST(a_receive_meets_the_message_that_arrived_first)
{
    begin();
    arrive(3, 1);
    arrive(2, 2);
    arrive(3, 2);
    arrive(2, 1);
    CHECK(!mend_comm_check(c));
    CHECK_EQ(take(0, MPI_ANY_TAG), -1);
    CHECK_EQ(take(MPI_ANY_SOURCE, 2), 202);
    CHECK_EQ(take(3, MPI_ANY_TAG), 301);
    CHECK_EQ(take(MPI_ANY_SOURCE, MPI_ANY_TAG), 302);
    CHECK_EQ(take(2, 1), 201);
    CHECK_EQ(take(MPI_ANY_SOURCE, MPI_ANY_TAG), -1);
    CHECK(!mend_comm_check(c));
}

static bool says(const char *text)
{
    const char *broken = mend_comm_check(c);

    return broken && !strcmp(broken, text);
}

#define BREAKS(place_, value_, says_) MEND_TEST_BREAKS(mend_comm_check(c), place_, value_, says_)

MEND_TEST(broken_queues_of_messages)
{
    struct mend_message *m;
    struct mend_list *second;

    begin();
    BREAKS(c->match, NULL, "match 1: a communicator has queues");
    arrive(3, 1);
    arrive(3, 2);
    m = mend_match_find(c, space, 3, 1);
    second = m->by_source.next;
    BREAKS(m->magic, 0, "match 2: a message that waits is alive, and its source is a member");
    BREAKS(m->source, 4, "match 2: a message that waits is alive, and its source is a member");
    BREAKS(m->peer, 2, "match 2: a message that waits is alive, and its source is a member");
    BREAKS(second->prev, second, "list: an element's neighbours know it");
    BREAKS(m->by_arrival.prev, NULL, "list: an element's neighbours know it");
    mend_list_remove(&m->by_source);
    mend_list_prepend(second, &m->by_source); /* behind the second one */
    CHECK(says("match 2: messages of a source wait in the order of arrival"));
    mend_list_remove(&m->by_source);
    mend_list_prepend(second->prev, &m->by_source);
    CHECK(!mend_comm_check(c));
    mend_list_remove(&m->by_arrival);
    CHECK(says("match 2: a message waits in both queues or in neither"));
}

MEND_TEST(broken_receives)
{
    struct mend_p2p_request *r;

    begin();
    r = post(0, 2, 7);
    post(1, 2, 8);
    BREAKS(r->base.state, MEND_REQUEST_INACTIVE,
           "match 3: a posted receive is active, unmatched, and where it belongs");
    BREAKS(r->stage, MEND_STAGE_MATCHED,
           "match 3: a posted receive is active, unmatched, and where it belongs");
    BREAKS(r->rank, 3, "match 3: a posted receive is active, unmatched, and where it belongs");
    BREAKS(r->channel, MEND_CHANNEL_COLL,
           "match 3: a posted receive is active, unmatched, and where it belongs");
    BREAKS(r->base.magic, 0, "request 3: it is alive");
    BREAKS(r->seq, 1, "match 3: receives are posted in order");
    BREAKS(c->match->seq, 1, "match 3: receives are posted in order");
    BREAKS(r->base.pending, MPI_ERR_PENDING, "match 6: nothing waits for a dead process");
    BREAKS(mend_peer_entry(self, 2)->fate, MEND_PEER_DEAD,
           "match 6: nothing waits for a dead process");
    BREAKS(*(bool *)&c->revoked, true, "match 7: nothing waits on a revoked communicator");
    arrive(2, 9);
    BREAKS(r->want_tag, 9, "match 4: no message waits that a posted receive fits");
    r = post(2, MPI_ANY_SOURCE, 7);
    BREAKS(r->want_tag, MPI_ANY_TAG, "match 4: no message waits that a posted receive fits");
    r->base.pending = MPI_ERR_PENDING;
    CHECK(!mend_comm_check(c));
}

MEND_TEST(broken_transfers)
{
    struct mend_p2p_request *r = &receives[0];

    begin();
    *r = (struct mend_p2p_request){.is_send = true, .id = 5, .peer = 3};
    mend_request_init(&r->base, &mend_send_ops, c);
    mend_request_begin(&r->base);
    mend_transfer_add(r);
    CHECK(says("match 5: the name of a transfer leads to it"));
    CHECK_EQ(mend_hash_put(&p2p.large, 5, r), MEND_OK);
    CHECK(!mend_comm_check(c));
    BREAKS(r->base.state, MEND_REQUEST_INACTIVE,
           "match 5: a transfer is active, and a receive among them has its message");
    BREAKS(r->is_send, false,
           "match 5: a transfer is active, and a receive among them has its message");
    BREAKS(mend_peer_entry(self, 3)->fate, MEND_PEER_DEAD,
           "match 6: nothing waits for a dead process");
    BREAKS(*(bool *)&c->revoked, true, "match 7: nothing waits on a revoked communicator");
}

/* 0 is not a name, and a name is given again only when its message is over. */
MEND_TEST(names_come_round)
{
    struct mend_p2p_request *r = &receives[0];

    begin();
    p2p.last_name = UINT32_MAX - 2;
    CHECK_EQ(mend_p2p_name(&p2p, r), UINT32_MAX - 1);
    CHECK_EQ(mend_p2p_name(&p2p, r), UINT32_MAX);
    CHECK_EQ(mend_p2p_name(&p2p, r), 1);
    p2p.last_name = UINT32_MAX - 2;
    mend_hash_remove(&p2p.large, UINT32_MAX);
    CHECK_EQ(mend_p2p_name(&p2p, r), UINT32_MAX);
    CHECK_EQ(mend_p2p_name(&p2p, r), 2);
}

MEND_TEST_MAIN()
