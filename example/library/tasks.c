/* SPDX-License-Identifier: BSD-3-Clause */
/* tasks.c – what a library does to survive under a program that does not know of failures.
 *
 * 1. A communicator of its own, got by MPIX_Comm_shrink.  MPI_Comm_dup would raise the loss of a process at
 *    the program's error handler, which is fatal; a shrink never reports one.  If nobody is lost, it is a
 *    copy.
 * 2. Its own error handler, on its own communicator.  The program's handler is not touched.
 * 3. It revokes and shrinks nothing but its own communicator.
 * 4. It writes, or lets the program write, before all agree that it is done: the program cannot know
 *    whether its rank 0 is alive. */
#include "tasks.h"

#include <math.h>
#include <string.h>
#ifdef OPEN_MPI
#include <mpi-ext.h> /* Open MPI has the MPIX_ functions there */
#endif

#define UNKNOWN (-HUGE_VAL)

struct job {
    MPI_Comm comm; /* ours */
    int n;
    double (*task)(int i);
    double result[TASKS_MAX]; /* UNKNOWN: not computed, or lost with the process that did */
};

/* The survivors of c, as a communicator of ours: no loss of a process is reported, and none ends us. */
static int join(MPI_Comm c, MPI_Comm *ours)
{
    int err = MPIX_Comm_shrink(c, ours);

    return err ? err : MPI_Comm_set_errhandler(*ours, MPI_ERRORS_RETURN);
}

/* Each process computes one task that nobody has computed; then all have all results so far. */
static int one_round(struct job *j, int *left)
{
    double all[TASKS_MAX];
    int rank, size, err;

    MPI_Comm_rank(j->comm, &rank);
    MPI_Comm_size(j->comm, &size);
    *left = 0;
    for (int i = 0; i < j->n; i++)
        if (j->result[i] == UNKNOWN && (*left)++ == rank)
            j->result[i] = j->task(i);
    err = MPI_Allreduce(j->result, all, j->n, MPI_DOUBLE, MPI_MAX, j->comm);
    if (!err) { /* else all[] is undefined, but our own results are not */
        memcpy(j->result, all, sizeof(all[0]) * (size_t)j->n);
        *left = *left > size ? *left - size : 0;
    }
    return err;
}

static int all_rounds(struct job *j)
{
    double all[TASKS_MAX];
    int left = 1, err;

    /* After a loss some processes may have results that others have not. */
    err = MPI_Allreduce(j->result, all, j->n, MPI_DOUBLE, MPI_MAX, j->comm);
    if (!err)
        memcpy(j->result, all, sizeof(all[0]) * (size_t)j->n);
    while (!err && left)
        err = one_round(j, &left);
    return err;
}

static int is_loss(int err)
{
    int class = MPI_SUCCESS;

    MPI_Error_class(err, &class);
    return class == MPIX_ERR_PROC_FAILED || class == MPIX_ERR_REVOKED;
}

/* All survivors come here after all_rounds(), with or without an error.  *done: nobody was lost, so the
 * first process has used the results; else there is a new communicator. */
static int meet(struct job *j, int err, int *done)
{
    MPI_Comm old = j->comm;

    *done = !err;
    if (err)
        MPIX_Comm_revoke(j->comm);
    *done = MPIX_Comm_agree(j->comm, done) == MPI_SUCCESS && *done;
    if (*done)
        return MPI_SUCCESS;
    err = join(old, &j->comm);
    if (!err)
        MPI_Comm_free(&old);
    return err;
}

int tasks_run(MPI_Comm *comm, int n, double (*task)(int i),
              void (*use)(const double *result, int n))
{
    struct job j = {.n = n, .task = task};
    MPI_Errhandler handler;
    int rank, done = 0, err;

    if (n < 0 || n > TASKS_MAX)
        return MPI_ERR_ARG;
    for (int i = 0; i < n; i++)
        j.result[i] = UNKNOWN;
    MPI_Comm_get_errhandler(*comm, &handler);
    err = join(*comm, &j.comm);
    while (!err && !done) {
        err = all_rounds(&j);
        MPI_Comm_rank(j.comm, &rank);
        if (!err && rank == 0)
            use(j.result, n);
        if (!err || is_loss(err))
            err = meet(&j, err, &done);
    }
    if (!err) {
        MPI_Comm_set_errhandler(j.comm, handler);
        *comm = j.comm;
    }
    MPI_Errhandler_free(&handler);
    return err;
}
