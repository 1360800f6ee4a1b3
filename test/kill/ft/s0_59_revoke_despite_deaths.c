/* SPDX-License-Identifier: BSD-3-Clause */
/* The caller of a revocation dies before it has interrupted any member, after one, or all; others that learn of it die as well: all
 * survivors learn of it.  Every survivor waits for a rank that never sends.
 *
 *   S0-59: a revocation reaches all survivors even if its caller dies
 *   S5-11: a revocation reaches every survivor on every node, and no rank relays it */
/* RUN: -n 5 --lenient-exit ; kill 0 at revoke.sent.one ; expect "rank 4 ok" */
/* RUN: -n 16 --lenient-exit ; kill 0 at revoke.local ; expect "rank 15 ok" */
/* RUN: -n 8 --lenient-exit ; kill 0 at revoke.sent.one#4 ; kill 1 at death.done ; expect "rank 7 ok" */
/* RUN: -n 8 --lenient-exit ; kill 0 at revoke.sent ; expect "rank 7 ok" */
/* RUN: -n 5 --lenient-exit ; set REVOKE_SHM=0 ; kill 0 at revoke.sent.one ; expect "rank 4 ok" */
/* RUN: -n 8 --lenient-exit ; set REVOKE_SHM=0 ; kill 0 at revoke.local ; kill 1 at death.done ; expect "rank 7 ok" */
/* RUN: -n 6 --lenient-exit ; set MACHINES=2 ; kill 0 at revoke.local ; expect "rank 1 ok" ; expect "rank 5 ok" ; times 3 */
/* RUN: -n 6 --lenient-exit ; set MACHINES=3 ; kill 0 at revoke.local ; kill 3 at death.done ; expect "rank 1 ok" ; expect "rank 5 ok" ; times 3 */
/* RUN: -n 6 --lenient-exit ; set MACHINES=6 ; kill 0 at revoke.local ; expect "rank 5 ok" ; times 3 */
/* RUN: -n 8 --lenient-exit ; set REVOKE_SHM=0 ; kill 0 at revoke.sent ; expect "rank 7 ok" */
#include "../common.h"

int main(int argc, char **argv)
{
    int v, class;

    start(&argc, &argv);
    if (rank == 0) {
        await(0, size - 1);
        MPI_Comm_invalidate(MPI_COMM_WORLD);
        CHECK(!"killed inside");
    }
    post(0);
    do { /* the next rank may be one of the dead: then that is the answer, and we wait for another */
        int from = size - 1 - rank;

        class = class_of(MPI_Recv(&v, 1, MPI_INT, from, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(class == MPI_ERR_INVALIDATED || class == MPI_ERR_PROC_FAILED);
        sched_yield();
    } while (class != MPI_ERR_INVALIDATED);
    return finish();
}
