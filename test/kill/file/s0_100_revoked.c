/* SPDX-License-Identifier: BSD-3-Clause */
/* A file is revoked while all others wait in one of its calls; they return, and every later call on it fails, except the local
 * ones and close.
 *
 * Argument: the call that they wait in.
 *
 *   R1: a nonblocking call on a revoked communicator starts; its completion reports the error
 *   R30: a window or a file with dead members can be freed
 *   S0-54: the file's positions can be read after a failure
 *   S0-100: revoking a file notifies all its processes
 *   S0-101: a revoked file ends calls in progress
 *   S0-102: every later call on it that is not local fails */
/* RUN: -n 3 ; args sync ; cont 0 at in:MPI_File_sync:1,2 */
/* RUN: -n 3 ; args view ; cont 0 at in:MPI_File_set_view:1,2 */
/* RUN: -n 3 ; args size ; cont 0 at in:MPI_File_set_size:1,2 */
/* RUN: -n 3 ; args ordered ; cont 0 at in:MPI_File_write_ordered:1,2 */
/* RUN: -n 3 ; args atomic ; cont 0 at in:MPI_File_set_atomicity:1,2 */
/* RUN: -n 5 ; args sync ; cont 0 at in:MPI_File_sync:1-4 ; set MACHINES=2 */
/* RUN: -n 5 ; args ordered ; cont 0 at in:MPI_File_write_ordered:1-4 ; set MACHINES=2 */
/* RUN: -n 5 ; args sync ; cont 0 at in:MPI_File_sync:1-4 ; kill 0 at revoke.sent.one ; expect "rank 1 ok" */
#include "common.h"

static int wait_in(MPI_File f, const char *call)
{
    int b = 0;

    if (!strcmp(call, "sync"))
        return MPI_File_sync(f);
    if (!strcmp(call, "view"))
        return MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    if (!strcmp(call, "size"))
        return MPI_File_set_size(f, 10);
    if (!strcmp(call, "ordered"))
        return MPI_File_write_ordered(f, &b, 1, MPI_INT, MPI_STATUS_IGNORE);
    return MPI_File_set_atomicity(f, 1);
}

static void check_later(MPI_File f)
{
    int b = 0, amode, class = MPI_ERR_INVALIDATED;
    MPI_Offset at;
    MPI_Request r;

    CHECK_CLASS(MPI_File_write_at(f, 0, &b, 1, MPI_INT, MPI_STATUS_IGNORE), class);
    CHECK_CLASS(MPI_File_read(f, &b, 1, MPI_INT, MPI_STATUS_IGNORE), class);
    CHECK_CLASS(MPI_File_write_shared(f, &b, 1, MPI_INT, MPI_STATUS_IGNORE), class);
    CHECK_CLASS(MPI_File_write_ordered(f, &b, 1, MPI_INT, MPI_STATUS_IGNORE), class);
    CHECK_EQ(MPI_File_iwrite_at(f, 0, &b, 1, MPI_INT, &r),
             MPI_SUCCESS); /* R1: its completion tells */
    CHECK_CLASS(MPI_Wait(&r, MPI_STATUS_IGNORE), class);
    CHECK_CLASS(MPI_File_sync(f), class);
    CHECK_CLASS(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), class);
    CHECK_CLASS(MPI_File_set_size(f, 0), class);
    CHECK_CLASS(MPI_File_seek_shared(f, 0, MPI_SEEK_SET), class);
    CHECK_EQ(MPI_File_get_amode(f, &amode), MPI_SUCCESS);
    CHECK_EQ(MPI_File_get_size(f, &at), MPI_SUCCESS);
    CHECK_EQ(MPI_File_get_position(f, &at), MPI_SUCCESS);
    CHECK_EQ(MPI_File_get_position_shared(f, &at), MPI_SUCCESS);
    CHECK_EQ(at, 4);
    CHECK_EQ(MPI_File_seek(f, 0, MPI_SEEK_SET), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_File f;

    hold_cont();
    start(&argc, &argv);
    f = open_file(MPI_COMM_WORLD, "revoked");
    CHECK_EQ(MPI_File_seek_shared(f, 4, MPI_SEEK_SET), MPI_SUCCESS);
    if (rank == 0) {
        await_cont(); /* until all others wait */
        CHECK_EQ(MPIX_File_revoke(f), MPI_SUCCESS);
    } else {
        CHECK_CLASS(wait_in(f, argv[1]), MPI_ERR_INVALIDATED);
    }
    check_later(f);
    CHECK_EQ(MPI_File_close(&f), MPI_SUCCESS);
    CHECK(f == MPI_FILE_NULL);
    return finish();
}
