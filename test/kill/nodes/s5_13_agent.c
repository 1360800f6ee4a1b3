/* SPDX-License-Identifier: BSD-3-Clause */
/* An agent is killed at some time while processes are started, on its node and on others; the rank that asks is on its node, or on another.
 * Either all survivors have the intercommunicator or none has, no call waits for ever, and the job goes on with what is left of it: processes
 * are started on the nodes that are left.
 *
 * Arguments: the root of the spawn; a seed of the time.
 *
 *   S5-8: the death of an agent is the loss of its node
 *   S5-13: processes are created and connected across nodes, on living ones with room */
/* RUN: -n 4 --lenient-exit ; set MACHINES=2 ; args 0 {n} ; expect "rank 0 ok" ; expect "rank 1 ok" ; times 24 */
/* RUN: -n 4 --lenient-exit ; set MACHINES=2 ; args 3 {n} ; expect "rank 0 ok" ; expect "rank 1 ok" ; times 12 */
/* RUN: -n 4 --lenient-exit ; set MACHINES=4 ; args 1 {n} ; expect "rank 0 ok" ; expect "rank 1 ok" ; times 12 */
/* RUN: -n 3 --lenient-exit ; set MACHINES=3 ; args 2 {n} ; expect "rank 0 ok" ; expect "rank 1 ok" ; times 6 */
#include "../common.h"
#include "kill_agent.h"

enum { READY, CHILDREN = 3 };

static int spawn_and_part(MPI_Comm c, int root, const char *program)
{
    char *args[] = {"child", NULL};
    MPI_Comm children;
    int rc = MPI_Comm_spawn(program, args, CHILDREN, MPI_INFO_NULL, root, c, &children,
                            MPI_ERRCODES_IGNORE);

    if (rc != MPI_SUCCESS)
        return rc;
    MPI_Comm_set_errhandler(children, MPI_ERRORS_RETURN);
    MPI_Comm_disconnect(&children);
    return MPI_SUCCESS;
}

static void be_child(MPI_Comm parent)
{
    MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_disconnect(&parent);
    MPI_Finalize();
    exit(0);
}

/* Does not return at a rank of that node. */
static void lose_node(int root, const char *program)
{
    pthread_t thread;
    int rc;

    if (rank == size - 1)
        CHECK(pthread_create(&thread, NULL, kill_agent, NULL) == 0);
    do
        rc = spawn_and_part(MPI_COMM_WORLD, root, program);
    while (rc == MPI_SUCCESS);
    CHECK(rc == MPI_ERR_PROC_FAILED || rc == MPI_ERR_SPAWN);
    wait_until_dead(MPI_COMM_WORLD, size - 1);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, rest;
    int root, one = 1, sum, n;

    start(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        be_child(parent);
    root = atoi(argv[1]);
    delay_us = atoi(argv[2]) * 1777 % 29000;
    lose_node(root, argv[0]);
    CHECK_EQ(MPIX_Comm_shrink(MPI_COMM_WORLD, &rest), MPI_SUCCESS);
    MPI_Comm_set_errhandler(rest, MPI_ERRORS_RETURN);
    MPI_Comm_size(rest, &n);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(spawn_and_part(rest, i % n, argv[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, rest), MPI_SUCCESS);
    CHECK_EQ(sum, n);
    return finish();
}
