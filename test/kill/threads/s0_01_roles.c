/* SPDX-License-Identifier: BSD-3-Clause */
/* S0-1, S0-2, S0-16, S0-17, S0-20, S0-27, S0-60, S0-74, S0-75, S0-85 with MPI_THREAD_MULTIPLE: each rank has 2 to
 * 9 threads, each in a call of another kind on a communicator of its own.  A rank dies, either when the first of its
 * threads reaches the place that the recipe names or at a random time.  Every call of every survivor returns with the
 * class that it must give, and has called its error handler in its own thread.  Then all threads shrink their
 * communicators at the same time, use the new ones, and free both.  One thread exchanges messages with survivors all
 * the time and sees no error.
 *
 *     args THREADS RANK            RANK dies at a random time, which is printed
 *     args THREADS RANK here       as the recipe says
 *     args THREADS RANK second     as the recipe says, and another one while all recover
 *
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-2: a call that needs no dead process completes normally
 *   S0-16: the completion call reports the failure
 *   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED
 *   S0-20: a wildcard receive without a match stays pending
 *   S0-27: a collective that a death prevents ends with PROC_FAILED
 *   S0-60: a revocation ends calls in progress
 *   S0-74: shrink never fails because of a death or a revocation
 *   S0-75: all survivors get the same group from shrink
 *   S0-85: revoke and shrink give a communicator on which collectives work
 *
 * RUN: -n 3 ; args 2 2 ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 3 ; args 9 2 ; expect "rank 0 ok" ; expect "rank 1 ok" ; times 5
 * RUN: -n 5 ; args 9 0 ; expect "rank 1 ok" ; expect "rank 4 ok" ; times 3
 * RUN: -n 8 ; args 5 3 ; expect "rank 0 ok" ; times 2
 * RUN: -n 4 ; args 9 1 here ; kill 1 at agree.enter#40 ; expect "rank 0 ok"
 * RUN: -n 4 ; args 9 1 here ; kill 1 at coll.enter#60 ; expect "rank 0 ok"
 * RUN: -n 4 ; args 9 0 here ; kill 0 at coll.round#50 ; set COLL_SHM=0 ; expect "rank 1 ok"
 * RUN: -n 4 ; args 9 3 here ; kill 3 at coll.shm.arrived#77 ; expect "rank 0 ok"
 * RUN: -n 4 ; args 9 2 here ; kill 2 at member.create.decided#15 ; expect "rank 0 ok"
 * RUN: -n 4 ; args 9 2 here ; kill 2 at agree.done#30 ; set AGREE_SHM=0 ; set COLL_SHM=0 ; expect "rank 0 ok"
 * RUN: -n 5 ; args 9 2 second ; kill 2 at coll.enter#60 ;
 *      kill 3 at call:MPIX_Comm_shrink#3>agree.enter#2 ; expect "rank 0 ok" ; expect-no "rank 3 ok" ; times 2
 * RUN: -n 5 ; args 9 2 second ; kill 2 at coll.enter#60 ;
 *      kill 0 at call:MPIX_Comm_shrink#8>shrink.decided ; expect "rank 1 ok" ; expect-no "rank 0 ok" ; times 2
 * RUN: -n 5 ; args 9 2 second ; kill 2 at coll.enter#60 ; set AGREE_SHM=0 ;
 *      kill 0 at call:MPIX_Comm_shrink#2>agree.sent.down ; expect "rank 1 ok" ; expect-no "rank 0 ok" ; times 2
 * RUN: -n 4 ; args 9 2 here ; kill 2 at p2p.send.rts#3 ; expect "rank 0 ok" */
#include "kill/threads/threads.h"

#define LARGE 100000
#define F     MPI_ERR_PROC_FAILED

enum { PENDING_SEEN, RECOVER }; /* slots of the board */

static int victim;
static bool second; /* another one dies in the recovery */
static char data[LARGE];

static bool is_victim(void)
{
    return rank == victim;
}

static int right(void)
{
    int r = (rank + 1) % size;

    return r == victim ? (r + 1) % size : r;
}

static int left(void)
{
    int r = (rank + size - 1) % size;

    return r == victim ? (r + size - 1) % size : r;
}

/* The victim's part in the roles where it has none: large messages to itself, until it dies. */
static void busy(MPI_Comm c)
{
    static _Thread_local char in[LARGE];
    MPI_Request q;

    for (;;) {
        MPI_Irecv(in, LARGE, MPI_CHAR, rank, 1, c, &q);
        MPI_Isend(data, LARGE, MPI_CHAR, right(), 777, c, &q); /* never received */
        MPI_Send(data, 10, MPI_CHAR, rank, 1, c);
        usleep(500);
    }
}

static void receive(MPI_Comm c)
{
    int v;

    CHECK_HANDLED(MPI_Recv(&v, 1, MPI_INT, victim, 1, c, MPI_STATUS_IGNORE), F);
}

static void collective(MPI_Comm c)
{
    int one = 1, sum, err, n = 0;

    do {
        sum = 0;
        handled = 0;
        err = n++ % 3 ? MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c) : MPI_Barrier(c);
        CHECK(err || n % 3 == 1 || sum == size);
    } while (!err);
    CHECK_EQ(class_of(err), F);
    CHECK_EQ(handled, 1);
}

