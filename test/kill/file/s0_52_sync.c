/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank dies at any moment while all write and sync again and again: each sync has one result at all survivors, and what a
 * successful one covered is in the file.
 *
 *   S0-51: the next sync reports the death
 *   S0-52: sync returns the same at all survivors */
/* RUN: -n 4 --lenient-exit ; kill 1 at agree.enter#5 */
/* RUN: -n 4 --lenient-exit ; kill 1 at agree.done#5 */
/* RUN: -n 4 --lenient-exit ; kill 0 at agree.enter#6 */
/* RUN: -n 4 --lenient-exit ; kill 3 at call:MPI_File_sync#3 */
/* RUN: -n 4 --lenient-exit ; kill 2 at call:MPI_File_write_at#9 */
/* RUN: -n 5 --lenient-exit ; kill 1 at agree.enter#5 ; kill 2 at agree.enter#6 ; kill 0 at agree.done#6 */
/* RUN: -n 5 --lenient-exit ; kill 1 at agree.enter#5 ; set MACHINES=2 */
/* RUN: -n 5 --lenient-exit ; kill 1 at agree.sent.up#5? ; set AGREE_SHM=0 */
/* RUN: -n 5 --lenient-exit ; kill 0 at agree.sent.down#8? ; set AGREE_SHM=0 */
/* RUN: -n 2 --lenient-exit ; kill 1 at agree.enter#9 */
/* RUN: -n 2 --lenient-exit ; kill 0 at agree.enter#8 */
/* RUN: -n 2 --lenient-exit ; kill 0 at agree.done#9 */
/* RUN: -n 4 --lenient-exit ; kill 1 at time:8ms? ; times 20 */
/* RUN: -n 2 --lenient-exit ; kill 1 at time:6ms? ; times 20 */
/* RUN: -n 4 --lenient-exit ; kill 0 at time:9ms? ; times 20 ; set MACHINES=2 */
#include "common.h"

#define ROUNDS 60

static void check_written(int rounds)
{
    FILE *f = fopen(file_name("synced"), "rb");

    for (int r = 0; r < size; r++) {
        int got = -1;

        CHECK(f && fseek(f, 4 * r, SEEK_SET) == 0 && fread(&got, 4, 1, f) == 1);
        CHECK(got >= rounds); /* or one that came later */
    }
    fclose(f);
}

int main(int argc, char **argv)
{
    MPI_File f = MPI_FILE_NULL;
    int class, failures = 0;

    start(&argc, &argv);
    if (MPI_File_open(MPI_COMM_WORLD, file_name("synced"), RW, MPI_INFO_NULL, &f) != MPI_SUCCESS)
        return finish(); /* it came too soon */
    for (int i = 0; i < ROUNDS; i++) {
        CHECK_EQ(MPI_File_write_at(f, 4 * rank, &i, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
        class = MPI_File_sync(f);
        CHECK(class == MPI_SUCCESS || class == MPI_ERR_PROC_FAILED);
        same_everywhere(16 + i, class);
        CHECK(class || !failures); /* once told, for good */
        failures += class != MPI_SUCCESS;
        if (!class)
            check_written(i);
    }
    class = MPI_File_close(&f);
    same_everywhere(16 + ROUNDS, class);
    return finish();
}
