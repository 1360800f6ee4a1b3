/* SPDX-License-Identifier: BSD-3-Clause */
/* However many communicators a process invalidates, all are told of each, although it
 * calls no MPI function afterwards and there is no room for a message to them.
 *
 *   rank 0    floods all │ invalidates many  │ outside of MPI until all have been told
 *   others    outside of MPI                 │ receive on each of them
 *
 * later: on communicators whose contexts come late, after many others were made and freed: the room for
 * their revocations is not that of the first ones.
 *
 *   S0-4: a revocation makes a failure known to every survivor
 *   S0-57: a revocation reaches all members, in both groups
 *   S0-58: one caller of a revocation suffices, and it does not wait
 *   S5-11: a revocation reaches every survivor on every node, and no rank relays it
 *
 * RUN: -n 2 ; args 200 ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 5 ; args 200 ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "rank 4 ok"
 * RUN: -n 16 ; args 80 ; expect "rank 0 ok" ; expect "rank 15 ok"
 * RUN: -n 4 ; args 200 ; set MACHINES=2 ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 6 ; args 80 ; set MACHINES=3 ; expect "rank 0 ok" ; expect "rank 5 ok"
 * RUN: -n 2 ; args 100 later ; time 60 ; expect "rank 0 ok" ; expect "rank 1 ok" */
#include "../common.h"

#define MOST     200
#define MESSAGES 300   /* more than there is room for */
#define EARLIER  17000 /* two contexts each: 34000 bits, and a page has 32768 */

enum { INVALID, TOLD };

static MPI_Comm c[MOST];
static int n;

static void make_and_free(void)
{
    MPI_Comm d;

    for (int i = 0; i < EARLIER; i++) {
        CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &d), MPI_SUCCESS);
        MPI_Comm_free(&d);
    }
}

/* Of what nobody receives; freed, because it is not complete before there is room. */
static void flood(void)
{
    MPI_Request r;

    for (int to = 1; to < size; to++)
        for (int i = 0; i < MESSAGES; i++) {
            CHECK_EQ(MPI_Isend(NULL, 0, MPI_INT, to, 0, MPI_COMM_WORLD, &r), MPI_SUCCESS);
            MPI_Request_free(&r);
        }
}

static void invalidate(void)
{
    flood();
    for (int i = 0; i < n; i++)
        CHECK_EQ(MPI_Comm_invalidate(c[i]), MPI_SUCCESS);
    post(INVALID);
    await(TOLD, size - 1);
}

static void be_told(void)
{
    int v;

    await(INVALID, 1);
    for (int i = 0; i < n; i++)
        CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, 0, 1, c[i], MPI_STATUS_IGNORE), MPI_ERR_INVALIDATED);
    post(TOLD);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    n = atoi(argv[1]);
    if (argc > 2)
        make_and_free();
    for (int i = 0; i < n; i++)
        CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &c[i]), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        invalidate();
    else
        be_told();
    return finish();
}
