/* SPDX-License-Identifier: BSD-3-Clause */
/* recovery.c – see recovery.h. */
#include "recover/module.h"

#include "comm/handle.h"
#include "create/create.h"
#include "decide/decide.h"
#include "notify/notify.h"
#include "proc/post.h"
#include "proc/report.h"
#include "proc/threads.h"

/* What participants tell each other. */
struct news {
    uint64_t id, generation;
};

static struct mend_module *module_of(struct mend_list *link)
{
    return mend_list_entry(link, struct mend_module, link);
}

struct mend_recovery *mend_recovery_find(struct mend_proc *self, uint64_t id, bool make)
{
    struct mend_recovery *r;

    mend_list_foreach (l, next, &self->modules) {
        r = mend_list_entry(l, struct mend_recovery, link);
        if (r->id == id)
            return r;
    }
    if (!make)
        return NULL;
    r = mend_alloc_to_take_part(self, sizeof(*r));
    *r = (struct mend_recovery){.self = self, .id = id};
    mend_list_init(&r->modules);
    mend_list_init(&r->old);
    mend_list_init(&r->points);
    mend_list_append(&self->modules, &r->link);
    return r;
}

struct mend_recovery *mend_recovery_that_rolls(struct mend_proc *self)
{
    mend_list_foreach (l, next, &self->modules)
        if (mend_list_entry(l, struct mend_recovery, link)->rolls_back)
            return mend_list_entry(l, struct mend_recovery, link);
    return NULL;
}

/* That the program may still be in a call on. */
struct old_comm {
    struct mend_list link;
    struct mend_comm *comm;
    bool alike; /* all members have it with this context */
};

static bool is_entered(struct mend_recovery *r)
{
    mend_list_foreach (l, next, &r->modules)
        if (module_of(l)->depth)
            return true;
    return r->leaving;
}

/* A turn that has failed may have cut it at some members only, so nobody waits for the others to free it.  It is revoked or has lost a
 * member, and calls on it end. */
static void forget(struct mend_comm *c)
{
    mend_comm_close(c);
    mend_comm_put(c);
}

static void free_old(struct mend_recovery *r)
{
    while (!mend_list_empty(&r->old)) {
        struct old_comm *o = mend_list_entry(r->old.next, struct old_comm, link);

        mend_list_remove(&o->link);
        if (o->alike)
            mend_create_free(o->comm);
        else
            forget(o->comm);
        mend_free(r->self, o);
    }
}

void mend_recovery_free_old(struct mend_recovery *r)
{
    if (!is_entered(r))
        free_old(r);
}

void mend_recovery_end_all(struct mend_proc *self)
{
    mend_list_foreach (l, next, &self->modules)
        free_old(mend_list_entry(l, struct mend_recovery, link));
}

static void keep_old(struct mend_recovery *r, struct mend_comm *c, bool alike)
{
    struct old_comm *o = mend_alloc_to_take_part(r->self, sizeof(*o));

    c->made_at = MEND_UNDO_APART;
    o->comm = c;
    o->alike = alike;
    mend_list_append(&r->old, &o->link);
    mend_recovery_free_old(r);
}

/* There is a communicator of those that are left in place of the one before. */
static void replace_whole(struct mend_recovery *r, struct mend_comm *made)
{
    struct mend_comm *before = r->whole;

    made->made_at = MEND_UNDO_APART;
    r->lost_n += (uint64_t)(before->size - made->size);
    r->whole = made;
    if (!r->rolls_back)
        module_of(r->modules.next)->comm = made;
    keep_old(r, before, true);
}

/* A dead one is not told; one that dies next is no longer waited for. */
static void tell_all(struct mend_recovery *r)
{
    struct mend_proc *self = r->self;
    struct news news = {r->id, r->generation};
    int key = r->anywhere ? MEND_NOTIFY_MODULE : MEND_NOTIFY_MODULE_IN_CALLS;

    for (int i = 0; i < r->whole->size; i++)
        if (i != r->whole->rank)
            mend_notify_send(self, mend_group_peer(r->whole->group, i), key, &news, sizeof(news));
}

/* Calls on the communicators of modules that are to recover end at all. */
static void revoke_all(struct mend_recovery *r)
{
    mend_list_foreach (l, next, &r->modules) {
        struct mend_module *m = module_of(l);

        if (m->comm && m->comm != r->whole && (r->asks & mend_module_bit(m)))
            mend_revoke(m->comm);
    }
    mend_revoke(r->whole);
}

/* Those that are left.  False, at all: one more has died, of which this process may not have heard, and the turn is over. */
static bool gather(struct mend_recovery *r, int *err_p)
{
    struct mend_comm *made = NULL;

    revoke_all(r);
    mend_event(r->self, MEND_EV_MODULE_RECOVER);
    *err_p = mend_create_shrink(r->whole, false, &made);
    if (*err_p == MEND_CLASS_PROC_FAILED) {
        *err_p = MPI_SUCCESS;
        return false;
    }
    if (!*err_p && !made) /* the others have decided that this process is dead */
        *err_p = MPI_ERR_PROC_FAILED;
    if (!*err_p)
        replace_whole(r, made);
    return true;
}

