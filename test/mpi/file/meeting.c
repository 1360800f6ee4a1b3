/* SPDX-License-Identifier: BSD-3-Clause */
/* A collective call depends on what the file and its shared pointer are when all members have come: the last one moves them while
 * the others are in the call.  How long it waits before is only to give the others time: it decides nothing. */
/* RUN: -n 2 */
/* RUN: -n 3 */
/* RUN: -n 8 */
/* RUN: -n 4 ; set MACHINES=2 */
#include "common.h"

#define DELETE (MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE)
#define TIMES  10

/* True, later, at the last rank alone. */
static bool is_late(void)
{
    double begin;

    barrier();
    if (rank != size - 1)
        return false;
    for (begin = MPI_Wtime(); MPI_Wtime() - begin < 0.002;)
        ;
    return true;
}

static void view_at_pointer(void)
{
    MPI_File f = open_file("view", MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL | DELETE);
    char rep[MPI_MAX_DATAREP_STRING];
    MPI_Datatype etype, filetype;
    MPI_Offset at, all = 0;
    int numbers[TIMES] = {0};

    for (int t = 1; t <= TIMES; t++) {
        if (is_late())
            CHECK_OK(MPI_File_write_shared(f, numbers, t, MPI_INT, MPI_STATUS_IGNORE));
        all += (MPI_Offset)sizeof(int) * t;
        CHECK_OK(MPI_File_set_view(f, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native",
                                   MPI_INFO_NULL));
        CHECK_OK(MPI_File_get_view(f, &at, &etype, &filetype, rep));
        CHECK_EQ(at, all);
    }
    if (is_late()) /* the views of the others, too, stay as they were */
        CHECK_CLASS(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL),
                    MPI_ERR_ARG);
    else
        CHECK_CLASS(MPI_File_set_view(f, MPI_DISPLACEMENT_CURRENT, MPI_BYTE, MPI_BYTE, "native",
                                      MPI_INFO_NULL),
                    MPI_ERR_ARG);
    CHECK_OK(MPI_File_get_view(f, &at, &etype, &filetype, rep));
    CHECK(at == all && etype == MPI_INT);
    CHECK_OK(MPI_File_close(&f));
}

static void seek_from_pointer(void)
{
    MPI_File f = open_file("pointer", MPI_MODE_RDWR | DELETE);
    int numbers[TIMES] = {0};
    MPI_Offset at, want = 0;

    for (int t = 1; t <= TIMES; t++) {
        if (is_late())
            CHECK_OK(MPI_File_write_shared(f, numbers, t, MPI_INT, MPI_STATUS_IGNORE));
        want += (MPI_Offset)sizeof(int) * t + 5;
        CHECK_OK(MPI_File_seek_shared(f, 5, MPI_SEEK_CUR));
        CHECK_OK(MPI_File_get_position_shared(f, &at));
        CHECK_EQ(at, want);
    }
    CHECK_CLASS(MPI_File_seek_shared(f, -want - 1, MPI_SEEK_CUR), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_seek_shared(f, 0, rank ? MPI_SEEK_CUR : MPI_SEEK_SET),
                size > 1 ? MPI_ERR_NOT_SAME : MPI_SUCCESS);
    CHECK_OK(MPI_File_get_position_shared(f, &at));
    CHECK_EQ(at, want);
    CHECK_OK(MPI_File_close(&f));
}

static void seek_from_end(void)
{
    MPI_File f = open_file("end", MPI_MODE_RDWR | DELETE);
    MPI_Offset at;
    int one = 1;

    for (int t = 1; t <= TIMES; t++) {
        if (is_late())
            CHECK_OK(MPI_File_write_at(f, 100 * t, &one, 1, MPI_INT, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_File_seek_shared(f, -3, MPI_SEEK_END));
        CHECK_OK(MPI_File_get_position_shared(f, &at));
        CHECK_EQ(at, 100 * t + (MPI_Offset)sizeof(int) - 3);
    }
    CHECK_OK(MPI_File_close(&f));
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    view_at_pointer();
    seek_from_pointer();
    seek_from_end();
    return finish();
}
