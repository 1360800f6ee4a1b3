/* SPDX-License-Identifier: BSD-3-Clause */
/* signal.c – the signal that interrupts a process outside MPI.
 *
 * SIGURG: a process that does not handle it ignores it, so one that comes too late, or to the wrong process, does no harm.
 *
 * 1. It is handled while callbacks are registered, by the thread that has called MPI_Init.
 * 2. It is not blocked while a callback runs: a signal in between leaves a mark, as it does in any MPI call.
 * 3. SA_RESTART: calls that the kernel can restart do not see it; nanosleep, poll, select and some others return EINTR. */
#include "notify/internal.h"

#include "proc/threads.h"
#include "rt/rt.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

/* In the place of an MPI call, if the program is in none. */
static void on_signal(int sig)
{
    struct mend_proc *self = mend_self;
    int saved = errno;

    (void)sig;
    if (!self || !mend_detours(self, MEND_DETOUR_NOTIFY) || self->pid != getpid() ||
        !pthread_equal(self->main_thread, pthread_self()))
        return;
    self->poked = true;
    atomic_signal_fence(memory_order_seq_cst); /* the partner is mend_notify_leave() */
    if (!self->inside) {
        self->inside = 1;
        atomic_signal_fence(memory_order_seq_cst);
        mend_lock(self);
        mend_notify_handle(self);
    }
    errno = saved;
}

/* A process that no other one can signal, as in the simulator, needs no handler. */
bool mend_notify_catch(struct mend_proc *self)
{
    struct sigaction old, ours = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_NODEFER};

    if (!self->rt->take_pokes)
        return true;
    sigemptyset(&ours.sa_mask);
    if (sigaction(SIGURG, NULL, &old) != 0 || old.sa_flags & SA_SIGINFO ||
        (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) ||
        sigaction(SIGURG, &ours, NULL) != 0)
        return false;
    self->pid = getpid();
    self->rt->take_pokes(self, true);
    return true;
}

void mend_notify_uncatch(struct mend_proc *self)
{
    struct sigaction none = {.sa_handler = SIG_DFL};

    if (!self->rt->take_pokes)
        return;
    self->rt->take_pokes(self, false);
    sigaction(SIGURG, &none, NULL);
}
