/* SPDX-License-Identifier: BSD-3-Clause */
/* roll_decide.c – where to, and who (roll.h): a function of what all have said.  It may run in a handler of a signal, so it
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

/* All that is known, and a safe point that is tried. */
struct trial {
    const struct mend_roll_position *members;
    int n;
    const uint64_t *words;
    bool *rolls;
    struct set cut;
    uint64_t asked, lost, newest;
    uint64_t
        quiet; /* the first safe point behind which nobody knows of a death; 0: there is none */
    uint64_t target, redone;
    bool can;
    enum mend_undo_why why; /* not: what was found first, at member `who` */
    int who;
};

/* What stands behind a position. */
struct behind {
    const struct mend_roll_kept *kept;
    const struct mend_roll_used *used, *cut;
};

static struct behind behind(const struct mend_roll_position *p, const uint64_t *words)
{
    const struct mend_roll_kept *kept = (const struct mend_roll_kept *)words;
    const struct mend_roll_used *used = (const struct mend_roll_used *)(kept + p->kept_n);

    return (struct behind){kept, used, used + p->used_n};
}

/* False: one that was used since has members that are not the module's. */
static bool add_used(struct trial *t, const struct mend_roll_used *used, uint64_t n)
{
    bool closed = true;

    for (uint64_t i = 0; i < n; i++) {
        if (used[i].at < t->target)
            continue;
        add(&t->cut, name_of(used[i].id));
        closed &= !(used[i].id & MEND_ROLL_STRANGERS);
    }
    return closed;
}

static bool contains_any(const struct trial *t, const struct mend_roll_used *used, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (used[i].at >= t->target && contains(&t->cut, name_of(used[i].id)))
            return true;
    return false;
}

/* It keeps the target, and no module that is redone is entered there. */
static bool has_target(const struct trial *t, const struct mend_roll_kept *kept, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (kept[i].number == t->target)
            return !(kept[i].entered & t->redone);
    return false;
}

static bool is_reached(const struct trial *t, const struct mend_roll_position *p,
                       const struct behind *b)
{
    if (t->target < t->newest)
        return p->left > t->target || p->place != MEND_ROLL_POINT;
    if (p->left != t->target || p->place == MEND_ROLL_POINT)
        return false;
    return (p->parts & t->redone) || contains_any(t, b->used, p->used_n);
}

/* A member that has to roll back: what keeps it from that.  That it does not keep this safe point says least: it may keep
 * another one. */
static void look_at(struct trial *t, int i, const struct behind *b)
{
    const struct mend_roll_position *p = &t->members[i];
    enum mend_undo_why why = (enum mend_undo_why)p->cannot;

    if (!add_used(t, b->used, p->used_n) && !why)
        why = MEND_UNDO_WHY_STRANGERS;
    if (!has_target(t, b->kept, p->kept_n) && !why)
        why = MEND_UNDO_WHY_NO_POINT;
    t->can &= !why;
    if (why && (!t->why || t->why == MEND_UNDO_WHY_NO_POINT)) {
        t->why = why;
        t->who = i;
    }
}

/* One look at all members. */
static bool spread(struct trial *t)
{
    const uint64_t *words = t->words;
    bool more = false;

    for (int i = 0; i < t->n; i++) {
        const struct mend_roll_position *p = &t->members[i];
        struct behind b = behind(p, words);

        if (!t->rolls[i] && is_reached(t, p, &b)) {
            t->rolls[i] = more = true;
            look_at(t, i, &b);
        }
        words += mend_roll_words(p);
    }
    return more;
}

/* One that an earlier turn has rolled back further cannot come to it. */
static bool all_get_there(const struct trial *t)
{
    for (int i = 0; i < t->n; i++)
        if (t->members[i].place == MEND_ROLL_POINT && t->members[i].left < t->target)
            return false;
    return true;
}

static void add_cuts(struct trial *t)
{
    const uint64_t *words = t->words;

    for (int i = 0; i < t->n; i++) {
        const struct mend_roll_position *p = &t->members[i];
        struct behind b = behind(p, words);

        for (uint64_t k = 0; k < p->cut_n; k++)
            add(&t->cut, name_of(b.cut[k].id));
        words += mend_roll_words(p);
    }
}

static void stay(struct trial *t)
{
    for (int i = 0; i < t->n; i++)
        t->rolls[i] = false;
}

/* True: all that have to can roll back to the safe point. */
static bool try_target(struct trial *t, const struct mend_roll_kept *k)
{
    t->target = k->number;
    t->redone = (t->asked | t->lost | k->redo) & k->exists;
    t->cut.n = 0;
    t->can = !(k->entered & t->redone) && all_get_there(t);
    stay(t);
    add_cuts(t);
    while (spread(t))
        ;
    return t->can;
}

