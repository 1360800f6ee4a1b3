/* SPDX-License-Identifier: BSD-3-Clause */
/* env.c – versions, names, timers, memory, abort (MPI-5.0 9.1, 9.2, 9.6, 9.7).
 *
 * All local.  The clock is the node's monotonic one: one for all processes of a node. */
#include "mpi/check.h"

#include "comm/errhandler.h"
#include "comm/info.h"
#include "rma/alloc.h"
#include "rt/rt.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef MEND_VERSION
#define MEND_VERSION "(unknown version)"
#endif

/* At any time. */
MEND_API(MPI_Get_version);
int MPI_Get_version(int *version, int *subversion)
{
    int err = mend_enter_any(__func__);

    if (!err && !(version && subversion))
        err = MPI_ERR_ARG;
    if (!err) {
        *version = MPI_VERSION;
        *subversion = MPI_SUBVERSION;
    }
    return mend_report(err, __func__);
}

/* At any time. */
MEND_API(MPI_Get_library_version);
int MPI_Get_library_version(char *version, int *resultlen)
{
    int err = mend_enter_any(__func__);

    if (!err && !(version && resultlen))
        err = MPI_ERR_ARG;
    if (!err)
        *resultlen = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING,
                              "Mend " MEND_VERSION ", MPI %d.%d, ABI %d.%d", MPI_VERSION,
                              MPI_SUBVERSION, MPI_ABI_VERSION, MPI_ABI_SUBVERSION);
    return mend_report(err, __func__);
}

MEND_API(MPI_Get_processor_name);
int MPI_Get_processor_name(char *name, int *resultlen)
{
    int err = mend_enter(__func__);

    if (!err && !(name && resultlen))
        err = MPI_ERR_ARG;
    if (!err) {
        snprintf(name, MPI_MAX_PROCESSOR_NAME, "%s", mend_self->rt->host(mend_self, mend_self->me));
        *resultlen = (int)strlen(name);
    }
    return mend_report(err, __func__);
}

/* Called in loops that are being measured: straight to the clock. */
MEND_API(MPI_Wtime);
double MPI_Wtime(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

MEND_API(MPI_Wtick);
double MPI_Wtick(void)
{
    struct timespec tick = {0, 1};

    clock_getres(CLOCK_MONOTONIC, &tick);
    return (double)tick.tv_sec + 1e-9 * (double)tick.tv_nsec;
}

/* Ends all processes of comm, both groups of an intercommunicator, and no others (S4-6, S4-8).
 * Does not return. */
MEND_API(MPI_Abort);
int MPI_Abort(MPI_Comm comm, int errorcode)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (err) /* outside of MPI there is only this process */
        mend_abort(NULL, errorcode);
    err = mend_check_comm(comm, &c);
    if (!err)
        mend_abort(c, errorcode);
    return mend_report(err, __func__);
}

/* baseptr: where the address goes. */
MEND_API(MPI_Alloc_mem);
int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr)
{
    struct mend_info *i = NULL;
    size_t align = 0;
    void *p = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_info_or_null(info, &i);
    if (!err && (size < 0 || !baseptr))
        err = MPI_ERR_ARG;
    if (!err)
        err = mend_info_alignment(i, &align);
    if (!err && size > 0) {
        p = mend_rma_alloc(mend_self, (size_t)size, align);
        err = p ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    if (!err)
        *(void **)baseptr = p;
    return mend_report(err, __func__);
}

/* MPI_ERR_BASE: it lies in memory of MPI_Alloc_mem and is not where that begins. */
MEND_API(MPI_Free_mem);
int MPI_Free_mem(void *base)
{
    int err = mend_enter(__func__);

    if (!err && base)
        err = mend_rma_free(mend_self, base);
    return mend_report(err, __func__);
}

/* MEND_MEMORY_FAULTS: which allocations fail (test/kill/memory/). */
static void set_memory_faults(struct mend_proc *self, int level, va_list args)
{
    *va_arg(args, long *) = self->arena->faults.denied_n;
    *va_arg(args, long *) = (long)self->arena->in_use_bytes;
    mend_arena_set_faults(self->arena, (uint32_t)(level < 0 ? -(int64_t)level : level), level < 0);
}

/* For tools that put themselves before this function (15.2.4); a mark for --inject.  At any time. */
MEND_API(MPI_Pcontrol);
int MPI_Pcontrol(const int level, ...)
{
    int err = mend_enter_any(__func__);
    va_list args;

    va_start(args, level);
    if (!err && mend_self->params.memory_faults)
        set_memory_faults(mend_self, level, args);
    va_end(args);
    return mend_report(err, __func__);
}
