/* SPDX-License-Identifier: BSD-3-Clause */
/* A member of a file is dead.  Every call returns: those that move data succeed unless they need the dead process, the ones for
 * all say so, sync at all survivors alike and again; the pointers can be read; the file can be closed, and what was written
 * is in it.
 *
 * Argument: which rank dies.
 *
 *   R8: a member that never wrote is a member of the sync
 *   R30: a window or a file with dead members can be freed
 *   S0-50: writing to a file need not report a death
 *   S0-51: the next sync reports the death
 *   S0-52: sync returns the same at all survivors
 *   S0-53: after a failure a position may be anywhere, and can be set again
 *   S0-54: the file's positions can be read after a failure */
/* RUN: -n 2 ; args 1 */
/* RUN: -n 2 ; args 0 */
/* RUN: -n 5 ; args 3 */
/* RUN: -n 5 ; args 0 */
/* RUN: -n 5 ; args 4 */
/* RUN: -n 5 ; args 2 ; set MACHINES=2 */
/* RUN: -n 5 ; args 0 ; set MACHINES=2 */
/* RUN: -n 16 ; args 7 ; set COLL_SHM=0 ; set AGREE_SHM=0 */
#include "common.h"

#define SHARED 6 /* where the shared pointer is when the process dies */

static int victim;

/* They need nobody else, unless the pointer lies at rank 0 and is reached by messages: then this process remembers where it was. */
static void alone(MPI_File f, bool known)
{
    int b[4] = {rank, rank, rank, rank}, got[4] = {0};
    MPI_Offset at;
    MPI_Request r;
    int err;

    CHECK_EQ(MPI_File_write_at(f, 16 * rank, b, 4, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_File_write_at_all(f, 16 * rank, b, 4, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_File_read_at_all(f, 16 * rank, got, 4, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(memcmp(b, got, sizeof(b)) == 0);
    CHECK_EQ(MPI_File_iwrite_at(f, 16 * rank, b, 4, MPI_INT, &r), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_File_seek(f, 3, MPI_SEEK_SET), MPI_SUCCESS);
    CHECK_EQ(MPI_File_get_position(f, &at), MPI_SUCCESS);
    CHECK_EQ(at, 3);
    CHECK_EQ(MPI_File_get_size(f, &at), MPI_SUCCESS);
    CHECK_EQ(MPI_File_get_position_shared(f, &at), MPI_SUCCESS);
    CHECK(at == SHARED || !known);
    err = MPI_File_read_shared(f, got, 0, MPI_INT, MPI_STATUS_IGNORE);
    CHECK(err == MPI_SUCCESS || (victim == 0 && err == MPI_ERR_PROC_FAILED));
}

static void together(MPI_File f)
{
    int b = 0;

    CHECK_CLASS(MPI_File_set_size(f, 4096), MPI_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_File_preallocate(f, 4096), MPI_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL),
                MPI_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_File_set_atomicity(f, 1), MPI_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_File_seek_shared(f, 0, MPI_SEEK_SET), MPI_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_File_write_ordered(f, &b, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_PROC_FAILED);
}

/* Where the calls that failed left them is not said; a new place holds. */
static void positions(MPI_File f)
{
    MPI_Offset at = -1;

    CHECK_EQ(MPI_File_get_position(f, &at), MPI_SUCCESS);
    CHECK(at >= 0);
    CHECK_EQ(MPI_File_seek(f, 5, MPI_SEEK_SET), MPI_SUCCESS);
    CHECK_EQ(MPI_File_seek(f, 2, MPI_SEEK_CUR), MPI_SUCCESS);
    CHECK_EQ(MPI_File_get_position(f, &at), MPI_SUCCESS);
    CHECK_EQ(at, 7);
    CHECK_EQ(MPI_File_get_position_shared(f, &at), MPI_SUCCESS);
    CHECK(at >= 0);
}

static void check_contents(const char *name)
{
    FILE *f = fopen(file_name(name), "rb");

    CHECK(f);
    for (int r = 0; r < size; r++) {
        int got[4] = {-1, -1, -1, -1}, want = r == victim ? got[0] : r;

        CHECK(fseek(f, 16 * r, SEEK_SET) == 0);
        if (r == victim || r > rank)
            continue; /* never written; or another rank may not be there yet */
        CHECK(fread(got, 4, 4, f) == 4 || r != rank);
        CHECK(r != rank || (got[0] == want && got[3] == want));
    }
    fclose(f);
}

int main(int argc, char **argv)
{
    MPI_File f;

    start(&argc, &argv);
    victim = atoi(argv[1]);
    f = open_file(MPI_COMM_WORLD, "written");
    CHECK_EQ(MPI_File_seek_shared(f, SHARED, MPI_SEEK_SET), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    post(0);
    if (rank == victim) {
        await(0, size); /* the others are past the barrier */
        die_now();
    }
    wait_until_dead(MPI_COMM_WORLD, victim);
    alone(f, true);
    CHECK_CLASS(MPI_File_sync(f), MPI_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_File_sync(f), MPI_ERR_PROC_FAILED);
    together(f);
    positions(f);
    alone(f, false);
    check_contents("written");
    CHECK_EQ(MPI_File_close(&f), MPI_SUCCESS); /* sync has told already */
    CHECK(f == MPI_FILE_NULL);
    return finish();
}
