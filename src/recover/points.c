/* SPDX-License-Identifier: BSD-3-Clause */
/* points.c – the safe points that a process keeps for its modules (module.h has the rules). */
#include "recover/module.h"

#include "notify/notify.h"
#include "proc/report.h"

static struct mend_point *point_of(struct mend_list *link)
{
    return mend_list_entry(link, struct mend_point, link);
}

static struct mend_module *module_of(struct mend_list *link)
{
    return mend_list_entry(link, struct mend_module, link);
}

/* Behind the last call of m. */
static bool is_behind(const struct mend_point *p, const struct mend_module *m)
{
    uint64_t bit = mend_module_bit(m);

    return p->objects.number >= m->last && (p->exists & bit) && !(p->entered & bit);
}

static uint64_t entered_now(struct mend_recovery *r)
{
    uint64_t bits = 0;

    mend_list_foreach (l, next, &r->modules)
        bits |= module_of(l)->depth ? mend_module_bit(module_of(l)) : 0;
    return bits;
}

/* --- what is no longer needed --- */

/* For each of the modules, the newest of the points before `than` at which it is not entered.  True: one of them was not marked. */
static bool mark_around(struct mend_recovery *r, struct mend_list *than, uint64_t entered)
{
    bool more = false;

    for (struct mend_list *l = than->prev; l != &r->points && entered; l = l->prev) {
        struct mend_point *p = point_of(l);

        if (!(entered & ~p->entered))
            continue;
        entered &= p->entered;
        more |= !p->needed;
        p->needed = true;
    }
    return more;
}

static void mark_last(struct mend_recovery *r, const struct mend_module *m)
{
    mend_list_foreach (l, next, &r->points)
        if (is_behind(point_of(l), m)) {
            point_of(l)->needed = true;
            return;
        }
}

/* The one that is about to be made is behind the last call of m. */
unsigned mend_module_spare_point(const struct mend_module *m)
{
    struct mend_recovery *r = m->recovery;
    uint64_t entered = entered_now(r) & ~mend_module_bit(m);
    unsigned nth = 1;
    bool more;

    mend_list_foreach (l, next, &r->points)
        point_of(l)->needed = false;
    mend_list_foreach (l, next, &r->modules)
        if (module_of(l) != m && !module_of(l)->freed)
            mark_last(r, module_of(l));
    do {
        more = mark_around(r, &r->points, entered);
        mend_list_foreach (l, next, &r->points)
            if (point_of(l)->needed)
                more |= mark_around(r, l, point_of(l)->entered);
    } while (more);
    for (struct mend_list *l = r->points.next; l != &r->points; l = l->next, nth++)
        if (!point_of(l)->needed)
            return nth;
    return 0;
}

static void end(struct mend_recovery *r, struct mend_point *p)
{
    mend_undo_drop(r->self, &p->objects);
    mend_list_remove(&p->link);
    mend_free(r->self, p);
}

void mend_module_drop_point(struct mend_module *m, unsigned nth)
{
    struct mend_list *l = &m->recovery->points;

    while (nth--)
        l = l->next;
    end(m->recovery, point_of(l));
}

/* --- a new one --- */

void mend_module_left(struct mend_module *m)
{
    m->depth = 0;
    mend_event(m->recovery->self, MEND_EV_MODULE_POINT);
}

static bool is_of_creation(struct mend_recovery *r, uint64_t number)
{
    mend_list_foreach (l, next, &r->modules)
        if (module_of(l)->made == number)
            return true;
    return false;
}

/* Modules that are created one after the other count as created together, so that a failure in a first call undoes no creation. */
static void join_creations(struct mend_recovery *r, uint64_t number)
{
    mend_list_foreach (l, next, &r->modules)
        if (module_of(l)->last == number - 1 && is_of_creation(r, number - 1))
            module_of(l)->last = number;
}

