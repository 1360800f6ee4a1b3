/* SPDX-License-Identifier: BSD-3-Clause */
/* notify.c – notification of other processes (include/mend.h, notify/notify.h). */
#include "notify/notify.h"

#include "mpi/check.h"

#include "comm/errcode.h"
#include "rt/rt.h"

_Static_assert(MPIX_NOTIFY_MAX == MEND_NOTIFY_BYTES, "mend.h says what fits");

/* The error class of a refusal. */
static int refuse(int class, const char *reason)
{
    mend_error_detail(mend_self, class, 0, "%s", reason);
    return class;
}

static int check_key(int key)
{
    return key >= MEND_NOTIFY_KEYS
               ? MPI_SUCCESS
               : refuse(MPI_ERR_ARG,
                        "the keys INT_MIN and INT_MIN + 1 are reserved for the library");
}

static int why_not(int err)
{
    return err == MPI_ERR_OTHER ? refuse(err, "the program handles SIGURG itself, or this is not "
                                              "the thread that has called MPI_Init")
                                : err;
}

MEND_API(MPIX_Notify_register);
int MPIX_Notify_register(int key, MPIX_Notify_function *callback, void *state)
{
    int err = mend_enter(__func__);

    if (!err && !callback)
        err = MPI_ERR_ARG;
    if (!err)
        err = check_key(key);
    if (!err)
        err = why_not(mend_notify_register(mend_self, key, callback, state, 0));
    return mend_report(err, __func__);
}

MEND_API(MPIX_Notify_unregister);
int MPIX_Notify_unregister(int key)
{
    int err = mend_enter(__func__);

    if (!err)
        err = check_key(key);
    if (!err)
        err = why_not(mend_notify_unregister(mend_self, key));
    return mend_report(err, __func__);
}

MEND_API(MPIX_Notify_hold);
int MPIX_Notify_hold(void)
{
    int err = mend_enter(__func__);

    if (!err)
        mend_notify_hold(mend_self);
    return mend_report(err, __func__);
}

MEND_API(MPIX_Notify_release);
int MPIX_Notify_release(void)
{
    int err = mend_enter(__func__);

    if (!err && mend_notify_release(mend_self))
        err = refuse(MPI_ERR_OTHER, "callbacks are not held");
    return mend_report(err, __func__);
}

static int check_data(const void *data, int bytes)
{
    if (bytes < 0 || (bytes && !data))
        return MPI_ERR_ARG;
    return bytes > MPIX_NOTIFY_MAX ? refuse(MPI_ERR_ARG, "a notification carries at most "
                                                         "MPIX_NOTIFY_MAX bytes")
                                   : MPI_SUCCESS;
}

static int notify(struct mend_group *g, int rank, int key, const void *data, int bytes, int *sent)
{
    mend_peer to = mend_group_peer(g, rank);
    bool gone = mend_notify_has_left(mend_self, to);
    int err = gone ? MPI_SUCCESS : mend_notify_send(mend_self, to, key, data, bytes);

    if (err == MPI_ERR_PROC_FAILED)
        mend_peer_entry(mend_self, to)->told = true;
    if (!err)
        *sent = !gone;
    return err;
}

MEND_API(MPIX_Notify);
int MPIX_Notify(MPI_Group group, int rank, int key, const void *data, int bytes, int *sent)
{
    struct mend_group *g = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_group(group, &g);
    if (!err && (rank < 0 || rank >= g->size))
        err = MPI_ERR_RANK;
    if (!err)
        err = check_key(key);
    if (!err)
        err = check_data(data, bytes);
    if (!err)
        err = mend_check_pointer(sent);
    if (!err)
        err = notify(g, rank, key, data, bytes, sent);
    return mend_report(err, __func__);
}
