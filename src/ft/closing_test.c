/* SPDX-License-Identifier: BSD-3-Clause */
/* closing_test.c – all orders of accesses and deaths of two or three members that show labels about two things, one
 * after the other, close them, and take them away; and two mistakes that this search finds out.
 *
 * A step is one access: appear, close, find a label (or look whether its name is still there), read how far it
 * is.  A member may close a thing without having appeared; closing is appearing then.  A room is used again as
 * soon as it is free. */
#include "ft/closing.h"

#include "base/test.h"

#include <stdint.h>

#define MEMBERS_MAX 3
#define THINGS_MAX  2
#define ROOMS       2

enum { NOT_YET = 9 };

/* What a member is about with one thing. */
struct view {
    uint8_t state; /* enum mend_closing, NOT_YET */
    uint8_t room;
    uint8_t seen;               /* others below it pass */
    uint8_t reads;              /* it has found the name, and reads the state next */
    uint8_t place[MEMBERS_MAX]; /* rooms of the others + 1, 0: not found yet */
};

struct member {
    struct view view[THINGS_MAX];
    struct {
        uint8_t name, state; /* name 0: free */
    } room[ROOMS];
    uint8_t dead, told; /* told: set of those of whose death it knows */
};

struct world {
    struct member member[MEMBERS_MAX];
};

/* A protocol: may a member in that state pass with `found`, and which state follows when all do? */
struct rule {
    bool (*passes)(enum mend_closing mine, enum mend_closing found);
    enum mend_closing (*next)(enum mend_closing mine);
};

struct search {
    struct rule rule;
    int members, things, deaths;
    struct world *seen; /* a hash table; the first byte of an empty one is EMPTY */
    size_t size, used;
    const char *wrong;
};

#define EMPTY 0xff

/* ---- steps; each returns false if it is not possible ---- */

static bool appear(struct member *m, int thing, enum mend_closing state)
{
    struct view *v = &m->view[thing];

    if (v->state != NOT_YET || (thing && m->view[thing - 1].state == NOT_YET))
        return false;
    for (v->room = 0; v->room < ROOMS && m->room[v->room].name; v->room++)
        ;
    if (v->room == ROOMS)
        return false;
    v->state = (uint8_t)state;
    m->room[v->room].name = (uint8_t)(thing + 1);
    m->room[v->room].state = (uint8_t)state;
    return true;
}

static bool close_it(struct member *m, int thing)
{
    struct view *v = &m->view[thing];

    if (v->state != MEND_CLOSING_OPEN)
        return appear(m, thing, MEND_CLOSING_CLOSED);
    v->state = MEND_CLOSING_CLOSED;
    m->room[v->room].state = MEND_CLOSING_CLOSED;
    return true;
}

/* Nobody living may still need it (what closing.h promises first). */
static void take_away(struct search *s, struct world *w, int me, int thing)
{
    struct member *m = &w->member[me];
    struct view *v = &m->view[thing];

    for (int r = 0; r < s->members; r++) {
        uint8_t state = w->member[r].view[thing].state;

        if (!w->member[r].dead && (state == NOT_YET || state == MEND_CLOSING_OPEN))
            s->wrong = "taken away under somebody";
    }
    m->room[v->room].name = 0;
    *v = (struct view){.state = MEND_CLOSING_GONE};
}

static void all_pass(struct search *s, struct world *w, int me, int thing)
{
    struct member *m = &w->member[me];
    struct view *v = &m->view[thing];

    v->state = (uint8_t)s->rule.next((enum mend_closing)v->state);
    v->seen = 0;
    if (v->state == MEND_CLOSING_GONE)
        take_away(s, w, me, thing);
    else
        m->room[v->room].state = v->state;
}

/* One access on the way round the others. */
static bool look(struct search *s, struct world *w, int me, int thing)
{
    struct member *m = &w->member[me], *other;
    struct view *v = &m->view[thing];
    enum mend_closing found = MEND_CLOSING_GONE;

    if (v->state != MEND_CLOSING_CLOSED && v->state != MEND_CLOSING_DONE)
        return false;
    while (v->seen == me || (v->seen < s->members && m->told >> v->seen & 1 && !v->reads))
        v->seen++;
    if (v->seen == s->members) {
        all_pass(s, w, me, thing);
        return true;
    }
    other = &w->member[v->seen];
    for (uint8_t k = 0; !v->place[v->seen] && k < ROOMS; k++)
        if (other->room[k].name == thing + 1)
            v->place[v->seen] = (uint8_t)(k + 1);
    if (!v->reads && v->place[v->seen] && other->room[v->place[v->seen] - 1].name == thing + 1) {
        v->reads = 1;
        return true;
    }
    if (v->reads)
        found = (enum mend_closing)other->room[v->place[v->seen] - 1].state;
    v->reads = 0;
    v->seen += s->rule.passes((enum mend_closing)v->state, found);
    return true;
}

