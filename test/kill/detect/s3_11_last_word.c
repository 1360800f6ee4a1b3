/* SPDX-License-Identifier: BSD-3-Clause */
/* What was said about a process is never contradicted.  Rank 1 sends messages, small and
 * large, to everybody without end and is stopped in the middle of it for too long; what it sent
 * lies in queues. Until the first MPI_ERR_PROC_FAILED its messages may come, with the right data
 * (R12).  After it, on that communicator, no call succeeds with that process, by name or by
 * wildcard; and after the first time it was listed as failed it is never missing from the list,
 * even if it is allowed to go on (SIGCONT).
 *
 *   R12: messages that arrived before a death are delivered before it is reported, none after it
 *   S3-11: nothing contradicts a failure that was reported
 *
 * RUN: -n 3 --stop-timeout 0.2 ; stop 1 at call:MPI_Send#80 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --stop-timeout 0.2 ; stop 1 at p2p.data.sent#9 ; set FRAGMENT=4k ; expect "rank 0 ok" ; expect "rank 2 ok" ;
   set SINGLE_COPY=never
 * RUN: -n 5 --stop-timeout 0.2 ; stop 1 at p2p.send.rts#7 ; expect "rank 0 ok" ; expect "rank 4 ok"
 * RUN: -n 3 --stop-timeout 0.2 ; stop 1 at call:MPI_Send#800 ; expect "rank 0 ok" ; expect "rank 2 ok" */
#include "../common.h"

#define SENDER 1
#define PID    0       /* slot of the board */
#define LATE   1000000 /* tags of messages that lie there and are asked for too late */
#define LARGE  100000
#define W      MPI_COMM_WORLD

static unsigned char buf[LARGE];

static int length(int i)
{
    return i % 5 == 4 ? LARGE : i * 7 % 3000;
}

/* Messages without end.  It may come back from the stop, and then it must be of no avail. */
static _Noreturn void sender(void)
{
    board[PID] = (int)getpid();
    for (int i = 0;; i++)
        for (int to = 0; to < size; to++) {
            fill(buf, (size_t)length(i), (unsigned)i);
            if (to == SENDER)
                continue;
            MPI_Send(buf, 1, MPI_BYTE, to, LATE + i % 3, W);
            MPI_Send(buf, length(i), MPI_BYTE, to, i, W);
        }
}

/* Returns the number of messages that came. */
static int until_failure(void)
{
    int i = 0, err;

    for (;; i++) {
        err = MPI_Recv(buf, LARGE, MPI_BYTE, SENDER, i, W, MPI_STATUS_IGNORE);
        if (err)
            break;
        CHECK_EQ(wrong(buf, (size_t)length(i), (unsigned)i), -1);
    }
    CHECK_CLASS(err, MPI_ERR_PROC_FAILED);
    return i;
}

static void nothing_more(int from)
{
    MPI_Request r;
    int flag;

    CHECK(is_known_dead(W, SENDER));
    for (int tag = LATE; tag < LATE + 3; tag++)
        CHECK_CLASS(MPI_Recv(buf, LARGE, MPI_BYTE, SENDER, tag, W, MPI_STATUS_IGNORE),
                    MPI_ERR_PROC_FAILED);
    for (int tag = from - 1; tag < from + 3; tag++) {
        CHECK_CLASS(MPI_Recv(buf, LARGE, MPI_BYTE, SENDER, tag, W, MPI_STATUS_IGNORE),
                    MPI_ERR_PROC_FAILED);
        MPI_Irecv(buf, LARGE, MPI_BYTE, SENDER, tag, W, &r);
        CHECK_CLASS(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_ERR_PROC_FAILED);
    }
    CHECK_CLASS(MPI_Probe(SENDER, MPI_ANY_TAG, W, MPI_STATUS_IGNORE), MPI_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_Send(buf, 1, MPI_BYTE, SENDER, 0, W), MPI_ERR_PROC_FAILED);
    CHECK_EQ(MPI_Comm_failure_ack(W), MPI_SUCCESS);
    CHECK_EQ(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, W, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    CHECK_CLASS(MPI_Barrier(W), MPI_ERR_PROC_FAILED);
}

int main(int argc, char **argv)
{
    MPI_Comm next;
    int came, n;

    start(&argc, &argv);
    if (rank == SENDER)
        sender();
    came = until_failure();
    for (int i = 0; i < 50; i++) {
        kill(board[PID], SIGCONT);
        nothing_more(came);
        usleep(1000);
    }
    CHECK_EQ(MPIX_Comm_shrink(W, &next), MPI_SUCCESS);
    MPI_Comm_size(next, &n);
    CHECK_EQ(n, size - 1);
    return finish();
}
