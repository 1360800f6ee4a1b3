/* SPDX-License-Identifier: BSD-3-Clause */
/* Each allocation fails in turn (scarce.h), in collectives: blocking, nonblocking and persistent ones, of few bytes
 * and of many.  A member without memory takes its part in the messages all the same: each member gets its result or
 * MPI_ERR_NO_MEM, none waits for another, and the next collectives on the communicator are not affected.
 *
 * RUN: -n 3 ; set MEMORY_FAULTS=1 ; expect "rank 0 ok" ; expect "rank 2 ok" ; time 120
 * RUN: -n 3 ; set MEMORY_FAULTS=1 ; set COLL_SHM=0 ; expect "rank 0 ok" ; expect "rank 2 ok" ; time 120 */
#include "scarce.h"

#define RANKS 3
#define SMALL 10
#define LARGE 30000

static MPI_Comm ring = MPI_COMM_NULL;
static int out[RANKS * LARGE], in[RANKS * LARGE];
static int counts[RANKS], displs[RANKS];
static MPI_Datatype types[RANKS];
static int bytes_at[RANKS];

enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

static enum form form;
static int n;
static MPI_Request request;

/* The three forms of a collective. */
#define COLLECTIVE(name_, call_, icall_, init_, ...)                                               \
    static int name_(void)                                                                         \
    {                                                                                              \
        return form == BLOCKING      ? call_(__VA_ARGS__)                                          \
               : form == NONBLOCKING ? icall_(__VA_ARGS__, &request)                               \
                                     : init_(__VA_ARGS__, MPI_INFO_NULL, &request);                \
    }

COLLECTIVE(barrier, MPI_Barrier, MPI_Ibarrier, MPI_Barrier_init, ring)
COLLECTIVE(bcast, MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, in, n, MPI_INT, 1, ring)
COLLECTIVE(gather, MPI_Gather, MPI_Igather, MPI_Gather_init, out, n, MPI_INT, in, n, MPI_INT, 1,
           ring)
COLLECTIVE(gatherv, MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init, out, n, MPI_INT, in, counts,
           displs, MPI_INT, 1, ring)
COLLECTIVE(scatter, MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, out, n, MPI_INT, in, n, MPI_INT, 1,
           ring)
COLLECTIVE(scatterv, MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, out, counts, displs, MPI_INT,
           in, n, MPI_INT, 1, ring)
COLLECTIVE(allgather, MPI_Allgather, MPI_Iallgather, MPI_Allgather_init, out, n, MPI_INT, in, n,
           MPI_INT, ring)
COLLECTIVE(allgatherv, MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init, out, n, MPI_INT, in,
           counts, displs, MPI_INT, ring)
COLLECTIVE(alltoall, MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init, out, n, MPI_INT, in, n,
           MPI_INT, ring)
COLLECTIVE(alltoallv, MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init, out, counts, displs,
           MPI_INT, in, counts, displs, MPI_INT, ring)
COLLECTIVE(alltoallw, MPI_Alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init, out, counts, bytes_at,
           types, in, counts, bytes_at, types, ring)
COLLECTIVE(in_place, MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init, MPI_IN_PLACE, 0, MPI_INT, in,
           n, MPI_INT, ring)
COLLECTIVE(reduce, MPI_Reduce, MPI_Ireduce, MPI_Reduce_init, out, in, n, MPI_INT, MPI_SUM, 1, ring)
COLLECTIVE(allreduce, MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, out, in, n, MPI_INT,
           MPI_SUM, ring)
COLLECTIVE(reduce_scatter, MPI_Reduce_scatter, MPI_Ireduce_scatter, MPI_Reduce_scatter_init, out,
           in, counts, MPI_INT, MPI_SUM, ring)
COLLECTIVE(reduce_scatter_block, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block,
           MPI_Reduce_scatter_block_init, out, in, n, MPI_INT, MPI_SUM, ring)
COLLECTIVE(scan, MPI_Scan, MPI_Iscan, MPI_Scan_init, out, in, n, MPI_INT, MPI_SUM, ring)
COLLECTIVE(exscan, MPI_Exscan, MPI_Iexscan, MPI_Exscan_init, out, in, n, MPI_INT, MPI_SUM, ring)
COLLECTIVE(neighbor_allgather, MPI_Neighbor_allgather, MPI_Ineighbor_allgather,
           MPI_Neighbor_allgather_init, out, n, MPI_INT, in, n, MPI_INT, ring)
