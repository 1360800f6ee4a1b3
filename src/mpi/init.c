/* SPDX-License-Identifier: BSD-3-Clause */
/* init.c – MPI_Init, MPI_Finalize and the questions about them (MPI-5.0 chapter 11). */
#include "mpi/check.h"

#include "comm/errhandler.h"
#include "life/life.h"
#include "mpi/safe_point.h"

#include <stdio.h>
#include <stdlib.h>

/* MPI cannot be started, now or later; what it has begun with is not undone. */
static int fail(int err)
{
    if (!mend_errhandler_initial_returns())
        exit(1);
    return mend_leave(err);
}

static int start(int required, int *provided_p, const char *fn)
{
    const char *why = "no memory";
    int err = mend_enter_any(fn), level = required;

    if (!err && mend_self->world_state != MEND_WORLD_BEFORE) {
        fprintf(stderr, "mend: %s: MPI was %s already\n", fn,
                mend_self->world_state == MEND_WORLD_OVER ? "finalized" : "initialized");
        return mend_report(MPI_ERR_OTHER, fn);
    }
    if (!err && level != MPI_THREAD_SINGLE && level != MPI_THREAD_FUNNELED &&
        level != MPI_THREAD_SERIALIZED && level != MPI_THREAD_MULTIPLE)
        err = MPI_ERR_ARG;
    if (!err)
        err = mend_life_open(mend_self, level, level == MPI_THREAD_MULTIPLE, &why);
    if (err) {
        fprintf(stderr, "mend: %s failed: %s\n", fn, why);
        return fail(err);
    }
    mend_self->world_state = MEND_WORLD_OPEN;
    if (provided_p)
        *provided_p = level;
    return mend_leave(MPI_SUCCESS);
}

/* Collective over MPI_COMM_WORLD by the standard; waits for nobody here.  11.2.1. */
MEND_API(MPI_Init);
int MPI_Init(int *argc, char ***argv)
{
    return start(MPI_THREAD_SINGLE, NULL, __func__);
}

/* All levels are provided; MPI_THREAD_MULTIPLE serialises calls by one lock.  11.2.1. */
MEND_API(MPI_Init_thread);
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    return start(required, provided, __func__);
}

/* Collective over the surviving processes; blocks until all are here or dead (R19).  11.2.2. */
MEND_API(MPI_Finalize);
int MPI_Finalize(void)
{
    int err = mend_enter(__func__);

    if (!err && mend_self->world_state != MEND_WORLD_OPEN)
        err = MPI_ERR_OTHER;
    if (!err)
        err = mend_check_outside_callback();
    if (!err) {
        mend_safe_points_end(); /* a module that rolls back cannot do so any more */
        err = mend_life_finalize(mend_self);
        return mend_leave(err);
    }
    return mend_report(err, __func__);
}

MEND_API(MPI_Initialized);
int MPI_Initialized(int *flag)
{
    int err = mend_enter_any(__func__);

    if (!err)
        err = mend_check_pointer(flag);
    if (!err)
        *flag = mend_self->world_state != MEND_WORLD_BEFORE;
    return mend_report(err, __func__);
}

MEND_API(MPI_Finalized);
int MPI_Finalized(int *flag)
{
    int err = mend_enter_any(__func__);

    if (!err)
        err = mend_check_pointer(flag);
    if (!err)
        *flag = mend_self->world_state == MEND_WORLD_OVER;
    return mend_report(err, __func__);
}

MEND_API(MPI_Query_thread);
int MPI_Query_thread(int *provided)
{
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_pointer(provided);
    if (!err)
        *provided = mend_self->thread_level;
    return mend_report(err, __func__);
}

MEND_API(MPI_Is_thread_main);
int MPI_Is_thread_main(int *flag)
{
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_pointer(flag);
    if (!err)
        *flag = pthread_equal(mend_self->main_thread, pthread_self()) != 0;
    return mend_report(err, __func__);
}
