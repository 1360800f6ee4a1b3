/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank dies while a file is opened: it is open at all survivors, or at none of them.
 *
 *   S2-8: creation of windows and files is uniform, too */
/* RUN: -n 4 --lenient-exit ; kill 1 at call:MPI_File_open */
/* RUN: -n 4 --lenient-exit ; kill 0 at call:MPI_File_open */
/* RUN: -n 4 --lenient-exit ; kill 1 at member.create.enter */
/* RUN: -n 4 --lenient-exit ; kill 1 at member.create.decided */
/* RUN: -n 4 --lenient-exit ; kill 0 at agree.enter#1 */
/* RUN: -n 4 --lenient-exit ; kill 0 at agree.enter#2 */
/* RUN: -n 4 --lenient-exit ; kill 0 at agree.enter#3 */
/* RUN: -n 4 --lenient-exit ; kill 2 at agree.done#1 */
/* RUN: -n 4 --lenient-exit ; kill 2 at agree.done#2 */
/* RUN: -n 4 --lenient-exit ; kill 2 at agree.done#3 */
/* RUN: -n 4 --lenient-exit ; kill 3 at agree.enter#1 ; set MACHINES=2 */
/* RUN: -n 4 --lenient-exit ; kill 3 at agree.done#2 ; set MACHINES=2 */
/* RUN: -n 4 --lenient-exit ; kill 0 at member.create.decided */
/* RUN: -n 5 --lenient-exit ; kill 1 at agree.enter#2 ; set MACHINES=2 */
/* RUN: -n 5 --lenient-exit ; kill 0 at agree.sent.down#2 ; set MACHINES=2 */
/* RUN: -n 8 --lenient-exit ; kill 0 at time:6ms? ; kill 3 at time:7ms? ; times 10 */
#include "common.h"

int main(int argc, char **argv)
{
    MPI_File f = MPI_FILE_NULL;
    int class, ended;

    start(&argc, &argv);
    class = MPI_File_open(MPI_COMM_WORLD, file_name("opened"), RW, MPI_INFO_NULL, &f);
    CHECK(class == MPI_SUCCESS || class == MPI_ERR_PROC_FAILED);
    CHECK((class == MPI_SUCCESS) == (f != MPI_FILE_NULL));
    same_everywhere(16, class);
    if (!class) {
        ended = MPI_File_close(&f);
        CHECK(ended == MPI_SUCCESS || ended == MPI_ERR_PROC_FAILED);
        same_everywhere(17, ended);
    }
    return finish();
}
