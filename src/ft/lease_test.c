/* SPDX-License-Identifier: BSD-3-Clause */
/* lease_test.c – the rules of a lease, each end alone, and chains of agents whose clocks are wrong, that wake late, stop, or
 * are cut off.
 *
 *   S5-3: a node that falls silent is lost in bounded time
 *   S5-4: a lost node runs no code of the program, and no byte of it is accepted
 *   S5-5: no node is lost because its agent runs late
 *   S5-6: of two parts of a network the one without the root ends, and the other one goes on */
#include "ft/lease_sm.h"
#include "base/test.h"

#define L       UINT64_C(1000)
#define BEAT    UINT64_C(100)
#define FENCE   UINT64_C(50)
#define SILENCE UINT64_C(500)
#define TRY     UINT64_C(100)
#define START   UINT64_C(5000)
#define PPM     1000u
#define SLACK   UINT64_C(200)
#define LONGEST UINT64_C(1003) /* L of another clock, rounded up */
#define ME      7
#define LIFE    3u

static const struct mend_lease_config config = {L, BEAT, FENCE, SILENCE, TRY, START, PPM, SLACK};

/* ---- the child's end ---- */

struct child {
    uint64_t store[64];
    struct mend_lease_out out;
};

static struct mend_lease *lease(struct child *c)
{
    return (struct mend_lease *)c->store;
}

static void step(struct child *c, struct mend_lease_event ev)
{
    mend_lease_step(lease(c), &ev, &c->out);
    mend_lease_check(lease(c));
}

static void tick(struct child *c, mend_time_ns now)
{
    step(c, (struct mend_lease_event){.kind = MEND_LEASE_EV_TICK, .now = now});
}

static void link_to(struct child *c, mend_time_ns now, int32_t parent)
{
    step(c, (struct mend_lease_event){.kind = MEND_LEASE_EV_LINKED, .now = now, .parent = parent});
}

static void hear(struct child *c, mend_time_ns now, struct mend_lease_msg m)
{
    step(c, (struct mend_lease_event){.kind = MEND_LEASE_EV_HEARD, .now = now, .msg = &m});
}

static struct mend_lease_msg grant(uint64_t number, mend_time_ns d)
{
    return (struct mend_lease_msg){MEND_LEASE_GRANT, ME, {LIFE, 1}, number, d, 0};
}

/* Its parent is 1; the first beat leaves at 1000. */
static void begin(struct child *c)
{
    CHECK(mend_lease_size(&config) <= sizeof(c->store));
    mend_lease_init(lease(c), &config, ME, LIFE, 1, 0);
    tick(c, 0);
    CHECK(c->out.seek && !c->out.beat && !c->out.over);
    link_to(c, 1000, 1);
    CHECK(c->out.beat && c->out.msg.word == MEND_LEASE_BEAT && c->out.msg.number == 1);
    CHECK(c->out.msg.node == ME && c->out.msg.turn.incarnation == LIFE);
    CHECK_EQ(c->out.msg.turn.turn, 1);
}

MEND_TEST(nothing_runs_before_the_first_grant)
{
    struct child c;

    begin(&c);
    CHECK_EQ(c.out.fence, 0);
    CHECK_EQ(mend_lease_left(lease(&c), 1000), 0);
    tick(&c, 1100);
    CHECK_EQ(c.out.fence, 0);
    hear(&c, 1150, grant(1, L));
    CHECK_EQ(c.out.fence, 1000 + L - FENCE);
    CHECK_EQ(mend_lease_left(lease(&c), 1150), 850);
}

MEND_TEST(an_agent_without_a_grant_gives_up)
{
    struct child c;

    begin(&c);
    tick(&c, START - 1);
    CHECK(!c.out.over && c.out.wake_at == START);
    tick(&c, START);
    CHECK(c.out.over && c.out.wake_at == MEND_TIME_NEVER);
}

MEND_TEST(beats_are_sent_in_time_and_not_in_bursts)
{
    struct child c;

    begin(&c);
    CHECK_EQ(c.out.wake_at, 1000 + BEAT);
    tick(&c, 1000 + BEAT - 1);
    CHECK(!c.out.beat);
    tick(&c, 1000 + 3 * BEAT + 7); /* it was stopped */
    CHECK(c.out.beat && c.out.msg.number == 2);
    CHECK_EQ(c.out.wake_at, 1000 + 4 * BEAT + 7);
    tick(&c, 1000 + 3 * BEAT + 8);
    CHECK(!c.out.beat);
    step(&c, (struct mend_lease_event){.kind = MEND_LEASE_EV_UNLINKED, .now = 1400});
    CHECK(c.out.seek);
    tick(&c, 1500);
    CHECK(!c.out.beat);
    link_to(&c, 1600, 1); /* the same parent: no turn */
    CHECK(c.out.beat && c.out.msg.number == 3 && c.out.msg.turn.turn == 1);
}

