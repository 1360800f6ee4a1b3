/* SPDX-License-Identifier: BSD-3-Clause */
/* win_object.c – what windows have in common with other objects: attributes, name, hints, error handler, number, and what
 * the fault-tolerance interface says of them.
 *
 * All local, except MPI_Win_invalidate, which revokes.  All work on a revoked window and with dead members. */
#include "mpi/win.h"

#include "comm/attr.h"
#include "comm/errhandler.h"
#include "comm/info.h"
#include "comm/objects.h"
#include "decide/revoke.h"
#include "mpi_ft.h"

#include <string.h>

/* ---- attributes ---- */

MEND_API(MPI_Win_set_attr);
int MPI_Win_set_attr(MPI_Win win, int win_keyval, void *attribute_val)
{
    struct mend_win *w = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_win(win, &w);
    if (!err && win_keyval >= MPI_WIN_BASE && win_keyval <= MPI_WIN_MODEL)
        err = MPI_ERR_KEYVAL;
    if (!err)
        err = mend_attr_set(mend_self, MEND_ATTR_WIN, &w->attrs, (void *)win, win_keyval,
                            attribute_val);
    return mend_report_win(w, err, __func__);
}

/* The base is the value; the others are pointers to theirs (MPI-5.0 12.2.7).  NULL: keyval is not one of them. */
static void *predefined(struct mend_win *w, int keyval, bool *found_p)
{
    *found_p = true;
    switch (keyval) {
    case MPI_WIN_BASE:
        return w->flavor == MPI_WIN_FLAVOR_DYNAMIC ? MPI_BOTTOM : w->base;
    case MPI_WIN_SIZE:
        return &w->size;
    case MPI_WIN_DISP_UNIT:
        return &w->disp_unit_int;
    case MPI_WIN_CREATE_FLAVOR:
        return &w->flavor;
    case MPI_WIN_MODEL:
        return &w->model;
    default:
        *found_p = false;
        return NULL;
    }
}

MEND_API(MPI_Win_get_attr);
int MPI_Win_get_attr(MPI_Win win, int win_keyval, void *attribute_val, int *flag)
{
    struct mend_win *w = NULL;
    void *value = NULL;
    bool found = false;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_win(win, &w);
    if (!err && !(attribute_val && flag))
        err = MPI_ERR_ARG;
    if (!err)
        value = predefined(w, win_keyval, &found);
    if (!err && !found)
        err = mend_attr_get(mend_self, MEND_ATTR_WIN, w->attrs, win_keyval, &value, &found);
    if (!err) {
        *flag = found;
        if (found)
            *(void **)attribute_val = value;
    }
    return mend_report_win(w, err, __func__);
}

MEND_API(MPI_Win_delete_attr);
int MPI_Win_delete_attr(MPI_Win win, int win_keyval)
{
    struct mend_win *w = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_win(win, &w);
    if (!err && win_keyval >= MPI_WIN_BASE && win_keyval <= MPI_WIN_MODEL)
        err = MPI_ERR_KEYVAL;
    if (!err)
        err = mend_attr_delete(mend_self, MEND_ATTR_WIN, &w->attrs, (void *)win, win_keyval);
    return mend_report_win(w, err, __func__);
}

/* ---- name ---- */

MEND_API(MPI_Win_set_name);
int MPI_Win_set_name(MPI_Win win, const char *win_name)
{
    struct mend_win *w = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_win(win, &w);
    if (!err)
        err = mend_check_pointer(win_name);
    if (!err)
        err = mend_comm_set_name(w->comm, win_name);
    return mend_report_win(w, err, __func__);
}

MEND_API(MPI_Win_get_name);
int MPI_Win_get_name(MPI_Win win, char *win_name, int *resultlen)
{
    struct mend_win *w = NULL;
    int err = mend_enter(__func__);

    if (!err && win != MPI_WIN_NULL)
        err = mend_check_win(win, &w);
    if (!err && !(win_name && resultlen))
        err = MPI_ERR_ARG;
    if (!err) {
        strcpy(win_name, !w ? "MPI_WIN_NULL" : w->comm->name ? w->comm->name : "");
        *resultlen = (int)strlen(win_name);
    }
    return mend_report_win(w, err, __func__);
}

/* ---- hints ---- */

/* Kept; the result of MPI_Win_get_info depends on them (mend_win_info()). */
MEND_API(MPI_Win_set_info);
int MPI_Win_set_info(MPI_Win win, MPI_Info info)
{
    struct mend_win *w = NULL;
    struct mend_info *i = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_win(win, &w);
    if (!err)
        err = mend_check_info(info, &i);
    if (!err)
        err = mend_comm_add_info(w->comm, i);
    return mend_report_win(w, err, __func__);
}