COLLECTIVE(neighbor_alltoall, MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall,
           MPI_Neighbor_alltoall_init, out, n, MPI_INT, in, n, MPI_INT, ring)

static const struct {
    const char *name;
    int (*call)(void);
} collectives[] = {
    {"MPI_Barrier", barrier},
    {"MPI_Bcast", bcast},
    {"MPI_Gather", gather},
    {"MPI_Gatherv", gatherv},
    {"MPI_Scatter", scatter},
    {"MPI_Scatterv", scatterv},
    {"MPI_Allgather", allgather},
    {"MPI_Allgatherv", allgatherv},
    {"MPI_Alltoall", alltoall},
    {"MPI_Alltoallv", alltoallv},
    {"MPI_Alltoallw", alltoallw},
    {"MPI_Alltoall in place", in_place},
    {"MPI_Reduce", reduce},
    {"MPI_Allreduce", allreduce},
    {"MPI_Reduce_scatter", reduce_scatter},
    {"MPI_Reduce_scatter_block", reduce_scatter_block},
    {"MPI_Scan", scan},
    {"MPI_Exscan", exscan},
    {"MPI_Neighbor_allgather", neighbor_allgather},
    {"MPI_Neighbor_alltoall", neighbor_alltoall},
};

static int (*collective)(void);

static void new_ring(void)
{
    if (ring != MPI_COMM_NULL)
        CHECK_EQ(MPI_Comm_free(&ring), MPI_SUCCESS);
    CHECK_EQ(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){size}, (int[]){1}, 0, &ring), MPI_SUCCESS);
    memset(in, 0, sizeof(in));
    for (int i = 0; i < size; i++) {
        counts[i] = n;
        displs[i] = i * n;
        bytes_at[i] = i * n * (int)sizeof(int);
        types[i] = MPI_INT;
    }
}

static void check_result(void)
{
    if (collective == allreduce)
        for (int i = 0; i < n; i++)
            CHECK_EQ(in[i], size * (i + 1));
    if (collective == allgather)
        for (int i = 0; i < size * n; i++)
            CHECK_EQ(in[i], i % n + 1);
}

/* Twice where it can be: the second one finds what the first one has made, or not, and all members make both. */
static int carry_out(void)
{
    int err = collective();

    for (int i = 0; form == PERSISTENT && i < 2; i++) {
        CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
        err = MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (form == NONBLOCKING)
        err = MPI_Wait(&request, MPI_STATUS_IGNORE);
    return err;
}

/* Messages, and the forms in shared memory where they are used. */
static void check_later_ones(void)
{
    int all[RANKS], from_1 = rank == 1 ? 4711 : 0;

    CHECK_EQ(MPI_Ibcast(&from_1, 1, MPI_INT, 1, ring, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(from_1, 4711);
    CHECK_EQ(MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, ring), MPI_SUCCESS);
    for (int i = 0; i < size; i++)
        CHECK_EQ(all[i], i);
}

static int call(void)
{
    int class;

    request = MPI_REQUEST_NULL;
    class = class_of(carry_out());
    enough();
    if (request != MPI_REQUEST_NULL)
        CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    if (class == MPI_SUCCESS)
        check_result();
    check_later_ones();
    return class;
}

static void sweep_forms(const char *name)
{
    static const char *const names[FORMS] = {"blocking", "nonblocking", "persistent"};
    char text[100];

    for (form = BLOCKING; form < FORMS; form++)
        for (int large = 0; large < 2; large++) {
            n = large ? LARGE : SMALL;
            snprintf(text, sizeof(text), "%s, %s, %d integers", name, names[form], n);
            sweep(&(struct scarce){text, call, NULL, LOCAL | TOLD | SPARE, new_ring});
        }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    CHECK_EQ(size, RANKS);
    for (int i = 0; i < size * LARGE; i++)
        out[i] = i + 1;
    for (int i = 0; i < 4200;
         i++) { /* the table of contexts that are gone does not grow any more */
        MPI_Comm c;

        CHECK_EQ(MPI_Comm_dup(MPI_COMM_SELF, &c), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_free(&c), MPI_SUCCESS);
    }
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        if (argc < 2 || !strcmp(argv[1], collectives[i].name)) {
            collective = collectives[i].call;
            sweep_forms(collectives[i].name);
        }
    CHECK_EQ(MPI_Comm_free(&ring), MPI_SUCCESS);
    return finish();
}