/* What was heard, and the fence behind it.  Beat k was sent at 900 + 100 k; five of them were. */
MEND_TEST(a_lease_is_counted_from_the_sending_of_its_beat)
{
    static const struct {
        struct mend_lease_msg m;
        mend_time_ns end;
    } heard[] = {
        {{MEND_LEASE_GRANT, ME, {LIFE, 1}, 2, 600, 0}, 1700},
        {{MEND_LEASE_GRANT, ME, {LIFE, 1}, 1, 700, 0}, 1700}, /* out of order */
        {{MEND_LEASE_GRANT, ME, {LIFE, 1}, 3, 400, 0}, 1700}, /* a shorter one takes nothing back */
        {{MEND_LEASE_GRANT, ME, {LIFE, 1}, 3, 700, 0}, 1900},
        {{MEND_LEASE_GRANT, ME, {LIFE, 1}, 6, L, 0}, 1900}, /* no such beat */
        {{MEND_LEASE_GRANT, ME, {LIFE, 1}, 0, L, 0}, 1900},
        {{MEND_LEASE_GRANT, ME, {LIFE - 1, 1}, 5, L, 0}, 1900}, /* of an old incarnation */
        {{MEND_LEASE_GRANT, ME, {LIFE + 1, 1}, 5, L, 0}, 1900},
        {{MEND_LEASE_GRANT, ME + 1, {LIFE, 1}, 5, L, 0}, 1900}, /* of another node */
        {{MEND_LEASE_GRANT, ME, {LIFE, 2}, 5, L, 0}, 1900},     /* of a turn that is to come */
        {{MEND_LEASE_BEAT, ME, {LIFE, 1}, 5, L, 0}, 1900},
        {{MEND_LEASE_REFUSE, ME, {LIFE - 1, 1}, 5, 0, 0}, 1900},
        {{MEND_LEASE_REFUSE, ME, {LIFE, 1}, 6, 0, 0}, 1900},
        {{MEND_LEASE_GRANT, ME, {LIFE, 1}, 4, 99 * L, 0}, 2300}, /* never more than L */
        {{MEND_LEASE_GRANT, ME, {LIFE, 1}, 5, UINT64_MAX, 0}, 2400},
    };
    struct child c;

    begin(&c);
    for (mend_time_ns t = 1100; t <= 1400; t += 100)
        tick(&c, t);
    for (size_t i = 0; i < MEND_COUNT_OF(heard); i++) {
        hear(&c, 1450, heard[i].m);
        CHECK_EQ(c.out.fence, heard[i].end - FENCE);
        CHECK(!c.out.over);
    }
}

MEND_TEST(a_grant_that_comes_too_late_is_none)
{
    struct child c;

    begin(&c);
    hear(&c, 1900, grant(1, 900)); /* its fence is not to come */
    CHECK_EQ(c.out.fence, 0);
    hear(&c, 1901, grant(1, 900));
    CHECK_EQ(c.out.fence, 0);
    begin(&c);
    for (mend_time_ns t = 1100; t <= 2900; t += 100)
        tick(&c, t);
    hear(&c, 2900, grant(2, L));
    CHECK_EQ(c.out.fence, 0);
}

/* S5-4, S5-6: a machine that was paused, or cut off, is at its end whatever it hears then. */
MEND_TEST(over_is_over)
{
    struct child c;

    begin(&c);
    hear(&c, 1010, grant(1, L));
    tick(&c, 1100);
    tick(&c, 1949);
    CHECK(!c.out.over);
    tick(&c, 1950);
    CHECK(c.out.over);
    hear(&c, 1951, grant(2, L));
    CHECK(c.out.over && !c.out.beat);
    CHECK_EQ(c.out.fence, 1950);
    link_to(&c, 1960, 0);
    CHECK(c.out.over && !c.out.beat);
    begin(&c);
    hear(&c, 1010, grant(1, L));
    tick(&c, 1100);
    hear(&c, 11000, grant(2, L)); /* the first thing that happens when it thaws */
    CHECK(c.out.over);
    CHECK_EQ(mend_lease_left(lease(&c), 11000), 0);
}

