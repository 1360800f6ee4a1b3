/* SPDX-License-Identifier: BSD-3-Clause */
/* errhandler.c – error handlers, error codes and texts (MPI-5.0 9.3 to 9.5).
 *
 * All local; all work on a revoked communicator (S0-67).  A handler lives until the user has freed
 * it and no communicator has it any more. */
#include "mpi/check.h"

#include "comm/errcode.h"
#include "comm/errhandler.h"

#include <string.h>

/* ---- Handlers of communicators ---- */

MEND_API(MPI_Comm_create_errhandler);
int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *comm_errhandler_fn,
                               MPI_Errhandler *errhandler)
{
    struct mend_errhandler *e = NULL;
    int err = mend_enter(__func__);

    if (!err && !(comm_errhandler_fn && errhandler))
        err = MPI_ERR_ARG;
    if (!err) {
        e = mend_errhandler_create(mend_self, MEND_ERRH_OF_COMM);
        err = e ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    if (!err) {
        e->comm_fn = comm_errhandler_fn;
        *errhandler = mend_errhandler_handle(e);
    }
    return mend_report(err, __func__);
}

/* MPI_ERR_ERRHANDLER: none, or one for windows, files or sessions. */
MEND_API(MPI_Comm_set_errhandler);
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler)
{
    struct mend_comm *c = NULL;
    struct mend_errhandler *e = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_find_comm(comm, &c);
    if (!err)
        err = mend_check_errhandler(errhandler, &e);
    if (!err && e->object != MEND_ERRH_OF_COMM && e->object != MEND_ERRH_OF_ANY)
        err = MPI_ERR_ERRHANDLER;
    if (!err)
        mend_comm_set_errhandler(c, e);
    return mend_report_comm(c, err, __func__);
}

/* The user frees it, also a predefined one. */
MEND_API(MPI_Comm_get_errhandler);
int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *errhandler)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_find_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(errhandler);
    if (!err) {
        mend_errhandler_get(c->errhandler);
        *errhandler = mend_errhandler_handle(c->errhandler);
    }
    return mend_report_comm(c, err, __func__);
}

/* MPI_SUCCESS once the handler has returned. */
MEND_API(MPI_Comm_call_errhandler);
int MPI_Comm_call_errhandler(MPI_Comm comm, int errorcode)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_find_comm(comm, &c);
    if (err)
        return mend_report(err, __func__);
    mend_raise(mend_self, c, errorcode, __func__);
    return MPI_SUCCESS;
}

/* A predefined handler stays; only the variable changes. */
static void free_handler(struct mend_proc *self, void *e)
{
    mend_errhandler_put(self, e);
}

MEND_API(MPI_Errhandler_free);
int MPI_Errhandler_free(MPI_Errhandler *errhandler)
{
    struct mend_errhandler *e = NULL;
    int err = mend_enter_any(__func__);

    if (!err)
        err = mend_check_pointer(errhandler);
    if (!err)
        err = mend_check_errhandler(*errhandler, &e);
    if (!err) {
        mend_undo_free(mend_self, free_handler, e, false);
        *errhandler = MPI_ERRHANDLER_NULL;
    }
    return mend_report(err, __func__);
}

/* Numbers of handles, as MPI_Comm_toint. */
MEND_API(MPI_Errhandler_toint);
int MPI_Errhandler_toint(MPI_Errhandler errhandler)
{
    int n = mend_enter_any(__func__) ? 0 : mend_handle_toint(mend_self, errhandler);

    mend_leave(MPI_SUCCESS);
    return n;
}

MEND_API(MPI_Errhandler_fromint);
MPI_Errhandler MPI_Errhandler_fromint(int errhandler)
{
    MPI_Errhandler handle = mend_enter_any(__func__)
                                ? NULL
                                : (MPI_Errhandler)mend_handle_fromint(mend_self, errhandler);

    mend_leave(MPI_SUCCESS);
    return handle;
}

/* ---- Handlers of windows, files and sessions ---- */

