/* SPDX-License-Identifier: BSD-3-Clause */
/* s1_08_after_a_file.c – the kernel's threads that have written to a file (FILE_ASYNC) stay when it is closed; they keep no
 * safe point away, for they run nothing of the program.  `open`: nor does the file while it is open, whose descriptor the agent
 * watches.
 *
 *   S1-8: changes to memory are recorded page by page from a safe point on
 *
 * RUN: -n 1 ; set FILE_ASYNC=always ; expect "rolled back 3 times"
 * RUN: -n 1 ; args open ; set FILE_ASYNC=always ; expect "rolled back 3 times"
 * RUN: -n 2 ; args open ; set FILE_ASYNC=always ; set SAFE_POINT=fork ; expect "rolled back 3 times"
 * RUN: -n 2 ; set FILE_ASYNC=always ; set SAFE_POINT=protect ; expect "rolled back 3 times"
 * RUN: -n 2 ; set FILE_ASYNC=always ; set SAFE_POINT=drop ; expect "rolled back 3 times"
 * RUN: -n 2 ; set FILE_ASYNC=always ; set SAFE_POINT=fork ; expect "rolled back 3 times"
 * RUN: -n 2 ; set FILE_ASYNC=always ; set SAFE_POINT=full ; expect "rolled back 3 times" */
#include "../../program.h"

#define BYTES 300000

static char out[BYTES];

int main(int argc, char **argv)
{
    char name[4096];
    const char *dir = getenv("MEND_TEST_TMP");
    MPI_File f;
    MPI_Request q;
    int value, changed = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof(name), "%s/after-a-file", dir ? dir : "/tmp");
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name,
                           MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &f));
    CHECK_OK(MPI_File_iwrite_at(f, (MPI_Offset)rank * BYTES, out, BYTES, MPI_BYTE, &q));
    CHECK_OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
    if (argc < 2)
        CHECK_OK(MPI_File_close(&f));
    CHECK_OK(MPIX_Safe_point_enter(&value));
    CHECK_EQ(changed, 0);
    changed = 1;
    if (value < 3)
        MPIX_Safe_point_roll_back(value + 1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("rolled back %d times\n", value);
    if (argc > 1)
        CHECK_OK(MPI_File_close(&f));
    return MPI_Finalize();
}
