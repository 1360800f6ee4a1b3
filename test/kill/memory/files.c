/* SPDX-License-Identifier: BSD-3-Clause */
/* Each allocation fails in turn (scarce.h), in the calls on files: all members open the file, or all get
 * MPI_ERR_NO_MEM (S2-8); an access that finds no memory leaves the file usable.
 *
 *   S2-8: creation of windows and files is uniform, too
 *
 * RUN: -n 3 ; set MEMORY_FAULTS=1 ; expect "rank 0 ok" ; expect "rank 2 ok" ; time 60
 * RUN: -n 3 ; set MEMORY_FAULTS=1 ; set RMA_SHM=0 ; expect "rank 0 ok" ; expect "rank 2 ok" ; time 60
 * RUN: -n 3 --machines 3 ; set MEMORY_FAULTS=1 ; expect "rank 0 ok" ; expect "rank 2 ok" ; time 60 */
#include "scarce.h"

enum { COUNT = 64 };

static MPI_File made, file;
static MPI_Datatype spread;
static MPI_Info hints;
static int mine[COUNT], back[COUNT];
static char name[256];

static void drop(void)
{
    CHECK_EQ(MPI_File_close(&made), MPI_SUCCESS);
}

static int open_it(void)
{
    return MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &made);
}

static int set_view(void)
{
    return MPI_File_set_view(file, rank * (MPI_Offset)sizeof(int), MPI_INT, spread, "native",
                             hints);
}

static int set_external(void)
{
    return MPI_File_set_view(file, rank * (MPI_Offset)sizeof(int), MPI_INT, spread, "external32",
                             MPI_INFO_NULL);
}

static void set_back(void)
{
    CHECK_EQ(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), MPI_SUCCESS);
}

static int write_at(void)
{
    return MPI_File_write_at(file, 0, mine, 1, spread, MPI_STATUS_IGNORE);
}

static int read_at(void)
{
    return MPI_File_read_at(file, 0, back, 1, spread, MPI_STATUS_IGNORE);
}

static int write_at_all(void)
{
    return MPI_File_write_at_all(file, 0, mine, COUNT, MPI_INT, MPI_STATUS_IGNORE);
}

static int read_at_all(void)
{
    return MPI_File_read_at_all(file, 0, back, COUNT, MPI_INT, MPI_STATUS_IGNORE);
}

static int write_shared(void)
{
    return MPI_File_write_shared(file, mine, COUNT, MPI_INT, MPI_STATUS_IGNORE);
}

static int write_ordered(void)
{
    return MPI_File_write_ordered(file, mine, COUNT, MPI_INT, MPI_STATUS_IGNORE);
}

static int iwrite_at(void)
{
    MPI_Request r;
    int err = MPI_File_iwrite_at(file, 0, mine, COUNT, MPI_INT, &r);

    return err ? err : MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static int iwrite_at_all(void)
{
    MPI_Request r;
    int err = MPI_File_iwrite_at_all(file, 0, mine, COUNT, MPI_INT, &r);

    return err ? err : MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static int split_write(void)
{
    int err = MPI_File_write_at_all_begin(file, 0, mine, COUNT, MPI_INT);

    return err ? err : MPI_File_write_at_all_end(file, mine, MPI_STATUS_IGNORE);
}

static int sync_all(void)
{
    return MPI_File_sync(file);
}

static int set_size(void)
{
    return MPI_File_set_size(file, 1 << 16);
}

static int set_info(void)
{
    return MPI_File_set_info(file, hints);
}

static int get_info(void)
{
    MPI_Info info;
    int err = MPI_File_get_info(file, &info);

    if (!err)
        CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    return err;
}

static int get_group(void)
{
    MPI_Group group;
    int err = MPI_File_get_group(file, &group);

    if (!err)
        CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);
    return err;
}

static const struct scarce calls[] = {
    {"MPI_File_set_view", set_view, set_back},
    {"MPI_File_set_view, external32", set_external, set_back, SPARE},
    {"MPI_File_write_at", write_at, NULL, LOCAL | SPARE},
    {"MPI_File_read_at", read_at, NULL, LOCAL | SPARE},
    {"MPI_File_write_at_all", write_at_all, NULL, LOCAL | TOLD | SPARE},
    {"MPI_File_read_at_all", read_at_all, NULL, LOCAL | TOLD | SPARE},
    {"MPI_File_write_shared", write_shared, NULL, LOCAL | SPARE},
    {"MPI_File_write_ordered", write_ordered, NULL, LOCAL | TOLD | SPARE},
    {"MPI_File_iwrite_at", iwrite_at, NULL, LOCAL | SPARE},
    {"MPI_File_iwrite_at_all", iwrite_at_all, NULL, LOCAL | TOLD | SPARE},
    {"MPI_File_write_at_all_begin", split_write, NULL, LOCAL | TOLD | SPARE},
    {"MPI_File_sync", sync_all, NULL, SPARE},
    {"MPI_File_set_size", set_size, NULL, SPARE},
    {"MPI_File_set_info", set_info, NULL, LOCAL | TOLD | SPARE},
    {"MPI_File_get_info", get_info, NULL, LOCAL},
    {"MPI_File_get_group", get_group, NULL, LOCAL | SPARE},
};

int main(int argc, char **argv)
{
    const struct scarce opening = {"MPI_File_open", open_it, drop};

    start(&argc, &argv);
    snprintf(name, sizeof name, "%s/scarce", getenv("MEND_TEST_TMP"));
    fill_tombs();
    meet_all();
    CHECK_EQ(MPI_Type_vector(COUNT / 2, 1, 2, MPI_INT, &spread), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&spread), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_create(&hints), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(hints, "access_style", "write_mostly"), MPI_SUCCESS);
    sweep(&opening);
    CHECK_EQ(open_it(), MPI_SUCCESS);
    file = made;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (argc < 2 || !strcmp(argv[1], calls[i].name))
            sweep(&calls[i]);
    drop();
    CHECK_EQ(MPI_Info_free(&hints), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free(&spread), MPI_SUCCESS);
    return finish();
}
