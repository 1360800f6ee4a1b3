/* SPDX-License-Identifier: BSD-3-Clause */
/* safe_point.c – safe points of the program's memory (include/mend.h, snap/snap.h).
 *
 * What is not the program's, and so survives a roll-back:
 *
 *   the arena's mappings                       base/arena.h
 *   the writable data of libmpi_abi.so         found by the address of a variable of it
 *   the segment, windows, other shared memory  shared mappings, which are never rolled back
 *
 * A library that is linked into the program itself cannot be told from it: its data would roll back with the
 * program's, so that is refused. */
#include "mpi/safe_point.h"

#include "mpi/check.h"

#include "comm/errcode.h"
#include "notify/notify.h"
#include "recover/module.h"
#include "snap/snap.h"

#include <link.h>
#include <string.h>

/* In the library's data: rolled back neither. */
static struct {
    struct mend_snap *snap;
    const char *data; /* of the library */
    size_t data_bytes;
    bool below_modules;  /* a module has made one since the last time that there was no module */
    unsigned below;      /* then: how many there were before it */
    unsigned of_modules; /* how many there are for modules */
} point;

/* dl_iterate_phdr() calls it for each object: notes the range of the writable segments of this one. */
static int find_data(struct dl_phdr_info *info, size_t size, void *of)
{
    uintptr_t low = UINTPTR_MAX, high = 0, mine = (uintptr_t)&point;

    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + h->p_vaddr;

        if (h->p_type != PT_LOAD || !(h->p_flags & PF_W))
            continue;
        low = start < low ? start : low;
        high = start + h->p_memsz > high ? start + h->p_memsz : high;
    }
    if (mine < low || mine >= high)
        return 0;
    if (info->dlpi_name[0]) { /* the program has no name */
        point.data = (const char *)low;
        point.data_bytes = high - low;
    }
    return 1;
}

static void exclude_mapping(void *of, const void *at, size_t bytes)
{
    mend_snap_exclude(of, at, bytes);
}

static void exclude(struct mend_snap *snap, void *of)
{
    mend_snap_exclude(snap, point.data, point.data_bytes);
    mend_arena_each(mend_self->arena, exclude_mapping, snap);
}

static enum mend_snap_way way(void)
{
    static const struct {
        const char *word;
        enum mend_snap_way way;
    } ways[] = {{"track", MEND_SNAP_WAY_TRACK}, {"protect", MEND_SNAP_WAY_PROTECT},
                {"drop", MEND_SNAP_WAY_DROP},   {"copy_back", MEND_SNAP_WAY_COPY_BACK},
                {"fork", MEND_SNAP_WAY_FORK},   {"full", MEND_SNAP_WAY_FULL}};
    const char *word = mend_self->params.safe_point;

    for (size_t i = 0; word && i < MEND_COUNT_OF(ways); i++)
        if (!strcmp(word, ways[i].word))
            return ways[i].way;
    return MEND_SNAP_WAY_BEST;
}

/* The error class of a refusal. */
static int refuse(int class, const char *reason)
{
    mend_error_detail(mend_self, class, 0, "%s", reason);
    return class;
}

static int error_of(enum mend_status st)
{
    if (!st)
        return MPI_SUCCESS;
    return refuse(st == MEND_ERR_MEM ? MPI_ERR_NO_MEM : MPI_ERR_UNSUPPORTED_OPERATION,
                  mend_snap_reason(point.snap));
}

static int open_snap(void)
{
    struct mend_snap_setup setup = {.way = way(), .exclude = exclude};

    if (point.snap)
        return MPI_SUCCESS;
    dl_iterate_phdr(find_data, NULL);
    if (!point.data)
        return refuse(MPI_ERR_UNSUPPORTED_OPERATION,
                      "safe points need the library as a shared object of its own");
    switch (mend_snap_create(&setup, &point.snap)) {
    case MEND_OK:
        return MPI_SUCCESS;
    case MEND_ERR_UNSUPPORTED:
        return refuse(MPI_ERR_UNSUPPORTED_OPERATION,
                      "this kernel does not have the way of MEND_SAFE_POINT");
    default:
        return refuse(MPI_ERR_NO_MEM, "no nameless files for a safe point");
    }
}

void mend_safe_points_end(void)
{
    mend_module_lose_all_points(mend_self);
    mend_recovery_end_all(mend_self);
    if (point.snap)
        mend_snap_destroy(point.snap);
    point.snap = NULL;
    point.of_modules = 0;
    point.below_modules = false;
}

