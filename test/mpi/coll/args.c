/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong arguments give the right class, nothing is sent, and the communicator goes on working.
 *
 * RUN: -n 2 */
#include "mpi/coll/common.h"

static int in[4], out[8];
static MPI_Comm comm;

static void reductions(void)
{
    MPI_Datatype two;

    CHECK_CLASS(MPI_Allreduce(in, out, -1, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Allreduce(in, out, 1, MPI_DATATYPE_NULL, MPI_SUM, comm), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Allreduce(in, out, 1, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP);
    CHECK_CLASS(MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_BAND, comm), MPI_ERR_OP);
    CHECK_CLASS(MPI_Allreduce(in, out, 1, MPI_INT, MPI_MAXLOC, comm), MPI_ERR_OP);
    CHECK_CLASS(MPI_Allreduce(in, out, 1, MPI_INT, MPI_REPLACE, comm), MPI_ERR_OP);
    CHECK_CLASS(MPI_Allreduce(in, NULL, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Allreduce(NULL, out, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Allreduce(in, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, 2, comm), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, -1, comm), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Reduce(MPI_IN_PLACE, out, 1, MPI_INT, MPI_SUM, !rank, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Scan(in, out, 1, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_scatter(in, out, NULL, MPI_INT, MPI_SUM, comm), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Reduce_scatter(in, out, (int[]){1, -1}, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT);
    MPI_Type_contiguous(2, MPI_INT, &two);
    CHECK_CLASS(MPI_Allreduce(in, out, 1, two, MPI_SUM, comm), MPI_ERR_TYPE); /* not committed */
    MPI_Type_commit(&two);
    CHECK_CLASS(MPI_Allreduce(in, out, 1, two, MPI_SUM, comm), MPI_ERR_OP);
    MPI_Type_free(&two);
}

static void movements(void)
{
    int counts[2] = {1, 1}, bad[2] = {1, -1}, displs[2] = {0, 1};

    CHECK_CLASS(MPI_Bcast(in, 1, MPI_INT, -3, comm), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Bcast(in, -1, MPI_INT, 0, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, 7, comm), MPI_ERR_ROOT);
    CHECK_CLASS(MPI_Gather(in, -1, MPI_INT, out, 1, MPI_INT, !rank, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Gather(in, 1, MPI_INT, out, -1, MPI_INT, rank, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, out, 1, MPI_INT, !rank, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Gatherv(in, 1, MPI_INT, out, bad, displs, MPI_INT, rank, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Gatherv(in, 1, MPI_INT, out, counts, NULL, MPI_INT, rank, comm), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Scatter(in, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, !rank, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Scatterv(in, NULL, displs, MPI_INT, out, 1, MPI_INT, rank, comm), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Allgather(in, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Allgather(in, 1, MPI_DATATYPE_NULL, out, 1, MPI_INT, comm), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Allgatherv(in, 1, MPI_INT, out, bad, displs, MPI_INT, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Alltoall(in, 1, MPI_INT, out, 1, (MPI_Datatype)12345678, comm), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Alltoallv(in, counts, NULL, MPI_INT, out, counts, displs, MPI_INT, comm),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Alltoallw(in, counts, displs, NULL, out, counts, displs, NULL, comm),
                MPI_ERR_ARG);
}

/* The buffers of a call must not overlap (MPI-5.0 6.1): where they certainly do it says so. */
static void aliases(void)
{
    int counts[2] = {1, 1}, low[2] = {0, 1}, high[2] = {2, 3}, both[4] = {rank, rank + 10, 7, 7};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};

    CHECK_CLASS(MPI_Allreduce(in, in, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Reduce(in, in, 1, MPI_INT, MPI_SUM, rank, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Scan(in, in, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Exscan(in, in, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Reduce_scatter(in, in, counts, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Reduce_scatter_block(in, in, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Gather(out, 1, MPI_INT, out, 1, MPI_INT, rank, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Gather(out + rank, 1, MPI_INT, out, 1, MPI_INT, rank, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Gatherv(out + rank, 1, MPI_INT, out, counts, low, MPI_INT, rank, comm),
                MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Scatter(out, 1, MPI_INT, out + rank, 1, MPI_INT, rank, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Scatterv(out, counts, low, MPI_INT, out + rank, 1, MPI_INT, rank, comm),
                MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Allgather(out + rank, 1, MPI_INT, out, 1, MPI_INT, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Allgatherv(out + rank, 1, MPI_INT, out, counts, low, MPI_INT, comm),
                MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Alltoall(out, 1, MPI_INT, out, 1, MPI_INT, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Alltoallv(out, counts, low, MPI_INT, out, counts, low, MPI_INT, comm),
                MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Alltoallw(out, counts, low, types, out, counts, low, types, comm),
                MPI_ERR_BUFFER);

    /* One array for both does not overlap. */
    CHECK_CLASS(MPI_Allreduce(in, in, 0, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    CHECK_CLASS(MPI_Alltoall(out, 0, MPI_INT, out, 0, MPI_INT, comm), MPI_SUCCESS);
    CHECK_CLASS(MPI_Alltoallv(both, counts, low, MPI_INT, both, counts, high, MPI_INT, comm),
                MPI_SUCCESS);
    CHECK(both[2] == 10 * rank && both[3] == 10 * rank + 1);
    low[0] = low[1] = high[0] = 0;
    high[0] = 8;
    high[1] = 12;
    CHECK_CLASS(MPI_Alltoallw(both, counts, low, types, both, counts, high, types, comm),
                MPI_SUCCESS);
    CHECK(both[2] == 0 && both[3] == 1);
    high[0] = 2;
    high[1] = 3;
    CHECK_CLASS(MPI_Allgatherv(both, 1, MPI_INT, both, counts, high, MPI_INT, comm), MPI_SUCCESS);
    CHECK(both[2] == 0 && both[3] == 1);
}

/* Products of counts, extents, displacements and ranks that no MPI_Count holds. */
static void too_many_to_reduce(MPI_Count beyond)
{
    MPI_Count shares[2] = {(MPI_Count)1 << 62, (MPI_Count)1 << 62};

    CHECK_CLASS(MPI_Allreduce_c(in, out, beyond, MPI_DOUBLE, MPI_SUM, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Reduce_c(in, out, beyond, MPI_DOUBLE, MPI_SUM, 0, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Scan_c(in, out, beyond, MPI_DOUBLE, MPI_SUM, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Exscan_c(in, out, beyond, MPI_DOUBLE, MPI_SUM, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Reduce_scatter_block_c(in, out, beyond / 2, MPI_DOUBLE, MPI_SUM, comm),
                MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Reduce_scatter_c(in, out, shares, MPI_INT8_T, MPI_SUM, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Reduce_scatter_c(MPI_IN_PLACE, out, shares, MPI_INT8_T, MPI_SUM, comm),
                MPI_ERR_COUNT);
}

static void too_many_to_move(MPI_Count beyond)
{
    MPI_Count half = beyond / 2, counts[2] = {1, beyond}, ones[2] = {1, 1};
    MPI_Aint displs[2] = {0, 1}, far[2] = {0, (MPI_Aint)beyond}; /* of doubles: 8 bytes on */
    MPI_Aint distant[2] = {0, INT64_MAX - 3};
    MPI_Datatype types[2] = {MPI_DOUBLE, MPI_DOUBLE}, d = MPI_DOUBLE;

    CHECK_CLASS(MPI_Bcast_c(in, beyond, d, 0, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Gather_c(in, half, d, out, half, d, 0, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Scatter_c(in, half, d, out, half, d, 0, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Allgather_c(in, half, d, out, half, d, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Alltoall_c(in, half, d, out, half, d, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Gatherv_c(in, 1, d, out, counts, displs, d, rank, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Gatherv_c(in, 1, d, out, ones, far, d, rank, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Scatterv_c(in, ones, far, d, out, 1, d, rank, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Allgatherv_c(in, 1, d, out, ones, far, d, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Alltoallv_c(in, counts, displs, d, out, ones, displs, d, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Alltoallv_c(in, ones, displs, d, out, ones, far, d, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Alltoallw_c(in, ones, displs, types, out, counts, displs, types, comm),
                MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Alltoallw_c(in, ones, displs, types, out, ones, distant, types, comm),
                MPI_ERR_COUNT);
}

static void too_many(void)
{
    int two = 2, ring = 1;
    MPI_Comm cart;
    MPI_Count beyond = ((MPI_Count)1 << 61) + 1; /* times 8 is 8 */

    too_many_to_reduce(beyond);
    too_many_to_move(beyond);
    MPI_Cart_create(comm, 1, &two, &ring, 0, &cart);
    CHECK_CLASS(MPI_Neighbor_allgather_c(in, 1, MPI_DOUBLE, out, beyond / 2, MPI_DOUBLE, cart),
                MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Neighbor_alltoall_c(in, beyond / 2, MPI_DOUBLE, out, 1, MPI_DOUBLE, cart),
                MPI_ERR_COUNT);
    MPI_Comm_free(&cart);
}

static void later_forms(void)
{
    MPI_Request q = (MPI_Request)77;

    CHECK_CLASS(MPI_Ibcast(in, 1, MPI_INT, 9, comm, &q), MPI_ERR_ROOT);
    CHECK(q == (MPI_Request)77);
    CHECK_CLASS(MPI_Ibarrier(comm, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Barrier_init(comm, (MPI_Info)99, &q), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Barrier_init(comm, MPI_INFO_NULL, &q), MPI_SUCCESS);
    MPI_Start(&q);
    CHECK_CLASS(MPI_Start(&q), MPI_ERR_REQUEST);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    MPI_Request_free(&q);
}

/* What a collective under way is asked for by MPI_Request_free and MPI_Cancel (MPI-5.0 6.12): both are refused by the
 * error handler of its communicator, and it goes on. */
static MPI_Comm own;
static int refusals;

static void on_refusal(MPI_Comm *c, int *code, ...)
{
    refusals += *c == own && *code == MPI_ERR_REQUEST;
}

static void refuse_to_part(MPI_Request *q)
{
    const MPI_Request same = *q;

    refusals = 0;
    CHECK_CLASS(MPI_Request_free(q), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Cancel(q), MPI_ERR_REQUEST);
    CHECK_EQ(refusals, 2);
    CHECK(*q == same);
}

static void under_way(void)
{
    MPI_Errhandler handler;
    MPI_Request q;
    int sum;

    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    MPI_Comm_create_errhandler(on_refusal, &handler);
    MPI_Comm_set_errhandler(own, handler);
    EACH_FORM(form)
    {
        if (form == BLOCKING)
            continue;
        sum = 0;
        if (form == NONBLOCKING)
            MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, own, &q);
        else
            MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, own, MPI_INFO_NULL, &q);
        if (form == PERSISTENT)
            MPI_Start(&q);
        refuse_to_part(&q);
        CHECK_OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
        CHECK_EQ(sum, 1);
        if (form == PERSISTENT)
            CHECK_OK(MPI_Request_free(&q));
    }
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&own);
}

/* Ranks that disagree about the length are told, and nothing is written behind the shorter
 * buffer. */
static void lengths_differ(void)
{
    int v[40];

    memset(v, 0x11, sizeof v);
    if (rank == 0)
        CHECK_CLASS(MPI_Bcast(v, 8, MPI_INT, 0, comm), MPI_SUCCESS);
    else
        CHECK_CLASS(MPI_Bcast(v, 4, MPI_INT, 0, comm), MPI_ERR_TRUNCATE);
    for (int i = 4; i < 40; i++)
        CHECK(v[i] == 0x11111111);
}

int main(int argc, char **argv)
{
    int one = 1, sum;

    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    comm = MPI_COMM_WORLD;
    reductions();
    movements();
    aliases();
    too_many();
    later_forms();
    under_way();
    CHECK_CLASS(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    CHECK(sum == size);
    lengths_differ();
    CHECK_CLASS(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    CHECK(sum == size);
    return finish();
}
