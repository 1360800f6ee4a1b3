/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong arguments of partitioned calls, and calls on requests of another kind or in another state.  What is wrong has
 * no effect: the message arrives all the same. */
/* RUN: -n 2 */
#include "common.h"

static int buf[40];

static void init_calls(void)
{
    MPI_Datatype open;
    MPI_Request r;

    MPI_Type_contiguous(2, MPI_INT, &open);
    CHECK_CLASS(MPI_Psend_init(buf, -1, 1, MPI_INT, 0, 0, W, MPI_INFO_NULL, &r), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Psend_init(buf, 1, -1, MPI_INT, 0, 0, W, MPI_INFO_NULL, &r), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Psend_init(NULL, 1, 1, MPI_INT, 0, 0, W, MPI_INFO_NULL, &r), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Psend_init(buf, 1, 1, open, 0, 0, W, MPI_INFO_NULL, &r), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Psend_init(buf, 1, 1, MPI_INT, size, 0, W, MPI_INFO_NULL, &r), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Psend_init(buf, 1, 1, MPI_INT, 0, -1, W, MPI_INFO_NULL, &r), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Psend_init(buf, 1, 1, MPI_INT, 0, 0, MPI_COMM_NULL, MPI_INFO_NULL, &r),
                MPI_ERR_COMM);
    CHECK_CLASS(MPI_Psend_init(buf, 1, 1, MPI_INT, 0, 0, W, (MPI_Info)buf, &r), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Psend_init(buf, 1, 1, MPI_INT, 0, 0, W, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Psend_init_c(buf, 2, (MPI_Count)1 << 62, MPI_INT, 0, 0, W, MPI_INFO_NULL, &r),
                MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Precv_init(buf, 1, 1, MPI_INT, MPI_ANY_SOURCE, 0, W, MPI_INFO_NULL, &r),
                MPI_ERR_RANK);
    CHECK_CLASS(MPI_Precv_init_c(buf, 1, 1, MPI_INT, 0, MPI_ANY_TAG, W, MPI_INFO_NULL, &r),
                MPI_ERR_TAG);
    MPI_Type_free(&open);
}

/* s: an inactive send of 40 partitions. */
static void not_started(MPI_Request s, MPI_Request other)
{
    int flag = 0;

    CHECK_CLASS(MPI_Pready(0, s), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Pready(0, MPI_REQUEST_NULL), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Pready(0, other), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Pready_range(0, 1, s), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Pready_list(1, (int[]){3}, s), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Cancel(&s), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Parrived(s, 0, &flag), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Parrived(other, 0, &flag), MPI_ERR_REQUEST);
    CHECK_OK(MPI_Parrived(MPI_REQUEST_NULL, 0, &flag));
    CHECK(flag);
}

static void started(MPI_Request s)
{
    CHECK_CLASS(MPI_Pready(-1, s), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Pready(40, s), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Pready_range(-1, 3, s), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Pready_range(38, 40, s), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Pready_list(2, (int[]){1, 40}, s), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Pready_list(-1, (int[]){1}, s), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Pready_list(1, NULL, s), MPI_ERR_ARG);
    CHECK_OK(MPI_Pready(1, s)); /* nothing of that list was marked */
    CHECK_CLASS(MPI_Pready(1, s), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Pready_list(2, (int[]){0, 0}, s), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Start(&s), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Cancel(&s), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Request_free(&s), MPI_ERR_REQUEST);
    CHECK_OK(MPI_Pready_range(5, 4, s)); /* none */
    CHECK_OK(MPI_Pready_range(2, 39, s));
}

int main(int argc, char **argv)
{
    MPI_Request s, r, other;
    int flag;

    MPI_Init(&argc, &argv);
    know_rank();
    return_errors();
    init_calls();
    MPI_Send_init(buf, 1, MPI_INT, 0, 0, W, &other);
    s = psend(buf, 40, 1, MPI_INT, 1 - rank, 2, W);
    not_started(s, other);
    MPI_Request_free(&other);
    static int in[40];
    r = precv(in, 10, 4, MPI_INT, 1 - rank, 2, W);
    for (int i = 0; i < 40; i++)
        buf[i] = 100 * rank + i;
    CHECK_OK(MPI_Start(&s));
    started(s);
    CHECK_CLASS(MPI_Parrived(r, 10, &flag), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Parrived(r, -1, &flag), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Parrived(r, 0, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Pready(0, r), MPI_ERR_REQUEST);
    CHECK_OK(MPI_Start(&r));
    CHECK_CLASS(MPI_Request_free(&r), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Cancel(&r), MPI_ERR_REQUEST);
    do
        CHECK_OK(MPI_Request_get_status(r, &flag, MPI_STATUS_IGNORE));
    while (!flag);
    CHECK_CLASS(MPI_Request_free(&r), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Cancel(&r), MPI_ERR_REQUEST);
    CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
    for (int i = 0; i < 40; i++)
        CHECK_EQ(in[i], 100 * (1 - rank) + i);
    CHECK_CLASS(MPI_Pready(0, s), MPI_ERR_REQUEST);
    CHECK_OK(MPI_Request_free(&s));
    CHECK_OK(MPI_Request_free(&r));
    MPI_Finalize();
    return 0;
}
