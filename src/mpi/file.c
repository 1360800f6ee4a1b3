/* SPDX-License-Identifier: BSD-3-Clause */
/* file.c – files as objects: opening, closing, size, views, hints, error handlers (MPI-5.0 14.2, 14.3, 14.7).
 *
 * Collective over the file: open, close, set_size, preallocate, set_view, set_info, set_atomicity, sync.  They return when
 * all survivors have called them, all with the same error class: MPI_ERR_PROC_FAILED if a member is dead,
 * MPI_ERR_INVALIDATED if the file was revoked.  The others are local, and work whichever members are dead.
 * The handler of MPI_FILE_NULL, MPI_ERRORS_RETURN at first, is that of errors without a file, and of new files. */
#include "mpi/file.h"

#include "comm/errcode.h"
#include "comm/errhandler.h"
#include "comm/info.h"
#include "datatype/envelope.h"
#include "decide/revoke.h"
#include "mpi_ft.h"

#include <string.h>

int mend_report_file(struct mend_file *f, int err, const char *fn)
{
    struct mend_proc *self = mend_self;

    if (f || !err || !self || self->state != MEND_PROC_RUNNING)
        return mend_report_comm(f ? f->comm : NULL, err, fn);
    return mend_raise_file(self, NULL, err, fn);
}

/* ---- opening and closing ---- */

/* The file's handler gets no error of this call: there is no file yet. */
MEND_API(MPI_File_open);
int MPI_File_open(MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh)
{
    struct mend_comm *c = NULL;
    struct mend_info *hints = NULL;
    struct mend_file *f = NULL;
    int own_error = MPI_SUCCESS, err = mend_enter(__func__);

    if (!err)
        err = mend_check_intra(comm, &c);
    if (!err)
        err = mend_check_pointer(fh);
    if (!err) {
        own_error = mend_check_info_or_null(info, &hints);
        if (!own_error && !(filename && *filename))
            own_error = MPI_ERR_BAD_FILE;
        err = mend_file_open(c, filename, amode, hints, own_error, &f);
        *fh = err ? MPI_FILE_NULL : (MPI_File)f;
    }
    return mend_report_file(NULL, err, __func__);
}

MEND_API(MPI_File_close);
int MPI_File_close(MPI_File *fh)
{
    struct mend_file *f = NULL;
    struct mend_errhandler *e;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_pointer(fh);
    if (!err)
        err = mend_check_file(*fh, &f);
    if (err)
        return mend_report_file(NULL, err, __func__);
    if (f->split)
        return mend_report_file(f, MPI_ERR_IO, __func__);
    err = mend_file_finish(f);
    e = f->comm->errhandler;
    if (err && (e->kind == MEND_ERRH_FATAL || e->kind == MEND_ERRH_ABORT))
        return mend_report_file(f, err, __func__); /* ends the file's group */
    mend_errhandler_get(e);
    mend_file_drop(f);
    *fh = MPI_FILE_NULL;
    if (!err) {
        mend_errhandler_put(mend_self, e);
        return mend_leave(MPI_SUCCESS);
    }
    return mend_raise_file(mend_self, e, err, __func__); /* e stays, for a handler may not return */
}

MEND_API(MPI_File_delete);
int MPI_File_delete(const char *filename, MPI_Info info)
{
    struct mend_info *hints;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_info_or_null(info, &hints);
    if (!err && !filename)
        err = MPI_ERR_ARG;
    if (!err)
        err = mend_file_delete(mend_self, filename);
    return mend_report_file(NULL, err, __func__);
}

/* ---- size ---- */

MEND_API(MPI_File_set_size);
int MPI_File_set_size(MPI_File fh, MPI_Offset size)
{
    struct mend_file *f = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_file(fh, &f);
    if (!err)
        err = mend_file_set_size(f, size, false);
    return mend_report_file(f, err, __func__);
}

MEND_API(MPI_File_preallocate);
int MPI_File_preallocate(MPI_File fh, MPI_Offset size)
{
    struct mend_file *f = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_file(fh, &f);
    if (!err)
        err = mend_file_set_size(f, size, true);
    return mend_report_file(f, err, __func__);
}

