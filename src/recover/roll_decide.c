/* SPDX-License-Identifier: BSD-3-Clause */
/* roll_decide.c – which members roll back (roll.h): a function of what all have said.  It may run in a handler of a signal, so it
 * calls nothing. */
#include "recover/roll.h"

/* The cut as it grows, in ascending order. */
struct set {
    uint64_t *id, n;
};

/* An id with and without strangers is one id. */
static uint64_t name_of(uint64_t id)
{
    return id & ~MEND_ROLL_STRANGERS;
}

/* The place of the first that is not below it. */
static uint64_t find(const struct set *s, uint64_t name)
{
    uint64_t low = 0, high = s->n;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (s->id[middle] < name)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool contains(const struct set *s, uint64_t name)
{
    uint64_t at = find(s, name);

    return at < s->n && s->id[at] == name;
}

static void add(struct set *s, uint64_t name)
{
    uint64_t at = find(s, name);

    if (at < s->n && s->id[at] == name)
        return;
    for (uint64_t i = s->n++; i > at; i--)
        s->id[i] = s->id[i - 1];
    s->id[at] = name;
}

/* False: one of them has members that are not the module's. */
static bool add_all(struct set *s, const uint64_t *ids, uint64_t n)
{
    bool closed = true;

    for (uint64_t i = 0; i < n; i++) {
        add(s, name_of(ids[i]));
        closed &= !(ids[i] & MEND_ROLL_STRANGERS);
    }
    return closed;
}

static bool contains_any(const struct set *s, const uint64_t *ids, uint64_t n)
{
    uint64_t i = 0;

    while (i < n && !contains(s, name_of(ids[i])))
        i++;
    return i < n;
}

static uint64_t newest(const struct mend_roll_position *members, int n)
{
    uint64_t most = 0;

    for (int i = 0; i < n; i++)
        most = members[i].left > most ? members[i].left : most;
    return most;
}

static bool is_reached(const struct mend_roll_position *p, uint64_t left, const struct set *s,
                       const uint64_t *used)
{
    if (p->left != left || p->place == MEND_ROLL_POINT)
        return false;
    return p->has_part || contains_any(s, used, p->used_n);
}

/* One look at all members.  *can_p: as far as is known by now. */
static bool spread(const struct mend_roll_position *members, int n, const uint64_t *ids,
                   struct set *s, bool *rolls, bool *can_p)
{
    uint64_t left = newest(members, n);
    bool more = false;

    for (int i = 0; i < n; i++) {
        const struct mend_roll_position *p = &members[i];

        if (!rolls[i] && is_reached(p, left, s, ids)) {
            rolls[i] = more = true;
            *can_p &= add_all(s, ids, p->used_n) && !p->cannot;
        }
        ids += p->used_n + p->cut_n;
    }
    return more;
}

static void add_cuts(const struct mend_roll_position *members, int n, const uint64_t *ids,
                     struct set *s)
{
    for (int i = 0; i < n; i++) {
        add_all(s, ids + members[i].used_n, members[i].cut_n);
        ids += members[i].used_n + members[i].cut_n;
    }
}

bool mend_roll_decide(const struct mend_roll_position *members, int n, const uint64_t *ids,
                      bool *rolls, uint64_t *cut, uint64_t *cut_n_p)
{
    struct set s = {.id = cut};
    bool can = true;

    for (int i = 0; i < n; i++)
        rolls[i] = false;
    add_cuts(members, n, ids, &s);
    while (spread(members, n, ids, &s, rolls, &can))
        ;
    *cut_n_p = s.n;
    return can;
}
