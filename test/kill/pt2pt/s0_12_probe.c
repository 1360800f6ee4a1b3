/* SPDX-License-Identifier: BSD-3-Clause */
/* S0-12 (Iprobe: flag true and the error), S0-13 (Probe), S0-14 (Mprobe, Improbe), S0-21 (wildcard
 * probes), R12 (what had arrived is found before the failure is reported), S0-18 (nothing afterwards),
 * S0-82 (wildcard probes go on after an acknowledgement).
 *
 *   R12: messages that arrived before a death are delivered before it is reported, none after it
 *   S0-12: MPI_Iprobe reports a failure with its flag set
 *   S0-13: MPI_Probe reports a failure
 *   S0-14: matched probes and receives report a failure, also of a sender that dies meanwhile
 *   S0-18: after the first error all point-to-point with that process fails
 *   S0-21: blocking wildcard calls return PROC_FAILED
 *   S0-82: after an acknowledgement wildcard receives continue
 *   S0-84: an acknowledgement does not repair collectives */
/* RUN: -n 3 ; expect "rank 0 ok" */
/* RUN: -n 8 ; expect "rank 0 ok" */
/* RUN: -n 16 ; expect "rank 0 ok" */
#include "../common.h"

#define W MPI_COMM_WORLD

static void found(int source, int tag)
{
    MPI_Status s;
    int flag = 0;

    CHECK_EQ(MPI_Iprobe(source, tag, W, &flag, &s), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    CHECK_EQ(s.MPI_TAG, tag);
    CHECK_EQ(MPI_Probe(source, tag, W, &s), MPI_SUCCESS);
    CHECK_EQ(s.MPI_SOURCE, size - 1);
}

static void survivor(void)
{
    int dead = size - 1, flag, v = 0;
    MPI_Message m = MPI_MESSAGE_NULL, taken;
    MPI_Status s;

    wait_until_dead(W, dead);
    found(dead, 1); /* two messages came before the end */
    found(MPI_ANY_SOURCE, 2);
    CHECK_EQ(MPI_Mprobe(dead, 1, W, &taken, &s), MPI_SUCCESS);
    CHECK_EQ(MPI_Recv(&v, 1, MPI_INT, dead, 2, W, &s), MPI_SUCCESS);
    CHECK_EQ(v, 22);
    CHECK_EQ(MPI_Mrecv(&v, 1, MPI_INT, &taken, &s), MPI_SUCCESS);
    CHECK_EQ(v, 11);
    for (int i = 0; i < 3; i++) {
        flag = 0;
        CHECK_CLASS(MPI_Iprobe(dead, 1, W, &flag, &s), MPI_ERR_PROC_FAILED);
        CHECK_EQ(flag, 1);
        CHECK_CLASS(MPI_Probe(dead, MPI_ANY_TAG, W, &s), MPI_ERR_PROC_FAILED);
        flag = 0;
        CHECK_CLASS(MPI_Improbe(dead, 1, W, &flag, &m, &s), MPI_ERR_PROC_FAILED);
        CHECK(flag == 1 && m == MPI_MESSAGE_NULL);
        CHECK_CLASS(MPI_Mprobe(dead, 1, W, &m, &s), MPI_ERR_PROC_FAILED);
        flag = 0;
        CHECK_CLASS(MPI_Iprobe(MPI_ANY_SOURCE, 1, W, &flag, &s), MPI_ERR_PROC_FAILED);
        CHECK_EQ(flag, 1);
        CHECK_CLASS(MPI_Probe(MPI_ANY_SOURCE, 1, W, &s), MPI_ERR_PROC_FAILED);
        flag = 0;
        CHECK_CLASS(MPI_Improbe(MPI_ANY_SOURCE, 1, W, &flag, &m, &s), MPI_ERR_PROC_FAILED);
        CHECK_EQ(flag, 1);
        CHECK_CLASS(MPI_Mprobe(MPI_ANY_SOURCE, 1, W, &m, &s), MPI_ERR_PROC_FAILED);
    }
    MPI_Comm_failure_ack(W);
    flag = 1;
    CHECK_EQ(MPI_Iprobe(MPI_ANY_SOURCE, 3, W, &flag, &s), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    CHECK_CLASS(MPI_Probe(dead, 1, W, &s), MPI_ERR_PROC_FAILED); /* S0-84: by name it still fails */
    post(1);
    CHECK_EQ(MPI_Probe(MPI_ANY_SOURCE, 3, W, &s), MPI_SUCCESS);
    CHECK_EQ(s.MPI_SOURCE, 1);
    CHECK_EQ(MPI_Recv(&v, 1, MPI_INT, 1, 3, W, &s), MPI_SUCCESS);
    CHECK_EQ(v, 33);
}

int main(int argc, char **argv)
{
    int v;

    start(&argc, &argv);
    if (rank == size - 1) {
        v = 11;
        MPI_Send(&v, 1, MPI_INT, 0, 1, W);
        v = 22;
        MPI_Send(&v, 1, MPI_INT, 0, 2, W);
        die_now();
    }
    if (rank == 0)
        survivor();
    if (rank == 1) {
        await(1, 1);
        v = 33;
        MPI_Send(&v, 1, MPI_INT, 0, 3, W);
    }
    return finish();
}
