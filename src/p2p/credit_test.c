/* SPDX-License-Identifier: BSD-3-Clause */
/* A sender that is held sends an RTS for its small messages, to whomever, until nobody alive holds it any more.  A receiver that has
 * lost messages holds their sender until their records are free and there is memory, and has records for each sender. */
#include "p2p/internal.h"

#include "base/test.h"
#include "p2p/match.h"

enum { GO, HOLD };

#define SENDERS 20
#define COME    320 /* messages of one sender after a HOLD: a ring full, and until its next look */

static struct mend_proc *self;
static struct mend_p2p p2p;
static int told[SENDERS + 1]; /* by peer; -1: nothing */

static enum mend_status hear(struct mend_proc *p, mend_peer to, const struct mend_frame *f,
                             const void *payload)
{
    (void)p;
    (void)payload;
    CHECK_EQ(mend_frame_kind(f), MEND_FRAME_CREDIT);
    told[to] = f->tag;
    return MEND_OK;
}

static const struct mend_net net = {.send = hear};

static void say(mend_peer from, int tag)
{
    struct mend_frame f = mend_frame_make(MEND_FRAME_CREDIT, MEND_CTX_WORLD, tag, (int)from, 0);

    mend_p2p_on_credit(self, from, &f, NULL);
}

static void set_up(void)
{
    mend_peer n = 4; /* the others come later */

    p2p = (struct mend_p2p){.eager_max = 100, .at_once_max = 100};
    self = mend_proc_create_bare();
    CHECK(self != NULL);
    self->p2p = &p2p;
    self->peers_max = SENDERS + 1;
    CHECK(mend_peers_add(self, n));
    CHECK(mend_credit_set_aside(self));
    CHECK(mend_peers_add(self, SENDERS + 1 - n));
    for (mend_peer i = 0; i <= SENDERS; i++) {
        mend_net_connect(self, i, &net);
        told[i] = -1;
    }
}

MEND_TEST(held_until_all_who_hold_let_go)
{
    set_up();
    CHECK(!mend_credit_holds(self, 1));
    say(1, HOLD);
    say(1, HOLD); /* once more changes nothing */
    say(2, HOLD);
    CHECK(mend_credit_holds(self, 1) && mend_credit_holds(self, 2) && !mend_credit_holds(self, 3));
    say(1, GO);
    CHECK_EQ(p2p.at_once_max, -1);
    say(2, GO);
    CHECK_EQ(p2p.at_once_max, 100);
    mend_proc_destroy(self);
}

MEND_TEST(the_dead_hold_nobody)
{
    set_up();
    mend_credit_on_death(self, 3); /* nothing is known of anybody */
    say(1, HOLD);
    say(2, HOLD);
    mend_credit_on_death(self, 1);
    CHECK(!mend_credit_holds(self, 1) && mend_credit_holds(self, 2));
    mend_credit_on_death(self, 2);
    CHECK_EQ(p2p.at_once_max, 100);
    mend_proc_destroy(self);
}

static struct mend_message *lose(mend_peer from)
{
    struct mend_message *m = mend_credit_take_record(self, from);

    if (m)
        *m = (struct mend_message){.lost = true, .peer = from};
    return m;
}

MEND_TEST(who_lost_messages_goes_on_when_their_records_are_free)
{
    struct mend_message *first, *second;

    set_up();
    mend_credit_kept(self, 1, 100);
    CHECK_EQ(told[1], -1);
    first = lose(1);
    second = lose(1);
    CHECK_EQ(told[1], HOLD);
    mend_credit_let_go(self, 1, 100);
    CHECK(mend_credit_give_back(self, first));
    mend_credit_look(self, 1);
    CHECK_EQ(told[1], HOLD);
    CHECK(mend_credit_give_back(self, second));
    CHECK_EQ(told[1], GO);
    CHECK_EQ(p2p.told_n, 0);
    mend_proc_destroy(self);
}

/* Nothing but what is pressed finds memory, and that leaves less than half of the reserve. */
static void use_memory_up(void)
{
    mend_arena_set_faults(self->arena, 1, true);
    mend_memory_press(self);
    while (!mend_arena_is_low(self->arena))
        CHECK(mend_alloc(self, 1000));
    mend_memory_relax(self);
}

MEND_TEST(nobody_goes_on_without_memory)
{
    set_up();
    use_memory_up();
    CHECK(mend_credit_give_back(self, lose(1)));
    CHECK_EQ(told[1], HOLD);
    mend_credit_look(self, 1);
    CHECK_EQ(told[1], HOLD);
    mend_arena_set_faults(self->arena, 0, false);
    mend_free(self, mend_alloc(self, 1)); /* takes a new reserve */
    mend_credit_look(self, 1);
    CHECK_EQ(told[1], GO);
    mend_proc_destroy(self);
}

MEND_TEST(each_sender_has_its_records)
{
    static struct mend_message *all[SENDERS][COME];

    set_up();
    for (mend_peer from = 1; from <= SENDERS; from++)
        mend_credit_kept(self, from, 100);
    use_memory_up();
    for (int i = 0; i < COME; i++)
        for (mend_peer from = 1; from <= SENDERS; from++) {
            all[from - 1][i] = lose(from);
            CHECK(all[from - 1][i]);
        }
    CHECK_EQ(p2p.told_n, SENDERS);
    mend_credit_on_death(self, SENDERS);
    CHECK_EQ(p2p.told_n, SENDERS - 1);
    for (int i = 0; i < COME; i++)
        for (mend_peer from = 1; from < SENDERS; from++)
            CHECK(mend_credit_give_back(self, all[from - 1][i]));
    CHECK(!mend_credit_give_back(self, &(struct mend_message){.peer = 1}));
    mend_proc_destroy(self);
}

MEND_TEST_MAIN()
