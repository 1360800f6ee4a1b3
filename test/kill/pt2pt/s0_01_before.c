/* SPDX-License-Identifier: BSD-3-Clause */
/* Every blocking and every completed point-to-point call with a process that is known to be dead returns
 * the class at once: S0-1 (bounded), S0-8 (named source and destination are involved), S0-17 (completed
 * with PROC_FAILED, request null), S0-21 (blocking wildcards), R11, R15.  Nothing is written behind or
 * before the buffers (S0-28's guard bands), statuses of good calls afterwards are right (S0-2).
 *
 *   R11: a sendrecv with a wildcard source fails and leaves no receive pending
 *   R15: for failures the error code is the class, under both sets of names
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-2: a call that needs no dead process completes normally
 *   S0-8: a source or destination that is named or matched is involved
 *   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED
 *   S0-21: blocking wildcard calls return PROC_FAILED
 *   S0-28: a failed collective touches nothing but its output buffers */
/* RUN: -n 2 ; expect "rank 0 ok" */
/* RUN: -n 3 ; expect "rank 1 ok" */
/* RUN: -n 8 ; expect "rank 6 ok" */
#include "../common.h"

#define W MPI_COMM_WORLD
#define F MPI_ERR_PROC_FAILED

static int dead;
static unsigned char *in, *out;

static void sends(int n)
{
    CHECK_CLASS(MPI_Send(out, n, MPI_BYTE, dead, 1, W), F);
    CHECK_CLASS(MPI_Send_c(out, n, MPI_BYTE, dead, 1, W), F);
    CHECK_CLASS(MPI_Ssend(out, n, MPI_BYTE, dead, 1, W), F);
    CHECK_CLASS(MPI_Bsend(out, n, MPI_BYTE, dead, 1, W), F);
    CHECK_CLASS(MPI_Rsend(out, n, MPI_BYTE, dead, 1, W), F);
}

static void receives(int n)
{
    CHECK_CLASS(MPI_Recv(in, n, MPI_BYTE, dead, 1, W, MPI_STATUS_IGNORE), F);
    CHECK_CLASS(MPI_Recv_c(in, n, MPI_BYTE, dead, MPI_ANY_TAG, W, MPI_STATUS_IGNORE), F);
    CHECK_CLASS(MPI_Recv(in, n, MPI_BYTE, MPI_ANY_SOURCE, 1, W, MPI_STATUS_IGNORE), F);
}

static void exchanges(int n)
{
    unsigned char *aside = malloc((size_t)n + 1);
    MPI_Request r;
    MPI_Status s;

    CHECK_CLASS(MPI_Sendrecv(out, n, MPI_BYTE, dead, 1, in, n, MPI_BYTE, dead, 1, W, &s), F);
    CHECK_CLASS(MPI_Sendrecv_replace(in, n, MPI_BYTE, dead, 1, dead, 1, W, &s), F);
    /* one half is with a living process: it is done all the same */
    MPI_Irecv(aside, n, MPI_BYTE, rank, 2, W, &r);
    CHECK_CLASS(MPI_Sendrecv(out, n, MPI_BYTE, rank, 2, in, n, MPI_BYTE, dead, 1, W, &s), F);
    CHECK_CLASS(MPI_Wait(&r, &s), MPI_SUCCESS);
    CHECK_CLASS(MPI_Send(out, n > 4000 ? 4000 : n, MPI_BYTE, rank, 3, W), MPI_SUCCESS);
    CHECK_CLASS(MPI_Sendrecv(out, n, MPI_BYTE, dead, 1, in, n, MPI_BYTE, rank, 3, W, &s), F);
    /* R11: the wildcard receive is taken back */
    CHECK_CLASS(MPI_Sendrecv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, in, n, MPI_BYTE, MPI_ANY_SOURCE,
                             4, W, &s),
                F);
    memset(in, GUARD, (size_t)n);
    CHECK_CLASS(MPI_Send(out, n > 4000 ? 4000 : n, MPI_BYTE, rank, 4, W), MPI_SUCCESS);
    CHECK_EQ(touched(in, (size_t)n), -1);
    CHECK_CLASS(MPI_Recv(in, n, MPI_BYTE, rank, 4, W, &s), MPI_SUCCESS);
    free(aside);
}

static void probes(void)
{
    MPI_Message m = MPI_MESSAGE_NULL;
    int flag = 0;

    CHECK_CLASS(MPI_Probe(dead, 1, W, MPI_STATUS_IGNORE), F);
    CHECK_CLASS(MPI_Iprobe(dead, 1, W, &flag, MPI_STATUS_IGNORE), F);
    CHECK_EQ(flag, 1);
    CHECK_CLASS(MPI_Mprobe(dead, 1, W, &m, MPI_STATUS_IGNORE), F);
    flag = 0;
    CHECK_CLASS(MPI_Improbe(dead, 1, W, &flag, &m, MPI_STATUS_IGNORE), F);
    CHECK_EQ(flag, 1);
    CHECK_CLASS(MPI_Probe(MPI_ANY_SOURCE, 1, W, MPI_STATUS_IGNORE), F);
    CHECK_CLASS(MPI_Mprobe(MPI_ANY_SOURCE, 1, W, &m, MPI_STATUS_IGNORE), F);
    CHECK(m == MPI_MESSAGE_NULL);
}

static void requests(int n)
{
    MPI_Request r;

    MPI_Irecv(in, n, MPI_BYTE, dead, 1, W, &r);
    CHECK_CLASS(MPI_Wait(&r, MPI_STATUS_IGNORE), F);
    CHECK(r == MPI_REQUEST_NULL);
    MPI_Isend(out, n, MPI_BYTE, dead, 1, W, &r);
    CHECK_CLASS(MPI_Wait(&r, MPI_STATUS_IGNORE), F);
    CHECK(r == MPI_REQUEST_NULL);
    MPI_Isendrecv(out, n, MPI_BYTE, dead, 1, in, n, MPI_BYTE, dead, 1, W, &r);
    CHECK_CLASS(MPI_Wait(&r, MPI_STATUS_IGNORE), F);
    CHECK(r == MPI_REQUEST_NULL);
    MPI_Ssend_init(out, n, MPI_BYTE, dead, 1, W, &r);
    for (int i = 0; i < 3; i++) {
        MPI_Start(&r);
        CHECK_CLASS(MPI_Wait(&r, MPI_STATUS_IGNORE), F);
        CHECK(r != MPI_REQUEST_NULL);
    }
    MPI_Request_free(&r);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {0, 1, 40, 4000, 8192, 8193, 300000};
    void *back;
    int n;

    start(&argc, &argv);
    dead = size - 1;
    if (rank == dead)
        die_now();
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    wait_until_dead(W, dead);
    for (int i = 0; i < 7; i++) {
        in = guarded((size_t)sizes[i]);
        out = guarded((size_t)sizes[i]);
        sends(sizes[i]);
        receives(sizes[i]);
        exchanges(sizes[i]);
        probes();
        requests(sizes[i]);
        check_guards(in, (size_t)sizes[i]);
        CHECK_EQ(touched(out - EDGE, (size_t)sizes[i] + 2 * EDGE), -1);
    }
    MPI_Buffer_detach(&back, &n);
    return finish();
}
