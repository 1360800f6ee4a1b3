/* SPDX-License-Identifier: BSD-3-Clause */
/* Where others pass a revocation on (without the segment's row), every rank that the
 * caller tells dies and has passed nothing on.  All others wait for each other and come back all the same.
 *
 *   before   they are known to be dead when the revocation begins
 *   told     they are outside of MPI when they are told, and die there
 *
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-57: a revocation reaches all members, in both groups
 *   S0-59: a revocation reaches all survivors even if its caller dies
 *
 * RUN: -n 16 --lenient-exit ; set REVOKE_SHM=0 ; args before ; expect "rank 3 ok" ; expect "rank 13 ok"
 * RUN: -n 16 --lenient-exit ; set REVOKE_SHM=0 ; args told ; expect "rank 3 ok" ; expect "rank 13 ok"
 * RUN: -n 11 --lenient-exit ; set REVOKE_SHM=0 ; args before ; expect "rank 5 ok"
 * RUN: -n 11 --lenient-exit ; set REVOKE_SHM=0 ; args told ; expect "rank 5 ok" */
#include "../common.h"

enum { REVOKED, READY }; /* slots of the board */

static bool is_power_of_two(int n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

/* The caller's neighbours (src/ft/links.h). */
static bool is_told(int r)
{
    return r != 0 && (is_power_of_two(r) || is_power_of_two(size - r));
}

static int another(void)
{
    int r = rank;

    do
        r = (r + 1) % size;
    while (r == 0 || is_told(r));
    return r;
}

int main(int argc, char **argv)
{
    int waiting_n, told_n = 0, v;
    bool before;

    start(&argc, &argv);
    before = !strcmp(argv[1], "before");
    for (int r = 0; r < size; r++)
        told_n += is_told(r);
    waiting_n = size - 1 - told_n;
    CHECK(waiting_n >= 2);
    if (is_told(rank)) {
        if (!before)
            await(REVOKED, 1);
        die_now();
    }
    for (int r = 0; before && r < size; r++)
        if (is_told(r))
            wait_until_dead(MPI_COMM_WORLD, r);
    post(READY);
    if (rank == 0) {
        await(READY, waiting_n + 1);
        CHECK_EQ(MPI_Comm_invalidate(MPI_COMM_WORLD), MPI_SUCCESS);
        post(REVOKED);
    } else {
        CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, another(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                    MPI_ERR_INVALIDATED);
    }
    return finish();
}
