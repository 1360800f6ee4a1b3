/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong arguments and errors of the file system give the right class, at all ranks alike where the call is collective, and
 * change nothing.
 *
 *   R33: an error of writing is one class at all at sync, and stays until the file is closed */
/* RUN: -n 1 */
/* RUN: -n 2 */
/* RUN: -n 3 */
/* RUN: -n 4 ; set MACHINES=2 */
#include "common.h"

#include <fcntl.h>
#include <sys/resource.h>

#define RW (MPI_MODE_CREATE | MPI_MODE_RDWR)

static int try_open(const char *path, int amode)
{
    MPI_File f = (MPI_File)1;
    int err = MPI_File_open(W, path, amode, MPI_INFO_NULL, &f);

    CHECK(err == MPI_SUCCESS || f == MPI_FILE_NULL);
    if (!err)
        CHECK_OK(MPI_File_close(&f));
    return err;
}

static void opening(void)
{
    char text[MPI_MAX_ERROR_STRING];
    int len, err;

    CHECK_CLASS(try_open("/nowhere/file", MPI_MODE_RDONLY), MPI_ERR_NO_SUCH_FILE);
    CHECK_CLASS(try_open("/nowhere/file", RW), MPI_ERR_NO_SUCH_FILE);
    err = try_open(file_name("none"), MPI_MODE_RDONLY);
    CHECK_CLASS(err, MPI_ERR_NO_SUCH_FILE);
    MPI_Error_string(err, text, &len);
    CHECK(rank != 0 ||
          (strstr(text, "rank 0, opening") && strstr(text, "none") && strstr(text, "(ENOENT)")));
    CHECK_CLASS(try_open("/tmp", RW), MPI_ERR_BAD_FILE);
    CHECK_CLASS(try_open("/tmp", MPI_MODE_RDONLY), MPI_ERR_BAD_FILE);
    CHECK_CLASS(try_open("", MPI_MODE_RDONLY), MPI_ERR_BAD_FILE);
    CHECK_CLASS(try_open(file_name("x"), 0), MPI_ERR_AMODE);
    CHECK_CLASS(try_open(file_name("x"), MPI_MODE_RDONLY | MPI_MODE_WRONLY), MPI_ERR_AMODE);
    CHECK_CLASS(try_open(file_name("x"), MPI_MODE_RDONLY | MPI_MODE_CREATE), MPI_ERR_AMODE);
    CHECK_CLASS(try_open(file_name("x"), MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL), MPI_ERR_AMODE);
    if (size > 1)
        CHECK_CLASS(try_open(file_name("x"), RW | (rank ? MPI_MODE_UNIQUE_OPEN : 0)),
                    MPI_ERR_NOT_SAME);
    CHECK_OK(try_open(file_name("y"), RW | MPI_MODE_EXCL));
    CHECK_CLASS(try_open(file_name("y"), RW | MPI_MODE_EXCL), MPI_ERR_FILE_EXISTS);
    barrier();
    if (rank == 0) {
        CHECK_OK(MPI_File_delete(file_name("y"), MPI_INFO_NULL));
        CHECK_CLASS(MPI_File_delete(file_name("y"), MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
    }
    CHECK_CLASS(MPI_File_delete(NULL, MPI_INFO_NULL), MPI_ERR_ARG);
}

static void ways(void)
{
    MPI_File f = open_file("ways", RW);
    MPI_Datatype etype, filetype;
    char datarep[MPI_MAX_DATAREP_STRING];
    MPI_Offset at;
    int b = 0;

    CHECK_OK(MPI_File_close(&f));
    CHECK_CLASS(MPI_File_close(&f), MPI_ERR_FILE);
    CHECK_CLASS(MPI_File_get_size(MPI_FILE_NULL, &at), MPI_ERR_FILE);
    f = open_file("ways", MPI_MODE_RDONLY);
    CHECK_CLASS(MPI_File_write(f, &b, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_READ_ONLY);
    CHECK_CLASS(MPI_File_set_size(f, 10), MPI_ERR_READ_ONLY);
    CHECK_OK(MPI_File_close(&f));
    f = open_file("ways", MPI_MODE_WRONLY);
    CHECK_CLASS(MPI_File_read(f, &b, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_ACCESS);
    CHECK_OK(MPI_File_close(&f));
    f = open_file("ways", MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
    CHECK_CLASS(MPI_File_write_at(f, 0, &b, 1, MPI_INT, MPI_STATUS_IGNORE),
                MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_CLASS(MPI_File_seek(f, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_OK(MPI_File_write_ordered(f, &b, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_CLASS(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_ERR_ARG);
    CHECK_OK(
        MPI_File_set_view(f, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_view(f, &at, &etype, &filetype, datarep));
    CHECK_EQ(at, (MPI_Offset)sizeof b * size);
    CHECK_OK(MPI_File_close(&f));
}

/* The types that a program gets are its own, and so are those that it gave. */
static void types_of_views(void)
{
    MPI_File f = open_file("types", RW | MPI_MODE_DELETE_ON_CLOSE);
    MPI_Datatype etype, filetype, e[2], t[2], real;
    char rep[MPI_MAX_DATAREP_STRING];
    MPI_Offset at;
    int bytes;

    MPI_Type_contiguous(2, MPI_INT, &etype);
    MPI_Type_commit(&etype);
    MPI_Type_vector(3, 1, 2, etype, &filetype);
    MPI_Type_commit(&filetype);
    CHECK_OK(MPI_File_set_view(f, 8, etype, filetype, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_view(f, &at, &e[0], &t[0], rep));
    CHECK_OK(MPI_Type_free(&etype));
    CHECK_OK(MPI_Type_free(&filetype));
    CHECK_OK(MPI_File_get_view(f, &at, &e[1], &t[1], rep));
    CHECK(e[0] != e[1] && t[0] != t[1]);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(MPI_Type_size(e[i], &bytes));
        CHECK_EQ(bytes, 8);
        CHECK_OK(MPI_Type_size(t[i], &bytes));
        CHECK_EQ(bytes, 24);
        CHECK_OK(MPI_File_set_view(f, 0, e[i], t[i], "native", MPI_INFO_NULL)); /* committed */
        CHECK_OK(MPI_Type_free(&e[i]));
        CHECK_OK(MPI_Type_free(&t[i]));
    }
    MPI_Type_create_f90_real(6, 30, &real);
    CHECK_OK(MPI_File_set_view(f, 0, MPI_FLOAT, real, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_get_view(f, &at, &e[0], &t[0], rep));
    CHECK(e[0] == MPI_FLOAT && t[0] == real);
    CHECK_OK(MPI_File_close(&f));
}

static void arguments(void)
{
    MPI_File f = open_file("arguments", RW | MPI_MODE_DELETE_ON_CLOSE);
    MPI_Datatype backwards;
    MPI_Offset at;
    int b[3] = {0}, blocks[] = {1, 1}, displs[] = {2, 0};

    CHECK_CLASS(MPI_File_write_at(f, -1, b, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_write(f, b, -1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_File_write(f, NULL, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_File_write(f, b, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_File_seek(f, -5, MPI_SEEK_SET), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_seek(f, 0, 77), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_get_position(f, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_set_size(f, -1), MPI_ERR_ARG);
    if (size > 1)
        CHECK_CLASS(MPI_File_set_size(f, 100 + rank), MPI_ERR_NOT_SAME);
    CHECK_OK(MPI_File_get_size(f, &at));
    CHECK_EQ(at, 0);
    CHECK_CLASS(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "none", MPI_INFO_NULL),
                MPI_ERR_UNSUPPORTED_DATAREP);
    CHECK_CLASS(MPI_File_set_view(f, -2, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_ERR_ARG);
    CHECK_CLASS(
        MPI_File_set_view(f, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL),
        MPI_ERR_ARG);
    MPI_Type_indexed(2, blocks, displs, MPI_INT, &backwards);
    MPI_Type_commit(&backwards);
    CHECK_CLASS(MPI_File_set_view(f, 0, MPI_INT, backwards, "native", MPI_INFO_NULL), MPI_ERR_IO);
    MPI_Type_free(&backwards);
    CHECK_OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_CLASS(MPI_File_write(f, b, 3, MPI_BYTE, MPI_STATUS_IGNORE),
                MPI_ERR_IO); /* no whole etype */
    CHECK_OK(MPI_File_write_all_begin(f, b, 1, MPI_INT));
    CHECK_CLASS(MPI_File_read_all_begin(f, b, 1, MPI_INT), MPI_ERR_IO);
    CHECK_CLASS(MPI_File_read_all_end(f, b, MPI_STATUS_IGNORE), MPI_ERR_IO);
    CHECK_CLASS(MPI_File_close(&f), MPI_ERR_IO);
    CHECK_OK(MPI_File_write_all_end(f, b, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&f));
}

/* Positions behind every place that a file can have: an error, and no byte lands elsewhere. */
static void too_far(void)
{
    static const MPI_Offset far[] = {INT64_MAX, INT64_MAX - 7, INT64_MAX / 2, (MPI_Offset)1 << 62,
                                     ((MPI_Offset)1 << 62) + 1};
    MPI_File f = open_file("far", RW | MPI_MODE_DELETE_ON_CLOSE);
    int b[] = {1, 2}, was[] = {7, 8}, now[2];
    MPI_Offset at;

    CHECK_OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_write_at(f, 0, was, 2, MPI_INT, MPI_STATUS_IGNORE));
    for (unsigned i = 0; i < sizeof far / sizeof *far; i++) {
        MPI_Request r = MPI_REQUEST_NULL;

        CHECK_CLASS(MPI_File_write_at(f, far[i], b, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_ARG);
        CHECK_CLASS(MPI_File_write_at_all(f, far[i], b, 1, MPI_INT, MPI_STATUS_IGNORE),
                    MPI_ERR_ARG);
        CHECK_CLASS(MPI_File_read_at(f, far[i], b, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_ARG);
        if (MPI_File_iwrite_at(f, far[i], b, 1, MPI_INT, &r) == MPI_SUCCESS)
            CHECK_CLASS(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_ERR_ARG);
        CHECK_CLASS(MPI_File_seek(f, far[i], MPI_SEEK_SET), MPI_ERR_ARG);
        CHECK_CLASS(MPI_File_seek_shared(f, far[i], MPI_SEEK_SET), MPI_ERR_ARG);
        CHECK_CLASS(MPI_File_get_byte_offset(f, far[i], &at), MPI_ERR_ARG);
    }
    CHECK_OK(MPI_File_get_position(f, &at));
    CHECK_EQ(at, 0);
    CHECK_OK(MPI_File_read_at(f, 0, now, 2, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(now[0] == 7 && now[1] == 8);
    CHECK_OK(MPI_File_get_size(f, &at));
    CHECK_EQ(at, 8);
    CHECK_OK(MPI_File_close(&f));
}

/* A view without bytes has room for none. */
static void no_room(void)
{
    MPI_File f = open_file("room", RW | MPI_MODE_DELETE_ON_CLOSE);
    MPI_Datatype nothing;
    int b = 1;

    CHECK_OK(MPI_Type_contiguous(0, MPI_INT, &nothing));
    CHECK_OK(MPI_Type_commit(&nothing));
    CHECK_OK(MPI_File_set_view(f, 0, MPI_INT, nothing, "native", MPI_INFO_NULL));
    CHECK_OK(MPI_File_write_at_all(f, 0, &b, 0, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_CLASS(MPI_File_write_at(f, 0, &b, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_write(f, &b, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_write_shared(f, &b, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CHECK_OK(MPI_Type_free(&nothing));
    CHECK_OK(MPI_File_close(&f));
}

/* A limit on the size of files is an error, and no signal; sync tells all ranks, and goes on telling. */
static void limits(void)
{
    struct rlimit before, small = {8192, 8192};
    MPI_File f = open_file("limits", RW | MPI_MODE_DELETE_ON_CLOSE);
    static char b[20000];

    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    small.rlim_max = before.rlim_max;
    if (rank == 0) {
        CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
        CHECK_CLASS(MPI_File_write_at(f, 0, b, 20000, MPI_BYTE, MPI_STATUS_IGNORE),
                    MPI_ERR_NO_SPACE);
        CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    }
    if (rank == 0)
        CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    CHECK_CLASS(MPI_File_set_size(f, 1 << 20), MPI_ERR_NO_SPACE);
    CHECK_CLASS(MPI_File_preallocate(f, 1 << 20), MPI_ERR_NO_SPACE);
    CHECK_OK(MPI_File_set_size(f, 4096));
    if (rank == 0)
        CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK_CLASS(MPI_File_sync(f), MPI_ERR_NO_SPACE);
    CHECK_CLASS(MPI_File_sync(f), MPI_ERR_NO_SPACE);
    CHECK_CLASS(MPI_File_close(&f), MPI_ERR_NO_SPACE);
    CHECK(f == MPI_FILE_NULL);
}

static int calls;

static void on_error(MPI_File *f, int *code, ...)
{
    (void)code;
    calls++;
    CHECK(*f != MPI_FILE_NULL || calls == 2);
}

static void handlers(void)
{
    MPI_File f;
    MPI_Errhandler h, now;
    int b = 0;

    CHECK_OK(MPI_File_get_errhandler(MPI_FILE_NULL, &now));
    CHECK(now == MPI_ERRORS_RETURN);
    CHECK_OK(MPI_File_create_errhandler(on_error, &h));
    f = open_file("handlers", RW | MPI_MODE_DELETE_ON_CLOSE);
    CHECK_OK(MPI_File_set_errhandler(f, h));
    CHECK_CLASS(MPI_File_write_at(f, -1, &b, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CHECK_EQ(calls, 1);
    CHECK_OK(MPI_File_close(&f));
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, h));
    CHECK_CLASS(MPI_File_delete("/nowhere/x", MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
    CHECK_EQ(calls, 2);
    CHECK_OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER);
    CHECK_OK(MPI_Errhandler_free(&h));
}

/* No descriptor and no memory stays. */
/* A sync has no value to compare, other calls have one, 0 or not: they fail alike at all, and the sync for good. */
static void mixed(void)
{
    for (int flag = 0; flag < 2; flag++) {
        MPI_File f = open_file("mixed", RW);

        CHECK_OK(MPI_File_sync(f));
        CHECK_OK(MPI_File_set_atomicity(f, flag));
        CHECK_CLASS(rank == size - 1 ? MPI_File_sync(f) : MPI_File_set_atomicity(f, flag),
                    size == 1 ? MPI_SUCCESS : MPI_ERR_NOT_SAME);
        CHECK_CLASS(MPI_File_close(&f), size == 1 ? MPI_SUCCESS : MPI_ERR_NOT_SAME);
    }
}

static void many(void)
{
    int before = open("/dev/null", O_RDONLY), after;

    close(before);
    for (int i = 0; i < 300; i++) {
        MPI_File f = open_file("many", RW);

        CHECK_OK(MPI_File_close(&f));
        CHECK_CLASS(try_open("/nowhere/x", RW), MPI_ERR_NO_SUCH_FILE);
    }
    after = open("/dev/null", O_RDONLY);
    close(after);
    CHECK_EQ(after, before);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    opening();
    ways();
    arguments();
    types_of_views();
    too_far();
    no_room();
    limits();
    handlers();
    mixed();
    many();
    return finish();
}
