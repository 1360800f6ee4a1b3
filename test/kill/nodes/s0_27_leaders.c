/* SPDX-License-Identifier: BSD-3-Clause */
/* An agent is killed in the middle of collectives over nodes: by a leader or another rank of its node, which has just begun a
 * collective; or at some time.  All survivors get the error, and until then right results; then they shrink, and on what is left, of which
 * others lead, collectives are right.
 *
 * Arguments: the rank that kills its agent; in which round, negative: at a time.
 *
 *   S0-27: a collective that a death prevents ends with PROC_FAILED
 *   S5-8: the death of an agent is the loss of its node */
/* RUN: -n 5 --lenient-exit ; set MACHINES=2 ; args 4 {n} ; expect "rank 0 ok" ; times 10 */
/* RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args 4 {n} ; expect "rank 0 ok" ; expect "rank 3 ok" ; times 10 */
/* RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args 3 {n} ; expect "rank 0 ok" ; expect "rank 5 ok" ; times 10 */
/* RUN: -n 6 --lenient-exit ; set MACHINES=2 ; args 3 -{n} ; expect "rank 0 ok" ; times 15 */
#include "../../agent.h"
#include "../common.h"

#define KINDS 5
#define MANY  3000

static int in[MANY], out[8 * MANY];

static int length(int round)
{
    return round % 3 ? 2 : MANY;
}

static int value(int r, int round, int i)
{
    return r * 31 + round * 7 + i;
}

static int begin(MPI_Comm c, int me, int n, int round, MPI_Request *q)
{
    int many = length(round), root = round % n;

    for (int i = 0; i < many; i++)
        in[i] = value(me, round, i);
    memset(out, 0, sizeof(out));
    switch (round % KINDS) {
    case 0:
        return MPI_Ibarrier(c, q);
    case 1:
        return MPI_Iallreduce(in, out, many, MPI_INT, MPI_SUM, c, q);
    case 2:
        memcpy(out, in, sizeof(in));
        return MPI_Ibcast(out, many, MPI_INT, root, c, q);
    case 3:
        return MPI_Ireduce(in, out, many, MPI_INT, MPI_SUM, root, c, q);
    default:
        return MPI_Iallgather(in, many, MPI_INT, out, many, MPI_INT, c, q);
    }
}

static void check_result(int me, int n, int round)
{
    int many = length(round), root = round % n;

    for (int i = 0; i < many; i++) {
        int sum = 0;

        for (int r = 0; r < n; r++)
            sum += value(r, round, i);
        if (round % KINDS == 1 || (round % KINDS == 3 && me == root))
            CHECK_EQ(out[i], sum);
        if (round % KINDS == 2)
            CHECK_EQ(out[i], value(root, round, i));
        for (int r = 0; round % KINDS == 4 && r < n; r++)
            CHECK_EQ(out[r * many + i], value(r, round, i));
    }
}

/* One collective; `killer` kills its agent when it has begun. */
static int once(MPI_Comm c, int round, bool killer)
{
    MPI_Request q;
    int me, n, err;

    MPI_Comm_rank(c, &me);
    MPI_Comm_size(c, &n);
    CHECK_EQ(begin(c, me, n, round, &q), MPI_SUCCESS);
    if (killer)
        signal_own_agent(SIGKILL);
    err = MPI_Wait(&q, MPI_STATUS_IGNORE);
    if (!err)
        check_result(me, n, round);
    return err;
}

static void *kill_agent(void *delay_us)
{
    usleep(*(useconds_t *)delay_us);
    signal_own_agent(SIGKILL);
    return NULL;
}

int main(int argc, char **argv)
{
    int who, at, err = MPI_SUCCESS;
    useconds_t delay_us;
    pthread_t thread;
    MPI_Comm rest;

    start(&argc, &argv);
    who = atoi(argv[1]);
    at = atoi(argv[2]);
    delay_us = (useconds_t)(-at * 1777 % 23000);
    if (*argv[2] == '-') {
        at = -1;
        if (rank == who)
            CHECK(pthread_create(&thread, NULL, kill_agent, &delay_us) == 0);
    }
    for (int round = 0; !err; round++)
        err = once(MPI_COMM_WORLD, round, rank == who && round == at);
    CHECK_EQ(err, MPI_ERR_PROC_FAILED);
    CHECK_EQ(MPIX_Comm_shrink(MPI_COMM_WORLD, &rest), MPI_SUCCESS);
    MPI_Comm_set_errhandler(rest, MPI_ERRORS_RETURN);
    for (int round = 0; round < 3 * KINDS; round++)
        CHECK_EQ(once(rest, round, false), MPI_SUCCESS);
    return finish();
}
