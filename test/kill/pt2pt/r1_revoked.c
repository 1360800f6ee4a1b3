/* SPDX-License-Identifier: BSD-3-Clause */
/* Point-to-point on an invalid communicator: R1 (starts succeed, the completion call reports), S0-60
 * (what is blocked or under way returns), S0-62 and S0-65 (later calls fail at once, with MPI_PROC_NULL
 * too), S0-64 (a status that carries the class), S0-66 (without any other process), S0-68 (other
 * communicators work).  No wildcard stays pending there.
 *
 *   R1: a nonblocking call on a revoked communicator starts; its completion reports the error
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-60: a revocation ends calls in progress
 *   S0-62: at its caller the communicator is revoked at once
 *   S0-64: elsewhere the communicator is revoked when a status first reports it
 *   S0-65: on a revoked communicator every non-local call fails
 *   S0-66: calls on a revoked communicator return without any other process
 *   S0-68: a revocation affects no other communicator */
/* RUN: -n 2 ; expect "rank 0 ok" ; expect "rank 1 ok" */
/* RUN: -n 4 ; expect "rank 0 ok" ; expect "rank 3 ok" */
/* RUN: -n 5 ; expect "rank 0 ok" ; expect "rank 4 ok" */
/* RUN: -n 4 --lenient-exit ; args dead ; expect "rank 0 ok" ; expect "rank 2 ok" */
/* RUN: -n 4 ; set SPIN=0 ; set YIELD=0 ; expect "rank 0 ok" ; expect "rank 3 ok" */
#include "../common.h"

#define I MPI_ERR_INVALIDATED
#define N 500000

static unsigned char buf[N];

static void later_calls(MPI_Comm c)
{
    int peers[3] = {0, MPI_PROC_NULL, rank}, flag;
    MPI_Message m;
    MPI_Request r;
    MPI_Status s;

    for (int i = 0; i < 3; i++) {
        int p = peers[i];

        CHECK_CLASS(MPI_Send(buf, 1, MPI_BYTE, p, 1, c), I);
        CHECK_CLASS(MPI_Send(buf, N, MPI_BYTE, p, 1, c), I);
        CHECK_CLASS(MPI_Ssend(buf, 1, MPI_BYTE, p, 1, c), I);
        CHECK_CLASS(MPI_Bsend(buf, 1, MPI_BYTE, p, 1, c), I);
        CHECK_CLASS(MPI_Recv(buf, 1, MPI_BYTE, p, 1, c, &s), I);
        CHECK_CLASS(MPI_Sendrecv(buf, 1, MPI_BYTE, p, 1, buf + 1, 1, MPI_BYTE, p, 1, c, &s), I);
        CHECK_CLASS(MPI_Sendrecv_replace(buf, 1, MPI_BYTE, p, 1, p, 1, c, &s), I);
        CHECK_CLASS(MPI_Probe(p, 1, c, &s), I);
        flag = 0;
        CHECK_CLASS(MPI_Iprobe(p, 1, c, &flag, &s), I);
        CHECK_EQ(flag, 1);
        CHECK_CLASS(MPI_Mprobe(p, 1, c, &m, &s), I);
        CHECK_EQ(MPI_Isend(buf, 1, MPI_BYTE, p, 1, c, &r), MPI_SUCCESS);
        CHECK_CLASS(MPI_Wait(&r, &s), I);
        CHECK(r == MPI_REQUEST_NULL);
        CHECK_EQ(MPI_Irecv(buf, 1, MPI_BYTE, p, 1, c, &r), MPI_SUCCESS);
        CHECK_CLASS(MPI_Waitall(1, &r, &s), MPI_ERR_IN_STATUS);
        CHECK_CLASS(s.MPI_ERROR, I);
        CHECK_EQ(MPI_Recv_init(buf, 1, MPI_BYTE, p, 1, c, &r), MPI_SUCCESS);
        CHECK_EQ(MPI_Start(&r), MPI_SUCCESS);
        CHECK_CLASS(MPI_Wait(&r, &s), I);
        MPI_Request_free(&r);
    }
    CHECK_CLASS(MPI_Recv(buf, 1, MPI_BYTE, MPI_ANY_SOURCE, 1, c, &s), I);
    CHECK_CLASS(MPI_Probe(MPI_ANY_SOURCE, 1, c, &s), I);
}

