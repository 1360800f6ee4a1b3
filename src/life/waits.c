/* SPDX-License-Identifier: BSD-3-Clause */
/* waits.c – the answer to "what do you wait for?".
 *
 * The agent sends MEND_SIG_REPORT when a job's time is over; the handler writes one line into the
 * segment.  It reads what mend_wait() left in the process value and allocates nothing.  With several
 * threads it looks only while it has the library's lock, and gives up if a thread keeps it: that may be
 * the one that was interrupted.  A program that handles this signal itself keeps its handler; the agent then says that the rank
 * does not answer. */
#include "life/life.h"

#include "net/shm/layout.h"
#include "req/request.h"
#include "rt/wire.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define LOCK_TRIES 10000

static void describe(const struct mend_proc *self, char *text, size_t max)
{
    const struct mend_request *r = self->waiting;
    char detail[MEND_SHM_WAIT_BYTES] = "";

    if (r && r->ops->describe)
        r->ops->describe(r, detail, sizeof(detail));
    if (r)
        snprintf(text, max, "waits for %s", *detail ? detail : r->ops->name);
    else if (self->waiting_for)
        snprintf(text, max, "waits for %s", self->waiting_for->what);
    else
        snprintf(text, max, "waits for nothing: it is outside of MPI, or polls");
}

static bool look(struct mend_proc *self, char *text, size_t max)
{
    for (int i = 0; self->threaded && pthread_mutex_trylock(&self->lock) != 0; i++)
        if (i == LOCK_TRIES)
            return false;
    describe(self, text, max);
    if (self->threaded)
        pthread_mutex_unlock(&self->lock);
    return true;
}

static void on_signal(int sig)
{
    struct mend_proc *self = mend_self;
    struct mend_shm_rank *me;
    int saved = errno;

    if (self && self->shm_base) {
        me = mend_shm_rank_of(self->shm_base, (uint32_t)self->me);
        if (!look(self, me->wait_text, sizeof(me->wait_text)))
            strcpy(me->wait_text, "is inside MPI, with several threads");
        /* release: pairs with the agent's acquire before it reads the text */
        mend_store_release(&me->wait_seq, mend_load_relaxed(&me->wait_seq) + 1);
    }
    errno = saved;
}

uint64_t mend_waits_answer(void)
{
    struct sigaction old, ours = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    sigemptyset(&ours.sa_mask);
    if (sigaction(MEND_SIG_REPORT, NULL, &old) == 0 && old.sa_handler == SIG_DFL &&
        !(old.sa_flags & SA_SIGINFO) && sigaction(MEND_SIG_REPORT, &ours, NULL) == 0)
        return UINT64_C(1) << (MEND_SIG_REPORT - 1);
    return 0;
}
