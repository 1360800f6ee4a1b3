/* SPDX-License-Identifier: BSD-3-Clause */
/* What a device loses is written again, with the hint mend_keep_bytes: the sync that finds the error repairs it, at all members
 * alike, with what all of them have written since the last good one: alone, in pieces, together with others, in a
 * representation of its own, twice at one place. Behind the bound, or if one member keeps nothing, the error stays.
 *
 * This program's fdatasync() fails as a device does, and forgets: it writes zeros over the file.
 *
 *   R33: an error of writing is one class at all at sync, and stays until the file is closed */
/* RUN: -n 1 */
/* RUN: -n 3 */
/* RUN: -n 5 ; set MACHINES=2 */
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

#define RW (MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE)
#define N  200

static int fails;

int fdatasync(int fd)
{
    struct stat st;

    if (!fails)
        return (int)syscall(SYS_fdatasync, fd);
    fails--;
    if (fstat(fd, &st) == 0) {
        char *nothing = calloc(1, (size_t)st.st_size + 1);

        CHECK_EQ(pwrite(fd, nothing, (size_t)st.st_size, 0), st.st_size);
        free(nothing);
    }
    errno = EIO;
    return -1;
}

static MPI_File open_keeping(const char *bytes, const char *together)
{
    MPI_Info i;
    MPI_File f;

    MPI_Info_create(&i);
    MPI_Info_set(i, "mend_keep_bytes", bytes);
    MPI_Info_set(i, "romio_cb_write", together);
    CHECK_OK(MPI_File_open(W, file_name("kept"), RW, i, &f));
    MPI_Info_free(&i);
    return f;
}

static void in_turn(MPI_File f, const char *rep, int size_in_file)
{
    MPI_Datatype mine;

    MPI_Type_create_resized(MPI_LONG, 0, size_in_file * size, &mine);
    MPI_Type_commit(&mine);
    CHECK_OK(MPI_File_set_view(f, size_in_file * rank, MPI_LONG, mine, rep, MPI_INFO_NULL));
    MPI_Type_free(&mine);
}

static void number(long *b, int with)
{
    for (int i = 0; i < N; i++)
        b[i] = rank * 100000 + with * 1000 + i;
}

static void check(MPI_File f, const long *want)
{
    long got[N];

    barrier();
    CHECK_OK(MPI_File_read_at(f, 0, got, N, MPI_LONG, MPI_STATUS_IGNORE));
    CHECK(!memcmp(got, want, sizeof(got)));
    barrier();
}

/* All flush before one of them fails, so what it forgets is not written by a flush that comes later. */
static void fail_at_last(int times)
{
    barrier();
    fails = rank == size - 1 ? times : 0;
}

static void repaired(const char *together, const char *rep, int size_in_file)
{
    MPI_File f = open_keeping("1000000", together);
    long b[N];

    in_turn(f, rep, size_in_file);
    number(b, 1);
    CHECK_OK(MPI_File_write_at_all(f, 0, b, N, MPI_LONG, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_sync(f));
    check(f, b);
    number(b, 2);
    CHECK_OK(MPI_File_write_at_all(f, 0, b, N, MPI_LONG, MPI_STATUS_IGNORE));
    number(b, 3);
    CHECK_OK(MPI_File_write_at(f, 0, b, N / 2, MPI_LONG, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_write_at_all(f, N / 2, b + N / 2, N / 2, MPI_LONG, MPI_STATUS_IGNORE));
    fail_at_last(1);
    CHECK_OK(MPI_File_sync(f));
    check(f, b);
    CHECK_OK(MPI_File_sync(f)); /* and that was the end of it */
    fail_at_last(2);            /* the second attempt as well */
    CHECK_OK(MPI_File_write_at(f, 0, b, N, MPI_LONG, MPI_STATUS_IGNORE));
    CHECK_CLASS(MPI_File_sync(f), MPI_ERR_IO);
    fails = 0;
    CHECK_CLASS(MPI_File_close(&f), MPI_ERR_IO);
}

/* keep: how much rank 0 keeps; it has not everything, so nobody writes again. */
static void not_kept(const char *keep)
{
    MPI_File f = open_keeping(rank ? "1000000" : keep, "disable");
    long b[N];

    in_turn(f, "native", 8);
    number(b, 4);
    CHECK_OK(MPI_File_write_at(f, 0, b, N, MPI_LONG, MPI_STATUS_IGNORE));
    fail_at_last(1);
    CHECK_CLASS(MPI_File_sync(f), MPI_ERR_IO);
    CHECK_CLASS(MPI_File_sync(f), MPI_ERR_IO);
    CHECK_CLASS(MPI_File_close(&f), MPI_ERR_IO);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    repaired("disable", "native", 8);
    repaired("enable", "native", 8);
    repaired("disable", "external32", 4);
    not_kept("0");
    not_kept("1599");
    return finish();
}
