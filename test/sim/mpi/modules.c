/* SPDX-License-Identifier: BSD-3-Clause */
/* Three modules with overlapping processes, in turn: whichever rank dies and wherever, all participants that live recover the
 * same modules equally often, and every call returns. */
#include "class.h"

#include <mpi.h>
#include <mpi_ft.h>
#include <stdio.h>

#define W       MPI_COMM_WORLD
#define MODULES 3
#define CALLS   2

struct module {
    MPIX_Module m;
    int turns, begun, over,
        *bad; /* calls of it: begun here; over, as the last recovery has found */
};

static int wrong(int *bad, const char *what, int number)
{
    fprintf(stderr, "%s: %#x\n", what, (unsigned)number);
    return *bad = 1;
}

/* It has run equally often at all that are left.  What any of them has begun is over for all: some of them have left it
 * already, and others have not come to it yet. */
static int recover(MPI_Comm comm, int inside, void *state)
{
    struct module *x = state;
    int sum, n, over, err = add_up(comm, ++x->turns, &sum);

    (void)inside;
    if (!err)
        err = class_of(MPI_Allreduce(&x->begun, &over, 1, MPI_INT, MPI_MAX, comm));
    if (!err)
        x->over = over;
    MPI_Comm_size(comm, &n);
    if (err && err != MPI_ERR_PROC_FAILED && err != MPI_ERR_REVOKED)
        return wrong(x->bad, "MPI_Allreduce in a recovery", err);
    if (!err && sum != n * x->turns)
        wrong(x->bad, "turns of all", sum);
    return err;
}

static int call(struct module *x)
{
    int sum, err, recovered;
    MPI_Comm comm;

    MPIX_Module_enter(x->m, &comm);
    err = ++x->begun > x->over ? add_up(comm, 1, &sum) : MPI_SUCCESS;
    if (err && err != MPI_ERR_PROC_FAILED && err != MPI_ERR_REVOKED)
        return wrong(x->bad, "MPI_Allreduce in a module", err);
    if (err)
        err = class_of(MPIX_Module_recover(x->m, &comm));
    if (err)
        return wrong(x->bad, "MPIX_Module_recover", err);
    return MPIX_Module_leave(x->m, &recovered);
}

/* Module 0 has all ranks, module 1 all but the first, module 2 all but the last. */
static int takes_part(int i, int rank, int size)
{
    return i == 0 || (i == 1 ? rank > 0 : rank < size - 1);
}

int main(int argc, char **argv)
{
    struct module all[MODULES] = {{0}};
    int rank, size, bad = 0, err, first = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    for (int i = 0; i < MODULES; i++) {
        MPI_Comm own = MPI_COMM_NULL;

        all[i].bad = &bad;
        err = MPI_Comm_split(W, takes_part(i, rank, size) ? 0 : MPI_UNDEFINED, rank, &own);
        if (!err && own != MPI_COMM_NULL)
            err = MPIX_Module_create(own, recover, &all[i], MPIX_MODULE_IN_CALLS, &all[i].m);
        if (err)
            all[i].m = MPIX_MODULE_NULL;
        if (err && i > 0 && rank % 2 &&
            !all[0].turns) { /* it stays away from module 0: the others */
            first = 1;       /* have to fetch it, wherever it is */
            all[0].begun = CALLS;
        }
    }
    for (int k = 0; !bad && k < CALLS; k++)
        for (int i = first; !bad && i < MODULES; i++)
            if (all[i].m != MPIX_MODULE_NULL)
                call(&all[i]);
    MPI_Finalize();
    return bad;
}