MEND_TEST(a_refusal_is_the_end)
{
    struct child c;

    begin(&c);
    hear(&c, 1010, grant(1, L));
    hear(&c, 1020, (struct mend_lease_msg){MEND_LEASE_REFUSE, ME, {LIFE, 1}, 1, 0, 0});
    CHECK(c.out.over);
    CHECK_EQ(mend_lease_left(lease(&c), 1021), 0);
}

MEND_TEST(an_orphan_looks_for_another_parent_and_counts_its_turns)
{
    struct child c;

    begin(&c);
    tick(&c, 1000 + SILENCE - 1);
    CHECK(!c.out.seek && c.out.wake_at == 1000 + SILENCE);
    tick(&c, 1000 + SILENCE);
    CHECK(c.out.seek);
    hear(&c, 1510, grant(2, L)); /* of 1499 */
    CHECK(!c.out.seek);
    tick(&c, 1998);
    CHECK(!c.out.seek);
    tick(&c, 1999);
    CHECK(c.out.seek && !c.out.over);
    link_to(&c, 2000, 0);
    CHECK(c.out.beat && c.out.msg.turn.turn == 2 && !c.out.seek);
    tick(&c, 2000 + TRY);
    CHECK(c.out.seek);
    link_to(&c, 2110, 1);
    CHECK(c.out.beat && c.out.msg.turn.turn == 3);
    hear(&c, 2120,
         grant(c.out.msg.number,
               L)); /* said of an old turn, to a beat of this one: it is its beat */
    CHECK_EQ(c.out.fence, 2110 + L - FENCE);
}

/* ---- the parent's end ---- */

struct parent {
    struct mend_lease_child c;
    struct mend_lease_child_out out;
};

static void parent_step(struct parent *p, struct mend_lease_child_event ev)
{
    mend_lease_child_step(&p->c, &ev, &p->out);
    mend_lease_child_check(&p->c);
}

static void parent_tick(struct parent *p, mend_time_ns now)
{
    parent_step(p, (struct mend_lease_child_event){.kind = MEND_LEASE_CHILD_EV_TICK, .now = now});
}

static void beat_heard(struct parent *p, mend_time_ns now, uint64_t number, uint64_t heard)
{
    struct mend_lease_msg m = {MEND_LEASE_BEAT, ME, {LIFE, 1}, number, 0, heard};

    parent_step(
        p, (struct mend_lease_child_event){
               .kind = MEND_LEASE_CHILD_EV_BEAT, .now = now, .left = MEND_TIME_NEVER, .msg = &m});
}

/* It has heard the answer to the one before. */
static void hear_beat(struct parent *p, mend_time_ns now, mend_time_ns left,
                      struct mend_lease_turn turn, uint64_t number)
{
    struct mend_lease_msg m = {MEND_LEASE_BEAT, ME, turn, number, 0, number - 1};

    parent_step(p, (struct mend_lease_child_event){
                       .kind = MEND_LEASE_CHILD_EV_BEAT, .now = now, .left = left, .msg = &m});
}

static void adopt(struct parent *p, mend_time_ns now, mend_time_ns left,
                  struct mend_lease_turn turn)
{
    parent_step(p,
                (struct mend_lease_child_event){
                    .kind = MEND_LEASE_CHILD_EV_ADOPTED, .now = now, .left = left, .turn = turn});
}

static void condemn(struct parent *p, mend_time_ns now, uint32_t incarnation)
{
    parent_step(p, (struct mend_lease_child_event){
                       .kind = MEND_LEASE_CHILD_EV_DECLARED, .now = now, .turn = {incarnation, 0}});
}

static struct mend_lease_turn turn(uint32_t n)
{
    return (struct mend_lease_turn){LIFE, n};
}

static void says_grant(const struct parent *p, uint64_t number, mend_time_ns d)
{
    CHECK(p->out.say && p->out.msg.word == MEND_LEASE_GRANT && p->out.msg.node == ME);
    CHECK_EQ(p->out.msg.number, number);
    CHECK_EQ(p->out.msg.d_ns, d);
    CHECK(!p->out.ask.turn && !p->out.lost.turn);
}

