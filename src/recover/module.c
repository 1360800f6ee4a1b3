/* SPDX-License-Identifier: BSD-3-Clause */
/* module.c – see module.h. */
#include "recover/module.h"

#include "comm/errcode.h"
#include "comm/errhandler.h"
#include "comm/handle.h"
#include "comm/objects.h"
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

static struct mend_module *find(struct mend_proc *self, uint64_t id)
{
    mend_list_foreach (l, next, &self->modules) {
        struct mend_module *m = mend_list_entry(l, struct mend_module, link);

        if (m->id == id)
            return m;
    }
    return NULL;
}

/* Others depend on it: the creation has been decided. */
static struct mend_module *make(struct mend_proc *self, uint64_t id)
{
    struct mend_module *m = mend_alloc_to_take_part(self, sizeof(*m));

    *m = (struct mend_module){.self = self, .id = id};
    mend_list_init(&m->old);
    mend_list_append(&self->modules, &m->link);
    return m;
}

/* That the program may still be in a call on. */
struct old_comm {
    struct mend_list link;
    struct mend_comm *comm;
};

static void free_old(struct mend_module *m)
{
    while (!mend_list_empty(&m->old)) {
        struct old_comm *o = mend_list_entry(m->old.next, struct old_comm, link);

        mend_list_remove(&o->link);
        mend_create_free(o->comm);
        mend_free(m->self, o);
    }
}

static void keep_old(struct mend_module *m, struct mend_comm *c)
{
    struct old_comm *o = mend_alloc_to_take_part(m->self, sizeof(*o));

    o->comm = c;
    mend_list_append(&m->old, &o->link);
    if (!m->depth)
        free_old(m);
}

/* m has a communicator of those that are left in place of the one before. */
static void replace_whole(struct mend_module *m, struct mend_comm *made)
{
    struct mend_comm *before = m->whole;

    made->made_at = MEND_UNDO_APART;
    m->whole = made;
    if (!m->rolls_back)
        m->comm = made;
    keep_old(m, before);
}

/* A dead one is not told; one that dies next is no longer waited for. */
static void tell_all(struct mend_module *m)
{
    struct mend_proc *self = m->self;
    struct news news = {m->id, m->generation};
    int key = m->anywhere ? MEND_NOTIFY_MODULE : MEND_NOTIFY_MODULE_IN_CALLS;

    for (int r = 0; r < m->whole->size; r++)
        if (r != m->whole->rank)
            mend_notify_send(self, mend_group_peer(m->whole->group, r), key, &news, sizeof(news));
}

static int call_recover(struct mend_module *m)
{
    struct mend_proc *self = m->self;
    const char *call = self->call;
    int err;

    mend_unlock(self);
    err = m->recover(mend_comm_handle(m->comm), m->depth > 0, m->state);
    mend_lock(self);
    self->call = call;
    mend_event(self, MEND_EV_MODULE_AGREE);
    return err;
}

/* Those that are left. */
static int gather(struct mend_module *m)
{
    struct mend_comm *made = NULL;
    int err;

    if (m->comm)
        mend_revoke(m->comm);
    mend_revoke(m->whole);
    mend_event(m->self, MEND_EV_MODULE_RECOVER);
    err = mend_create_shrink(m->whole, false, &made);
    if (!err && !made) /* the others have decided that this process is dead */
        err = MPI_ERR_PROC_FAILED;
    if (!err)
        replace_whole(m, made);
    return err;
}

static struct mend_roll_position position(struct mend_module *m)
{
    return (struct mend_roll_position){
        .left = m->left,
        .place = m->at_point  ? MEND_ROLL_POINT
                 : m->leaving ? MEND_ROLL_LEAVING
                              : MEND_ROLL_OUT,
        .has_part = m->recover != NULL,
        .cannot = !m->has_point || mend_undo_obstacle(m->self, false) != NULL,
    };
}

/* Which of them roll back.  False, at all: one more has died, of which this process may not have heard, and the turn is over. */
static bool decide(struct mend_module *m, int *err_p)
{
    struct mend_roll_position mine = position(m);

    if (mend_roll_exchange(m->whole, m->members, &mine, &m->roll))
        return false;
    mend_event(m->self, MEND_EV_MODULE_DECIDED);
    m->done = m->roll.left;
    if (m->roll.refused)
        *err_p = MPI_ERR_UNSUPPORTED_OPERATION;
    return true;
}

