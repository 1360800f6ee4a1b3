/* SPDX-License-Identifier: BSD-3-Clause */
/* process.h – how this process was started, which is how the ranks shall be, and what the launcher changes of that. */
#ifndef MEND_LAUNCH_SHARE_PROCESS_H
#define MEND_LAUNCH_SHARE_PROCESS_H

#include <signal.h>
#include <sys/resource.h>

struct mend_process {
    sigset_t mask;
    struct rlimit files;
    void (*xfsz)(int); /* how a file that grows too large was taken */
};

/* Blocks the signals that the launcher reads from descriptors, ignores those that would end it where it wants an error, and
 * raises the limit of descriptors; fills *before. */
void mend_process_prepare(struct mend_process *before);

/* Just before execve, also in a child made by vfork: the next program starts as this one did. */
void mend_process_give_back(const struct mend_process *before);

/* No process of the job lives any more: signals may end this process; but SIGUSR1, which asks what the ranks wait for,
 * must not. */
void mend_process_restore(const struct mend_process *before);

/* A descriptor to read these signals from, of those that are blocked; -1: errno. */
int mend_process_signals(const int *signals, int n);

#endif
