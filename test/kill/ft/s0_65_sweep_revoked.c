/* SPDX-License-Identifier: BSD-3-Clause */
/* S0-65, S0-66, S0-67, S0-58, R1: rank 0 revokes, and every non-local call that this library has
 * returns MPI_ERR_INVALIDATED without any other process: all others sleep outside MPI, or are dead.
 * Nonblocking and persistent starts succeed and their completion reports it; local calls work.
 * S0-69, S0-70: the communicator can be freed, also then.
 *
 * RUN: -n 3 ; args asleep ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 ; args dead ; expect "rank 0 ok"
 * RUN: -n 1 ; args asleep ; expect "rank 0 ok" */
#include "../common.h"

#define I MPI_ERR_INVALIDATED

static MPI_Comm c, ring;

static void check_completion(int started, MPI_Request *r)
{
    CHECK_EQ(started, MPI_SUCCESS);
    CHECK_CLASS(MPI_Wait(r, MPI_STATUS_IGNORE), I);
    CHECK(*r == MPI_REQUEST_NULL);
}

/* A persistent request can be started again and again. */
static void check_persistent(int made, MPI_Request *r)
{
    CHECK_EQ(made, MPI_SUCCESS);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(MPI_Start(r), MPI_SUCCESS);
        CHECK_CLASS(MPI_Wait(r, MPI_STATUS_IGNORE), I);
        CHECK(*r != MPI_REQUEST_NULL);
    }
    CHECK_EQ(MPI_Request_free(r), MPI_SUCCESS);
}

static int v[64], w[64];

static void point_to_point(int peer)
{
    MPI_Message m;
    int flag;

    CHECK_CLASS(MPI_Send(v, 1, MPI_INT, peer, 0, c), I);
    CHECK_CLASS(MPI_Ssend(v, 1, MPI_INT, peer, 0, c), I);
    CHECK_CLASS(MPI_Rsend(v, 1, MPI_INT, peer, 0, c), I);
    CHECK_CLASS(MPI_Bsend(v, 1, MPI_INT, peer, 0, c), I);
    CHECK_CLASS(MPI_Recv(v, 1, MPI_INT, peer, 0, c, MPI_STATUS_IGNORE), I);
    CHECK_CLASS(MPI_Sendrecv(v, 1, MPI_INT, peer, 0, w, 1, MPI_INT, peer, 0, c, MPI_STATUS_IGNORE),
                I);
    CHECK_CLASS(MPI_Sendrecv_replace(v, 1, MPI_INT, peer, 0, peer, 0, c, MPI_STATUS_IGNORE), I);
    CHECK_CLASS(MPI_Probe(peer, 0, c, MPI_STATUS_IGNORE), I);
    CHECK_CLASS(MPI_Iprobe(peer, 0, c, &flag, MPI_STATUS_IGNORE), I);
    CHECK_CLASS(MPI_Mprobe(peer, 0, c, &m, MPI_STATUS_IGNORE), I);
    CHECK_CLASS(MPI_Improbe(peer, 0, c, &flag, &m, MPI_STATUS_IGNORE), I);
}

static void point_to_point_started(int peer)
{
    MPI_Request r;

    check_completion(MPI_Isend(v, 1, MPI_INT, peer, 0, c, &r), &r);
    check_completion(MPI_Issend(v, 1, MPI_INT, peer, 0, c, &r), &r);
    check_completion(MPI_Irsend(v, 1, MPI_INT, peer, 0, c, &r), &r);
    check_completion(MPI_Ibsend(v, 1, MPI_INT, peer, 0, c, &r), &r);
    check_completion(MPI_Irecv(v, 1, MPI_INT, peer, 0, c, &r), &r);
    check_completion(MPI_Isendrecv(v, 1, MPI_INT, peer, 0, w, 1, MPI_INT, peer, 0, c, &r), &r);
    check_completion(MPI_Isendrecv_replace(v, 1, MPI_INT, peer, 0, peer, 0, c, &r), &r);
    check_persistent(MPI_Send_init(v, 1, MPI_INT, peer, 0, c, &r), &r);
    check_persistent(MPI_Ssend_init(v, 1, MPI_INT, peer, 0, c, &r), &r);
    check_persistent(MPI_Rsend_init(v, 1, MPI_INT, peer, 0, c, &r), &r);
    check_persistent(MPI_Bsend_init(v, 1, MPI_INT, peer, 0, c, &r), &r);
    check_persistent(MPI_Recv_init(v, 1, MPI_INT, peer, 0, c, &r), &r);
}

