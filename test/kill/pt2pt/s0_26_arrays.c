/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of good, failed, pending and unfinished requests.  Waitall, Testall and Waitsome return
 * MPI_ERR_IN_STATUS with the class in each status; Waitany and Testany return the class of the request
 * that they name.  S0-1: Waitall and Testall do not wait for a receive that may never come once another
 * one has failed; that one is MPI_ERR_PENDING and can be waited for later (S0-2).
 *
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-2: a call that needs no dead process completes normally
 *   S0-26: calls for several requests return IN_STATUS, with classes in the statuses */
/* RUN: -n 3 ; expect "rank 0 ok" */
/* RUN: -n 8 ; expect "rank 0 ok" */
/* RUN: -n 3 ; args during ; kill 2 at in:MPI_Waitall:0 ; expect "rank 0 ok" */
/* RUN: -n 8 ; args during ; kill 7 at in:MPI_Waitall:0 ; expect "rank 0 ok" */
/* RUN: -n 3 ; args during ; kill 2 at in:MPI_Waitall:0 ; set SPIN=0 ; set YIELD=0 ; expect "rank 0 ok" */
#include "../common.h"

#define W MPI_COMM_WORLD
enum { GOOD, FAILED, NEVER, WILD, NONE, N };

static int v[N], dead;
static MPI_Request r[N];
static MPI_Status s[N];

/* GOOD has its message already, NEVER's comes when counter 1 is posted. */
static void begin(int tag)
{
    int x = 7;

    MPI_Irecv(&v[GOOD], 1, MPI_INT, 0, tag, W, &r[GOOD]);
    MPI_Irecv(&v[FAILED], 1, MPI_INT, dead, tag, W, &r[FAILED]);
    MPI_Irecv(&v[NEVER], 1, MPI_INT, 1, tag, W, &r[NEVER]);
    MPI_Irecv(&v[WILD], 1, MPI_INT, MPI_ANY_SOURCE, 999, W, &r[WILD]);
    r[NONE] = MPI_REQUEST_NULL;
    MPI_Send(&x, 1, MPI_INT, 0, tag, W);
    for (int i = 0; i < N; i++)
        s[i].MPI_ERROR = -7;
}

/* After the calls that take all that is finished. */
static void check_rest(void)
{
    CHECK_EQ(s[GOOD].MPI_ERROR, MPI_SUCCESS);
    CHECK_EQ(s[GOOD].MPI_SOURCE, 0);
    CHECK_CLASS(s[FAILED].MPI_ERROR, MPI_ERR_PROC_FAILED);
    CHECK_CLASS(s[NEVER].MPI_ERROR, MPI_ERR_PENDING);
    CHECK_CLASS(s[WILD].MPI_ERROR, MPI_ERR_PENDING);
    CHECK_EQ(s[NONE].MPI_ERROR, MPI_SUCCESS);
    CHECK(r[GOOD] == MPI_REQUEST_NULL && r[FAILED] == MPI_REQUEST_NULL);
    CHECK(r[NEVER] != MPI_REQUEST_NULL && r[WILD] != MPI_REQUEST_NULL);
    CHECK_EQ(v[GOOD], 7);
}

/* The two that were left are still good. */
static void end(int nth)
{
    post(1);
    CHECK_EQ(MPI_Wait(&r[NEVER], s), MPI_SUCCESS);
    CHECK_EQ(v[NEVER], nth);
    MPI_Cancel(&r[WILD]);
    CHECK_EQ(MPI_Wait(&r[WILD], s), MPI_SUCCESS);
}

static void by_waitall(int nth)
{
    begin(nth);
    CHECK_CLASS(MPI_Waitall(N, r, s), MPI_ERR_IN_STATUS);
    check_rest();
    end(nth);
}

static void by_testall(int nth)
{
    int flag = 1;

    begin(nth);
    CHECK_CLASS(MPI_Testall(N, r, &flag, s), MPI_ERR_IN_STATUS);
    CHECK_EQ(flag, 0); /* not all are finished */
    check_rest();
    end(nth);
}

