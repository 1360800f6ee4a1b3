/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames that find no room leave in order as soon as there is some; those of a communicator that does not exist
 * yet come when it does, in order, and those of one that is gone never, unless they are questions; nothing is kept for the
 * dead. */
#include "proc/post.h"

#include "base/test.h"

#define PEERS 4

/* A transport with room for so many frames, which notes what leaves, and a handler that notes what comes. */
static struct mend_proc *self;
static int room[PEERS];
static bool gone[PEERS];
static char sent[256], came[256];

static enum mend_status send_some(struct mend_proc *p, mend_peer to, const struct mend_frame *f,
                                  const void *payload)
{
    size_t n = strlen(sent);

    if (gone[to])
        return MEND_ERR_PEER;
    if (room[to] == 0)
        return MEND_AGAIN;
    room[to]--;
    snprintf(sent + n, sizeof(sent) - n, "%d:%d%.*s ", (int)to, f->tag, (int)mend_frame_len(f),
             (const char *)payload);
    return MEND_OK;
}

static const struct mend_net net = {.send = send_some};

static void on_frame(struct mend_proc *p, mend_peer from, const struct mend_frame *f,
                     const void *payload)
{
    size_t n = strlen(came);

    snprintf(came + n, sizeof(came) - n, "%d:%d%.*s ", (int)from, f->tag, (int)mend_frame_len(f),
             (const char *)payload);
}

static size_t held_bytes;

static void begin(void)
{
    self = mend_proc_create_bare();
    self->me = 0;
    CHECK(mend_peers_add(self, PEERS));
    for (mend_peer p = 0; p < PEERS; p++)
        mend_net_connect(self, p, &net);
    self->on_frame[MEND_FRAME_EAGER] = on_frame;
    memset(room, 0, sizeof(room));
    memset(gone, 0, sizeof(gone));
    sent[0] = came[0] = 0;
    held_bytes = self->arena->in_use_bytes;
}

static void end(void)
{
    mend_proc_destroy(self);
}

static void post(mend_peer to, int number, const char *text)
{
    struct mend_frame f =
        mend_frame_make(MEND_FRAME_EAGER, MEND_CTX_WORLD, number, 0, (uint32_t)strlen(text));

    mend_post(self, to, &f, text);
}

MEND_TEST(with_room_a_frame_goes_at_once)
{
    begin();
    room[1] = 1;
    post(1, 7, "a");
    CHECK_STR(sent, "1:7a ");
    CHECK_EQ(self->outbox_n, 0);
    CHECK(!mend_out_flush(self));
    CHECK_EQ(self->arena->in_use_bytes, held_bytes);
    end();
}

MEND_TEST(without_room_frames_wait_in_order)
{
    char text[] = "b";

    begin();
    post(1, 1, "a");
    post(1, 2, text);
    text[0] = 'x'; /* it was copied */
    CHECK(!mend_out_flush(self));
    room[1] = 1;
    post(1, 3, "c"); /* there is room, and it does not overtake */
    CHECK_STR(sent, "");
    CHECK_EQ(self->outbox_n, 3);
    CHECK(mend_out_flush(self));
    CHECK_STR(sent, "1:1a ");
    room[1] = 5;
    CHECK(mend_out_flush(self));
    CHECK_STR(sent, "1:1a 1:2b 1:3c ");
    CHECK_EQ(self->outbox_n, 0);
    post(1, 4, "");
    CHECK_STR(sent, "1:1a 1:2b 1:3c 1:4 ");
    end();
}

MEND_TEST(one_full_peer_does_not_hold_up_the_others)
{
    begin();
    post(1, 1, "a");
    post(2, 1, "b");
    room[2] = room[3] = 5;
    post(3, 1, "c");
    CHECK_STR(sent, "3:1c ");
    CHECK(mend_out_flush(self));
    CHECK_STR(sent, "3:1c 2:1b ");
    CHECK_EQ(self->outbox_n, 1);
    CHECK(mend_out_empty(self, 2) && !mend_out_empty(self, 1));
    end();
}

MEND_TEST(nothing_is_kept_for_the_dead)
{
    size_t first;

    begin();
    post(1, 1, "a"); /* makes the queues */
    mend_out_drop_all(self, 1);
    first = self->arena->in_use_bytes;
    post(1, 2, "a");
    post(2, 1, "b");
    post(1, 3, "c");
    mend_peer_entry(self, 1)->fate = MEND_PEER_DEAD;
    mend_out_drop_all(self, 1);
    CHECK_EQ(self->outbox_n, 1);
    post(1, 4, "d");
    room[1] = room[2] = 5;
    CHECK(mend_out_flush(self));
    CHECK_STR(sent, "2:1b ");
    CHECK_EQ(self->arena->in_use_bytes, first);
    end();
}

MEND_TEST(a_transport_that_has_lost_the_peer_takes_frames_away)
{
    begin();
    post(1, 1, "a");
    gone[1] = true;
    CHECK(mend_out_flush(self));
    CHECK_EQ(self->outbox_n, 0);
    post(1, 2, "b");
    CHECK_EQ(self->outbox_n, 0);
    CHECK_STR(sent, "");
    end();
}

static void park(mend_peer from, uint64_t counter, enum mend_channel channel, int number,
                 const char *text)
{
    struct mend_frame f = mend_frame_make(MEND_FRAME_EAGER, MEND_CTX_MAKE(2, counter) | channel,
                                          number, 0, (uint32_t)strlen(text));

    mend_park(self, from, &f, text);
}

