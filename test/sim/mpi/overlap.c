/* SPDX-License-Identifier: BSD-3-Clause */
/* overlap.c – for the simulator: S2-5, S2-9, S0-15.  More duplications under way at once than the window of
 * agreements holds, from a communicator and then from one of the new ones.  Killed at every yield: each
 * completes, and each exists at all survivors or at none.
 *
 *   S0-15: a nonblocking call never reports a failure when it starts
 *   S2-5: creation is uniform: at all survivors or at none
 *   S2-9: creation on an inactive communicator fails at once */
#include "uniform.h"

#define MANY 7

/* Bit i: the i-th exists; negative: something is wrong. */
static int duplicate(MPI_Comm c, MPI_Comm *made)
{
    MPI_Request q[MANY];
    int mask = 0;

    for (int i = 0; i < MANY; i++) {
        made[i] = MPI_COMM_NULL;
        if (MPI_Comm_idup(c, &made[i], &q[i]) != MPI_SUCCESS) /* S0-15 */
            return -1;
    }
    for (int i = MANY; i-- > 0;) {
        int err = MPI_Wait(&q[i], MPI_STATUS_IGNORE);

        if ((err != MPI_SUCCESS) != (made[i] == MPI_COMM_NULL) ||
            (err && err != MPIX_ERR_PROC_FAILED))
            return -1;
        mask |= !err << i;
    }
    return mask;
}

int main(int argc, char **argv)
{
    MPI_Comm first[MANY], second[MANY];
    int mask;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    mask = duplicate(MPI_COMM_WORLD, first);
    if (mask < 0 || !uniform(MPI_COMM_WORLD, mask))
        return 1;
    for (int i = 0; i < MANY; i += 3) {
        int more;

        if (!(mask >> i & 1)) /* uniform */
            continue;
        more = duplicate(first[i], second);
        if (more < 0 || !uniform(MPI_COMM_WORLD, more))
            return 2;
    }
    MPI_Finalize();
    return 0;
}
