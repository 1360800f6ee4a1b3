/* SPDX-License-Identifier: BSD-3-Clause */
/* Small sends that wait for their receives because the receiver has too many messages that it
 * does not want yet (UNEXPECTED_MAX) are ended by the receiver's death, and by a revocation while the
 * receiver goes on with something else; a blocking send is, too.
 *
 *     args HOW     death, at the moment when the receiver asks to wait; revoke, by a third process
 *
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-60: a revocation ends calls in progress
 *
 * RUN: -n 2 ; args death ; set UNEXPECTED_MAX=64k ; kill 1 at p2p.hold ; expect "rank 0 ok"
 * RUN: -n 3 ; args death ; set UNEXPECTED_MAX=1 ; kill 1 at p2p.hold ; expect "rank 0 ok" ;
 *      expect "rank 2 ok"
 * RUN: -n 3 ; args revoke ; set UNEXPECTED_MAX=64k ; expect "rank 0 ok" ; expect "rank 1 ok" ;
 *      expect "rank 2 ok"
 * RUN: -n 3 ; args revoke ; set UNEXPECTED_MAX=1 ; set SPIN=0 ; set YIELD=0 ; expect "rank 0 ok" ;
 *      expect "rank 1 ok" ; expect "rank 2 ok" */
#include "../common.h"

#define BYTES 500
#define N     2000

static void flood_the_dead(void)
{
    static char data[BYTES];
    int err = MPI_SUCCESS;

    while (err == MPI_SUCCESS)
        err = MPI_Send(data, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    CHECK_CLASS(err, MPIX_ERR_PROC_FAILED);
    post(0);
}

/* All have arrived, as messages or as RTSs, when the synchronous one on another communicator is received. */
static void flood_the_revoked(MPI_Comm c)
{
    static char data[BYTES];
    static MPI_Request r[N];
    int err, failed = 0;

    for (int i = 0; i < N; i++)
        CHECK_EQ(MPI_Isend(data, BYTES, MPI_BYTE, 1, 1, c, &r[i]), MPI_SUCCESS);
    CHECK_EQ(MPI_Ssend(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD), MPI_SUCCESS);
    post(0);
    for (int i = 0; i < N; i++) {
        err = MPI_Wait(&r[i], MPI_STATUS_IGNORE);
        if (err != MPI_SUCCESS)
            CHECK_CLASS(err, MPIX_ERR_REVOKED);
        failed += err != MPI_SUCCESS;
    }
    CHECK(failed > 0);
    CHECK_CLASS(MPI_Send(data, BYTES, MPI_BYTE, 1, 1, c), MPIX_ERR_REVOKED);
    post(1);
}

static void revoked(MPI_Comm c)
{
    if (rank == 0)
        flood_the_revoked(c);
    if (rank == 1) {
        CHECK_EQ(MPI_Recv(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        await_in_mpi(1, 1);
    }
    if (rank == 2) {
        await(0, 1);
        CHECK_EQ(MPIX_Comm_revoke(c), MPI_SUCCESS);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm c;

    start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    if (!strcmp(argv[1], "revoke"))
        revoked(c);
    else if (rank == 0)
        flood_the_dead();
    else
        await_in_mpi(0, 1);
    return finish();
}
