/* SPDX-License-Identifier: BSD-3-Clause */
/* A sender gets no pages of the segment (pages.h), so its messages find no room, however long it waits.
 *
 *   payloads  there is a ring, without pages for payloads that are longer than a slot: they go in small fragments
 *   ring      there is no ring: the send fails, and messages to others are not affected
 *   answer    the same, and a large message comes, for which the sender waits for an answer: the process ends itself
 *   reduce    the same in a collective by messages
 *
 * RUN: -n 3 ; args payloads ; expect "rank 0 ok" ; expect "rank 2 ok" ; time 20
 * RUN: -n 3 ; args payloads ; set SINGLE_COPY=never ; expect "rank 0 ok" ; expect "rank 2 ok" ; time 20
 * RUN: -n 3 ; args ring ; expect "rank 0 ok" ; expect "rank 1 ok" ; expect "rank 2 ok" ; time 20
 * RUN: -n 3 ; args answer ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "MPI_ERR_NO_MEM" ; time 20
 * RUN: -n 3 ; args answer ; set SINGLE_COPY=never ; expect "rank 0 ok" ; expect "rank 2 ok" ;
 *      expect "MPI_ERR_NO_MEM" ; time 20
 * RUN: -n 3 ; args reduce ; set COLL_SHM=0 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "MPI_ERR_NO_MEM" ;
 *      time 20 */
#include "pages.h"

#define W     MPI_COMM_WORLD
#define LARGE 300000
#define PARTS 6

static unsigned char data[2 * LARGE];

/* Between rank 1 and another one. */
static void greet(int other)
{
    int got;

    if (rank == 1 || rank == other)
        CHECK_EQ(MPI_Sendrecv(&rank, 1, MPI_INT, rank == 1 ? other : 1, 0, &got, 1, MPI_INT,
                              rank == 1 ? other : 1, 0, W, MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
}

static void pass_bytes(int bytes, int stride)
{
    MPI_Datatype t;

    CHECK_EQ(MPI_Type_vector(bytes, 1, stride, MPI_BYTE, &t), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&t), MPI_SUCCESS);
    if (rank == 1) {
        fill(data, (size_t)bytes * (size_t)stride, (unsigned)bytes);
        CHECK_EQ(MPI_Send(data, 1, t, 0, bytes, W), MPI_SUCCESS);
    } else if (rank == 0) {
        memset(data, 0, sizeof(data));
        CHECK_EQ(MPI_Recv(data, 1, t, 1, bytes, W, MPI_STATUS_IGNORE), MPI_SUCCESS);
        for (int i = 0; stride > 1 && i < bytes; i++)
            CHECK_EQ(data[stride * i], pattern((unsigned)bytes, (size_t)(stride * i)));
        CHECK(stride > 1 || wrong(data, (size_t)bytes, (unsigned)bytes) == -1);
    }
    CHECK_EQ(MPI_Type_free(&t), MPI_SUCCESS);
}

static void pass_partitions(void)
{
    MPI_Request r;

    if (rank == 1) {
        fill(data, LARGE, 5);
        CHECK_EQ(MPI_Psend_init(data, PARTS, LARGE / PARTS, MPI_BYTE, 0, 1, W, MPI_INFO_NULL, &r),
                 MPI_SUCCESS);
    } else {
        memset(data, 0, LARGE);
        CHECK_EQ(MPI_Precv_init(data, PARTS, LARGE / PARTS, MPI_BYTE, 1, 1, W, MPI_INFO_NULL, &r),
                 MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Start(&r), MPI_SUCCESS);
    for (int i = 0; rank == 1 && i < PARTS; i++)
        CHECK_EQ(MPI_Pready(i, r), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(rank == 1 || wrong(data, LARGE, 5) == -1);
    CHECK_EQ(MPI_Request_free(&r), MPI_SUCCESS);
}

static void lack_payloads(void)
{
    greet(0);
    if (rank == 1)
        refuse_pages();
    if (rank == 2)
        return;
    for (int round = 0; round < 30; round++) {
        pass_bytes(40, 1);
        pass_bytes(41, 1);
        pass_bytes(41, 2);
        pass_bytes(3000, 1);
        pass_bytes(3000, 2);
    }
    pass_bytes(LARGE, 1);
    pass_bytes(LARGE, 2);
    pass_partitions();
}

static void lack_ring(void)
{
    int sum = 0;

    greet(0);
    if (rank == 1) {
        refuse_pages();
        CHECK_CLASS(MPI_Send(&rank, 1, MPI_INT, 2, 0, W), MPI_ERR_NO_MEM);
        CHECK_CLASS(MPI_Ssend(data, LARGE, MPI_BYTE, 2, 0, W), MPI_ERR_NO_MEM);
        CHECK_EQ(MPI_Recv(&sum, 1, MPI_INT, 2, 0, W, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(sum, 2);
    }
    if (rank == 2)
        CHECK_EQ(MPI_Send(&rank, 1, MPI_INT, 1, 0, W), MPI_SUCCESS);
    if (rank < 2)
        pass_bytes(8, 1);
}

static void lack_answer(void)
{
    if (rank == 1) {
        refuse_pages();
        MPI_Recv(data, LARGE, MPI_BYTE, 2, 0, W, MPI_STATUS_IGNORE);
        MPI_Recv(data, 1, MPI_BYTE, 2, 1, W, MPI_STATUS_IGNORE); /* which never comes */
    }
    if (rank == 2)
        CHECK_CLASS(MPI_Ssend(data, LARGE, MPI_BYTE, 1, 0, W), MPIX_ERR_PROC_FAILED);
}

static void lack_in_collective(void)
{
    int sum;

    if (rank == 1)
        refuse_pages();
    CHECK_CLASS(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, W), MPIX_ERR_PROC_FAILED);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (!strcmp(argv[1], "payloads"))
        lack_payloads();
    else if (!strcmp(argv[1], "ring"))
        lack_ring();
    else if (!strcmp(argv[1], "answer"))
        lack_answer();
    else
        lack_in_collective();
    return finish();
}