MEND_TEST(frames_that_are_early_come_with_their_context)
{
    begin();
    park(1, 20, MEND_CHANNEL_P2P, 1, "a");
    park(2, 21, MEND_CHANNEL_P2P, 1, "b");
    park(3, 20, MEND_CHANNEL_FT, 2, "c");
    park(1, 20, MEND_CHANNEL_COLL, 3, "");
    CHECK_STR(came, "");
    mend_unpark(self, MEND_CTX_MAKE(2, 20));
    CHECK_STR(came, "1:1a 3:2c 1:3 ");
    mend_unpark(self, MEND_CTX_MAKE(2, 20));
    CHECK_STR(came, "1:1a 3:2c 1:3 ");
    mend_unpark(self, MEND_CTX_MAKE(2, 21));
    CHECK_STR(came, "1:1a 3:2c 1:3 2:1b ");
    CHECK_EQ(self->arena->in_use_bytes, held_bytes);
    end();
}

MEND_TEST(frames_that_are_late_are_dropped)
{
    begin();
    mend_bury(self, MEND_CTX_MAKE(2, 20));
    CHECK(mend_is_buried(self, MEND_CTX_MAKE(2, 20) | MEND_CHANNEL_COLL));
    CHECK(!mend_is_buried(self, MEND_CTX_MAKE(2, 21)));
    park(1, 20, MEND_CHANNEL_COLL, 1, "a");
    CHECK(mend_list_empty(&self->parked));
    end();
}

MEND_TEST(what_is_parked_goes_with_its_context)
{
    begin();
    park(1, 20, MEND_CHANNEL_COLL, 1, "a");
    mend_bury(self, MEND_CTX_MAKE(2, 20));
    CHECK(mend_list_empty(&self->parked));
    CHECK_STR(came, "1:1a "); /* to be dropped or answered by its handler */
    end();
}

/* A question is a frame with "?"; what the answer is depends on whether the context is gone. */
static bool on_homeless(struct mend_proc *p, mend_peer from, const struct mend_frame *f,
                        const void *payload, bool is_gone)
{
    size_t n = strlen(came);

    if (!mend_frame_len(f) || *(const char *)payload != '?')
        return false;
    snprintf(came + n, sizeof(came) - n, "%d:%s ", (int)from, is_gone ? "gone" : "unknown");
    return true;
}

static bool is_number(const struct mend_frame *f, const void *payload, void *arg)
{
    return f->tag == *(int *)arg;
}

MEND_TEST(questions_are_answered_without_their_context)
{
    int two = 2;

    begin();
    self->on_homeless[MEND_FRAME_EAGER] = on_homeless;
    mend_bury(self, MEND_CTX_MAKE(2, 20));
    park(1, 20, MEND_CHANNEL_P2P, 1, "?");
    park(1, 20, MEND_CHANNEL_P2P, 2, "!");
    park(2, 21, MEND_CHANNEL_P2P, 1, "?");
    CHECK_STR(came, "1:gone 2:unknown ");
    CHECK(mend_list_empty(&self->parked));
    park(2, 21, MEND_CHANNEL_P2P, 1, "!");
    park(2, 21, MEND_CHANNEL_P2P, 2, "!");
    CHECK(!mend_parked_drop(self, 1, MEND_CTX_MAKE(2, 21), is_number, &two)); /* another's */
    CHECK(!mend_parked_drop(self, 2, MEND_CTX_MAKE(2, 22), is_number, &two));
    CHECK(mend_parked_drop(self, 2, MEND_CTX_MAKE(2, 21), is_number, &two));
    CHECK(!mend_parked_drop(self, 2, MEND_CTX_MAKE(2, 21), is_number, &two));
    mend_unpark(self, MEND_CTX_MAKE(2, 21));
    CHECK_STR(came, "1:gone 2:unknown 2:1! ");
    end();
}

MEND_TEST(what_can_be_asked_about_is_not_forgotten)
{
    begin();
    mend_bury_for_good(self, MEND_CTX_MAKE(2, 5));
    mend_bury(self, MEND_CTX_MAKE(2, 5)); /* once is enough */
    for (uint64_t k = 10; k <= 10000; k++)
        mend_bury(self, MEND_CTX_MAKE(2, k));
    CHECK(mend_is_buried(self, MEND_CTX_MAKE(2, 5)));
    CHECK(!mend_is_buried(self, MEND_CTX_MAKE(2, 11)));
    end();
}

/* However many communicators come and go, what is remembered of them does not grow, and the last are known. */
MEND_TEST(contexts_that_are_gone_are_not_kept_for_ever)
{
    size_t after_some;

    begin();
    for (uint64_t k = 1; k <= 10000; k++)
        mend_bury(self, MEND_CTX_MAKE(2, k));
    after_some = self->arena->in_use_bytes;
    for (uint64_t k = 10001; k <= 100000; k++)
        mend_bury(self, MEND_CTX_MAKE(2, k));
    CHECK_EQ(self->arena->in_use_bytes, after_some);
    CHECK(mend_is_buried(self, MEND_CTX_MAKE(2, 100000)));
    CHECK(mend_is_buried(self, MEND_CTX_MAKE(2, 99000)));
    CHECK(!mend_is_buried(self, MEND_CTX_MAKE(2, 5)));
    end();
}

MEND_TEST_MAIN()
