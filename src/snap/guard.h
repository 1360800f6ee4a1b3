/* SPDX-License-Identifier: BSD-3-Clause */
/* guard.h – way protect: pages that are protected (guard.c) and system calls into them (calls.c). */
#ifndef MEND_SNAP_GUARD_H
#define MEND_SNAP_GUARD_H

#include "snap/changes.h"
#include "snap/own.h"

/* False if the kernel or the processor cannot. */
bool mend_snap_guard_open(struct mend_snap *s);
void mend_snap_guard_close(struct mend_snap *s);

/* While the program runs, clear pages are protected: raise protects those of l's regions (NULL: none, and
 * all may have been written to), lower opens them all; in other ways they do nothing.  In between
 * /proc/self/maps has the program's own protections. */
void mend_snap_guard_raise(struct mend_snap *s, const struct mend_snap_level *l);
void mend_snap_guard_lower(struct mend_snap *s);

/* [start, start + bytes) may have been written to: opens it, in the program; drop: it is open. */
void mend_snap_guard_release(struct mend_snap *s, uintptr_t start, uint64_t bytes);
void mend_snap_guard_drop(struct mend_snap *s, uintptr_t start, uintptr_t end);

/* Everything may have been written to. */
void mend_snap_guard_give_up(struct mend_snap *s);

/* A write to a page at `at` has failed.  False: it is not protected by snap/. */
bool mend_snap_guard_fault(struct mend_snap *s, uintptr_t at);

/* As mend_snap_changes(). */
enum mend_status mend_snap_guard_changes(struct mend_snap *s, uintptr_t start, uintptr_t end,
                                         bool clear, mend_snap_change_run *run, void *arg);

/* From open on, each system call of the program is a signal, except while `let` is set. */
bool mend_snap_calls_open(struct mend_snap *s);
void mend_snap_calls_close(struct mend_snap *s);
void mend_snap_calls_let(struct mend_snap *s, bool let);

/* A system call that never is a signal. */
long mend_snap_gate(long number, long a, long b, long c, long d, long e, long f);

#endif
