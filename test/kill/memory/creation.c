/* SPDX-License-Identifier: BSD-3-Clause */
/* Each allocation fails in turn (scarce.h), in the calls that create communicators or agree: all members
 * get the communicator, or all get MPI_ERR_NO_MEM (S2-5: creation is uniform).
 *
 *   S2-5: creation is uniform: at all survivors or at none
 *
 * RUN: -n 3 ; set MEMORY_FAULTS=1 ; expect "rank 0 ok" ; expect "rank 2 ok" ; time 60
 * RUN: -n 3 ; set MEMORY_FAULTS=1 ; set AGREE_SHM=0 ; set COLL_SHM=0 ; expect "rank 0 ok" ;
 *      expect "rank 2 ok" ; time 60
 * RUN: -n 3 ; set MEMORY_FAULTS=1 ; set COLL_SHM=0 ; set REVOKE_SHM=0 ; expect "rank 0 ok" ;
 *      expect "rank 2 ok" ; time 60 */
#include "scarce.h"

static MPI_Comm made, local, inter;
static MPI_Group group;

static void drop(void)
{
    if (made != MPI_COMM_NULL)
        CHECK_EQ(MPI_Comm_free(&made), MPI_SUCCESS);
}

static int duplicate(void)
{
    return MPI_Comm_dup(MPI_COMM_WORLD, &made);
}

static int idup(void)
{
    MPI_Request r;
    int err = MPI_Comm_idup(MPI_COMM_WORLD, &made, &r);

    return err ? err : MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static int split(void)
{
    return MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &made);
}

static int create(void)
{
    return MPI_Comm_create(MPI_COMM_WORLD, group, &made);
}

static int create_group(void)
{
    return MPI_Comm_create_group(MPI_COMM_WORLD, group, 7, &made);
}

static int from_group(void)
{
    return MPI_Comm_create_from_group(group, "scarce", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made);
}

static int cart(void)
{
    return MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){size}, (int[]){1}, 0, &made);
}

static int graph(void)
{
    return MPI_Graph_create(MPI_COMM_WORLD, 2, (int[]){1, 2}, (int[]){1, 0}, 0, &made);
}

static int dist_graph(void)
{
    int next = (rank + 1) % size;

    return MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, (int[]){1}, &next, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &made);
}

static int adjacent(void)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size;

    return MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next,
                                          MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
}

static int intercomm(void)
{
    return MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 3, &made);
}

static int merge(void)
{
    return MPI_Intercomm_merge(inter, rank == 0, &made);
}

static int shrink(void)
{
    return MPIX_Comm_shrink(MPI_COMM_WORLD, &made);
}

static int ishrink(void)
{
    MPI_Request r;
    int err = MPIX_Comm_ishrink(MPI_COMM_WORLD, &made, &r);

    return err ? err : MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static int agree(void)
{
    int flag = 1;

    return MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
}

static int iagree(void)
{
    int flag = 1;
    MPI_Request r;
    int err = MPIX_Comm_iagree(MPI_COMM_WORLD, &flag, &r);

    return err ? err : MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static int free_group(int err, MPI_Group failed)
{
    if (!err && failed != MPI_GROUP_EMPTY)
        CHECK_EQ(MPI_Group_free(&failed), MPI_SUCCESS);
    return err;
}

static int agree_failed(void)
{
    MPI_Group failed;
    int err = MPIX_Comm_agree_failed(MPI_COMM_WORLD, &failed);

    return free_group(err, failed);
}

static int iagree_failed(void)
{
    MPI_Group failed;
    MPI_Request r;
    int err = MPIX_Comm_iagree_failed(MPI_COMM_WORLD, &failed, &r);

    err = err ? err : MPI_Wait(&r, MPI_STATUS_IGNORE);
    return free_group(err, failed);
}

static int validate(void)
{
    MPI_Group failed;
    int err = MPI_Comm_validate(MPI_COMM_WORLD, &failed);

    return free_group(err, failed);
}

static const struct scarce calls[] = {
    {"MPI_Comm_dup", duplicate, drop},
    {"MPI_Comm_idup", idup, drop},
    {"MPI_Comm_split", split, drop},
    {"MPI_Comm_create", create, drop},
    {"MPI_Comm_create_group", create_group, drop},
    {"MPI_Comm_create_from_group", from_group, drop},
    {"MPI_Cart_create", cart, drop},
    {"MPI_Graph_create", graph, drop},
    {"MPI_Dist_graph_create", dist_graph, drop},
    {"MPI_Dist_graph_create_adjacent", adjacent, drop},
    {"MPI_Intercomm_create", intercomm, drop},
    {"MPI_Intercomm_merge", merge, drop},
    {"MPIX_Comm_shrink", shrink, drop},
    {"MPIX_Comm_ishrink", ishrink, drop},
    {"MPIX_Comm_agree", agree, NULL, SPARE},
    {"MPIX_Comm_iagree", iagree, NULL, SPARE},
    {"MPIX_Comm_agree_failed", agree_failed, NULL, SPARE},
    {"MPIX_Comm_iagree_failed", iagree_failed, NULL, SPARE},
    {"MPI_Comm_validate", validate, NULL, SPARE},
};

int main(int argc, char **argv)
{
    start(&argc, &argv);
    CHECK_EQ(MPI_Comm_group(MPI_COMM_WORLD, &group), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &local), MPI_SUCCESS);
    CHECK_EQ(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 3, &inter),
             MPI_SUCCESS);
    fill_tombs();
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (argc < 2 || !strcmp(argv[1], calls[i].name))
            sweep(&calls[i]);
    CHECK_EQ(MPI_Comm_free(&inter), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&local), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);
    return finish();
}
