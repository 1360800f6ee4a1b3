/* SPDX-License-Identifier: BSD-3-Clause */
/* visit_test.c – what the roots of accept and connect say to each other, told as transcripts.
 *
 *   R34: a name of the dead is not found, and their ports are refused
 *   S0-35: the roots of connect and accept both report a process failure or neither does
 *   S0-37: the other root of a connection returns when a root dies */
#include "ft/visit_sm.h"
#include "ft/transcript.h"

#include <string.h>

enum { HOST, GUEST, OTHER };
#define PORT 7u

/* Two processes: a call of accept and one of connect, a door, and all that was said and not heard yet. */
struct pair {
    struct transcript t;
    struct mend_visit host, guest;
    union {
        struct mend_visit_door door;
        char bytes[sizeof(struct mend_visit_door) + 4 * sizeof(struct mend_visit_guest)];
    };
    bool closed;
    struct mend_visit_msg said[8];
    int said_n;
};

static void begin(struct pair *p)
{
    *p = (struct pair){.said_n = 0};
    mend_visit_door_init(&p->door, 4, PORT);
    mend_visit_init_host(&p->host, PORT);
    mend_visit_init_guest(&p->guest, PORT, 1);
}

static void keep(struct pair *p, int from, const struct mend_visit_msg *m)
{
    static const char *const words[] = {"",       "KNOCK", "WELCOME", "REFUSE",
                                        "COMING", "GONE",  "FAILED"};

    if (!m->word)
        return;
    transcript_add(&p->t, from, "< %s to %d error %d", words[m->word], (int)m->peer, (int)m->error);
    p->said[p->said_n] = *m;
    p->said[p->said_n++].peer = from;
}

static void step(struct pair *p, int who, struct mend_visit_event ev)
{
    struct mend_visit *x = who == HOST ? &p->host : &p->guest;
    struct mend_visit_msg m;
    char buf[100];

    if (who == HOST && !p->closed)
        ev.door = &p->door;
    mend_visit_step(x, &ev, &m);
    mend_visit_check(x);
    keep(p, who, &m);
    mend_visit_print(x, buf, sizeof buf);
    transcript_add(&p->t, who, "%s", buf);
    p->t.line++;
}

static void look(struct pair *p, int who)
{
    step(p, who, (struct mend_visit_event){.kind = MEND_VISIT_LOOK});
}

static void arrive(struct pair *p, int host)
{
    step(p, GUEST, (struct mend_visit_event){.kind = MEND_VISIT_ARRIVED, .host = host});
}

/* The oldest message, which `who` hears. */
static void hear(struct pair *p, int who)
{
    struct mend_visit *x = who == HOST ? &p->host : &p->guest;
    struct mend_visit_msg m = p->said[0], answer;

    CHECK(p->said_n > 0);
    memmove(p->said, p->said + 1, (size_t)--p->said_n * sizeof(m));
    if (mend_visit_is_for(x, &m)) {
        step(p, who, (struct mend_visit_event){.kind = MEND_VISIT_HEARD, .msg = &m});
        return;
    }
    mend_visit_door_hear(who == HOST && !p->closed ? &p->door : NULL, &m, &answer);
    keep(p, who, &answer);
    p->t.line++;
}

MEND_TEST(they_meet)
{
    struct pair p;

    begin(&p);
    look(&p, HOST);
    arrive(&p, HOST);
    hear(&p, HOST);
    look(&p, HOST);
    hear(&p, GUEST);
    hear(&p, HOST);
    TRANSCRIPT_IS(&p.t, "[  0] 0 host listens -1 error 0\n"
                        "[  1] 1 < KNOCK to 0 error 0\n"
                        "[  1] 1 guest waits 0 error 0\n"
                        "[  3] 0 < WELCOME to 1 error 0\n"
                        "[  3] 0 host awaits 1 error 0\n"
                        "[  4] 1 < COMING to 0 error 0\n"
                        "[  4] 1 guest meet 0 error 0\n"
                        "[  5] 0 host meet 1 error 0\n");
    CHECK(p.host.number == p.guest.number);
}

