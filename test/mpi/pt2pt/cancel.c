/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Cancel (MPI-5.0 3.8.4): unmatched receives and sends go away, matched ones do not, and what
 * comes after is not disturbed. */
/* RUN: -n 2 */
/* RUN: -n 5 */
#include "common.h"

static unsigned char big[300000];

static int was_cancelled(MPI_Request *r)
{
    MPI_Status s;
    int flag;

    MPI_Cancel(r);
    MPI_Wait(r, &s);
    CHECK(*r == MPI_REQUEST_NULL);
    MPI_Test_cancelled(&s, &flag);
    return flag;
}

/* A receive that nobody sends to: cancelled; its buffer stays, and the next message passes it by. */
static void receives(int peer)
{
    int a = -1, b = -1;
    MPI_Request r[3];

    if (rank == 0) {
        MPI_Recv(NULL, 0, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        a = 42;
        MPI_Send(&a, 1, MPI_INT, peer, 2, MPI_COMM_WORLD);
        return;
    }
    MPI_Irecv(&a, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(&a, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &r[1]);
    MPI_Irecv(&b, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &r[2]);
    CHECK_EQ(was_cancelled(&r[0]), 1);
    CHECK_EQ(was_cancelled(&r[1]), 1);
    MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    MPI_Wait(&r[2], MPI_STATUS_IGNORE);
    CHECK_EQ(a, -1);
    CHECK_EQ(b, 42);
}

/* A receive that has its message already: not cancelled. */
static void matched_receive(int peer)
{
    int a = 7;
    MPI_Request r;

    if (rank == 0) {
        MPI_Send(&a, 1, MPI_INT, peer, 3, MPI_COMM_WORLD);
        return;
    }
    a = 0;
    MPI_Probe(0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(&a, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &r);
    CHECK_EQ(was_cancelled(&r), 0);
    CHECK_EQ(a, 7);
}

/* A synchronous or large send before any receive: cancelled, or received; never both, never lost. */
static void sends(int peer, int n)
{
    MPI_Request r;
    int flag, cancelled;

    if (rank == 0) {
        MPI_Issend(big, n, MPI_BYTE, peer, 4, MPI_COMM_WORLD, &r);
        cancelled = was_cancelled(&r);
        CHECK_EQ(cancelled, 1); /* the receiver waits for tag 5 first */
        MPI_Send(&cancelled, 1, MPI_INT, peer, 5, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_BYTE, peer, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Recv(&cancelled, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Iprobe(0, 4, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    CHECK_EQ(flag, 0);
    MPI_Send(NULL, 0, MPI_BYTE, 0, 9, MPI_COMM_WORLD); /* before it sends the next one */
}

/* A race: the receive is there.  Whatever the sender is told is what happened. */
static void race(int peer, int n, int round)
{
    MPI_Request r;
    MPI_Status s;
    int cancelled, flag;

    if (rank == 0) {
        fill(big, (size_t)n, (unsigned)round);
        MPI_Issend(big, n, MPI_BYTE, peer, 6, MPI_COMM_WORLD, &r);
        for (int i = 0; i < round; i++)
            MPI_Iprobe(peer, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        cancelled = was_cancelled(&r);
        MPI_Send(&cancelled, 1, MPI_INT, peer, 7, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_BYTE, peer, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Irecv(big, n, MPI_BYTE, 0, 6, MPI_COMM_WORLD, &r);
    MPI_Recv(&cancelled, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (cancelled) {
        MPI_Cancel(&r);
        MPI_Wait(&r, &s);
        MPI_Test_cancelled(&s, &flag);
        CHECK_EQ(flag, 1);
    } else {
        MPI_Wait(&r, &s);
        MPI_Test_cancelled(&s, &flag);
        CHECK_EQ(flag, 0);
        CHECK_EQ(wrong(big, (size_t)n, (unsigned)round), -1);
    }
    MPI_Send(NULL, 0, MPI_BYTE, 0, 8, MPI_COMM_WORLD); /* before the next one with this tag */
}

/* A persistent request can be cancelled and started again. */
static void persistent(int peer)
{
    MPI_Request r;
    MPI_Status s;
    int a = 0, flag;

    if (rank == 0) {
        MPI_Recv(NULL, 0, MPI_BYTE, peer, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        a = 5;
        MPI_Send(&a, 1, MPI_INT, peer, 9, MPI_COMM_WORLD);
        return;
    }
    MPI_Recv_init(&a, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &r);
    MPI_Start(&r);
    MPI_Cancel(&r);
    MPI_Wait(&r, &s);
    MPI_Test_cancelled(&s, &flag);
    CHECK_EQ(flag, 1);
    CHECK(r != MPI_REQUEST_NULL);
    MPI_Start(&r);
    MPI_Send(NULL, 0, MPI_BYTE, 0, 8, MPI_COMM_WORLD);
    MPI_Wait(&r, &s);
    MPI_Test_cancelled(&s, &flag);
    CHECK_EQ(flag, 0);
    CHECK_EQ(a, 5);
    MPI_Request_free(&r);
}

/* A send that has been received once and is started again is a send that nobody receives yet. */
static void persistent_send(int peer, int n)
{
    MPI_Request r;

    if (rank == 0) {
        MPI_Ssend_init(big, n, MPI_BYTE, peer, 10, MPI_COMM_WORLD, &r);
        MPI_Start(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        for (int round = 0; round < 2; round++) {
            MPI_Status s;
            int flag;

            MPI_Start(&r);
            MPI_Cancel(&r);
            MPI_Wait(&r, &s);
            MPI_Test_cancelled(&s, &flag);
            CHECK_EQ(flag, 1);
        }
        MPI_Request_free(&r);
        MPI_Send(NULL, 0, MPI_BYTE, peer, 11, MPI_COMM_WORLD);
        return;
    }
    MPI_Recv(big, n, MPI_BYTE, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(NULL, 0, MPI_BYTE, 0, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A send to the rank itself that a matched probe has taken: not cancelled, and received from its buffer. */
static void probed(int n)
{
    MPI_Request r;
    MPI_Message message;
    MPI_Status s;
    int flag;
    static unsigned char to[300000];

    fill(big, (size_t)n, 3);
    MPI_Issend(big, n, MPI_BYTE, rank, 12, MPI_COMM_WORLD, &r);
    MPI_Mprobe(rank, 12, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Cancel(&r);
    MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
    CHECK_EQ(flag, 0);
    MPI_Mrecv(to, n, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    CHECK_EQ(wrong(to, (size_t)n, 3), -1);
    MPI_Wait(&r, &s);
    MPI_Test_cancelled(&s, &flag);
    CHECK_EQ(flag, 0);
    MPI_Issend(big, n, MPI_BYTE, rank, 12, MPI_COMM_WORLD, &r);
    CHECK_EQ(was_cancelled(&r), 1);
    MPI_Iprobe(rank, 12, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    CHECK_EQ(flag, 0);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    probed(10);
    probed(300000);
    for (int peer = 1; peer < size; peer++) {
        if (rank != 0 && rank != peer)
            continue;
        receives(peer);
        matched_receive(peer);
        sends(peer, 0);
        sends(peer, 100);
        sends(peer, 300000);
        for (int round = 0; round < 50; round++) {
            race(peer, 10, round);
            race(peer, 300000, round);
        }
        persistent(peer);
        persistent_send(peer, 10);
        persistent_send(peer, 300000);
    }
    return finish();
}
