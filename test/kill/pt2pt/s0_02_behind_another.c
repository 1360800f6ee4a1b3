/* SPDX-License-Identifier: BSD-3-Clause */
/* A message in fragments waits while another one goes to the same process (p2p/send.c), and for nothing else: rank 1 is outside of MPI
 * with half of a message, and a second one waits behind that; rank 2 gets what is sent to it afterwards.  Then rank 1 goes on, or
 * dies, and both of its messages end.
 *
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-2: a call that needs no dead process completes normally
 *
 * RUN: -n 3 ; set SINGLE_COPY=never ; expect "rank 0 ok" ; expect "rank 1 ok" ; expect "rank 2 ok"
 * RUN: -n 3 ; set MACHINES=3 ; expect "rank 0 ok" ; expect "rank 1 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args dies ; set SINGLE_COPY=never ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args dies ; set MACHINES=3 ; expect "rank 0 ok" ; expect "rank 2 ok" */
#include "../common.h"

#define BYTES (32 << 20) /* more than one look takes */

enum { BEGUN, CAME };

static char data[BYTES];

static void sender(bool dies)
{
    int end = dies ? MPI_ERR_PROC_FAILED : MPI_SUCCESS, done;
    MPI_Request front, behind, other;

    MPI_Isend(data, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &front);
    MPI_Isend(data, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &behind);
    while (!posted(BEGUN))
        CHECK_OK(MPI_Test(&front, &done, MPI_STATUS_IGNORE));
    MPI_Isend(data, BYTES, MPI_BYTE, 2, 0, MPI_COMM_WORLD, &other);
    CHECK_OK(MPI_Wait(&other, MPI_STATUS_IGNORE));
    CHECK_CLASS(MPI_Wait(&front, MPI_STATUS_IGNORE), end);
    CHECK_CLASS(MPI_Wait(&behind, MPI_STATUS_IGNORE), end);
}

static void receiver(bool dies)
{
    MPI_Request r[2];
    int done = 0;

    for (int tag = 0; tag < 2; tag++)
        MPI_Irecv(data, BYTES, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &r[tag]);
    while (!data[0])
        CHECK_OK(MPI_Test(&r[0], &done, MPI_STATUS_IGNORE));
    CHECK(!done);
    post(BEGUN);
    await(CAME, 1);
    if (dies)
        die_now();
    CHECK_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
}

int main(int argc, char **argv)
{
    bool dies = argc > 1;

    start(&argc, &argv);
    if (rank == 0) {
        data[0] = 1;
        sender(dies);
    } else if (rank == 1) {
        receiver(dies);
    } else {
        CHECK_OK(MPI_Recv(data, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        post(CAME);
    }
    return finish();
}
