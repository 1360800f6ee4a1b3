/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_t_cvar.c – control variables (MPI-5.0 15.3.6). */
#include "mpi/mpi_t.h"

#include <string.h>

MEND_API(MPI_T_cvar_get_num);
int MPI_T_cvar_get_num(int *num_cvar)
{
    return mend_mpi_t_give_number(mend_tool_cvars_n(), num_cvar);
}

MEND_API(MPI_T_cvar_get_info);
int MPI_T_cvar_get_info(int cvar_index, char *name, int *name_len, int *verbosity,
                        MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len,
                        int *bind, int *scope)
{
    char own_name[MEND_TOOL_WORD_BYTES];
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    err = mend_mpi_t_check_index(cvar_index, mend_tool_cvars_n());
    if (err)
        return mend_mpi_t_leave(t, err);
    mend_tool_cvar_name(cvar_index, own_name);
    mend_tool_text(own_name, name, name_len);
    mend_tool_text(mend_param_list[cvar_index].what, desc, desc_len);
    MEND_MPI_T_GIVE(verbosity, mend_tool_cvar_list[cvar_index].verbosity);
    MEND_MPI_T_GIVE(datatype, mend_tool_cvar_type(cvar_index));
    MEND_MPI_T_GIVE(enumtype, mend_tool_enum_handle(mend_tool_cvar_enum(cvar_index)));
    MEND_MPI_T_GIVE(bind, MPI_T_BIND_NO_OBJECT);
    MEND_MPI_T_GIVE(scope, mend_tool_cvar_list[cvar_index].scope);
    return mend_mpi_t_leave(t, MPI_SUCCESS);
}

MEND_API(MPI_T_cvar_get_index);
int MPI_T_cvar_get_index(const char *name, int *cvar_index)
{
    char own_name[MEND_TOOL_WORD_BYTES];
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    err = name && cvar_index ? MPI_T_ERR_INVALID_NAME : MPI_T_ERR_INVALID;
    for (int i = 0; err == MPI_T_ERR_INVALID_NAME && i < mend_tool_cvars_n(); i++) {
        mend_tool_cvar_name(i, own_name);
        if (!strcmp(own_name, name)) {
            *cvar_index = i;
            err = MPI_SUCCESS;
        }
    }
    return mend_mpi_t_leave(t, err);
}

MEND_API(MPI_T_cvar_handle_alloc);
int MPI_T_cvar_handle_alloc(int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle, int *count)
{
    struct mend_tool_cvar_handle *h;
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    err = mend_mpi_t_check_index(cvar_index, mend_tool_cvars_n());
    if (!err && (!handle || !count))
        err = MPI_T_ERR_INVALID;
    if (err)
        return mend_mpi_t_leave(t, err);
    h = mend_tool_new(t, MEND_TOOL_CVAR, sizeof(*h));
    if (!h)
        return mend_mpi_t_leave(t, MPI_T_ERR_OUT_OF_HANDLES);
    h->index = cvar_index;
    *handle = (MPI_T_cvar_handle)h;
    *count = mend_tool_cvar_count(cvar_index);
    return mend_mpi_t_leave(t, MPI_SUCCESS);
}

MEND_API(MPI_T_cvar_handle_free);
int MPI_T_cvar_handle_free(MPI_T_cvar_handle *handle)
{
    struct mend_tool_cvar_handle *h;
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    if (!handle)
        return mend_mpi_t_leave(t, MPI_T_ERR_INVALID);
    h = mend_tool_find(t, *handle, MEND_TOOL_CVAR);
    if (!h)
        return mend_mpi_t_leave(t, MPI_T_ERR_INVALID_HANDLE);
    mend_tool_drop(t, h);
    *handle = MPI_T_CVAR_HANDLE_NULL;
    return mend_mpi_t_leave(t, MPI_SUCCESS);
}

/* Enters with a handle and a buffer.  An error: without the lock. */
static int enter_with(MPI_T_cvar_handle handle, const void *buf, struct mend_tool **t_p,
                      const struct mend_tool_cvar_handle **h_p)
{
    int err = mend_mpi_t_enter(t_p);

    if (err)
        return err;
    *h_p = mend_tool_find(*t_p, handle, MEND_TOOL_CVAR);
    err = *h_p ? mend_mpi_t_check_pointer(buf) : MPI_T_ERR_INVALID_HANDLE;
    if (err)
        mend_mpi_t_leave(*t_p, err);
    return err;
}

MEND_API(MPI_T_cvar_read);
int MPI_T_cvar_read(MPI_T_cvar_handle handle, void *buf)
{
    const struct mend_tool_cvar_handle *h;
    struct mend_tool *t;
    int err = enter_with(handle, buf, &t, &h);

    if (err)
        return err;
    mend_tool_cvar_read(t, h->index, buf);
    return mend_mpi_t_leave(t, MPI_SUCCESS);
}

MEND_API(MPI_T_cvar_write);
int MPI_T_cvar_write(MPI_T_cvar_handle handle, const void *buf)
{
    const struct mend_tool_cvar_handle *h;
    struct mend_tool *t;
    int err = enter_with(handle, buf, &t, &h);

    if (err)
        return err;
    return mend_mpi_t_leave(t, mend_tool_cvar_write(t, h->index, buf));
}
