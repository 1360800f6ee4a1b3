/* SPDX-License-Identifier: BSD-3-Clause */
/* Three modules that roll back, over different processes, one called inside the other, beside pairs of ranks that exchange messages:
 *
 *     F   all but the last rank           F ──> pairs ──> G [ work ──> H ──> work ] ──> pairs ──> F ...
 *     G   all but the first one
 *     H   the even ones, inside G
 *
 * Whichever rank dies and wherever, all that are left come to the same calls with the same memory, each is where a failure of its module
 * has to bring it, only participants recover, and every call returns.  What rolls back is the stack (sim/job_point.c); a mistake is
 * noted where it does not. */
#include "class.h"

#include <mpi.h>
#include <mpi_ft.h>
#include <stdio.h>

#define W     MPI_COMM_WORLD
#define CALLS 2
#define WORDS 50

enum { F, G, H, MODULES };

struct state;

/* What a recovery function gets. */
struct module {
    MPIX_Module handle;
    struct state *of;
    int has_part, done; /* done: calls */
};

/* All of it on the stack of main(). */
struct state {
    struct module module[MODULES];
    MPI_Comm pair;
    int rank, step, memory[WORDS];
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
    struct module *m = arg;
    int n, sum, err = add_up(comm, m->done, &sum);

    (void)inside;
    MPI_Comm_size(comm, &n);
    if (!m->has_part)
        wrong(m->of, "a recovery without a part", 0);
    if (!err && sum != n * m->done)
        wrong(m->of, "calls of all", sum);
    if (err && !is_failure(err))
        wrong(m->of, "MPI_Allreduce in a recovery", err);
    return err;
}

/* Every step changes all memory, and finds it as the step before has left it. */
static int use_memory(struct state *s, int step)
{
    if (s->step != step - 1)
        return wrong(s, "step", s->step);
    for (int i = 0; i < WORDS; i++) {
        if (s->memory[i] != step - 1)
            return wrong(s, "memory", s->memory[i]);
        s->memory[i] = step;
    }
    s->step = step;
    return 0;
}

/* A process that is in MPI_Finalize does not roll back: then the others are told so in the last call. */
static int leave(struct state *s, int which, int call, int last)
{
    struct module *m = &s->module[which];
    int recovered, err = class_of(MPIX_Module_leave(m->handle, &recovered));

    if (err && !(last && err == MPI_ERR_UNSUPPORTED_OPERATION))
        return wrong(s, "MPIX_Module_leave", err);
    if (!err && m->done != call - 1)
        return wrong(s, "calls before this one", m->done);
    m->done = call;
    return 0;
}

static int work(struct state *s, int which, MPI_Comm comm, int call)
{
    int n, sum, err;

    if (comm == MPI_COMM_NULL)
        return 0;
    MPI_Comm_size(comm, &n);
    err = add_up(comm, call, &sum);
    if (err && !is_failure(err))
        return wrong(s, "MPI_Allreduce in a module", err);
    if (!err && sum != n * call)
        return wrong(s, "sum of a module", sum);
    if (err) /* does not return */
        return wrong(s, "MPIX_Module_recover",
                     class_of(MPIX_Module_recover(s->module[which].handle, &comm)));
    return 0;
}

static MPI_Comm enter(struct state *s, int which)
{
    MPI_Comm comm;

    MPIX_Module_enter(s->module[which].handle, &comm);
    return comm;
}

static int call_simple(struct state *s, int which, int call)
{
    return work(s, which, enter(s, which), call) || leave(s, which, call, 0);
}

static int call_g(struct state *s, int call, int step)
{
    MPI_Comm comm = enter(s, G);

    return work(s, G, comm, call) || use_memory(s, step) || call_simple(s, H, call) ||
           use_memory(s, step + 1) || work(s, G, comm, call) || leave(s, G, call, call == CALLS);
}

/* The other one may be dead. */
static int talk(const struct state *s, int number)
{
    int other, n, got = number, err;

    if (s->pair == MPI_COMM_NULL)
        return 0;
    MPI_Comm_rank(s->pair, &other);
    MPI_Comm_size(s->pair, &n);
    other = n - 1 - other;
    err = class_of(MPI_Sendrecv(&number, 1, MPI_INT, other, 3, &got, 1, MPI_INT, other, 3, s->pair,
                                MPI_STATUS_IGNORE));
    if (err && err != MPI_ERR_PROC_FAILED)
        return wrong(s, "MPI_Sendrecv", err);
    return got == number ? 0 : wrong(s, "number of the other one", got);
}

static int one_round(struct state *s, int call)
{
    int step = 5 * (call - 1);

    return use_memory(s, step + 1) || call_simple(s, F, call) || use_memory(s, step + 2) ||
           talk(s, step) || call_g(s, call, step + 3) || use_memory(s, step + 5) ||
           talk(s, step + 1);
}

/* No mistake: a rank has died, and at all the module is not there. */
static int create(struct state *s)
{
    int size, err = 0;

    MPI_Comm_size(W, &size);
    s->module[F].has_part = s->rank < size - 1;
    s->module[G].has_part = s->rank > 0;
    s->module[H].has_part = s->rank % 2 == 0;
    for (int i = 0; i < MODULES && !err; i++) {
        struct module *m = &s->module[i];

        m->of = s;
        err = MPIX_Module_create(W, m->has_part ? recover : NULL, m, MPIX_MODULE_ROLL_BACK,
                                 &m->handle);
    }
    return err;
}

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
    if (!create(&s))
        for (int call = 1; !bad && call <= CALLS; call++)
            bad = one_round(&s, call);
    MPI_Finalize();
    return mistakes[s.rank];
}
