/* SPDX-License-Identifier: BSD-3-Clause */
/* Names: what MPI_MODE_DELETE_ON_CLOSE removes, and when; what MPI_MODE_EXCL leaves when it fails. */
/* RUN: -n 1 */
/* RUN: -n 3 */
/* RUN: -n 8 */
/* RUN: -n 4 ; set MACHINES=2 */
#include "common.h"

#include <errno.h>
#include <fcntl.h>

#define DELETED (MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE)
#define NEW     (MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_EXCL)

static bool is_there(const char *name)
{
    return access(name, F_OK) == 0;
}

static void touch(const char *name)
{
    int fd = open(name, O_CREAT | O_WRONLY, 0666);

    CHECK(fd >= 0 && close(fd) == 0);
}

/* Rank 0 may be anywhere when the others return. */
static void gone_behind_close(void)
{
    for (int i = 0; i < 50; i++) {
        MPI_File f = open_file("gone", DELETED);

        CHECK_OK(MPI_File_close(&f));
        CHECK(!is_there(file_name("gone")));
        barrier();
    }
}

/* The name is that of the directory in which it was opened. */
static void another_directory(void)
{
    char before[4096];
    const char *top = file_name("place");
    MPI_File f;

    CHECK(getcwd(before, sizeof(before)));
    CHECK(mkdir(top, 0777) == 0 || errno == EEXIST);
    CHECK_EQ(chdir(top), 0);
    CHECK(mkdir("below", 0777) == 0 || errno == EEXIST);
    touch("below/same");
    barrier();
    CHECK_OK(MPI_File_open(W, "same", DELETED, MPI_INFO_NULL, &f));
    CHECK_EQ(chdir("below"), 0);
    CHECK_OK(MPI_File_close(&f));
    CHECK(is_there("same") && !is_there("../same"));
    barrier();
    CHECK_EQ(chdir(before), 0);
    if (rank == 0) {
        char name[4096 + 16];

        snprintf(name, sizeof(name), "%s/below/same", top);
        CHECK_EQ(unlink(name), 0);
        snprintf(name, sizeof(name), "%s/below", top);
        CHECK_EQ(rmdir(name), 0);
        CHECK_EQ(rmdir(top), 0);
    }
    barrier();
}

/* Somebody has given the name to another file. */
static void another_file(void)
{
    MPI_File f = open_file("another", DELETED);

    barrier();
    if (rank == 0) {
        CHECK_EQ(unlink(file_name("another")), 0);
        touch(file_name("another"));
    }
    barrier();
    CHECK_OK(MPI_File_close(&f));
    CHECK(is_there(file_name("another")));
    barrier();
    if (rank == 0)
        CHECK_EQ(unlink(file_name("another")), 0);
    barrier();
}

/* A mode that is not the same at all, hints that are not: there is no file, and it can be opened after that. */
static void exclusive(void)
{
    MPI_File f = MPI_FILE_NULL;
    MPI_Info hints;

    MPI_Info_create(&hints);
    MPI_Info_set(hints, "cb_nodes", rank ? "1" : "2");
    if (size > 1) {
        CHECK_CLASS(MPI_File_open(W, file_name("new"), NEW, hints, &f), MPI_ERR_NOT_SAME);
        CHECK(f == MPI_FILE_NULL && !is_there(file_name("new")));
        CHECK_CLASS(
            MPI_File_open(W, file_name("new"), rank ? MPI_MODE_RDWR : NEW, MPI_INFO_NULL, &f),
            MPI_ERR_NOT_SAME);
        CHECK(f == MPI_FILE_NULL && !is_there(file_name("new")));
    }
    MPI_Info_free(&hints);
    CHECK_CLASS(MPI_File_open(W, file_name("none/new"), NEW, MPI_INFO_NULL, &f),
                MPI_ERR_NO_SUCH_FILE);
    f = open_file("new", NEW);
    CHECK_OK(MPI_File_write_at(f, rank, "x", 1, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&f));
    CHECK_CLASS(
        MPI_File_open(W, file_name("new"), NEW | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f),
        MPI_ERR_FILE_EXISTS);
    CHECK(is_there(file_name("new")));
    barrier();
    if (rank == 0)
        CHECK_OK(MPI_File_delete(file_name("new"), MPI_INFO_NULL));
    barrier();
}

int main(int argc, char **argv)
{
    umask(022);
    start(&argc, &argv);
    gone_behind_close();
    another_directory();
    another_file();
    exclusive();
    return finish();
}
