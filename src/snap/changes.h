/* SPDX-License-Identifier: BSD-3-Clause */
/* changes.h – which memory may have been written to, in runs of pages.
 *
 * The kernel tells (track.c), or faults do (guard.c), or all of it counts as written to, by way (changes.c). */
#ifndef MEND_SNAP_CHANGES_H
#define MEND_SNAP_CHANGES_H

#include "snap/own.h"

/* A part of memory that may have been written to; without contents it is zero, or as in the file behind it. */
struct mend_snap_change {
    uintptr_t start, end;
    bool has_contents;
};

typedef enum mend_status mend_snap_change_run(struct mend_snap *s, const struct mend_snap_change *c,
                                              void *arg);

/* Calls run() for each run of pages in [start, end) that have contents, or (changed) that differ from the file
 * behind them. */
enum mend_status mend_snap_runs(struct mend_snap *s, uintptr_t start, uintptr_t end, bool changed,
                                enum mend_status (*run)(struct mend_snap *s, uintptr_t start,
                                                        uintptr_t end, void *arg),
                                void *arg);

/* For the ways with a shadow: [start, end) is watched from here on; its mapping goes; it counts as written to. */
void mend_snap_changes_watch(struct mend_snap *s, uintptr_t start, uintptr_t end);
void mend_snap_changes_gone(struct mend_snap *s, uintptr_t start, uintptr_t end);
void mend_snap_changes_add(struct mend_snap *s, uintptr_t start, uintptr_t end);

/* Calls run() for each range of [start, end) that may have been written to since it was cleared, in order, and for what
 * is not there; then, with `clear`, it is clear. */
enum mend_status mend_snap_changes(struct mend_snap *s, uintptr_t start, uintptr_t end, bool clear,
                                   mend_snap_change_run *run, void *arg);

/* As if all of [start, end) had been written to: divides it by contents. */
enum mend_status mend_snap_changes_all(struct mend_snap *s, uintptr_t start, uintptr_t end,
                                       mend_snap_change_run *run, void *arg);

/* track.c: the kernel tracks writes.  False: it cannot. */
bool mend_snap_track_open(struct mend_snap *s);

/* track.c: from here on [start, end) is watched, and counts as written to until it is cleared; it counts as written to;
 * as mend_snap_changes(). */
void mend_snap_track_watch(const struct mend_snap *s, uintptr_t start, uintptr_t end);
void mend_snap_track_set(struct mend_snap *s, uintptr_t start, uintptr_t end);
enum mend_status mend_snap_track_changes(struct mend_snap *s, uintptr_t start, uintptr_t end,
                                         bool clear, mend_snap_change_run *run, void *arg);

#endif