static void says_refuse(const struct parent *p)
{
    CHECK(p->out.say && p->out.msg.word == MEND_LEASE_REFUSE);
    CHECK(!p->out.ask.turn);
}

static void says_nothing(const struct parent *p)
{
    CHECK(!p->out.say && !p->out.ask.turn && !p->out.lost.turn);
}

static void expect(struct parent *p)
{
    mend_lease_child_init(&p->c, &config, ME, LIFE, true, 0);
}

static void is_absent(struct parent *p)
{
    mend_lease_child_init(&p->c, &config, ME, LIFE, false, 0);
}

/* S5-6: its beats come through, and it hears nothing. */
MEND_TEST(a_child_that_does_not_hear_gets_less)
{
    struct parent p;
    mend_time_ns now = 0;

    expect(&p);
    hear_beat(&p, 10, MEND_TIME_NEVER, turn(1), 1);
    for (uint64_t n = 2; n < 6; n++)
        hear_beat(&p, n * 10, MEND_TIME_NEVER, turn(1), n);
    CHECK_EQ(p.c.heard_at, 50); /* it has heard the fourth */
    for (now = 60; now < 50 + L + SLACK; now += 50) {
        beat_heard(&p, now, now, 4);
        says_grant(&p, now, now < 50 + SLACK ? L : 50 + L + SLACK - now);
        CHECK(p.out.wake_at <= 50 + mend_lease_stretch(L + SLACK, PPM));
    }
    beat_heard(&p, 50 + L + SLACK, now, 4);
    says_nothing(&p);
    parent_tick(&p, 50 + mend_lease_stretch(L + SLACK, PPM));
    CHECK_EQ(p.out.lost.turn, 1);
}

/* One that hears again in time has lost nothing. */
MEND_TEST(a_child_that_hears_again_goes_on)
{
    struct parent p;

    expect(&p);
    hear_beat(&p, 10, MEND_TIME_NEVER, turn(1), 1);
    beat_heard(&p, 900, 9, 0);
    says_grant(&p, 9, 10 + L + SLACK - 900);
    beat_heard(&p, 950, 10, 9);
    says_grant(&p, 10, L);
    beat_heard(&p, 960, 11, 3); /* of long ago */
    CHECK_EQ(p.c.heard_at, 950);
}

/* While this process was stopped another one may have granted as much. */
MEND_TEST(a_parent_that_was_replaced_waits)
{
    struct parent p;

    expect(&p);
    hear_beat(&p, 10, MEND_TIME_NEVER, turn(1), 1);
    parent_step(&p,
                (struct mend_lease_child_event){.kind = MEND_LEASE_CHILD_EV_RESUMED, .now = 90000});
    says_nothing(&p);
    CHECK_EQ(p.out.wake_at, 90000 + LONGEST);
    beat_heard(&p, 90010, 900, 899);
    says_grant(&p, 900, L);
    parent_tick(&p, 90010 + LONGEST);
    CHECK_EQ(p.out.lost.turn, 1);
    parent_step(&p, (struct mend_lease_child_event){.kind = MEND_LEASE_CHILD_EV_RESUMED,
                                                    .now = 99999}); /* it was lost before */
    says_nothing(&p);
    CHECK_EQ(p.out.wake_at, MEND_TIME_NEVER);
}

/* The slowest clock of the child against the fastest one of the parent. */
MEND_TEST(a_stretched_time_is_long_enough)
{
    static const uint32_t ppm[] = {0, 1, 50, 1000, 20000, 250000, 500000};
    static const mend_time_ns d[] = {0, 1, 7, 999, 1000000000, 1000000000000};

    for (size_t i = 0; i < MEND_COUNT_OF(ppm); i++)
        for (size_t k = 0; k < MEND_COUNT_OF(d); k++) {
            mend_time_ns s = mend_lease_stretch(d[k], ppm[i]);

            CHECK(s * (1000000 - ppm[i]) >= d[k] * (1000000 + ppm[i]));
            CHECK(s == d[k] || (s - 1) * (1000000 - ppm[i]) < d[k] * (1000000 + ppm[i]));
        }
    CHECK_EQ(mend_lease_stretch(L, PPM), LONGEST);
    CHECK_EQ(mend_lease_stretch(1000000000, 1000), 1002002003); /* 1+2ρ: 1002000000 */
}

