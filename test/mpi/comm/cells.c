/* SPDX-License-Identifier: BSD-3-Clause */
/* A cell of shared memory is free again when all members have freed the communicator, in any order: many
 * communicators one after the other, each with a barrier through its cell.
 *
 * The argument is the rank that frees first; the others do so when it has. */
/* RUN: -n 3 ; args 0 ; reach 0 at coll.shm.arrived#300 ; reach 1 at coll.shm.arrived#300 */
/* RUN: -n 3 ; args 1 ; reach 0 at coll.shm.arrived#300 ; reach 1 at coll.shm.arrived#300 */
#include "common.h"

#define MANY 300 /* there are 64 cells */

int main(int argc, char **argv)
{
    int first, token = 0;
    MPI_Comm c;

    start(&argc, &argv);
    first = atoi(argv[1]);
    for (int i = 0; i < MANY; i++) {
        CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
        CHECK_OK(MPI_Barrier(c));
        if (rank != first)
            CHECK_OK(MPI_Recv(&token, 1, MPI_INT, first, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Comm_free(&c));
        for (int r = 0; rank == first && r < size; r++)
            if (r != rank)
                CHECK_OK(MPI_Send(&token, 1, MPI_INT, r, 0, MPI_COMM_WORLD));
    }
    return finish();
}
