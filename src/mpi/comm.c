/* SPDX-License-Identifier: BSD-3-Clause */
/* comm.c – questions about communicators, names, hints (MPI-5.0 7.4, 7.6, 7.8).
 *
 * All local: none waits, all work on a revoked communicator and with dead members (S0-67). */
#include "mpi/check.h"

#include "comm/info.h"
#include "comm/objects.h"

#include <string.h>

MEND_API(MPI_Comm_size);
int MPI_Comm_size(MPI_Comm comm, int *size)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_find_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(size);
    if (!err)
        *size = c->size;
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPI_Comm_rank);
int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_find_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(rank);
    if (!err)
        *rank = c->rank;
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPI_Comm_remote_size);
int MPI_Comm_remote_size(MPI_Comm comm, int *size)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_inter(comm, &c);
    if (!err)
        err = mend_check_pointer(size);
    if (!err)
        *size = c->remote->size;
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPI_Comm_test_inter);
int MPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_find_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(flag);
    if (!err)
        *flag = c->inter;
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPI_Comm_compare);
int MPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int *result)
{
    struct mend_comm *a = NULL, *b = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_find_comm(comm1, &a);
    if (!err)
        err = mend_find_comm(comm2, &b);
    if (!err)
        err = mend_check_pointer(result);
    if (!err)
        *result = mend_comm_compare(a, b);
    return mend_report_comm(a, err, __func__);
}

/* The user frees the group. */
MEND_API(MPI_Comm_group);
int MPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_find_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(group);
    if (!err) {
        mend_group_get(c->group);
        *group = mend_group_handle(c->group);
    }
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPI_Comm_remote_group);
int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_inter(comm, &c);
    if (!err)
        err = mend_check_pointer(group);
    if (!err) {
        mend_group_get(c->remote);
        *group = mend_group_handle(c->remote);
    }
    return mend_report_comm(c, err, __func__);
}

/* A longer name is cut. */
MEND_API(MPI_Comm_set_name);
int MPI_Comm_set_name(MPI_Comm comm, const char *comm_name)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_find_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(comm_name);
    if (!err)
        err = mend_comm_set_name(c, comm_name);
    return mend_report_comm(c, err, __func__);
}

/* The null handles have names, too (MPI-5.0 7.8). */
MEND_API(MPI_Comm_get_name);
int MPI_Comm_get_name(MPI_Comm comm, char *comm_name, int *resultlen)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err && comm != MPI_COMM_NULL)
        err = mend_find_comm(comm, &c);
    if (!err && !(comm_name && resultlen))
        err = MPI_ERR_ARG;
    if (!err) {
        strcpy(comm_name, c ? mend_comm_name(c) : "MPI_COMM_NULL");
        *resultlen = (int)strlen(comm_name);
    }
    return mend_report_comm(c, err, __func__);
}

/* Hints are kept and given back; none of them changes anything in this library. */
MEND_API(MPI_Comm_set_info);
int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info)
{
    struct mend_comm *c = NULL;
    struct mend_info *i = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_find_comm(comm, &c);
    if (!err)
        err = mend_check_info(info, &i);
    if (!err)
        err = mend_comm_add_info(c, i);
    return mend_report_comm(c, err, __func__);
}

/* The user frees the info object. */
MEND_API(MPI_Comm_get_info);
int MPI_Comm_get_info(MPI_Comm comm, MPI_Info *info_used)
{
    struct mend_comm *c = NULL;
    struct mend_info *i = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_find_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(info_used);
    if (!err) {
        i = mend_info_dup(mend_self, c->info);
        err = i ? mend_comm_info_set_kinds(c, i) : MPI_ERR_NO_MEM;
    }
    if (!err)
        *info_used = (MPI_Info)i;
    else if (i)
        mend_info_free(mend_self, i);
    return mend_report_comm(c, err, __func__);
}

/* MPI_COMM_NULL in a process that was not started by another one (11.8.2). */
MEND_API(MPI_Comm_get_parent);
int MPI_Comm_get_parent(MPI_Comm *parent)
{
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_pointer(parent);
    if (!err)
        *parent = mend_comm_handle(mend_self->parent);
    return mend_report(err, __func__);
}

/* Handles and integers (20.4): may be called at any time.  What is not a handle gives 0, which is not a
 * handle of any class, and raises nothing. */
MEND_API(MPI_Comm_toint);
int MPI_Comm_toint(MPI_Comm comm)
{
    int n = mend_enter_any(__func__) ? 0 : mend_handle_toint(mend_self, comm);

    mend_leave(MPI_SUCCESS);
    return n;
}

MEND_API(MPI_Comm_fromint);
MPI_Comm MPI_Comm_fromint(int comm)
{
    MPI_Comm handle =
        mend_enter_any(__func__) ? NULL : (MPI_Comm)mend_handle_fromint(mend_self, comm);

    mend_leave(MPI_SUCCESS);
    return handle;
}