static int ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, places[8] = {0, 1, 2, 3, 4, 5, 6, 7};
static MPI_Datatype types[8];

static void collectives(void)
{
    CHECK_CLASS(MPI_Barrier(c), I);
    CHECK_CLASS(MPI_Bcast(v, 1, MPI_INT, 0, c), I);
    CHECK_CLASS(MPI_Reduce(v, w, 1, MPI_INT, MPI_SUM, 0, c), I);
    CHECK_CLASS(MPI_Allreduce(v, w, 1, MPI_INT, MPI_SUM, c), I);
    CHECK_CLASS(MPI_Scan(v, w, 1, MPI_INT, MPI_SUM, c), I);
    CHECK_CLASS(MPI_Exscan(v, w, 1, MPI_INT, MPI_SUM, c), I);
    CHECK_CLASS(MPI_Gather(v, 1, MPI_INT, w, 1, MPI_INT, 0, c), I);
    CHECK_CLASS(MPI_Gatherv(v, 1, MPI_INT, w, ones, places, MPI_INT, 0, c), I);
    CHECK_CLASS(MPI_Scatter(v, 1, MPI_INT, w, 1, MPI_INT, 0, c), I);
    CHECK_CLASS(MPI_Scatterv(v, ones, places, MPI_INT, w, 1, MPI_INT, 0, c), I);
    CHECK_CLASS(MPI_Allgather(v, 1, MPI_INT, w, 1, MPI_INT, c), I);
    CHECK_CLASS(MPI_Allgatherv(v, 1, MPI_INT, w, ones, places, MPI_INT, c), I);
    CHECK_CLASS(MPI_Alltoall(v, 1, MPI_INT, w, 1, MPI_INT, c), I);
    CHECK_CLASS(MPI_Alltoallv(v, ones, places, MPI_INT, w, ones, places, MPI_INT, c), I);
    CHECK_CLASS(MPI_Alltoallw(v, ones, places, types, w, ones, places, types, c), I);
    CHECK_CLASS(MPI_Reduce_scatter(v, w, ones, MPI_INT, MPI_SUM, c), I);
    CHECK_CLASS(MPI_Reduce_scatter_block(v, w, 1, MPI_INT, MPI_SUM, c), I);
}

static void collectives_started(void)
{
    MPI_Info none = MPI_INFO_NULL;
    MPI_Request r;

    check_completion(MPI_Ibarrier(c, &r), &r);
    check_completion(MPI_Ibcast(v, 1, MPI_INT, 0, c, &r), &r);
    check_completion(MPI_Ireduce(v, w, 1, MPI_INT, MPI_SUM, 0, c, &r), &r);
    check_completion(MPI_Iallreduce(v, w, 1, MPI_INT, MPI_SUM, c, &r), &r);
    check_completion(MPI_Iscan(v, w, 1, MPI_INT, MPI_SUM, c, &r), &r);
    check_completion(MPI_Iexscan(v, w, 1, MPI_INT, MPI_SUM, c, &r), &r);
    check_completion(MPI_Igather(v, 1, MPI_INT, w, 1, MPI_INT, 0, c, &r), &r);
    check_completion(MPI_Igatherv(v, 1, MPI_INT, w, ones, places, MPI_INT, 0, c, &r), &r);
    check_completion(MPI_Iscatter(v, 1, MPI_INT, w, 1, MPI_INT, 0, c, &r), &r);
    check_completion(MPI_Iscatterv(v, ones, places, MPI_INT, w, 1, MPI_INT, 0, c, &r), &r);
    check_completion(MPI_Iallgather(v, 1, MPI_INT, w, 1, MPI_INT, c, &r), &r);
    check_completion(MPI_Iallgatherv(v, 1, MPI_INT, w, ones, places, MPI_INT, c, &r), &r);
    check_completion(MPI_Ialltoall(v, 1, MPI_INT, w, 1, MPI_INT, c, &r), &r);
    check_completion(MPI_Ialltoallv(v, ones, places, MPI_INT, w, ones, places, MPI_INT, c, &r), &r);
    check_completion(MPI_Ialltoallw(v, ones, places, types, w, ones, places, types, c, &r), &r);
    check_completion(MPI_Ireduce_scatter(v, w, ones, MPI_INT, MPI_SUM, c, &r), &r);
    check_completion(MPI_Ireduce_scatter_block(v, w, 1, MPI_INT, MPI_SUM, c, &r), &r);
    check_persistent(MPI_Barrier_init(c, none, &r), &r);
    check_persistent(MPI_Bcast_init(v, 1, MPI_INT, 0, c, none, &r), &r);
    check_persistent(MPI_Allreduce_init(v, w, 1, MPI_INT, MPI_SUM, c, none, &r), &r);
    check_persistent(MPI_Gather_init(v, 1, MPI_INT, w, 1, MPI_INT, 0, c, none, &r), &r);
    check_persistent(MPI_Alltoall_init(v, 1, MPI_INT, w, 1, MPI_INT, c, none, &r), &r);
}

