/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.h – descriptors that wake a process, by its agent.
 *
 * A process sleeps on a futex in its segment (node/bell.h), which the kernel cannot combine with descriptors, and other
 * processes of the node cannot write to a descriptor of this one. A thread that waits for descriptors would keep safe points
 * away and make each death slower to confirm. So the process hands its agent a set of descriptors, and the agent rings:
 *
 *   descriptors ──> all (epoll, level-triggered) ──> once (epoll, one event for each request) ──> the agent's own epoll
 *
 *   process   read the futex ── request: arm `once` ── look at everything ── sleep on the futex
 *   kernel                       readable now, or later ──> one event in `once`
 *   agent     take the event ──> count it in rank.readable_n ──> change the futex and wake (launch/agent/rouse.c)
 *
 * `all` and `once` belong to the process, so a request is one system call, whatever the number of descriptors, and asks nothing
 * of the agent.  Between two requests the agent sleeps, whatever arrives; a request stays until its event is taken.
 *
 * No wake-up is lost:
 *   1  A process that sleeps has a request that began before its last look and whose event is not counted: it makes one unless the last
 *      is open, that is, unless readable_n is what it was at that request.  It reads the futex first, and readable_n after it.
 *   2  While a request is open, the kernel has an event for the agent as soon as anything is readable: arming asks the
 *      descriptors, and what becomes readable later passes through both sets.
 *   3  The agent changes the futex after it has taken and counted the event.  If the process read the futex before, the sleep
 *      does not begin, or ends.  If it read the changed one, it sees the count (release and acquire), and makes a request.
 *
 * What ends the sleep if the agent does not ring: one that is busy rings later, unless the descriptors are read first, and a sleep is
 * never longer than SLEEP_MAX, or twice as long with something readable, behind which the process looks by itself; the keeper continues one that was stopped alone (launch/agent/keeper.c); with one that is
 * dead the process dies, too.  An agent without memory or descriptors for the set says so on standard error and in
 * rank.deaf: then sleeps are of at most a millisecond.
 *
 * A set refers to no descriptor: those of a dead process are closed although its agent still has `once`, which the agent
 * drops when it learns of the end (launch/agent/rouse.c).  A child by fork() has both sets and never uses them. The kernel
 * permits five sets in a chain; here are three, so a descriptor may itself be an epoll set, but not a set of sets of sets. */
#ifndef MEND_NODE_WATCH_H
#define MEND_NODE_WATCH_H

#include "proc/proc.h"

struct mend_watch;

/* From now on *w, NULL at first, watches the descriptor, too.  MEND_OK, or MEND_ERR_MEM: the system has no memory or
 * descriptor for it here, or there is no agent.  Waits for the agent only while its socket is full. */
enum mend_status mend_watch_add(struct mend_proc *self, struct mend_watch **w, int fd);

/* The descriptor, which is still open, rings no more.  With the last one *w becomes NULL, and the agent is told. */
void mend_watch_remove(struct mend_proc *self, struct mend_watch **w, int fd);

/* rung_n: rank.readable_n, read after the futex.  A request is open: nothing has become readable since, as far as the agent has
 * counted. */
bool mend_watch_is_asked(const struct mend_watch *w, uint32_t rung_n);

/* One of the descriptors is readable. */
bool mend_watch_is_readable(const struct mend_watch *w);

/* Makes a request. */
void mend_watch_ask(struct mend_watch *w, uint32_t rung_n);

#endif
