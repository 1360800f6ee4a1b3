/* SPDX-License-Identifier: BSD-3-Clause */
/* level.c – safe points one inside the other, of which any may be dropped.
 *
 *   own mapping   [ level 1, its tables | level 2, its tables | level 3, its tables ]
 *   2 is dropped  [ level 1, its tables | level 3, its tables ]                          what points into a level moves with it
 */
#include "snap/image.h"
#include "snap/own.h"

#include <string.h>

static void *moved(const void *p, size_t by)
{
    return p ? (char *)p - by : NULL;
}

/* What getcontext() has put into a context about the place where it is. */
static void move_context(ucontext_t *c, size_t by)
{
#if defined(__x86_64__)
    c->uc_mcontext.fpregs = moved(c->uc_mcontext.fpregs, by);
#else
    (void)c, (void)by;
#endif
}

/* From a level at its old place to all that leads into its tables. */
static void move_down(struct mend_snap_level *l, size_t by)
{
    struct mend_snap_level *to = moved(l, by);
    char *mark = l->mark;

    memmove(mark - by, mark, (size_t)(l->tables_end - mark));
    to->mark = mark - by;
    to->tables_end = moved(to->tables_end, by);
    to->regions = moved(to->regions, by);
    to->places = moved(to->places, by);
    to->logged = moved(to->logged, by);
    to->shadows = moved(to->shadows, by);
    to->print = moved(to->print, by);
    to->stack_at -= by;
    move_context(&to->here, by);
}

/* Outer ones first, so that each finds its room free. */
static void move_all(struct mend_snap *s, struct mend_snap_level *l, const char *stop, size_t by)
{
    if (l->outer && l->outer->mark >= stop) {
        move_all(s, l->outer, stop, by);
        l->outer = moved(l->outer, by);
    }
    move_down(l, by);
}

void mend_snap_level_unlink(struct mend_snap *s, struct mend_snap_level *l,
                            struct mend_snap_level *inner)
{
    size_t by = inner ? (size_t)(inner->mark - l->mark) : 0;

    if (!inner) {
        s->top = l->mark;
        s->level = l->outer;
        return;
    }
    inner->outer = l->outer;
    move_all(s, s->level, inner->mark, by);
    s->level = moved(s->level, by);
    s->top = s->level->tables_end;
}

/* --- what no level needs --- */

/* The level's first place that ends above at, or NULL. */
static const struct mend_snap_place *place_above(const struct mend_snap_level *l, uint64_t at)
{
    size_t low = 0, high = l->places_n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (l->places[middle].end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < l->places_n ? &l->places[low] : NULL;
}

/* Where the first place above at begins, of l or one of the levels that exist; *end_p is its end. */
static uint64_t next_place(const struct mend_snap *s, const struct mend_snap_level *l, uint64_t at,
                           uint64_t *end_p)
{
    const struct mend_snap_level *next = s->level;
    uint64_t from = s->image_end;

    for (; l; l = next, next = next ? next->outer : NULL) {
        const struct mend_snap_place *p = place_above(l, at);

        if (p && p->offset < from) {
            from = p->offset;
            *end_p = p->end;
        }
    }
    return from;
}

void mend_snap_level_give_back(struct mend_snap *s, const struct mend_snap_level *l)
{
    uint64_t at = 0;

    while (at < s->image_end) {
        uint64_t end = s->image_end, next = next_place(s, l, at, &end);

        if (next > at)
            mend_snap_image_punch(s, at, next);
        at = end;
    }
}
