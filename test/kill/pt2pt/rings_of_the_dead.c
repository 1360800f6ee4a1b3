/* SPDX-License-Identifier: BSD-3-Clause */
/* rings_of_the_dead.c – the memory between a process and a dead one is used again.
 *
 * Rank 0 exchanges messages that fill a ring with one rank after the other, and each of them dies then.
 * The job's segment must not grow with the number of the dead: what the last one needs is what the first
 * one left.
 *
 * RUN: -n 12 ; expect "rank 0 ok"
 * RUN: -n 12 ; set SINGLE_COPY=never ; expect "rank 0 ok" */
#include "kill/common.h"

#include <sys/stat.h>

#define BYTES 60000
#define TIMES 8
#define SLACK 600 /* blocks of 512 bytes: more than one exchange reserves */

static long segment_blocks(void)
{
    char path[64], target[64];
    struct stat st;

    for (int fd = 0; fd < 64; fd++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        memset(target, 0, sizeof target);
        if (readlink(path, target, sizeof target - 1) > 0 && !strncmp(target, "/memfd:mend", 11) &&
            fstat(fd, &st) == 0)
            return st.st_blocks;
    }
    return -1;
}

static void exchange(int with)
{
    static unsigned char out[BYTES], in[BYTES];

    for (int i = 0; i < TIMES; i++) {
        fill(out, BYTES, (unsigned)(rank + i));
        CHECK_CLASS(MPI_Sendrecv(out, BYTES, MPI_BYTE, with, 0, in, BYTES, MPI_BYTE, with, 0,
                                 MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                    MPI_SUCCESS);
        CHECK_EQ(wrong(in, BYTES, (unsigned)(with + i)), -1);
    }
}

int main(int argc, char **argv)
{
    long first = 0;
    int nothing = 0;

    start(&argc, &argv);
    if (rank != 0) {
        await(0, rank);
        exchange(0);
        die_now();
    }
    for (int r = 1; r < size; r++) {
        post(0);
        exchange(r);
        wait_until_dead(MPI_COMM_WORLD, r);
        CHECK_CLASS(MPI_Send(&nothing, 1, MPI_INT, r, 1, MPI_COMM_WORLD), MPI_ERR_PROC_FAILED);
        if (r == 1)
            first = segment_blocks();
    }
    CHECK(first > 0);
    CHECK(segment_blocks() < first + SLACK);
    return finish();
}
