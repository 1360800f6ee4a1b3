/* SPDX-License-Identifier: BSD-3-Clause */
/* thread.h – a thread of the library's own: the program's handlers of signals do not run in it. */
#ifndef MEND_BASE_THREAD_H
#define MEND_BASE_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/* False: the system has no thread for it. */
static inline bool mend_thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
    sigset_t all, old;
    bool ok;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    ok = pthread_create(thread, NULL, run, arg) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return ok;
}

#endif