MEND_API(MPI_File_get_size);
int MPI_File_get_size(MPI_File fh, MPI_Offset *size)
{
    struct mend_file *f = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_file(fh, &f);
    if (!err)
        err = mend_check_pointer(size);
    if (!err)
        err = mend_file_size(f, size);
    return mend_report_file(f, err, __func__);
}

/* ---- what it was opened with ---- */

MEND_API(MPI_File_get_group);
int MPI_File_get_group(MPI_File fh, MPI_Group *group)
{
    struct mend_file *f = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_file(fh, &f);
    if (!err)
        err = mend_check_pointer(group);
    if (!err) {
        mend_group_get(f->comm->group);
        *group = mend_group_handle(f->comm->group);
    }
    return mend_report_file(f, err, __func__);
}

MEND_API(MPI_File_get_amode);
int MPI_File_get_amode(MPI_File fh, int *amode)
{
    struct mend_file *f = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_file(fh, &f);
    if (!err)
        err = mend_check_pointer(amode);
    if (!err)
        *amode = f->amode;
    return mend_report_file(f, err, __func__);
}

/* Collective, for all must use the same ways. */
MEND_API(MPI_File_set_info);
int MPI_File_set_info(MPI_File fh, MPI_Info info)
{
    struct mend_file *f = NULL;
    struct mend_info *i = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_file(fh, &f);
    if (!err) {
        int own_error = mend_check_info_or_null(info, &i);

        err = mend_file_set_hints(f, i, own_error);
    }
    return mend_report_file(f, err, __func__);
}

MEND_API(MPI_File_get_info);
int MPI_File_get_info(MPI_File fh, MPI_Info *info_used)
{
    struct mend_file *f = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_file(fh, &f);
    if (!err)
        err = mend_check_pointer(info_used);
    if (!err) {
        struct mend_info *i = mend_info_dup(mend_self, f->comm->info);

        err = i ? mend_file_hints_write(mend_self, &f->hints, i) : MPI_ERR_NO_MEM;
        if (!err)
            err = mend_comm_info_set_kinds(f->comm, i);
        if (!err)
            *info_used = (MPI_Info)i;
        else if (i)
            mend_info_free(mend_self, i);
    }
    return mend_report_file(f, err, __func__);
}

/* ---- views ---- */

static int read_view(struct mend_file *f, MPI_Datatype etype, MPI_Datatype filetype,
                     const char *datarep, struct mend_view *v)
{
    int err = mend_check_committed(etype, &v->etype);

    if (!err)
        err = mend_check_committed(filetype, &v->filetype);
    if (!err)
        err = mend_check_pointer(datarep);
    if (!err) {
        v->datarep = mend_datarep_find(f->self, datarep);
        err = v->datarep ? MPI_SUCCESS : MPI_ERR_UNSUPPORTED_DATAREP;
    }
    if (!err && (v->disp == MPI_DISPLACEMENT_CURRENT) != !!(f->amode & MPI_MODE_SEQUENTIAL))
        err = MPI_ERR_ARG;
    return err;
}

/* MPI_DISPLACEMENT_CURRENT: where the shared pointer is; files with MPI_MODE_SEQUENTIAL know no other place (MPI-5.0 14.3). */
MEND_API(MPI_File_set_view);
int MPI_File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
                      const char *datarep, MPI_Info info)
{
    struct mend_view v = {.disp = disp, .etype_handle = etype, .filetype_handle = filetype};
    struct mend_file *f = NULL;
    struct mend_info *i = NULL;
    int own_error, err = mend_enter(__func__);

    if (!err)
        err = mend_check_file(fh, &f);
    if (!err) {
        own_error = read_view(f, etype, filetype, datarep, &v);
        if (!own_error)
            own_error = mend_check_info_or_null(info, &i);
        if (!own_error && i)
            own_error = mend_comm_add_info(f->comm, i);
        err = mend_file_set_view(f, &v, i, own_error);
    }
    return mend_report_file(f, err, __func__);
}

/* A predefined type as it is, also those of MPI_Type_create_f90_real; else a new object, for the program frees what it gets as
 * well as what it has made (MPI-5.0 14.3). */
