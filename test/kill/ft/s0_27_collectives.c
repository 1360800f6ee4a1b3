/* SPDX-License-Identifier: BSD-3-Clause */
/* S0-27, S0-30, R7, S0-84: a member dies before it enters the collective: every survivor of a non-rooted
 * one gets MPI_ERR_PROC_FAILED, of a rooted one success or that, nobody hangs; later collectives fail
 * too.  S0-28: nothing outside the output buffer is touched.  S0-29: some roots get their result, some
 * do not; both is right.  S0-15, S0-16 for the nonblocking forms. */
/* RUN: -n 2 ; args 1 ; expect "rank 0 ok" */
/* RUN: -n 5 ; args 0 ; expect "rank 1 ok" */
/* RUN: -n 5 ; args 2 ; expect "rank 1 ok" */
/* RUN: -n 5 ; args 4 ; expect "rank 1 ok" */
/* RUN: -n 8 ; args 3 ; expect "rank 1 ok" */
/* RUN: -n 5 ; set COLL_SHM=0 ; args 0 ; expect "rank 1 ok" */
/* RUN: -n 5 ; set COLL_SHM=0 ; args 3 ; expect "rank 1 ok" */
#include "../common.h"

#define N   2000
#define MAX 16

enum {
    BARRIER,
    BCAST,
    REDUCE,
    ALLREDUCE,
    SCAN,
    GATHER,
    SCATTER,
    ALLGATHER,
    ALLTOALL,
    REDSCAT,
    EXSCAN,
    GATHERV,
    SCATTERV,
    ALLGATHERV,
    ALLTOALLV,
    ALLTOALLW,
    REDSCATV,
    KINDS
};

static int in[N * MAX], out[N * MAX + 2];
static int counts[MAX], at[MAX], at_bytes[MAX];
static MPI_Datatype types[MAX];

static bool is_rooted(int kind)
{
    return kind == BCAST || kind == REDUCE || kind == GATHER || kind == SCATTER ||
           kind == GATHERV || kind == SCATTERV;
}

static int begin(int kind, int root, MPI_Comm c, MPI_Request *r)
{
    int *o = out + 1;

    switch (kind) {
    case BARRIER:
        return MPI_Ibarrier(c, r);
    case BCAST:
        return MPI_Ibcast(o, N, MPI_INT, root, c, r);
    case REDUCE:
        return MPI_Ireduce(in, o, N, MPI_INT, MPI_SUM, root, c, r);
    case ALLREDUCE:
        return MPI_Iallreduce(in, o, N, MPI_INT, MPI_SUM, c, r);
    case SCAN:
        return MPI_Iscan(in, o, N, MPI_INT, MPI_SUM, c, r);
    case GATHER:
        return MPI_Igather(in, N, MPI_INT, o, N, MPI_INT, root, c, r);
    case SCATTER:
        return MPI_Iscatter(in, N, MPI_INT, o, N, MPI_INT, root, c, r);
    case ALLGATHER:
        return MPI_Iallgather(in, N, MPI_INT, o, N, MPI_INT, c, r);
    case ALLTOALL:
        return MPI_Ialltoall(in, N, MPI_INT, o, N, MPI_INT, c, r);
    case EXSCAN:
        return MPI_Iexscan(in, o, N, MPI_INT, MPI_SUM, c, r);
    case GATHERV:
        return MPI_Igatherv(in, N, MPI_INT, o, counts, at, MPI_INT, root, c, r);
    case SCATTERV:
        return MPI_Iscatterv(in, counts, at, MPI_INT, o, N, MPI_INT, root, c, r);
    case ALLGATHERV:
        return MPI_Iallgatherv(in, N, MPI_INT, o, counts, at, MPI_INT, c, r);
    case ALLTOALLV:
        return MPI_Ialltoallv(in, counts, at, MPI_INT, o, counts, at, MPI_INT, c, r);
    case ALLTOALLW:
        return MPI_Ialltoallw(in, counts, at_bytes, types, o, counts, at_bytes, types, c, r);
    case REDSCATV:
        return MPI_Ireduce_scatter(in, o, counts, MPI_INT, MPI_SUM, c, r);
    default:
        return MPI_Ireduce_scatter_block(in, o, N, MPI_INT, MPI_SUM, c, r);
    }
}

