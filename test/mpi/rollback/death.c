/* SPDX-License-Identifier: BSD-3-Clause */
/* death.c – a process dies at one step of a roll-back: before the n-th message that the layer sends or receives. All
 * others end their roll-back, with success or an error, and go on with each other.
 *
 * BUILD: -I{root}/rollback {root}/rollback/match.c {root}/rollback/layer.c {root}/rollback/round.c {root}/rollback/wrap.c {root}/rollback/collective.c {root}/rollback/refuse.c -Wl,--wrap=PMPI_Send,--wrap=PMPI_Recv,--wrap=PMPI_Isend,--wrap=PMPI_Irecv,--wrap=PMPI_Probe
 *
 *   S1-12: the exchange spreads to partners' partners and ends
 *
 * RUN: -n 4 ; args 0 {n} ; times 16 ; time 30 ; expect "all have ended"
 * RUN: -n 4 ; args 1 {n} ; times 16 ; time 30 ; expect "all have ended"
 * RUN: -n 4 ; args 2 {n} ; times 16 ; time 30 ; expect "all have ended"
 * RUN: -n 4 ; args 3 {n} ; times 16 ; time 30 ; expect "all have ended" */
#include "mend_rollback.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, victim, step, armed;

static void maybe_die(void)
{
    if (armed && rank == victim && step-- == 0)
        raise(SIGKILL);
}

#define STEP(name_, parameters_, arguments_)                                                       \
    int __real_PMPI_##name_ parameters_;                                                           \
    int __wrap_PMPI_##name_ parameters_;                                                           \
    int __wrap_PMPI_##name_ parameters_                                                            \
    {                                                                                              \
        maybe_die();                                                                               \
        return __real_PMPI_##name_ arguments_;                                                     \
    }

STEP(Send, (const void *b, int n, MPI_Datatype t, int p, int tag, MPI_Comm c), (b, n, t, p, tag, c))
STEP(Recv, (void *b, int n, MPI_Datatype t, int p, int tag, MPI_Comm c, MPI_Status *s),
     (b, n, t, p, tag, c, s))
STEP(Isend, (const void *b, int n, MPI_Datatype t, int p, int tag, MPI_Comm c, MPI_Request *r),
     (b, n, t, p, tag, c, r))
STEP(Irecv, (void *b, int n, MPI_Datatype t, int p, int tag, MPI_Comm c, MPI_Request *r),
     (b, n, t, p, tag, c, r))
STEP(Probe, (int p, int tag, MPI_Comm c, MPI_Status *s), (p, tag, c, s))

/* Rank 1 starts; the others wait for messages that nobody sends. */
static int roll_back(MPI_Comm work)
{
    int x = rank, sum;
    MPI_Request r[2];

    MPI_Isend(&x, 1, MPI_INT, (rank + 1) % size, 1, work, &r[0]);
    MPI_Isend(&x, 1, MPI_INT, (rank + 1) % size, 2, work, &r[1]);
    if (rank == 2)
        return MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, work);
    if (rank != 1)
        return MPI_Recv(&x, 1, MPI_INT, (rank + 1) % size, 99, work, MPI_STATUS_IGNORE);
    armed = 1;
    return rollback_undo();
}

int main(int argc, char **argv)
{
    MPI_Comm work, left;
    int code;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    victim = argc > 1 ? atoi(argv[1]) : -1;
    step = argc > 2 ? atoi(argv[2]) : -1;
    MPI_Comm_dup(MPI_COMM_WORLD, &work);
    MPI_Comm_set_errhandler(work, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    PMPI_Barrier(MPI_COMM_WORLD);
    code = rollback_begin();
    PMPI_Barrier(MPI_COMM_WORLD);
    armed = rank != 1;
    if (!code)
        code = roll_back(work);
    armed = 0;
    if (code && code != MPI_ERR_OTHER)
        rollback_abandon(); /* a call has reported the death */
    rollback_end();
    if (rank == 1 && code)
        printf("refused: %s\n", rollback_why());
    MPIX_Comm_revoke(work); /* a process that has not heard of a roll-back waits there */
    MPIX_Comm_shrink(MPI_COMM_WORLD, &left);
    MPI_Comm_rank(left, &rank);
    if (rank == 0)
        printf("all have ended\n");
    fflush(stdout);
    return MPI_Finalize();
}