static int give_type(const struct mend_type *t, MPI_Datatype handle, MPI_Datatype *given_p)
{
    struct mend_type *copy;
    int err = t->predefined ? MPI_SUCCESS : mend_type_dup(mend_self, t, &copy);

    if (!err)
        *given_p = t->predefined ? handle : (MPI_Datatype)copy;
    return err;
}

/* Outputs are written only on success. */
static int give_types(const struct mend_view *v, MPI_Datatype *etype, MPI_Datatype *filetype)
{
    MPI_Datatype e, t;
    int err = give_type(v->etype, v->etype_handle, &e);

    if (err)
        return err;
    err = give_type(v->filetype, v->filetype_handle, &t);
    if (err && !v->etype->predefined)
        mend_type_release(mend_self, mend_type_of(e));
    if (err)
        return err;
    *etype = e;
    *filetype = t;
    return MPI_SUCCESS;
}

MEND_API(MPI_File_get_view);
int MPI_File_get_view(MPI_File fh, MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *filetype,
                      char *datarep)
{
    struct mend_file *f = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_file(fh, &f);
    if (!err && !(disp && etype && filetype && datarep))
        err = MPI_ERR_ARG;
    if (!err)
        err = give_types(&f->view, etype, filetype);
    if (!err) {
        *disp = f->view.disp;
        strcpy(datarep, f->view.datarep->name);
    }
    return mend_report_file(f, err, __func__);
}

/* ---- positions ---- */

/* Where an offset of the view lies, in bytes from the beginning of the file. */
MEND_API(MPI_File_get_byte_offset);
int MPI_File_get_byte_offset(MPI_File fh, MPI_Offset offset, MPI_Offset *disp)
{
    struct mend_file *f = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_file(fh, &f);
    if (!err && !(disp && offset >= 0 && mend_view_has(&f->view, offset, 0)))
        err = MPI_ERR_ARG;
    if (!err)
        *disp = mend_view_offset(&f->view, offset);
    return mend_report_file(f, err, __func__);
}

static int check_seek(const struct mend_file *f, int whence)
{
    if (f->amode & MPI_MODE_SEQUENTIAL)
        return MPI_ERR_UNSUPPORTED_OPERATION;
    return whence == MPI_SEEK_SET || whence == MPI_SEEK_CUR || whence == MPI_SEEK_END ? MPI_SUCCESS
                                                                                      : MPI_ERR_ARG;
}

MEND_API(MPI_File_seek);
int MPI_File_seek(MPI_File fh, MPI_Offset offset, int whence)
{
    struct mend_file *f = NULL;
    MPI_Offset to;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_file(fh, &f);
    if (!err)
        err = check_seek(f, whence);
    if (!err)
        err = mend_file_seek(f, offset, whence, f->position, &to);
    if (!err)
        f->position = to;
    return mend_report_file(f, err, __func__);
}

/* Local and without an error also after a failure (S0-54). */
MEND_API(MPI_File_get_position);
int MPI_File_get_position(MPI_File fh, MPI_Offset *offset)
{
    struct mend_file *f = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_file(fh, &f);
    if (!err)
        err = mend_check_pointer(offset);
    if (!err && f->amode & MPI_MODE_SEQUENTIAL)
        err = MPI_ERR_UNSUPPORTED_OPERATION;
    if (!err)
        *offset = f->position;
    return mend_report_file(f, err, __func__);
}

/* Collective: all ask for the same place. */
MEND_API(MPI_File_seek_shared);
int MPI_File_seek_shared(MPI_File fh, MPI_Offset offset, int whence)
{
    struct mend_file *f = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_file(fh, &f);
    if (!err)
        err = mend_file_check_valid(f);
    if (!err)
        err = mend_pointer_seek(f, offset, whence, check_seek(f, whence));
    return mend_report_file(f, err, __func__);
}