static bool has_lost(const struct mend_recovery *r, const struct mend_module *m)
{
    const struct mend_group *g = m->comm ? m->comm->group : NULL;

    for (int i = 0; g && i < g->size; i++)
        if (mend_group_rank(r->self, r->whole->group, mend_group_peer(g, i)) == MPI_UNDEFINED)
            return true;
    return false;
}

static struct mend_roll_position position(struct mend_recovery *r)
{
    struct mend_roll_position p = {
        .left = r->self->points_n,
        .place = r->at_point  ? MEND_ROLL_POINT
                 : r->leaving ? MEND_ROLL_LEAVING
                              : MEND_ROLL_OUT,
        .asks = r->asks,
        .lost = r->pending,
        .cannot = mend_undo_obstacle(r->self, false),
        .quiet = r->insists ? 0 : mend_points_quiet(r),
    };

    mend_list_foreach (l, next, &r->modules) {
        const struct mend_module *m = module_of(l);

        p.parts |= m->recover ? mend_module_bit(m) : 0;
        p.lost |= has_lost(r, m) ? mend_module_bit(m) : 0;
    }
    return p;
}

/* Which of them roll back, and to where.  False, at all: one more has died, of which this process may not have heard, and the turn is
 * over. */
static bool decide(struct mend_recovery *r, int *err_p)
{
    struct mend_roll_position mine = position(r);
    struct mend_roll_kept *kept = mend_points_list(r, &mine.kept_n);
    int err = mend_roll_exchange(r->whole, r->members, &mine, kept, &r->roll);

    mend_free(r->self, kept);
    if (err)
        return false;
    mend_event(r->self, MEND_EV_MODULE_DECIDED);
    r->asks |= r->roll.asked;
    r->pending |= r->roll.redone;
    r->done = r->roll.target;
    if (r->roll.refused) {
        *err_p =
            r->roll.why == MEND_UNDO_WHY_NO_DEATH ? MPI_ERR_OTHER : MPI_ERR_UNSUPPORTED_OPERATION;
        r->why = r->roll.why;
        r->who =
            mend_group_rank(r->self, r->members, mend_group_peer(r->whole->group, r->roll.who));
    }
    return true;
}

/* What is to recover in this turn. */
static bool takes_part(const struct mend_recovery *r, const struct mend_module *m)
{
    return !r->rolls_back || (r->roll.redone & mend_module_bit(m));
}

/* The communicator of those that have a part, in place of the one before. */
static int gather_participants(struct mend_module *m)
{
    struct mend_recovery *r = m->recovery;
    struct mend_comm *made = NULL;
    int err = mend_create_split(r->whole, m->recover ? 0 : MPI_UNDEFINED, 0, &made);

    if (err || !made)
        return err;
    made->made_at = m->made ? m->made - 1 : r->self->points_n; /* as old as the module */
    if (m->comm)
        keep_old(r, m->comm, false);
    m->comm = made;
    return MPI_SUCCESS;
}

/* In the order of their creation, as at all others. */
static int gather_all(struct mend_recovery *r)
{
    int err = MPI_SUCCESS;

    mend_list_foreach (l, next, &r->modules)
        if (!err && r->rolls_back && takes_part(r, module_of(l)))
            err = gather_participants(module_of(l));
    return err;
}

static bool call_recover(struct mend_module *m)
{
    struct mend_proc *self = m->recovery->self;
    const char *call = self->call;
    int err;

    mend_unlock(self);
    err = m->recover(mend_comm_handle(m->comm), m->depth > 0, m->state);
    mend_lock(self);
    self->call = call;
    mend_event(self, MEND_EV_MODULE_AGREE);
    return err == MPI_SUCCESS;
}

/* If one fails, others may wait for this process in their functions. */
static bool call_all(struct mend_recovery *r)
{
    bool ok = true;

    mend_list_foreach (l, next, &r->modules) {
        struct mend_module *m = module_of(l);

        if (!m->recover || !takes_part(r, m))
            continue;
        ok = ok && call_recover(m);
        if (!ok && r->rolls_back)
            mend_revoke(m->comm);
    }
    return ok;
}

/* The second half of a turn.  *ok_p: the recovery functions have succeeded at all that have a part. */
static int bring_into_order(struct mend_recovery *r, int *ok_p)
{
    if (r->rolls_back)
        mend_roll_cut(r->self, &r->roll);
    r->roll.rolls = false;
    *ok_p = gather_all(r) == MPI_SUCCESS && call_all(r);
    return mend_decide_flag(r->whole, true, ok_p);
}

