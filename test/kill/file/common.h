/* SPDX-License-Identifier: BSD-3-Clause */
/* common.h – what the tests of files and failures share: a file of the test's own; results that must be the same. */
#ifndef TEST_KILL_FILE_COMMON_H
#define TEST_KILL_FILE_COMMON_H

#include "../common.h"

#include <string.h>
#include <sys/stat.h>

#define RW (MPI_MODE_CREATE | MPI_MODE_RDWR)

static inline const char *file_name(const char *name)
{
    static char path[4096];
    const char *dir = getenv("MEND_TEST_TMP");

    snprintf(path, sizeof(path), "%s/%s", dir ? dir : "/tmp", name);
    return path;
}

static inline MPI_File open_file(MPI_Comm comm, const char *name)
{
    MPI_File f = MPI_FILE_NULL;

    CHECK_EQ(MPI_File_open(comm, file_name(name), RW, MPI_INFO_NULL, &f), MPI_SUCCESS);
    return f;
}

/* All survivors that call this for the same case have the same class. */
static inline void same_everywhere(int slot, int class)
{
    int nobody = 0, mine = class + 1;

    if (!__atomic_compare_exchange_n(&board[slot], &nobody, mine, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST))
        CHECK_EQ(nobody, mine);
}

#endif
