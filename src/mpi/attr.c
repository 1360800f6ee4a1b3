/* SPDX-License-Identifier: BSD-3-Clause */
/* attr.c – caching (MPI-5.0 7.7) on communicators and datatypes; windows have key values only.
 *
 * All local; a death affects none, and all work on a revoked communicator (S0-67).  They return
 * what the user's callbacks return, through the error handler of the object.  The value of a
 * predefined attribute is a pointer to an int. */
#include "mpi/check.h"

#include "comm/attr.h"

static int create_keyval(enum mend_attr_kind kind, const struct mend_keyval_fns *fns, int *keyval,
                         const char *fn)
{
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_pointer(keyval);
    if (!err)
        err = mend_keyval_create(mend_self, kind, fns, keyval);
    return mend_report(err, fn);
}

#define KEYVAL_BITS 32 /* a kind and a number in a pointer */

static void free_number(struct mend_proc *self, void *kind_and_number)
{
    uint64_t x = (uintptr_t)kind_and_number;

    mend_keyval_free(self, (enum mend_attr_kind)(x >> KEYVAL_BITS), (int)(uint32_t)x);
}

static bool frees_later(enum mend_attr_kind kind, int number)
{
    uintptr_t x = (uintptr_t)kind << KEYVAL_BITS | (uint32_t)number;

    return mend_undo_later(mend_self, free_number, (void *)x, false);
}

static int free_keyval(enum mend_attr_kind kind, int *keyval, const char *fn)
{
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_pointer(keyval);
    if (!err && !frees_later(kind, *keyval))
        err = mend_keyval_free(mend_self, kind, *keyval);
    if (!err)
        *keyval = MPI_KEYVAL_INVALID;
    return mend_report(err, fn);
}

/* ---- Communicators ---- */

MEND_API(MPI_Comm_create_keyval);
int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *comm_copy_attr_fn,
                           MPI_Comm_delete_attr_function *comm_delete_attr_fn, int *comm_keyval,
                           void *extra_state)
{
    struct mend_keyval_fns fns = {.comm_copy = comm_copy_attr_fn,
                                  .comm_delete = comm_delete_attr_fn,
                                  .extra_state = extra_state};

    return create_keyval(MEND_ATTR_COMM, &fns, comm_keyval, __func__);
}

MEND_API(MPI_Comm_free_keyval);
int MPI_Comm_free_keyval(int *comm_keyval)
{
    return free_keyval(MEND_ATTR_COMM, comm_keyval, __func__);
}

MEND_API(MPI_Comm_set_attr);
int MPI_Comm_set_attr(MPI_Comm comm, int comm_keyval, void *attribute_val)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_find_comm(comm, &c);
    if (!err)
        err = mend_attr_set(mend_self, MEND_ATTR_COMM, &c->attrs, (void *)comm, comm_keyval,
                            attribute_val);
    return mend_report_comm(c, err, __func__);
}

static int get_comm_attr(const struct mend_comm *c, int keyval, void **value_p, bool *found_p)
{
    const int *predefined = mend_attr_predefined(mend_self, keyval);

    if (predefined) {
        *value_p = (void *)predefined;
        *found_p = true;
        return MPI_SUCCESS;
    }
    if (keyval == MPI_APPNUM) /* a predefined key whose value nobody knows */
        return MPI_SUCCESS;
    return mend_attr_get(mend_self, MEND_ATTR_COMM, c->attrs, keyval, value_p, found_p);
}

MEND_API(MPI_Comm_get_attr);
int MPI_Comm_get_attr(MPI_Comm comm, int comm_keyval, void *attribute_val, int *flag)
{
    struct mend_comm *c = NULL;
    void *value = NULL;
    bool found = false;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_find_comm(comm, &c);
    if (!err && !(attribute_val && flag))
        err = MPI_ERR_ARG;
    if (!err)
        err = get_comm_attr(c, comm_keyval, &value, &found);
    if (!err) {
        *flag = found;
        if (found)
            *(void **)attribute_val = value;
    }
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPI_Comm_delete_attr);
int MPI_Comm_delete_attr(MPI_Comm comm, int comm_keyval)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_find_comm(comm, &c);
    if (!err)
        err = mend_attr_delete(mend_self, MEND_ATTR_COMM, &c->attrs, (void *)comm, comm_keyval);
    return mend_report_comm(c, err, __func__);
}

