/* SPDX-License-Identifier: BSD-3-Clause */
/* crash.c – telling the agent before the core is dumped.
 *
 * A process that dumps core executes no more code of the program, but the kernel marks its life
 * word only when the dump is written: a second per GiB, during which its peers would wait.  So, unless the program
 * has its own handler, signals that dump core get a handler that tells the agent and then lets the
 * signal have its default effect.
 *
 * 1. The disposition is the default again before the handler runs (SA_RESETHAND), and after it the signal
 *    comes again: by executing the faulting instruction once more, so that the core shows it, or
 *    by being sent again.
 * 2. The handler is safe at any instruction: one store each to two words of its own rank, one send.
 * 3. A child of the rank inherits the handler, which does not tell the agent there. */
#include "life/life.h"

#include "rt/rt.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

static const int dumping[] = {SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGBUS,
                              SIGFPE,  SIGSEGV, SIGXCPU, SIGXFSZ, SIGSYS};

/* The processor raised it at an instruction that raises it again. */
static bool comes_again(int sig, const siginfo_t *info)
{
    return info->si_code > 0 && (sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL);
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
    struct mend_proc *self = mend_self;
    int saved = errno;

    if (self && self->node && self->pid == getpid())
        self->rt->crashing(self, sig);
    if (!comes_again(sig, info))
        tgkill(getpid(), gettid(), sig); /* blocked until the handler returns */
    errno = saved;
}

uint64_t mend_crash_tell(struct mend_proc *self)
{
    uint64_t handled = 0;
    struct sigaction old,
        ours = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESETHAND | SA_ONSTACK};

    self->pid = getpid();
    sigemptyset(&ours.sa_mask);
    for (size_t i = 0; i < MEND_COUNT_OF(dumping); i++)
        if (sigaction(dumping[i], NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
            old.sa_handler == SIG_DFL && sigaction(dumping[i], &ours, NULL) == 0)
            handled |= UINT64_C(1) << (dumping[i] - 1);
    return handled;
}
