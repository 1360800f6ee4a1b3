/* SPDX-License-Identifier: BSD-3-Clause */
/* win.c – making and freeing windows, and their parts (MPI-5.0 12.2).
 *
 * Creation is collective over comm, blocks, and is uniform (S2-8): the window exists at all survivors, or all get the
 * error.  It fails at all if the arguments of one member are wrong or it has no memory.  MPI_Win_free is collective,
 * too; it succeeds in bounded time whichever members are dead, and is local on a revoked window (R30).  Within an epoch it is
 * MPI_ERR_RMA_SYNC, unless a member is dead: then it ends the epochs of its caller.  The memory of a dead member stays readable and
 * writable until then (R31). */
#include "mpi/win.h"

#include "comm/attr.h"
#include "comm/info.h"
#include "rma/epoch.h"

#include <string.h>

static bool is_true(const struct mend_info *i, const char *key)
{
    const char *value = mend_info_get(i, key);

    return value && !strcmp(value, "true");
}

/* What the hints ask for. */
static int read_info(const struct mend_info *i, struct mend_win_wish *wish)
{
    wish->no_locks = is_true(i, "no_locks");
    wish->contiguous =
        wish->flavor == MPI_WIN_FLAVOR_SHARED && !is_true(i, "alloc_shared_noncontig");
    return mend_info_alignment(i, &wish->align);
}

/* A wrong argument of one member is an error at all members. */
static int check_wish(struct mend_comm *c, const struct mend_win_wish *wish)
{
    if (wish->size < 0)
        return MPI_ERR_SIZE;
    if (wish->disp_unit <= 0)
        return MPI_ERR_DISP;
    if (wish->flavor == MPI_WIN_FLAVOR_CREATE && !wish->base && wish->size)
        return MPI_ERR_BASE;
    if (wish->flavor == MPI_WIN_FLAVOR_SHARED && c->size > 1 && !c->in_segment)
        return MPI_ERR_RMA_SHARED;
    return MPI_SUCCESS;
}

static int create(struct mend_win_wish *wish, MPI_Info info, MPI_Comm comm, void *baseptr,
                  MPI_Win *win, const char *fn)
{
    struct mend_comm *c = NULL;
    struct mend_info *i = NULL;
    struct mend_win *w = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_intra(comm, &c);
    if (!err)
        err = mend_check_pointer(win);
    if (!err) {
        wish->error = mend_check_info_or_null(info, &i);
        if (!wish->error)
            wish->error = read_info(i, wish);
        if (!wish->error)
            wish->error = check_wish(c, wish);
        if (wish->error)
            wish->size = 0;
        err = mend_win_create(c, wish, &w);
    }
    if (!err) {
        if (i)
            w->comm->info = mend_info_dup(mend_self, i);
        if (baseptr)
            *(void **)baseptr = w->base;
        *win = (MPI_Win)w;
    }
    return mend_report_comm(c, err, fn);
}

MEND_API(MPI_Win_create);
int MPI_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                   MPI_Win *win)
{
    struct mend_win_wish wish = {
        .flavor = MPI_WIN_FLAVOR_CREATE, .base = base, .size = size, .disp_unit = disp_unit};

    return create(&wish, info, comm, NULL, win, __func__);
}

MEND_API(MPI_Win_create_c);
int MPI_Win_create_c(void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                     MPI_Win *win)
{
    struct mend_win_wish wish = {
        .flavor = MPI_WIN_FLAVOR_CREATE, .base = base, .size = size, .disp_unit = disp_unit};

    return create(&wish, info, comm, NULL, win, __func__);
}

/* The memory is the library's, zero, and goes with the window.  baseptr: where its address goes. */
static int allocate(int flavor, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                    void *baseptr, MPI_Win *win, const char *fn)
{
    struct mend_win_wish wish = {.flavor = flavor, .size = size, .disp_unit = disp_unit};

    if (!baseptr) {
        int err = mend_enter(fn);

        return mend_report(err ? err : MPI_ERR_ARG, fn);
    }
    return create(&wish, info, comm, baseptr, win, fn);
}

MEND_API(MPI_Win_allocate);
int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr,
                     MPI_Win *win)
{
    return allocate(MPI_WIN_FLAVOR_ALLOCATE, size, disp_unit, info, comm, baseptr, win, __func__);
}

MEND_API(MPI_Win_allocate_c);
int MPI_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                       void *baseptr, MPI_Win *win)
{
    return allocate(MPI_WIN_FLAVOR_ALLOCATE, size, disp_unit, info, comm, baseptr, win, __func__);
}

