/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank that invalidates a communicator may call no MPI function for a long time afterwards, and
 * all are told all the same, also those to which it has sent so much that there is no room for one more
 * message until they have looked.
 *
 *   rank 0    begins to create `late` │ has it │ floods all │ invalidates c, and late │ outside of MPI
 *   others    begin to create `late`  │ outside of MPI                                │ wait on c, and in
 *                                                                    the creation and then on `late`
 *
 * inside: the others wait on c all the time, and may be asleep when there is something for them.
 *
 *   S0-4: a revocation makes a failure known to every survivor
 *   S0-57: a revocation reaches all members, in both groups
 *   S0-58: one caller of a revocation suffices, and it does not wait */
/* RUN: -n 2 ; expect "rank 0 ok" ; expect "rank 1 ok" */
/* RUN: -n 5 ; expect "rank 0 ok" ; expect "rank 4 ok" */
/* RUN: -n 3 ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "rank 2 ok" */
/* RUN: -n 5 ; args inside ; expect "rank 0 ok" ; expect "rank 4 ok" ; times 5 */
/* RUN: -n 16 ; args inside ; expect "rank 0 ok" ; expect "rank 15 ok" ; times 5 */
/* RUN: -n 16 ; expect "rank 0 ok" ; expect "rank 15 ok" */
/* RUN: -n 4 ; set MACHINES=2 ; args inside ; expect "rank 0 ok" ; expect "rank 3 ok" ; times 3 */
/* RUN: -n 6 ; set MACHINES=3 ; args inside ; expect "rank 0 ok" ; expect "rank 5 ok" ; times 5 */
#include "../common.h"

#define MANY 300 /* more than there is room for */

enum { BEGUN, INVALID, TOLD };

static MPI_Comm c, flooded, late;
static MPI_Request q;

/* Of what nobody receives; freed, because it is not complete before there is room. */
static void flood(void)
{
    MPI_Request r;

    for (int to = 1; to < size; to++)
        for (int i = 0; i < MANY; i++) {
            CHECK_EQ(MPI_Isend(NULL, 0, MPI_INT, to, 0, flooded, &r), MPI_SUCCESS);
            MPI_Request_free(&r);
        }
}

static void invalidate(void)
{
    await(BEGUN, size - 1);
    CHECK_EQ(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_SUCCESS);
    flood();
    CHECK_EQ(MPI_Comm_invalidate(c), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_invalidate(late), MPI_SUCCESS);
    post(INVALID);
    await(TOLD, size - 1);
}

static void be_told(bool inside)
{
    int v;

    post(BEGUN);
    if (!inside)
        await(INVALID, 1);
    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, 0, 1, c, MPI_STATUS_IGNORE), MPI_ERR_INVALIDATED);
    CHECK_EQ(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_SUCCESS);
    MPI_Comm_set_errhandler(late, MPI_ERRORS_RETURN);
    CHECK_CLASS(MPI_Barrier(late), MPI_ERR_INVALIDATED);
    post(TOLD);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &c), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &flooded), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_idup(MPI_COMM_WORLD, &late, &q), MPI_SUCCESS);
    if (rank == 0)
        invalidate();
    else
        be_told(argc > 1);
    return finish();
}
