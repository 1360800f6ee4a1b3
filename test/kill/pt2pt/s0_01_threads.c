/* SPDX-License-Identifier: BSD-3-Clause */
/* S0-1 and S0-2 with MPI_THREAD_MULTIPLE: threads of rank 0 are blocked in different calls, each of
 * which needs another victim.  The victims die one after the other; each call returns with its own error, and one thread
 * exchanges messages with a survivor all the time.
 *
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-2: a call that needs no dead process completes normally */
/* RUN: -n 5 ; expect "rank 0 ok" ; expect "rank 1 ok" */
/* RUN: -n 5 ; times 3 ; expect "rank 0 ok" */
/* BUILD: -pthread */
#include "../common.h"

#include <pthread.h>

#define W MPI_COMM_WORLD

enum { IN_CALL, RETURNED, THREADS }; /* slots of the board */

static _Atomic bool stop;

static void *blocked(void *arg)
{
    int v = (int)(long)arg, x = 0;
    MPI_Request r;
    MPI_Status s;

    board[THREADS + v] = gettid();
    post(IN_CALL);
    if (v == 2)
        CHECK_CLASS(MPI_Recv(&x, 1, MPI_INT, v, 1, W, &s), MPI_ERR_PROC_FAILED);
    if (v == 3)
        CHECK_CLASS(MPI_Ssend(&x, 1, MPI_INT, v, 1, W), MPI_ERR_PROC_FAILED);
    if (v == 4) {
        MPI_Irecv(&x, 1, MPI_INT, v, MPI_ANY_TAG, W, &r);
        CHECK_CLASS(MPI_Waitall(1, &r, &s), MPI_ERR_IN_STATUS);
        CHECK_CLASS(s.MPI_ERROR, MPI_ERR_PROC_FAILED);
    }
    post(RETURNED);
    return NULL;
}

static void *talker(void *arg)
{
    (void)arg;
    for (int i = 0; !stop; i++) {
        int v = -1;

        CHECK_EQ(MPI_Sendrecv(&i, 1, MPI_INT, 1, 2, &v, 1, MPI_INT, 1, 3, W, MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
        CHECK_EQ(v, i + 1);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[5], talk;
    int provided, v;

    set_watchdog();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    open_board();
    if (rank >= 2) {
        await(IN_CALL, 3);
        await(RETURNED, rank - 2);
        await_state(board[THREADS + rank], 'S');
        die_now();
    }
    if (rank == 0) {
        pthread_create(&talk, NULL, talker, NULL);
        for (long i = 2; i < 5; i++)
            pthread_create(&t[i], NULL, blocked, (void *)i);
        for (int i = 2; i < 5; i++)
            pthread_join(t[i], NULL);
        stop = true;
        pthread_join(talk, NULL);
        v = -1;
        MPI_Send(&v, 1, MPI_INT, 1, 2, W);
    } else {
        for (;;) {
            MPI_Recv(&v, 1, MPI_INT, 0, 2, W, MPI_STATUS_IGNORE);
            if (v < 0)
                break;
            v++;
            MPI_Send(&v, 1, MPI_INT, 0, 3, W);
        }
    }
    return finish();
}
