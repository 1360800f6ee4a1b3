/* SPDX-License-Identifier: BSD-3-Clause */
/* Each communicator is made from the one before; a rank dies somewhere on the way.  A rank that learns
 * of the death before it has built the object that was decided on holds a communicator that has a failure
 * from the start, and leaves it at once; no other rank may wait for it there.  All survivors make the same
 * progress; ranks that have not learned of the death themselves repeat a refused creation at once.
 *
 *   S0-15: a nonblocking call never reports a failure when it starts
 *   S2-5: creation is uniform: at all survivors or at none
 *   S2-9: creation on an inactive communicator fails at once */
/* RUN: -n 4 ; kill 3 at agree.enter#5 ; expect "rank 0 ok" ; times 3 */
/* RUN: -n 4 ; kill 0 at agree.enter#6 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 4 ; kill 1 at agree.done#7 ; expect "rank 0 ok" ; times 3 */
/* RUN: -n 4 ; kill 2 at time:0.02 ; expect "rank 0 ok" ; times 3 */
/* RUN: -n 4 ; set AGREE_SHM=0 ; kill 0 at agree.sent.down#5 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 4 ; set AGREE_SHM=0 ; kill 1 at agree.done#7 ; expect "rank 0 ok" ; times 3 */
/* RUN: -n 5 ; set AGREE_SHM=0 ; kill 4 at agree.sent.up#9 ; expect "rank 0 ok" ; times 3 */
/* RUN: -n 4 ; set AGREE_SHM=0 ; kill 2 at time:0.02 ; expect "rank 0 ok" ; times 3 */
#include "../common.h"

#define TRIES 9

int main(int argc, char **argv)
{
    MPI_Comm c = MPI_COMM_WORLD, next;
    MPI_Request r;
    int done = 0, mask, err;

    start(&argc, &argv);
    while ((err = MPI_Comm_dup(c, &next)) == MPI_SUCCESS) {
        if (c != MPI_COMM_WORLD)
            MPI_Comm_free(&c);
        c = next;
        done++;
    }
    for (int i = 0; i < TRIES; i++) {
        CHECK_EQ(class_of(err), MPI_ERR_PROC_FAILED);
        if (i % 2 == 0) {
            err = MPI_Comm_dup(c, &next);
        } else {
            CHECK_EQ(MPI_Comm_idup(c, &next, &r), MPI_SUCCESS); /* S0-15 */
            err = MPI_Wait(&r, MPI_STATUS_IGNORE);
        }
    }
    mask = 1 << done % 31;
    MPI_Comm_agree(MPI_COMM_WORLD, &mask);
    CHECK_EQ(mask, 1 << done % 31);
    return finish();
}