static void by_some(int nth, bool wait)
{
    int n = 0, indices[N], class_at[N] = {-1, -1, -1, -1, -1};

    begin(nth);
    CHECK_CLASS(wait ? MPI_Waitsome(N, r, &n, indices, s) : MPI_Testsome(N, r, &n, indices, s),
                MPI_ERR_IN_STATUS);
    CHECK_EQ(n, 3);
    for (int i = 0; i < n; i++)
        class_at[indices[i]] = class_of(s[i].MPI_ERROR);
    CHECK_EQ(class_at[GOOD], MPI_SUCCESS);
    CHECK_EQ(class_at[FAILED], MPI_ERR_PROC_FAILED);
    CHECK_EQ(class_at[WILD], MPI_ERR_PENDING);
    CHECK(r[GOOD] == MPI_REQUEST_NULL && r[FAILED] == MPI_REQUEST_NULL);
    CHECK(r[NEVER] != MPI_REQUEST_NULL && r[WILD] != MPI_REQUEST_NULL);
    end(nth);
}

/* One after the other: two finished ones with their classes, then only the pending one is left. */
static void by_any(int nth, bool wait)
{
    int i = -1, flag = 1, seen = 0, code;

    begin(nth);
    for (int k = 0; k < 2; k++) {
        code = wait ? MPI_Waitany(N, r, &i, s) : MPI_Testany(N, r, &i, &flag, s);
        CHECK(flag && (i == GOOD || i == FAILED));
        CHECK_CLASS(code, i == GOOD ? MPI_SUCCESS : MPI_ERR_PROC_FAILED);
        CHECK(r[i] == MPI_REQUEST_NULL);
        seen |= 1 << i;
    }
    CHECK_EQ(seen, 1 << GOOD | 1 << FAILED);
    code = wait ? MPI_Waitany(N, r, &i, s) : MPI_Testany(N, r, &i, &flag, s);
    CHECK_CLASS(code, MPI_ERR_PENDING);
    CHECK_EQ(i, WILD);
    CHECK(r[WILD] != MPI_REQUEST_NULL);
    end(nth);
}

/* MPI_STATUSES_IGNORE: the return value alone. */
static void ignored(int nth)
{
    begin(nth);
    CHECK_CLASS(MPI_Waitall(N, r, MPI_STATUSES_IGNORE), MPI_ERR_IN_STATUS);
    CHECK(r[GOOD] == MPI_REQUEST_NULL && r[FAILED] == MPI_REQUEST_NULL);
    CHECK(r[NEVER] != MPI_REQUEST_NULL && r[WILD] != MPI_REQUEST_NULL);
    end(nth);
}

/* The death comes while Waitall waits; the failed request is behind many that never finish. */
static void long_array(void)
{
    enum { LONG = 3000 };
    static MPI_Request many[LONG];
    static MPI_Status status[LONG];
    static int in[LONG];

    for (int i = 0; i < LONG; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, i == LONG - 1 ? dead : 1, 5000 + i, W, &many[i]);
    CHECK_CLASS(MPI_Waitall(LONG, many, status), MPI_ERR_IN_STATUS);
    for (int i = 0; i < LONG; i++)
        CHECK_CLASS(status[i].MPI_ERROR, i == LONG - 1 ? MPI_ERR_PROC_FAILED : MPI_ERR_PENDING);
    for (int i = 0; i < LONG - 1; i++)
        MPI_Cancel(&many[i]);
    CHECK_EQ(MPI_Waitall(LONG, many, status), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    bool during = argc > 1;

    start(&argc, &argv);
    dead = size - 1;
    if (rank == dead) {
        if (during)
            await_kill();
        die_now();
    }
    if (rank == 0) {
        if (during)
            long_array();
        wait_until_dead(W, dead);
        by_waitall(1);
        by_testall(2);
        by_some(3, true);
        by_some(4, false);
        by_any(5, true);
        by_any(6, false);
        ignored(7);
    }
    for (int nth = 1; rank == 1 && nth <= 7; nth++) {
        await(1, nth);
        CHECK_EQ(MPI_Send(&nth, 1, MPI_INT, 0, nth, W), MPI_SUCCESS);
    }
    return finish();
}
