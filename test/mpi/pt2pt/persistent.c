/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent requests: all modes in both widths, started again and again with new contents, alone and
 * by MPI_Startall; what an inactive one does in every completion call; what may not be started. */
/* RUN: -n 2 */
/* RUN: -n 3 */
#include "common.h"

#define ROUNDS 50
#define KINDS  8
#define BYTES  70000

static unsigned char out[KINDS][BYTES], in[KINDS][BYTES];

static void make(MPI_Request r[], int to, int from)
{
    MPI_Comm c = MPI_COMM_WORLD;

    MPI_Send_init(out[0], BYTES, MPI_BYTE, to, 0, c, &r[0]);
    MPI_Send_init_c(out[1], 100, MPI_BYTE, to, 1, c, &r[1]);
    MPI_Ssend_init(out[2], BYTES, MPI_BYTE, to, 2, c, &r[2]);
    MPI_Ssend_init_c(out[3], 8, MPI_BYTE, to, 3, c, &r[3]);
    MPI_Bsend_init(out[4], BYTES, MPI_BYTE, to, 4, c, &r[4]);
    MPI_Bsend_init_c(out[5], 8, MPI_BYTE, to, 5, c, &r[5]);
    MPI_Rsend_init(out[6], BYTES, MPI_BYTE, to, 6, c, &r[6]);
    MPI_Rsend_init_c(out[7], 8, MPI_BYTE, to, 7, c, &r[7]);
    for (int i = 0; i < KINDS; i++)
        if (i % 2)
            MPI_Recv_init(in[i], BYTES, MPI_BYTE, from, i, c, &r[KINDS + i]);
        else
            MPI_Recv_init_c(in[i], BYTES, MPI_BYTE, i == 2 ? MPI_ANY_SOURCE : from, i, c,
                            &r[KINDS + i]);
}

static void restarts(void)
{
    static const int length[KINDS] = {BYTES, 100, BYTES, 8, BYTES, 8, BYTES, 8};
    MPI_Request r[2 * KINDS];
    MPI_Status s[2 * KINDS];
    int left = (rank + size - 1) % size;

    make(r, (rank + 1) % size, left);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < KINDS; i++) {
            fill(out[i], BYTES, (unsigned)(round * KINDS + i + rank));
            memset(in[i], GUARD, BYTES);
        }
        if (round % 2)
            MPI_Startall(KINDS, r + KINDS);
        else
            for (int i = 0; i < KINDS; i++)
                MPI_Start(&r[KINDS + i]);
        MPI_Barrier(MPI_COMM_WORLD); /* for the ready sends */
        MPI_Startall(KINDS, r);
        MPI_Waitall(2 * KINDS, r, s);
        for (int i = 0; i < KINDS; i++) {
            int n;

            MPI_Get_count(&s[KINDS + i], MPI_BYTE, &n);
            CHECK_EQ(n, length[i]);
            CHECK_EQ(s[KINDS + i].MPI_SOURCE, left);
            CHECK_EQ(wrong(in[i], (size_t)n, (unsigned)(round * KINDS + i + left)), -1);
            CHECK_EQ(touched(in[i] + n, (size_t)(BYTES - n)), -1);
        }
        for (int i = 0; i < 2 * KINDS; i++)
            CHECK(r[i] != MPI_REQUEST_NULL);
    }
    for (int i = 0; i < 2 * KINDS; i++) {
        MPI_Request_free(&r[i]);
        CHECK(r[i] == MPI_REQUEST_NULL);
    }
}

static void check_empty(const MPI_Status *s)
{
    int n, flag;

    CHECK_EQ(s->MPI_SOURCE, MPI_ANY_SOURCE);
    CHECK_EQ(s->MPI_TAG, MPI_ANY_TAG);
    MPI_Get_count(s, MPI_BYTE, &n);
    CHECK_EQ(n, 0);
    MPI_Test_cancelled(s, &flag);
    CHECK_EQ(flag, 0);
}

/* Fresh, and again after it was used: an inactive request is not waited for. */
static void inactive(void)
{
    MPI_Request r[2];
    MPI_Status s[2];
    int a = 1, b = 0, flag, i, indices[2];

    MPI_Send_init(&a, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &r[0]);
    MPI_Recv_init(&b, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &r[1]);
    for (int use = 0; use < 2; use++) {
        MPI_Wait(&r[0], &s[0]);
        check_empty(&s[0]);
        flag = 0;
        MPI_Test(&r[1], &flag, &s[0]);
        CHECK_EQ(flag, 1);
        check_empty(&s[0]);
        MPI_Waitall(2, r, s);
        check_empty(&s[1]);
        MPI_Waitany(2, r, &i, &s[0]);
        CHECK_EQ(i, MPI_UNDEFINED);
        check_empty(&s[0]);
        MPI_Testany(2, r, &i, &flag, &s[0]);
        CHECK(flag && i == MPI_UNDEFINED);
        MPI_Waitsome(2, r, &i, indices, s);
        CHECK_EQ(i, MPI_UNDEFINED);
        MPI_Testsome(2, r, &i, indices, s);
        CHECK_EQ(i, MPI_UNDEFINED);
        MPI_Testall(2, r, &flag, s);
        CHECK_EQ(flag, 1);
        MPI_Request_get_status(r[1], &flag, &s[0]);
        CHECK_EQ(flag, 1);
        check_empty(&s[0]);
        CHECK(r[0] != MPI_REQUEST_NULL && r[1] != MPI_REQUEST_NULL);
        CHECK_CLASS(MPI_Cancel(&r[0]), MPI_ERR_REQUEST);
        MPI_Startall(2, r);
        CHECK_CLASS(MPI_Start(&r[1]), MPI_ERR_REQUEST);
        MPI_Waitall(2, r, s);
        CHECK_EQ(s[1].MPI_TAG, 3);
        CHECK_EQ(b, 1);
        b = 0;
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

/* What is not an inactive persistent request, and nothing starts if one of many may not. */
static void refused(void)
{
    MPI_Request r, two[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int a = 0, flag;

    CHECK_CLASS(MPI_Start(&two[0]), MPI_ERR_REQUEST);
    MPI_Irecv(&a, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, &r);
    CHECK_CLASS(MPI_Start(&r), MPI_ERR_REQUEST);
    MPI_Recv_init(&a, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &two[0]);
    two[1] = r;
    CHECK_CLASS(MPI_Startall(2, two), MPI_ERR_REQUEST);
    MPI_Test(&two[0], &flag, MPI_STATUS_IGNORE);
    CHECK_EQ(flag, 1); /* still inactive */
    MPI_Request_free(&two[0]);
    MPI_Cancel(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* MPI_PROC_NULL, and freeing a request while it is active. */
static void corners(void)
{
    MPI_Request r[2];
    MPI_Status s;
    int a = 9, b = 0;

    MPI_Send_init(&a, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Recv_init(&b, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, r);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        MPI_Wait(&r[1], &s);
        CHECK_EQ(s.MPI_SOURCE, MPI_PROC_NULL);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Send_init(&a, 1, MPI_INT, (rank + 1) % size, 6, MPI_COMM_WORLD, &r[0]);
    MPI_Start(&r[0]);
    MPI_Request_free(&r[0]);
    MPI_Recv(&b, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(b, 9);
}

int main(int argc, char **argv)
{
    int bytes = 2 * (BYTES + 100) + 4 * MPI_BSEND_OVERHEAD;
    void *buffer = malloc((size_t)bytes);

    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Buffer_attach(buffer, bytes);
    restarts();
    inactive();
    refused();
    corners();
    MPI_Buffer_detach(&buffer, &bytes);
    return finish();
}