/* On another communicator, with a topology, that is revoked as well. */
static void neighbors(void)
{
    MPI_Comm saved = c;
    MPI_Request r;

    c = ring;
    CHECK_CLASS(MPI_Neighbor_allgather(v, 1, MPI_INT, w, 1, MPI_INT, c), I);
    CHECK_CLASS(MPI_Neighbor_allgatherv(v, 1, MPI_INT, w, ones, places, MPI_INT, c), I);
    CHECK_CLASS(MPI_Neighbor_alltoall(v, 1, MPI_INT, w, 1, MPI_INT, c), I);
    CHECK_CLASS(MPI_Neighbor_alltoallv(v, ones, places, MPI_INT, w, ones, places, MPI_INT, c), I);
    check_completion(MPI_Ineighbor_allgather(v, 1, MPI_INT, w, 1, MPI_INT, c, &r), &r);
    check_completion(MPI_Ineighbor_alltoall(v, 1, MPI_INT, w, 1, MPI_INT, c, &r), &r);
    c = saved;
}

static void creation(void)
{
    int one = 1, zero = 0;
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group g;
    MPI_Request r;

    MPI_Comm_group(c, &g);
    CHECK_CLASS(MPI_Comm_dup(c, &made), I);
    CHECK_CLASS(MPI_Comm_dup_with_info(c, MPI_INFO_NULL, &made), I);
    CHECK_CLASS(MPI_Comm_split(c, 0, 0, &made), I);
    CHECK_CLASS(MPI_Comm_split_type(c, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made), I);
    CHECK_CLASS(MPI_Comm_create(c, g, &made), I);
    CHECK_CLASS(MPI_Comm_create_group(c, g, 0, &made), I);
    CHECK_CLASS(MPI_Cart_create(c, 1, &size, &one, 0, &made), I);
    CHECK_CLASS(
        MPI_Dist_graph_create(c, 1, &rank, &one, &zero, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
        I);
    CHECK_CLASS(MPI_Dist_graph_create_adjacent(c, 1, &zero, MPI_UNWEIGHTED, 1, &zero,
                                               MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
                I);
    if (size > 1)
        CHECK_CLASS(MPI_Intercomm_create(MPI_COMM_SELF, 0, c, 1, 0, &made), I);
    CHECK_CLASS(MPI_Intercomm_create(c, 0, MPI_COMM_WORLD, size - 1, 0, &made), I);
    check_completion(MPI_Comm_idup(c, &made, &r), &r);
    check_completion(MPI_Comm_idup_with_info(c, MPI_INFO_NULL, &made, &r), &r);
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

static void sweep(bool dead)
{
    void *buffer;

    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    for (int r = 1; dead && r < size; r++)
        wait_until_dead(MPI_COMM_WORLD, r);
    CHECK_EQ(MPI_Comm_invalidate(c), MPI_SUCCESS); /* S0-58 */
    CHECK_EQ(MPI_Comm_invalidate(ring), MPI_SUCCESS);
    point_to_point(size - 1);
    point_to_point_started(size - 1);
    point_to_point(MPI_PROC_NULL);
    point_to_point_started(MPI_PROC_NULL);
    collectives();
    collectives_started();
    neighbors();
    creation();
    if (!dead)
        local_calls();
    MPI_Buffer_detach(&buffer, &v[0]);
}

int main(int argc, char **argv)
{
    int one = 1;
    bool dead;

    start(&argc, &argv);
    dead = !strcmp(argv[1], "dead");
    for (int i = 0; i < 8; i++)
        types[i] = MPI_INT;
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &c), MPI_SUCCESS);
    CHECK_EQ(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &one, 0, &ring), MPI_SUCCESS);
    MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
    post(1);
    await(1, size);
    if (rank != 0 && dead)
        die_now();
    if (rank == 0) {
        sweep(dead);
        post(0);
    }
    await(0, 1); /* the others are outside MPI all the while */
    CHECK_EQ(MPI_Comm_free(&c), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&ring), MPI_SUCCESS);
    CHECK(c == MPI_COMM_NULL && ring == MPI_COMM_NULL);
    return finish();
}
