/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_t_pvar.c – performance variables (MPI-5.0 15.3.7). */
#include "mpi/mpi_t.h"

#include <string.h>

MEND_API(MPI_T_pvar_get_num);
int MPI_T_pvar_get_num(int *num_pvar)
{
    return mend_mpi_t_give_number(MEND_PVARS, num_pvar);
}

MEND_API(MPI_T_pvar_get_info);
int MPI_T_pvar_get_info(int pvar_index, char *name, int *name_len, int *verbosity, int *var_class,
                        MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len,
                        int *bind, int *readonly, int *continuous, int *atomic)
{
    const struct mend_tool_pvar *v;
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    if (mend_mpi_t_check_index(pvar_index, MEND_PVARS))
        return mend_mpi_t_leave(t, MPI_T_ERR_INVALID_INDEX);
    v = &mend_tool_pvar_list[pvar_index];
    mend_tool_text(v->name, name, name_len);
    mend_tool_text(v->what, desc, desc_len);
    MEND_MPI_T_GIVE(verbosity, v->verbosity);
    MEND_MPI_T_GIVE(var_class, v->class);
    MEND_MPI_T_GIVE(datatype, mend_tool_pvar_type(v));
    MEND_MPI_T_GIVE(enumtype, mend_tool_enum_handle(v->words));
    MEND_MPI_T_GIVE(bind, v->bind);
    MEND_MPI_T_GIVE(readonly, !v->runs);
    MEND_MPI_T_GIVE(continuous, !v->runs);
    MEND_MPI_T_GIVE(atomic, 1);
    return mend_mpi_t_leave(t, MPI_SUCCESS);
}

MEND_API(MPI_T_pvar_get_index);
int MPI_T_pvar_get_index(const char *name, int var_class, int *pvar_index)
{
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    err = name && pvar_index ? MPI_T_ERR_INVALID_NAME : MPI_T_ERR_INVALID;
    for (int i = 0; err == MPI_T_ERR_INVALID_NAME && i < MEND_PVARS; i++)
        if (mend_tool_pvar_list[i].class == var_class &&
            !strcmp(mend_tool_pvar_list[i].name, name)) {
            *pvar_index = i;
            err = MPI_SUCCESS;
        }
    return mend_mpi_t_leave(t, err);
}

MEND_API(MPI_T_pvar_session_create);
int MPI_T_pvar_session_create(MPI_T_pvar_session *session)
{
    struct mend_tool_session *s;
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    if (!session)
        return mend_mpi_t_leave(t, MPI_T_ERR_INVALID);
    s = mend_tool_session_new(t);
    if (!s)
        return mend_mpi_t_leave(t, MPI_T_ERR_OUT_OF_SESSIONS);
    *session = (MPI_T_pvar_session)s;
    return mend_mpi_t_leave(t, MPI_SUCCESS);
}

MEND_API(MPI_T_pvar_session_free);
int MPI_T_pvar_session_free(MPI_T_pvar_session *session)
{
    struct mend_tool_session *s;
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    if (!session)
        return mend_mpi_t_leave(t, MPI_T_ERR_INVALID);
    s = mend_tool_find(t, *session, MEND_TOOL_SESSION);
    if (!s)
        return mend_mpi_t_leave(t, MPI_T_ERR_INVALID_SESSION);
    mend_tool_session_drop(t, s);
    *session = MPI_T_PVAR_SESSION_NULL;
    return mend_mpi_t_leave(t, MPI_SUCCESS);
}

/* What a variable or event is bound to, if to anything: obj_handle is a pointer to the handle. */
int mend_mpi_t_check_object(int bind, const void *obj_handle, struct mend_comm **c_p)
{
    MPI_Comm comm;

    *c_p = NULL;
    if (bind == MPI_T_BIND_NO_OBJECT)
        return MPI_SUCCESS;
    if (!obj_handle)
        return MPI_T_ERR_INVALID;
    memcpy(&comm, obj_handle, sizeof(comm));
    return mend_check_comm(comm, c_p) ? MPI_T_ERR_INVALID_HANDLE : MPI_SUCCESS;
}

MEND_API(MPI_T_pvar_handle_alloc);
int MPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void *obj_handle,
                            MPI_T_pvar_handle *handle, int *count)
{
    struct mend_tool_pvar_handle *h = NULL;
    struct mend_tool_session *s;
    struct mend_comm *c;
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    s = mend_tool_find(t, session, MEND_TOOL_SESSION);
    err = s ? mend_mpi_t_check_index(pvar_index, MEND_PVARS) : MPI_T_ERR_INVALID_SESSION;
    if (!err && (!handle || !count))
        err = MPI_T_ERR_INVALID;
    if (!err)
        err = mend_mpi_t_check_object(mend_tool_pvar_list[pvar_index].bind, obj_handle, &c);
    if (!err && !(h = mend_tool_pvar_new(t, s, pvar_index, c)))
        err = MPI_T_ERR_OUT_OF_HANDLES;
    if (!err) {
        *handle = (MPI_T_pvar_handle)h;
        *count = 1;
    }
    return mend_mpi_t_leave(t, err);
}

