/* SPDX-License-Identifier: BSD-3-Clause */
/* changes.c – which pages may have been written to: the kernel tells (track.c), or faults do (guard.c), or all of them have
 * (way full). */
#include "snap/changes.h"

#include "snap/guard.h"

void mend_snap_changes_watch(struct mend_snap *s, uintptr_t start, uintptr_t end)
{
    if (s->setup.way == MEND_SNAP_WAY_TRACK)
        mend_snap_track_watch(s, start, end);
    else
        mend_snap_changes_gone(s, start, end);
}

void mend_snap_changes_gone(struct mend_snap *s, uintptr_t start, uintptr_t end)
{
    if (s->setup.way == MEND_SNAP_WAY_PROTECT)
        mend_snap_guard_drop(s, start, end);
}

void mend_snap_changes_add(struct mend_snap *s, uintptr_t start, uintptr_t end)
{
    if (s->setup.way == MEND_SNAP_WAY_TRACK)
        mend_snap_track_set(s, start, end);
    else
        mend_snap_changes_gone(s, start, end);
}

/* How far a walk along runs of pages with contents has come. */
struct rest {
    uintptr_t at;
    mend_snap_change_run *run;
    void *arg;
};

static enum mend_status without_contents(struct mend_snap *s, struct rest *rest, uintptr_t end)
{
    struct mend_snap_change c = {rest->at, end, false};

    return c.start < c.end ? rest->run(s, &c, rest->arg) : MEND_OK;
}

static enum mend_status with_contents(struct mend_snap *s, uintptr_t start, uintptr_t end,
                                      void *arg)
{
    struct rest *rest = arg;
    struct mend_snap_change c = {start, end, true};
    enum mend_status st = without_contents(s, rest, start);

    rest->at = end;
    return st ? st : rest->run(s, &c, rest->arg);
}

enum mend_status mend_snap_changes_all(struct mend_snap *s, uintptr_t start, uintptr_t end,
                                       mend_snap_change_run *run, void *arg)
{
    struct rest rest = {start, run, arg};
    enum mend_status st = mend_snap_runs(s, start, end, false, with_contents, &rest);

    return st ? st : without_contents(s, &rest, end);
}

enum mend_status mend_snap_changes(struct mend_snap *s, uintptr_t start, uintptr_t end, bool clear,
                                   mend_snap_change_run *run, void *arg)
{
    if (s->setup.way == MEND_SNAP_WAY_TRACK)
        return mend_snap_track_changes(s, start, end, clear, run, arg);
    if (s->setup.way == MEND_SNAP_WAY_PROTECT)
        return mend_snap_guard_changes(s, start, end, clear, run, arg);
    return mend_snap_changes_all(s, start, end, run, arg);
}