/* The communicator of those that have a part, in place of the one before. */
static int gather_participants(struct mend_module *m)
{
    struct mend_comm *made = NULL;
    int err;

    if (!m->rolls_back)
        return MPI_SUCCESS;
    err = mend_create_split(m->whole, m->recover ? 0 : MPI_UNDEFINED, 0, &made);
    if (err || !made)
        return err;
    made->made_at = MEND_UNDO_APART;
    if (m->comm)
        keep_old(m, m->comm);
    m->comm = made;
    return MPI_SUCCESS;
}

/* The second half of a turn.  *ok_p: the recovery function has succeeded at all that have a part. */
static int bring_into_order(struct mend_module *m, int *ok_p)
{
    if (m->rolls_back)
        mend_roll_cut(m->self, &m->roll);
    m->roll.rolls = false;
    *ok_p = gather_participants(m) == MPI_SUCCESS;
    if (*ok_p && m->recover) {
        *ok_p = call_recover(m) == MPI_SUCCESS;
        if (!*ok_p && m->rolls_back)
            mend_revoke(m->comm); /* others may wait for this process in their function */
    }
    return mend_decide_flag(m->whole, true, ok_p);
}

/* Only the second half of it, if this process has rolled back in the middle. */
static int turn(struct mend_module *m, bool resumes, int *ok_p)
{
    int err = resumes ? MPI_SUCCESS : gather(m);

    if (err == MEND_CLASS_PROC_FAILED && m->whole->inactive)
        return MPI_SUCCESS; /* one more has died */
    if (!err && !resumes && m->rolls_back && !decide(m, &err))
        return MPI_SUCCESS;
    return err || m->roll.rolls != resumes ? err : bring_into_order(m, ok_p);
}

/* Turns until one succeeds, or this process is to roll back. */
static int recover_once(struct mend_module *m, bool resumes)
{
    int ok = 0, err = MPI_SUCCESS;

    if (!resumes) {
        m->before = INT_MAX;
        tell_all(m);
    }
    while (!err && !ok) {
        err = turn(m, resumes, &ok);
        resumes = false;
        if (!err && m->roll.rolls)
            return MPI_SUCCESS;
        if (!err && !ok && m->whole->size == m->before)
            err = MPI_ERR_OTHER;
        m->before = m->whole->size;
    }
    mend_roll_forget(m->self, &m->roll);
    m->generation++;
    mend_record_event(m->self, recovered, .left = m->whole->size, .ok = !err);
    return err;
}

static bool is_pending(const struct mend_module *m)
{
    return m->begun > m->generation;
}

/* Others may have come further and begun the next one, while this process was about to leave this one. */
static int run_recovery(struct mend_module *m, bool resumes)
{
    int err;

    m->recovering = true;
    do {
        err = recover_once(m, resumes);
        resumes = false;
        if (!err && m->roll.rolls) {
            mend_undo_unwind(m->self);
            return MPI_SUCCESS;
        }
    } while (!err && is_pending(m));
    m->recovering = false;
    m->recovered = true;
    m->at_point = false;
    return err;
}

/* Invariant 3. */
static bool comes_before(const struct mend_module *a, const struct mend_module *b)
{
    return a->order != b->order ? a->order < b->order : a->id < b->id;
}

/* The first that is pending, if none that recovers comes before it. */
static struct mend_module *next_pending(struct mend_proc *self)
{
    struct mend_module *first = NULL;

    mend_list_foreach (l, next, &self->modules) {
        struct mend_module *m = mend_list_entry(l, struct mend_module, link);

        if (m->whole && (m->recovering || is_pending(m)) && (!first || comes_before(m, first)))
            first = m;
    }
    return first && !first->recovering ? first : NULL;
}

static void recover_pending(struct mend_proc *self)
{
    struct mend_module *m;

    while (!self->unwinds && (m = next_pending(self)))
        run_recovery(m, false);
}

