/* SPDX-License-Identifier: BSD-3-Clause */
/* Acknowledging is local and per communicator; get_acked returns what was
 * acknowledged and nothing else; a failure after it is reported again; collectives stay broken.
 * Today's get_failed and ack_failed beside it.
 *
 *   S0-22: acknowledging tells which processes have failed
 *   S0-81: an acknowledgement is local and covers the known failures of one communicator
 *   S0-82: after an acknowledgement wildcard receives continue
 *   S0-83: a failure after the acknowledgement is reported again
 *   S0-84: an acknowledgement does not repair collectives
 *   S0-85: revoke and shrink give a communicator on which collectives work
 *   S0-86: get_acked returns the members that were acknowledged
 *   S0-87: get_acked returns no other members */
/* RUN: -n 4 ; expect "rank 0 ok" */
/* RUN: -n 16 ; expect "rank 0 ok" */
#include "../common.h"

static int acked(MPI_Comm c)
{
    MPI_Group g;
    int n;

    CHECK_EQ(MPI_Comm_failure_get_acked(c, &g), MPI_SUCCESS);
    MPI_Group_size(g, &n);
    MPI_Group_free(&g);
    return n;
}

static void check_group(MPI_Comm c, int expected)
{
    MPI_Group g, all;
    int n, zero = 0, r;

    MPI_Comm_failure_get_acked(c, &g);
    MPI_Comm_group(c, &all);
    MPI_Group_size(g, &n);
    CHECK_EQ(n, 1);
    MPI_Group_translate_ranks(g, 1, &zero, all, &r);
    CHECK_EQ(r, expected);
    MPI_Group_free(&g);
    MPI_Group_free(&all);
}

int main(int argc, char **argv)
{
    MPI_Comm dup;
    int v = 0, n, first; /* the rank that dies first; the one below is the second */

    start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    first = size - 1;
    if (rank == first)
        die_now();
    if (rank == first - 1) {
        await(0, 1);
        die_now();
    }
    if (rank > 1) {
        await(2, 1);
        return finish();
    }
    if (rank == 1) {
        await(1, 1); /* outside MPI until rank 0 is through: everything below is local */
        CHECK_EQ(MPI_Send(&v, 1, MPI_INT, 0, 5, MPI_COMM_WORLD), MPI_SUCCESS);
        await(2, 1);
        return finish();
    }
    CHECK_EQ(acked(MPI_COMM_WORLD), 0);
    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, first, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);
    CHECK_EQ(acked(MPI_COMM_WORLD), 0); /* S0-87: notified, not acknowledged */
    CHECK_EQ(MPI_Comm_failure_ack(MPI_COMM_WORLD), MPI_SUCCESS);
    check_group(MPI_COMM_WORLD, first);
    CHECK_EQ(acked(dup), 0); /* S0-81 */
    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 5, dup, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);
    post(1);
    CHECK_EQ(MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
             MPI_SUCCESS);                                         /* S0-82 */
    CHECK_CLASS(MPI_Barrier(MPI_COMM_WORLD), MPI_ERR_PROC_FAILED); /* S0-84 */
    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, first, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);
    post(0);
    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED); /* S0-83 */
    CHECK_EQ(acked(MPI_COMM_WORLD), 1);
    CHECK_EQ(MPIX_Comm_ack_failed(dup, 1, &n), MPI_SUCCESS);
    CHECK_EQ(n, 1);
    check_group(dup, first);
    CHECK_EQ(MPIX_Comm_ack_failed(dup, 5, &n), MPI_SUCCESS);
    CHECK_EQ(n, 2);
    CHECK_EQ(acked(dup), 2);
    post(2);
    return finish();
}