MEND_TEST(a_port_that_is_not_open_refuses)
{
    struct pair p;

    begin(&p);
    p.closed = true;
    arrive(&p, HOST);
    hear(&p, HOST);
    hear(&p, GUEST);
    CHECK(p.guest.state == MEND_VISIT_END && p.guest.why == MEND_VISIT_REFUSED);
    look(&p, HOST);
    CHECK(p.host.why == MEND_VISIT_REFUSED);
}

MEND_TEST(a_port_that_closes_refuses_those_that_wait)
{
    struct mend_visit_msg m;
    struct pair p;

    begin(&p);
    arrive(&p, HOST);
    hear(&p, HOST);
    CHECK(mend_visit_door_refuse(&p.door, &m) && m.word == MEND_VISIT_REFUSE && m.peer == GUEST);
    keep(&p, HOST, &m);
    CHECK(!mend_visit_door_refuse(&p.door, &m));
    hear(&p, GUEST);
    CHECK(p.guest.why == MEND_VISIT_REFUSED);
}

MEND_TEST(there_is_no_such_process)
{
    struct pair p;

    begin(&p);
    arrive(&p, MEND_VISIT_NOBODY);
    CHECK(p.guest.why == MEND_VISIT_REFUSED && p.said_n == 0);
}

/* The welcome and the farewell cross: the host takes the next one. */
MEND_TEST(a_guest_that_is_late_says_so)
{
    static const struct mend_visit_event late = {.kind = MEND_VISIT_LOOK, .late = true};
    struct pair p;

    begin(&p);
    arrive(&p, HOST);
    hear(&p, HOST);
    look(&p, HOST);
    step(&p, GUEST, late);
    hear(&p, GUEST); /* WELCOME */
    hear(&p, HOST);  /* GONE */
    CHECK(p.host.state == MEND_VISIT_LISTEN && p.host.other == MEND_VISIT_NOBODY);
    hear(&p, HOST); /* GONE, to WELCOME */
    CHECK(p.host.state == MEND_VISIT_LISTEN && p.said_n == 0);
    step(&p, HOST, late);
    CHECK(p.host.why == MEND_VISIT_LATE && p.guest.why == MEND_VISIT_LATE);
}

MEND_TEST(one_that_leaves_before_it_is_welcome_is_forgotten)
{
    struct pair p;

    begin(&p);
    arrive(&p, HOST);
    hear(&p, HOST);
    step(&p, GUEST, (struct mend_visit_event){.kind = MEND_VISIT_LOOK, .late = true});
    hear(&p, HOST);
    look(&p, HOST);
    CHECK(p.host.state == MEND_VISIT_LISTEN && p.door.n == 0);
}

MEND_TEST(a_guest_on_its_journey_is_late)
{
    struct pair p;

    begin(&p);
    step(&p, GUEST, (struct mend_visit_event){.kind = MEND_VISIT_LOOK, .own = 5});
    CHECK(p.guest.state == MEND_VISIT_JOURNEY); /* it has still to tell the host */
    step(&p, GUEST, (struct mend_visit_event){.kind = MEND_VISIT_LOOK, .late = true});
    CHECK(p.guest.why == MEND_VISIT_LATE && p.said_n == 0);
}

/* S0-35 */
MEND_TEST(the_failure_of_the_guests_group_is_the_hosts)
{
    static const struct mend_visit_event fails = {.kind = MEND_VISIT_LOOK, .own = 5};

    for (int welcomed = 0; welcomed < 2; welcomed++) {
        struct pair p;

        begin(&p);
        arrive(&p, HOST);
        hear(&p, HOST);
        if (welcomed)
            look(&p, HOST);
        step(&p, GUEST, fails);
        CHECK(p.guest.why == MEND_VISIT_OWN && p.guest.error == 5);
        if (welcomed)
            hear(&p, GUEST);
        hear(&p, HOST);
        if (!welcomed)
            look(&p, HOST);
        CHECK(p.host.why == MEND_VISIT_THEIRS && p.host.error == 5 && p.host.other == GUEST);
    }
}

