/* SPDX-License-Identifier: BSD-3-Clause */
/* snap.h – safe points: the memory of a process as it was, to be rolled back to.
 *
 * From a safe point on the kernel records page by page what the program changes.  A roll-back restores heap,
 * globals, stack and registers, undoes mappings made and removed, and returns from mend_snap_enter() once more, with
 * another value.  Safe points may be nested.
 *
 *   ways           pages are recorded by                         a roll-back
 *   track          the kernel: it notes which pages are written   copies the image over these pages
 *                  to; the image is a copy of all memory
 *   protect        a handler of faults: pages are protected      as above
 *                  against writing; system calls go through
 *                  another one; the image is such a copy, too
 *   drop           the kernel: all memory becomes a private      drops the changed pages: the next access
 *                  mapping of a nameless file, the image         finds the image again
 *   copy back      as above                                      copies the image over the changed pages, which
 *                                                                saves their next faults
 *   fork           the kernel: a child that sleeps keeps the      compares all memory with the child's
 *                  memory, which both share until a write
 *   full           a copy of all memory at the safe point        copies everything back
 *
 *      program's pages   [ a ][ b'][ c ]      b was written: the kernel has made b' of it, private
 *                          |         |
 *      image (memfd)     [ a ][ b ][ c ]      the contents at the innermost safe point
 *      log (memfd)       [ b0 ] [ c0 ]        what the image held at outer safe points
 *
 * A new safe point writes only the changed pages into the image (the old contents go to the log if an outer
 * safe point needs them), and a mapping that the program has removed since is still in the image.
 *
 * Not rolled back: shared mappings, the ranges that setup.exclude names, everything that the kernel keeps
 * for the process.  For that mend_snap_differences() compares two fingerprints.
 *
 *   1  the object, its stack and its tables are in a shared mapping, so no roll-back affects them;
 *   2  below the innermost safe point the image holds, at a region's offset, its contents at that safe point;
 *   3  an entry of the log belongs to the level whose contents it holds; a page has at most one per level.
 *
 * For one thread: a process that has more is refused.  Nothing here blocks, and no function may be called from a
 * signal handler that may have interrupted another one of them. */
#ifndef MEND_SNAP_SNAP_H
#define MEND_SNAP_SNAP_H

#include "base/status.h"

struct mend_snap;

enum mend_snap_way {
    MEND_SNAP_WAY_BEST, /* track if the kernel can, else drop */
    MEND_SNAP_WAY_TRACK,
    MEND_SNAP_WAY_PROTECT,
    MEND_SNAP_WAY_DROP,
    MEND_SNAP_WAY_COPY_BACK,
    MEND_SNAP_WAY_FORK,
    MEND_SNAP_WAY_FULL,
};

struct mend_snap_setup {
    enum mend_snap_way way;
    /* Calls mend_snap_exclude() for each range that is not the program's.  It is called again at every safe point
     * and roll-back, on a stack of 256 KiB, and may not touch the program's memory.  NULL: none. */
    void (*exclude)(struct mend_snap *snap, void *of);
    void *of;
};

struct mend_snap_counts {
    uint64_t saved_pages;  /* pages whose contents the last safe point wrote */
    uint64_t undone_pages; /* pages that the last roll-back restored */
};

/* The owner destroys it.  MEND_ERR_SYS: no files or no memory for it; MEND_ERR_UNSUPPORTED: the kernel does not know the
 * way. */
enum mend_status mend_snap_create(const struct mend_snap_setup *setup, struct mend_snap **snap_p);

/* Drops all safe points.  The memory stays as it is. */
void mend_snap_destroy(struct mend_snap *snap);

/* A safe point inside those that exist.  Returns with *value_p == 0, and again with the value of each
 * mend_snap_roll_back() to it; the function that calls it may have returned in between.
 * MEND_ERR_UNSUPPORTED: the process has what cannot be rolled back; MEND_ERR_MEM: no room for the image.
 * mend_snap_reason() tells what. */
enum mend_status mend_snap_enter(struct mend_snap *snap, int *value_p);

/* Drops the innermost safe point; what has changed since belongs to the one around it. */
void mend_snap_commit(struct mend_snap *snap);

/* Drops the safe point at a depth: 1 is the outermost one.  The others stay as they are. */
void mend_snap_drop(struct mend_snap *snap, unsigned depth);

/* Rolls back to the innermost safe point, which stays.  Returns only if it cannot; then nothing has
 * changed, and mend_snap_reason() tells why. */
enum mend_status mend_snap_roll_back(struct mend_snap *snap, int value);

/* How it records; never MEND_SNAP_WAY_BEST. */
enum mend_snap_way mend_snap_way(const struct mend_snap *snap);

/* How many safe points there are. */
unsigned mend_snap_depth(const struct mend_snap *snap);

/* What has changed since the innermost safe point that no roll-back undoes: one line each, like
 * "descriptor 5 /tmp/x: offset 0, now 120".  At most bytes, with the final zero.  Returns the number of lines. */
unsigned mend_snap_differences(struct mend_snap *snap, char *text, size_t bytes);

/* The reason of the last refusal, or "". */
const char *mend_snap_reason(const struct mend_snap *snap);

struct mend_snap_counts mend_snap_counts(const struct mend_snap *snap);

/* For setup.exclude: these bytes, rounded to pages, are not the program's. */
void mend_snap_exclude(struct mend_snap *snap, const void *at, size_t bytes);

#endif
