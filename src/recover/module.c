/* SPDX-License-Identifier: BSD-3-Clause */
/* module.c – creating, entering, leaving and freeing modules (module.h). */
#include "recover/module.h"

#include "comm/errcode.h"
#include "comm/errhandler.h"
#include "comm/objects.h"
#include "create/create.h"
#include "decide/decide.h"
#include "notify/notify.h"
#include "proc/report.h"

/* --- creation --- */

/* What has to be the same at all members, or is the worst of what they have. */
struct terms {
    bool anywhere, rolls_back;
    bool joins;              /* there are modules already with which it rolls back */
    const char *alone;       /* why not here */
    uint64_t order, numbers; /* numbers: free ones */
    uint64_t points_n;
    int error;
};

/* Two truths as bits: the members agree if one bit of the two is set at all. */
static uint64_t both(bool a, bool b)
{
    return (a ? 1 : 2) | (b ? 4 : 8);
}

static bool all_agree(uint64_t bits)
{
    return (bits & 3) && (bits & 12);
}

static void agree_on(struct mend_comm *c, struct terms *t)
{
    struct mend_proc *self = c->self;
    struct mend_decision value = {
        .and_word = {UINT64_MAX, t->anywhere, both(t->rolls_back, t->joins), t->numbers},
        .max_word = {0, self->points_n, (uint64_t)t->error}};

    mend_list_foreach (l, next, &self->modules) {
        const struct mend_recovery *r = mend_list_entry(l, struct mend_recovery, link);

        if (r->whole && r->order > value.max_word[0])
            value.max_word[0] = r->order;
        if (r->whole && !r->anywhere)
            value.and_word[1] = 0;
    }
    mend_decide(c, &value);
    if (value.failed)
        mend_group_put(self, value.failed);
    t->order = value.max_word[0] + 1;
    t->anywhere = value.and_word[1] & 1;
    t->numbers = value.and_word[3];
    t->points_n = value.max_word[1];
    t->error = (int)value.max_word[2];
    if (!t->error && !all_agree(value.and_word[2]))
        t->error = MPI_ERR_ARG;
    if (!t->error && t->rolls_back && !t->numbers)
        t->error = MPI_ERR_UNSUPPORTED_OPERATION;
}

static bool has_all(struct mend_proc *self, struct mend_group *of, struct mend_group *in)
{
    for (int i = 0; i < of->size; i++) {
        mend_peer p = mend_group_peer(of, i);

        if (!mend_peer_is_dead(self, p) && mend_group_rank(self, in, p) == MPI_UNDEFINED)
            return false;
    }
    return true;
}

/* Memory is one: what one module rolls back the others had better not rely on, unless they go back as well. */
static const char *why_alone(struct mend_comm *c, bool rolls_back,
                             const struct mend_recovery *beside)
{
    if (!rolls_back)
        return beside ? "a module that does not roll back cannot be beside one that does: its "
                        "calls would be undone at some processes"
                      : NULL;
    if (!beside)
        return !mend_list_empty(&c->self->modules) ? "a module that rolls back cannot be beside "
                                                     "one that does not, whose calls it would undo"
                                                   : NULL;
    if (!has_all(c->self, c->group, beside->whole->group) ||
        !has_all(c->self, beside->whole->group, c->group))
        return "modules of a process that roll back have the same members: create them on "
               "communicators of "
               "all, with NULL for recover where a process has no part";
    return NULL;
}

static uint64_t free_numbers(const struct mend_recovery *r)
{
    uint64_t taken = 0;

    if (r)
        mend_list_foreach (l, next, &r->modules)
            taken |= mend_module_bit(mend_list_entry(l, struct mend_module, link));
    return ~taken;
}

/* The communicators of a module, from what c is a duplicate of. */
static int make_comms(struct mend_comm *c, struct terms *t, bool has_part, struct mend_comm **own_p,
                      struct mend_comm **part_p)
{
    struct mend_proc *self = c->self;
    int err = mend_create_dup(c, mend_recovery_listen(self), own_p);

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

/* What recovers the module. */
static struct mend_recovery *take_up(const struct terms *t, struct mend_comm *own)
{
    struct mend_proc *self = own->self;
    struct mend_recovery *r = mend_recovery_find(self, own->ctx, true); /* news may have come */

