/* SPDX-License-Identifier: BSD-3-Clause */
/* Of a function with several names any will do as the place of an injection: rank 1 calls them all once,
 * under one of their names, and dies at the call that the recipe names by another one. */
/* RUN: -n 2 ; args 1 ; kill 1 at call:MPIX_Comm_is_revoked ; expect "rank 0 ok" */
/* RUN: -n 2 ; args 2 ; kill 1 at call:MPIX_Comm_failure_ack ; expect "rank 0 ok" */
/* RUN: -n 2 ; args 3 ; kill 1 at call:MPIX_Comm_failure_get_acked ; expect "rank 0 ok" */
/* RUN: -n 2 ; args 4 ; kill 1 at call:MPIX_Comm_get_failed ; expect "rank 0 ok" */
/* RUN: -n 2 ; args 5 ; kill 1 at call:MPIX_Comm_ack_failed ; expect "rank 0 ok" */
/* RUN: -n 2 ; args 6 ; kill 1 at call:MPIX_Comm_agree ; expect "rank 0 ok" */
/* RUN: -n 2 ; args 7 ; kill 1 at call:MPIX_Comm_iagree ; expect "rank 0 ok" */
/* RUN: -n 2 ; args 8 ; kill 1 at call:MPIX_Comm_ishrink ; expect "rank 0 ok" */
/* RUN: -n 2 ; args 9 ; kill 1 at call:MPIX_Comm_shrink ; expect "rank 0 ok" */
/* RUN: -n 2 ; args 10 ; kill 1 at call:MPI_Comm_shrink ; expect "rank 0 ok" */
/* RUN: -n 2 ; args 11 ; kill 1 at call:MPI_Comm_revoke ; expect "rank 0 ok" */
/* RUN: -n 2 ; args 11 ; kill 1 at call:MPIX_Comm_revoke ; expect "rank 0 ok" */
/* RUN: -n 2 ; args 11 ; kill 1 at call:MPI_Comm_invalidate ; expect "rank 0 ok" */
#include "../common.h"

/* Counts the calls of rank 1; what they return is another test's. */
#define CALL(call_)                                                                                \
    do {                                                                                           \
        if (rank == 1)                                                                             \
            post(0);                                                                               \
        call_;                                                                                     \
    } while (0)

int main(int argc, char **argv)
{
    MPI_Request request;
    MPI_Comm c, made;
    MPI_Group g;
    int v = 1;

    start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    CALL(MPI_Comm_is_revoked(c, &v));
    CALL(MPI_Comm_failure_ack(c));
    CALL(MPI_Comm_failure_get_acked(c, &g));
    CALL(MPI_Comm_get_failed(c, &g));
    CALL(MPI_Comm_ack_failed(c, 0, &v));
    CALL(MPI_Comm_agree(c, &v));
    CALL(MPI_Comm_iagree(c, &v, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CALL(MPI_Comm_ishrink(c, &made, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CALL(MPIX_Comm_shrink(c, &made));
    CALL(MPI_Comm_shrink(c, &made));
    if (rank == 1)
        CALL(MPI_Comm_invalidate(c));
    CHECK(rank == 0);
    wait_until_dead(MPI_COMM_WORLD, 1);
    CHECK_EQ(posted(0), atoi(argv[1]));
    return finish();
}
