/* SPDX-License-Identifier: BSD-3-Clause */
/* crossing.c – one of two ranks dies while messages of 128 KiB cross, whose fragments lie on trays that both hand over: after
 * some fragments of one, and after the last; or when it sends an RTS while ways are tried, as the rank that
 * chooses the way for both or as the other one.  What came before is whole, and the other rank's call ends with the death.
 *
 * RUN: -n 2 ; kill 1 at p2p.data.sent#3 ; expect "rank 0 ok"
 * RUN: -n 2 ; kill 1 at p2p.data.sent#37 ; expect "rank 0 ok"
 * RUN: -n 2 ; kill 0 at p2p.data.sent#101 ; expect "rank 1 ok"
 * RUN: -n 2 ; kill 1 at p2p.data.all#9 ; expect "rank 0 ok"
 * RUN: -n 2 ; kill 0 at p2p.send.rts#270 ; expect "rank 1 ok"
 * RUN: -n 2 ; kill 1 at p2p.send.rts#270 ; expect "rank 0 ok"
 * RUN: -n 2 --universe 12000 ; kill 1 at p2p.data.sent#37 ; expect "rank 0 ok" */
#include "kill/common.h"

#define BYTES     (128 * 1024)
#define EXCHANGES 1000 /* many more than there are before the death */

static unsigned char in[BYTES], out[BYTES];

int main(int argc, char **argv)
{
    int err = MPI_SUCCESS;

    start(&argc, &argv);
    for (int i = 0; err == MPI_SUCCESS && i < EXCHANGES; i++) {
        fill(out, BYTES, (unsigned)(2 * i + rank));
        err = MPI_Sendrecv(out, BYTES, MPI_BYTE, !rank, 0, in, BYTES, MPI_BYTE, !rank, 0,
                           MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (err == MPI_SUCCESS)
            CHECK_EQ(wrong(in, BYTES, (unsigned)(2 * i + !rank)), -1);
    }
    CHECK_CLASS(err, MPIX_ERR_PROC_FAILED);
    return finish();
}