/* The handle in that session. */
static int check_handle(struct mend_tool *t, MPI_T_pvar_session session, MPI_T_pvar_handle handle,
                        struct mend_tool_pvar_handle **h_p)
{
    const struct mend_tool_session *s = mend_tool_find(t, session, MEND_TOOL_SESSION);
    struct mend_tool_pvar_handle *h = mend_tool_find(t, handle, MEND_TOOL_PVAR);

    if (!s)
        return MPI_T_ERR_INVALID_SESSION;
    if (!h || h->session != s)
        return MPI_T_ERR_INVALID_HANDLE;
    *h_p = h;
    return MPI_SUCCESS;
}

MEND_API(MPI_T_pvar_handle_free);
int MPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle)
{
    struct mend_tool_pvar_handle *h;
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    err = handle ? check_handle(t, session, *handle, &h) : MPI_T_ERR_INVALID;
    if (!err) {
        mend_tool_pvar_drop(t, h);
        *handle = MPI_T_PVAR_HANDLE_NULL;
    }
    return mend_mpi_t_leave(t, err);
}

typedef int action(struct mend_tool *t, struct mend_tool_pvar_handle *h);

/* With MPI_T_PVAR_ALL_HANDLES the action is for those of the session for which it can be done. */
static int act(MPI_T_pvar_session session, MPI_T_pvar_handle handle, action *what)
{
    struct mend_tool_pvar_handle *h;
    struct mend_tool_session *s;
    struct mend_tool *t;
    int err = mend_mpi_t_enter(&t);

    if (err)
        return err;
    if (handle != MPI_T_PVAR_ALL_HANDLES) {
        err = check_handle(t, session, handle, &h);
        return mend_mpi_t_leave(t, err ? err : what(t, h));
    }
    s = mend_tool_find(t, session, MEND_TOOL_SESSION);
    if (!s)
        return mend_mpi_t_leave(t, MPI_T_ERR_INVALID_SESSION);
    mend_list_foreach (l, next, &s->handles)
        what(t, mend_list_entry(l, struct mend_tool_pvar_handle, link));
    return mend_mpi_t_leave(t, MPI_SUCCESS);
}

MEND_API(MPI_T_pvar_start);
int MPI_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    return act(session, handle, mend_tool_pvar_start);
}

MEND_API(MPI_T_pvar_stop);
int MPI_T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    return act(session, handle, mend_tool_pvar_stop);
}

MEND_API(MPI_T_pvar_reset);
int MPI_T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    return act(session, handle, mend_tool_pvar_reset);
}

/* Enters with a handle and a buffer.  An error: without the lock. */
static int enter_with(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf,
                      struct mend_tool **t_p, struct mend_tool_pvar_handle **h_p)
{
    int err = mend_mpi_t_enter(t_p);

    if (err)
        return err;
    err = check_handle(*t_p, session, handle, h_p);
    if (!err)
        err = mend_mpi_t_check_pointer(buf);
    if (err)
        mend_mpi_t_leave(*t_p, err);
    return err;
}

MEND_API(MPI_T_pvar_read);
int MPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
{
    struct mend_tool_pvar_handle *h;
    struct mend_tool *t;
    int err = enter_with(session, handle, buf, &t, &h);

    if (err)
        return err;
    return mend_mpi_t_leave(t, mend_tool_pvar_read(t, h, buf));
}

MEND_API(MPI_T_pvar_write);
int MPI_T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf)
{
    struct mend_tool_pvar_handle *h;
    struct mend_tool *t;
    int err = enter_with(session, handle, buf, &t, &h);

    if (err)
        return err;
    return mend_mpi_t_leave(t, mend_tool_pvar_write(t, h, buf));
}

MEND_API(MPI_T_pvar_readreset);
int MPI_T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
{
    struct mend_tool_pvar_handle *h;
    struct mend_tool *t;
    int err = enter_with(session, handle, buf, &t, &h);

    if (err)
        return err;
    if (!mend_tool_pvar_list[h->id].runs)
        err = MPI_T_ERR_PVAR_NO_WRITE;
    if (!err)
        err = mend_tool_pvar_read(t, h, buf);
    if (!err)
        err = mend_tool_pvar_reset(t, h);
    return mend_mpi_t_leave(t, err);
}
