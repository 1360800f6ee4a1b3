/* SPDX-License-Identifier: BSD-3-Clause */
/* Because of failures a nonblocking wildcard receive gives only SUCCESS, PROC_FAILED or
 * MPI_ERR_PENDING.  S0-24: PROC_FAILED finishes it.  All other ranks send to rank 0, small and large messages, and some die
 * at an arbitrary moment; S0-2: all messages of survivors arrive; R12: messages of one sender arrive in
 * order, and none arrives in part.
 *
 *   R12: messages that arrived before a death are delivered before it is reported, none after it
 *   S0-2: a call that needs no dead process completes normally
 *   S0-23: a nonblocking wildcard receive gives success, PROC_FAILED or PENDING
 *   S0-24: PROC_FAILED on a wildcard receive means that the request is finished */
/* RUN: -n 5 ; times 3 ; expect "rank 0 ok" */
/* RUN: -n 8 ; times 3 ; expect "rank 0 ok" */
/* RUN: -n 8 ; times 2 ; set SINGLE_COPY=never ; expect "rank 0 ok" */
/* RUN: -n 8 ; times 2 ; set SINGLE_COPY=always ; expect "rank 0 ok" */
/* RUN: -n 5 ; times 2 ; set SPIN=0 ; set YIELD=0 ; set SINGLE_COPY=never ; expect "rank 0 ok" */
#include "../common.h"

#define W        MPI_COMM_WORLD
#define MESSAGES 400
#define LARGE    100000
#define WINDOW   8

static unsigned char buf[WINDOW][LARGE];

static int length(int i)
{
    return i % 16 == 5 ? LARGE : 4 + i * 29 % 3000;
}

static void sender(void)
{
    int last = MESSAGES;

    srand((unsigned)(getpid() * 7 + rank));
    if (rank != 1)
        last = rand() % MESSAGES;
    for (int i = 0; i < MESSAGES; i++) {
        fill(buf[0], (size_t)length(i), (unsigned)(rank * 1000 + i));
        if (i == last && i % 16 == 5) { /* with the message under way */
            MPI_Request r;
            int flag;

            MPI_Isend(buf[0], length(i), MPI_BYTE, 0, i, W, &r);
            MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
        }
        if (i == last)
            die_now();
        CHECK_EQ(MPI_Send(buf[0], length(i), MPI_BYTE, 0, i, W), MPI_SUCCESS);
    }
}

/* How many of the mortal ranks are known to be dead. */
static int deaths(void)
{
    int n = 0;

    for (int r = 2; r < size; r++)
        n += is_known_dead(W, r);
    return n;
}

/* Goes on until rank 1 has said everything and all others are dead. */
static void receiver(void)
{
    MPI_Request r[WINDOW];
    int next[64] = {0}, acks = 0;

    for (int k = 0; k < WINDOW; k++)
        MPI_Irecv(buf[k], LARGE, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &r[k]);
    for (int k = 0; next[1] < MESSAGES || deaths() < size - 2; k = (k + 1) % WINDOW) {
        MPI_Status s;
        int class = class_of(MPI_Wait(&r[k], &s)), n;

        if (class == MPI_ERR_PENDING) {
            CHECK(r[k] != MPI_REQUEST_NULL);
            MPI_Comm_failure_ack(W);
            CHECK(++acks < 100 * size);
            k = (k + WINDOW - 1) % WINDOW; /* wait for the same one again */
            continue;
        }
        CHECK(r[k] == MPI_REQUEST_NULL);
        if (class == MPI_SUCCESS) {
            MPI_Get_count(&s, MPI_BYTE, &n);
            CHECK_EQ(s.MPI_TAG, next[s.MPI_SOURCE]++);
            CHECK_EQ(n, length(s.MPI_TAG));
            CHECK_EQ(wrong(buf[k], (size_t)n, (unsigned)(s.MPI_SOURCE * 1000 + s.MPI_TAG)), -1);
        } else {
            CHECK_EQ(class, MPI_ERR_PROC_FAILED);
            CHECK_EQ(MPI_Wait(&r[k], &s), MPI_SUCCESS); /* S0-24 */
        }
        MPI_Irecv(buf[k], LARGE, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &r[k]);
    }
    for (int k = 0; k < WINDOW; k++) {
        MPI_Cancel(&r[k]);
        MPI_Wait(&r[k], MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (rank == 0)
        receiver();
    else
        sender();
    return finish();
}
