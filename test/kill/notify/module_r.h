/* SPDX-License-Identifier: BSD-3-Clause */
/* module_r.h – a module that knows nothing of failures, of other modules, nor of notification. */
#ifndef TEST_KILL_NOTIFY_MODULE_R_H
#define TEST_KILL_NOTIFY_MODULE_R_H

#include <mpi.h>

enum { R_RECEIVES, R_COMPUTES, R_SLEEPS, R_READS, R_ALLREDUCES };

/* Rank 0 of comm waits for rank 1 in the given way, which rank 1 ends with r_finish().  Returns a number that both know. */
int r_work(MPI_Comm comm, int how, const volatile int *go, int fd);

/* What rank 1 does for r_work() of rank 0. */
int r_finish(MPI_Comm comm, int how, volatile int *go, int fd);

/* How often this process has called the two. */
int r_calls(void);

#endif
