/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that did not take part in starting others meets them in an intercommunicator that one that did creates, and
 * hears from them first; and a death among them, which it did not know, does it no harm. */
/* RUN: -n 2 */
/* RUN: -n 4 ; set MACHINES=2 */
/* RUN: -n 3 --universe 9 --lenient-exit ; kill 3 at init.done ; args alone */
#include "common.h"

static void talk(MPI_Comm inter)
{
    int n, got;

    CHECK_OK(MPI_Comm_remote_size(inter, &n));
    for (int i = 0; parent() != MPI_COMM_NULL && i < n; i++)
        CHECK_OK(MPI_Send(&i, 1, MPI_INT, i, 5, inter));
    if (parent() != MPI_COMM_NULL)
        return;
    for (int i = 0; i < n; i++) {
        CHECK_OK(MPI_Recv(&got, 1, MPI_INT, i, 5, inter, MPI_STATUS_IGNORE));
        CHECK_EQ(got, rank);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm inter = MPI_COMM_NULL, all;

    start(&argc, &argv);
    if (parent() != MPI_COMM_NULL)
        inter = parent();
    else if (rank == 0)
        CHECK_OK(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, argc > 1 ? 1 : 2, MPI_INFO_NULL, 0,
                                MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE));
    if (argc == 1) {
        CHECK_OK(MPI_Intercomm_create(MPI_COMM_WORLD, 0, inter, 0, 9, &all));
        talk(all);
        CHECK_OK(MPI_Barrier(all));
        CHECK_OK(MPI_Comm_free(&all));
    }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (inter != MPI_COMM_NULL)
        CHECK_OK(MPI_Comm_free(&inter));
    return finish();
}
