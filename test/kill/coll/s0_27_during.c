/* SPDX-License-Identifier: BSD-3-Clause */
/* S0-27, S0-28, S0-84, S0-10: a member is killed inside collectives: at the moment its flag is in
 * shared memory, after a round of a schedule, on entering, on leaving, or at a random time.  Every
 * survivor gets out: each call gives success or MPI_ERR_PROC_FAILED, the first failure is final for
 * the communicator, nothing around the buffers is touched, and communicators without the dead
 * process go on working.
 *
 * RUN: -n 4 ; kill 2 at coll.shm.arrived#1 ; expect "rank 0 ok"
 * RUN: -n 4 ; kill 0 at coll.shm.arrived#57 ; expect "rank 1 ok"
 * RUN: -n 4 ; kill 3 at coll.shm.arrived#311 ; expect "rank 1 ok"
 * RUN: -n 2 ; kill 1 at coll.shm.arrived#1000 ; expect "rank 0 ok"
 * RUN: -n 5 ; kill 1 at coll.enter#90 ; expect "rank 0 ok"
 * RUN: -n 5 ; kill 4 at coll.done#91 ; expect "rank 0 ok"
 * RUN: -n 5 ; kill 2 at coll.round#400 ; expect "rank 0 ok"
 * RUN: -n 5 ; set COLL_SHM=0 ; kill 2 at coll.round#1 ; expect "rank 0 ok"
 * RUN: -n 5 ; set COLL_SHM=0 ; kill 0 at coll.round#77 ; expect "rank 1 ok"
 * RUN: -n 8 ; set COLL_SHM=0 ; kill 5 at coll.round#500 ; expect "rank 0 ok"
 * RUN: -n 4 ; set COLL_SHM=0 ; kill 1 at p2p.data.sent#20 ; expect "rank 0 ok"
 * RUN: -n 8 ; kill 3,5 at coll.shm.arrived#200 ; expect "rank 0 ok"
 * RUN: -n 4 ; kill 1 at time:0.05 ; expect "rank 0 ok" ; times 5
 * RUN: -n 4 ; set COLL_SHM=0 ; kill 2 at time:0.05 ; expect "rank 0 ok" ; times 5 */
#include "kill/common.h"

#define N     3000
#define KINDS 12

static unsigned char *in, *out;
static size_t bytes;

static int begin(int kind, int n, int root, MPI_Comm c, MPI_Request *q)
{
    int counts[16], displs[16];

    for (int i = 0; i < size; i++) {
        counts[i] = n;
        displs[i] = i * n;
    }
    switch (kind) {
    case 0:
        return q ? MPI_Ibarrier(c, q) : MPI_Barrier(c);
    case 1:
        return q ? MPI_Ibcast(out, n, MPI_INT, root, c, q) : MPI_Bcast(out, n, MPI_INT, root, c);
    case 2:
        return q ? MPI_Ireduce(in, out, n, MPI_INT, MPI_SUM, root, c, q)
                 : MPI_Reduce(in, out, n, MPI_INT, MPI_SUM, root, c);
    case 3:
        return q ? MPI_Iallreduce(in, out, n, MPI_INT, MPI_SUM, c, q)
                 : MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, c);
    case 4:
        return q ? MPI_Iscan(in, out, n, MPI_INT, MPI_SUM, c, q)
                 : MPI_Scan(in, out, n, MPI_INT, MPI_SUM, c);
    case 5:
        return q ? MPI_Igather(in, n, MPI_INT, out, n, MPI_INT, root, c, q)
                 : MPI_Gather(in, n, MPI_INT, out, n, MPI_INT, root, c);
    case 6:
        return q ? MPI_Iscatter(in, n, MPI_INT, out, n, MPI_INT, root, c, q)
                 : MPI_Scatter(in, n, MPI_INT, out, n, MPI_INT, root, c);
    case 7:
        return q ? MPI_Iallgather(in, n, MPI_INT, out, n, MPI_INT, c, q)
                 : MPI_Allgather(in, n, MPI_INT, out, n, MPI_INT, c);
    case 8:
        return q ? MPI_Ialltoall(in, n, MPI_INT, out, n, MPI_INT, c, q)
                 : MPI_Alltoall(in, n, MPI_INT, out, n, MPI_INT, c);
    case 9:
        return q ? MPI_Ialltoallv(in, counts, displs, MPI_INT, out, counts, displs, MPI_INT, c, q)
                 : MPI_Alltoallv(in, counts, displs, MPI_INT, out, counts, displs, MPI_INT, c);
    case 10:
        return q ? MPI_Iexscan(in, out, n, MPI_INT, MPI_SUM, c, q)
                 : MPI_Exscan(in, out, n, MPI_INT, MPI_SUM, c);
    default:
        return q ? MPI_Ireduce_scatter_block(in, out, n, MPI_INT, MPI_SUM, c, q)
                 : MPI_Reduce_scatter_block(in, out, n, MPI_INT, MPI_SUM, c);
    }
}

/* Collectives of all kinds and lengths until one fails. */
static int until_failure(MPI_Comm c)
{
    static const int lengths[] = {1, 5, 100, N};
    int err = MPI_SUCCESS;

    for (int i = 0; err == MPI_SUCCESS; i++) {
        MPI_Request q = MPI_REQUEST_NULL;
        int n = lengths[i / KINDS % 4], kind = i % KINDS, root = i / 7 % size;

        if (i % 5 == 4) {
            CHECK_EQ(begin(kind, n, root, c, &q), MPI_SUCCESS); /* S0-15 */
            err = MPI_Wait(&q, MPI_STATUS_IGNORE);
            CHECK(q == MPI_REQUEST_NULL);
        } else {
            err = begin(kind, n, root, c, NULL);
        }
        check_guards(in, bytes);
        check_guards(out, bytes);
    }
    return err;
}

/* The failure is final, for all kinds and forms, without waiting for anybody. */
static void stays_failed(MPI_Comm c)
{
    for (int kind = 0; kind < KINDS; kind++) {
        MPI_Request q;

        CHECK_CLASS(begin(kind, 10, 0, c, NULL), MPI_ERR_PROC_FAILED);
        CHECK_EQ(begin(kind, 10, 0, c, &q), MPI_SUCCESS);
        CHECK_CLASS(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_ERR_PROC_FAILED);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm alone, pair;
    int x = 1, sum = 0, n;

    start(&argc, &argv);
    bytes = sizeof(int) * N * (size_t)size;
    in = guarded(bytes);
    out = guarded(bytes);
    memset(in, 1, bytes);
    /* Ranks 0 and 1, 2 and 3, ...: some pairs hold the victim, others do not. */
    if (MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair) != MPI_SUCCESS)
        MPI_Comm_dup(MPI_COMM_SELF, &pair); /* the victim died in here already */
    MPI_Comm_dup(MPI_COMM_SELF, &alone);
    MPI_Comm_size(pair, &n);
    CHECK_CLASS(until_failure(MPI_COMM_WORLD), MPI_ERR_PROC_FAILED);
    stays_failed(MPI_COMM_WORLD);
    CHECK_CLASS(MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, alone), MPI_SUCCESS);
    if (MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, pair) == MPI_SUCCESS)
        CHECK_EQ(sum, n);
    else
        CHECK(is_known_dead(MPI_COMM_WORLD, rank ^ 1));
    return finish();
}
