/* SPDX-License-Identifier: BSD-3-Clause */
/* No nonblocking call reports the failure when it starts, however long the peer has been dead;
 * S0-16: each completion call does (Wait, Test, and the any, some and all forms); S0-17: the request is
 * null, or inactive if persistent; S0-24: it is finished, a second wait has nothing to wait for.
 *
 *   S0-15: a nonblocking call never reports a failure when it starts
 *   S0-16: the completion call reports the failure
 *   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED
 *   S0-24: PROC_FAILED on a wildcard receive means that the request is finished */
/* RUN: -n 2 ; expect "rank 0 ok" */
/* RUN: -n 3 ; expect "rank 0 ok" */
/* RUN: -n 8 ; expect "rank 0 ok" */
#include "../common.h"

#define W MPI_COMM_WORLD
#define N 100000

static unsigned char in[N], out[N];
static int dead;

#define KINDS 18

/* Starts operation k with the dead process. */
static int begin(int k, MPI_Request *r)
{
    int n = k % 2 ? N : 10;

    switch (k / 2) {
    case 0:
        return MPI_Isend(out, n, MPI_BYTE, dead, 0, W, r);
    case 1:
        return MPI_Issend(out, n, MPI_BYTE, dead, 0, W, r);
    case 2:
        return MPI_Ibsend(out, n, MPI_BYTE, dead, 0, W, r);
    case 3:
        return MPI_Irsend_c(out, n, MPI_BYTE, dead, 0, W, r);
    case 4:
        return MPI_Irecv(in, n, MPI_BYTE, dead, 0, W, r);
    case 5:
        return MPI_Irecv_c(in, n, MPI_BYTE, dead, MPI_ANY_TAG, W, r);
    case 6:
        return MPI_Isendrecv(out, n, MPI_BYTE, dead, 0, in, n, MPI_BYTE, dead, 0, W, r);
    case 7:
        return MPI_Isendrecv_replace(in, n, MPI_BYTE, dead, 0, dead, 0, W, r);
    default:
        return MPI_Isendrecv(out, n, MPI_BYTE, dead, 0, in, n, MPI_BYTE, MPI_PROC_NULL, 0, W, r);
    }
}

/* Completes r by call number `how`, which must report the class, and which request it was. */
static void end(MPI_Request *r, int how)
{
    MPI_Request a[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, *r, MPI_REQUEST_NULL};
    MPI_Status s[4];
    int flag = 0, i = -1, n = 0, indices[4], code = MPI_SUCCESS;

    s[0].MPI_ERROR = s[2].MPI_ERROR = -7;
    switch (how) {
    case 0:
        CHECK_CLASS(MPI_Wait(r, s), MPI_ERR_PROC_FAILED);
        CHECK(*r == MPI_REQUEST_NULL);
        CHECK_EQ(MPI_Wait(r, s), MPI_SUCCESS);
        return;
    case 1:
        while (!flag)
            code = MPI_Test(r, &flag, s);
        CHECK_CLASS(code, MPI_ERR_PROC_FAILED);
        CHECK(*r == MPI_REQUEST_NULL);
        return;
    case 2:
        CHECK_CLASS(MPI_Waitany(4, a, &i, s), MPI_ERR_PROC_FAILED);
        CHECK_EQ(i, 2);
        break;
    case 3:
        while (!flag)
            code = MPI_Testany(4, a, &i, &flag, s);
        CHECK_CLASS(code, MPI_ERR_PROC_FAILED);
        CHECK_EQ(i, 2);
        break;
    case 4:
        CHECK_CLASS(MPI_Waitall(4, a, s), MPI_ERR_IN_STATUS);
        CHECK_CLASS(s[2].MPI_ERROR, MPI_ERR_PROC_FAILED);
        CHECK_EQ(s[0].MPI_ERROR, MPI_SUCCESS);
        break;
    case 5:
        while (!flag)
            code = MPI_Testall(4, a, &flag, s);
        CHECK_CLASS(code, MPI_ERR_IN_STATUS);
        CHECK_CLASS(s[2].MPI_ERROR, MPI_ERR_PROC_FAILED);
        break;
    case 6:
        CHECK_CLASS(MPI_Waitsome(4, a, &n, indices, s), MPI_ERR_IN_STATUS);
        CHECK(n == 1 && indices[0] == 2);
        CHECK_CLASS(s[0].MPI_ERROR, MPI_ERR_PROC_FAILED);
        break;
    default:
        while (n == 0)
            code = MPI_Testsome(4, a, &n, indices, s);
        CHECK_CLASS(code, MPI_ERR_IN_STATUS);
        CHECK(n == 1 && indices[0] == 2);
        CHECK_CLASS(s[0].MPI_ERROR, MPI_ERR_PROC_FAILED);
    }
    CHECK(a[2] == MPI_REQUEST_NULL);
    *r = a[2];
    CHECK_EQ(MPI_Waitall(4, a, s), MPI_SUCCESS);
}

static void persistent(int how)
{
    MPI_Request all[5], copy;
    MPI_Status s;
    int flag = 0, code = MPI_SUCCESS;

    MPI_Send_init(out, N, MPI_BYTE, dead, 0, W, &all[0]);
    MPI_Ssend_init(out, 1, MPI_BYTE, dead, 0, W, &all[1]);
    MPI_Bsend_init(out, 1, MPI_BYTE, dead, 0, W, &all[2]);
    MPI_Rsend_init(out, 1, MPI_BYTE, dead, 0, W, &all[3]);
    MPI_Recv_init(in, N, MPI_BYTE, dead, 0, W, &all[4]);
    for (int round = 0; round < 3; round++) {
        CHECK_EQ(MPI_Startall(5, all), MPI_SUCCESS);
        for (int k = 0; k < 5; k++) {
            copy = all[k];
            if (how)
                CHECK_CLASS(MPI_Wait(&all[k], &s), MPI_ERR_PROC_FAILED);
            else
                for (flag = 0; !flag;)
                    code = MPI_Test(&all[k], &flag, &s);
            if (!how)
                CHECK_CLASS(code, MPI_ERR_PROC_FAILED);
            CHECK(all[k] == copy); /* inactive, not null */
            CHECK_EQ(MPI_Wait(&all[k], &s), MPI_SUCCESS);
            CHECK_EQ(s.MPI_SOURCE, MPI_ANY_SOURCE);
        }
    }
    for (int k = 0; k < 5; k++)
        CHECK_EQ(MPI_Request_free(&all[k]), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Request r;
    void *back;
    int n;

    start(&argc, &argv);
    dead = size - 1;
    if (rank == dead)
        die_now();
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    wait_until_dead(W, dead);
    for (int k = 0; k < KINDS; k++)
        for (int how = 0; how < 8; how++) {
            CHECK_EQ(begin(k, &r), MPI_SUCCESS);
            CHECK(r != MPI_REQUEST_NULL);
            end(&r, how);
        }
    persistent(0);
    persistent(1);
    MPI_Buffer_detach(&back, &n);
    return finish();
}
