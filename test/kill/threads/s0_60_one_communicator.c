/* SPDX-License-Identifier: BSD-3-Clause */
/* S0-60, S0-64, S0-66, S0-17, S0-21, S0-27, R24 with MPI_THREAD_MULTIPLE: all threads of a rank are in calls on one
 * communicator, with a tag each and with slices of one array of requests.  Either the communicator is
 * invalidated by one thread of rank 0 (revoke), or the process that all of them need dies (die).  All
 * threads of all survivors come out with the class, and their error handler was called in them; what
 * they call then fails at once; handlers leave by longjmp at last, and the library is whole: the
 * communicator is freed and another one is used.
 *
 *     args revoke|die THREADS
 *
 *   R24: an error handler may leave the call by longjmp
 *   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED
 *   S0-21: blocking wildcard calls return PROC_FAILED
 *   S0-27: a collective that a death prevents ends with PROC_FAILED
 *   S0-60: a revocation ends calls in progress
 *   S0-64: elsewhere the communicator is revoked when a status first reports it
 *   S0-66: calls on a revoked communicator return without any other process
 *
 * RUN: -n 2 ; args revoke 8 ; expect "rank 0 ok" ; expect "rank 1 ok" ; times 3
 * RUN: -n 4 ; args revoke 8 ; expect "rank 0 ok" ; expect "rank 3 ok" ; times 3
 * RUN: -n 8 ; args revoke 3 ; expect "rank 0 ok" ; expect "rank 7 ok"
 * RUN: -n 2 ; args die 8 ; expect "rank 0 ok" ; times 3
 * RUN: -n 4 ; args die 8 ; expect "rank 0 ok" ; expect "rank 2 ok" ; times 3
 * RUN: -n 8 ; args die 2 ; expect "rank 0 ok" ; expect "rank 6 ok" */
#include "kill/threads/threads.h"

#include <setjmp.h>

#define LARGE 100000

enum { BLOCKED }; /* slot of the board: threads that are about to call */

static MPI_Comm c;
static bool die;
static int class, peer; /* what all must get; the rank that they talk to */
static MPI_Request shared[3 * THREADS_MAX];
static char data[LARGE];
static _Thread_local jmp_buf back;

static void leave(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    longjmp(back, *code);
}

/* The call of thread t. */
static int call(int t)
{
    MPI_Request *mine = &shared[3 * t];
    MPI_Status s[3];
    MPI_Message m;
    int i, v, err;

    switch (t % 8) {
    case 0:
        return MPI_Recv(&v, 1, MPI_INT, peer, t, c, s);
    case 1:
        return MPI_Ssend(&t, 1, MPI_INT, peer, 100 + t, c);
    case 2:
        for (int k = 0; k < 3; k++)
            MPI_Irecv(&data[k], 1, MPI_CHAR, peer, 200 + k, c, &mine[k]);
        handled = 0;
        err = MPI_Waitall(3, mine, s);
        CHECK_EQ(err, MPI_ERR_IN_STATUS);
        for (int k = 0; k < 3; k++)
            CHECK_EQ(s[k].MPI_ERROR, class);
        return class;
    case 3:
        if (!die && rank == 0) /* somebody must be missing */
            return MPI_Recv(&v, 1, MPI_INT, peer, t, c, s);
        return MPI_Barrier(c);
    case 4:
        return MPI_Probe(peer, t, c, s);
    case 5:
        MPI_Isend(data, LARGE, MPI_CHAR, peer, 100 + t, c, &mine[1]);
        mine[0] = mine[2] = MPI_REQUEST_NULL;
        handled = 0;
        err = MPI_Waitany(3, mine, &i, s);
        CHECK_EQ(i, 1);
        return err;
    case 6:
        return MPI_Mprobe(MPI_ANY_SOURCE, t, c, &m, s);
    default:
        return MPI_Sendrecv(data, LARGE, MPI_CHAR, peer, 100 + t, &v, 1, MPI_INT, MPI_ANY_SOURCE, t,
                            c, s);
    }
}

static void start_it(void)
{
    int v;

    if (die) {
        await(BLOCKED, (size - 1) * threads_n);
        die_now();
    }
    await_in_mpi(BLOCKED, size * threads_n - 1);
    CHECK_HANDLED(MPI_Comm_revoke(c), MPI_SUCCESS);
    CHECK_HANDLED(MPI_Recv(&v, 1, MPI_INT, peer, 0, c, MPI_STATUS_IGNORE), class);
}

static void *thread(void *arg)
{
    int t = (int)(long)arg, v, err;
    MPI_Request q;

    if (die ? rank == size - 1 : rank == 0 && t == 0) {
        if (t == 0)
            start_it();
        else
            pause();
        return NULL;
    }
    post(BLOCKED);
    handled = 0;
    err = call(t);
    CHECK_EQ(class_of(err), class);
    CHECK_EQ(handled, 1);
    CHECK_HANDLED(MPI_Send(&v, 1, MPI_INT, peer, t, c), class);
    CHECK_HANDLED(MPI_Irecv(&v, 1, MPI_INT, peer, t, c, &q), MPI_SUCCESS);
    CHECK_HANDLED(MPI_Wait(&q, MPI_STATUS_IGNORE), class);
    return NULL;
}

/* Each thread leaves its call by its handler. */
static void *jumper(void *arg)
{
    int v, code = setjmp(back);

    if (!code) {
        MPI_Recv(&v, 1, MPI_INT, peer, (int)(long)arg, c, MPI_STATUS_IGNORE);
        CHECK(false);
    }
    CHECK_EQ(class_of(code), class);
    CHECK_HANDLED(MPI_Comm_test_inter(MPI_COMM_WORLD, &v), MPI_SUCCESS);
    return NULL;
}

static void *use_own(void *arg)
{
    int one = 1, sum;
    MPI_Comm rest;

    CHECK_HANDLED(MPIX_Comm_shrink(comms[(long)arg], &rest), MPI_SUCCESS);
    CHECK_HANDLED(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, rest), MPI_SUCCESS);
    CHECK_EQ(sum, size - die);
    CHECK_HANDLED(MPI_Comm_free(&rest), MPI_SUCCESS);
    return NULL;
}

int main(int argc, char **argv)
{
    MPI_Errhandler jump, handler;

    start_threaded(&argc, &argv, atoi(argv[2]));
    die = !strcmp(argv[1], "die");
    class = die ? MPI_ERR_PROC_FAILED : MPI_ERR_INVALIDATED;
    peer = die ? size - 1 : rank == 0 ? 1 : 0;
    MPI_Comm_get_errhandler(comms[0], &handler);
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    MPI_Comm_set_errhandler(c, handler);
    run_threads(thread, threads_n);
    MPI_Comm_create_errhandler(leave, &jump);
    MPI_Comm_set_errhandler(c, jump);
    run_threads(jumper, threads_n);
    CHECK_EQ(MPI_Comm_free(&c), MPI_SUCCESS);
    run_threads(use_own, threads_n);
    return finish();
}