MEND_TEST(a_parent_hands_on_what_is_left_of_its_own_lease)
{
    static const struct {
        mend_time_ns left, d;
    } rows[] = {{MEND_TIME_NEVER, L}, {L + 1, L}, {L, L}, {L - 1, L - 1}, {1, 1}};
    struct parent p;

    for (size_t i = 0; i < MEND_COUNT_OF(rows); i++) {
        expect(&p);
        hear_beat(&p, 10, rows[i].left, turn(1), 1);
        says_grant(&p, 1, rows[i].d);
        CHECK_EQ(p.out.wake_at, 10 + mend_lease_stretch(rows[i].d, PPM));
    }
    hear_beat(&p, 11, 0, turn(1), 2);
    says_nothing(&p);
    expect(&p);
    hear_beat(&p, 10, 0, turn(1), 1);
    says_nothing(&p);
    CHECK_EQ(p.out.wake_at, MEND_TIME_NEVER);
}

/* S5-3 */
MEND_TEST(a_child_without_a_beat_is_lost_once)
{
    struct parent p;

    expect(&p);
    parent_tick(&p, 99 * L); /* not before its first lease */
    says_nothing(&p);
    p.c.node++;
    hear_beat(&p, 99 * L, MEND_TIME_NEVER, turn(1), 1); /* of another node */
    p.c.node--;
    says_nothing(&p);
    hear_beat(&p, 100000, MEND_TIME_NEVER, turn(1), 1);
    hear_beat(&p, 100100, MEND_TIME_NEVER, turn(1), 2);
    hear_beat(&p, 100200, 10, turn(1), 3); /* a shorter one does not make it earlier */
    CHECK_EQ(p.out.wake_at, 100100 + LONGEST);
    parent_tick(&p, 100100 + LONGEST - 1);
    says_nothing(&p);
    parent_tick(&p, 100100 + LONGEST);
    CHECK(p.out.lost.incarnation == LIFE && p.out.lost.turn == 1);
    parent_tick(&p, 100100 + LONGEST + 1);
    says_nothing(&p);
    hear_beat(&p, 102000, MEND_TIME_NEVER, turn(1), 4); /* until the verdict it gets nothing */
    says_nothing(&p);
    condemn(&p, 102001, LIFE);
    hear_beat(&p, 102002, MEND_TIME_NEVER, turn(1), 5);
    says_refuse(&p);
}

/* A parent that was stopped finds the beats of its children behind the time at which they are lost. */
MEND_TEST(a_beat_after_the_time_changes_nothing)
{
    struct parent p;

    expect(&p);
    hear_beat(&p, 10, MEND_TIME_NEVER, turn(1), 1);
    hear_beat(&p, 10 + LONGEST, MEND_TIME_NEVER, turn(1), 2);
    CHECK(!p.out.say && p.out.lost.turn == 1);
}

/* S5-6: nothing of the side that has ended is taken up again. */
MEND_TEST(a_declared_child_is_refused_for_ever)
{
    struct parent p;

    is_absent(&p); /* the verdict comes before it knocks */
    condemn(&p, 5, LIFE);
    for (uint32_t t = 1; t < 5; t++) {
        hear_beat(&p, 10 * t, MEND_TIME_NEVER, turn(t), t);
        says_refuse(&p);
        CHECK(p.out.msg.turn.turn == t && p.out.msg.number == t);
    }
    hear_beat(&p, 100, MEND_TIME_NEVER, (struct mend_lease_turn){LIFE - 1, 9}, 9);
    says_refuse(&p);
    expect(&p);
    condemn(&p, 100, LIFE - 1); /* old news */
    hear_beat(&p, 101, MEND_TIME_NEVER, turn(1), 9);
    says_grant(&p, 9, L);
    hear_beat(&p, 101, MEND_TIME_NEVER, turn(2), 9);
    condemn(&p, 102, LIFE);
    hear_beat(&p, 103, MEND_TIME_NEVER, turn(9), 10);
    says_refuse(&p);
    adopt(&p, 104, MEND_TIME_NEVER, turn(2)); /* said before the verdict */
    says_nothing(&p);
    CHECK_EQ(p.c.state, MEND_LEASE_CHILD_DECLARED);
}

