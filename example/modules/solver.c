/* SPDX-License-Identifier: BSD-3-Clause */
/* solver.c – see solver.h.  All that is said about failures in this program is said here.
 *
 * A call ends with the whole field at each process that solves.  So whichever of them die, the field behind the last call is
 * there, and a recovery only has to divide it anew: advance() does that with each call. */
#include "solver.h"

#include <stdlib.h>
#include <string.h>

#define CELLS 6000
#define STEPS 400

static struct {
    MPIX_Module module;
    double *field, *next;
} solver;

/* At all that solve and are left.  Memory is as it was when the last call ended. */
static int recover(MPI_Comm comm, int inside, void *state)
{
    (void)comm, (void)inside, (void)state;
    return MPI_SUCCESS;
}

/* The cells that are computed here: from first to last. */
static void divide(MPI_Comm comm, int *first, int *last, int *up, int *down)
{
    int rank, size;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    *first = (int)((long)CELLS * rank / size);
    *last = (int)((long)CELLS * (rank + 1) / size);
    *up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    *down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
}

static int share_borders(MPI_Comm comm, int first, int last, int up, int down)
{
    double *u = solver.field;
    int err = MPI_Sendrecv(&u[last - 1], 1, MPI_DOUBLE, up, 0, &u[first - 1], 1, MPI_DOUBLE, down,
                           0, comm, MPI_STATUS_IGNORE);

    return err ? err
               : MPI_Sendrecv(&u[first], 1, MPI_DOUBLE, down, 1, &u[last], 1, MPI_DOUBLE, up, 1,
                              comm, MPI_STATUS_IGNORE);
}

/* The field of all at all. */
static int collect(MPI_Comm comm, int first, int last)
{
    int size, err, mine = last - first, *counts, *at;

    MPI_Comm_size(comm, &size);
    counts = malloc(2 * sizeof(int) * (size_t)size);
    at = counts + size;
    for (int r = 0; r < size; r++) {
        at[r] = (int)((long)CELLS * r / size);
        counts[r] = (int)((long)CELLS * (r + 1) / size) - at[r];
    }
    memcpy(solver.next + 1, solver.field + first, sizeof(double) * (size_t)mine);
    err = MPI_Allgatherv(solver.next + 1, mine, MPI_DOUBLE, solver.field, counts, at, MPI_DOUBLE,
                         comm);
    free(counts);
    return err;
}

static int advance(MPI_Comm comm)
{
    double *u = solver.field, *v = solver.next;
    int first, last, up, down, err;

    divide(comm, &first, &last, &up, &down);
    for (int step = 0; step < STEPS; step++) {
        err = share_borders(comm, first, last, up, down);
        if (err)
            return err;
        for (int i = first; i < last; i++)
            v[i] = u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1]);
        memcpy(u + first, v + first, sizeof(double) * (size_t)(last - first));
    }
    return collect(comm, first, last);
}

void solver_open(int has_part)
{
    double *room = calloc(2 * (CELLS + 2), sizeof(double));

    solver.field = room + 1; /* a cell more at each end */
    solver.next = room + 1 + CELLS + 2;
    for (int i = 0; i < CELLS; i++)
        solver.field[i] = i / 500 % 2 ? 100 : 0;
    MPIX_Module_create(MPI_COMM_WORLD, has_part ? recover : NULL, NULL, MPIX_MODULE_ROLL_BACK,
                       &solver.module);
}

const double *solver_advance(int *cells)
{
    MPI_Comm comm;
    int recovered;

    MPIX_Module_enter(solver.module, &comm);
    if (comm != MPI_COMM_NULL && advance(comm) != MPI_SUCCESS)
        MPIX_Module_recover(solver.module,
                            &comm); /* does not return: behind the last call it goes on */
    MPIX_Module_leave(solver.module, &recovered);
    *cells = CELLS;
    return comm != MPI_COMM_NULL ? solver.field : NULL;
}

void solver_close(void)
{
    MPIX_Module_free(&solver.module);
    free(solver.field - 1);
}