static bool die(struct search *s, struct world *w, int me)
{
    int dead = 0;

    for (int r = 0; r < s->members; r++)
        dead += w->member[r].dead;
    w->member[me].dead = 1;
    return dead < s->deaths;
}

static bool be_told(struct world *w, int me, int of)
{
    if (!w->member[of].dead || w->member[me].told >> of & 1)
        return false;
    w->member[me].told |= (uint8_t)(1 << of);
    return true;
}

/* ---- the search ---- */

static bool is_new(struct search *s, const struct world *w)
{
    const unsigned char *bytes = (const void *)w;
    uint64_t h = 1;
    size_t i;

    for (size_t k = 0; k < sizeof *w; k++)
        h = (h ^ bytes[k]) * UINT64_C(0x100000001b3);
    for (i = (h ^ h >> 29) % s->size; *(unsigned char *)&s->seen[i] != EMPTY; i = (i + 1) % s->size)
        if (!memcmp(&s->seen[i], w, sizeof *w))
            return false;
    CHECK(++s->used < s->size);
    s->seen[i] = *w;
    return true;
}

/* Nothing but looks is left, and nobody's looks come to anything (what closing.h promises second). */
static void check_rest(struct search *s, const struct world *w)
{
    struct world alone = *w;

    for (int round = 0; round < 8 * MEMBERS_MAX; round++)
        for (int r = 0; r < s->members; r++)
            for (int t = 0; !w->member[r].dead && t < s->things; t++)
                look(s, &alone, r, t);
    for (int r = 0; r < s->members && !s->wrong; r++)
        for (int t = 0; !w->member[r].dead && t < s->things; t++)
            if (alone.member[r].view[t].state != MEND_CLOSING_GONE)
                s->wrong = "never taken away";
}

static void explore(struct search *s, const struct world *w);

static void try_move(struct search *s, const struct world *w, int me, int kind, int which,
                     bool *any)
{
    struct world next = *w;
    struct member *m = &next.member[me];
    bool done = kind == 0   ? appear(m, which, MEND_CLOSING_OPEN)
                : kind == 1 ? close_it(m, which)
                : kind == 2 ? be_told(&next, me, which)
                            : look(s, &next, me, which);

    if (!done || s->wrong)
        return;
    *any |= kind != 3;
    explore(s, &next);
}

static void explore(struct search *s, const struct world *w)
{
    struct world next;
    bool any = false;

    if (s->wrong || !is_new(s, w))
        return;
    for (int me = 0; me < s->members; me++) {
        if (w->member[me].dead)
            continue;
        for (int which = 0; which < s->things; which++) {
            try_move(s, w, me, 0, which, &any);
            try_move(s, w, me, 1, which, &any);
            try_move(s, w, me, 3, which, &any);
        }
        for (int of = 0; of < s->members; of++)
            try_move(s, w, me, 2, of, &any);
        next = *w;
        if (die(s, &next, me))
            explore(s, &next);
    }
    if (!any && !s->wrong)
        check_rest(s, w);
}

static const char *run(int members, int things, int deaths, struct rule rule, size_t *states_p)
{
    struct search s = {
        .rule = rule, .members = members, .things = things, .deaths = deaths, .size = 1 << 19};
    struct world w;

    s.seen = malloc(s.size * sizeof *s.seen);
    CHECK(s.seen);
    memset(s.seen, EMPTY, s.size * sizeof *s.seen);
    memset(&w, 0, sizeof w);
    for (int r = 0; r < members; r++)
        for (int t = 0; t < THINGS_MAX; t++)
            w.member[r].view[t].state = NOT_YET;
    explore(&s, &w);
    free(s.seen);
    if (states_p)
        *states_p = s.used;
    return s.wrong;
}

static const struct rule right = {mend_closing_passes, mend_closing_next};

MEND_TEST(two_members_take_away_what_both_have_closed)
{
    size_t states;

    CHECK(!run(2, 2, 1, right, &states));
    printf("# 2 members, 2 things, 1 death: %zu states\n", states);
}

MEND_TEST(three_members_do)
{
    size_t states;

    CHECK(!run(3, 1, 2, right, &states));
    printf("# 3 members, 2 deaths: %zu states\n", states);
}

static bool hasty_passes(enum mend_closing mine, enum mend_closing found)
{
    return mend_closing_passes(mine, found) || found == MEND_CLOSING_GONE;
}

MEND_TEST(who_takes_nothing_found_for_gone_is_found_out)
{
    struct rule hasty = {hasty_passes, mend_closing_next};
    const char *wrong = run(2, 2, 0, hasty, NULL);

    CHECK(wrong && !strcmp(wrong, "taken away under somebody"));
}

static enum mend_closing one_round(enum mend_closing mine)
{
    (void)mine;
    return MEND_CLOSING_GONE;
}

MEND_TEST(one_round_is_not_enough)
{
    struct rule rule = {mend_closing_passes, one_round};
    const char *wrong = run(2, 2, 0, rule, NULL);

    CHECK(wrong && !strcmp(wrong, "never taken away"));
}

MEND_TEST_MAIN()
