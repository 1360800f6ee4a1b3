/* SPDX-License-Identifier: BSD-3-Clause */
/* info.c – info objects (MPI-5.0 chapter 10).
 *
 * All local, and all may be used at any time.  Keys and values are kept as given, in the order in
 * which the keys were first set.  MPI_INFO_ENV can be read and copied, not changed or freed. */
#include "mpi/check.h"

#include "base/hardware.h"
#include "comm/info.h"

#include <string.h>

static int check_key(const char *key)
{
    size_t n = key ? strnlen(key, MPI_MAX_INFO_KEY) : 0;

    return n > 0 && n < MPI_MAX_INFO_KEY ? MPI_SUCCESS : MPI_ERR_INFO_KEY;
}

static int check_value(const char *value)
{
    return value && strnlen(value, MPI_MAX_INFO_VAL) < MPI_MAX_INFO_VAL ? MPI_SUCCESS
                                                                        : MPI_ERR_INFO_VALUE;
}

static int check_own(MPI_Info info, struct mend_info **i_p)
{
    return info == MPI_INFO_ENV ? MPI_ERR_INFO : mend_check_info(info, i_p);
}

/* A new object to the user. */
static int give(struct mend_info *i, MPI_Info *info)
{
    if (!i)
        return MPI_ERR_NO_MEM;
    *info = (MPI_Info)i;
    return MPI_SUCCESS;
}

MEND_API(MPI_Info_create);
int MPI_Info_create(MPI_Info *info)
{
    int err = mend_enter_any(__func__);

    if (!err)
        err = mend_check_pointer(info);
    if (!err)
        err = give(mend_info_create(mend_self), info);
    return mend_report(err, __func__);
}

/* For each kind of part that the machine has: whether this thread is restricted to one of them. */
static int tell_hardware(struct mend_info *i)
{
    int err = MPI_SUCCESS;

    for (int k = 0; !err && k < MEND_HARDWARE_KINDS; k++) {
        int part = mend_hardware_here((enum mend_hardware)k);

        if (part != MEND_HARDWARE_UNKNOWN)
            err = mend_info_set(mend_self, i, mend_hardware_name((enum mend_hardware)k),
                                part >= 0 ? "true" : "false");
    }
    return err;
}

/* MPI-5.0 9.1.2; the user frees the info. */
MEND_API(MPI_Get_hw_resource_info);
int MPI_Get_hw_resource_info(MPI_Info *hw_info)
{
    struct mend_info *made = NULL;
    int err = mend_enter_any(__func__);

    if (!err)
        err = mend_check_pointer(hw_info);
    if (!err)
        err = (made = mend_info_create(mend_self)) ? tell_hardware(made) : MPI_ERR_NO_MEM;
    if (!err)
        err = give(made, hw_info);
    else if (made)
        mend_info_free(mend_self, made);
    return mend_report(err, __func__);
}

/* What MPI_INFO_ENV tells, for these arguments of main. */
MEND_API(MPI_Info_create_env);
int MPI_Info_create_env(int argc, char *argv[], MPI_Info *info)
{
    int err = mend_enter_any(__func__);

    if (!err)
        err = mend_check_pointer(info);
    if (!err && (argc < 0 || (argc > 0 && !argv)))
        err = MPI_ERR_ARG;
    if (!err)
        err = give(mend_info_env_create(mend_self, argc, argc > 0 ? argv : NULL), info);
    return mend_report(err, __func__);
}

MEND_API(MPI_Info_dup);
int MPI_Info_dup(MPI_Info info, MPI_Info *newinfo)
{
    struct mend_info *i = NULL;
    int err = mend_enter_any(__func__);

    if (!err)
        err = mend_check_info(info, &i);
    if (!err)
        err = mend_check_pointer(newinfo);
    if (!err)
        err = give(mend_info_dup(mend_self, i), newinfo);
    return mend_report(err, __func__);
}

static void free_info(struct mend_proc *self, void *i)
{
    mend_info_free(self, i);
}

MEND_API(MPI_Info_free);
int MPI_Info_free(MPI_Info *info)
{
    struct mend_info *i = NULL;
    int err = mend_enter_any(__func__);

    if (!err)
        err = mend_check_pointer(info);
    if (!err)
        err = check_own(*info, &i);
    if (!err) {
        mend_undo_free(mend_self, free_info, i, false);
        *info = MPI_INFO_NULL;
    }
    return mend_report(err, __func__);
}

MEND_API(MPI_Info_set);
int MPI_Info_set(MPI_Info info, const char *key, const char *value)
{
    struct mend_info *i = NULL;
    int err = mend_enter_any(__func__);

    if (!err)
        err = check_own(info, &i);
    if (!err)
        err = check_key(key);
    if (!err)
        err = check_value(value);
    if (!err)
        err = mend_info_set(mend_self, i, key, value);
    return mend_report(err, __func__);
}