MEND_TEST(a_new_incarnation_is_taken_when_the_root_says_so)
{
    struct mend_lease_turn next = {LIFE + 1, 1};
    struct parent p;

    expect(&p);
    hear_beat(&p, 10, MEND_TIME_NEVER, turn(1), 8);
    condemn(&p, 20, LIFE);
    hear_beat(&p, 30, MEND_TIME_NEVER, next, 1);
    CHECK(!p.out.say && p.out.ask.incarnation == LIFE + 1 && p.out.ask.turn == 1);
    condemn(&p, 35, LIFE); /* of the old one */
    adopt(&p, 40, MEND_TIME_NEVER, next);
    says_grant(&p, 1, L);
    hear_beat(&p, 50, MEND_TIME_NEVER, turn(1), 9);
    says_refuse(&p);
    hear_beat(&p, 60, MEND_TIME_NEVER, next, 2);
    says_grant(&p, 2, L);
    condemn(&p, 70, LIFE + 1);
    hear_beat(&p, 80, MEND_TIME_NEVER, next, 3);
    says_refuse(&p);
}

MEND_TEST(an_orphan_is_granted_nothing_before_the_root_has_answered)
{
    struct parent p;

    is_absent(&p);
    hear_beat(&p, 10, MEND_TIME_NEVER, turn(2), 5);
    CHECK(!p.out.say && p.out.ask.incarnation == LIFE && p.out.ask.turn == 2);
    hear_beat(&p, 20, MEND_TIME_NEVER, turn(2), 6); /* it asks once */
    says_nothing(&p);
    hear_beat(&p, 21, MEND_TIME_NEVER, turn(1), 4); /* a beat of an old connection */
    says_nothing(&p);
    adopt(&p, 22, MEND_TIME_NEVER, turn(1)); /* nobody has asked that */
    says_nothing(&p);
    adopt(&p, 30, 400, turn(2));
    says_grant(&p, 6, 400);
    CHECK_EQ(p.out.wake_at, 10 + LONGEST); /* it may have a lease of its former parent */
    hear_beat(&p, 700, MEND_TIME_NEVER, turn(2), 7);
    CHECK_EQ(p.out.wake_at, 700 + LONGEST);
    is_absent(&p); /* a no */
    hear_beat(&p, 10, MEND_TIME_NEVER, turn(2), 5);
    condemn(&p, 20, LIFE);
    hear_beat(&p, 30, MEND_TIME_NEVER, turn(2), 6);
    says_refuse(&p);
}

/* The root takes it for this one's child, so this one has to notice its loss. */
MEND_TEST(an_adopted_child_is_watched_even_if_it_has_gone)
{
    struct parent p;

    is_absent(&p);
    hear_beat(&p, 10, 0, turn(2), 5);
    adopt(&p, 30, 0, turn(2));
    says_nothing(&p);
    CHECK_EQ(p.out.wake_at, 10 + LONGEST);
    parent_tick(&p, 10 + LONGEST);
    CHECK_EQ(p.out.lost.turn, 2);
    is_absent(&p); /* the answer comes when all is over */
    hear_beat(&p, 10, 0, turn(2), 5);
    adopt(&p, 5000, 0, turn(2));
    parent_tick(&p, 5000);
    CHECK_EQ(p.out.lost.turn, 2);
}

MEND_TEST(one_that_comes_back_is_asked_about)
{
    struct parent p;

    expect(&p);
    hear_beat(&p, 10, MEND_TIME_NEVER, turn(1), 1);
    hear_beat(&p, 500, MEND_TIME_NEVER, turn(3), 5);
    CHECK(!p.out.say && p.out.ask.turn == 3);
    hear_beat(&p, 510, MEND_TIME_NEVER, turn(5), 6); /* it was elsewhere in between, again */
    CHECK(!p.out.say && p.out.ask.turn == 5);
    hear_beat(&p, 511, MEND_TIME_NEVER, turn(3), 5);
    says_nothing(&p);
    adopt(&p, 512, MEND_TIME_NEVER, turn(3)); /* the answer to 5 is to come */
    says_nothing(&p);
    adopt(&p, 513, MEND_TIME_NEVER, turn(5));
    says_grant(&p, 6, L);
    hear_beat(&p, 520, MEND_TIME_NEVER, turn(1), 2);
    says_nothing(&p);
}

