/* SPDX-License-Identifier: BSD-3-Clause */
/* A member gets no pages for its block in a communicator's cell (pages.h): nobody waits for it, the collectives of this
 * communicator go by messages at all members.  A death ends them there as elsewhere.
 *
 *   S0-27: a collective that a death prevents ends with PROC_FAILED
 *
 * RUN: -n 3 ; expect "rank 0 ok" ; expect "rank 1 ok" ; expect "rank 2 ok" ; time 20
 * RUN: -n 3 ; args die ; expect "rank 0 ok" ; expect "rank 1 ok" ; time 20 */
#include "pages.h"

/* Rings have their pages from here on. */
static void greet_all(void)
{
    int got;

    for (int r = 0; r < size; r++)
        CHECK_EQ(MPI_Sendrecv(&rank, 1, MPI_INT, (rank + r) % size, 0, &got, 1, MPI_INT,
                              (rank + size - r) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
}

static void collect(MPI_Comm comm)
{
    int sum = 0, root = rank == 2 ? 77 : 0;

    CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    CHECK_EQ(sum, size * (size - 1) / 2);
    CHECK_EQ(MPI_Bcast(&root, 1, MPI_INT, 2, comm), MPI_SUCCESS);
    CHECK_EQ(root, 77);
}

int main(int argc, char **argv)
{
    MPI_Comm used, unused;

    start(&argc, &argv);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &used), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &unused), MPI_SUCCESS);
    greet_all();
    collect(used);
    if (rank == 1)
        refuse_pages();
    for (int i = 0; i < 20; i++) {
        collect(used); /* which has its pages */
        collect(unused);
        collect(MPI_COMM_WORLD);
    }
    if (argc > 1) {
        post(0);
        await(0, rank == 2 ? size : 0); /* all have returned */
        if (rank == 2)
            die_now();
        CHECK_CLASS(MPI_Barrier(unused), MPIX_ERR_PROC_FAILED);
    }
    CHECK_EQ(MPI_Comm_free(&unused), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&used), MPI_SUCCESS);
    return finish();
}