MEND_API(MPI_Info_delete);
int MPI_Info_delete(MPI_Info info, const char *key)
{
    struct mend_info *i = NULL;
    int err = mend_enter_any(__func__);

    if (!err)
        err = check_own(info, &i);
    if (!err)
        err = check_key(key);
    if (!err)
        err = mend_info_delete(mend_self, i, key);
    return mend_report(err, __func__);
}

MEND_API(MPI_Info_get_nkeys);
int MPI_Info_get_nkeys(MPI_Info info, int *nkeys)
{
    struct mend_info *i = NULL;
    int err = mend_enter_any(__func__);

    if (!err)
        err = mend_check_info(info, &i);
    if (!err)
        err = mend_check_pointer(nkeys);
    if (!err)
        *nkeys = i->n;
    return mend_report(err, __func__);
}

MEND_API(MPI_Info_get_nthkey);
int MPI_Info_get_nthkey(MPI_Info info, int n, char *key)
{
    struct mend_info *i = NULL;
    int err = mend_enter_any(__func__);

    if (!err)
        err = mend_check_info(info, &i);
    if (!err && (n < 0 || n >= i->n || !key))
        err = MPI_ERR_ARG;
    if (!err)
        strcpy(key, mend_info_nth(i, n));
    return mend_report(err, __func__);
}

/* The value of a key, NULL if it is not there. */
static int look_up(MPI_Info info, const char *key, const char **value_p)
{
    struct mend_info *i = NULL;
    int err = mend_check_info(info, &i);

    if (!err)
        err = check_key(key);
    if (!err)
        *value_p = mend_info_get(i, key);
    return err;
}

/* At most n characters of the value, and an end.  Deprecated: MPI_Info_get_string. */
MEND_API(MPI_Info_get);
int MPI_Info_get(MPI_Info info, const char *key, int valuelen, char *value, int *flag)
{
    const char *found = NULL;
    int err = mend_enter_any(__func__);

    if (!err)
        err = look_up(info, key, &found);
    if (!err && (valuelen < 0 || !value))
        err = MPI_ERR_INFO_VALUE;
    if (!err)
        err = mend_check_pointer(flag);
    if (!err) {
        *flag = found != NULL;
        if (found) {
            size_t n = strnlen(found, (size_t)valuelen);

            memcpy(value, found, n);
            value[n] = '\0';
        }
    }
    return mend_report(err, __func__);
}

/* Deprecated: MPI_Info_get_string. */
MEND_API(MPI_Info_get_valuelen);
int MPI_Info_get_valuelen(MPI_Info info, const char *key, int *valuelen, int *flag)
{
    const char *found = NULL;
    int err = mend_enter_any(__func__);

    if (!err)
        err = look_up(info, key, &found);
    if (!err && !(valuelen && flag))
        err = MPI_ERR_ARG;
    if (!err) {
        *flag = found != NULL;
        if (found)
            *valuelen = (int)strlen(found);
    }
    return mend_report(err, __func__);
}

/* *buflen: in, size of value with its end; out, what the whole value needs.  0: value is not looked
 * at. */
MEND_API(MPI_Info_get_string);
int MPI_Info_get_string(MPI_Info info, const char *key, int *buflen, char *value, int *flag)
{
    const char *found = NULL;
    int err = mend_enter_any(__func__);

    if (!err)
        err = look_up(info, key, &found);
    if (!err && (!buflen || !flag || *buflen < 0 || (*buflen > 0 && !value)))
        err = MPI_ERR_ARG;
    if (!err) {
        *flag = found != NULL;
        if (found) {
            int max = *buflen;

            *buflen = (int)strlen(found) + 1;
            if (max > 0) {
                size_t n = strnlen(found, (size_t)max - 1);

                memcpy(value, found, n);
                value[n] = '\0';
            }
        }
    }
    return mend_report(err, __func__);
}

/* Numbers of handles, as MPI_Comm_toint. */
MEND_API(MPI_Info_toint);
int MPI_Info_toint(MPI_Info info)
{
    int n = mend_enter_any(__func__) ? 0 : mend_handle_toint(mend_self, info);

    mend_leave(MPI_SUCCESS);
    return n;
}

MEND_API(MPI_Info_fromint);
MPI_Info MPI_Info_fromint(int info)
{
    MPI_Info handle =
        mend_enter_any(__func__) ? NULL : (MPI_Info)mend_handle_fromint(mend_self, info);

    mend_leave(MPI_SUCCESS);
    return handle;
}
