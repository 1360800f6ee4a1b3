/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread sleeps in a call; another one finds the answer for it, and takes away what was found before the first
 * one runs.  The call of the first thread gives what is true when it returns, and looks at nothing that is gone.
 *
 *     probe     a message of the process to itself ends the probe of the sleeping thread; then the communicator is
 *               revoked, which frees the message
 *     taken     the same, but the other thread receives the message: the probe waits for the next one
 *
 *     args probe|taken
 *
 *   S0-14: matched probes and receives report a failure, also of a sender that dies meanwhile
 *   S0-60: a revocation ends calls in progress
 *
 * RUN: -n 1 ; args probe ; expect "rank 0 ok"
 * RUN: -n 1 ; args taken ; expect "rank 0 ok" */
#include "kill/threads/threads.h"

#include <unistd.h>

#define ROUNDS 40

enum { IN_CALL, LEFT, SLEEPER }; /* slots of the board */

static MPI_Comm c;
static bool taking;

/* The sleeper is in its call, and sleeps. */
static void await_sleeper(int round)
{
    await_in_mpi(IN_CALL, round + 1);
    await_state(board[SLEEPER], 'S');
}

/* The revocation may come in front of the probe's end, behind it, or behind the receive. */
static bool is_revoked(int err)
{
    CHECK(class_of(err) == MPI_SUCCESS || (!taking && class_of(err) == MPI_ERR_INVALIDATED));
    return err != MPI_SUCCESS;
}

static void *probe(void *arg)
{
    int round = (int)(long)arg, v = 0;
    MPI_Message m;

    board[SLEEPER] = gettid();
    post(IN_CALL);
    if (!is_revoked(MPI_Mprobe(0, MPI_ANY_TAG, c, &m, MPI_STATUS_IGNORE)) &&
        !is_revoked(MPI_Mrecv(&v, 1, MPI_INT, &m, MPI_STATUS_IGNORE)))
        CHECK(v == round || v == -1);
    post(LEFT);
    return NULL;
}

static void end_probe(int round)
{
    int v = round, taken = -1, flag = 0;

    await_sleeper(round);
    CHECK_EQ(MPI_Send(&v, 1, MPI_INT, 0, 7, c), MPI_SUCCESS);
    if (!taking) {
        CHECK_EQ(MPIX_Comm_revoke(c), MPI_SUCCESS);
        return;
    }
    MPI_Iprobe(0, MPI_ANY_TAG, c, &flag, MPI_STATUS_IGNORE);
    if (flag) { /* else the other thread was faster */
        MPI_Request q;

        MPI_Irecv(&taken, 1, MPI_INT, 0, MPI_ANY_TAG, c, &q);
        v = -1;
        CHECK_EQ(MPI_Send(&v, 1, MPI_INT, 0, 8, c), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    await_in_mpi(LEFT, round + 1);
}

static void probe_often(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t t;

        CHECK_EQ(MPI_Comm_dup(MPI_COMM_SELF, &c), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN), MPI_SUCCESS);
        CHECK_EQ(pthread_create(&t, NULL, probe, (void *)(long)round), 0);
        end_probe(round);
        CHECK_EQ(pthread_join(t, NULL), 0);
        CHECK_EQ(MPI_Comm_free(&c), MPI_SUCCESS);
    }
}

int main(int argc, char **argv)
{
    start_threaded(&argc, &argv, 1);
    taking = !strcmp(argv[1], "taken");
    probe_often();
    return finish();
}