/* What those that have come furthest keep; with what they say of it together. */
static bool next_candidate(const struct trial *t, uint64_t below, struct mend_roll_kept *k)
{
    const uint64_t *words = t->words;

    *k = (struct mend_roll_kept){.number = 0};
    for (int i = 0; i < t->n; i++) {
        const struct mend_roll_position *p = &t->members[i];
        struct behind b = behind(p, words);

        for (uint64_t j = 0; p->left == t->newest && j < p->kept_n; j++) {
            if (b.kept[j].number >= below || b.kept[j].number < k->number)
                continue;
            if (b.kept[j].number > k->number)
                *k = (struct mend_roll_kept){.number = b.kept[j].number};
            k->entered |= b.kept[j].entered;
            k->exists |= b.kept[j].exists;
            k->redo |= b.kept[j].redo;
            k->behind |= b.kept[j].behind;
        }
        words += mend_roll_words(p);
    }
    return k->number > 0;
}

/* The oldest of them that is newer than `above`. */
static bool candidate_above(const struct trial *t, uint64_t above, struct mend_roll_kept *k)
{
    struct mend_roll_kept next = {.number = UINT64_MAX};

    k->number = 0;
    while (next_candidate(t, next.number, &next) && next.number > above)
        *k = next;
    return k->number > 0;
}

/* It is behind the last call of each module that was asked for. */
static bool is_behind(const struct trial *t, const struct mend_roll_kept *k)
{
    return (k->behind & t->asked) == t->asked;
}

/* The first safe point that is behind the last call of the one that was left longest ago; UINT64_MAX: there is none. */
static uint64_t first_wanted(const struct trial *t)
{
    struct mend_roll_kept k = {.number = 0};

    while (candidate_above(t, k.number, &k))
        if (k.behind & t->asked)
            return k.number;
    return UINT64_MAX;
}

/* In the order of roll.h. */
static bool find_target(struct trial *t)
{
    uint64_t first = first_wanted(t), number = first - 1;
    struct mend_roll_kept k;

    while (first != UINT64_MAX && candidate_above(t, number, &k)) {
        if ((k.number == first || is_behind(t, &k)) && try_target(t, &k))
            return true;
        number = k.number;
    }
    k.number = first;
    while (next_candidate(t, k.number, &k))
        if (try_target(t, &k))
            return true;
    return false;
}

/* The same happens again behind the target. */
static bool repeats(const struct trial *t)
{
    return t->asked && !t->lost && t->quiet && t->target >= t->quiet;
}

static void look_at_all(struct trial *t)
{
    bool quiet = true;

    for (int i = 0; i < t->n; i++) {
        const struct mend_roll_position *p = &t->members[i];

        t->asked |= p->asks;
        t->lost |= p->lost;
        t->newest = p->left > t->newest ? p->left : t->newest;
        t->quiet = p->quiet > t->quiet ? p->quiet : t->quiet;
        quiet = quiet && p->quiet;
    }
    if (!quiet)
        t->quiet = 0;
}

/* No safe point could be tried: of the first member that would have stood in its way. */
static void look_for_reason(struct trial *t)
{
    for (int i = 0; i < t->n && !t->why; i++) {
        const struct mend_roll_position *p = &t->members[i];

        t->who = i;
        t->why = p->cannot    ? (enum mend_undo_why)p->cannot
                 : !p->kept_n ? MEND_UNDO_WHY_NO_POINT
                              : MEND_UNDO_WHY_NOTHING;
    }
}

static bool has_cut(const struct trial *t)
{
    int i = 0;

    while (i < t->n && !t->members[i].cut_n)
        i++;
    return i < t->n;
}

void mend_roll_decide(const struct mend_roll_position *members, int n, const uint64_t *words,
                      bool *rolls, struct mend_roll *roll)
{
    struct trial t = {
        .members = members, .n = n, .words = words, .rolls = rolls, .cut = {.id = roll->cut}};
    bool found;

    look_at_all(&t);
    t.target = t.newest;
    stay(&t);
    found = !(t.asked | t.lost) && !has_cut(&t); /* nothing to do */
    if (!found)
        found = find_target(&t);
    if (found && repeats(&t)) {
        found = false;
        t.why = MEND_UNDO_WHY_NO_DEATH;
    }
    if (!found) {
        stay(&t);
        look_for_reason(&t);
    }
    roll->cut_n = found ? t.cut.n : 0;
    roll->asked = t.asked;
    roll->redone = found ? t.redone : 0;
    roll->newest = t.newest;
    roll->target = found ? t.target : t.newest;
    roll->refused = !found;
    roll->why = found ? MEND_UNDO_WHY_NOTHING : t.why;
    roll->who = t.who;
}
