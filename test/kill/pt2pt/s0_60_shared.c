/* SPDX-License-Identifier: BSD-3-Clause */
/* Both ends copy a large message, and either dies, or the communicator is revoked, or the
 * sender computes instead.  A receive that ends early ends only when the sender, which may be stopped in the middle of
 * a fragment, has let go of its buffer.
 *
 *   go     16 MiB; both are in MPI
 *   help   the receiver has begun and is outside of MPI until the sender is dead: that one takes the rest of the turn
 *   alone  the sender is outside of MPI until the receiver is dead, which so takes all
 *   sizes  messages of many sizes, one at a time and in windows, some longer than the room for them
 *   away   the sender is outside of MPI until the message has come
 *   hold   the sender is stopped in a fragment that it has taken; the receiver revokes
 *
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED
 *   S0-60: a revocation ends calls in progress
 *
 * RUN: -n 2 ; args go ; set SINGLE_COPY=always ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 2 ; args go ; set SINGLE_COPY=always ; set SPIN=0 ; set YIELD=0 ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 2 ; args help ; set SINGLE_COPY=always ; kill 1 at p2p.data.taken ; expect "rank 0 ok"
 * RUN: -n 2 ; args help ; set SINGLE_COPY=always ; kill 1 at p2p.data.taken#9 ; expect "rank 0 ok"
 * RUN: -n 2 ; args help ; set SINGLE_COPY=always ; kill 1 at p2p.data.pushed ; expect "rank 0 ok"
 * RUN: -n 2 ; args help ; set SINGLE_COPY=always ; kill 1 at p2p.data.pushed#20 ; expect "rank 0 ok"
 * RUN: -n 2 ; args alone ; set SINGLE_COPY=always ; kill 0 at p2p.data.pulled ; expect "rank 1 ok"
 * RUN: -n 2 ; args alone ; set SINGLE_COPY=always ; kill 0 at p2p.data.pulled#17 ; expect "rank 1 ok"
 * RUN: -n 2 ; args sizes ; set SINGLE_COPY=always ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 3 ; args sizes ; set SINGLE_COPY=always ; expect "rank 0 ok" ; expect "rank 1 ok" ; expect "rank 2 ok"
 * RUN: -n 2 ; args away ; set SINGLE_COPY=always ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 2 ; args hold ; set SINGLE_COPY=always ; stop 1 at p2p.data.taken ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 2 ; args hold ; set SINGLE_COPY=always ; stop 1 at p2p.data.taken#5 ; expect "rank 0 ok" ; expect "rank 1 ok" */
#include "../common.h"

#define N      (16 << 20)
#define WINDOW 40

/* MPI_Wait, or the death of the other end. */
static bool came(MPI_Request *q)
{
    int code = MPI_Wait(q, MPI_STATUS_IGNORE);

    if (code != MPI_SUCCESS)
        CHECK_CLASS(code, MPI_ERR_PROC_FAILED);
    return code == MPI_SUCCESS;
}

/* Until the first byte is here: a turn is open.  False: the sender has died already. */
static bool begun(MPI_Request *q, const unsigned char *buf)
{
    int done = 0, code = MPI_SUCCESS;

    while (code == MPI_SUCCESS && wrong(buf, 1, 7) != -1)
        code = MPI_Test(q, &done, MPI_STATUS_IGNORE);
    CHECK(!done || code != MPI_SUCCESS);
    if (code != MPI_SUCCESS)
        CHECK_CLASS(code, MPI_ERR_PROC_FAILED);
    return code == MPI_SUCCESS;
}

