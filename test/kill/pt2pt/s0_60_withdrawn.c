/* SPDX-License-Identifier: BSD-3-Clause */
/* A large send ends by an error, here a revocation, while its message is known to
 * the receiver and not yet fetched; the sender then writes over the memory, or gives it back.  A
 * receiver that takes messages out of the sender's memory must neither succeed with what it finds
 * there now, nor take the sender for dead: it gets MPI_ERR_INVALIDATED, and both go on.
 *
 *   S0-28: a failed collective touches nothing but its output buffers
 *   S0-60: a revocation ends calls in progress
 *   S3-10: a running process is not suspected
 *
 * RUN: -n 2 ; args overwrite ; set SINGLE_COPY=always ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 2 ; args unmap ; set SINGLE_COPY=always ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 2 ; args overwrite ; set SINGLE_COPY=never ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 3 ; args other ; set SINGLE_COPY=always ; expect "rank 0 ok" ; expect "rank 1 ok" */
#include "../common.h"

#define N 409600 /* whole pages */

static void sender(MPI_Comm c, MPI_Comm other, const char *what, unsigned char *buf)
{
    MPI_Request q;

    if (!strcmp(what, "other")) /* this one is not touched by the end of the one on c */
        CHECK_EQ(MPI_Isend(buf, N, MPI_BYTE, 0, 2, other, &q), MPI_SUCCESS);
    buf += N;
    CHECK_EQ(MPI_Comm_revoke(c), MPI_SUCCESS);
    if (!strcmp(what, "unmap"))
        CHECK_EQ(munmap(buf, N), 0);
    else
        memset(buf, 0xEE, N);
    post(0);
    if (!strcmp(what, "other"))
        CHECK_EQ(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    unsigned char *in, *out;
    MPI_Comm c, other;
    MPI_Request q;

    start(&argc, &argv);
    in = guarded(N);
    out = mmap(NULL, 2 * N, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    if (rank == 1) {
        fill(out, 2 * N, 7);
        CHECK_EQ(MPI_Isend(out + N, N, MPI_BYTE, 0, 1, c, &q), MPI_SUCCESS);
        sender(c, other, argv[1], out);
        CHECK_CLASS(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_ERR_INVALIDATED);
    }
    if (rank == 0) {
        await(0, 1); /* outside of MPI: message and revocation wait in this order */
        if (!strcmp(argv[1], "other")) {
            CHECK_EQ(MPI_Recv(in, N, MPI_BYTE, 1, 2, other, MPI_STATUS_IGNORE), MPI_SUCCESS);
            CHECK_EQ(wrong(in, N, 7), -1);
        } else {
            CHECK_CLASS(MPI_Recv(in, N, MPI_BYTE, 1, 1, c, MPI_STATUS_IGNORE), MPI_ERR_INVALIDATED);
        }
        check_guards(in, N);
    }
    if (rank <= 1)
        CHECK_EQ(MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 3, &size, 1, MPI_INT, 1 - rank, 3,
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
    return finish();
}