/* The user frees the info object. */
MEND_API(MPI_Win_get_info);
int MPI_Win_get_info(MPI_Win win, MPI_Info *info_used)
{
    struct mend_win *w = NULL;
    struct mend_info *i = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_win(win, &w);
    if (!err)
        err = mend_check_pointer(info_used);
    if (!err)
        err = mend_win_info(w, &i);
    if (!err)
        *info_used = (MPI_Info)i;
    return mend_report_win(w, err, __func__);
}

/* ---- error handler ---- */

/* MPI_ERR_ERRHANDLER: none, or one for other objects. */
MEND_API(MPI_Win_set_errhandler);
int MPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler)
{
    struct mend_win *w = NULL;
    struct mend_errhandler *e = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_win(win, &w);
    if (!err)
        err = mend_check_errhandler(errhandler, &e);
    if (!err && e->object != MEND_ERRH_OF_WIN && e->object != MEND_ERRH_OF_ANY)
        err = MPI_ERR_ERRHANDLER;
    if (!err)
        mend_comm_set_errhandler(w->comm, e);
    return mend_report_win(w, err, __func__);
}

/* The user frees it, also a predefined one. */
MEND_API(MPI_Win_get_errhandler);
int MPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler *errhandler)
{
    struct mend_win *w = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_win(win, &w);
    if (!err)
        err = mend_check_pointer(errhandler);
    if (!err) {
        mend_errhandler_get(w->comm->errhandler);
        *errhandler = mend_errhandler_handle(w->comm->errhandler);
    }
    return mend_report_win(w, err, __func__);
}

/* MPI_SUCCESS once the handler has returned. */
MEND_API(MPI_Win_call_errhandler);
int MPI_Win_call_errhandler(MPI_Win win, int errorcode)
{
    struct mend_win *w = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_win(win, &w);
    if (err)
        return mend_report(err, __func__);
    mend_raise(mend_self, w->comm, errorcode, __func__);
    return MPI_SUCCESS;
}

/* ---- number ---- */

MEND_API(MPI_Win_toint);
int MPI_Win_toint(MPI_Win win)
{
    struct mend_win *w = NULL;
    int err = mend_enter_any(__func__), n = (int)(uintptr_t)MPI_WIN_NULL;

    if (!err && win != MPI_WIN_NULL)
        err = mend_check_win(win, &w);
    if (!err && w)
        n = mend_handle_toint(mend_self, w);
    return mend_report(err, __func__) ? 0 : n;
}

MEND_API(MPI_Win_fromint);
MPI_Win MPI_Win_fromint(int win)
{
    struct mend_win *w = NULL;
    MPI_Win handle = MPI_WIN_NULL;
    int err = mend_enter_any(__func__);

    if (!err && win != (int)(uintptr_t)MPI_WIN_NULL) {
        handle = mend_handle_fromint(mend_self, win);
        err = mend_check_win(handle, &w);
    }
    return mend_report(err, __func__) ? NULL : handle;
}

/* ---- failures ---- */

static int invalidate(MPI_Win win, const char *fn)
{
    struct mend_win *w = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_win(win, &w);
    if (!err)
        mend_revoke(w->comm);
    return mend_report_win(w, err, fn);
}

MEND_API(MPI_Win_invalidate);
int MPI_Win_invalidate(MPI_Win win)
{
    return invalidate(win, __func__);
}

MEND_API(MPIX_Win_revoke);
int MPIX_Win_revoke(MPI_Win win)
{
    return invalidate(win, __func__);
}

static int get_failed(MPI_Win win, MPI_Group *failedgroup, const char *fn)
{
    struct mend_win *w = NULL;
    struct mend_group *g = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_win(win, &w);
    if (!err)
        err = mend_check_pointer(failedgroup);
    if (!err)
        err = mend_p2p_get_failed(w->comm, false, &g);
    if (!err)
        *failedgroup = mend_group_handle(g);
    return mend_report_win(w, err, fn);
}

MEND_API(MPI_Win_get_failed);
int MPI_Win_get_failed(MPI_Win win, MPI_Group *failedgroup)
{
    return get_failed(win, failedgroup, __func__);
}

MEND_API(MPIX_Win_get_failed);
int MPIX_Win_get_failed(MPI_Win win, MPI_Group *failedgroup)
{
    return get_failed(win, failedgroup, __func__);
}
