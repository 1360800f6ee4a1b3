/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank learns of its machine is true of that one: the processor's name, who shares memory with it, what the machine is made of.
 *
 *   S5-19: the launcher works with several nodes as with one */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 ; expect "rank 0 ok" ; expect "rank 5 ok" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 --map-by node ; expect "rank 0 ok" ; expect "rank 5 ok" */
/* RUN: -n 3 --hosts m2,m3 ; expect "rank 0 ok" ; expect "rank 2 ok" */
#include "../kill/common.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { NAME = MPI_MAX_PROCESSOR_NAME };

static char me[NAME];

/* All members have my processor's name. */
static void check_one_machine(MPI_Comm c)
{
    char all[16][NAME];
    int n;

    MPI_Comm_size(c, &n);
    CHECK_EQ(MPI_Allgather(me, NAME, MPI_CHAR, all, NAME, MPI_CHAR, c), MPI_SUCCESS);
    for (int i = 0; i < n; i++)
        CHECK(!strcmp(all[i], me));
}

static int like_me(void)
{
    char all[16][NAME];
    int n = 0;

    CHECK_EQ(MPI_Allgather(me, NAME, MPI_CHAR, all, NAME, MPI_CHAR, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < size; i++)
        n += !strcmp(all[i], me);
    return n;
}

/* Of a part of a machine, or of one machine: no member is of another one.  Returns how many it has; 0: this process is in none. */
static int split(MPI_Comm of, int type, const char *kind)
{
    MPI_Info info;
    MPI_Comm c;
    int n = 0;

    MPI_Info_create(&info);
    if (kind)
        MPI_Info_set(info, "mpi_hw_resource_type", kind);
    CHECK_EQ(MPI_Comm_split_type(of, type, rank, info, &c), MPI_SUCCESS);
    MPI_Info_free(&info);
    if (c == MPI_COMM_NULL)
        return 0;
    check_one_machine(c);
    MPI_Comm_size(c, &n);
    MPI_Comm_free(&c);
    return n;
}

static bool has_resource(const char *kind)
{
    MPI_Info info;
    int flag, len = 0;

    CHECK_EQ(MPI_Get_hw_resource_info(&info), MPI_SUCCESS);
    MPI_Info_get_string(info, kind, &len, NULL, &flag);
    MPI_Info_free(&info);
    return flag;
}

static void check_parts(void)
{
    static const char *const kinds[] = {"hwloc://Package", "hwloc://NUMANode", "hwloc://L3Cache",
                                        "hwloc://L2Cache", "hwloc://L1Cache",  "hwloc://Core",
                                        "hwloc://PU"};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        CHECK(split(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, kinds[i]) <= like_me());
    CHECK(has_resource("hwloc://PU"));
}

int main(int argc, char **argv)
{
    char host[256] = "";
    int len;

    start(&argc, &argv);
    CHECK_EQ(MPI_Get_processor_name(me, &len), MPI_SUCCESS);
    CHECK_EQ(len, (int)strlen(me));
    gethostname(host, sizeof(host) - 1);
    CHECK(!strcmp(me, host));
    CHECK_EQ(split(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, NULL), like_me());
    CHECK_EQ(split(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, "mpi_shared_memory"), like_me());
    CHECK_EQ(split(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, NULL), like_me());
    check_parts();
    return finish();
}
