/* SPDX-License-Identifier: BSD-3-Clause */
/* module.c – modules that recover (include/mend.h, recover/module.h). */
#include "recover/module.h"

#include "mpi/check.h"

#include "comm/errcode.h"

static int refuse(const char *reason)
{
    mend_error_detail(mend_self, MPI_ERR_OTHER, 0, "%s", reason);
    return MPI_ERR_OTHER;
}

static int check_module(MPIX_Module module, struct mend_module **m_p)
{
    struct mend_module *m = (struct mend_module *)module;

    if (!mend_handle_is_object(m) || m->magic != MEND_MODULE_MAGIC)
        return MPI_ERR_ARG;
    *m_p = m;
    return MPI_SUCCESS;
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
    if (!err &&
        (!recover || !module || (how != MPIX_MODULE_IN_CALLS && how != MPIX_MODULE_ANYTIME)))
        err = MPI_ERR_ARG;
    if (!err)
        err = mend_module_create(c, recover, state, how == MPIX_MODULE_ANYTIME, &m);
    if (!err)
        *module = (MPIX_Module)m;
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
        *comm = mend_comm_handle(m->comm);
    }
    return mend_report(err, __func__);
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
    if (!err)
        *recovered = mend_module_leave(m);
    return mend_report(err, __func__);
}

/* Another participant may have been faster: then the communicator of the call that has failed is an old one. */
static bool has_recovered(const struct mend_module *m, MPI_Comm comm)
{
    return comm != MPI_COMM_NULL && comm != mend_comm_handle(m->comm);
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
        *comm = mend_comm_handle(m->comm);
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
        mend_module_free(m);
        *module = MPIX_MODULE_NULL;
    }
    return mend_report(err, __func__);
}
