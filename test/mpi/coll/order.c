/* SPDX-License-Identifier: BSD-3-Clause */
/* Many collectives under way at once: nonblocking ones overlap each other, blocking ones,
 * point-to-point with the same tags; waited for in any order.  Persistent ones are started in a
 * different order at each rank (MPI-5.0 6.13) and several times with new data.
 *
 * RUN: -n 1
 * RUN: -n 2
 * RUN: -n 5
 * RUN: -n 5 ; set COLL_SHM=0
 * RUN: -n 16 ; time 60 */
#include "mpi/coll/common.h"

#define MANY 40

static int vector_n(int k)
{
    return k % 4 == 3 ? 20000 : k % 7;
}

static void start_one(int k, int *in, int *out, MPI_Request *q)
{
    int n = vector_n(k), root = k % size;

    for (int i = 0; i < n; i++)
        in[i] = datum(rank, k, i);
    switch (k % 5) {
    case 0:
        MPI_Iallreduce(in, out, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD, q);
        break;
    case 1:
        if (rank == root)
            memcpy(out, in, sizeof(int) * (size_t)n);
        MPI_Ibcast(out, n, MPI_INT, root, MPI_COMM_WORLD, q);
        break;
    case 2:
        MPI_Ibarrier(MPI_COMM_WORLD, q);
        break;
    case 3:
        MPI_Ireduce(in, out, n, MPI_INT, MPI_MIN, root, MPI_COMM_WORLD, q);
        break;
    default:
        MPI_Iscan(in, out, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD, q);
    }
}

static void check_one(int k, const int *out)
{
    int n = vector_n(k), root = k % size, want;

    snprintf(doing, sizeof doing, "collective %d", k);
    if (k % 5 == 2 || (k % 5 == 3 && rank != root))
        return;
    want = k % 5 == 0 ? size - 1 : k % 5 == 1 ? root : k % 5 == 3 ? 0 : rank;
    for (int i = 0; i < n; i++)
        CHECK(out[i] == datum(want, k, i));
}

static void overlapping(void)
{
    static int in[MANY][20000], out[MANY][20000];
    MPI_Request q[MANY];
    int next = (rank + 1) % size, before = (rank + size - 1) % size, sum;

    for (int k = 0; k < MANY; k++) {
        int give = k * 100 + rank, got = -1, one = 1;

        start_one(k, in[k], out[k], &q[k]);
        if (k % 3 == 0) { /* a blocking one overtakes */
            MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            CHECK(sum == size);
        }
        if (k % 4 == 0) { /* messages with the tags that collectives use inside */
            MPI_Sendrecv(&give, 1, MPI_INT, next, k, &got, 1, MPI_INT, before, k, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
            CHECK(got == k * 100 + before);
        }
    }
    for (int i = 0; i < MANY; i++) { /* each rank in its own order */
        int k = (i * 7 + rank * 3) % MANY;

        MPI_Wait(&q[k], MPI_STATUS_IGNORE);
        check_one(k, out[k]);
    }
}

/* Completion by all the other calls; a status of a collective is empty. */
static void completed_by(void)
{
    static int in[MANY][20000], out[MANY][20000];
    MPI_Request q[MANY];
    MPI_Status s;
    int done = 0, index, flag, count;

    for (int k = 0; k < MANY; k++)
        start_one(k, in[k], out[k], &q[k]);
    for (int n = 0; n < MANY / 2; n++) {
        MPI_Waitany(MANY, q, &index, &s);
        CHECK(index >= 0 && index < MANY && q[index] == MPI_REQUEST_NULL);
        CHECK(s.MPI_SOURCE == MPI_ANY_SOURCE && s.MPI_TAG == MPI_ANY_TAG);
        MPI_Get_count(&s, MPI_INT, &count);
        CHECK(count == 0);
        check_one(index, out[index]);
    }
    while (!done) {
        MPI_Testall(MANY, q, &done, MPI_STATUSES_IGNORE);
        MPI_Test(&q[0], &flag, MPI_STATUS_IGNORE);
    }
    for (int k = 0; k < MANY; k++)
        check_one(k, out[k]);
}

static void persistent(void)
{
    static int in[8][5000], out[8][5000];
    MPI_Request q[8];

    for (int k = 0; k < 8; k++) {
        int n = k % 2 ? 5000 : 3;

        if (k % 3)
            MPI_Allreduce_init(in[k], out[k], n, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL,
                               &q[k]);
        else
            MPI_Bcast_init(rank == k % size ? in[k] : out[k], n, MPI_INT, k % size, MPI_COMM_WORLD,
                           MPI_INFO_NULL, &q[k]);
    }
    for (int round = 0; round < 5; round++) {
        for (int k = 0; k < 8; k++)
            for (int i = 0; i < 5000; i++)
                in[k][i] = datum(rank, round * 8 + k, i);
        for (int i = 0; i < 8; i++)
            CHECK(MPI_Start(&q[(i * 3 + rank * 5 + round) % 8]) == MPI_SUCCESS);
        MPI_Waitall(8, q, MPI_STATUSES_IGNORE);
        for (int k = 0; k < 8; k++) {
            int want = k % 3 ? size - 1 : k % size;

            snprintf(doing, sizeof doing, "persistent %d, round %d", k, round);
            CHECK(q[k] != MPI_REQUEST_NULL);
            for (int i = 0; i < (k % 2 ? 5000 : 3) && (k % 3 || rank != want); i++)
                CHECK(out[k][i] == datum(want, round * 8 + k, i));
        }
    }
    for (int k = 0; k < 8; k++)
        MPI_Request_free(&q[k]);
}

/* The handle may be freed, and types and communicator too, while the operation goes on. */
static void freed_early(void)
{
    static int in[1000], out[1000];
    MPI_Comm dup;
    MPI_Datatype t;
    MPI_Request q;

    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Type_contiguous(10, MPI_INT, &t);
    MPI_Type_commit(&t);
    for (int i = 0; i < 1000; i++)
        in[i] = datum(rank, 1, i);
    if (rank == 0)
        memcpy(out, in, sizeof out);
    MPI_Ibcast(out, 100, t, 0, dup, &q);
    MPI_Type_free(&t);
    MPI_Comm_free(&dup);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    for (int i = 0; i < 1000; i++)
        CHECK(out[i] == datum(0, 1, i));
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int i = 0; i < 5; i++) {
        overlapping();
        completed_by();
    }
    persistent();
    freed_early();
    return finish();
}