static void go(MPI_Comm c, const char *how)
{
    unsigned char *buf = guarded(N);
    MPI_Request q;

    board[5 + rank] = getpid();
    post(3);
    await(3, 2);
    if (rank == 1) {
        fill(buf, N, 7);
        CHECK_EQ(MPI_Isend(buf, N, MPI_BYTE, 0, 1, c, &q), MPI_SUCCESS);
        if (!strcmp(how, "away"))
            await(0, 1);
        if (!strcmp(how, "alone"))
            await_state(board[5], 'Z');
        came(&q);
        return;
    }
    memset(buf, 0, N);
    CHECK_EQ(MPI_Irecv(buf, N, MPI_BYTE, 1, 1, c, &q), MPI_SUCCESS);
    if (!strcmp(how, "help") && begun(&q, buf))
        await_state(board[6], 'Z');
    if (q != MPI_REQUEST_NULL && came(&q)) {
        CHECK_EQ(wrong(buf, N, 7), -1);
    } else {
        memset(buf, 0xEE, N); /* its own again */
        sched_yield();
        for (int i = 0; i < N; i++)
            CHECK_EQ(buf[i], 0xEE);
    }
    post(0);
    check_guards(buf, N);
}

static void exchange(MPI_Comm c, int n, int messages, int room)
{
    unsigned char *out = guarded(n), *in[WINDOW];
    MPI_Request q[2 * WINDOW];
    int to = (rank + 1) % size, from = (rank + size - 1) % size;

    fill(out, n, n);
    for (int i = 0; i < messages; i++) {
        in[i] = guarded(room);
        memset(in[i], 0, room);
        CHECK_EQ(MPI_Irecv(in[i], room, MPI_BYTE, from, 1, c, &q[i]), MPI_SUCCESS);
    }
    for (int i = 0; i < messages; i++)
        CHECK_EQ(MPI_Isend(out, n, MPI_BYTE, to, 1, c, &q[messages + i]), MPI_SUCCESS);
    for (int i = 0; i < 2 * messages; i++) {
        int code = MPI_Wait(&q[i], MPI_STATUS_IGNORE);

        if (i < messages && room < n)
            CHECK_CLASS(code, MPI_ERR_TRUNCATE);
        else
            CHECK_EQ(code, MPI_SUCCESS);
    }
    for (int i = 0; i < messages; i++) {
        CHECK_EQ(wrong(in[i], room < n ? room : n, n), -1);
        check_guards(in[i], room);
        free(in[i] - EDGE);
    }
    free(out - EDGE);
}

static void sizes(MPI_Comm c)
{
    static const int at[] = {32768, 65536, 131072, 262144, 1 << 20, (4 << 20) + 12345};

    for (int i = 0; i < 6; i++)
        for (int off = -1; off <= 1; off++) {
            exchange(c, at[i] + off, 1, at[i] + off);
            exchange(c, at[i] + off, 1, at[i] / 2 + 1);
        }
    exchange(c, 65536, WINDOW, 65536);
    exchange(c, 300001, WINDOW, 300001);
    exchange(c, 200000, 7, 0);
    exchange(c, 3000000, 5, 1234567);
}

static void hold(MPI_Comm c)
{
    unsigned char *buf = guarded(N);
    MPI_Request q;
    int done = 0;

    if (rank == 1) {
        fill(buf, N, 7);
        board[5] = getpid();
        post(4);
        CHECK_EQ(MPI_Isend(buf, N, MPI_BYTE, 0, 1, c, &q), MPI_SUCCESS);
        CHECK_CLASS(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_ERR_INVALIDATED);
        return;
    }
    memset(buf, 0, N);
    await(4, 1);
    CHECK_EQ(MPI_Irecv(buf, N, MPI_BYTE, 1, 1, c, &q), MPI_SUCCESS);
    while (wrong(buf, 1, 7) != -1 && !is_in_state(board[5], 'T')) /* until a turn is open */
        CHECK_EQ(MPI_Test(&q, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(!done);
    await_state(board[5], 'T');
    CHECK_EQ(MPI_Comm_revoke(c), MPI_SUCCESS);
    for (int i = 0; i < 1000; i++)
        CHECK_EQ(MPI_Test(&q, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(!done); /* the sender may still write */
    CHECK_EQ(kill(board[5], SIGCONT), 0);
    CHECK_CLASS(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_ERR_INVALIDATED);
    check_guards(buf, N);
}

int main(int argc, char **argv)
{
    MPI_Comm c;

    start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    if (!strcmp(argv[1], "sizes"))
        sizes(c);
    else if (!strcmp(argv[1], "hold"))
        hold(c);
    else
        go(c, argv[1]);
    return finish();
}
