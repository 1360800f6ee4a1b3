/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the machine: what MPI_Get_hw_resource_info says of this process, and communicators of the processes that belong
 * to one part.  A rank uses one processor, the first that it may, and then half of the ranks the second. */
/* RUN: -n 1 */
/* RUN: -n 4 */
/* RUN: -n 4 --bind-to core */
/* RUN: -n 4 ; set MACHINES=2 */
#include "../../program.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

static cpu_set_t allowed;

/* Processor k of those that this process may use.  False: there are not as many. */
static bool use_only(int k)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && k-- == 0)
            CPU_SET(cpu, &one);
    return CPU_COUNT(&one) == 1 && sched_setaffinity(0, sizeof(one), &one) == 0;
}

/* The size of the communicator of those that belong to this part; 0: MPI_COMM_NULL. */
static int split(int type, const char *name)
{
    MPI_Info info;
    MPI_Comm c;
    int n = 0;

    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "mpi_hw_resource_type", name));
    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, type, 0, info, &c));
    CHECK_OK(MPI_Info_free(&info));
    if (c == MPI_COMM_NULL)
        return 0;
    MPI_Comm_size(c, &n);
    MPI_Comm_free(&c);
    return n;
}

/* 'y', 'n', or '-' if the machine has no such part. */
static char is_restricted(const char *name)
{
    MPI_Info info;
    char value[16];
    int flag, n = sizeof(value);

    CHECK_OK(MPI_Get_hw_resource_info(&info));
    CHECK_OK(MPI_Info_get_string(info, name, &n, value, &flag));
    CHECK_OK(MPI_Info_free(&info));
    CHECK(!flag || !strcmp(value, "true") || !strcmp(value, "false"));
    return !flag ? '-' : !strcmp(value, "true") ? 'y' : 'n';
}

static const char *const kinds[] = {"hwloc://Package", "hwloc://NUMANode", "hwloc://L3Cache",
                                    "hwloc://L2Cache", "hwloc://L1Cache",  "hwloc://Core",
                                    "hwloc://PU"};

/* A process on one processor belongs to one part of each kind that there is; so do n processes on the same one. */
static void check_parts(int n)
{
    for (unsigned k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
        char restricted = is_restricted(kinds[k]);
        int found = split(MPI_COMM_TYPE_HW_GUIDED, kinds[k]);

        CHECK(restricted != 'n');
        CHECK_EQ(found > 0, restricted == 'y');
        CHECK(!found || found >= n);
        CHECK_EQ(split(MPI_COMM_TYPE_RESOURCE_GUIDED, kinds[k]), found);
    }
    CHECK_EQ(is_restricted("hwloc://PU"), 'y');
    CHECK_EQ(split(MPI_COMM_TYPE_HW_GUIDED, "hwloc://PU"), n);
}

static void check_bad(void)
{
    static const char *const bad[] = {"Package",          "hwloc://",        "hwloc://package",
                                      "hwloc://Package ", "hwloc://L4Cache", "warp core"};
    MPI_Comm c = MPI_COMM_NULL;

    for (unsigned k = 0; k < sizeof(bad) / sizeof(*bad); k++) {
        CHECK_EQ(split(MPI_COMM_TYPE_HW_GUIDED, bad[k]), 0);
        CHECK_EQ(is_restricted(bad[k]), '-');
    }
    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, MPI_INFO_NULL, &c));
    CHECK(c == MPI_COMM_NULL);
    CHECK_CLASS(MPI_Get_hw_resource_info(NULL), MPI_ERR_ARG);
}

/* How many ranks of this one's node use the same processor. */
static int count_here(void)
{
    int mine[2] = {sched_getcpu(), node_of(rank)}, all[64][2], n = 0;

    CHECK_OK(MPI_Allgather(mine, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD));
    for (int r = 0; r < size; r++)
        n += all[r][0] == mine[0] && all[r][1] == mine[1];
    return n;
}

/* The size of what MPI_COMM_TYPE_HW_UNGUIDED makes of c; 0: MPI_COMM_NULL, at all.  What it is made by is in the info
 * (MPI-5.0 7.4.2). */
static int unguided(MPI_Comm c, int type)
{
    MPI_Comm part = MPI_COMM_WORLD;
    int n = 0, all, flag, len = 64;
    char by[64] = "";
    MPI_Info info;

    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Comm_split_type(c, type, 0, info, &part));
    CHECK_OK(MPI_Info_get_string(info, "mpi_hw_resource_type", &len, by, &flag));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_EQ(flag, part != MPI_COMM_NULL);
    if (part == MPI_COMM_NULL)
        return 0;
    CHECK(c == MPI_COMM_WORLD && nodes() > 1 ? !strcmp(by, "mpi_shared_memory")
                                             : !strncmp(by, "hwloc://", 8));
    MPI_Comm_size(part, &n);
    MPI_Comm_size(c, &all);
    CHECK(n < all);
    MPI_Comm_free(&part);
    return n;
}

/* The largest parts first: nodes, and then what divides the processors of one.  A process that asks for nothing hinders
 * nobody. */
static void check_unguided(bool bound)
{
    int here = count_here(), first = nodes() > 1 ? first_of(1) : bound && here < size ? here : 0;
    MPI_Comm node;

    CHECK_EQ(unguided(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED), size > 1 ? first : 0);
    unguided(MPI_COMM_WORLD, rank ? MPI_COMM_TYPE_HW_UNGUIDED : MPI_UNDEFINED);
    CHECK_OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    MPI_Comm_size(node, &first);
    CHECK_EQ(unguided(node, MPI_COMM_TYPE_HW_UNGUIDED), bound && here < first ? here : 0);
    MPI_Comm_free(&node);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    know_rank();
    return_errors();
    CHECK_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    check_bad();
    if (CPU_COUNT(&allowed) > 1)
        check_unguided(false);
    CHECK(use_only(0));
    check_parts(count_here());
    CHECK(use_only(rank / 2 % 2) || CPU_COUNT(&allowed) == 1);
    check_parts(count_here());
    check_unguided(true);
    return MPI_Finalize();
}
