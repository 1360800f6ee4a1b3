/* SPDX-License-Identifier: BSD-3-Clause */
/* process.c – see process.h. */
#include "share/process.h"

#include "base/status.h"
#include "share/shell_limits.h"

#include <sys/signalfd.h>

static void block_signals(struct mend_process *before)
{
    static const int ours[] = {SIGCHLD, SIGINT,  SIGTERM, SIGHUP, SIGQUIT,
                               SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};
    struct sigaction normal = {.sa_handler = SIG_DFL}, ignore = {.sa_handler = SIG_IGN};
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < MEND_COUNT_OF(ours); i++)
        sigaddset(&set, ours[i]);
    sigprocmask(SIG_BLOCK, &set, &before->mask);
    sigaction(SIGCHLD, &normal,
              NULL); /* a parent that ignored it would cost us the exit statuses */
    sigaction(SIGPIPE, &ignore, NULL);
    before->xfsz = signal(SIGXFSZ, SIG_IGN); /* we want the error */
    sigaction(SIGTTIN, &ignore, NULL);
}

void mend_process_prepare(struct mend_process *before)
{
    mend_limits_lift(RLIMIT_NOFILE, &before->files);
    block_signals(before);
}

void mend_process_give_back(const struct mend_process *before)
{
    struct sigaction normal = {.sa_handler = SIG_DFL};

    sigaction(SIGPIPE, &normal, NULL);
    sigaction(SIGTTIN, &normal, NULL);
    signal(SIGXFSZ, before->xfsz);
    setrlimit(RLIMIT_NOFILE, &before->files);
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

void mend_process_restore(const struct mend_process *before)
{
    signal(SIGUSR1, SIG_IGN);
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

int mend_process_signals(const int *signals, int n)
{
    sigset_t set;

    sigemptyset(&set);
    for (int i = 0; i < n; i++)
        sigaddset(&set, signals[i]);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}