MEND_API(MPI_Win_allocate_shared);
int MPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                            void *baseptr, MPI_Win *win)
{
    return allocate(MPI_WIN_FLAVOR_SHARED, size, disp_unit, info, comm, baseptr, win, __func__);
}

MEND_API(MPI_Win_allocate_shared_c);
int MPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                              void *baseptr, MPI_Win *win)
{
    return allocate(MPI_WIN_FLAVOR_SHARED, size, disp_unit, info, comm, baseptr, win, __func__);
}

MEND_API(MPI_Win_create_dynamic);
int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    struct mend_win_wish wish = {.flavor = MPI_WIN_FLAVOR_DYNAMIC, .disp_unit = 1};

    return create(&wish, info, comm, NULL, win, __func__);
}

/* Local.  The memory may be used by others when this call has returned. */
MEND_API(MPI_Win_attach);
int MPI_Win_attach(MPI_Win win, void *base, MPI_Aint size)
{
    struct mend_win *w = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_win(win, &w);
    if (!err && w->flavor != MPI_WIN_FLAVOR_DYNAMIC)
        err = MPI_ERR_RMA_FLAVOR;
    if (!err && size < 0)
        err = MPI_ERR_SIZE;
    if (!err && !base && size)
        err = MPI_ERR_BASE;
    if (!err)
        err = mend_win_attach(w, base, size);
    return mend_report_win(w, err, __func__);
}

MEND_API(MPI_Win_detach);
int MPI_Win_detach(MPI_Win win, const void *base)
{
    struct mend_win *w = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_win(win, &w);
    if (!err && w->flavor != MPI_WIN_FLAVOR_DYNAMIC)
        err = MPI_ERR_RMA_FLAVOR;
    if (!err)
        err = mend_win_detach(w, base);
    return mend_report_win(w, err, __func__);
}

/* The attributes go first; the error of a callback that refused leaves the window as it is. */
MEND_API(MPI_Win_free);
int MPI_Win_free(MPI_Win *win)
{
    struct mend_win *w = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_pointer(win);
    if (!err)
        err = mend_check_win(*win, &w);
    if (!err && !mend_epoch_allows_free(w))
        err = MPI_ERR_RMA_SYNC;
    if (!err)
        err = mend_attrs_delete_all(mend_self, &w->attrs, (void *)*win);
    if (err)
        return mend_report_win(w, err, __func__);
    err = mend_win_free(w);
    *win = MPI_WIN_NULL;
    return mend_report(err, __func__);
}

/* A copy; the user frees it. */
MEND_API(MPI_Win_get_group);
int MPI_Win_get_group(MPI_Win win, MPI_Group *group)
{
    struct mend_win *w = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_win(win, &w);
    if (!err)
        err = mend_check_pointer(group);
    if (!err) {
        mend_group_get(w->comm->group);
        *group = mend_group_handle(w->comm->group);
    }
    return mend_report_win(w, err, __func__);
}

/* Size 0 where this process cannot reach the part (MPI-4.1 and later). */
static int shared_query(MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *disp_unit, void *baseptr,
                        struct mend_win **w_p)
{
    int err = mend_check_win(win, w_p);
    struct mend_win_part p;

    if (!err && !(size && baseptr))
        err = MPI_ERR_ARG;
    if (!err && (*w_p)->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        err = MPI_ERR_RMA_FLAVOR;
    if (!err && rank != MPI_PROC_NULL)
        err = mend_check_target(*w_p, rank);
    if (err)
        return err;
    p = mend_win_shared_part(*w_p, rank);
    *size = p.size;
    *disp_unit = p.disp_unit;
    *(void **)baseptr = p.here;
    return MPI_SUCCESS;
}

MEND_API(MPI_Win_shared_query);
int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *size, int *disp_unit, void *baseptr)
{
    struct mend_win *w = NULL;
    MPI_Aint unit = 1;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_pointer(disp_unit);
    if (!err)
        err = shared_query(win, rank, size, &unit, baseptr, &w);
    if (!err)
        *disp_unit = (int)unit;
    return mend_report_win(w, err, __func__);
}

MEND_API(MPI_Win_shared_query_c);
int MPI_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *disp_unit,
                           void *baseptr)
{
    struct mend_win *w = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_pointer(disp_unit);
    if (!err)
        err = shared_query(win, rank, size, disp_unit, baseptr, &w);
    return mend_report_win(w, err, __func__);
}
