/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Comm_split_type by the process set mpi://WORLD where members are of two worlds: each world is a part, and the two groups
 * of the intercommunicator between them have no part in common (MPI-5.0 7.4.2). */
/* RUN: -n 1 --universe 4 ; expect "split" */
/* RUN: -n 3 --universe 6 ; expect "split" */
#include "common.h"

static int split(MPI_Comm c, const char *set)
{
    MPI_Info by = hint("mpi_pset_name", set);
    MPI_Comm part = MPI_COMM_WORLD;
    int n = 0;

    CHECK_OK(MPI_Comm_split_type(c, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, by, &part));
    CHECK_OK(MPI_Info_free(&by));
    if (part == MPI_COMM_NULL)
        return 0;
    CHECK_OK(MPI_Comm_size(part, &n));
    CHECK_OK(MPI_Comm_free(&part));
    return n;
}

int main(int argc, char **argv)
{
    MPI_Comm other, all;

    start(&argc, &argv);
    other = parent();
    if (other == MPI_COMM_NULL)
        CHECK_OK(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                                MPI_ERRCODES_IGNORE));
    CHECK_OK(MPI_Intercomm_merge(other, parent() != MPI_COMM_NULL, &all));
    CHECK_EQ(split(all, "mpi://WORLD"), size);
    CHECK_EQ(split(all, "mpi://SELF"), 1);
    CHECK_EQ(split(other, "mpi://WORLD"), 0);
    CHECK_EQ(split(other, "mpi://SELF"), 0);
    CHECK_OK(MPI_Comm_free(&all));
    CHECK_OK(MPI_Comm_disconnect(&other));
    puts("split");
    return finish();
}
