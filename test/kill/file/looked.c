/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank dies while all read a file together where they share memory, each a part of it for all: in the sum that tells where the
 * parts lie, or before or after any agreement of a round, with its part read or not.  Every survivor gets all of its data, from this
 * call and the next ones, and in the end the job has no more memory than before: also that of the dead rank's part is given back.
 *
 *   S0-50: writing to a file need not report a death
 *   S0-51: the next sync reports the death
 *   S0-52: sync returns the same at all survivors
 *
 * RUN: -n 4 ; kill 1 at call:MPI_File_read_at_all#3>coll.enter#1
 * RUN: -n 4 ; kill 0 at call:MPI_File_read_at_all#3>coll.done#1
 * RUN: -n 4 ; kill 3 at call:MPI_File_read_at_all#3>agree.enter#1
 * RUN: -n 4 ; kill 0 at call:MPI_File_read_at_all#3>agree.enter#2
 * RUN: -n 4 ; kill 1 at call:MPI_File_read_at_all#3>agree.enter#3
 * RUN: -n 4 ; kill 2 at call:MPI_File_read_at_all#3>agree.done#3
 * RUN: -n 4 ; kill 3 at call:MPI_File_read_at_all#3>agree.enter#4
 * RUN: -n 4 ; kill 0 at call:MPI_File_read_at_all#3>agree.enter#6
 * RUN: -n 4 ; kill 1 at call:MPI_File_read_at_all#3>agree.enter#7
 * RUN: -n 2 ; kill 0 at call:MPI_File_read_at_all#3>agree.done#4
 * RUN: -n 8 ; kill 2 at call:MPI_File_read_at_all#3>agree.enter#5 ; kill 5 at call:MPI_File_read_at_all#3>agree.enter#5
 * RUN: -n 4 ; kill 2 at call:MPI_File_read_at_all#3>agree.enter#4 ; set AGREE_SHM=0 ; set COLL_SHM=0
 * RUN: -n 4 --lenient-exit ; kill 2 at time:30ms? ; times 15
 * RUN: -n 4 ; kill 1 at call:MPI_File_sync#2 */
#include "common.h"

#include <dirent.h>
#include <sys/stat.h>

#define BYTES (4 << 20) /* of the file */
#define PIECE 64        /* of a rank, in turn */
#define SLACK                                                                                      \
    (256L << 10) /* pages of messages and agreements; a rank's part has 512 KiB, of 4 ranks */

/* Bytes of the nameless files that this process has. */
static long memory_of_job(void)
{
    DIR *d = opendir("/proc/self/fd");
    const struct dirent *e;
    long bytes = 0;

    CHECK(d != NULL);
    while ((e = readdir(d)) != NULL) {
        char target[64] = "";
        struct stat st;

        if (readlinkat(dirfd(d), e->d_name, target, sizeof(target) - 1) > 0 &&
            !strncmp(target, "/memfd:", 7) && fstat(atoi(e->d_name), &st) == 0)
            bytes += (long)st.st_blocks * 512;
    }
    closedir(d);
    return bytes;
}

static int count(void)
{
    return BYTES / PIECE / size * PIECE;
}

static unsigned char byte_of(int i)
{
    return (unsigned char)(rank * 37 + i * 11 + i / 251 + 1);
}

static MPI_File open_in_turn(void)
{
    MPI_File f = MPI_FILE_NULL;
    MPI_Datatype piece, mine;
    int err;

    if (MPI_File_open(MPI_COMM_WORLD, file_name("looked"), RW, MPI_INFO_NULL, &f) != MPI_SUCCESS)
        return MPI_FILE_NULL;
    MPI_Type_contiguous(PIECE, MPI_BYTE, &piece);
    MPI_Type_create_resized(piece, 0, PIECE * size, &mine);
    MPI_Type_commit(&mine);
    err = MPI_File_set_view(f, PIECE * rank, MPI_BYTE, mine, "native", MPI_INFO_NULL);
    MPI_Type_free(&piece);
    MPI_Type_free(&mine);
    if (err)
        MPI_File_close(&f);
    return err ? MPI_FILE_NULL : f;
}

static void read_all(MPI_File f, unsigned char *got)
{
    MPI_Status s;
    int n;

    memset(got, 0, (size_t)count());
    CHECK_EQ(MPI_File_read_at_all(f, 0, got, count(), MPI_BYTE, &s), MPI_SUCCESS);
    MPI_Get_count(&s, MPI_BYTE, &n);
    CHECK_EQ(n, count());
    for (int i = 0; i < count(); i++)
        if (got[i] != byte_of(i))
            CHECK_FAILS("byte %d is %d, expected %d", i, got[i], byte_of(i));
}

/* Writes a file, and reads it so often.  The class of a sync at its end, -1: it could not be opened. */
static int use_file(int reads)
{
    unsigned char *data = malloc((size_t)count());
    MPI_File f = open_in_turn();
    int class = -1;

    for (int i = 0; i < count(); i++)
        data[i] = byte_of(i);
    if (f != MPI_FILE_NULL) {
        CHECK_EQ(MPI_File_write_at(f, 0, data, count(), MPI_BYTE, MPI_STATUS_IGNORE), MPI_SUCCESS);
        for (int i = 0; i < reads; i++)
            read_all(f, data);
        class = class_of(MPI_File_sync(f));
        MPI_File_close(&f);
    }
    free(data);
    return class;
}

/* When all survivors are here. */
static long memory_in_the_end(void)
{
    MPI_Comm rest;
    long bytes = -1;

    CHECK_EQ(MPIX_Comm_shrink(MPI_COMM_WORLD, &rest), MPI_SUCCESS);
    if (MPI_Barrier(rest) == MPI_SUCCESS)
        bytes = memory_of_job();
    MPI_Barrier(rest);
    MPI_Comm_free(&rest);
    return bytes;
}

int main(int argc, char **argv)
{
    long before, now;
    int class;

    start(&argc, &argv);
    use_file(1); /* what messages and communicators take for good */
    before = memory_in_the_end();
    class = use_file(4);
    CHECK(class == -1 || class == MPI_SUCCESS || class == MPI_ERR_PROC_FAILED);
    same_everywhere(16, class);
    now = memory_in_the_end();
    if (before > 0 && now > before + SLACK)
        CHECK_FAILS("the job has %ld bytes more than before", now - before);
    return finish();
}
