/* SPDX-License-Identifier: BSD-3-Clause */
/* module.c – modules that recover (include/mend.h, recover/module.h). */
#include "recover/module.h"

#include "mpi/check.h"
#include "mpi/safe_point.h"

#include "comm/errcode.h"
#include "comm/errhandler.h"
#include "proc/report.h"

static int refuse_as(int class, const char *reason)
{
    mend_error_detail(mend_self, class, 0, "%s", reason);
    return class;
}

static int refuse(const char *reason)
{
    return refuse_as(MPI_ERR_OTHER, reason);
}

static int check_module(MPIX_Module module, struct mend_module **m_p)
{
    struct mend_module *m = (struct mend_module *)module;

    if (!mend_handle_is_object(m) || mend_handle_mark(&m->magic) != MEND_MODULE_MAGIC || m->freed)
        return MPI_ERR_ARG;
    *m_p = m;
    return MPI_SUCCESS;
}

static int check_how(int how, MPIX_Module_recover_function *recover)
{
    bool known =
        how == MPIX_MODULE_IN_CALLS || how == MPIX_MODULE_ANYTIME || how == MPIX_MODULE_ROLL_BACK;

    return known && (recover || how == MPIX_MODULE_ROLL_BACK) ? MPI_SUCCESS : MPI_ERR_ARG;
}

/* Others rely on it: a process that cannot ends, and they go on without it. */
static void roll_back(struct mend_proc *self)
{
    int err;

    mend_event(self, MEND_EV_MODULE_UNWOUND);
    err = mend_safe_point_back(mend_module_target(self), 1);
    mend_fatal(self, NULL, err, "a roll-back");
}

/* Numbers count the calls of all modules that roll back. */
static void tell(struct mend_recovery *r, bool back)
{
    uint64_t saved, undone;

    mend_safe_point_pages(&saved, &undone);
    if (back)
        mend_record_event(r->self, roll_back, .number = r->roll.target - r->first, .pages = undone,
                          .cut = r->roll.cut_n);
    else
        mend_record_event(r->self, safe_point, .number = r->self->points_n - r->first,
                          .pages = saved);
}

/* What no module needs any more behind this call. */
static void drop_spare_points(struct mend_module *m)
{
    unsigned nth;

    while ((nth = mend_module_spare_point(m))) {
        mend_safe_point_drop(nth);
        mend_module_drop_point(m, nth);
    }
}

/* Why no safe point can be made here; NULL: it can. */
static const char *why_not(void)
{
    if (mend_safe_point_is_behind())
        return "the program has made a safe point behind the module's, and not dropped it";
    return mend_undo_say(mend_undo_obstacle(mend_self, true));
}

/* The safe point behind a call of the module, where the call returns once more if the process rolls back. */
static int make_point(struct mend_module *m)
{
    const char *what = why_not();
    int err, back = 0;

    mend_module_left(m);
    drop_spare_points(m);
    mend_module_keep_point(m);
    mend_self->on_unwound = roll_back;
    if (what) {
        mend_module_lose_point(m);
        return refuse_as(MPI_ERR_UNSUPPORTED_OPERATION, what);
    }
    err = mend_safe_point_of_module(&back);
    if (!err)
        tell(m->recovery, back);
    if (back)
        return mend_module_resume(m);
    if (err)
        mend_module_lose_point(m);
    return err;
}

/* It has a safe point of its own from the beginning: at once, or where all others have come as far. */
static int make_first_point(struct mend_module *m)
{
    bool points = true;
    int err = MPI_SUCCESS;

    if (m->recovery->modules.next != &m->link)
        err = mend_module_wait_to_leave(m, &points);
    return err || !points ? err : make_point(m);
}

/* A process without a part in the module has no communicator of it. */
static MPI_Comm handle_of(const struct mend_module *m)
{
    return m->comm ? mend_comm_handle(m->comm) : MPI_COMM_NULL;
}

MEND_API(MPIX_Module_create);
int MPIX_Module_create(MPI_Comm comm, MPIX_Module_recover_function *recover, void *state, int how,
                       MPIX_Module *module)
{
    struct mend_comm *c = NULL;
    struct mend_module *m = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_intra(comm, &c);
    if (!err)
        err = module ? check_how(how, recover) : MPI_ERR_ARG;
    if (!err && how == MPIX_MODULE_ROLL_BACK)
        err = mend_check_outside_callback();
    if (!err)
        err = mend_module_create(c, recover, state, how, &m);
    if (!err)
        *module = (MPIX_Module)m;
    if (!err && m->recovery->rolls_back)
        err = make_first_point(m);
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPIX_Module_enter);
int MPIX_Module_enter(MPIX_Module module, MPI_Comm *comm)
{
    struct mend_module *m = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_module(module, &m);
    if (!err)
        err = mend_check_pointer(comm);
    if (!err) {
        mend_module_enter(m);
        *comm = handle_of(m);
    }
    return mend_report(err, __func__);
}

/* *recovered is written behind the safe point: memory rolls back. */
static int leave(struct mend_module *m, int *recovered)
{
    bool points = false;
    int err = MPI_SUCCESS;

    if (m->recovery->rolls_back && m->depth == 1)
        err = mend_module_wait_to_leave(m, &points);
    if (err || mend_self->unwinds)
        return err;
    mend_module_leave(m);
    if (points)
        err = make_point(m);
    *recovered = m->recovered;
    return err;
}

MEND_API(MPIX_Module_leave);
int MPIX_Module_leave(MPIX_Module module, int *recovered)
{
    struct mend_module *m = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_module(module, &m);
    if (!err)
        err = mend_check_pointer(recovered);
    if (!err && !m->depth)
        err = refuse("the module was not entered");
    if (!err && m->recovery->rolls_back)
        err = mend_check_outside_callback();
    if (!err)
        err = leave(m, recovered);
    return mend_report(err, __func__);
}

/* Another participant may have been faster: then the communicator of the call that has failed is an old one. */
static bool has_recovered(const struct mend_module *m, MPI_Comm comm)
{
    return comm != MPI_COMM_NULL && comm != handle_of(m);
}

MEND_API(MPIX_Module_recover);
int MPIX_Module_recover(MPIX_Module module, MPI_Comm *comm)
{
    struct mend_module *m = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_module(module, &m);
    if (!err)
        err = mend_check_pointer(comm);
    if (!err && m->recovery->recovering)
        err = refuse("the module recovers already");
    if (!err && !has_recovered(m, *comm))
        err = mend_module_recover(m, *comm == MPI_COMM_NULL);
    if (!err)
        *comm = handle_of(m);
    return mend_report(err, __func__);
}

MEND_API(MPIX_Module_free);
int MPIX_Module_free(MPIX_Module *module)
{
    struct mend_module *m = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_pointer(module);
    if (!err)
        err = check_module(*module, &m);
    if (!err && (m->depth || m->recovery->recovering))
        err = refuse("the module is in use");
    if (!err) {
        if (mend_module_free(m))
            mend_safe_point_drop_all();
        *module = MPIX_MODULE_NULL;
    }
    return mend_report(err, __func__);
}