/* What this process knows of it; elsewhere it may be more. */
static void explain(struct mend_module *m)
{
    const char *mine = mend_undo_obstacle(m->self, false);

    if (!mine && !m->has_point)
        mine = "there is no safe point here";
    mend_error_detail(
        m->self, MPI_ERR_UNSUPPORTED_OPERATION, 0, "%s",
        mine ? mine
             : "a process of the module cannot roll back, or has communicated with one "
               "that is not of the module");
}

int mend_module_recover(struct mend_module *m)
{
    int err = run_recovery(m, false);

    if (err == MPI_ERR_UNSUPPORTED_OPERATION)
        explain(m); /* in a call of its own, and not where a callback has taken part */
    recover_pending(m->self);
    return err;
}

/* Runs as a callback: without the lock. */
static void on_notice(MPI_Group sender, int key, const void *data, int bytes, void *state)
{
    struct mend_proc *self = state;
    struct mend_module *m;
    struct news news;

    (void)sender, (void)key;
    if (bytes != sizeof(news))
        return;
    memcpy(&news, data, sizeof(news));
    mend_lock(self);
    m = find(self, news.id);
    if (!m && !mend_is_buried(self, news.id))
        m = make(self, news.id);
    if (m && news.generation >= m->begun)
        m->begun = news.generation + 1;
    recover_pending(self);
    mend_unlock(self);
}

static int listen_for(struct mend_proc *self)
{
    int err = mend_notify_register(self, MEND_NOTIFY_MODULE, on_notice, self, MEND_NOTIFY_NESTS);

    return err ? err
               : mend_notify_register(self, MEND_NOTIFY_MODULE_IN_CALLS, on_notice, self,
                                      MEND_NOTIFY_NESTS | MEND_NOTIFY_IN_CALLS);
}

/* What has to be the same at all participants, or is the worst of what they have. */
struct terms {
    bool anywhere, rolls_back;
    uint64_t order;
    int error;
};

static void agree_on(struct mend_comm *c, struct terms *t)
{
    struct mend_proc *self = c->self;
    struct mend_decision value = {.and_word = {UINT64_MAX, t->anywhere, t->rolls_back, UINT64_MAX},
                                  .max_word = {0, t->rolls_back, (uint64_t)t->error}};

    mend_list_foreach (l, next, &self->modules) {
        const struct mend_module *m = mend_list_entry(l, struct mend_module, link);

        if (m->whole && m->order > value.max_word[0])
            value.max_word[0] = m->order;
        if (m->whole && !m->anywhere)
            value.and_word[1] = 0;
    }
    mend_decide(c, &value);
    if (value.failed)
        mend_group_put(self, value.failed);
    t->order = value.max_word[0] + 1;
    t->anywhere = value.and_word[1] & 1;
    t->error = (int)value.max_word[2];
    if (!t->error && (value.and_word[2] & 1) != value.max_word[1])
        t->error = MPI_ERR_ARG;
}

/* Memory is one: what one module rolls back the others had better not rely on. */
static int check_alone(struct mend_proc *self, bool rolls_back)
{
    return !mend_list_empty(&self->modules) && (rolls_back || self->undo)
               ? MPI_ERR_UNSUPPORTED_OPERATION
               : MPI_SUCCESS;
}

/* The communicators of a module, from what c is a duplicate of. */
static int make_comms(struct mend_comm *c, struct terms *t, bool has_part, struct mend_comm **own_p,
                      struct mend_comm **part_p)
{
    struct mend_proc *self = c->self;
    int err = mend_create_dup(c, listen_for(self), own_p);

    if (err)
        return err;
    mend_comm_set_errhandler(*own_p, &self->objects->return_code);
    agree_on(*own_p, t);
    err = t->error;
    *part_p = t->rolls_back ? NULL : *own_p;
    if (!err && t->rolls_back)
        err = mend_create_split(*own_p, has_part ? 0 : MPI_UNDEFINED, 0, part_p);
    if (err)
        mend_create_free(*own_p);
    return err;
}

static void take_up(struct mend_module *m, const struct terms *t, struct mend_comm *own,
                    struct mend_comm *part)
{
    own->made_at = MEND_UNDO_APART;
    if (part)
        part->made_at = MEND_UNDO_APART;
    m->whole = own;
    m->members = own->group;
    mend_group_get(m->members);
    m->comm = part;
    m->rolls_back = t->rolls_back;
    m->anywhere = t->anywhere;
    m->order = t->order;
    m->magic = MEND_MODULE_MAGIC;
}

