/* SPDX-License-Identifier: BSD-3-Clause */
/* ft.c – fault tolerance on communicators: the names of 2012, of today, and MPI_ERRors between.
 *
 * Docstrings for users are in include/mpi_ft.h.  Two vocabularies, one core (create/create.h):
 *   MPI_Comm_invalidate = MPIX_Comm_revoke       MPI_Comm_agreement: boolean, never fails (R16)
 *   MPI_Comm_shrink: invalid input only (R17)    MPIX_Comm_agree: bitwise, tells unacknowledged deaths
 *   MPIX_Comm_shrink: any communicator */
#include "mpi/check.h"

#include "comm/errcode.h"
#include "create/create.h"

#include <limits.h>

MEND_API(MPI_Comm_invalidate);
MEND_API_SAME(MPI_Comm_revoke, MPI_Comm_invalidate);
MEND_API_SAME(MPIX_Comm_revoke, MPI_Comm_invalidate);
int MPI_Comm_invalidate(MPI_Comm comm)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        mend_revoke(c);
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPI_Comm_is_revoked);
MEND_API_SAME(MPIX_Comm_is_revoked, MPI_Comm_is_revoked);
int MPI_Comm_is_revoked(MPI_Comm comm, int *flag)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(flag);
    if (!err) {
        mend_look_around(mend_self); /* so that a program may wait by asking */
        *flag = c->revoked;
    }
    return mend_report_comm(c, err, __func__);
}

static int shrink(MPI_Comm comm, MPI_Comm *newcomm, bool strict, const char *fn)
{
    struct mend_comm *c = NULL, *made = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(newcomm);
    if (!err) {
        err = mend_create_shrink(c, strict, &made);
        if (err == MPI_ERR_ARG)
            mend_error_detail(mend_self, err, 0, "%s is not revoked; MPIX_Comm_shrink takes it",
                              mend_comm_label(c));
    }
    if (!err)
        *newcomm = made ? mend_comm_handle(made) : MPI_COMM_NULL;
    return mend_report_comm(c, err, fn);
}

MEND_API(MPI_Comm_shrink);
int MPI_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm)
{
    return shrink(comm, newcomm, true, __func__);
}

MEND_API(MPIX_Comm_shrink);
int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm *newcomm)
{
    return shrink(comm, newcomm, false, __func__);
}

MEND_API(MPI_Comm_ishrink);
MEND_API_SAME(MPIX_Comm_ishrink, MPI_Comm_ishrink);
int MPI_Comm_ishrink(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
    struct mend_comm *c = NULL;
    struct mend_request *r = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(newcomm);
    if (!err)
        err = mend_check_pointer(request);
    if (!err)
        err = mend_create_ishrink(c, (struct mend_comm **)newcomm, &r);
    if (!err)
        *request = mend_mpi_request_handle(r);
    return mend_report_comm(c, err, __func__);
}

static int agree(MPI_Comm comm, int *flag, bool logical, const char *fn)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(flag);
    if (!err)
        err = mend_decide_flag(c, logical, flag);
    return mend_report_comm(c, err, fn);
}

MEND_API(MPI_Comm_agreement);
int MPI_Comm_agreement(MPI_Comm comm, int *flag)
{
    return agree(comm, flag, true, __func__);
}

MEND_API(MPI_Comm_agree);
MEND_API_SAME(MPIX_Comm_agree, MPI_Comm_agree);
int MPI_Comm_agree(MPI_Comm comm, int *flag)
{
    return agree(comm, flag, false, __func__);
}

static int iagree(MPI_Comm comm, int *flag, MPI_Request *request, bool logical, const char *fn)
{
    struct mend_comm *c = NULL;
    struct mend_request *r = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(flag);
    if (!err)
        err = mend_check_pointer(request);
    if (!err) {
        mend_decide_iflag(c, logical, flag, &r);
        *request = mend_mpi_request_handle(r);
    }
    return mend_report_comm(c, err, fn);
}

MEND_API(MPI_Icomm_agreement);
int MPI_Icomm_agreement(MPI_Comm comm, int *flag, MPI_Request *req)
{
    return iagree(comm, flag, req, true, __func__);
}

MEND_API(MPI_Comm_iagree);
MEND_API_SAME(MPIX_Comm_iagree, MPI_Comm_iagree);
int MPI_Comm_iagree(MPI_Comm comm, int *flag, MPI_Request *request)
{
    return iagree(comm, flag, request, false, __func__);
}

MEND_API(MPIX_Comm_agree_failed);
int MPIX_Comm_agree_failed(MPI_Comm comm, MPI_Group *failedgroup)
{
    struct mend_comm *c = NULL;
    struct mend_group *failed = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(failedgroup);
    if (!err)
        err = mend_decide_failed(c, &failed);
    if (!err)
        *failedgroup = mend_group_handle(failed);
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPIX_Comm_iagree_failed);
int MPIX_Comm_iagree_failed(MPI_Comm comm, MPI_Group *failedgroup, MPI_Request *request)
{
    struct mend_comm *c = NULL;
    struct mend_request *r = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(failedgroup);
    if (!err)
        err = mend_check_pointer(request);
    if (!err) {
        mend_decide_ifailed(c, failedgroup, &r);
        *request = mend_mpi_request_handle(r);
    }
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPI_Comm_failure_ack);
MEND_API_SAME(MPIX_Comm_failure_ack, MPI_Comm_failure_ack);
int MPI_Comm_failure_ack(MPI_Comm comm)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        mend_p2p_ack(c, INT_MAX);
    return mend_report_comm(c, err, __func__);
}

static int get_members(MPI_Comm comm, MPI_Group *group, bool acked, const char *fn)
{
    struct mend_comm *c = NULL;
    struct mend_group *g = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(group);
    if (!err)
        err = mend_p2p_get_failed(c, acked, &g);
    if (!err)
        *group = mend_group_handle(g);
    return mend_report_comm(c, err, fn);
}

MEND_API(MPI_Comm_failure_get_acked);
MEND_API_SAME(MPIX_Comm_failure_get_acked, MPI_Comm_failure_get_acked);
int MPI_Comm_failure_get_acked(MPI_Comm comm, MPI_Group *failedgroup)
{
    return get_members(comm, failedgroup, true, __func__);
}

MEND_API(MPI_Comm_get_failed);
MEND_API_SAME(MPIX_Comm_get_failed, MPI_Comm_get_failed);
int MPI_Comm_get_failed(MPI_Comm comm, MPI_Group *failedgroup)
{
    return get_members(comm, failedgroup, false, __func__);
}

MEND_API(MPI_Comm_ack_failed);
MEND_API_SAME(MPIX_Comm_ack_failed, MPI_Comm_ack_failed);
int MPI_Comm_ack_failed(MPI_Comm comm, int num_to_ack, int *num_acked)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(num_acked);
    if (!err && num_to_ack < 0)
        err = MPI_ERR_ARG;
    if (!err)
        *num_acked = mend_p2p_ack(c, num_to_ack);
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPI_Comm_validate);
int MPI_Comm_validate(MPI_Comm comm, MPI_Group *failed_grp)
{
    struct mend_comm *c = NULL;
    struct mend_group *failed = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(failed_grp);
    if (!err)
        err = mend_create_validate(c, &failed);
    if (!err) {
        mend_failure_told_group(mend_self, failed);
        *failed_grp = mend_group_handle(failed);
    }
    return mend_report_comm(c, err, __func__);
}
