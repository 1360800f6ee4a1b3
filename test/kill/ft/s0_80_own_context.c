/* SPDX-License-Identifier: BSD-3-Clause */
/* A shrunken communicator is one of its own.  On the parent lie messages that nobody
 * received, receives, probes and collectives that nobody answered, and its invalidation may be on
 * its way; none of that is seen on the new one, whose calls match only each other.  It has the
 * parent's error handler. And the other way: what is sent on the new one is not found on the
 * parent.
 *
 *   R10: a shrunken communicator inherits the error handler
 *   S0-80: the new communicator sees no message and no revocation of the old one
 *
 * RUN: -n 3 ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 6 ; expect "rank 0 ok" ; expect "rank 4 ok"
 * RUN: -n 6 ; set AGREE_SHM=0 ; set COLL_SHM=0 ; expect "rank 0 ok" ; expect "rank 4 ok" */
#include "../common.h"

#define ROUNDS 10
#define LARGE  50000

static int called;

static void handler(MPI_Comm *c, int *code, ...)
{
    called++;
}

/* Everything that may be left over, tags and lengths as later on the new communicator. */
static void leave_traces(MPI_Comm c, MPI_Request *r)
{
    static char large[2][LARGE], most;
    static int wrong_value = -1;
    int n, me, right;

    MPI_Comm_size(c, &n);
    MPI_Comm_rank(c, &me);
    right = (me + 1) % n;
    MPI_Isend(&wrong_value, 1, MPI_INT, right, 1, c, &r[0]);
    MPI_Isend(large[0], LARGE, MPI_CHAR, right, 2, c, &r[1]);
    MPI_Irecv(large[1], LARGE, MPI_CHAR, MPI_ANY_SOURCE, 3, c, &r[2]);
    MPI_Iallreduce(MPI_IN_PLACE, &most, 1, MPI_SIGNED_CHAR, MPI_MAX, c, &r[3]);
}

static void check_clean(MPI_Comm c)
{
    int n, me, got = 0, sum = 0, flag = 1;
    static char large[2][LARGE];
    MPI_Status s;

    MPI_Comm_size(c, &n);
    MPI_Comm_rank(c, &me);
    CHECK_EQ(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, c, &flag, &s), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    CHECK_EQ(MPI_Comm_is_revoked(c, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    CHECK_EQ(MPI_Barrier(c), MPI_SUCCESS); /* nobody sends before all have looked */
    CHECK_EQ(MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % n, 1, &got, 1, MPI_INT, MPI_ANY_SOURCE,
                          MPI_ANY_TAG, c, &s),
             MPI_SUCCESS);
    CHECK_EQ(got, (me + n - 1) % n);
    CHECK_EQ(s.MPI_TAG, 1);
    memset(large[0], 'a' + me, LARGE);
    CHECK_EQ(MPI_Sendrecv(large[0], LARGE, MPI_CHAR, (me + 1) % n, 3, large[1], LARGE, MPI_CHAR,
                          (me + n - 1) % n, 3, c, &s),
             MPI_SUCCESS);
    CHECK_EQ(large[1][LARGE - 1], 'a' + got);
    CHECK_EQ(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, c), MPI_SUCCESS);
    CHECK_EQ(sum, n * (n - 1) / 2);
}

/* R10 */
static void check_handler(MPI_Comm c, MPI_Errhandler h)
{
    MPI_Errhandler got;
    int before = called, v = 0;

    CHECK_EQ(MPI_Comm_get_errhandler(c, &got), MPI_SUCCESS);
    CHECK(got == h);
    MPI_Errhandler_free(&got);
    CHECK_CLASS(MPI_Send(&v, 1, MPI_INT, 9999, 0, c), MPI_ERR_RANK);
    CHECK_EQ(called, before + 1);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, next;
    MPI_Errhandler h;
    MPI_Request r[4];
    MPI_Status s[4];

    start(&argc, &argv);
    MPI_Comm_create_errhandler(handler, &h);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, h);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &parent), MPI_SUCCESS);
    MPI_Comm_set_errhandler(parent, h);
    if (rank == size - 1)
        die_now();
    for (int round = 0; round < ROUNDS; round++) {
        leave_traces(parent, r);
        if (rank == round % 2)
            MPI_Comm_invalidate(parent); /* the others may learn of it at any time from now on */
        CHECK_EQ(MPIX_Comm_shrink(parent, &next), MPI_SUCCESS);
        check_handler(next, h);
        check_clean(next);
        MPI_Comm_invalidate(parent);
        CHECK_CLASS(MPI_Waitall(4, r, s), MPI_ERR_IN_STATUS);
        CHECK_CLASS(s[2].MPI_ERROR, MPI_ERR_INVALIDATED);
        CHECK_EQ(MPI_Comm_free(&parent), MPI_SUCCESS);
        check_clean(next);
        post(0);
        await(0, (round + 1) * (size - 1)); /* all are through before it is the parent */
        parent = next;
    }
    return finish();
}
