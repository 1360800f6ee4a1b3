/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.h – descriptors that ring the bell of a process.
 *
 * A process sleeps on a futex in its segment (node/bell.h), which the kernel cannot combine with descriptors, and other
 * processes of the node cannot write to a descriptor of this one. So a thread waits for the descriptors, and rings:
 *
 *   sleeper   arm: read the futex ── ask for one event ── look at everything ── sleep on the futex
 *   kernel                           readable now, or later ──> the event
 *   thread    wait for an event ──> rouse: change the futex and wake ──> wait for the next one
 *
 * No wake-up is lost: the sleeper asks after it has read the futex, and the kernel answers each request with an event if
 * anything is readable then or becomes so; the answer changes the futex, so the sleep ends or does not begin.  Between two
 * requests the thread sleeps, whatever arrives.  A process that watches nothing has no such thread, and pays one
 * comparison for each sleep. */
#ifndef MEND_NODE_WATCH_H
#define MEND_NODE_WATCH_H

#include "proc/proc.h"

struct mend_watch;

/* From now on *w, NULL at first, watches the descriptor, too.  MEND_OK, or MEND_ERR_MEM: the system has no memory,
 * descriptor or thread for it. */
enum mend_status mend_watch_add(struct mend_proc *self, struct mend_watch **w, int fd);

/* The descriptor, which is still open, rings no more.  With the last one *w becomes NULL and its thread ends; waits for
 * the thread, which waits for nothing. */
void mend_watch_remove(struct mend_proc *self, struct mend_watch **w, int fd);

/* Asks for one event: to be called after the futex was read. */
void mend_watch_ask(struct mend_watch *w);

#endif
