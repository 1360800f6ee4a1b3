/* SPDX-License-Identifier: BSD-3-Clause */
/* The shared pointer: no two writes of all ranks meet, none leaves a gap; ordered access follows the ranks; append, atomic
 * mode, external32, sizes. */
/* RUN: -n 1 */
/* RUN: -n 3 */
/* RUN: -n 8 */
/* RUN: -n 4 ; set MACHINES=2 */
#include "common.h"

#define RW    (MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE)
#define TIMES 50

/* Records of a rank's number and a count; each rank's counts come in order. */
static void appends(void)
{
    MPI_File f = open_file("appends", RW);
    int *all = malloc(sizeof(int) * 2 * TIMES * (size_t)size),
        *next = calloc((size_t)size, sizeof(int));
    MPI_Offset end;

    CHECK_OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    for (int i = 0; i < TIMES; i++) {
        int record[2] = {rank, i};
        MPI_Request r;

        if (i % 2) {
            CHECK_OK(MPI_File_write_shared(f, record, 2, MPI_INT, MPI_STATUS_IGNORE));
        } else {
            CHECK_OK(MPI_File_iwrite_shared(f, record, 2, MPI_INT, &r));
            CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
        }
    }
    barrier();
    CHECK_OK(MPI_File_get_position_shared(f, &end));
    CHECK_EQ(end, 2 * TIMES * size);
    CHECK_OK(MPI_File_get_size(f, &end));
    CHECK_EQ(end, 8 * TIMES * size);
    CHECK_OK(MPI_File_read_at(f, 0, all, 2 * TIMES * size, MPI_INT, MPI_STATUS_IGNORE));
    for (int i = 0; i < TIMES * size; i++) {
        CHECK(all[2 * i] >= 0 && all[2 * i] < size);
        CHECK_EQ(all[2 * i + 1], next[all[2 * i]]++);
    }
    barrier();
    CHECK_OK(MPI_File_close(&f));
    free(all);
    free(next);
}

/* Rank r writes r + 1 numbers, behind those of the lower ranks. */
static void ordered(void)
{
    MPI_File f = open_file("ordered", RW);
    int mine[16], got[16], n, before = rank * (rank + 1) / 2, all = size * (size + 1) / 2;
    MPI_Status s;

    CHECK_OK(MPI_File_set_view(f, 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i <= rank; i++)
            mine[i] = round * 1000 + before + i;
        if (round == 1) {
            CHECK_OK(MPI_File_write_ordered_begin(f, mine, rank + 1, MPI_INT));
            CHECK_OK(MPI_File_write_ordered_end(f, mine, &s));
        } else {
            CHECK_OK(MPI_File_write_ordered(f, mine, rank + 1, MPI_INT, &s));
        }
    }
    CHECK_OK(MPI_File_seek_shared(f, all, MPI_SEEK_SET));
    CHECK_OK(MPI_File_read_ordered(f, got, rank + 1, MPI_INT, &s));
    MPI_Get_count(&s, MPI_INT, &n);
    CHECK_EQ(n, rank + 1);
    for (int i = 0; i <= rank; i++)
        CHECK_EQ(got[i], 1000 + before + i);
    CHECK_OK(MPI_File_seek_shared(f, -1, MPI_SEEK_END));
    CHECK_OK(MPI_File_read_shared(f, got, 1, MPI_INT, &s));
    MPI_Get_count(&s, MPI_INT, &n);
    CHECK(n == 0 || got[0] == 2000 + all - 1); /* one rank gets the last one */
    barrier();
    CHECK_OK(MPI_File_close(&f));
}

