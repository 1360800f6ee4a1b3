/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.c – one of two ranks dies in a stream of messages of some KiB, whose payloads lie in the ring and, as that is
 * there from the beginning here, in the sender's area.  What came before is whole; the other rank is told in its next
 * calls, whether it has blocks and slots that nobody will read any more, or waits for more messages.
 *
 * RUN: -n 2 ; kill 1 at call:MPI_Recv#2000 ; expect "rank 0 ok"
 * RUN: -n 2 ; kill 0 at call:MPI_Send#2000 ; expect "rank 1 ok" */
#include "kill/common.h"

#define LARGE     (256 * 1024)
#define MESSAGES  100000 /* many more than are sent before the death */
#define LENGTHS_N 4

static const int lengths[LENGTHS_N] = {16384, 20000, 5000, 32768};

static unsigned char buf[LARGE];

static int pass(int n, int i)
{
    int err;

    if (rank == 0) {
        fill(buf, n, (unsigned)i);
        return MPI_Send(buf, n, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    }
    err = MPI_Recv(buf, n, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (err == MPI_SUCCESS)
        CHECK_EQ(wrong(buf, n, (unsigned)i), -1);
    return err;
}

int main(int argc, char **argv)
{
    int err = MPI_SUCCESS;

    start(&argc, &argv);
    for (int i = 0; err == MPI_SUCCESS && i < MESSAGES; i++)
        err = pass(i == 0 ? LARGE : lengths[i % LENGTHS_N], i);
    CHECK_CLASS(err, MPIX_ERR_PROC_FAILED);
    return finish();
}