static int call(int kind, int root, MPI_Comm c)
{
    int *o = out + 1;

    switch (kind) {
    case BARRIER:
        return MPI_Barrier(c);
    case BCAST:
        return MPI_Bcast(o, N, MPI_INT, root, c);
    case REDUCE:
        return MPI_Reduce(in, o, N, MPI_INT, MPI_SUM, root, c);
    case ALLREDUCE:
        return MPI_Allreduce(in, o, N, MPI_INT, MPI_SUM, c);
    case SCAN:
        return MPI_Scan(in, o, N, MPI_INT, MPI_SUM, c);
    case GATHER:
        return MPI_Gather(in, N, MPI_INT, o, N, MPI_INT, root, c);
    case SCATTER:
        return MPI_Scatter(in, N, MPI_INT, o, N, MPI_INT, root, c);
    case ALLGATHER:
        return MPI_Allgather(in, N, MPI_INT, o, N, MPI_INT, c);
    case ALLTOALL:
        return MPI_Alltoall(in, N, MPI_INT, o, N, MPI_INT, c);
    case EXSCAN:
        return MPI_Exscan(in, o, N, MPI_INT, MPI_SUM, c);
    case GATHERV:
        return MPI_Gatherv(in, N, MPI_INT, o, counts, at, MPI_INT, root, c);
    case SCATTERV:
        return MPI_Scatterv(in, counts, at, MPI_INT, o, N, MPI_INT, root, c);
    case ALLGATHERV:
        return MPI_Allgatherv(in, N, MPI_INT, o, counts, at, MPI_INT, c);
    case ALLTOALLV:
        return MPI_Alltoallv(in, counts, at, MPI_INT, o, counts, at, MPI_INT, c);
    case ALLTOALLW:
        return MPI_Alltoallw(in, counts, at_bytes, types, o, counts, at_bytes, types, c);
    case REDSCATV:
        return MPI_Reduce_scatter(in, o, counts, MPI_INT, MPI_SUM, c);
    default:
        return MPI_Reduce_scatter_block(in, o, N, MPI_INT, MPI_SUM, c);
    }
}

static void judge(int kind, int err)
{
    if (is_rooted(kind))
        CHECK(err == MPI_SUCCESS || class_of(err) == MPI_ERR_PROC_FAILED);
    else
        CHECK_EQ(class_of(err), MPI_ERR_PROC_FAILED);
    CHECK_EQ(out[0], 4711);
    CHECK_EQ(out[N * MAX + 1], 4712);
}

int main(int argc, char **argv)
{
    MPI_Comm c[2 * KINDS];
    MPI_Request r;
    int victim, root;

    start(&argc, &argv);
    victim = atoi(argv[1]);
    for (int i = 0; i < size; i++) {
        counts[i] = N;
        at[i] = i * N;
        at_bytes[i] = i * N * (int)sizeof(int);
        types[i] = MPI_INT;
    }
    out[0] = 4711;
    out[N * MAX + 1] = 4712;
    for (int i = 0; i < 2 * KINDS; i++)
        CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &c[i]), MPI_SUCCESS);
    if (rank == victim) {
        await(0, size - 1);
        die_now();
    }
    post(0);
    root = victim ? 0 : 1;
    for (int kind = 0; kind < KINDS; kind++) { /* the death comes during the first of these */
        judge(kind, call(kind, root, c[2 * kind]));
        CHECK_CLASS(MPI_Barrier(c[2 * kind]), MPI_ERR_PROC_FAILED);
        CHECK_EQ(begin(kind, root, c[2 * kind + 1], &r), MPI_SUCCESS);
        judge(kind, MPI_Wait(&r, MPI_STATUS_IGNORE));
        CHECK(r == MPI_REQUEST_NULL);
    }
    return finish();
}