/* More files than words on a page, each with a pointer of its own; one that is opened again begins anew. */
static void many(void)
{
    enum { FILES = 70 };
    MPI_File f[FILES];
    char name[32], b[FILES] = "";
    MPI_Offset at;

    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < FILES; i++) {
            snprintf(name, sizeof(name), "many-%d", i);
            f[i] = open_file(name, RW);
            CHECK_OK(MPI_File_write_shared(f[i], b, i, MPI_CHAR, MPI_STATUS_IGNORE));
        }
        barrier();
        for (int i = 0; i < FILES; i++) {
            CHECK_OK(MPI_File_get_position_shared(f[i], &at));
            CHECK_EQ(at, i * size);
        }
        barrier();
        for (int i = 0; i < FILES; i++)
            CHECK_OK(MPI_File_close(&f[i]));
    }
}

static void append_mode(void)
{
    MPI_File f = open_file("append", MPI_MODE_CREATE | MPI_MODE_WRONLY);
    char b[] = "12345";
    MPI_Offset at;

    CHECK_OK(MPI_File_set_size(f, 0));
    if (rank == 0)
        CHECK_OK(MPI_File_write_at(f, 0, b, 5, MPI_CHAR, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&f));
    f = open_file("append", RW | MPI_MODE_APPEND);
    CHECK_OK(MPI_File_get_position(f, &at));
    CHECK_EQ(at, 5);
    CHECK_OK(MPI_File_get_position_shared(f, &at));
    CHECK_EQ(at, 5);
    CHECK_OK(MPI_File_preallocate(f, 100));
    CHECK_OK(MPI_File_get_size(f, &at));
    CHECK_EQ(at, 100);
    CHECK_OK(MPI_File_close(&f));
}

/* All write the same place, in one piece and in many: what is read is of one of them. */
static void atomic_mode(void)
{
    MPI_File f = open_file("atomic", RW);
    MPI_Datatype spread;
    int b[300], flag;

    CHECK_OK(MPI_File_get_atomicity(f, &flag));
    CHECK(!flag);
    CHECK_OK(MPI_File_set_atomicity(f, 1));
    MPI_Type_vector(300, 1, 2, MPI_INT, &spread);
    MPI_Type_commit(&spread);
    CHECK_OK(MPI_File_set_view(f, 0, MPI_INT, spread, "native", MPI_INFO_NULL));
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 300; i++)
            b[i] = rank + round * 100;
        CHECK_OK(MPI_File_write_at(f, 0, b, 300, MPI_INT, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_File_read_at(f, 0, b, 300, MPI_INT, MPI_STATUS_IGNORE));
        for (int i = 1; i < 300; i++)
            CHECK_EQ(b[i], b[0]);
    }
    MPI_Type_free(&spread);
    barrier();
    CHECK_OK(MPI_File_close(&f));
}

/* Big-endian in the file, whatever the machine; a long has four bytes there. */
static void external(void)
{
    MPI_File f = open_file("external", RW);
    int b[2] = {0x01020304 + rank, -1};
    long l[2] = {5, -6}, back[2] = {0, 0};
    MPI_Aint extent;
    unsigned char *all;
    long n;

    CHECK_OK(MPI_File_set_view(f, 8 * rank, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
    CHECK_OK(MPI_File_write(f, b, 2, MPI_INT, MPI_STATUS_IGNORE));
    barrier();
    all = contents("external", &n);
    CHECK_EQ(n, 8 * size);
    for (int r = 0; r < size; r++)
        CHECK(all[8 * r] == 1 && all[8 * r + 3] == 4 + r && all[8 * r + 4] == 0xff);
    free(all);
    barrier();
    CHECK_OK(MPI_File_set_view(f, 100 * rank, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_type_extent(f, MPI_LONG, &extent));
    CHECK_EQ(extent, 4);
    CHECK_OK(MPI_File_write_at(f, 1, l, 2, MPI_LONG, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_read_at(f, 1, back, 2, MPI_LONG, MPI_STATUS_IGNORE));
    CHECK(back[0] == 5 && back[1] == -6);
    barrier();
    CHECK_OK(MPI_File_close(&f));
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    appends();
    ordered();
    many();
    append_mode();
    atomic_mode();
    external();
    return finish();
}