/* Only the second half of it, if this process has rolled back in the middle. */
static int turn(struct mend_recovery *r, bool resumes, int *ok_p)
{
    int err = MPI_SUCCESS;

    if (!resumes && !gather(r, &err))
        return MPI_SUCCESS;
    if (!err && !resumes && r->rolls_back && !decide(r, &err))
        return MPI_SUCCESS;
    return err || r->roll.rolls != resumes ? err : bring_into_order(r, ok_p);
}

/* What has recovered is noted, whether it has succeeded or not. */
static void conclude(struct mend_recovery *r)
{
    mend_list_foreach (l, next, &r->modules)
        if (!r->rolls_back || ((r->pending | r->asks) & mend_module_bit(module_of(l))))
            module_of(l)->recovered = true;
    if (r->rolls_back)
        mend_points_note(r, r->pending);
    if (r->rolls_back && !r->roll.refused)
        r->settled = mend_points_deaths(r);
    r->asks = r->pending = 0;
    r->insists = false;
}

/* Turns until one succeeds, or this process is to roll back. */
static int recover_once(struct mend_recovery *r, bool resumes)
{
    int ok = 0, err = MPI_SUCCESS;

    if (!resumes) {
        r->why = MEND_UNDO_WHY_NOTHING;
        r->before = INT_MAX;
        tell_all(r);
    }
    while (!err && !ok) {
        err = turn(r, resumes, &ok);
        resumes = false;
        if (!err && r->roll.rolls)
            return MPI_SUCCESS;
        if (!err && !ok && r->whole->size == r->before)
            err = MPI_ERR_OTHER;
        r->before = r->whole->size;
    }
    conclude(r);
    mend_roll_forget(r->self, &r->roll);
    r->generation++;
    mend_record_event(r->self, recovered, .left = r->whole->size, .ok = !err);
    return err;
}

static bool is_pending(const struct mend_recovery *r)
{
    return r->begun > r->generation;
}

/* One for which others have asked ends without a roll-back, as nobody has died: nothing is wrong here. */
static bool is_theirs(const struct mend_recovery *r, bool own, int err)
{
    return !own && err && r->why == MEND_UNDO_WHY_NO_DEATH;
}

/* Others may have come further and begun the next one, while this process was about to leave this one. */
static int run(struct mend_recovery *r, bool resumes)
{
    int err;

    r->recovering = true;
    do {
        bool own = resumes || r->asks;

        err = recover_once(r, resumes);
        resumes = false;
        if (!err && r->roll.rolls) {
            mend_undo_unwind(r->self, r->roll.target);
            return MPI_SUCCESS;
        }
        if (is_theirs(r, own, err))
            err = MPI_SUCCESS;
    } while (!err && is_pending(r));
    r->recovering = false;
    r->at_point = false;
    return err;
}

int mend_recovery_run(struct mend_recovery *r)
{
    return run(r, false);
}

int mend_recovery_resume(struct mend_recovery *r)
{
    return run(r, true);
}

/* Invariant 3. */
static bool comes_before(const struct mend_recovery *a, const struct mend_recovery *b)
{
    return a->order != b->order ? a->order < b->order : a->id < b->id;
}

/* The first that is pending, if none that recovers comes before it. */
static struct mend_recovery *next_pending(struct mend_proc *self)
{
    struct mend_recovery *first = NULL;

    mend_list_foreach (l, next, &self->modules) {
        struct mend_recovery *r = mend_list_entry(l, struct mend_recovery, link);

        if (r->whole && (r->recovering || is_pending(r)) && (!first || comes_before(r, first)))
            first = r;
    }
    return first && !first->recovering ? first : NULL;
}

void mend_recovery_run_pending(struct mend_proc *self)
{
    struct mend_recovery *r;

    while (!self->unwinds && (r = next_pending(self)))
        run(r, false);
}

/* Runs as a callback: without the lock. */
static void on_notice(MPI_Group sender, int key, const void *data, int bytes, void *state)
{
    struct mend_proc *self = state;
    struct mend_recovery *r;
    struct news news;

    (void)sender, (void)key;
    if (bytes != sizeof(news))
        return;
    memcpy(&news, data, sizeof(news));
    mend_lock(self);
    r = mend_recovery_find(self, news.id, !mend_is_buried(self, news.id));
    if (r && news.generation >= r->begun)
        r->begun = news.generation + 1;
    mend_recovery_run_pending(self);
    mend_unlock(self);
}

int mend_recovery_listen(struct mend_proc *self)
{
    int err = mend_notify_register(self, MEND_NOTIFY_MODULE, on_notice, self, MEND_NOTIFY_NESTS);

    return err ? err
               : mend_notify_register(self, MEND_NOTIFY_MODULE_IN_CALLS, on_notice, self,
                                      MEND_NOTIFY_NESTS | MEND_NOTIFY_IN_CALLS);
}
