/* SPDX-License-Identifier: BSD-3-Clause */
/* A send and a receive as one operation, of a process with itself and with a dead one (sendrecv.c).
 *
 *   R11: a sendrecv with a wildcard source fails and leaves no receive pending
 *   S0-20: a wildcard receive without a match stays pending */
#include "comm/objects.h"
#include "datatype/init.h"
#include "p2p/internal.h"

#include "base/test.h"

static struct mend_proc *self;
static struct mend_comm *c;
static mend_atomic_u32 interrupt;

static const struct mend_comm_hooks hooks = {
    .attach = {mend_match_create},
    .detach = {mend_match_destroy},
    .check = {mend_match_check},
};

/* The members are this process and one that is dead. */
static void begin(void)
{
    self = mend_proc_create_bare();
    self->me = 0;
    self->interrupt = &interrupt;
    self->comm_hooks = &hooks;
    CHECK(mend_peers_add(self, 2));
    mend_net_connect(self, 0, &mend_net_self);
    mend_net_connect(self, 1, &mend_net_self);
    CHECK(!mend_objects_init(self) && !mend_type_init(self) && !mend_p2p_init(self));
    c = mend_comm_create(self, mend_group_create_range(self, 0, 1, 2), NULL, MEND_CTX_WORLD, NULL);
    self->deaths = mend_zalloc(self, 1, sizeof(*self->deaths));
    self->deaths[self->deaths_n++].peer = 1;
    mend_peer_entry(self, 1)->fate = MEND_PEER_DEAD;
    mend_comm_on_deaths(self, self->deaths, 1);
}

/* More than anything here takes. */
static void go_on(void)
{
    for (int i = 0; i < 10; i++)
        mend_progress(self, MEND_PEER_NONE);
}

static struct mend_p2p_side side(const void *buf, int n, int rank, int tag)
{
    return (struct mend_p2p_side){buf, n, mend_type_predefined((uintptr_t)MPI_INT), rank, tag};
}

static struct mend_request *isendrecv(struct mend_p2p_side out, struct mend_p2p_side in,
                                      bool replace)
{
    struct mend_request *r = NULL;

    CHECK_EQ(mend_p2p_isendrecv(c, &out, &in, replace, &r), MPI_SUCCESS);
    go_on();
    CHECK(!mend_comm_check(c));
    return r;
}

MEND_TEST(both_halves_are_carried_out)
{
    int given[2] = {4, 5}, got[2] = {0};
    struct mend_p2p_side out = side(given, 2, 0, 7), in = side(got, 2, 0, 7);
    MPI_Status status;

    begin();
    CHECK_EQ(mend_p2p_sendrecv(c, &out, &in, false, &status), MPI_SUCCESS);
    CHECK_EQ(got[0], 4);
    CHECK_EQ(got[1], 5);
    CHECK_EQ(status.MPI_TAG, 7);
    CHECK(mend_p2p_idle(c) && !mend_comm_check(c));
}

/* Two exchanges with each other, each in one buffer. */
MEND_TEST(replace_sends_what_the_buffer_held_before)
{
    int a[400], b[400];
    struct mend_request *first, *second;

    begin();
    for (int i = 0; i < 400; i++) {
        a[i] = i;
        b[i] = -i;
    }
    first = isendrecv(side(a, 400, 0, 7), side(a, 400, 0, 8), true);
    second = isendrecv(side(b, 400, 0, 8), side(b, 400, 0, 7), true);
    go_on();
    CHECK(mend_request_is_done(first) && mend_request_is_done(second));
    for (int i = 0; i < 400; i++) {
        CHECK_EQ(a[i], -i);
        CHECK_EQ(b[i], i);
    }
}

static void receive(int tag, int expected)
{
    int got = 0;

    CHECK_EQ(mend_p2p_recv(c, &got, 1, mend_type_predefined((uintptr_t)MPI_INT), 0, tag,
                           MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(got, expected);
    go_on();
}

MEND_TEST(a_pair_is_done_when_both_halves_are)
{
    int given = 4, got = 0, tag = 9;
    struct mend_request *r;

    begin();
    r = isendrecv(side(&given, 1, 0, 8), side(&got, 1, 0, 9), false);
    CHECK(!mend_request_is_done(r));
    CHECK_EQ(mend_p2p_send(c, MEND_SEND_STANDARD, &tag, 1, mend_type_predefined((uintptr_t)MPI_INT),
                           0, 9),
             MPI_SUCCESS);
    go_on();
    CHECK_EQ(got, 9);
    CHECK(!mend_request_is_done(r)); /* what it sends to itself waits for a receive */
    receive(8, 4);
    CHECK(mend_request_is_done(r));
    CHECK_EQ(r->error, MPI_SUCCESS);
    CHECK_EQ(r->tag, 9);
}

/* The half with the dead process fails alone: the other one goes on to its end. */
MEND_TEST(a_death_ends_one_half)
{
    int given = 4, got = 0;
    struct mend_request *r;

    begin();
    r = isendrecv(side(&given, 1, 0, 8), side(&got, 1, 1, 8), false);
    CHECK(!mend_request_is_done(r));
    receive(8, 4);
    CHECK(mend_request_is_done(r));
    CHECK_EQ(r->error, MEND_CLASS_PROC_FAILED);
}

/* A nonblocking wildcard stays pending (S0-20); a blocking one ends (R11). */
MEND_TEST(a_wildcard_may_never_match)
{
    int given = 4, got = 0;
    struct mend_p2p_side out = side(&given, 1, MPI_PROC_NULL, 0),
                         in = side(&got, 1, MPI_ANY_SOURCE, 8);
    struct mend_request *r;

    begin();
    r = isendrecv(out, in, false);
    CHECK(!mend_request_is_done(r));
    mend_p2p_on_deaths(self, self->deaths, 1);
    go_on();
    CHECK_EQ(r->pending, MPI_ERR_PENDING);
    CHECK_EQ(mend_p2p_sendrecv(c, &out, &in, false, MPI_STATUS_IGNORE), MEND_CLASS_PROC_FAILED);
}

MEND_TEST_MAIN()