static void array(MPI_Comm c)
{
    int v[3];
    MPI_Request q[3];
    MPI_Status s[3];

    MPI_Irecv(&v[0], 1, MPI_INT, right(), 1, c, &q[0]); /* never comes */
    MPI_Irecv(&v[1], 1, MPI_INT, victim, 1, c, &q[1]);
    MPI_Irecv(&v[2], 1, MPI_INT, MPI_ANY_SOURCE, 1, c, &q[2]);
    CHECK_HANDLED(MPI_Waitall(3, q, s), MPI_ERR_IN_STATUS);
    CHECK_EQ(s[0].MPI_ERROR, MPI_ERR_PENDING);
    CHECK_EQ(s[1].MPI_ERROR, F);
    CHECK_EQ(s[2].MPI_ERROR, MPI_ERR_PENDING);
    for (int i = 0; i < 3; i += 2) {
        MPI_Cancel(&q[i]);
        CHECK_HANDLED(MPI_Wait(&q[i], s), MPI_SUCCESS);
    }
}

/* All are blocked in calls with living ranks; a thread that learns of the death revokes. */
static void revoked(MPI_Comm c)
{
    int v, first = victim == 0;

    if (rank == first) {
        CHECK_HANDLED(MPI_Recv(&v, 1, MPI_INT, victim, 1, c, MPI_STATUS_IGNORE), F);
        CHECK_HANDLED(MPI_Comm_revoke(c), MPI_SUCCESS);
    } else {
        CHECK_HANDLED(MPI_Recv(&v, 1, MPI_INT, first, 1, c, MPI_STATUS_IGNORE),
                      MPI_ERR_INVALIDATED);
    }
}

/* The ring of the survivors, before, while and after the other one dies. */
static void talk(MPI_Comm c)
{
    for (int i = 0, v; i < 400; i++) {
        CHECK_HANDLED(MPI_Sendrecv(&i, 1, MPI_INT, right(), 5, &v, 1, MPI_INT, left(), 5, c,
                                   MPI_STATUS_IGNORE),
                      MPI_SUCCESS);
        CHECK_EQ(v, i);
        if (i == 300)
            wait_until_dead(c, victim);
    }
}

static void probe(MPI_Comm c)
{
    MPI_Message m;

    CHECK_HANDLED(MPI_Probe(victim, 1, c, MPI_STATUS_IGNORE), F);
    CHECK_HANDLED(MPI_Mprobe(MPI_ANY_SOURCE, 1, c, &m, MPI_STATUS_IGNORE), F);
}

static void wildcard(MPI_Comm c)
{
    int v = -1;
    MPI_Request q;

    MPI_Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 1, c, &q);
    CHECK_HANDLED(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_ERR_PENDING);
    CHECK_HANDLED(MPI_Comm_failure_ack(c), MPI_SUCCESS);
    post(PENDING_SEEN);
    await_in_mpi(PENDING_SEEN, size - 1); /* no message comes before */
    CHECK_HANDLED(MPI_Send(&rank, 1, MPI_INT, right(), 1, c), MPI_SUCCESS);
    CHECK_HANDLED(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(v, left());
}

static void agree(MPI_Comm c)
{
    int flag, err;

    do {
        handled = 0;
        flag = 7;
        err = MPI_Comm_agree(c, &flag);
        CHECK_EQ(flag, 7);
    } while (!err);
    CHECK_EQ(class_of(err), F);
    CHECK_EQ(handled, 1);
}

static void create(MPI_Comm c)
{
    MPI_Comm d;
    int err;

    do {
        handled = 0;
        err = MPI_Comm_dup(c, &d);
        if (!err)
            MPI_Comm_free(&d);
    } while (!err);
    CHECK_EQ(class_of(err), F);
    CHECK_EQ(handled, 1);
}

static const struct role {
    void (*play)(MPI_Comm c);
    bool all; /* the victim plays it, too */
} roles[] = {{receive, false}, {collective, true}, {talk, false},
             {agree, true},    {revoked, false},   {array, false},
             {create, true},   {wildcard, false},  {probe, false}};
#define ROLES ((int)(sizeof roles / sizeof roles[0]))

/* What is left of a communicator works, and both can be freed.  Another rank may die in here: then they
 * agree to do it again. */
static void recover(MPI_Comm *c_p)
{
    int n, one = 1, sum, ok;

    do {
        MPI_Comm rest;

        CHECK_HANDLED(MPIX_Comm_shrink(*c_p, &rest), MPI_SUCCESS);
        MPI_Comm_size(rest, &n);
        CHECK(n == size - 1 || (n == size - 2 && second));
        ok = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, rest) == MPI_SUCCESS;
        CHECK(!ok || sum == n);
        CHECK(ok || second);
        CHECK_HANDLED(MPI_Comm_agreement(rest, &ok), MPI_SUCCESS);
        CHECK_HANDLED(MPI_Comm_free(c_p), MPI_SUCCESS);
        *c_p = rest;
    } while (!ok);
    CHECK_HANDLED(MPI_Comm_free(c_p), MPI_SUCCESS);
}

static void *thread(void *arg)
{
    int i = (int)(long)arg;
    const struct role *role = &roles[i % ROLES];

    if (!is_victim() || role->all)
        role->play(comms[i]);
    else
        busy(comms[i]);
    post(RECOVER);
    await_in_mpi(RECOVER, (size - 1) * threads_n); /* now all at once */
    recover(&comms[i]);
    return NULL;
}

int main(int argc, char **argv)
{
    start_threaded(&argc, &argv, atoi(argv[1]));
    victim = atoi(argv[2]);
    second = argc > 3 && !strcmp(argv[3], "second");
    if (argc == 3 && is_victim()) {
        long us = 1 + getpid() * 7919L % 30000;

        fprintf(stderr, "dies after %ld us\n", us);
        die_soon(us);
    }
    run_threads(thread, threads_n);
    return finish();
}
