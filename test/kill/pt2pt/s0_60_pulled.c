/* SPDX-License-Identifier: BSD-3-Clause */
/* A large message is pulled out of the sender's memory in fragments, and between two of
 * them the receiver learns of a revocation or of the sender's death: its receive ends, long before
 * the last byte, and the program owns the buffer again.
 *
 * With a whole message at once the first look at the receive finds it done, and this test fails.
 *
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED
 *   S0-60: a revocation ends calls in progress
 *
 * RUN: -n 2 ; args revoke ; set SINGLE_COPY=always ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 2 ; args die ; set SINGLE_COPY=always ; expect "rank 0 ok"
 * RUN: -n 2 ; args die ; set SINGLE_COPY=always ; set SPIN=0 ; set YIELD=0 ; expect "rank 0 ok"
 * RUN: -n 2 ; args go ; set SINGLE_COPY=always ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 2 ; args go ; kill 0 at p2p.data.pulled#3 ; set SINGLE_COPY=always ; expect "rank 1 ok" */
#include "../common.h"

#define N (16 << 20)

static void send_it(MPI_Comm c, const char *what, unsigned char *out)
{
    MPI_Request q;
    int code;

    fill(out, N, 7);
    board[3] = getpid();
    CHECK_EQ(MPI_Isend(out, N, MPI_BYTE, 0, 1, c, &q), MPI_SUCCESS);
    post(0);
    if (strcmp(what, "go"))
        await(1, 1); /* outside of MPI */
    if (!strcmp(what, "die"))
        raise(SIGKILL);
    if (!strcmp(what, "revoke"))
        CHECK_EQ(MPI_Comm_revoke(c), MPI_SUCCESS);
    code = MPI_Wait(&q, MPI_STATUS_IGNORE);
    if (!strcmp(what, "revoke"))
        CHECK_CLASS(code, MPI_ERR_INVALIDATED);
    else if (code != MPI_SUCCESS)
        CHECK_CLASS(code, MPI_ERR_PROC_FAILED);
    memset(out, 0xEE, N);
    post(2);
}

static void receive_it(MPI_Comm c, const char *what, unsigned char *in)
{
    MPI_Request q;
    int done = 0;

    await(0, 1);
    CHECK_EQ(MPI_Irecv(in, N, MPI_BYTE, 1, 1, c, &q), MPI_SUCCESS);
    while (wrong(in, 1, 7) != -1 && !done) /* its first byte has come */
        CHECK_EQ(MPI_Test(&q, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(!done);
    post(1);
    if (!strcmp(what, "revoke")) {
        await(2, 1);
        CHECK_CLASS(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_ERR_INVALIDATED);
        CHECK(wrong(in, N, 7) != -1); /* not all of it had come */
    } else if (!strcmp(what, "die")) {
        await_state(posted(3), 'Z'); /* outside of MPI */
        CHECK_CLASS(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_ERR_PROC_FAILED);
    } else {
        CHECK_EQ(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(wrong(in, N, 7), -1);
    }
    check_guards(in, N);
}

int main(int argc, char **argv)
{
    MPI_Comm c;

    start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    if (rank == 1)
        send_it(c, argv[1], guarded(N));
    if (rank == 0) {
        unsigned char *in = guarded(N);

        memset(in, 0, N);
        receive_it(c, argv[1], in);
    }
    return finish();
}
