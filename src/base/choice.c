/* SPDX-License-Identifier: BSD-3-Clause */
/* choice.c – trials, and when the next one is due. */
#include "base/choice.h"

#include <string.h>

#define CALM_LEAST   32 /* timed turns from one trial to the next */
#define CALM_MOST    1024
#define CALM_FALLEN  64 /* a part of that must pass before a slow one means anything, */
#define FALLEN_LEAST 8  /* and so many */

static unsigned best_of(const struct mend_choice *c)
{
    unsigned way = 0;

    for (unsigned i = 1; i < c->ways_n; i++)
        if (c->best[i] > c->best[way])
            way = i;
    return way;
}

/* Enough is known of a way: it was tried often, or it is a third slower than another at least. */
static bool is_tried(const struct mend_choice *c, unsigned way)
{
    return c->tried[way] >= MEND_CHOICE_TRIES ||
           (c->tried[way] >= MEND_CHOICE_GIVE_UP && c->best[way] * 3 / 2 < c->best[best_of(c)]);
}

unsigned mend_choice_way(const struct mend_choice *c)
{
    unsigned way = 0;

    if (c->settled || (!(c->mean && c->calm) && !is_tried(c, c->settled_for)))
        return c->settled_for;
    while (way + 1u < c->ways_n && is_tried(c, way))
        way++;
    return is_tried(c, way) ? best_of(c) : way;
}

bool mend_choice_timed(struct mend_choice *c)
{
    return c->ways_n > 1 && (!c->settled || ++c->seen_n % MEND_CHOICE_TIMED_OF == 0);
}

void mend_choice_again(struct mend_choice *c)
{
    c->settled = c->assumed = false;
    memset(c->tried, 0, sizeof(c->tried));
    memset(c->best, 0, sizeof(c->best));
}

/* The best way, or the one that it had been settled for if that is nearly as good: where ways differ by less than their rates
 * vary, each trial would find another one, and the next one would be due at once. */
static unsigned winner_of(const struct mend_choice *c)
{
    unsigned way = best_of(c);
    uint64_t had = c->best[c->settled_for];

    return c->calm && c->best[way] <= had + had / 8 ? c->settled_for : way;
}

static void settle(struct mend_choice *c)
{
    unsigned way = winner_of(c);

    if (!c->calm || way != c->settled_for)
        c->calm = CALM_LEAST;
    else if (c->calm < CALM_MOST)
        c->calm *= 2;
    c->settled = true;
    c->settled_for = (uint8_t)way;
    c->recent = c->best[way];
    c->since_n = 0;
}

static void watch(struct mend_choice *c, uint64_t rate)
{
    c->recent += rate / 4;
    c->recent -= c->recent / 4;
    c->since_n++;
    if (c->since_n >= c->calm ||
        (c->recent < c->best[c->settled_for] / 2 && c->since_n >= FALLEN_LEAST &&
         c->since_n >= c->calm / CALM_FALLEN))
        mend_choice_again(c);
}

void mend_choice_tell(struct mend_choice *c, unsigned way, uint64_t rate, unsigned turns)
{
    unsigned more = 0;

    if (c->settled) {
        if (way == c->settled_for)
            watch(c, rate);
        return;
    }
    if (c->mean)
        c->best[way] = (c->best[way] * c->tried[way] + rate * turns) / (c->tried[way] + turns);
    else if (rate > c->best[way])
        c->best[way] = rate;
    if (c->tried[way] < MEND_CHOICE_TRIES)
        c->tried[way] = (uint8_t)(c->tried[way] + turns);
    while (more < c->ways_n && is_tried(c, more))
        more++;
    if (more == c->ways_n)
        settle(c);
}

void mend_choice_assume(struct mend_choice *c, unsigned way, uint64_t rate)
{
    memset(c->tried, MEND_CHOICE_TRIES, sizeof(c->tried));
    c->tried[way] = 0;
    c->best[way] = c->recent = rate;
    c->settled = c->assumed = true;
    c->settled_for = (uint8_t)way;
    c->calm = CALM_LEAST;
    c->since_n = 0;
}

bool mend_choice_doubts(struct mend_choice *c, unsigned way)
{
    if (!c->settled || c->settled_for == way || c->since_n < FALLEN_LEAST ||
        c->best[way] <= c->recent + c->recent / 8)
        return false;
    mend_choice_again(c);
    return true;
}
