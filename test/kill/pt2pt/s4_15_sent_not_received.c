/* SPDX-License-Identifier: BSD-3-Clause */
/* A completed send does not mean that the message was received, or that the receiver lives.
 * Small sends to a process that never receives complete while it lives; when it is dead a send may
 * still succeed until its death is noticed here, but each gives success or MPI_ERR_PROC_FAILED,
 * they come to an error, and after the first one none succeeds (S0-18).  A synchronous send never
 * succeeds unreceived. Of buffered messages, also large ones, more are under way than fit anywhere
 * when their receiver dies: that they are lost is nobody's error.
 *
 *   S0-18: after the first error all point-to-point with that process fails
 *   S4-15: a completed send does not mean that the message was received
 *
 * RUN: -n 2 ; args send ; expect "rank 0 ok"
 * RUN: -n 2 ; args isend ; expect "rank 0 ok"
 * RUN: -n 2 ; args bsend ; expect "rank 0 ok"
 * RUN: -n 2 ; args ssend ; expect "rank 0 ok"
 * RUN: -n 2 ; args buffered 100 ; expect "rank 0 ok"
 * RUN: -n 2 ; args buffered 30000 ; expect "rank 0 ok"
 * RUN: -n 5 ; args send ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 5 ; args send ; set SPIN=0 ; set YIELD=0 ; expect "rank 0 ok" ; expect "rank 3 ok" */
#include "../common.h"

#define W MPI_COMM_WORLD

static int send_by(const char *how, int to)
{
    int v = 4711;
    MPI_Request r;

    if (!strcmp(how, "bsend"))
        return MPI_Bsend(&v, 1, MPI_INT, to, 1, W);
    if (!strcmp(how, "ssend"))
        return MPI_Ssend(&v, 1, MPI_INT, to, 1, W);
    if (strcmp(how, "isend") != 0)
        return MPI_Send(&v, 1, MPI_INT, to, 1, W);
    CHECK_EQ(MPI_Isend(&v, 1, MPI_INT, to, 1, W, &r), MPI_SUCCESS);
    return MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* Completed, on their way, and lost. */
static void buffer_many(int to, int bytes)
{
    char *data = calloc(1, (size_t)bytes);

    for (int i = 0; i < 3000000 / bytes; i++)
        CHECK_EQ(MPI_Bsend(data, bytes, MPI_CHAR, to, 1, W), MPI_SUCCESS);
    free(data);
}

int main(int argc, char **argv)
{
    const char *how = argv[1];
    int dead, err, n;
    void *back;

    start(&argc, &argv);
    dead = size - 1;
    if (rank == dead) { /* outside MPI until its end */
        await(0, dead);
        post(1);
        die_now();
    }
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    if (!strcmp(how, "buffered")) {
        buffer_many(dead, atoi(argv[2]));
        how = "bsend";
    }
    for (int i = 0; i < 5 && strcmp(how, "ssend") != 0; i++)
        CHECK_EQ(send_by(how, dead), MPI_SUCCESS); /* nobody ever receives this */
    post(0);
    await(1, 1);
    do
        err = send_by(how, dead);
    while (err == MPI_SUCCESS && strcmp(how, "ssend") != 0);
    CHECK_CLASS(err, MPI_ERR_PROC_FAILED);
    for (int i = 0; i < 20; i++)
        CHECK_CLASS(send_by(how, dead), MPI_ERR_PROC_FAILED);
    MPI_Buffer_detach(&back, &n);
    return finish();
}
