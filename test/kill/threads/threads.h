/* SPDX-License-Identifier: BSD-3-Clause */
/* threads.h – several threads inside MPI while processes die.
 *
 * Each thread has a number and a communicator of its own, a duplicate of MPI_COMM_WORLD, whose error
 * handler counts in thread-local memory: so a call that returns an error must have called it, once, in
 * the thread that made the call. */
#ifndef TEST_KILL_THREADS_THREADS_H
#define TEST_KILL_THREADS_THREADS_H

#include "kill/common.h"

#include <pthread.h>

#define THREADS_MAX 16

static MPI_Comm comms[THREADS_MAX];
static int threads_n;
static _Thread_local int handled; /* calls of the error handler in this thread */

/* The call gives this class, and the handler was called in this thread, once if there is an error. */
#define CHECK_HANDLED(call_, class_)                                                               \
    do {                                                                                           \
        int err_;                                                                                  \
                                                                                                   \
        handled = 0;                                                                               \
        err_ = (call_);                                                                            \
        CHECK_EQ(class_of(err_), class_);                                                          \
        CHECK_EQ(handled, err_ != MPI_SUCCESS);                                                    \
    } while (0)

static inline void on_error(MPI_Comm *c, int *code, ...)
{
    (void)c;
    (void)code;
    handled++;
}

/* As start(), with MPI_THREAD_MULTIPLE and n communicators. */
static inline void start_threaded(int *argc, char ***argv, int n)
{
    MPI_Errhandler handler;
    int provided;

    set_watchdog();
    CHECK_EQ(MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    open_board();
    CHECK_EQ(MPI_Comm_create_errhandler(on_error, &handler), MPI_SUCCESS);
    threads_n = n;
    for (int i = 0; i < n; i++) {
        CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_set_errhandler(comms[i], handler), MPI_SUCCESS);
    }
    MPI_Errhandler_free(&handler);
}

/* Runs f(0) ... f(n - 1), each in a thread, and waits for them. */
static inline void run_threads(void *(*f)(void *), int n)
{
    pthread_t t[THREADS_MAX];

    for (long i = 0; i < n; i++)
        CHECK_EQ(pthread_create(&t[i], NULL, f, (void *)i), 0);
    for (int i = 0; i < n; i++)
        CHECK_EQ(pthread_join(t[i], NULL), 0);
}

#endif
