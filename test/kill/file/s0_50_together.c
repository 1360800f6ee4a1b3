/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank dies anywhere in collective calls that gather pieces: before, between and after the exchanges, as an aggregator (with
 * two of them: rank 0 and the one in the middle), as one that only sends, as one that has nothing to write.  Each call
 * succeeds at all survivors, and then the file has what each of them has written, the newest: also what was sent to the one that
 * died.  Reading gives it back.  The next sync tells, and all get the same.
 *
 * Arguments: how, of blocking, later.
 *
 *   S0-50: writing to a file need not report a death
 *   S0-51: the next sync reports the death
 *   S0-52: sync returns the same at all survivors */
/* RUN: -n 4 ; kill 0 at agree.enter#6 ; args blocking */
/* RUN: -n 4 ; kill 0 at agree.done#6 ; args blocking */
/* RUN: -n 4 ; kill 2 at agree.enter#7 ; args blocking */
/* RUN: -n 4 ; kill 1 at coll.enter#9 ; args blocking */
/* RUN: -n 4 ; kill 0 at coll.enter#10 ; args blocking */
/* RUN: -n 4 ; kill 0 at coll.done#12 ; args blocking */
/* RUN: -n 4 ; kill 2 at coll.done#13 ; args blocking */
/* RUN: -n 4 ; kill 2 at coll.round#11 ; args blocking */
/* RUN: -n 4 ; kill 3 at coll.round#14 ; args blocking */
/* RUN: -n 2 ; kill 0 at coll.done#12 ; args blocking */
/* RUN: -n 2 ; kill 1 at coll.done#12 ; args blocking */
/* RUN: -n 5 ; kill 0 at coll.done#10 ; kill 2 at coll.done#13? ; args blocking */
/* RUN: -n 4 ; kill 0 at coll.done#12 ; args later */
/* RUN: -n 4 ; kill 2 at agree.enter#7 ; args later */
/* RUN: -n 5 ; kill 0 at coll.done#12 ; args blocking ; set MACHINES=2 */
/* RUN: -n 5 ; kill 2 at coll.done#13 ; args later ; set MACHINES=2 */
/* RUN: -n 8 ; kill 4 at coll.done#12 ; args blocking ; set AGREE_SHM=0 ; set COLL_SHM=0 */
/* RUN: -n 4 --lenient-exit ; kill 0 at time:12ms? ; args blocking ; times 15 */
/* RUN: -n 5 --lenient-exit ; kill 2 at time:15ms? ; args later ; times 15 ; set MACHINES=2 */
/* RUN: -n 16 --lenient-exit ; kill 8 at time:60ms? ; args blocking ; times 3 */
#include "common.h"

#define ROUNDS 200
#define PIECES 200

static bool later;
static int data[2 * PIECES];

static void number(int round)
{
    for (int i = 0; i < PIECES; i++)
        data[i] = rank << 24 | round << 12 | i;
}

/* The third rank of four has nothing to write. */
static int pieces(void)
{
    return rank % 4 == 3 ? 0 : PIECES;
}

static int move_all(MPI_File f, bool write, int *b)
{
    MPI_Request r;

    if (!later)
        return write ? MPI_File_write_at_all(f, 0, b, pieces(), MPI_INT, MPI_STATUS_IGNORE)
                     : MPI_File_read_at_all(f, 0, b, pieces(), MPI_INT, MPI_STATUS_IGNORE);
    if (write)
        CHECK_EQ(MPI_File_iwrite_at_all(f, 0, b, pieces(), MPI_INT, &r), MPI_SUCCESS);
    else
        CHECK_EQ(MPI_File_iread_at_all(f, 0, b, pieces(), MPI_INT, &r), MPI_SUCCESS);
    return MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* Own pieces, as the system has them: others may be further on. */
static void check_own(MPI_File f)
{
    int got[PIECES];

    CHECK_EQ(MPI_File_read_at(f, 0, got, pieces(), MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(!memcmp(got, data, (size_t)pieces() * sizeof(int)));
}

static MPI_File open_gathering(void)
{
    MPI_File f = MPI_FILE_NULL;
    MPI_Datatype mine;
    MPI_Info i;
    int err;

    MPI_Info_create(&i);
    MPI_Info_set(i, "romio_cb_write", "enable");
    MPI_Info_set(i, "romio_cb_read", "enable");
    MPI_Info_set(i, "cb_buffer_size", "4096");
    MPI_Info_set(i, "striping_unit", "512");
    MPI_Info_set(i, "cb_nodes", "2");
    if (MPI_File_open(MPI_COMM_WORLD, file_name("gathered"), RW, i, &f) != MPI_SUCCESS)
        return MPI_FILE_NULL;
    MPI_Type_create_resized(MPI_INT, 0, 4 * size, &mine);
    MPI_Type_commit(&mine);
    err = MPI_File_set_view(f, 4 * rank, MPI_INT, mine, "native", MPI_INFO_NULL);
    MPI_Type_free(&mine);
    if (err)
        MPI_File_close(&f);
    MPI_Info_free(&i);
    return err ? MPI_FILE_NULL : f;
}

int main(int argc, char **argv)
{
    int got[PIECES], class;
    MPI_File f;

    start(&argc, &argv);
    later = !strcmp(argv[1], "later");
    f = open_gathering();
    if (f == MPI_FILE_NULL)
        return finish(); /* it came too soon */
    for (int i = 0; i < ROUNDS; i++) {
        number(i);
        CHECK_EQ(move_all(f, true, data), MPI_SUCCESS);
        check_own(f);
        memset(got, 0, sizeof(got));
        CHECK_EQ(move_all(f, false, got), MPI_SUCCESS);
        CHECK(!memcmp(got, data, (size_t)pieces() * sizeof(int)));
    }
    class = MPI_File_sync(f);
    CHECK(class == MPI_SUCCESS ||
          class == MPI_ERR_PROC_FAILED); /* success: it lives, or died behind it */
    same_everywhere(16, class);
    class = MPI_File_close(&f);
    same_everywhere(17, class);
    return finish();
}