/* Without an error also after a failure (S0-54, S0-102).  Where the members share no memory it asks rank 0 as long as that lives. */
MEND_API(MPI_File_get_position_shared);
int MPI_File_get_position_shared(MPI_File fh, MPI_Offset *offset)
{
    struct mend_file *f = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_file(fh, &f);
    if (!err)
        err = mend_check_pointer(offset);
    if (!err && f->amode & MPI_MODE_SEQUENTIAL)
        err = MPI_ERR_UNSUPPORTED_OPERATION;
    if (!err)
        err = mend_pointer_get(f, offset);
    return mend_report_file(f, err, __func__);
}

/* ---- consistency ---- */

MEND_API(MPI_File_sync);
int MPI_File_sync(MPI_File fh)
{
    struct mend_file *f = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_file(fh, &f);
    if (!err && f->split)
        err = MPI_ERR_IO;
    if (!err)
        err = mend_file_sync(f);
    return mend_report_file(f, err, __func__);
}

MEND_API(MPI_File_set_atomicity);
int MPI_File_set_atomicity(MPI_File fh, int flag)
{
    struct mend_file *f = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_file(fh, &f);
    if (!err)
        err = mend_file_set_atomic(f, flag);
    return mend_report_file(f, err, __func__);
}

MEND_API(MPI_File_get_atomicity);
int MPI_File_get_atomicity(MPI_File fh, int *flag)
{
    struct mend_file *f = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_file(fh, &f);
    if (!err)
        err = mend_check_pointer(flag);
    if (!err)
        *flag = f->atomic;
    return mend_report_file(f, err, __func__);
}

/* ---- data representations ---- */

static int register_datarep(const char *fn, const struct mend_datarep *rep)
{
    int err = mend_enter(fn);

    if (!err &&
        !(rep->name && *rep->name && rep->extent && strlen(rep->name) < MPI_MAX_DATAREP_STRING))
        err = MPI_ERR_ARG;
    if (!err)
        err = mend_datarep_register(mend_self, rep);
    return mend_report_file(NULL, err, fn);
}

/* Local.  The functions run in calls that move data or ask for sizes, of any file with such a view; those that convert may be
 * MPI_CONVERSION_FN_NULL: no conversion.  MPI_ERR_DUP_DATAREP: the name is taken. */
MEND_API(MPI_Register_datarep);
int MPI_Register_datarep(const char *datarep, MPI_Datarep_conversion_function *read_conversion_fn,
                         MPI_Datarep_conversion_function *write_conversion_fn,
                         MPI_Datarep_extent_function *dtype_file_extent_fn, void *extra_state)
{
    return register_datarep(__func__, &(struct mend_datarep){.name = datarep,
                                                             .kind = MEND_DATAREP_REGISTERED,
                                                             .read = read_conversion_fn,
                                                             .write = write_conversion_fn,
                                                             .extent = dtype_file_extent_fn,
                                                             .extra = extra_state});
}

MEND_API(MPI_Register_datarep_c);
int MPI_Register_datarep_c(const char *datarep,
                           MPI_Datarep_conversion_function_c *read_conversion_fn,
                           MPI_Datarep_conversion_function_c *write_conversion_fn,
                           MPI_Datarep_extent_function *dtype_file_extent_fn, void *extra_state)
{
    return register_datarep(__func__, &(struct mend_datarep){.name = datarep,
                                                             .kind = MEND_DATAREP_REGISTERED,
                                                             .big = true,
                                                             .read_c = read_conversion_fn,
                                                             .write_c = write_conversion_fn,
                                                             .extent = dtype_file_extent_fn,
                                                             .extra = extra_state});
}

/* ---- extents in the file ---- */

static int type_extent(MPI_File fh, MPI_Datatype datatype, MPI_Count *extent_p,
                       struct mend_file **f_p)
{
    const struct mend_type *t = NULL, *in_file;
    int err = mend_check_file(fh, f_p);

    if (!err)
        err = mend_check_type(datatype, &t);
    if (!err)
        err = mend_check_pointer(extent_p);
    if (!err)
        err = mend_datarep_type((*f_p)->self, (*f_p)->view.datarep, t, &in_file);
    if (!err) {
        *extent_p = in_file->extent;
        mend_type_put((*f_p)->self, in_file);
    }
    return err;
}