static int create(int object, void (*fn)(void), MPI_Errhandler *errhandler, bool any_time,
                  const char *caller)
{
    struct mend_errhandler *e = NULL;
    int err = any_time ? mend_enter_any(caller) : mend_enter(caller);

    if (!err && !(fn && errhandler))
        err = MPI_ERR_ARG;
    if (!err) {
        e = mend_errhandler_create(mend_self, object);
        err = e ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    if (!err) {
        e->win_fn = (MPI_Win_errhandler_function *)fn;
        *errhandler = mend_errhandler_handle(e);
    }
    return mend_report(err, caller);
}

MEND_API(MPI_Win_create_errhandler);
int MPI_Win_create_errhandler(MPI_Win_errhandler_function *win_errhandler_fn,
                              MPI_Errhandler *errhandler)
{
    return create(MEND_ERRH_OF_WIN, (void (*)(void))win_errhandler_fn, errhandler, false, __func__);
}

MEND_API(MPI_File_create_errhandler);
int MPI_File_create_errhandler(MPI_File_errhandler_function *file_errhandler_fn,
                               MPI_Errhandler *errhandler)
{
    return create(MEND_ERRH_OF_FILE, (void (*)(void))file_errhandler_fn, errhandler, false,
                  __func__);
}

MEND_API(MPI_Session_create_errhandler);
int MPI_Session_create_errhandler(MPI_Session_errhandler_function *session_errhandler_fn,
                                  MPI_Errhandler *errhandler)
{
    return create(MEND_ERRH_OF_SESSION, (void (*)(void))session_errhandler_fn, errhandler, true,
                  __func__);
}

/* ---- Codes and texts: may be used at any time ---- */

MEND_API(MPI_Error_class);
int MPI_Error_class(int errorcode, int *errorclass)
{
    int err = mend_enter_any(__func__);

    if (!err)
        err = mend_check_pointer(errorclass);
    if (!err)
        err = mend_errcode_class(mend_self, errorcode, errorclass);
    return mend_report(err, __func__);
}

/* For a failure the text tells which rank, on which host, why, and how long ago (R14): of the last
 * one that was raised. */
MEND_API(MPI_Error_string);
int MPI_Error_string(int errorcode, char *string, int *resultlen)
{
    int err = mend_enter_any(__func__);

    if (!err && !(string && resultlen))
        err = MPI_ERR_ARG;
    if (!err)
        err = mend_errcode_text(mend_self, errorcode, string, MPI_MAX_ERROR_STRING);
    if (!err)
        *resultlen = (int)strlen(string);
    return mend_report(err, __func__);
}

MEND_API(MPI_Add_error_class);
int MPI_Add_error_class(int *errorclass)
{
    int err = mend_enter_any(__func__);

    if (!err)
        err = mend_check_pointer(errorclass);
    if (!err)
        err = mend_errcode_add_class(mend_self, errorclass);
    return mend_report(err, __func__);
}

MEND_API(MPI_Add_error_code);
int MPI_Add_error_code(int errorclass, int *errorcode)
{
    int err = mend_enter_any(__func__);

    if (!err)
        err = mend_check_pointer(errorcode);
    if (!err)
        err = mend_errcode_add_code(mend_self, errorclass, errorcode);
    return mend_report(err, __func__);
}

/* A longer text is cut. */
MEND_API(MPI_Add_error_string);
int MPI_Add_error_string(int errorcode, const char *string)
{
    int err = mend_enter_any(__func__);

    if (!err)
        err = mend_check_pointer(string);
    if (!err)
        err = mend_errcode_add_text(mend_self, errorcode, string);
    return mend_report(err, __func__);
}

MEND_API(MPI_Remove_error_class);
int MPI_Remove_error_class(int errorclass)
{
    int err = mend_enter_any(__func__);

    if (!err)
        err = mend_errcode_remove_class(mend_self, errorclass);
    return mend_report(err, __func__);
}

MEND_API(MPI_Remove_error_code);
int MPI_Remove_error_code(int errorcode)
{
    int err = mend_enter_any(__func__);

    if (!err)
        err = mend_errcode_remove_code(mend_self, errorcode);
    return mend_report(err, __func__);
}

MEND_API(MPI_Remove_error_string);
int MPI_Remove_error_string(int errorcode)
{
    int err = mend_enter_any(__func__);

    if (!err)
        err = mend_errcode_remove_text(mend_self, errorcode);
    return mend_report(err, __func__);
}
