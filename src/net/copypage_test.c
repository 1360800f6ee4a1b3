/* SPDX-License-Identifier: BSD-3-Clause */
/* Every order in which the owner of a copy page and its helper can take their steps, with calls that come late and an
 * owner that stops a turn anywhere: each fragment is copied at most once in each turn, and when a turn is over
 * nobody is copying. */
#include "net/copypage.h"

#include "base/test.h"

#define TURNS     2u
#define FRAGMENTS 2u

struct world {
    struct mend_copypage page;
    struct {
        enum { OPEN, TAKE, COPY, COLLECT, FINISHED } at;
        uint32_t number;
        unsigned turn, fragments_n, fragment;
        unsigned here; /* bits */
        bool stopped;
    } owner;
    struct {
        enum { IDLE, TAKES, COPIES, TELLS } at;
        uint32_t number; /* of the call that it follows */
        unsigned fragment;
    } helper;
    uint32_t called;                           /* turns that were announced */
    uint32_t copied[TURNS + 1][FRAGMENTS + 1]; /* how often */
};

static unsigned long worlds;

static int take(struct mend_copypage *s, uint64_t low)
{
    uint64_t number = ~UINT64_C(0);
    int k = mend_copypage_take(s, (uint32_t)low, &number);

    CHECK(k < 0 || (uint32_t)number == (uint32_t)low);
    return k;
}

static void copy(struct world *w, uint32_t number, unsigned fragment)
{
    CHECK_EQ(++w->copied[number][fragment], 1);
    CHECK_EQ(number, mend_copypage_number(mend_load_relaxed(&w->page.turn))); /* not rewritten */
}

static void collect(struct world *w)
{
    for (unsigned k = 0; k < w->owner.fragments_n; k++)
        if (mend_copypage_look(&w->page, w->owner.number, k) == MEND_COPYPAGE_HERE)
            w->owner.here |= 1u << k;
    if (w->owner.here != (1u << w->owner.fragments_n) - 1)
        return;
    CHECK(w->helper.at != COPIES || w->helper.number != w->owner.number);
    for (unsigned k = 0; k < w->owner.fragments_n; k++)
        CHECK_EQ(w->copied[w->owner.number][k], 1);
    w->owner.at = w->owner.turn < TURNS ? OPEN : FINISHED;
}

static void step_owner(struct world *w)
{
    int k;

    switch (w->owner.at) {
    case OPEN:
        w->owner.fragments_n = w->owner.turn++ ? FRAGMENTS : FRAGMENTS - 1;
        w->owner.here = 0;
        w->owner.stopped = false;
        w->owner.number = w->called = (uint32_t)mend_copypage_open(&w->page, w->owner.fragments_n);
        w->owner.at = TAKE;
        break;
    case TAKE:
        k = take(&w->page, w->owner.number);
        w->owner.fragment = (unsigned)k;
        w->owner.at = k < 0 ? COLLECT : COPY;
        break;
    case COPY:
        copy(w, w->owner.number, w->owner.fragment);
        w->owner.here |= 1u << w->owner.fragment;
        w->owner.at = TAKE;
        break;
    case COLLECT:
        collect(w);
        break;
    case FINISHED:
        break;
    }
}

static void step_helper(struct world *w)
{
    int k;

    switch (w->helper.at) {
    case IDLE:
        w->helper.number++;
        w->helper.at = TAKES;
        break;
    case TAKES:
        k = take(&w->page, w->helper.number);
        w->helper.fragment = (unsigned)k;
        w->helper.at = k < 0 ? IDLE : COPIES;
        break;
    case COPIES:
        copy(w, w->helper.number, w->helper.fragment);
        w->helper.at = TELLS;
        break;
    case TELLS:
        mend_copypage_tell(&w->page, w->helper.number, w->helper.fragment, MEND_COPYPAGE_HERE);
        w->helper.at = TAKES;
        break;
    }
}

static void stop(struct world *w)
{
    w->owner.fragments_n = mend_copypage_stop(&w->page);
    w->owner.here &= (1u << w->owner.fragments_n) - 1;
    w->owner.stopped = true;
    w->owner.at = COLLECT;
}

static void explore(const struct world *w)
{
    struct world next;

    worlds++;
    if (w->owner.at != FINISHED &&
        (w->owner.at != COLLECT || w->helper.at != IDLE || w->helper.number == w->called)) {
        next = *w;
        step_owner(&next);
        if (memcmp(&next, w, sizeof(next)) != 0)
            explore(&next);
    }
    if (w->helper.at != IDLE || w->helper.number < w->called) {
        next = *w;
        step_helper(&next);
        explore(&next);
    }
    if ((w->owner.at == TAKE || w->owner.at == COLLECT) && !w->owner.stopped) {
        next = *w;
        stop(&next);
        explore(&next);
    }
}

MEND_TEST(every_order_of_steps)
{
    static struct world w;

    explore(&w);
    printf("# %lu states\n", worlds);
    CHECK(worlds > 1000);
}

MEND_TEST(refusals_and_other_turns)
{
    static struct mend_copypage s;
    uint64_t first = mend_copypage_open(&s, 2);

    CHECK_EQ(take(&s, first + 1), -1);
    CHECK_EQ(take(&s, first), 0);
    CHECK_EQ(mend_copypage_look(&s, first, 0), MEND_COPYPAGE_UNDER_WAY);
    mend_copypage_tell(&s, first, 0, MEND_COPYPAGE_REFUSED);
    CHECK_EQ(mend_copypage_look(&s, first, 0), MEND_COPYPAGE_REFUSED);
    CHECK_EQ(mend_copypage_stop(&s), 1);
    CHECK_EQ(take(&s, first), -1);
    CHECK_EQ(mend_copypage_open(&s, MEND_COPYPAGE_FRAGMENTS), first + 1);
    CHECK_EQ(mend_copypage_look(&s, first + 1, 0), MEND_COPYPAGE_UNDER_WAY);
}

MEND_TEST(a_damaged_number_of_fragments_is_not_believed)
{
    static struct mend_copypage s;
    uint64_t number = mend_copypage_open(&s, 0xff);

    for (int k = 0; k < (int)MEND_COPYPAGE_FRAGMENTS; k++)
        CHECK_EQ(take(&s, number), k);
    CHECK_EQ(take(&s, number), -1);
}

/* What a helper has said 2^32 turns ago is not taken for news. */
MEND_TEST(turns_do_not_come_round)
{
    static struct mend_copypage s;
    uint64_t first, again;

    first = mend_copypage_open(&s, 2);
    CHECK_EQ(take(&s, first), 0);
    mend_copypage_tell(&s, first, 0, MEND_COPYPAGE_HERE);
    mend_store_relaxed(&s.turn, (first + UINT32_MAX) << 16);
    again = mend_copypage_open(&s, 2);
    CHECK_EQ(again, first + (UINT64_C(1) << 32));
    CHECK_EQ(mend_copypage_look(&s, again, 0), MEND_COPYPAGE_UNDER_WAY);
    CHECK_EQ(take(&s, again), 0);
    mend_copypage_tell(&s, again, 0, MEND_COPYPAGE_HERE);
    CHECK_EQ(mend_copypage_look(&s, again, 0), MEND_COPYPAGE_HERE);
}

MEND_TEST_MAIN()
