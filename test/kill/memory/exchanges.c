/* SPDX-License-Identifier: BSD-3-Clause */
/* Each allocation fails in turn (scarce.h), in collective calls on a file that gather the pieces of all members: from memory
 * with and without holes, with and without copies of what is written.  The bytes of each call are new ones.  As each member can
 * move its pieces without the others and without memory, each call succeeds at all members, and nothing is lost: what a
 * member has written is in the file, also what another member was to write and had no memory for; what it has read are the
 * bytes of the file.
 *
 * RUN: -n 3 ; set MEMORY_FAULTS=1 ; expect "rank 0 ok" ; expect "rank 2 ok" ; time 120
 * RUN: -n 4 ; set MEMORY_FAULTS=1 ; set MACHINES=2 ; args few ; expect "rank 0 ok" ; expect "rank 3 ok" ; time 120
 * RUN: -n 3 ; set MEMORY_FAULTS=1 ; set COLL_SHM=0 ; set AGREE_SHM=0 ; args few ; expect "rank 2 ok" ; time 120 */
#include "scarce.h"

enum { PIECES = 120, INTS = 8, COUNT = PIECES * INTS };

static MPI_File file;
static MPI_Datatype spread; /* every second integer of memory */
static MPI_Datatype type;
static bool later, writes;
static int data[2 * COUNT], got[2 * COUNT], generation;

static int step(void)
{
    return type == spread ? 2 : 1;
}

static void renew(void)
{
    generation++;
    for (int i = 0; i < 2 * COUNT; i++)
        data[i] = rank << 24 ^ generation << 12 ^ i / step();
    memset(got, 0xee, sizeof got);
    if (!writes) {
        CHECK_EQ(MPI_File_write_at(file, 0, data, COUNT, type, MPI_STATUS_IGNORE), MPI_SUCCESS);
        largest(0); /* all have written: then all read */
    }
}

static int move_all(void)
{
    MPI_Request r;
    int err;

    if (!later)
        return writes ? MPI_File_write_at_all(file, 0, data, COUNT, type, MPI_STATUS_IGNORE)
                      : MPI_File_read_at_all(file, 0, got, COUNT, type, MPI_STATUS_IGNORE);
    err = writes ? MPI_File_iwrite_at_all(file, 0, data, COUNT, type, &r)
                 : MPI_File_iread_at_all(file, 0, got, COUNT, type, &r);
    return err ? err : MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static int call(void)
{
    CHECK_EQ(class_of(move_all()), MPI_SUCCESS);
    enough();
    if (writes)
        CHECK_EQ(MPI_File_read_at(file, 0, got, COUNT, type, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(got[i * step()], data[i * step()]);
    return MPI_SUCCESS;
}

static MPI_File open_gathering(const char *keep)
{
    static const char *const hint[][2] = {{"romio_cb_write", "enable"},
                                          {"romio_cb_read", "enable"},
                                          {"cb_buffer_size", "4096"},
                                          {"striping_unit", "512"},
                                          {"cb_nodes", "2"}};
    char name[256];
    MPI_Datatype piece, mine;
    MPI_Info info;
    MPI_File f;

    snprintf(name, sizeof name, "%s/exchanges", getenv("MEND_TEST_TMP"));
    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    for (size_t i = 0; i < sizeof hint / sizeof *hint; i++)
        CHECK_EQ(MPI_Info_set(info, hint[i][0], hint[i][1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "mend_keep_bytes", keep), MPI_SUCCESS);
    CHECK_EQ(MPI_File_open(MPI_COMM_WORLD, name,
                           MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &f),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Type_contiguous(INTS, MPI_INT, &piece), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_create_resized(piece, 0, (MPI_Aint)sizeof(int) * INTS * size, &mine),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&mine), MPI_SUCCESS);
    CHECK_EQ(MPI_File_set_view(f, (MPI_Offset)sizeof(int) * INTS * rank, MPI_INT, mine, "native",
                               MPI_INFO_NULL),
             MPI_SUCCESS);
    MPI_Type_free(&piece);
    MPI_Type_free(&mine);
    MPI_Info_free(&info);
    return f;
}

static void sweep_form(bool holes, const char *keep)
{
    char text[100];

    type = holes ? spread : MPI_INT;
    snprintf(text, sizeof text, "MPI_File_%s%s_at_all, %s holes in memory, keeping %s",
             later ? "i" : "", writes ? "write" : "read", holes ? "with" : "without", keep);
    sweep(&(struct scarce){text, call, NULL, 0, renew});
}

static void sweep_forms(const char *keep, bool few)
{
    file = open_gathering(keep);
    for (int w = 1; w >= 0; w--)
        for (int l = 0; l < (few ? 1 : 2); l++)
            for (int holes = few; holes < 2; holes++) {
                writes = w;
                later = l;
                sweep_form(holes, keep);
            }
    CHECK_EQ(MPI_File_close(&file), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    bool few = argc > 1 && !strcmp(argv[1], "few");

    start(&argc, &argv);
    fill_tombs();
    meet_all();
    CHECK_EQ(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spread), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&spread), MPI_SUCCESS);
    sweep_forms("0", few);
    if (!few)
        sweep_forms("1048576", true);
    CHECK_EQ(MPI_Type_free(&spread), MPI_SUCCESS);
    return finish();
}
