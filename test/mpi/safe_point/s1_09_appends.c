/* SPDX-License-Identifier: BSD-3-Clause */
/* s1_09_appends.c – records that are copied into a mapping of the file (hint mend_append_mapped) since a safe point stay in it: the
 * file and its shared pointer are not rolled back, so what is appended again comes behind them, and none is lost or torn.
 * Between the safe point and the roll-back the window goes to other chunks of the file.
 *
 *   S1-9: a roll-back restores the state of the safe point exactly
 *
 * RUN: -n 2 ; set SAFE_POINT=protect ; expect "6000 records of each turn"
 * RUN: -n 2 ; set SAFE_POINT=drop ; expect "6000 records of each turn"
 * RUN: -n 2 ; set SAFE_POINT=fork ; expect "6000 records of each turn"
 * RUN: -n 3 ; set SAFE_POINT=full ; expect "6000 records of each turn" */
#include "../../program.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define TURNS   4    /* one before the safe point */
#define RECORDS 6000 /* of a turn of a member: of two, two thirds of a chunk of 1 MiB and more */

struct record {
    int mark, rank, turn, nth;
    char rest[240];
};

static char name[4096];

static MPI_File open_mapped(void)
{
    const char *dir = getenv("MEND_TEST_TMP");
    MPI_Info i;
    char in_force[8] = "";
    int there;
    MPI_File f;

    snprintf(name, sizeof(name), "%s/appends", dir ? dir : "/tmp");
    MPI_Info_create(&i);
    MPI_Info_set(i, "mend_append_mapped", "true");
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name,
                           MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_UNIQUE_OPEN, i, &f));
    MPI_Info_free(&i);
    CHECK_OK(MPI_File_get_info(f, &i));
    MPI_Info_get(i, "mend_append_mapped", 7, in_force, &there);
    MPI_Info_free(&i);
    if (rank == 0 && (!there || strcmp(in_force, "true")))
        printf("written by system calls: no mapping on this file system\n");
    return f;
}

static void append(MPI_File f, int turn)
{
    struct record r = {.mark = 0x5245, .rank = rank, .turn = turn};

    for (r.nth = 0; r.nth < RECORDS; r.nth++) {
        memset(r.rest, 'a' + r.nth % 26, sizeof(r.rest));
        CHECK_OK(MPI_File_write_shared(f, &r, sizeof(r), MPI_BYTE, MPI_STATUS_IGNORE));
    }
}

static void check_record(const struct record *r, int *seen)
{
    CHECK(r->mark == 0x5245 && r->rank >= 0 && r->rank < size && r->turn >= 0 && r->turn < TURNS &&
          r->nth >= 0 && r->nth < RECORDS);
    for (size_t i = 0; i < sizeof(r->rest); i++)
        CHECK_EQ(r->rest[i], 'a' + r->nth % 26);
    CHECK_EQ(seen[(r->rank * TURNS + r->turn) * RECORDS + r->nth]++, 0);
}

/* All of all turns are there once, and nothing else. */
static void check_file(void)
{
    int *seen = calloc((size_t)size * TURNS * RECORDS, sizeof(int)), fd = open(name, O_RDONLY);
    struct record r;
    struct stat there;

    CHECK(seen && fd >= 0 && fstat(fd, &there) == 0);
    CHECK_EQ((long long)there.st_size, (long long)size * TURNS * RECORDS * (long long)sizeof(r));
    while (read(fd, &r, sizeof(r)) == (ssize_t)sizeof(r))
        check_record(&r, seen);
    close(fd);
    free(seen);
    printf("%d records of each turn\n", RECORDS);
}

int main(int argc, char **argv)
{
    MPI_File f;
    int value;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    f = open_mapped();
    append(f, 0);
    CHECK_OK(MPIX_Safe_point_enter(&value));
    append(f, value + 1);
    if (value < TURNS - 2)
        MPIX_Safe_point_roll_back(value + 1);
    CHECK_OK(MPI_File_close(&f));
    if (rank == 0)
        check_file();
    return MPI_Finalize();
}