static int query(void *extra, MPI_Status *s)
{
    (void)extra;
    return MPI_Status_set_elements(s, MPI_BYTE, 0);
}

static int free_or_cancel(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    (void)complete;
    return free_or_cancel(extra);
}

/* Nobody ever completes the first one. */
static void wait_for_generalized(MPI_Comm c)
{
    MPI_Request r[2];
    MPI_Status s[2];

    MPI_Grequest_start(query, free_or_cancel, cancel, NULL, &r[0]);
    MPI_Irecv(buf, 1, MPI_BYTE, 0, 9, c, &r[1]);
    CHECK_CLASS(MPI_Waitall(2, r, s), MPI_ERR_IN_STATUS);
    CHECK_CLASS(s[0].MPI_ERROR, MPI_ERR_PENDING);
    CHECK_CLASS(s[1].MPI_ERROR, I);
    MPI_Grequest_complete(r[0]);
    CHECK_EQ(MPI_Wait(&r[0], s), MPI_SUCCESS);
}

/* Blocked when somebody invalidates the communicator; each rank in another call. */
static void blocked_calls(MPI_Comm c)
{
    MPI_Request r[4];
    MPI_Status s[4];

    post(0);
    switch (rank % 4) {
    case 0:
        wait_for_generalized(c);
        break;
    case 1:
        CHECK_CLASS(MPI_Recv(buf, 1, MPI_BYTE, 0, 2, c, s), I);
        break;
    case 2:
        CHECK_CLASS(MPI_Send(buf, N, MPI_BYTE, 1, 3, c), I);
        break;
    default:
        MPI_Irecv(buf, 1, MPI_BYTE, MPI_ANY_SOURCE, 4, c, &r[0]);
        MPI_Irecv(buf, 1, MPI_BYTE, 0, 4, MPI_COMM_SELF, &r[1]); /* another communicator */
        MPI_Issend(buf, 1, MPI_BYTE, 1, 5, c, &r[2]);
        MPI_Isendrecv(buf, N, MPI_BYTE, 1, 6, buf, 1, MPI_BYTE, 1, 6, c, &r[3]);
        CHECK_CLASS(MPI_Waitall(4, r, s), MPI_ERR_IN_STATUS);
        CHECK_CLASS(s[0].MPI_ERROR, I);
        CHECK_CLASS(s[1].MPI_ERROR, MPI_ERR_PENDING);
        CHECK_CLASS(s[2].MPI_ERROR, I);
        CHECK_CLASS(s[3].MPI_ERROR, I);
        MPI_Cancel(&r[1]);
        MPI_Wait(&r[1], s);
    }
}

int main(int argc, char **argv)
{
    bool with_dead = argc > 1;
    int v = 1, n;
    MPI_Comm c;
    MPI_Request r;
    void *back;

    start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    if (with_dead && rank == size - 1)
        die_now();
    if (rank != 0) {
        blocked_calls(c);
    } else {
        await(0, size - 1 - with_dead);
        usleep(10000);
        MPI_Irecv(buf, 1, MPI_BYTE, MPI_ANY_SOURCE, 7, c, &r);
        CHECK_EQ(MPI_Comm_invalidate(c), MPI_SUCCESS);
        CHECK_CLASS(MPI_Wait(&r, MPI_STATUS_IGNORE), I); /* S0-62: here at once */
    }
    later_calls(c);
    if (!with_dead) /* S0-68 */
        CHECK_EQ(MPI_Sendrecv(&v, 1, MPI_INT, (rank + 1) % size, 8, &n, 1, MPI_INT,
                              (rank + size - 1) % size, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
    MPI_Buffer_detach(&back, &n);
    CHECK_EQ(MPI_Comm_free(&c), MPI_SUCCESS);
    return finish();
}
