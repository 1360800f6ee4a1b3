/* SPDX-License-Identifier: BSD-3-Clause */
/* common.h – what the tests of files share: a file of the test's own, and what is in it. */
#ifndef TEST_MPI_FILE_COMMON_H
#define TEST_MPI_FILE_COMMON_H

#include "../comm/common.h"

#include <mpi_ft.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define W MPI_COMM_WORLD

/* Of this job alone. */
static inline const char *file_name(const char *name)
{
    static char path[4096];
    const char *dir = getenv("MEND_TEST_TMP");

    if (dir)
        snprintf(path, sizeof(path), "%s/%s", dir, name);
    else
        snprintf(path, sizeof(path), "/tmp/mend-file-%d-%s", (int)getppid(), name);
    return path;
}

static inline MPI_File open_file(const char *name, int amode)
{
    MPI_File f = MPI_FILE_NULL;

    CHECK_OK(MPI_File_open(W, file_name(name), amode, MPI_INFO_NULL, &f));
    CHECK(f != MPI_FILE_NULL);
    return f;
}

/* The bytes of the file as the system has them; *n_p: how many. */
static inline unsigned char *contents(const char *name, long *n_p)
{
    FILE *f = fopen(file_name(name), "rb");
    unsigned char *all;

    CHECK(f && fseek(f, 0, SEEK_END) == 0);
    *n_p = ftell(f);
    rewind(f);
    all = malloc((size_t)*n_p + 1);
    CHECK_EQ(fread(all, 1, (size_t)*n_p, f), *n_p);
    fclose(f);
    return all;
}

static inline void barrier(void)
{
    CHECK_OK(MPI_Barrier(W));
}

#endif