void mend_safe_point_drop(unsigned nth)
{
    mend_snap_drop(point.snap, point.below + nth);
    point.of_modules--;
}

void mend_safe_point_drop_all(void)
{
    while (point.of_modules)
        mend_safe_point_drop(1);
    point.below_modules = false;
}

/* Has the program one of its own behind those for modules, or are there none for modules? */
static bool is_programs(void)
{
    unsigned depth = mend_snap_depth(point.snap);

    return point.of_modules ? depth > point.below + point.of_modules : depth > 0;
}

/* Which of the program's are below those for modules, and not behind them. */
static void set_below(void)
{
    unsigned depth = mend_snap_depth(point.snap);

    if (!point.below_modules || depth < point.below)
        point.below = depth;
    point.below_modules = true;
}

bool mend_safe_point_is_behind(void)
{
    return point.below_modules && mend_snap_depth(point.snap) > point.below + point.of_modules;
}

int mend_safe_point_of_module(int *value_p)
{
    int err = open_snap(), got = 0;

    if (err)
        return err;
    set_below();
    err = error_of(mend_snap_enter(point.snap, &got));
    if (got)
        mend_notify_unwound(mend_self);
    else if (!err)
        point.of_modules++;
    *value_p = got;
    return err;
}

void mend_safe_point_pages(uint64_t *saved_p, uint64_t *undone_p)
{
    struct mend_snap_counts n = mend_snap_counts(point.snap);

    *saved_p = n.saved_pages;
    *undone_p = n.undone_pages;
}

/* Those that the program has made since go with what it has done. */
int mend_safe_point_back(unsigned nth, int value)
{
    while (mend_snap_depth(point.snap) > point.below + nth)
        mend_snap_commit(point.snap);
    point.of_modules = nth;
    return error_of(mend_snap_roll_back(point.snap, value));
}

/* For calls that need a safe point. */
static int enter_inside(const char *fn)
{
    int err = mend_enter(fn);

    if (!err && !(point.snap && mend_snap_depth(point.snap)))
        err = refuse(MPI_ERR_OTHER, "there is no safe point");
    return err;
}

/* For those that change the innermost one. */
static int enter_inside_own(const char *fn)
{
    int err = enter_inside(fn);

    if (!err && !is_programs())
        err = refuse(MPI_ERR_OTHER, "the innermost safe point is a module's");
    return err;
}

MEND_API(MPIX_Safe_point_enter);
int MPIX_Safe_point_enter(int *value)
{
    int err = mend_enter(__func__), got = 0;

    if (!err && !value)
        err = MPI_ERR_ARG;
    if (!err)
        err = mend_check_outside_callback(); /* its frame is gone when the callback returns */
    if (!err)
        err = open_snap();
    if (!err)
        err = error_of(mend_snap_enter(point.snap, &got));
    if (got)
        mend_notify_unwound(mend_self);
    if (!err)
        *value = got;
    return mend_report(err, __func__);
}

MEND_API(MPIX_Safe_point_commit);
int MPIX_Safe_point_commit(void)
{
    int err = enter_inside_own(__func__);

    if (!err)
        mend_snap_commit(point.snap);
    return mend_report(err, __func__);
}

MEND_API(MPIX_Safe_point_roll_back);
int MPIX_Safe_point_roll_back(int value)
{
    int err = enter_inside_own(__func__);

    if (!err && !value)
        err = MPI_ERR_ARG;
    if (!err && !mend_notify_may_unwind(mend_self))
        err = refuse(MPI_ERR_UNSUPPORTED_OPERATION,
                     "this callback has interrupted an MPI call, which a roll-back would leave "
                     "half done");
    if (!err)
        err = error_of(mend_snap_roll_back(point.snap, value));
    return mend_report(err, __func__);
}

MEND_API(MPIX_Safe_point_depth);
int MPIX_Safe_point_depth(int *depth)
{
    int err = mend_enter(__func__);

    if (!err && !depth)
        err = MPI_ERR_ARG;
    if (!err)
        *depth = point.snap ? (int)mend_snap_depth(point.snap) : 0;
    return mend_report(err, __func__);
}

MEND_API(MPIX_Safe_point_differences);
int MPIX_Safe_point_differences(char *text, int size, int *lines)
{
    int err = enter_inside(__func__);

    if (!err && (size < 0 || (size && !text) || !lines))
        err = MPI_ERR_ARG;
    if (!err)
        *lines = (int)mend_snap_differences(point.snap, text, (size_t)size);
    return mend_report(err, __func__);
}
