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

    if (!mend_handle_is_object(m) || m->magic != MEND_MODULE_MAGIC)
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
    err = mend_safe_point_back(1);
    mend_fatal(self, NULL, err, "a roll-back");
}

static void tell(struct mend_module *m, bool back)
{
    uint64_t saved, undone;

    mend_safe_point_pages(&saved, &undone);
    if (back)
        mend_record_event(m->self, roll_back, .number = m->left, .pages = undone,
                          .cut = m->roll.cut_n);
    else
        mend_record_event(m->self, safe_point, .number = m->left, .pages = saved);
}

/* The safe point behind a call of the module, where the call returns once more if the process rolls back. */
static int make_point(struct mend_module *m)
{
    const char *what = mend_undo_obstacle(mend_self, true);
    int err, back = 0;

    mend_module_left(m);
    m->has_point = false;
    mend_self->on_unwound = roll_back;
    mend_safe_point_drop();
    if (what)
        return refuse_as(MPI_ERR_UNSUPPORTED_OPERATION, what);
    m->has_point = true;
    err = mend_safe_point_of_module(&back);
    if (!err)
        tell(m, back);
    if (back)
        return mend_module_resume(m);
    m->has_point = !err;
    return err;
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
    if (!err && m->rolls_back)
        err = make_point(m);
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

    if (m->rolls_back && m->depth == 1)
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
    if (!err && m->rolls_back)
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
    if (!err && m->recovering)
        err = refuse("the module recovers already");
    if (!err && !has_recovered(m, *comm))
        err = mend_module_recover(m);
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
    if (!err && (m->depth || m->recovering))
        err = refuse("the module is in use");
    if (!err) {
        if (m->rolls_back)
            mend_safe_point_drop();
        mend_module_free(m);
        *module = MPIX_MODULE_NULL;
    }
    return mend_report(err, __func__);
}
