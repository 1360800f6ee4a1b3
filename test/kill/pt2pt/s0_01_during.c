/* SPDX-License-Identifier: BSD-3-Clause */
/* The peer dies while rank 0 is inside the call, once for each blocking call, each time another rank:
 * S0-1 (every blocking call returns), S0-17, S0-21, S0-16 (waits).  Rank 0 tells the victim through the
 * board that it is about to call; the victim dies when rank 0 sleeps, which it does in the call, unless that polls.
 *
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-16: the completion call reports the failure
 *   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED
 *   S0-21: blocking wildcard calls return PROC_FAILED */
/* RUN: -n 8 ; args 0 ; expect "rank 0 ok" */
/* RUN: -n 8 ; args 7 ; expect "rank 0 ok" */
/* RUN: -n 8 ; args 14 ; expect "rank 0 ok" */
/* RUN: -n 8 ; args 21 ; expect "rank 0 ok" */
/* RUN: -n 8 ; args 0 ; set SPIN=0 ; set YIELD=0 ; expect "rank 0 ok" */
/* RUN: -n 8 ; args 7 ; set SPIN=0 ; set YIELD=0 ; expect "rank 0 ok" */
/* RUN: -n 8 ; args 14 ; set SPIN=0 ; set YIELD=0 ; expect "rank 0 ok" */
/* RUN: -n 8 ; args 21 ; set SPIN=0 ; set YIELD=0 ; expect "rank 0 ok" */
#include "../common.h"
#include "../complete.h"

#define W     MPI_COMM_WORLD
#define LARGE 1000000
#define PID   100 /* slots of the board: victims, and that */

static unsigned char *in, *out;

/* Call number k makes MPI_Test again and again. */
static bool polls(int k)
{
    return k == 15 || k == 20 || k == 23;
}

/* Call number k with rank v, which dies meanwhile. */
static int call(int k, int v)
{
    static const int waits[] = {WAIT, TEST, WAITANY, WAITALL, WAITSOME};
    MPI_Message m;
    MPI_Request r;
    MPI_Status s;

    switch (k) {
    case 0:
        return MPI_Recv(in, LARGE, MPI_BYTE, v, 0, W, &s);
    case 1:
        return MPI_Recv(in, LARGE, MPI_BYTE, MPI_ANY_SOURCE, 0, W, &s);
    case 2:
        return MPI_Send(out, LARGE, MPI_BYTE, v, 0, W);
    case 3:
        return MPI_Ssend(out, 1, MPI_BYTE, v, 0, W);
    case 4:
        return MPI_Ssend(out, LARGE, MPI_BYTE, v, 0, W);
    case 5:
        return MPI_Sendrecv(out, 1, MPI_BYTE, v, 0, in, 1, MPI_BYTE, v, 0, W, &s);
    case 6:
        return MPI_Sendrecv(out, LARGE, MPI_BYTE, v, 0, in, 1, MPI_BYTE, MPI_PROC_NULL, 0, W, &s);
    case 7:
        return MPI_Sendrecv(out, 1, MPI_BYTE, MPI_PROC_NULL, 0, in, 1, MPI_BYTE, MPI_ANY_SOURCE, 0,
                            W, &s);
    case 8:
        return MPI_Sendrecv_replace(in, LARGE, MPI_BYTE, v, 0, v, 0, W, &s);
    case 9:
        return MPI_Probe(v, 0, W, &s);
    case 10:
        return MPI_Probe(MPI_ANY_SOURCE, 0, W, &s);
    case 11:
        return MPI_Mprobe(v, 0, W, &m, &s);
    case 12:
        return MPI_Mprobe(MPI_ANY_SOURCE, 0, W, &m, &s);
    case 13:
        return MPI_Rsend(out, LARGE, MPI_BYTE, v, 0, W);
    case 14:
    case 15:
    case 16:
    case 17:
    case 18:
        MPI_Irecv(in, LARGE, MPI_BYTE, v, 0, W, &r);
        return complete(&r, waits[k - 14]);
    case 19:
    case 20:
    case 21:
        MPI_Isend(out, LARGE, MPI_BYTE, v, 0, W, &r);
        return complete(&r, waits[k - 19]);
    case 22:
    case 23:
        MPI_Isendrecv(out, LARGE, MPI_BYTE, v, 0, in, LARGE, MPI_BYTE, v, 0, W, &r);
        return complete(&r, waits[k - 22]);
    case 24:
        MPI_Irecv(in, LARGE, MPI_BYTE, v, MPI_ANY_TAG, W, &r);
        return complete(&r, WAITALL);
    case 25:
        MPI_Issend(out, 10, MPI_BYTE, v, 0, W, &r);
        return complete(&r, WAITSOME);
    case 26:
        MPI_Recv_init(in, LARGE, MPI_BYTE, v, 0, W, &r);
        MPI_Start(&r);
        return complete(&r, WAIT);
    default:
        MPI_Send_init(out, LARGE, MPI_BYTE, v, 0, W, &r);
        MPI_Start(&r);
        return complete(&r, WAITANY);
    }
}

int main(int argc, char **argv)
{
    int first = argc > 1 ? atoi(argv[1]) : 0;

    start(&argc, &argv);
    if (rank != 0) {
        await(rank, 1);
        if (!polls(first + rank - 1))
            await_state(board[PID], 'S');
        die_now();
    }
    board[PID] = (int)getpid();
    in = guarded(LARGE);
    out = guarded(LARGE);
    for (int v = 1; v < size; v++) {
        post(v);
        CHECK_CLASS(call(first + v - 1, v), MPI_ERR_PROC_FAILED);
        check_guards(in, LARGE);
        CHECK_EQ(touched(out - EDGE, LARGE + 2 * EDGE), -1);
        CHECK_CLASS(MPI_Comm_failure_ack(W), MPI_SUCCESS);
    }
    return finish();
}
