/* SPDX-License-Identifier: BSD-3-Clause */
/* The worlds of processes that are started one after the other, on all nodes or on one, in places of processes that have died: what belongs to
 * an earlier world does not reach a later one, and all members of one mean the same.
 *
 *   S5-13: processes are created and connected across nodes, on living ones with room */
/* RUN: -n 2 --universe 6 ; set MACHINES=2 ; args 6 4 ; expect "rank 0 ok" ; expect "rank 1 ok" */
/* RUN: -n 3 --universe 7 ; set MACHINES=3 ; args 4 4 ; expect "rank 0 ok" ; expect "rank 2 ok" */
/* RUN: -n 5 --universe 7 ; set MACHINES=2 ; args 6 2 ; expect "rank 0 ok" ; expect "rank 4 ok" */
#include "../common.h"

static int children_n;

static void be_child(MPI_Comm parent)
{
    int one = 1, sum, n;

    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    CHECK(sum == n && n == children_n);
    CHECK_EQ(MPI_Send(&sum, 1, MPI_INT, 0, 0, parent), MPI_SUCCESS);
    CHECK_EQ(MPI_Recv(&sum, 1, MPI_INT, 0, 0, parent, MPI_STATUS_IGNORE), MPI_SUCCESS);
    MPIX_Comm_revoke(MPI_COMM_WORLD);
    die_now();
}

static void let_children_die(MPI_Comm children)
{
    int n;

    for (int r = 0; rank == 0 && r < children_n; r++)
        CHECK_EQ(MPI_Recv(&n, 1, MPI_INT, r, 0, children, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int r = 0; rank == 0 && r < children_n; r++)
        CHECK_EQ(MPI_Send(&n, 1, MPI_INT, r, 0, children), MPI_SUCCESS);
    for (int r = 0; r < children_n; r++)
        CHECK_CLASS(MPI_Recv(&n, 1, MPI_INT, r, 1, children, MPI_STATUS_IGNORE),
                    MPI_ERR_PROC_FAILED);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, children;

    start(&argc, &argv);
    children_n = atoi(argv[2]);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        be_child(parent);
    for (int i = 0; i < atoi(argv[1]); i++) {
        CHECK_EQ(MPI_Comm_spawn(argv[0], argv + 1, children_n, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                                &children, MPI_ERRCODES_IGNORE),
                 MPI_SUCCESS);
        MPI_Comm_set_errhandler(children, MPI_ERRORS_RETURN);
        let_children_die(children);
        MPI_Comm_free(&children);
    }
    return finish();
}
