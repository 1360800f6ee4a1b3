/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Comm_split_type on an intercommunicator: a part has the processes of one kind from both groups (MPI-5.0 7.4.2), however
 * the groups count the nodes.  The even ranks are one group, the odd ones the other, in the other order.
 *
 *     -n 6, two nodes     even 0 2 4    odd 5 3 1
 *                         node 0 0 1        1 1 0      the first of the odd group is on node 1 */
/* RUN: -n 2 --bind-to none */
/* RUN: -n 6 */
/* RUN: -n 6 ; set MACHINES=2 */
/* RUN: -n 7 ; set MACHINES=3 */
/* RUN: -n 9 ; set MACHINES=2 ; set AGREE_SHM=0 */
#include "common.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm inter;
static int cpus;

static bool same_side(int r)
{
    return r % 2 == rank % 2;
}

static bool all(int r)
{
    (void)r;
    return true;
}

static bool on_my_node(int r)
{
    return node_of(r) == node_of(rank);
}

/* Every process uses one processor. */
static bool on_my_processor(int r)
{
    return on_my_node(r) && r / 2 % cpus == rank / 2 % cpus;
}

/* g has the processes of one side that belong to my part, in order. */
static void check_group(MPI_Group g, bool (*is_mine)(int), bool own)
{
    MPI_Group world;
    int n, at = 0, in_world;

    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK_OK(MPI_Group_size(g, &n));
    for (int r = 0; r < size; r++) {
        if (!is_mine(r) || same_side(r) != own)
            continue;
        CHECK(at < n);
        CHECK_OK(MPI_Group_translate_ranks(g, 1, &at, world, &in_world));
        CHECK_EQ(in_world, r);
        at++;
    }
    CHECK_EQ(at, n);
    MPI_Group_free(&world);
    MPI_Group_free(&g);
}

static void check_part(MPI_Comm c, bool (*is_mine)(int))
{
    MPI_Group ours, theirs;
    int others = 0, one = 1, sum = -1;

    for (int r = 0; r < size; r++)
        others += is_mine(r) && !same_side(r);
    CHECK_EQ(c != MPI_COMM_NULL, others > 0);
    if (c == MPI_COMM_NULL)
        return;
    CHECK_OK(MPI_Comm_group(c, &ours));
    CHECK_OK(MPI_Comm_remote_group(c, &theirs));
    check_group(ours, is_mine, true);
    check_group(theirs, is_mine, false);
    CHECK_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c));
    CHECK_EQ(sum, others);
    CHECK_OK(MPI_Comm_free(&c));
}

static void split(int type, const char *key, const char *value, bool (*is_mine)(int))
{
    MPI_Comm c = MPI_COMM_WORLD;
    MPI_Info info;

    CHECK_OK(MPI_Info_create(&info));
    if (key)
        CHECK_OK(MPI_Info_set(info, key, value));
    CHECK_OK(MPI_Comm_split_type(inter, type, rank, info, &c));
    CHECK_OK(MPI_Info_free(&info));
    check_part(c, is_mine);
}

/* The largest parts of which there are several: nodes, else what divides the processors of one. */
static void unguided(void)
{
    bool (*is_mine)(int) = nodes() > 1 ? on_my_node : on_my_processor;
    char kind[64] = "";
    int flag = 0, len = sizeof(kind);
    MPI_Comm c = MPI_COMM_WORLD;
    MPI_Info info;

    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Comm_split_type(inter, MPI_COMM_TYPE_HW_UNGUIDED, rank, info, &c));
    CHECK_OK(MPI_Info_get_string(info, "mpi_hw_resource_type", &len, kind, &flag));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_EQ(flag, c != MPI_COMM_NULL);
    if (flag)
        CHECK(nodes() > 1 ? !strcmp(kind, "mpi_shared_memory") : !strncmp(kind, "hwloc://", 8));
    if (nodes() == 1 && (cpus == 1 || size < 3))
        CHECK(c == MPI_COMM_NULL); /* all are in one part */
    else
        check_part(c, is_mine);
    CHECK_OK(MPI_Comm_split_type(inter, rank ? MPI_COMM_TYPE_HW_UNGUIDED : MPI_UNDEFINED, rank,
                                 MPI_INFO_NULL, &c));
    CHECK(rank > 0 || c == MPI_COMM_NULL);
    if (c != MPI_COMM_NULL)
        CHECK_OK(MPI_Comm_free(&c));
}

/* One processor for each rank. */
static void use_one_processor(void)
{
    cpu_set_t allowed, one;
    int k = 0;

    CHECK_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    cpus = CPU_COUNT(&allowed) > 1 ? 2 : 1;
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && k++ == rank / 2 % cpus)
            CPU_SET(cpu, &one);
    CHECK_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
}

int main(int argc, char **argv)
{
    int odd, last_odd;
    MPI_Comm local;

    start(&argc, &argv);
    use_one_processor();
    odd = rank % 2;
    last_odd = size - 1 - size % 2;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, odd, odd ? -rank : rank, &local));
    CHECK_OK(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, odd ? 0 : last_odd, 11, &inter));
    CHECK_OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    split(MPI_COMM_TYPE_SHARED, NULL, NULL, on_my_node);
    split(MPI_COMM_TYPE_HW_GUIDED, "mpi_hw_resource_type", "mpi_shared_memory", on_my_node);
    split(MPI_COMM_TYPE_HW_GUIDED, "mpi_hw_resource_type", "hwloc://PU", on_my_processor);
    split(MPI_COMM_TYPE_RESOURCE_GUIDED, "mpi_pset_name", "mpi://WORLD", all);
    unguided();
    CHECK_OK(MPI_Comm_free(&inter));
    CHECK_OK(MPI_Comm_free(&local));
    return finish();
}
