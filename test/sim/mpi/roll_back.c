/* SPDX-License-Identifier: BSD-3-Clause */
/* A module that rolls back, beside pairs of ranks that exchange messages, and one rank that has no part in the module: whichever rank dies
 * and wherever, also in the roll-back itself, all that are left come to the same calls with the same memory, and every call
 * returns.  What rolls back is the stack (sim/job_point.c); a mistake is noted where it does not. */
#include "class.h"

#include <mpi.h>
#include <mpi_ft.h>
#include <stdio.h>

#define W     MPI_COMM_WORLD
#define CALLS 3
#define WORDS 50

/* All of it on the stack of main(). */
struct state {
    MPIX_Module f;
    MPI_Comm pair;
    int rank, done, memory[WORDS]; /* done: calls of F */
};

static int mistakes[1100]; /* of each rank */

static int wrong(const struct state *s, const char *what, int number)
{
    fprintf(stderr, "rank %d: %s: %#x\n", s->rank, what, (unsigned)number);
    return mistakes[s->rank] = 1;
}

/* All that are left are behind the same call. */
static int recover(MPI_Comm comm, int inside, void *arg)
{
    struct state *s = arg;
    int n, sum, err = add_up(comm, s->done, &sum);

    (void)inside;
    MPI_Comm_size(comm, &n);
    if (!err && sum != n * s->done)
        wrong(s, "calls of all", sum);
    if (err && !is_failure(err))
        wrong(s, "MPI_Allreduce in a recovery", err);
    return err;
}

/* A process that is in MPI_Finalize does not roll back: then the others are told so in the last call. */
static int leave(struct state *s, int call)
{
    int recovered, err = class_of(MPIX_Module_leave(s->f, &recovered));

    if (err && !(call == CALLS && err == MPI_ERR_UNSUPPORTED_OPERATION))
        return wrong(s, "MPIX_Module_leave", err);
    if (!err && s->done != call - 1)
        return wrong(s, "calls before this one", s->done);
    s->done = call;
    return 0;
}

static int call_f(struct state *s, int call)
{
    MPI_Comm comm;
    int n, sum, err = MPI_SUCCESS;

    MPIX_Module_enter(s->f, &comm);
    if (comm != MPI_COMM_NULL) {
        MPI_Comm_size(comm, &n);
        err = add_up(comm, call, &sum);
        if (err && !is_failure(err))
            return wrong(s, "MPI_Allreduce in the module", err);
        if (!err && sum != n * call)
            return wrong(s, "sum of the module", sum);
    }
    if (err)
        return wrong(s, "MPIX_Module_recover", class_of(MPIX_Module_recover(s->f, &comm)));
    return leave(s, call);
}

/* The other one may be dead. */
static int call_r(const struct state *s, int call)
{
    int other, n, got = call, err = MPI_SUCCESS;

    if (s->pair == MPI_COMM_NULL)
        return 0;
    MPI_Comm_rank(s->pair, &other);
    MPI_Comm_size(s->pair, &n);
    other = n - 1 - other;
    err = class_of(MPI_Sendrecv(&call, 1, MPI_INT, other, 3, &got, 1, MPI_INT, other, 3, s->pair,
                                MPI_STATUS_IGNORE));
    if (err && err != MPI_ERR_PROC_FAILED)
        return wrong(s, "MPI_Sendrecv", err);
    return got == call ? 0 : wrong(s, "number of the other one", got);
}

static int use_memory(struct state *s, int call)
{
    for (int i = 0; i < WORDS; i++) {
        if (s->memory[i] != call - 1)
            return wrong(s, "memory", s->memory[i]);
        s->memory[i] = call;
    }
    return 0;
}

/* The last rank has no part in the module, and is in a pair; the first one is in none. */
int main(int argc, char **argv)
{
    struct state s = {.pair = MPI_COMM_NULL};
    int size, bad = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(W, &s.rank);
    MPI_Comm_size(W, &size);
    MPI_Comm_split(W, s.rank ? (size - 1 - s.rank) / 2 : MPI_UNDEFINED, s.rank, &s.pair);
    if (!MPIX_Module_create(W, s.rank < size - 1 ? recover : NULL, &s, MPIX_MODULE_ROLL_BACK, &s.f))
        for (int call = 1; !bad && call <= CALLS; call++)
            bad = call_f(&s, call) || use_memory(&s, call) || call_r(&s, call);
    MPI_Finalize();
    return mistakes[s.rank];
}
