/* SPDX-License-Identifier: BSD-3-Clause */
/* S0-18 and R12.  Messages that had come before their sender died are received (R12), on each
 * communicator until the first PROC_FAILED for that rank there; after that nothing with it succeeds: no
 * small, buffered or synchronous send, and no receive of a message that still lies there, whether the
 * first error came from a receive or from a send.  Another communicator has its own state.  S0-84.
 *
 * given: a large buffered send was on its way to the process when it died.  Its caller has got MPI_SUCCESS
 * and is told of no error, so that is not the first one.
 *
 *   R12: messages that arrived before a death are delivered before it is reported, none after it
 *   S0-18: after the first error all point-to-point with that process fails
 *   S0-84: an acknowledgement does not repair collectives */
/* RUN: -n 2 ; expect "rank 0 ok" */
/* RUN: -n 2 ; args send ; expect "rank 0 ok" */
/* RUN: -n 2 ; args probe ; expect "rank 0 ok" */
/* RUN: -n 2 ; args isend ; expect "rank 0 ok" */
/* RUN: -n 2 ; args unseen ; expect "rank 0 ok" */
/* RUN: -n 2 ; args given ; expect "rank 0 ok" */
/* RUN: -n 5 ; args bsend ; expect "rank 0 ok" */
#include "../common.h"

#define W MPI_COMM_WORLD
#define F MPI_ERR_PROC_FAILED

enum { GONE, GIVEN }; /* slots of the board */

static char large[1 << 20];

static int first_error(const char *how, int dead)
{
    MPI_Request r;
    MPI_Status s;
    int v = 0;

    if (!strcmp(how, "send"))
        return MPI_Send(&v, 1, MPI_INT, dead, 9, W);
    if (!strcmp(how, "probe"))
        return MPI_Probe(dead, 9, W, &s);
    if (!strcmp(how, "bsend"))
        return MPI_Bsend(&v, 1, MPI_INT, dead, 9, W);
    if (!strcmp(how, "isend")) {
        MPI_Issend(&v, 1, MPI_INT, dead, 9, W, &r);
        return MPI_Wait(&r, &s);
    }
    return MPI_Recv(&v, 1, MPI_INT, dead, 9, W, &s); /* no message has this tag */
}

/* Learns of the death in calls that look for verdicts, and not for messages. */
static void learn_unseen(void)
{
    MPI_Comm alone;
    MPI_Group dead;
    int n = 0;

    await(GONE, 1);
    while (n == 0) {
        CHECK_EQ(MPI_Comm_dup(MPI_COMM_SELF, &alone), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_free(&alone), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_failure_ack(W), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_failure_get_acked(W, &dead), MPI_SUCCESS);
        MPI_Group_size(dead, &n);
        MPI_Group_free(&dead);
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "recv";
    int dead, v = 0, flag, n;
    MPI_Comm dup;
    MPI_Request r;
    MPI_Status s;
    void *back;

    start(&argc, &argv);
    MPI_Comm_dup(W, &dup);
    dead = size - 1;
    if (rank == dead) {
        for (v = 1; v <= 5; v++)
            MPI_Send(&v, 1, MPI_INT, 0, v, W);
        MPI_Send(&v, 1, MPI_INT, 0, 1, dup);
        if (!strcmp(how, "given"))
            await(GIVEN, 1);
        post(GONE);
        die_now();
    }
    if (rank != 0)
        return finish();
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    if (!strcmp(how, "given")) {
        CHECK_EQ(MPI_Bsend(large, sizeof large, MPI_CHAR, dead, 0, W), MPI_SUCCESS);
        post(GIVEN);
    }
    if (!strcmp(how, "unseen"))
        learn_unseen();
    else
        wait_until_dead(W, dead);
    for (int tag = 2; tag >= 1; tag--) { /* R12: what came is there, in any order of tags */
        CHECK_EQ(MPI_Recv(&v, 1, MPI_INT, dead, tag, W, &s), MPI_SUCCESS);
        CHECK_EQ(v, tag);
    }
    CHECK_EQ(MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 3, W, &s), MPI_SUCCESS);
    CHECK_EQ(v, 3);
    CHECK_CLASS(first_error(how, dead), F);
    for (int i = 0; i < 20; i++) {
        v = -1;
        CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, dead, 4, W, &s), F); /* it had come, but too late */
        CHECK_EQ(v, -1);
        flag = 0;
        CHECK_CLASS(MPI_Iprobe(dead, 5, W, &flag, &s), F);
        CHECK_EQ(flag, 1);
        CHECK_CLASS(MPI_Send(&v, 1, MPI_INT, dead, 1, W), F);
        CHECK_CLASS(MPI_Ssend(&v, 1, MPI_INT, dead, 1, W), F);
        CHECK_CLASS(MPI_Bsend(&v, 1, MPI_INT, dead, 1, W), F);
        CHECK_CLASS(MPI_Rsend(&v, 1, MPI_INT, dead, 1, W), F);
        MPI_Isend(&v, 0, MPI_INT, dead, 1, W, &r);
        CHECK_CLASS(MPI_Wait(&r, &s), F);
        MPI_Irecv(&v, 1, MPI_INT, dead, MPI_ANY_TAG, W, &r);
        CHECK_CLASS(MPI_Wait(&r, &s), F);
        if (i == 10) /* S0-84: an acknowledgement does not change that */
            MPI_Comm_failure_ack(W);
    }
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, W, &flag, &s);
    CHECK_EQ(flag, 0); /* nor is it there for a wildcard */
    CHECK_EQ(MPI_Recv(&v, 1, MPI_INT, dead, 1, dup, &s), MPI_SUCCESS); /* another communicator */
    CHECK_EQ(v, 6);
    MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN);
    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, dead, 1, dup, &s), F);
    MPI_Buffer_detach(&back, &n);
    return finish();
}
