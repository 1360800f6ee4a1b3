/* SPDX-License-Identifier: BSD-3-Clause */
/* A member that had contributed before it died is still among the failed if a
 * participant knew of its death when it contributed; only such participants report it.
 *
 *   1          contributes, and dies
 *   0, 2, 3    learn of it, and then contribute
 *
 *   S0-76: shrink leaves out every process whose failure a caller had been told of
 *   S0-88: an agreement gives all survivors the AND of their values
 *   S0-91: dead processes do not contribute to an agreement
 *   S2-11: validate returns the same failed processes everywhere
 *
 * RUN: -n 4 ; args agree ; kill 1 at call:MPI_Pcontrol>agree.enter ; expect "rank 3 ok"
 * RUN: -n 4 ; args shrink ; kill 1 at call:MPI_Pcontrol>agree.enter ; expect "rank 3 ok"
 * RUN: -n 4 ; args validate ; kill 1 at call:MPI_Pcontrol>agree.enter ; expect "rank 3 ok"
 * RUN: -n 4 ; set COLL_SHM=0 ; args agree ; kill 1 at call:MPI_Pcontrol>agree.enter ; expect "rank 3 ok"
 * RUN: -n 4 ; set COLL_SHM=0 ; args shrink ; kill 1 at call:MPI_Pcontrol>agree.enter ; expect "rank 3 ok"
 * RUN: -n 4 ; set COLL_SHM=0 ; args validate ; kill 1 at call:MPI_Pcontrol>agree.enter ; expect "rank 3 ok"
 * RUN: -n 4 ; set AGREE_SHM=0 ; args agree ; kill 1 at call:MPI_Pcontrol>agree.enter ; expect "rank 3 ok"
 * RUN: -n 4 ; set AGREE_SHM=0 ; args shrink ; kill 1 at call:MPI_Pcontrol>agree.enter ; expect "rank 3 ok"
 * RUN: -n 5 ; args inter_shrink ; kill 1 at call:MPI_Pcontrol>agree.enter ; expect "rank 4 ok" */
#include "creators.h"

static void agree(void)
{
    int flag = 1, err = MPIX_Comm_agree(W, &flag);

    CHECK_CLASS(err, MPIX_ERR_PROC_FAILED); /* nobody has acknowledged it */
    CHECK_EQ(flag, 1);
}

static void shrink(MPI_Comm c, int local, int remote)
{
    MPI_Comm living;
    int n;

    CHECK_EQ(MPIX_Comm_shrink(c, &living), MPI_SUCCESS);
    MPI_Comm_size(living, &n);
    CHECK_EQ(n, local);
    if (!remote)
        return;
    MPI_Comm_remote_size(living, &n);
    CHECK_EQ(n, remote);
}

static void validate(void)
{
    MPI_Group failed;
    int n;

    CHECK_EQ(MPI_Comm_validate(W, &failed), MPI_SUCCESS);
    MPI_Group_size(failed, &n);
    CHECK_EQ(n, 1);
    MPI_Group_free(&failed);
    CHECK_EQ(MPI_Barrier(W), MPI_SUCCESS); /* there was a cut */
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (!strcmp(argv[1], "inter_shrink"))
        set_up();
    MPI_Pcontrol(1);
    if (rank != 1)
        wait_until_dead(W, 1);
    if (!strcmp(argv[1], "agree"))
        agree();
    else if (!strcmp(argv[1], "validate"))
        validate();
    else if (!strcmp(argv[1], "shrink"))
        shrink(W, size - 1, 0);
    else
        shrink(inter, rank < 2 ? 1 : 3, rank < 2 ? 3 : 1);
    return finish();
}
