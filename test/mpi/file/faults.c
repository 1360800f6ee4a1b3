/* SPDX-License-Identifier: BSD-3-Clause */
/* The system's calls fail here as they do on a bad day: interrupted calls are repeated, an error of the device at one rank is
 * the error of all and stays, no descriptor is left. A write that fails in the middle says how much it wrote.
 *
 * This program's fdatasync() and posix_fallocate64() take the place of the system's.
 *
 *   R33: an error of writing is one class at all at sync, and stays until the file is closed */
/* RUN: -n 1 */
/* RUN: -n 3 */
/* RUN: -n 4 ; set MACHINES=2 */
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define RW (MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE)

static int interrupt_n, flush_error, flushed_n, allocated_n;

int fdatasync(int fd)
{
    if (interrupt_n-- > 0) {
        errno = EINTR;
        return -1;
    }
    flushed_n++;
    if (flush_error) {
        errno = flush_error;
        return -1;
    }
    return (int)syscall(SYS_fdatasync, fd);
}

int posix_fallocate64(int fd, off64_t begin, off64_t len)
{
    if (interrupt_n-- > 0)
        return EINTR;
    allocated_n++;
    return syscall(SYS_fallocate, fd, 0, begin, len) == 0 ? 0 : errno;
}

static void interrupted(void)
{
    MPI_File f = open_file("interrupted", RW);
    MPI_Offset bytes;

    CHECK_OK(MPI_File_write_at(f, 4 * rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE));
    interrupt_n = 3;
    CHECK_OK(MPI_File_sync(f));
    CHECK_EQ(flushed_n, 1);
    interrupt_n = 3;
    CHECK_OK(MPI_File_preallocate(f, 4096));
    CHECK_EQ(allocated_n, rank == 0);
    CHECK_OK(MPI_File_get_size(f, &bytes));
    CHECK_EQ(bytes, 4096);
    interrupt_n = 0;
    CHECK_OK(MPI_File_close(&f));
}

/* At the last rank; then the device works again, but what it lost does not come back. */
static void device(void)
{
    MPI_File f = open_file("device", RW);

    CHECK_OK(MPI_File_write_at(f, 4 * rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE));
    flush_error = rank == size - 1 ? EIO : 0;
    CHECK_CLASS(MPI_File_sync(f), MPI_ERR_IO);
    flush_error = 0;
    CHECK_OK(MPI_File_write_at(f, 4 * rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_CLASS(MPI_File_sync(f), MPI_ERR_IO);
    CHECK_CLASS(MPI_File_close(&f), MPI_ERR_IO);
    f = open_file("device", RW);
    CHECK_OK(MPI_File_close(&f));
}

static void descriptors(void)
{
    struct rlimit before, few;
    MPI_File f = MPI_FILE_NULL;
    char text[MPI_MAX_ERROR_STRING] = "";
    int err, len, next = open("/dev/null", O_RDONLY);

    close(next);
    CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
    few = before;
    few.rlim_cur = (rlim_t)next;
    if (rank == 0)
        CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0);
    err = MPI_File_open(W, file_name("one too many"), RW, MPI_INFO_NULL, &f);
    CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK_CLASS(err, MPI_ERR_IO);
    CHECK(f == MPI_FILE_NULL);
    CHECK_OK(MPI_Error_string(err, text, &len));
    CHECK(rank != 0 || strstr(text, strerror(EMFILE)));
    barrier();
    f = open_file("one too many", RW);
    CHECK_OK(MPI_File_close(&f));
}

/* A long has other sizes in memory and in the file. */
static void half_written(void)
{
    enum { N = 4000, LIMIT = 8192 };
    static long from[N];
    struct rlimit before, small;
    MPI_File f = open_file("half", RW);
    MPI_Aint in_file = 0;
    MPI_Offset at;
    MPI_Status s;
    int n = -1;

    CHECK_OK(MPI_File_set_view(f, 0, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_type_extent(f, MPI_LONG, &in_file));
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    small = before;
    small.rlim_cur = LIMIT;
    barrier();
    if (rank == 0) {
        CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
        CHECK_CLASS(MPI_File_write(f, from, N, MPI_LONG, &s), MPI_ERR_NO_SPACE);
        CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
        MPI_Get_count(&s, MPI_LONG, &n);
        CHECK_EQ(n, LIMIT / (int)in_file);
        CHECK_OK(MPI_File_get_position(f, &at));
        CHECK_EQ(at, N);
    }
    CHECK_CLASS(MPI_File_close(&f), MPI_ERR_NO_SPACE);
}

/* The limit on the size of files is looked at when it matters, not only when a file is opened. */
static void raised(void)
{
    struct rlimit before, small;
    MPI_File f;

    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    small = before;
    small.rlim_cur = 4096;
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    f = open_file("raised", RW);
    CHECK_CLASS(MPI_File_write_at(f, 8192, &rank, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_NO_SPACE);
    CHECK_CLASS(MPI_File_close(&f), MPI_ERR_NO_SPACE);
    f = open_file("raised", RW);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK_OK(MPI_File_write_at(f, 8192, &rank, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&f));
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    interrupted();
    device();
    descriptors();
    half_written();
    raised();
    return finish();
}
