/* SPDX-License-Identifier: BSD-3-Clause */
/* A process has sent the RTS of a large message that nobody had asked for yet, and died: the data can never come.
 * S0-82, S0-25: after an acknowledgement wildcard receives and probes do not report that failure, also
 * not by finding the lost message; S0-20: before it, a nonblocking one is pending (S0-24 would allow
 * PROC_FAILED only for a receive that had matched); S0-17: by name it is PROC_FAILED; R12: small messages
 * that were complete are received, also by wildcards, except those that would overtake the lost one.
 *
 *   from rank 2, in this order:   small, tag 3   large, tag 1 (lost)   small, tag 2   small, tag 1
 *
 *   R12: messages that arrived before a death are delivered before it is reported, none after it
 *   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED
 *   S0-20: a wildcard receive without a match stays pending
 *   S0-24: PROC_FAILED on a wildcard receive means that the request is finished
 *   S0-25: a pending receive completes after the acknowledgement
 *   S0-82: after an acknowledgement wildcard receives continue */
/* RUN: -n 3 ; args ack recv ; expect "rank 0 ok" */
/* RUN: -n 3 ; args ack irecv ; expect "rank 0 ok" */
/* RUN: -n 3 ; args ack probe ; expect "rank 0 ok" */
/* RUN: -n 3 ; args pending ; expect "rank 0 ok" */
/* RUN: -n 3 ; args name ; expect "rank 0 ok" */
#include "../common.h"

#define W MPI_COMM_WORLD
#define N 1000000

static unsigned char *buf;

static void check_from_1(const MPI_Status *s)
{
    int n;

    CHECK_EQ(s->MPI_SOURCE, 1);
    MPI_Get_count(s, MPI_INT, &n);
    CHECK_EQ(n, 1);
}

static void survivor(const char *how, const char *call)
{
    int v = 0, flag;
    MPI_Request r;
    MPI_Status s;

    wait_until_dead(W, 2);
    CHECK_EQ(MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &s), MPI_SUCCESS); /* R12 */
    CHECK(s.MPI_SOURCE == 2 && s.MPI_TAG == 3);
    CHECK_EQ(MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 2, W, &s), MPI_SUCCESS);
    CHECK_EQ(s.MPI_SOURCE, 2);
    if (!strcmp(how, "name")) {
        CHECK_CLASS(MPI_Recv(buf, N, MPI_BYTE, 2, 1, W, &s), MPI_ERR_PROC_FAILED);
    } else if (!strcmp(how, "pending")) {
        MPI_Irecv(buf, N, MPI_BYTE, MPI_ANY_SOURCE, 1, W, &r);
        CHECK_CLASS(MPI_Wait(&r, &s), MPI_ERR_PENDING);
        CHECK_CLASS(MPI_Recv(buf, N, MPI_BYTE, MPI_ANY_SOURCE, 1, W, &s), MPI_ERR_PROC_FAILED);
        CHECK_CLASS(MPI_Probe(MPI_ANY_SOURCE, 1, W, &s), MPI_ERR_PROC_FAILED);
        MPI_Comm_failure_ack(W);
        post(0);
        CHECK_EQ(MPI_Wait(&r, &s), MPI_SUCCESS);
        check_from_1(&s);
    } else {
        MPI_Comm_failure_ack(W);
        CHECK_EQ(MPI_Iprobe(MPI_ANY_SOURCE, 1, W, &flag, &s), MPI_SUCCESS);
        CHECK_EQ(flag, 0);
        post(0);
        if (!strcmp(call, "probe")) {
            CHECK_EQ(MPI_Probe(MPI_ANY_SOURCE, 1, W, &s), MPI_SUCCESS);
            check_from_1(&s);
        }
        if (!strcmp(call, "irecv")) {
            CHECK_EQ(MPI_Irecv(buf, N, MPI_BYTE, MPI_ANY_SOURCE, 1, W, &r), MPI_SUCCESS);
            CHECK_EQ(MPI_Wait(&r, &s), MPI_SUCCESS);
        } else {
            CHECK_EQ(MPI_Recv(buf, N, MPI_BYTE, MPI_ANY_SOURCE, 1, W, &s), MPI_SUCCESS);
        }
        check_from_1(&s);
    }
    check_guards(buf, N);
}

int main(int argc, char **argv)
{
    MPI_Request r;
    int v = 5;

    start(&argc, &argv);
    buf = guarded(N);
    if (rank == 0)
        survivor(argv[1], argv[argc - 1]);
    if (rank == 1 && strcmp(argv[1], "name") != 0) {
        await(0, 1);
        MPI_Send(&v, 1, MPI_INT, 0, 1, W);
    }
    if (rank == 2) {
        MPI_Send(&v, 1, MPI_INT, 0, 3, W);
        MPI_Isend(buf, N, MPI_BYTE, 0, 1, W, &r);
        MPI_Send(&v, 1, MPI_INT, 0, 2, W);
        MPI_Send(&v, 1, MPI_INT, 0, 1, W);
        die_now();
    }
    return finish();
}