/* Until the root says otherwise the old turn counts. */
MEND_TEST(a_child_that_is_asked_about_is_still_watched)
{
    struct parent p;

    expect(&p);
    hear_beat(&p, 10, MEND_TIME_NEVER, turn(1), 1);
    hear_beat(&p, 500, MEND_TIME_NEVER, turn(3), 5);
    parent_tick(&p, 10 + LONGEST);
    CHECK_EQ(p.out.lost.turn, 1);
    adopt(&p, 1100, MEND_TIME_NEVER, turn(3));
    says_grant(&p, 5, L);
    expect(&p);
    hear_beat(&p, 10, MEND_TIME_NEVER, turn(1), 1);
    hear_beat(&p, 10 + LONGEST, MEND_TIME_NEVER, turn(2), 5);
    CHECK(p.out.lost.turn == 1 && p.out.ask.turn == 2);
}

/* ---- chains of agents ---- */

#define MS       MEND_LEASE_MS
#define DEPTH    4
#define LATE_MS  30
#define ROOM     64
#define DELAY_MS 2

/* Agent k is the parent of k + 1.  An agent looks at what has come, and at the time, when real time is a multiple of `late`
 * behind its phase, and not while it is stopped.  Its clock is wrong by ppm. */
struct agent {
    uint64_t store[64];
    struct mend_lease_child child;
    int ppm;
    uint64_t late, phase, stop_from, stop_to, cut_at; /* ms of real time */
    mend_time_ns fence, wake_at;
    bool over, lost; /* lost: its parent has said so */
    uint64_t over_at, lost_at;
    struct mend_lease_msg in[ROOM];
    uint64_t due[ROOM]; /* when they are there */
    int in_n;
};

struct chain {
    struct agent agent[DEPTH];
    int n;
    uint64_t ms;
};

static struct mend_lease *lease_of(struct agent *a)
{
    return (struct mend_lease *)a->store;
}

static mend_time_ns clock_of(const struct agent *a, uint64_t ms)
{
    return ms * (uint64_t)(1000000 + a->ppm);
}

static void set_up(struct chain *c, int n, uint64_t late)
{
    static const struct mend_lease_config real = MEND_LEASE_DEFAULTS;

    memset(c, 0, sizeof(*c));
    c->n = n;
    for (int k = 0; k < n; k++) {
        struct agent *a = &c->agent[k];

        CHECK(mend_lease_size(&real) <= sizeof(a->store));
        a->late = late;
        a->phase = (uint64_t)k * 11 % late;
        a->stop_from = a->stop_to = a->cut_at = UINT64_MAX;
        mend_lease_init(lease_of(a), &real, k, 1, k - 1, 0);
        mend_lease_child_init(&a->child, &real, k + 1, 1, true, 0);
    }
}

static void post(struct chain *c, int from, int to, const struct mend_lease_msg *m)
{
    struct agent *a = &c->agent[to];

    if (to >= c->n || c->agent[from].cut_at <= c->ms || a->cut_at <= c->ms)
        return;
    CHECK(a->in_n < ROOM);
    a->in[a->in_n] = *m;
    a->due[a->in_n++] = c->ms + DELAY_MS;
}

static void drive_lease(struct chain *c, int k, struct mend_lease_event ev)
{
    struct agent *a = &c->agent[k];
    struct mend_lease_out out;

    ev.now = clock_of(a, c->ms);
    mend_lease_step(lease_of(a), &ev, &out);
    mend_lease_check(lease_of(a));
    a->fence = out.fence;
    if (out.beat)
        post(c, k, k - 1, &out.msg);
}

static void drive_child(struct chain *c, int k, struct mend_lease_child_event ev)
{
    struct agent *a = &c->agent[k];
    struct mend_lease_child_out out;

    ev.now = clock_of(a, c->ms);
    ev.left = k ? mend_lease_left(lease_of(a), ev.now) : MEND_TIME_NEVER;
    mend_lease_child_step(&a->child, &ev, &out);
    mend_lease_child_check(&a->child);
    if (out.say)
        post(c, k, k + 1, &out.msg);
    if (out.lost.turn) {
        c->agent[k + 1].lost = true;
        c->agent[k + 1].lost_at = c->ms;
    }
}

