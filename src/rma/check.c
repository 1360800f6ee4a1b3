/* SPDX-License-Identifier: BSD-3-Clause */
/* check.c – the invariants of windows, as win.h numbers them. */
#include "base/check.h"
#include "proc/detour.h"
#include "rma/control.h"
#include "rma/link.h"

static bool is_in_whole(const struct mend_win *w, const struct mend_win_part *p)
{
    return p->here >= w->whole && p->here + p->size <= w->whole + w->whole_len;
}

static bool is_reached_rightly(const struct mend_win *w, const struct mend_win_part *p)
{
    return !p->here || (p->at != 0 && (!w->whole || is_in_whole(w, p)));
}

static const char *check_parts(const struct mend_win *w)
{
    const struct mend_win_part *mine = &w->part[w->me];

    MEND_HOLDS(mine->size == w->size && mine->disp_unit == w->disp_unit &&
                   (w->flavor == MPI_WIN_FLAVOR_DYNAMIC || mine->here == w->base),
               "win 2: its own part is what it offers");
    for (int r = 0; r < w->n; r++)
        MEND_HOLDS(r == w->me || is_reached_rightly(w, &w->part[r]),
                   "win 2: only parts in the segment are reached");
    MEND_HOLDS(w->control && w->shared == (w->control->words != NULL),
               "win 2: it has its control words in the segment or none");
    return NULL;
}

static bool holds(const struct mend_win_lock *k)
{
    return k->open && !k->failed;
}

/* The machine of a lock owns the lock exactly when that is expected.  One thread may have acquired it for another one
 * that has not gone on yet. */
static bool agrees(const struct mend_win *w, const struct mend_winlock *l, bool expected)
{
    bool owned = l->state == MEND_WINLOCK_OWNS;

    return !w->shared || owned == expected || (owned && mend_proc_has_threads(w->self));
}

static const char *check_locks(const struct mend_win *w)
{
    uint32_t wanted = 0;
    int held = 0;

    for (int r = 0; r < w->n; r++) {
        const struct mend_win_lock *k = &w->lock[r];

        held += holds(k);
        wanted += k->lock.kind == MEND_WINLOCK_EXCLUSIVE && k->lock.state != MEND_WINLOCK_OUTSIDE;
        MEND_HOLDS(agrees(w, &k->lock, holds(k)), "win 3: a lock is owned while it is open");
    }
    MEND_HOLDS(held == w->locks_n, "win 3: the locks that are held are counted");
    MEND_HOLDS((held > 0) == (w->access == MEND_ACCESS_LOCK),
               "win 3: locks are held in their epoch only");
    MEND_HOLDS(!w->shared || wanted == w->control->wanted,
               "win 3: the exclusive locks that it has or wants are counted");
    MEND_HOLDS(agrees(w, &w->lock_all, w->access == MEND_ACCESS_LOCK_ALL),
               "win 4: lock_all is owned in its epoch only");
    return NULL;
}

static int silent_n(const struct mend_win *w)
{
    int n = 0;

    for (int i = 0; i < w->posted->size; i++)
        n += !w->posted_here[i];
    return n;
}

static const char *check_groups(const struct mend_win *w)
{
    MEND_HOLDS(!w->started == (w->access != MEND_ACCESS_START),
               "win 5: it has a group of targets between start and complete");
    MEND_HOLDS(w->exposed == (w->posted != NULL) && w->exposed == (w->posted_here != NULL),
               "win 6: it has a group of origins between post and wait");
    MEND_HOLDS(!w->exposed || (silent_n(w) <= w->posted_left && w->posted_left <= w->posted->size),
               "win 6: origins that have not completed are left");
    return NULL;
}

static unsigned length(const struct mend_list *l)
{
    unsigned n = 0;

    for (const struct mend_list *k = l->next; k != l; k = k->next)
        n++;
    return n;
}

static const char *check_link(const struct mend_win *w, int target)
{
    const struct mend_rma_link *l = w->links[target];
    bool idle;

    if (!l)
        return NULL;
    MEND_HOLDS(l->w == w && l->target == target, "win 7: a link leads to its target");
    MEND_HOLDS_IN(mend_list_check(&l->unsent));
    MEND_HOLDS_IN(mend_list_check(&l->unanswered));
    MEND_HOLDS(l->replies_n <= MEND_RMA_LINK_REPLIES, "win 7: few replies are under way");
    MEND_HOLDS(l->operations_n == length(&l->unsent) + length(&l->unanswered),
               "win 7: its operations are counted");
    MEND_HOLDS(l->operations_n <= MEND_RMA_LINK_OPERATIONS, "win 7: operations wait for room");
    idle = mend_list_empty(&l->unsent) && mend_list_empty(&l->unanswered) && !l->queued;
    MEND_HOLDS(idle || !mend_win_is_dead(w, target), "win 8: nothing is under way to the dead");
    MEND_HOLDS(idle || !w->comm->revoked, "win 8: nothing is under way on a revoked window");
    return NULL;
}

static bool is_apart(const struct mend_win *w, const struct mend_attached *a)
{
    for (const struct mend_list *l = a->link.next; l != &w->attached; l = l->next) {
        const struct mend_attached *b = mend_list_entry(l, struct mend_attached, link);

        if (a->base < b->base + b->size && b->base < a->base + a->size)
            return false;
    }
    return true;
}

static const char *check_attached(const struct mend_win *w)
{
    MEND_HOLDS_IN(mend_list_check(&w->attached));
    MEND_HOLDS(w->flavor == MPI_WIN_FLAVOR_DYNAMIC || mend_list_empty(&w->attached),
               "win 9: memory is attached to dynamic windows only");
    mend_list_foreach (l, next, &w->attached)
        MEND_HOLDS(is_apart(w, mend_list_entry(l, struct mend_attached, link)),
                   "win 9: attached pieces do not overlap");
    return NULL;
}

static bool is_none_dead(const struct mend_win *w)
{
    for (int r = 0; r < w->n; r++)
        if (mend_win_is_dead(w, r))
            return false;
    return true;
}

static const char *check_calm(const struct mend_win *w)
{
    bool may = !w->comm->revoked && w->shared;

    MEND_HOLDS(!w->direct_n || (w->direct_n == w->n && may && w->flavor != MPI_WIN_FLAVOR_DYNAMIC),
               "win 10: operations are looked at one by one if something is wrong");
    MEND_HOLDS(!w->calm_n ||
                   (w->calm_n == w->n && may && mend_win_is_in_segment(w) && is_none_dead(w)),
               "win 10: flushes are looked at one by one if something is wrong");
    return NULL;
}

const char *mend_win_check(const struct mend_win *w)
{
    MEND_HOLDS(w && w->magic == MEND_WIN_MAGIC && w->comm && w->comm->win == w,
               "win 1: it is alive, and its communicator knows it");
    MEND_HOLDS(w->n == w->comm->size && w->me == w->comm->rank && !w->comm->inter,
               "win 1: its members are those of its communicator");
    if (!mend_list_linked(&w->link)) /* it is being made */
        return NULL;
    MEND_HOLDS_IN(check_parts(w));
    MEND_HOLDS_IN(check_locks(w));
    MEND_HOLDS_IN(check_groups(w));
    for (int r = 0; w->links && r < w->n; r++)
        MEND_HOLDS_IN(check_link(w, r));
    MEND_HOLDS_IN(check_calm(w));
    return check_attached(w);
}
