/* SPDX-License-Identifier: BSD-3-Clause */
/* s1_09_library_grows.c – the library takes memory, of its own and of the job's segment, when the program has given
 * some back: a roll-back still finds the old addresses free.
 *
 *   S1-9: a roll-back restores the state of the safe point exactly
 *
 * RUN: -n 1 ; expect "as it was"
 * RUN: -n 1 ; set SAFE_POINT=drop ; expect "as it was"
 * RUN: -n 1 ; set SAFE_POINT=protect ; expect "as it was"
 * RUN: -n 1 ; set SAFE_POINT=fork ; expect "as it was"
 * RUN: -n 1 ; set SAFE_POINT=full ; expect "as it was" */
#include "../../program.h"

#define BLOCKS 200000
#define BYTES  (1 << 24)

int main(int argc, char **argv)
{
    static int places[BLOCKS];
    MPI_Datatype types[20];
    char *heap = malloc(BYTES);
    int value;
    MPI_Win win;
    void *base;

    MPI_Init(&argc, &argv);
    for (int i = 0; i < BLOCKS; i++)
        places[i] = i * 3 + i % 2;
    memset(heap, 'a', BYTES);
    CHECK_OK(MPIX_Safe_point_enter(&value));
    if (!value) {
        free(heap); /* gives its mapping back */
        for (int i = 0; i < 20; i++)
            CHECK_OK(MPI_Type_create_indexed_block(BLOCKS, 1, places, MPI_INT, &types[i]));
        CHECK_OK(MPI_Win_allocate(BYTES / 2, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        CHECK_OK(MPIX_Safe_point_roll_back(1));
    }
    CHECK(heap[0] == 'a' && heap[BYTES - 1] == 'a');
    CHECK_OK(MPIX_Safe_point_commit());
    free(heap);
    puts("as it was");
    MPI_Finalize();
    return 0;
}
