/* SPDX-License-Identifier: BSD-3-Clause */
/* A communicator is freed while messages on it are under way: a process that has had a session waits in MPI_Finalize until
 * all have freed it, and the calls that went on then keep nobody waiting.
 *
 *   S0-1: a call that needs a dead process returns in bounded time */
/* RUN: -n 2 ; set AGREE_SHM=0 */
/* RUN: -n 5 ; set MACHINES=2 */
/* RUN: -n 3 ; args one ; set AGREE_SHM=0 */
/* RUN: -n 2 */
#include "common.h"

/* Only rank 0 has had a session, if there is an argument. */
int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Request r[2];
    MPI_Comm dup;
    int n, got = -1;

    start(&argc, &argv);
    if (argc < 2 || rank == 0) {
        CHECK_OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
        CHECK_OK(MPI_Session_finalize(&session));
    }
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    CHECK_OK(MPI_Comm_size(dup, &n));
    CHECK_OK(MPI_Irecv(&got, 1, MPI_INT, (rank + n - 1) % n, 0, dup, &r[0]));
    CHECK_OK(MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % n, 0, dup, &r[1]));
    CHECK_OK(MPI_Comm_free(&dup));
    CHECK_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    CHECK_EQ(got, (rank + n - 1) % n);
    return finish();
}
