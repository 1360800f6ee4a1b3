/* SPDX-License-Identifier: BSD-3-Clause */
/* A sender that is held offers its small messages, to whomever, until nobody alive holds it any more. */
#include "p2p/internal.h"

#include "base/test.h"

enum { GO, HOLD };

static struct mend_proc *self;
static struct mend_p2p p2p;

static void say(mend_peer from, int tag)
{
    struct mend_frame f = mend_frame_make(MEND_FRAME_CREDIT, MEND_CTX_WORLD, tag, (int)from, 0);

    mend_p2p_on_credit(self, from, &f, NULL);
}

static void set_up(void)
{
    p2p = (struct mend_p2p){.eager_max = 100, .at_once_max = 100};
    self = mend_proc_create_bare();
    CHECK(self != NULL);
    self->p2p = &p2p;
    CHECK(mend_peers_add(self, 4));
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

MEND_TEST_MAIN()