/* It may be known already: news of it has come (make()). */
int mend_module_create(struct mend_comm *c, MPIX_Module_recover_function *recover, void *state,
                       int how, struct mend_module **m_p)
{
    struct mend_proc *self = c->self;
    struct terms terms = {.anywhere = how != MPIX_MODULE_IN_CALLS,
                          .rolls_back = how == MPIX_MODULE_ROLL_BACK,
                          .error = check_alone(self, how == MPIX_MODULE_ROLL_BACK)};
    bool opens = terms.rolls_back && !terms.error;
    struct mend_comm *own = NULL, *part = NULL;
    struct mend_module *m;
    int err;

    if (opens)
        terms.error = mend_undo_open(self);
    err = make_comms(c, &terms, recover != NULL, &own, &part);
    if (err && opens && self->undo)
        mend_undo_close(self);
    if (err)
        return err;
    m = find(self, own->ctx);
    if (!m)
        m = make(self, own->ctx);
    m->recover = recover;
    m->state = state;
    take_up(m, &terms, own, part);
    if (!m->rolls_back)
        recover_pending(self);
    *m_p = m;
    return MPI_SUCCESS;
}

void mend_module_enter(struct mend_module *m)
{
    if (m->depth++ == 0)
        m->recovered = false;
}

bool mend_module_leave(struct mend_module *m)
{
    if (--m->depth == 0) {
        m->left += m->rolls_back;
        free_old(m);
    }
    return m->recovered;
}

/* A recovery during the barrier has decided where this process is: whether the barrier was over by then counts for nothing, since
 * the others may be where they have to wait again. */
int mend_module_wait_to_leave(struct mend_module *m, bool *point_p)
{
    struct mend_proc *self = m->self;
    struct mend_coll_how how = {.kind = MEND_COLL_NOW};
    int err = MPI_SUCCESS;

    m->leaving = true;
    while (!err && !self->unwinds && m->done <= m->left) { /* else others have left it already */
        uint64_t generation = m->generation;
        bool all_here = mend_coll_barrier(m->whole, &how) == MPI_SUCCESS;

        if (self->unwinds || m->generation != generation)
            continue;
        if (all_here)
            break;
        err = mend_module_recover(m);
    }
    *point_p = !err && !self->unwinds;
    if (!self->unwinds)
        m->leaving = false;
    return err;
}

void mend_module_left(struct mend_module *m)
{
    mend_event(m->self, MEND_EV_MODULE_POINT);
    mend_undo_point(m->self);
    m->depth = m->depth_then = 0;
    m->held_then = mend_notify_held(m->self);
    free_old(m);
}

int mend_module_resume(struct mend_module *m)
{
    struct mend_proc *self = m->self;
    int err;

    mend_event(self, MEND_EV_MODULE_BACK);
    mend_notify_restore(self, m->held_then);
    mend_undo_back(self);
    m->leaving = false;
    m->at_point = true;
    m->depth = m->depth_then;
    err = run_recovery(m, true);
    free_old(m);
    recover_pending(self);
    return err;
}

struct mend_module *mend_module_that_rolls(struct mend_proc *self)
{
    mend_list_foreach (l, next, &self->modules)
        if (mend_list_entry(l, struct mend_module, link)->rolls_back)
            return mend_list_entry(l, struct mend_module, link);
    return NULL;
}

void mend_module_free(struct mend_module *m)
{
    struct mend_proc *self = m->self;

    mend_list_remove(&m->link);
    if (m->rolls_back && m->comm)
        mend_create_free(m->comm);
    mend_create_free(m->whole);
    mend_group_put(self, m->members);
    if (m->rolls_back)
        mend_undo_close(self);
    m->magic = 0;
    mend_free(self, m);
    if (!mend_list_empty(&self->modules))
        return;
    mend_notify_unregister(self, MEND_NOTIFY_MODULE);
    mend_notify_unregister(self, MEND_NOTIFY_MODULE_IN_CALLS);
}
