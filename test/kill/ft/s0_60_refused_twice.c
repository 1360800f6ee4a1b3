/* SPDX-License-Identifier: BSD-3-Clause */
/* Creation is refused for two reasons, one of which is that a member has given up.
 *
 *   rank 2  dies, the others validate
 *   rank 1  begins a duplicate, and revokes the communicator: it vetoes all creation after that
 *   rank 0  begins the duplicate, too; then asks for communicators with rank 2 in it, more of them than a
 *           member that has given up may be left behind
 *   rank 1  ends its duplicate: nothing of it was overwritten
 *
 * Rank 0 knows of the revocation when the first of these is refused, so the next one is refused for that.
 *
 *   S0-60: a revocation ends calls in progress
 *   S0-63: elsewhere the communicator is revoked when a call first reports it
 *   S2-5: creation is uniform: at all survivors or at none */
/* RUN: -n 3 ; expect "rank 0 ok" ; expect "rank 1 ok" */
/* RUN: -n 3 ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "rank 1 ok" */
#include "../common.h"

#define TRIES 12

enum { VALIDATED = 1, REVOKED, TRIED };

static void ask_for_the_dead(void)
{
    static const int ranks[2] = {0, 2};
    MPI_Group world, part;
    MPI_Comm c;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, ranks, &part);
    for (int i = 0; i < TRIES; i++) {
        int class = class_of(MPI_Comm_create(MPI_COMM_WORLD, part, &c));

        CHECK(class == MPI_ERR_INVALIDATED || (i == 0 && class == MPI_ERR_PROC_FAILED));
    }
    MPI_Group_free(&part);
    MPI_Group_free(&world);
}

int main(int argc, char **argv)
{
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Request request;
    MPI_Group failed;

    start(&argc, &argv);
    if (rank == 2)
        die_now();
    wait_until_dead(MPI_COMM_WORLD, 2);
    CHECK_EQ(MPI_Comm_validate(MPI_COMM_WORLD, &failed), MPI_SUCCESS);
    MPI_Group_free(&failed);
    post(VALIDATED);
    await(VALIDATED, 2);
    if (rank == 0)
        await(REVOKED, 1);
    CHECK_EQ(MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request), MPI_SUCCESS);
    if (rank == 0) {
        ask_for_the_dead();
        post(TRIED);
    } else {
        CHECK_EQ(MPI_Comm_revoke(MPI_COMM_WORLD), MPI_SUCCESS);
        post(REVOKED);
        await(TRIED, 1);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return finish();
}