/* ---- Datatypes ---- */

MEND_API(MPI_Type_create_keyval);
int MPI_Type_create_keyval(MPI_Type_copy_attr_function *type_copy_attr_fn,
                           MPI_Type_delete_attr_function *type_delete_attr_fn, int *type_keyval,
                           void *extra_state)
{
    struct mend_keyval_fns fns = {.type_copy = type_copy_attr_fn,
                                  .type_delete = type_delete_attr_fn,
                                  .extra_state = extra_state};

    return create_keyval(MEND_ATTR_TYPE, &fns, type_keyval, __func__);
}

MEND_API(MPI_Type_free_keyval);
int MPI_Type_free_keyval(int *type_keyval)
{
    return free_keyval(MEND_ATTR_TYPE, type_keyval, __func__);
}

/* Where the attributes of the type of a handle are. */
static int check_attrs(MPI_Datatype datatype, struct mend_attrs ***attrs_p)
{
    const struct mend_type *t = NULL;
    int err = mend_check_type(datatype, &t);

    if (!err)
        *attrs_p = mend_attr_of_type(mend_self, t);
    return !err && !*attrs_p ? MPI_ERR_NO_MEM : err;
}

MEND_API(MPI_Type_set_attr);
int MPI_Type_set_attr(MPI_Datatype datatype, int type_keyval, void *attribute_val)
{
    struct mend_attrs **attrs = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_attrs(datatype, &attrs);
    if (!err)
        err = mend_attr_set(mend_self, MEND_ATTR_TYPE, attrs, (void *)datatype, type_keyval,
                            attribute_val);
    return mend_report(err, __func__);
}

MEND_API(MPI_Type_get_attr);
int MPI_Type_get_attr(MPI_Datatype datatype, int type_keyval, void *attribute_val, int *flag)
{
    struct mend_attrs **attrs = NULL;
    void *value = NULL;
    bool found = false;
    int err = mend_enter(__func__);

    if (!err)
        err = check_attrs(datatype, &attrs);
    if (!err && !(attribute_val && flag))
        err = MPI_ERR_ARG;
    if (!err)
        err = mend_attr_get(mend_self, MEND_ATTR_TYPE, *attrs, type_keyval, &value, &found);
    if (!err) {
        *flag = found;
        if (found)
            *(void **)attribute_val = value;
    }
    return mend_report(err, __func__);
}

MEND_API(MPI_Type_delete_attr);
int MPI_Type_delete_attr(MPI_Datatype datatype, int type_keyval)
{
    struct mend_attrs **attrs = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_attrs(datatype, &attrs);
    if (!err)
        err = mend_attr_delete(mend_self, MEND_ATTR_TYPE, attrs, (void *)datatype, type_keyval);
    return mend_report(err, __func__);
}

/* ---- Windows: key values; the rest is in win_object.c ---- */

MEND_API(MPI_Win_create_keyval);
int MPI_Win_create_keyval(MPI_Win_copy_attr_function *win_copy_attr_fn,
                          MPI_Win_delete_attr_function *win_delete_attr_fn, int *win_keyval,
                          void *extra_state)
{
    struct mend_keyval_fns fns = {
        .win_copy = win_copy_attr_fn, .win_delete = win_delete_attr_fn, .extra_state = extra_state};

    return create_keyval(MEND_ATTR_WIN, &fns, win_keyval, __func__);
}

MEND_API(MPI_Win_free_keyval);
int MPI_Win_free_keyval(int *win_keyval)
{
    return free_keyval(MEND_ATTR_WIN, win_keyval, __func__);
}
