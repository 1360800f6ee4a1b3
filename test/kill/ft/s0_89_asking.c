/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that only asks, over and over, whether something has happened goes on taking part in
 * what it began: the root of an agreement dies, the next root is in such a loop, and the others still
 * get their result.
 *
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-89: an agreement waits for every survivor and for no dead process
 *   S0-90: an agreement never fails and is uniform under deaths */
/* RUN: -n 4 --lenient-exit ; set AGREE_SHM=0 ; args revoked ; kill 0 at agree.enter ; expect "rank 3 ok" */
/* RUN: -n 4 ; set AGREE_SHM=0 ; args failed ; kill 0 at agree.enter ; expect "rank 3 ok" */
/* RUN: -n 4 --lenient-exit ; args revoked ; kill 0 at agree.enter ; expect "rank 3 ok" */
#include "../common.h"

static void ask(const char *what)
{
    MPI_Group g;
    int flag;

    if (!strcmp(what, "revoked")) {
        CHECK_EQ(MPIX_Comm_is_revoked(MPI_COMM_WORLD, &flag), MPI_SUCCESS);
        CHECK_EQ(flag, 0);
    } else {
        CHECK_EQ(MPIX_Comm_get_failed(MPI_COMM_WORLD, &g), MPI_SUCCESS);
        MPI_Group_free(&g);
    }
}

int main(int argc, char **argv)
{
    MPI_Request q;
    int flag = 1;

    start(&argc, &argv);
    if (rank == 1) {
        CHECK_EQ(MPI_Icomm_agreement(MPI_COMM_WORLD, &flag, &q), MPI_SUCCESS);
        while (posted(0) < size - 2)
            ask(argv[1]);
        CHECK_EQ(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_SUCCESS);
    } else {
        CHECK_EQ(MPI_Comm_agreement(MPI_COMM_WORLD, &flag), MPI_SUCCESS);
        post(0);
    }
    CHECK_EQ(flag, 1);
    return finish();
}
