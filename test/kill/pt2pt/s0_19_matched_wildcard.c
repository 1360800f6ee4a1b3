/* SPDX-License-Identifier: BSD-3-Clause */
/* A wildcard receive that has matched is a named one.  Rank 2 sends a large message to it; rank 1
 * dies in the middle: no effect.  Then rank 2 dies in the middle of another one: PROC_FAILED and finished
 * (S0-24), not pending.
 *
 *   S0-19: a wildcard receive that is matched is treated as a named one
 *   S0-24: PROC_FAILED on a wildcard receive means that the request is finished */
/* RUN: -n 3 --lenient-exit ; expect "rank 0 ok" */
/* RUN: -n 3 --lenient-exit ; args wait ; kill 2 at p2p.data.sent#38 ; set SINGLE_COPY=never ; set FRAGMENT=64k ; expect "rank 0 ok" */
/* RUN: -n 3 --lenient-exit ; args wait ; kill 2 at p2p.data.sent#50 ; set SINGLE_COPY=never ; set FRAGMENT=64k ; expect "rank 0 ok" */
/* RUN: -n 5 --lenient-exit ; expect "rank 0 ok" */
/* RUN: -n 16 --lenient-exit ; expect "rank 0 ok" */
#include "../common.h"

#define W MPI_COMM_WORLD
#define N 2000000

static unsigned char *buf;

/* The receiver: the match is made while everybody lives. */
static void matched_then_death(void)
{
    MPI_Request r;
    MPI_Status s;
    int flag = 0;

    MPI_Irecv(buf, N, MPI_BYTE, MPI_ANY_SOURCE, 1, W, &r);
    post(0);
    while (buf[0] == GUARD && !flag) { /* data has come, so it is matched */
        CHECK_EQ(MPI_Test(&r, &flag, &s), MPI_SUCCESS);
        sched_yield();
    }
    post(1); /* rank 1 dies now */
    if (!flag) {
        wait_until_dead(W, 1);
        CHECK_EQ(MPI_Wait(&r, &s), MPI_SUCCESS);
    }
    CHECK_EQ(s.MPI_SOURCE, 2);
    CHECK_EQ(wrong(buf, N, 2), -1);
    check_guards(buf, N);
}

/* Rank 2 has sent the RTS of a second one; it is matched and never comes, unless it could be taken out of the
 * sender's memory in time. */
static void sender_dies(void)
{
    MPI_Request r;
    MPI_Status s;
    int code;

    wait_until_dead(W, 1);
    MPI_Comm_failure_ack(W);
    memset(buf, GUARD, N);
    MPI_Irecv(buf, N, MPI_BYTE, MPI_ANY_SOURCE, 2, W, &r);
    post(2);
    code = MPI_Wait(&r, &s);
    if (class_of(code) == MPI_ERR_PENDING) { /* it died before the match */
        MPI_Cancel(&r);
        CHECK_EQ(MPI_Wait(&r, &s), MPI_SUCCESS);
    } else {
        if (code == MPI_SUCCESS)
            CHECK_EQ(wrong(buf, N, 2), -1);
        else
            CHECK_CLASS(code, MPI_ERR_PROC_FAILED);
        CHECK(r == MPI_REQUEST_NULL);
        CHECK_EQ(MPI_Wait(&r, &s), MPI_SUCCESS);
    }
    check_guards(buf, N);
}

int main(int argc, char **argv)
{
    MPI_Request r;
    int flag;

    start(&argc, &argv);
    buf = guarded(N);
    if (rank == 0) {
        matched_then_death();
        sender_dies();
    } else if (rank == 1) {
        await(1, 1);
        die_now();
    } else if (rank == 2) {
        await(0, 1);
        fill(buf, N, 2);
        MPI_Send(buf, N, MPI_BYTE, 0, 1, W);
        await(2, 1);
        MPI_Isend(buf, N, MPI_BYTE, 0, 2, W, &r);
        if (argc > 1) /* until it is killed */
            MPI_Wait(&r, MPI_STATUS_IGNORE);
        for (int i = 0; i < 3; i++)
            MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
        die_now();
    }
    return finish();
}
