/* SPDX-License-Identifier: BSD-3-Clause */
/* An unmatched nonblocking wildcard receive stays valid when a possible sender has died; each
 * completion call reports MPI_ERR_PENDING and leaves the handle.  S0-25: after an acknowledgement (in
 * either vocabulary) it goes on, and a message from a living sender completes it with the right data.
 * S0-82, S0-83: the next death is reported again.  S0-22, S0-86, S0-87: the acknowledged ranks.
 * The receive is posted before the death, or after it; also by Isendrecv and persistent.
 *
 *   S0-20: a wildcard receive without a match stays pending
 *   S0-22: acknowledging tells which processes have failed
 *   S0-25: a pending receive completes after the acknowledgement
 *   S0-82: after an acknowledgement wildcard receives continue
 *   S0-83: a failure after the acknowledgement is reported again
 *   S0-86: get_acked returns the members that were acknowledged
 *   S0-87: get_acked returns no other members */
/* RUN: -n 4 ; args irecv before 2012 ; expect "rank 0 ok" */
/* RUN: -n 4 ; args irecv after mpix ; expect "rank 0 ok" */
/* RUN: -n 4 ; args isendrecv before mpix ; expect "rank 0 ok" */
/* RUN: -n 4 ; args isendrecv after today ; expect "rank 0 ok" */
/* RUN: -n 4 ; args recv_init before today ; expect "rank 0 ok" */
/* RUN: -n 4 ; args irecv before 2012 ; set SPIN=0 ; set YIELD=0 ; expect "rank 0 ok" */
/* RUN: -n 4 ; args isendrecv before mpix ; set SPIN=0 ; set YIELD=0 ; expect "rank 0 ok" */
/* RUN: -n 8 ; args recv_init after 2012 ; expect "rank 0 ok" */
#include "../common.h"

#define W MPI_COMM_WORLD

static int v;
static MPI_Request r;

static void begin(const char *kind)
{
    v = -1;
    if (!strcmp(kind, "irecv")) {
        CHECK_EQ(MPI_Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 1, W, &r), MPI_SUCCESS);
    } else if (!strcmp(kind, "isendrecv")) {
        CHECK_EQ(MPI_Isendrecv(&v, 0, MPI_INT, MPI_PROC_NULL, 0, &v, 1, MPI_INT, MPI_ANY_SOURCE, 1,
                               W, &r),
                 MPI_SUCCESS);
    } else {
        CHECK_EQ(MPI_Recv_init(&v, 1, MPI_INT, MPI_ANY_SOURCE, 1, W, &r), MPI_SUCCESS);
        CHECK_EQ(MPI_Start(&r), MPI_SUCCESS);
    }
}

/* Every completion call says so, and the request stays as it is. */
static void check_pending(void)
{
    MPI_Request copy = r, a[3] = {MPI_REQUEST_NULL, r, MPI_REQUEST_NULL};
    int flag = 1, i = -1, n = -1, indices[3];
    MPI_Status s[3];

    for (int round = 0; round < 2; round++) {
        CHECK_CLASS(MPI_Wait(&r, s), MPI_ERR_PENDING);
        CHECK_CLASS(MPI_Wait(&r, s), MPIX_ERR_PROC_FAILED_PENDING);
        CHECK_CLASS(MPI_Test(&r, &flag, s), MPI_ERR_PENDING);
        CHECK_EQ(flag, 0);
        CHECK(r == copy);
        CHECK_CLASS(MPI_Waitany(3, a, &i, s), MPI_ERR_PENDING);
        CHECK_EQ(i, 1);
        CHECK_CLASS(MPI_Testany(3, a, &i, &flag, s), MPI_ERR_PENDING);
        CHECK_EQ(i, 1);
        CHECK_CLASS(MPI_Waitall(3, a, s), MPI_ERR_IN_STATUS);
        CHECK_CLASS(s[1].MPI_ERROR, MPI_ERR_PENDING);
        CHECK_CLASS(MPI_Testall(3, a, &flag, s), MPI_ERR_IN_STATUS);
        CHECK_CLASS(s[1].MPI_ERROR, MPI_ERR_PENDING);
        CHECK_EQ(flag, 0);
        CHECK_CLASS(MPI_Waitsome(3, a, &n, indices, s), MPI_ERR_IN_STATUS);
        CHECK(n == 1 && indices[0] == 1);
        CHECK_CLASS(s[0].MPI_ERROR, MPI_ERR_PENDING);
        CHECK_CLASS(MPI_Testsome(3, a, &n, indices, s), MPI_ERR_IN_STATUS);
        CHECK(n == 1 && indices[0] == 1);
        CHECK_CLASS(MPI_Request_get_status(r, &flag, s), MPI_ERR_PENDING);
        CHECK_EQ(flag, 0);
        CHECK(a[1] == copy);
    }
}

static void acknowledge(const char *words, int deaths)
{
    int n;

    if (!strcmp(words, "2012")) {
        CHECK_EQ(MPI_Comm_failure_ack(W), MPI_SUCCESS);
    } else if (!strcmp(words, "mpix")) {
        CHECK_EQ(MPIX_Comm_failure_ack(W), MPI_SUCCESS);
    } else {
        CHECK_EQ(MPI_Comm_ack_failed(W, deaths, &n), MPI_SUCCESS);
        CHECK_EQ(n, deaths);
    }
}

static void check_acked(int n)
{
    MPI_Group g, h;
    int got;

    CHECK_EQ(MPI_Comm_failure_get_acked(W, &g), MPI_SUCCESS);
    CHECK_EQ(MPIX_Comm_failure_get_acked(W, &h), MPI_SUCCESS);
    MPI_Group_size(g, &got);
    CHECK_EQ(got, n);
    MPI_Group_size(h, &got);
    CHECK_EQ(got, n);
    if (g != MPI_GROUP_EMPTY)
        MPI_Group_free(&g);
    if (h != MPI_GROUP_EMPTY)
        MPI_Group_free(&h);
}

/* One death, from the pending request to its completion.  Rank 1 sends in the end. */
static void one_death(const char *kind, bool before, const char *words, int nth, int dead)
{
    MPI_Status s;
    int flag;

    if (before) {
        begin(kind);
        CHECK_EQ(MPI_Test(&r, &flag, &s), MPI_SUCCESS);
        CHECK_EQ(flag, 0);
    }
    post(dead);
    wait_until_dead(W, dead);
    if (!before)
        begin(kind);
    check_pending();
    check_acked(nth - 1);
    acknowledge(words, nth);
    check_acked(nth);
    CHECK_EQ(MPI_Test(&r, &flag, &s), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    CHECK_EQ(v, -1);
    post(1);
    CHECK_EQ(MPI_Wait(&r, &s), MPI_SUCCESS);
    CHECK_EQ(v, 100 + nth);
    CHECK_EQ(s.MPI_SOURCE, 1);
    CHECK_EQ(s.MPI_TAG, 1);
    if (!strcmp(kind, "recv_init"))
        CHECK_EQ(MPI_Request_free(&r), MPI_SUCCESS);
    CHECK(r == MPI_REQUEST_NULL);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (rank >= 2) {
        await(rank, 1);
        die_now();
    }
    for (int nth = 1, dead = size - 1; dead >= 2; nth++, dead--)
        if (rank == 0) {
            one_death(argv[1], !strcmp(argv[2], "before"), argv[3], nth, dead);
        } else {
            await(1, nth);
            v = 100 + nth;
            CHECK_EQ(MPI_Send(&v, 1, MPI_INT, 0, 1, W), MPI_SUCCESS);
        }
    return finish();
}
