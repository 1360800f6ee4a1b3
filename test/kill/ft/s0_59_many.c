/* SPDX-License-Identifier: BSD-3-Clause */
/* Many revocations outlive the process that made them.  Rank 1 does not look, and there is no
 * room for frames to it; then rank 0 is killed.  All that rank 2 has heard rank 1 learns of, too:
 * from the bits in the segment, or, without these, because rank 2 passes it on.
 *
 *   S0-57: a revocation reaches all members, in both groups
 *   S0-59: a revocation reaches all survivors even if its caller dies
 *
 * RUN: -n 3 --lenient-exit ; expect "rank 1 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; set REVOKE_SHM=0 ; expect "rank 1 ok" ; expect "rank 2 ok" */
#include "../common.h"

#define MANY     80
#define MESSAGES 300 /* a ring holds 256 */

static MPI_Comm c[MANY];

static void revoke_all(void)
{
    static int v[MESSAGES];
    MPI_Request r[MESSAGES];

    for (int i = 0; i < MESSAGES; i++)
        CHECK_EQ(MPI_Isend(&v[i], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &r[i]), MPI_SUCCESS);
    for (int i = 0; i < MANY; i++)
        CHECK_EQ(MPI_Comm_invalidate(c[i]), MPI_SUCCESS);
    await(0, 1); /* rank 2 has heard all of it */
    die_now();
}

static void check_all(void)
{
    int v;

    for (int i = 0; i < MANY; i++)
        CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, 3 - rank, 0, c[i], MPI_STATUS_IGNORE),
                    MPI_ERR_INVALIDATED);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int i = 0; i < MANY; i++)
        CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &c[i]), MPI_SUCCESS);
    if (rank == 0)
        revoke_all();
    if (rank == 1)
        await(0, 1);
    check_all();
    post(0);
    return finish();
}
