/* SPDX-License-Identifier: BSD-3-Clause */
/* One side of a large message dies at a chosen step of the protocol.  The other side returns with SUCCESS
 * or PROC_FAILED (S0-1, S0-17); a receive that succeeded has all the data (R12); nothing outside the
 * buffer is touched; afterwards everything with the dead process fails (S0-18), small sends too.  S0-11:
 * an operation that could complete may do so or fail.
 *
 *   R12: messages that arrived before a death are delivered before it is reported, none after it
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-11: an error may be delayed while the operation can still complete
 *   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED
 *   S0-18: after the first error all point-to-point with that process fails */
/* RUN: -n 2 ; kill 1 at p2p.send.rts ; expect "rank 0 ok" */
/* RUN: -n 2 ; kill 1 at p2p.data.sent#1 ; set SINGLE_COPY=never ; set FRAGMENT=4k ; expect "rank 0 ok" */
/* RUN: -n 2 ; kill 1 at p2p.data.sent#20 ; set SINGLE_COPY=never ; set FRAGMENT=4k ; expect "rank 0 ok" */
/* RUN: -n 2 ; kill 1 at p2p.data.all ; set SINGLE_COPY=never ; expect "rank 0 ok" */
/* RUN: -n 2 ; kill 1 at p2p.recv.cts ; args r ; expect "rank 0 ok" */
/* RUN: -n 2 ; kill 1 at p2p.recv.matched ; args r ; expect "rank 0 ok" */
/* RUN: -n 3 ; kill 1 at p2p.data.sent#3 ; set SINGLE_COPY=never ; set FRAGMENT=4k ; expect "rank 0 ok" */
/* RUN: -n 2 ; kill 1 at p2p.recv.cts ; set SINGLE_COPY=always ; args r ; expect "rank 0 ok" */
/* RUN: -n 2 ; kill 1 at p2p.send.rts ; set SINGLE_COPY=always ; expect "rank 0 ok" */
/* RUN: -n 2 ; kill 1 at p2p.data.sent#3 ; args x ; set SINGLE_COPY=never ; set FRAGMENT=4k ; expect "rank 0 ok" */
/* RUN: -n 2 ; kill 1 at p2p.recv.cts ; args x ; expect "rank 0 ok" */
/* RUN: -n 2 ; kill 1 at p2p.data.sent#3 ; args x ; set SPIN=0 ; set YIELD=0 ; set SINGLE_COPY=never ; set FRAGMENT=4k ; expect "rank 0 ok" */
/* RUN: -n 2 ; kill 1 at p2p.recv.cts ; args r ; set SPIN=0 ; set YIELD=0 ; expect "rank 0 ok" */
#include "../common.h"

#define W MPI_COMM_WORLD
#define N 3000000

int main(int argc, char **argv)
{
    char way = argc > 1 ? argv[1][0] : 's'; /* what the victim does: send, receive, exchange */
    unsigned char *in, *out;
    MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status s[2];
    int code, peer;

    start(&argc, &argv);
    in = guarded(N);
    out = guarded(N);
    fill(out, N, 1);
    peer = rank == 0 ? 1 : 0;
    if (rank <= 1) {
        if (way == 'x' || (way == 's') == (rank == 0))
            MPI_Irecv(in, N, MPI_BYTE, peer, 1, W, &r[0]);
        if (way == 'x' || (way == 's') == (rank == 1))
            MPI_Isend(out, N, MPI_BYTE, peer, 1, W, &r[1]);
        code = MPI_Waitall(2, r, s);
    }
    if (rank == 1)
        pause(); /* the recipe kills it before */
    if (rank == 0) {
        if (code == MPI_SUCCESS)
            s[0].MPI_ERROR = s[1].MPI_ERROR = MPI_SUCCESS;
        else
            CHECK_CLASS(code, MPI_ERR_IN_STATUS);
        for (int i = 0; i < 2; i++) {
            int class = class_of(s[i].MPI_ERROR);

            if (class == MPI_ERR_PENDING)
                class = class_of(MPI_Wait(&r[i], &s[i]));
            CHECK(class == MPI_SUCCESS || class == MPI_ERR_PROC_FAILED);
            CHECK(r[i] == MPI_REQUEST_NULL);
            if (i == 0 && class == MPI_SUCCESS && way != 'r')
                CHECK_EQ(wrong(in, N, 1), -1);
        }
        check_guards(in, N);
        wait_until_dead(W, 1);
        for (int i = 0; i < 3; i++) {
            CHECK_CLASS(MPI_Send(out, 1, MPI_BYTE, 1, 1, W), MPI_ERR_PROC_FAILED);
            CHECK_CLASS(MPI_Send(out, N, MPI_BYTE, 1, 1, W), MPI_ERR_PROC_FAILED);
            CHECK_CLASS(MPI_Recv(in, N, MPI_BYTE, 1, 1, W, s), MPI_ERR_PROC_FAILED);
        }
    }
    return finish();
}