MEND_API(MPI_File_get_type_extent);
int MPI_File_get_type_extent(MPI_File fh, MPI_Datatype datatype, MPI_Aint *extent)
{
    struct mend_file *f = NULL;
    MPI_Count e = 0;
    int err = mend_enter(__func__);

    if (!err)
        err = type_extent(fh, datatype, extent ? &e : NULL, &f);
    if (!err)
        *extent = (MPI_Aint)e;
    return mend_report_file(f, err, __func__);
}

MEND_API(MPI_File_get_type_extent_c);
int MPI_File_get_type_extent_c(MPI_File fh, MPI_Datatype datatype, MPI_Count *extent)
{
    struct mend_file *f = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = type_extent(fh, datatype, extent, &f);
    return mend_report_file(f, err, __func__);
}

/* ---- error handlers ---- */

/* MPI_FILE_NULL: of errors without a file, and of files that will be opened. */
static int check_file_or_null(MPI_File fh, struct mend_file **f_p)
{
    return fh == MPI_FILE_NULL ? MPI_SUCCESS : mend_check_file(fh, f_p);
}

MEND_API(MPI_File_set_errhandler);
int MPI_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler)
{
    struct mend_file *f = NULL;
    struct mend_errhandler *e = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_file_or_null(file, &f);
    if (!err)
        err = mend_check_errhandler(errhandler, &e);
    if (!err && e->object != MEND_ERRH_OF_FILE && e->object != MEND_ERRH_OF_ANY)
        err = MPI_ERR_ERRHANDLER;
    if (!err && f)
        mend_comm_set_errhandler(f->comm, e);
    else if (!err)
        mend_errhandler_set_no_file(mend_self, e);
    return mend_report_file(f, err, __func__);
}

MEND_API(MPI_File_get_errhandler);
int MPI_File_get_errhandler(MPI_File file, MPI_Errhandler *errhandler)
{
    struct mend_file *f = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_file_or_null(file, &f);
    if (!err)
        err = mend_check_pointer(errhandler);
    if (!err) {
        struct mend_errhandler *e = f ? f->comm->errhandler : mend_errhandler_no_file(mend_self);

        mend_errhandler_get(e);
        *errhandler = mend_errhandler_handle(e);
    }
    return mend_report_file(f, err, __func__);
}

/* MPI_SUCCESS once the handler has returned. */
MEND_API(MPI_File_call_errhandler);
int MPI_File_call_errhandler(MPI_File fh, int errorcode)
{
    struct mend_file *f = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_file_or_null(fh, &f);
    if (err)
        return mend_report_file(NULL, err, __func__);
    if (f)
        mend_raise(mend_self, f->comm, errorcode, __func__);
    else
        mend_raise_file(mend_self, NULL, errorcode, __func__);
    return MPI_SUCCESS;
}

/* ---- number ---- */

/* 0, which is never a handle: an error was raised. */
MEND_API(MPI_File_toint);
int MPI_File_toint(MPI_File file)
{
    struct mend_file *f = NULL;
    int err = mend_enter_any(__func__), n = (int)(uintptr_t)MPI_FILE_NULL;

    if (!err)
        err = check_file_or_null(file, &f);
    if (!err && f) {
        n = mend_handle_toint(mend_self, f);
        err = n ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    return mend_report_file(NULL, err, __func__) ? 0 : n;
}

MEND_API(MPI_File_fromint);
MPI_File MPI_File_fromint(int file)
{
    struct mend_file *f = NULL;
    MPI_File handle = NULL;
    int err = mend_enter_any(__func__);

    if (!err) {
        handle = (MPI_File)mend_handle_fromint(mend_self, file);
        err = check_file_or_null(handle, &f);
    }
    return mend_report_file(NULL, err, __func__) ? NULL : handle;
}

/* ---- fault tolerance: docstrings in include/mpi_ft.h ---- */

MEND_API(MPI_File_invalidate);
MEND_API_SAME(MPIX_File_revoke, MPI_File_invalidate);
int MPI_File_invalidate(MPI_File fh)
{
    struct mend_file *f = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_file(fh, &f);
    if (!err)
        mend_revoke(f->comm);
    return mend_report_file(f, err, __func__);
}
