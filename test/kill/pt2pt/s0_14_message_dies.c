/* SPDX-License-Identifier: BSD-3-Clause */
/* A large message was matched by a probe, then its sender dies: Mrecv and Imrecv report it, in
 * bounded time and without touching anything outside the buffer.  The victim dies when it has sent the RTS of the
 * message, or with some of it sent.
 *
 *   S0-14: matched probes and receives report a failure, also of a sender that dies meanwhile
 *   S0-15: a nonblocking call never reports a failure when it starts */
/* RUN: -n 2 ; set SINGLE_COPY=never ; kill 1 at p2p.send.rts ; expect "rank 0 ok" */
/* RUN: -n 2 ; kill 1 at p2p.data.sent#1 ; set SINGLE_COPY=never ; set FRAGMENT=4k ; expect "rank 0 ok" */
/* RUN: -n 2 ; kill 1 at p2p.data.sent#7 ; args i ; set SINGLE_COPY=never ; set FRAGMENT=4k ; expect "rank 0 ok" */
/* RUN: -n 2 ; set SINGLE_COPY=never ; kill 1 at p2p.send.rts ; args i ; expect "rank 0 ok" */
/* RUN: -n 2 ; args late ; expect "rank 0 ok" */
/* RUN: -n 2 ; args late i ; expect "rank 0 ok" */
#include "../common.h"

#define N 1000000

int main(int argc, char **argv)
{
    bool late = argc > 1 && !strcmp(argv[1], "late"), immediate = argv[argc - 1][0] == 'i';
    unsigned char *buf;
    int flag = 0, code;
    MPI_Message m;
    MPI_Request r;
    MPI_Status s;

    start(&argc, &argv);
    buf = guarded(N);
    if (late) /* between nodes: they are connected, so an RTS leaves at once */
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Isend(buf, N, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &r);
        if (late) { /* dies only after the receiver has taken the message */
            await(0, 1);
            die_now();
        }
        MPI_Wait(&r, &s);
        pause();
    }
    /* the RTS may be lost with its sender: then the probe says so */
    code = immediate ? MPI_SUCCESS : MPI_Mprobe(1, 1, MPI_COMM_WORLD, &m, &s);
    while (immediate && !flag)
        code = MPI_Improbe(1, 1, MPI_COMM_WORLD, &flag, &m, &s);
    if (code == MPI_SUCCESS) {
        if (late) {
            post(0);
            wait_until_dead(MPI_COMM_WORLD, 1);
        }
        if (immediate) {
            CHECK_EQ(MPI_Imrecv(buf, N, MPI_BYTE, &m, &r), MPI_SUCCESS); /* S0-15 */
            CHECK(m == MPI_MESSAGE_NULL);
            CHECK_CLASS(MPI_Wait(&r, &s), MPI_ERR_PROC_FAILED);
            CHECK(r == MPI_REQUEST_NULL);
        } else {
            CHECK_CLASS(MPI_Mrecv(buf, N, MPI_BYTE, &m, &s), MPI_ERR_PROC_FAILED);
            CHECK(m == MPI_MESSAGE_NULL);
        }
    } else {
        CHECK(!late);
        CHECK_CLASS(code, MPI_ERR_PROC_FAILED);
    }
    check_guards(buf, N);
    CHECK_CLASS(MPI_Recv(buf, N, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &s), MPI_ERR_PROC_FAILED);
    return finish();
}
