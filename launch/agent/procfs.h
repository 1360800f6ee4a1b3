/* SPDX-License-Identifier: BSD-3-Clause */
/* procfs.h – what the kernel tells of a process while it lives or dies.
 *
 * For a process that is gone, or that we may not inspect, the answer to every question is "no".  Only what a process
 * cannot undo, such as an end that has begun, is still true when the caller has the answer. */
#ifndef MEND_LAUNCH_AGENT_PROCFS_H
#define MEND_LAUNCH_AGENT_PROCFS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

bool mend_procfs_dumping(pid_t pid, pid_t dumper); /* it dumps core and runs nothing else */
char mend_procfs_state(pid_t pid); /* 'R' it runs or could, 'S', 'D', 'T', 't', 'Z'; 0: not known */
bool mend_procfs_handles(pid_t pid,
                         uint64_t *signals_p); /* bit n - 1: signal n; told of a zombie, too */
bool mend_procfs_ran(pid_t pid, uint64_t *ran_ns_p); /* processor time that its main thread had */
bool mend_procfs_exiting(pid_t pid, bool *signaled_p, int *code_p); /* it ends, and why */
bool mend_procfs_killed(pid_t pid);     /* it has been sent SIGKILL, but may not have run since */
bool mend_procfs_cannot_die(pid_t pid); /* the same, in a system call that cannot be interrupted */
bool mend_procfs_descends(pid_t pid,
                          pid_t from); /* it is a child of `from`, or a child's child ... */
int mend_procfs_threads(pid_t pid);    /* how many it has; 0: it is gone */
/* None of its threads executes anything of the program any more.  The list of threads may lack some when one of
 * them goes meanwhile, and a process that is killed starts none, so it must be as long as their number was before. */
bool mend_procfs_all_exiting(pid_t pid);

#endif