/* S0-35: also of a guest that has ended before the host accepts */
MEND_TEST(a_failure_outlives_the_guest)
{
    static const struct mend_visit_event fails = {.kind = MEND_VISIT_LOOK, .own = 5};
    struct pair p;

    begin(&p);
    arrive(&p, HOST);
    hear(&p, HOST);
    step(&p, GUEST, fails);
    hear(&p, HOST);
    mend_visit_door_on_death(&p.door, GUEST);
    look(&p, HOST);
    CHECK(p.host.why == MEND_VISIT_THEIRS && p.host.error == 5 && p.door.n == 0);
}

/* The host has said WELCOME: the guest comes, and hears of the failure when they meet. */
MEND_TEST(a_host_whose_group_fails_awaits_its_guest)
{
    struct pair p;

    begin(&p);
    arrive(&p, HOST);
    hear(&p, HOST);
    step(&p, HOST, (struct mend_visit_event){.kind = MEND_VISIT_LOOK, .own = 5});
    CHECK(p.host.state == MEND_VISIT_AWAIT);
    step(&p, HOST, (struct mend_visit_event){.kind = MEND_VISIT_LOOK, .own = 5, .late = true});
    CHECK(p.host.state == MEND_VISIT_AWAIT);
    begin(&p);
    step(&p, HOST, (struct mend_visit_event){.kind = MEND_VISIT_LOOK, .own = 5, .late = true});
    CHECK(p.host.why == MEND_VISIT_OWN && p.host.error == 5); /* nobody is there */
}

/* S0-37 */
MEND_TEST(a_root_dies)
{
    static const struct mend_visit_event dies = {.kind = MEND_VISIT_LOOK, .dead = true};
    struct pair p;

    begin(&p);
    arrive(&p, HOST);
    step(&p, GUEST, dies);
    CHECK(p.guest.why == MEND_VISIT_LOST);
    begin(&p);
    arrive(&p, HOST);
    hear(&p, HOST);
    mend_visit_door_on_death(&p.door, OTHER);
    CHECK(p.door.n == 1);
    mend_visit_door_on_death(&p.door, GUEST);
    look(&p, HOST);
    CHECK(p.host.state == MEND_VISIT_LISTEN);
    begin(&p);
    arrive(&p, HOST);
    hear(&p, HOST);
    look(&p, HOST);
    step(&p, HOST, dies);
    CHECK(p.host.state == MEND_VISIT_LISTEN); /* the next one, please */
}

MEND_TEST(guests_come_in_their_order)
{
    struct mend_visit_msg m = {.word = MEND_VISIT_KNOCK, .port = PORT}, answer;
    struct pair p;

    begin(&p);
    for (int i = 0; i < 4; i++) {
        m.peer = GUEST + i % 2;
        m.number = (uint64_t)i;
        mend_visit_door_hear(&p.door, &m, &answer);
        CHECK(!answer.word);
    }
    m.word = MEND_VISIT_GONE;
    m.peer = GUEST;
    m.number = 0;
    mend_visit_door_hear(&p.door, &m, &answer);
    CHECK(p.door.n == 3);
    look(&p, HOST);
    CHECK(p.host.other == OTHER && p.host.number == 1);
    CHECK(p.door.n == 2 && p.door.guest[0].number == 2 && p.door.guest[1].number == 3);
}

MEND_TEST(a_door_gets_more_room)
{
    struct mend_visit_msg m = {.word = MEND_VISIT_KNOCK, .port = PORT}, answer;
    char bytes[512] __attribute__((aligned(8)));
    struct mend_visit_door *wide = (void *)bytes;
    struct pair p;

    begin(&p);
    for (m.number = 0; m.number < 4; m.number++)
        mend_visit_door_hear(&p.door, &m, &answer);
    CHECK(mend_visit_door_size(8) <= sizeof bytes);
    mend_visit_door_move(wide, 8, &p.door);
    mend_visit_door_hear(wide, &m, &answer);
    CHECK(wide->n == 5 && wide->port == PORT && wide->guest[0].number == 0 &&
          wide->guest[4].number == 4);
}

MEND_TEST_MAIN()
