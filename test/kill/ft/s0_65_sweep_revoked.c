/* SPDX-License-Identifier: BSD-3-Clause */
/* S0-65, S0-66, S0-67, R1: on a revoked communicator every non-local call returns MPI_ERR_INVALIDATED
 * without any other process (all others sleep outside MPI); nonblocking starts succeed and their
 * completion reports it; local calls work.  S0-69, S0-70: it can be freed. */
/* RUN: -n 3 ; expect "rank 0 ok" */
#include "../common.h"

#define I MPI_ERR_INVALIDATED

static MPI_Comm c;

static void check_completion(int started, MPI_Request *r)
{
    CHECK_EQ(started, MPI_SUCCESS);
    CHECK_CLASS(MPI_Wait(r, MPI_STATUS_IGNORE), I);
    CHECK(*r == MPI_REQUEST_NULL);
}

static void point_to_point(int peer)
{
    MPI_Message m;
    MPI_Request r;
    int v[4] = {0}, w[4], flag;

    CHECK_CLASS(MPI_Send(v, 1, MPI_INT, peer, 0, c), I);
    CHECK_CLASS(MPI_Ssend(v, 1, MPI_INT, peer, 0, c), I);
    CHECK_CLASS(MPI_Rsend(v, 1, MPI_INT, peer, 0, c), I);
    CHECK_CLASS(MPI_Recv(v, 1, MPI_INT, peer, 0, c, MPI_STATUS_IGNORE), I);
    CHECK_CLASS(MPI_Sendrecv(v, 1, MPI_INT, peer, 0, w, 1, MPI_INT, peer, 0, c, MPI_STATUS_IGNORE),
                I);
    CHECK_CLASS(MPI_Probe(peer, 0, c, MPI_STATUS_IGNORE), I);
    CHECK_CLASS(MPI_Iprobe(peer, 0, c, &flag, MPI_STATUS_IGNORE), I);
    CHECK_CLASS(MPI_Mprobe(peer, 0, c, &m, MPI_STATUS_IGNORE), I);
    check_completion(MPI_Isend(v, 1, MPI_INT, peer, 0, c, &r), &r);
    check_completion(MPI_Issend(v, 1, MPI_INT, peer, 0, c, &r), &r);
    check_completion(MPI_Irecv(v, 1, MPI_INT, peer, 0, c, &r), &r);
}

static void collectives(void)
{
    MPI_Request r;
    int v[8] = {0}, w[8];

    CHECK_CLASS(MPI_Barrier(c), I);
    CHECK_CLASS(MPI_Bcast(v, 1, MPI_INT, 0, c), I);
    CHECK_CLASS(MPI_Reduce(v, w, 1, MPI_INT, MPI_SUM, 0, c), I);
    CHECK_CLASS(MPI_Allreduce(v, w, 1, MPI_INT, MPI_SUM, c), I);
    CHECK_CLASS(MPI_Scan(v, w, 1, MPI_INT, MPI_SUM, c), I);
    CHECK_CLASS(MPI_Gather(v, 1, MPI_INT, w, 1, MPI_INT, 0, c), I);
    CHECK_CLASS(MPI_Scatter(v, 1, MPI_INT, w, 1, MPI_INT, 0, c), I);
    CHECK_CLASS(MPI_Allgather(v, 1, MPI_INT, w, 1, MPI_INT, c), I);
    CHECK_CLASS(MPI_Alltoall(v, 1, MPI_INT, w, 1, MPI_INT, c), I);
    CHECK_CLASS(MPI_Reduce_scatter_block(v, w, 1, MPI_INT, MPI_SUM, c), I);
    check_completion(MPI_Ibarrier(c, &r), &r);
    check_completion(MPI_Iallreduce(v, w, 1, MPI_INT, MPI_SUM, c, &r), &r);
    check_completion(MPI_Ibcast(v, 1, MPI_INT, 0, c, &r), &r);
}

static void creation(void)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group g;
    MPI_Request r;

    MPI_Comm_group(c, &g);
    CHECK_CLASS(MPI_Comm_dup(c, &made), I);
    CHECK_CLASS(MPI_Comm_split(c, 0, 0, &made), I);
    CHECK_CLASS(MPI_Comm_create(c, g, &made), I);
    CHECK_CLASS(MPI_Comm_create_group(c, g, 0, &made), I);
    check_completion(MPI_Comm_idup(c, &made, &r), &r);
    MPI_Group_free(&g);
}

static void local_calls(void)
{
    MPI_Group g;
    MPI_Errhandler e;
    char name[MPI_MAX_OBJECT_NAME];
    int n, flag, *ub;

    CHECK_EQ(MPI_Comm_rank(c, &n), MPI_SUCCESS);
    CHECK_EQ(n, rank);
    CHECK_EQ(MPI_Comm_size(c, &n), MPI_SUCCESS);
    CHECK_EQ(n, size);
    CHECK_EQ(MPI_Comm_get_name(c, name, &n), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_name(c, "revoked"), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_get_attr(c, MPI_TAG_UB, &ub, &flag), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_get_errhandler(c, &e), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(c, e), MPI_SUCCESS);
    MPI_Errhandler_free(&e);
    CHECK_EQ(MPI_Comm_compare(c, MPI_COMM_WORLD, &n), MPI_SUCCESS);
    CHECK_EQ(n, MPI_CONGRUENT);
    CHECK_EQ(MPI_Comm_failure_ack(c), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_failure_get_acked(c, &g), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_size(g, &n), MPI_SUCCESS);
    CHECK_EQ(n, 0);
    MPI_Group_free(&g);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &c), MPI_SUCCESS);
    if (rank == 0) {
        MPI_Comm_invalidate(c);
        point_to_point(1);
        point_to_point(MPI_PROC_NULL);
        collectives();
        creation();
        local_calls();
        post(0);
    }
    await(0, 1); /* the others are outside MPI all the while */
    CHECK_EQ(MPI_Comm_free(&c), MPI_SUCCESS);
    CHECK(c == MPI_COMM_NULL);
    return finish();
}
