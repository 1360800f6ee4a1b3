/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank dies while a file is opened that must be new.  If it is not open, it is not there: the survivors shrink and open it again,
 * with the same mode.  A file that was there before stays.
 *
 *   S2-6: a death before the decision makes creation fail everywhere
 *   S2-8: creation of windows and files is uniform, too */
/* RUN: -n 4 --lenient-exit ; kill 0 at agree.enter#1? */
/* RUN: -n 4 --lenient-exit ; kill 0 at agree.enter#2? */
/* RUN: -n 4 --lenient-exit ; kill 0 at agree.enter#3? */
/* RUN: -n 4 --lenient-exit ; kill 0 at agree.enter#4? */
/* RUN: -n 4 --lenient-exit ; kill 0 at agree.enter#5? */
/* RUN: -n 4 --lenient-exit ; kill 0 at agree.enter#6? */
/* RUN: -n 4 --lenient-exit ; kill 0 at agree.enter#7? */
/* RUN: -n 4 --lenient-exit ; kill 0 at agree.enter#8? */
/* RUN: -n 4 --lenient-exit ; kill 0 at agree.done#1? */
/* RUN: -n 4 --lenient-exit ; kill 0 at agree.done#3? */
/* RUN: -n 4 --lenient-exit ; kill 0 at agree.done#4? */
/* RUN: -n 4 --lenient-exit ; kill 0 at agree.done#5? */
/* RUN: -n 4 --lenient-exit ; kill 0 at agree.done#6? */
/* RUN: -n 4 --lenient-exit ; kill 2 at agree.enter#2? */
/* RUN: -n 4 --lenient-exit ; kill 2 at agree.enter#4? */
/* RUN: -n 4 --lenient-exit ; kill 2 at agree.enter#6? */
/* RUN: -n 4 --lenient-exit ; kill 2 at agree.done#2? */
/* RUN: -n 4 --lenient-exit ; kill 2 at agree.done#4? */
/* RUN: -n 4 --lenient-exit ; kill 2 at agree.done#6? */
/* RUN: -n 4 --lenient-exit ; kill 0 at member.create.decided */
/* RUN: -n 5 --lenient-exit ; kill 0 at agree.enter#2? ; set MACHINES=2 */
/* RUN: -n 5 --lenient-exit ; kill 0 at agree.enter#4? ; set MACHINES=2 */
/* RUN: -n 5 --lenient-exit ; kill 0 at agree.enter#6? ; set MACHINES=2 */
/* RUN: -n 6 --lenient-exit ; kill 0 at agree.enter#3? ; kill 1 at agree.done#3? ; kill 3 at agree.enter#6? */
/* RUN: -n 6 --lenient-exit ; kill 0 at time:6ms? ; kill 1 at time:7ms? ; times 10 */
#include "common.h"

#include <fcntl.h>

#define NEW (RW | MPI_MODE_EXCL)

static bool is_there(const char *name)
{
    return access(file_name(name), F_OK) == 0;
}

/* Fails, and leaves it. */
static void open_old(MPI_Comm c)
{
    MPI_File f = MPI_FILE_NULL;
    int fd, class;

    fd = open(file_name("old"), O_CREAT | O_WRONLY, 0666);
    CHECK(fd >= 0);
    close(fd);
    class = MPI_File_open(c, file_name("old"), NEW, MPI_INFO_NULL, &f);
    CHECK(class == MPI_ERR_FILE_EXISTS || class == MPI_ERR_PROC_FAILED);
    CHECK(is_there("old"));
}

int main(int argc, char **argv)
{
    MPI_Comm c = MPI_COMM_WORLD, fewer;
    MPI_File f = MPI_FILE_NULL;
    int class, ended, opens = 0;

    start(&argc, &argv);
    do {
        class = MPI_File_open(c, file_name("new"), NEW, MPI_INFO_NULL, &f);
        CHECK(class == MPI_SUCCESS || class == MPI_ERR_PROC_FAILED);
        CHECK((class == MPI_SUCCESS) == (f != MPI_FILE_NULL));
        same_everywhere(16 + opens, class);
        if (class) {
            CHECK(!is_there("new"));
            CHECK_EQ(MPIX_Comm_shrink(c, &fewer), MPI_SUCCESS);
            c = fewer;
        }
    } while (class && ++opens < size);
    CHECK_EQ(class, MPI_SUCCESS);
    CHECK(is_there("new"));
    ended = MPI_File_close(&f);
    CHECK(ended == MPI_SUCCESS || ended == MPI_ERR_PROC_FAILED);
    open_old(c);
    return finish();
}
