/* SPDX-License-Identifier: BSD-3-Clause */
/* `kill R at in:CALL:RANKS` also happens when a rank waits without sleep, as it does in a collective of ranks that have a core
 * each (or of two here, beside whatever else runs).
 *
 * RUN: -n 2 ; kill 1 at in:MPI_Barrier:0 ; expect "rank 0 ok"
 * RUN: -n 2 ; set YIELD=1000000000 ; kill 1 at in:MPI_Barrier:0 ; expect "rank 0 ok" */
#include "../common.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (rank == 1)
        await_kill();
    CHECK_CLASS(MPI_Barrier(MPI_COMM_WORLD), MPI_ERR_PROC_FAILED);
    return finish();
}