void mend_module_keep_point(struct mend_module *m)
{
    struct mend_recovery *r = m->recovery;
    struct mend_point *p = mend_alloc_to_take_part(r->self, sizeof(*p));

    *p = (struct mend_point){.entered = entered_now(r),
                             .held = mend_notify_held(r->self),
                             .deaths = mend_points_deaths(r)};
    mend_undo_point(r->self, &p->objects);
    m->last = p->objects.number;
    if (!m->made) {
        m->made = m->last;
        join_creations(r, m->made);
    }
    mend_list_foreach (l, next, &r->modules) {
        const struct mend_module *o = module_of(l);

        p->exists |= o->freed ? 0 : mend_module_bit(o);
        p->of[o->number].depth = o->depth;
        p->of[o->number].last = o->last;
    }
    mend_list_append(&r->points, &p->link);
    mend_recovery_free_old(r);
}

void mend_module_lose_point(struct mend_module *m)
{
    end(m->recovery, point_of(m->recovery->points.prev));
}

void mend_module_lose_all_points(struct mend_proc *self)
{
    struct mend_recovery *r = mend_recovery_that_rolls(self);

    while (r && !mend_list_empty(&r->points))
        end(r, point_of(r->points.prev));
}

/* --- the decision and what follows --- */

struct mend_roll_kept *mend_points_list(struct mend_recovery *r, uint64_t *n_p)
{
    struct mend_roll_kept *kept, *k;
    uint64_t n = 0;

    mend_list_foreach (l, next, &r->points)
        n++;
    k = kept = mend_alloc_to_take_part(r->self, (n ? n : 1) * sizeof(*kept));
    mend_list_foreach (l, next, &r->points) {
        const struct mend_point *p = point_of(l);

        *k = (struct mend_roll_kept){.number = p->objects.number,
                                     .entered = p->entered,
                                     .exists = p->exists,
                                     .redo = p->redo};
        mend_list_foreach (lm, next_module, &r->modules)
            k->behind |= is_behind(p, module_of(lm)) ? mend_module_bit(module_of(lm)) : 0;
        k++;
    }
    *n_p = n;
    return kept;
}

/* Members count when all of them leave the dead one behind, so a death is new once, wherever it is learned late. */
uint64_t mend_points_deaths(struct mend_recovery *r)
{
    struct mend_proc *self = r->self;
    uint64_t n = r->lost_n;

    for (uint32_t i = 0; i < self->deaths_n; i++)
        n += self->deaths[i].cause != MEND_CAUSE_LEFT &&
             mend_group_rank(self, r->members, self->deaths[i].peer) == MPI_UNDEFINED;
    return n;
}

/* Without a safe point this process has nothing to say: the first one is as good as any. */
uint64_t mend_points_quiet(struct mend_recovery *r)
{
    uint64_t n = mend_points_deaths(r);

    if (mend_list_empty(&r->points))
        return r->first;
    mend_list_foreach (l, next, &r->points)
        if (n == point_of(l)->deaths || n == r->settled)
            return point_of(l)->objects.number;
    return 0;
}

void mend_points_note(struct mend_recovery *r, uint64_t recovered)
{
    mend_list_foreach (l, next, &r->points)
        point_of(l)->redo |= recovered;
}

unsigned mend_module_target(struct mend_proc *self)
{
    struct mend_recovery *r = mend_recovery_that_rolls(self);
    unsigned nth = 0;

    mend_list_foreach (l, next, &r->points) {
        nth++;
        if (point_of(l)->objects.number == r->roll.target)
            return nth;
    }
    return 0;
}

/* Modules made since are gone, those freed since are there again. */
static void restore_modules(struct mend_recovery *r, const struct mend_point *p)
{
    mend_list_foreach (l, next, &r->modules) {
        struct mend_module *m = module_of(l);

        if (!m->made || m->made > p->objects.number) {
            m->comm = NULL; /* with what has been made since */
            mend_module_end(m);
            continue;
        }
        m->freed = !(p->exists & mend_module_bit(m));
        m->depth = p->of[m->number].depth;
        m->last = p->of[m->number].last;
    }
}

void mend_points_back(struct mend_recovery *r)
{
    while (point_of(r->points.prev)->objects.number > r->roll.target)
        end(r, point_of(r->points.prev));
    mend_notify_restore(r->self, point_of(r->points.prev)->held);
    mend_undo_back(r->self, &point_of(r->points.prev)->objects);
    restore_modules(r, point_of(r->points.prev));
}
