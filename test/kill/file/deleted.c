/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank dies before or in the close of a file that is deleted when it is closed: no survivor sees it after its close returns.
 *
 * Argument: anything: the file is revoked.
 *
 *   R30: a window or a file with dead members can be freed */
/* RUN: -n 4 --lenient-exit ; kill 0 at call:MPI_File_close */
/* RUN: -n 4 --lenient-exit ; kill 0 at call:MPI_File_close>agree.enter#1? */
/* RUN: -n 4 --lenient-exit ; kill 0 at call:MPI_File_close>agree.enter#2? */
/* RUN: -n 4 --lenient-exit ; kill 0 at call:MPI_File_close>agree.enter#3? */
/* RUN: -n 4 --lenient-exit ; kill 0 at call:MPI_File_close>agree.done#1? */
/* RUN: -n 4 --lenient-exit ; kill 0 at call:MPI_File_close>agree.done#2? */
/* RUN: -n 4 --lenient-exit ; kill 0 at call:MPI_File_close>agree.done#3? */
/* RUN: -n 4 --lenient-exit ; kill 1 at call:MPI_File_close>agree.enter#2? */
/* RUN: -n 5 --lenient-exit ; kill 0 at call:MPI_File_close>agree.enter#2? ; kill 1 at call:MPI_File_close>agree.enter#3? */
/* RUN: -n 5 --lenient-exit ; kill 0 at call:MPI_File_close>agree.enter#1? ; set MACHINES=2 */
/* RUN: -n 5 --lenient-exit ; kill 0 at call:MPI_File_close>agree.enter#2? ; set MACHINES=2 */
/* RUN: -n 5 --lenient-exit ; kill 0 at call:MPI_File_close>agree.enter#3? ; set MACHINES=2 */
/* RUN: -n 3 ; args revoked */
/* RUN: -n 3 --lenient-exit ; args revoked ; kill 0 at call:MPI_File_close */
#include "common.h"

int main(int argc, char **argv)
{
    MPI_File f = MPI_FILE_NULL;
    int b = 1, class;

    start(&argc, &argv);
    CHECK_EQ(MPI_File_open(MPI_COMM_WORLD, file_name("deleted"), RW | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &f),
             MPI_SUCCESS);
    CHECK_EQ(MPI_File_write_at(f, 4 * rank, &b, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    post(0);
    await(0, size);
    if (argc > 1)
        CHECK_EQ(MPIX_File_revoke(f), MPI_SUCCESS);
    class = MPI_File_close(&f);
    CHECK(class == MPI_SUCCESS || class == MPI_ERR_PROC_FAILED);
    CHECK(f == MPI_FILE_NULL && access(file_name("deleted"), F_OK) != 0);
    return finish();
}