static void act(struct chain *c, int k)
{
    struct agent *a = &c->agent[k];
    int kept = 0;

    for (int i = 0; i < a->in_n; i++) {
        if (a->due[i] > c->ms) {
            a->due[kept] = a->due[i];
            a->in[kept++] = a->in[i];
        } else if (a->in[i].word == MEND_LEASE_BEAT) {
            drive_child(c, k,
                        (struct mend_lease_child_event){.kind = MEND_LEASE_CHILD_EV_BEAT,
                                                        .msg = &a->in[i]});
        } else {
            drive_lease(c, k,
                        (struct mend_lease_event){.kind = MEND_LEASE_EV_HEARD, .msg = &a->in[i]});
        }
    }
    a->in_n = kept;
    drive_child(c, k, (struct mend_lease_child_event){.kind = MEND_LEASE_CHILD_EV_TICK});
    if (k)
        drive_lease(c, k, (struct mend_lease_event){.kind = MEND_LEASE_EV_TICK});
}

/* One millisecond.  The kernel's timer does not wait for the agent. */
static void pass(struct chain *c)
{
    c->ms++;
    for (int k = 0; k < c->n; k++) {
        struct agent *a = &c->agent[k];

        if (a->fence && !a->over && clock_of(a, c->ms) >= a->fence) {
            a->over = true;
            a->over_at = c->ms;
        }
        if (!a->over && c->ms % a->late == a->phase &&
            !(c->ms >= a->stop_from && c->ms < a->stop_to))
            act(c, k);
    }
}

static void run(struct chain *c, uint64_t until_ms)
{
    for (int k = 1; c->ms == 0 && k < c->n; k++)
        drive_lease(c, k, (struct mend_lease_event){.kind = MEND_LEASE_EV_LINKED, .parent = k - 1});
    while (c->ms < until_ms)
        pass(c);
}

/* S5-5: also while all wake as late as they may. */
MEND_TEST(an_agent_may_stop_for_half_a_lease)
{
    struct chain c;

    for (int who = 0; who < 3; who++)
        for (uint64_t from = 2000; from < 2400; from += 3) {
            set_up(&c, 3, LATE_MS);
            c.agent[0].ppm = who ? -1000 : 1000;
            c.agent[2].ppm = 1000;
            c.agent[who].stop_from = from;
            c.agent[who].stop_to = from + 500;
            run(&c, 4000);
            for (int k = 1; k < 3; k++)
                CHECK(c.agent[k].fence && !c.agent[k].over && !c.agent[k].lost);
        }
}

/* The clock of each agent of a chain is as slow or as fast as it may be; bit k says which. */
static void cut(struct chain *c, int who, uint64_t at, unsigned fast)
{
    set_up(c, DEPTH, LATE_MS);
    for (int k = 0; k < DEPTH; k++)
        c->agent[k].ppm = fast >> k & 1 ? 1000 : -1000;
    c->agent[who].cut_at = at;
    run(c, at + 3000);
}

/* S5-3, S5-4, S5-6: it, and all below, have ended when it is declared. */
MEND_TEST(a_node_that_is_cut_off_ends_and_is_lost_in_time)
{
    struct chain c;

    for (int who = 1; who < DEPTH; who++)
        for (uint64_t at = 2000; at < 2130; at += 7)
            for (unsigned fast = 0; fast < 1u << DEPTH; fast++) {
                cut(&c, who, at, fast);
                CHECK(c.agent[who].lost && c.agent[who].lost_at <= at + 1100);
                for (int k = 1; k < DEPTH; k++)
                    CHECK(c.agent[k].over == (k >= who));
                for (int k = who; k < DEPTH; k++)
                    CHECK(c.agent[k].over_at + 99 <= c.agent[who].lost_at);
            }
}

/* The same without a limit on how late agents are: there are losses then, and they are true. */
MEND_TEST(a_loss_is_true_however_late_agents_are)
{
    uint64_t lost = 0;
    struct chain c;

    for (uint64_t late = 100; late < 1500; late += 61)
        for (unsigned fast = 0; fast < 1u << DEPTH; fast++) {
            set_up(&c, DEPTH, LATE_MS);
            for (int k = 0; k < DEPTH; k++) {
                c.agent[k].ppm = fast >> k & 1 ? 1000 : -1000;
                c.agent[k].late = late + (uint64_t)k * 37;
                c.agent[k].phase = (uint64_t)k * 41 % late;
            }
            run(&c, 8000);
            for (int who = 1; who < DEPTH; who++)
                for (int k = who; c.agent[who].lost && k < DEPTH; k++, lost++)
                    CHECK((c.agent[k].over && c.agent[k].over_at + 99 <= c.agent[who].lost_at) ||
                          !c.agent[k].fence);
        }
    CHECK(lost > 100);
}

MEND_TEST_MAIN()