    own->made_at = MEND_UNDO_APART;
    r->whole = own;
    r->members = own->group;
    mend_group_get(r->members);
    r->rolls_back = t->rolls_back;
    r->anywhere = t->anywhere;
    r->order = t->order;
    if (r->rolls_back)
        self->points_n = t->points_n;
    r->first = self->points_n + 1;
    return r;
}

static void explain(struct mend_proc *self, const struct terms *t)
{
    mend_error_detail(self, MPI_ERR_UNSUPPORTED_OPERATION, 0, "%s",
                      t->alone ? t->alone
                      : !t->numbers
                          ? "a process has 64 modules that roll back at most"
                          : "it cannot be beside another module of a process of the communicator");
}

static struct terms terms_of(struct mend_comm *c, int how, struct mend_recovery *beside)
{
    bool rolls_back = how == MPIX_MODULE_ROLL_BACK;
    struct terms t = {.anywhere = how != MPIX_MODULE_IN_CALLS,
                      .rolls_back = rolls_back,
                      .joins = beside && rolls_back,
                      .alone = why_alone(c, rolls_back, beside),
                      .numbers = free_numbers(beside)};

    t.error = t.alone ? MPI_ERR_UNSUPPORTED_OPERATION : MPI_SUCCESS;
    return t;
}

int mend_module_create(struct mend_comm *c, MPIX_Module_recover_function *recover, void *state,
                       int how, struct mend_module **m_p)
{
    struct mend_proc *self = c->self;
    struct mend_recovery *r = mend_recovery_that_rolls(self);
    struct terms terms = terms_of(c, how, r);
    bool opens = terms.rolls_back && !terms.error && !r;
    struct mend_comm *own = NULL, *part = NULL;
    struct mend_module *m;
    int err;

    if (opens)
        terms.error = mend_undo_open(self);
    err = make_comms(c, &terms, recover != NULL, &own, &part);
    if (err && opens && self->undo)
        mend_undo_close(self);
    if (err == MPI_ERR_UNSUPPORTED_OPERATION)
        explain(self, &terms);
    if (err)
        return err;
    if (terms.joins)
        mend_create_free(own);
    else
        r = take_up(&terms, own);
    m = mend_alloc_to_take_part(self, sizeof(*m));
    *m = (struct mend_module){.magic = MEND_MODULE_MAGIC,
                              .recovery = r,
                              .comm = part,
                              .recover = recover,
                              .state = state,
                              .number = (unsigned)__builtin_ctzll(terms.numbers)};
    mend_list_append(&r->modules, &m->link);
    if (!r->rolls_back)
        mend_recovery_run_pending(self);
    *m_p = m;
    return MPI_SUCCESS;
}

/* --- calls of it --- */

void mend_module_enter(struct mend_module *m)
{
    if (m->depth++ == 0)
        m->recovered = false;
}

bool mend_module_leave(struct mend_module *m)
{
    if (--m->depth == 0)
        mend_recovery_free_old(m->recovery);
    return m->recovered;
}

/* The same at all: they have decided it together. */
static void explain_refusal(const struct mend_recovery *r)
{
    if (r->why == MEND_UNDO_WHY_NO_DEATH)
        mend_error_detail(r->self, MPI_ERR_OTHER, 0,
                          "no process has died since the safe point, so behind a roll-back the "
                          "module would meet the same error again");
    else if (r->why)
        mend_error_detail(r->self, MPI_ERR_UNSUPPORTED_OPERATION, 0, "rank %d of the module: %s",
                          r->who, mend_undo_say(r->why));
    else
        mend_error_detail(r->self, MPI_ERR_UNSUPPORTED_OPERATION, 0,
                          "there is no safe point to which all can roll back that have to");
}

int mend_module_recover(struct mend_module *m, bool insists)
{
    struct mend_recovery *r = m->recovery;
    int err;

    r->asks |= mend_module_bit(m);
    r->insists |= insists;
    err = mend_recovery_run(r);
    if (err == MPI_ERR_UNSUPPORTED_OPERATION || (err && r->why == MEND_UNDO_WHY_NO_DEATH))
        explain_refusal(r); /* in a call of its own, and not where a callback has taken part */
    mend_recovery_run_pending(r->self);
    return err;
}

/* A recovery during the barrier has decided where this process is: whether the barrier was over by then counts for nothing, since
 * the others may be where they have to wait again. */
int mend_module_wait_to_leave(struct mend_module *m, bool *point_p)
{
    struct mend_recovery *r = m->recovery;
    struct mend_proc *self = r->self;
    struct mend_coll_how how = {.kind = MEND_COLL_NOW};
    int err = MPI_SUCCESS;

    r->leaving = true;
    while (!err && !self->unwinds &&
           r->done <= self->points_n) { /* else others have left it already */
        uint64_t generation = r->generation;
        int failed = mend_coll_barrier(r->whole, &how);

        /* A recovery in the barrier has decided where this process is.  That the barrier is over counts for nothing then: the
         * others may be where they have to wait again. */
        if (r->generation != generation || self->unwinds)
            continue;
        if (!failed)
            break;
        err = mend_module_recover(m, false);
        if (failed == MEND_CLASS_INVALIDATED && r->why == MEND_UNDO_WHY_NO_DEATH)
            err = MPI_SUCCESS; /* another member has asked; the barrier goes on */
    }
    *point_p = !err && !self->unwinds;
    if (!self->unwinds)
        r->leaving = false;
    return err;
}

int mend_module_resume(struct mend_module *m)
{
    struct mend_recovery *r = m->recovery;
    struct mend_proc *self = r->self;
    int err;

    mend_event(self, MEND_EV_MODULE_BACK);
    mend_points_back(r);
    r->leaving = false;
    r->at_point = true;
    err = mend_recovery_resume(r);
    mend_recovery_free_old(r);
    mend_recovery_run_pending(self);
    return err;
}

/* --- its end --- */

void mend_module_end(struct mend_module *m)
{
    struct mend_recovery *r = m->recovery;

    mend_list_remove(&m->link);
    if (r->rolls_back && m->comm)
        mend_create_free(m->comm);
    m->magic = 0;
    mend_free(r->self, m);
}

static void end_later(struct mend_proc *self, void *m)
{
    (void)self;
    mend_module_end(m);
}

/* Some safe point that is kept knows of it. */
static bool may_come_back(const struct mend_module *m)
{
    mend_list_foreach (l, next, &m->recovery->points)
        if (mend_list_entry(l, struct mend_point, link)->exists & mend_module_bit(m))
            return true;
    return false;
}

static bool is_last(const struct mend_module *m)
{
    mend_list_foreach (l, next, &m->recovery->modules) {
        const struct mend_module *other = mend_list_entry(l, struct mend_module, link);

        if (other != m && !other->freed)
            return false;
    }
    return true;
}

static void end_recovery(struct mend_recovery *r)
{
    struct mend_proc *self = r->self;

    while (!mend_list_empty(&r->modules)) /* those that have no safe point to wait for any more */
        mend_module_end(mend_list_entry(r->modules.next, struct mend_module, link));
    mend_recovery_free_old(r);
    mend_list_remove(&r->link);
    mend_create_free(r->whole);
    mend_group_put(self, r->members);
    mend_free(self, r);
    if (!mend_list_empty(&self->modules))
        return;
    mend_notify_unregister(self, MEND_NOTIFY_MODULE);
    mend_notify_unregister(self, MEND_NOTIFY_MODULE_IN_CALLS);
}

bool mend_module_free(struct mend_module *m)
{
    struct mend_recovery *r = m->recovery;
    struct mend_proc *self = r->self;
    bool rolls_back = r->rolls_back;

    m->freed = true;
    if (!is_last(m)) {
        mend_undo_free(self, end_later, m, !may_come_back(m));
        return false;
    }
    if (rolls_back) {
        mend_module_lose_all_points(self);
        mend_undo_close(self); /* ends those that were freed before */
    }
    end_recovery(r);
    return rolls_back;
}
