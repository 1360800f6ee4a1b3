/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank that comes late to the last collective of a communicator finds what belongs there, though all others have
 * freed it and use others since (MPI-5.0 7.4.3: operations that go on complete). */
/* RUN: -n 3 */
/* RUN: -n 8 */
#include "common.h"

#define MANY 100 /* more than there are cells */

static void use_others(MPI_Group g)
{
    MPI_Comm c;
    int v;

    for (int i = 0; i < MANY; i++) {
        CHECK_OK(MPI_Comm_create_group(MPI_COMM_WORLD, g, 0, &c));
        v = i;
        CHECK_OK(MPI_Bcast(&v, 1, MPI_INT, 0, c));
        CHECK_EQ(v, i);
        CHECK_OK(MPI_Barrier(c));
        CHECK_OK(MPI_Comm_free(&c));
    }
}

int main(int argc, char **argv)
{
    MPI_Comm c;
    MPI_Group all, early;
    int v, late; /* the last rank */

    start(&argc, &argv);
    late = size - 1;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_excl(all, 1, &late, &early);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
    CHECK_OK(MPI_Barrier(c));
    if (rank == late)
        CHECK_OK(MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    v = rank == 0 ? 4711 : 0;
    CHECK_OK(MPI_Bcast(&v, 1, MPI_INT, 0, c));
    CHECK_EQ(v, 4711);
    CHECK_OK(MPI_Comm_free(&c));
    if (rank != late)
        use_others(early);
    if (rank == 0)
        CHECK_OK(MPI_Send(NULL, 0, MPI_INT, late, 1, MPI_COMM_WORLD));
    MPI_Group_free(&early);
    MPI_Group_free(&all);
    return finish();
}
