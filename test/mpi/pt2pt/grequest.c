/* SPDX-License-Identifier: BSD-3-Clause */
/* Generalized requests (MPI-5.0 13.2): the callbacks run when, and as often as, the standard says; the
 * status is the user's; errors of callbacks are the completing call's; in arrays with other requests;
 * completed by another thread; cancelled; freed. */
/* RUN: -n 1 */
/* RUN: -n 2 */
/* BUILD: -pthread */
#include "common.h"

#include <pthread.h>
#include <time.h>

struct op {
    int queries, frees, cancels, cancel_complete;
    int query_error, free_error;
    bool cancelled;
    MPI_Request r;
};

static int on_query(void *extra, MPI_Status *s)
{
    struct op *op = extra;

    op->queries++;
    MPI_Status_set_elements(s, MPI_INT, 5);
    MPI_Status_set_cancelled(s, op->cancelled);
    s->MPI_SOURCE = 3;
    s->MPI_TAG = 8;
    return op->query_error;
}

static int on_free(void *extra)
{
    struct op *op = extra;

    op->frees++;
    return op->free_error;
}

static int on_cancel(void *extra, int complete)
{
    struct op *op = extra;

    op->cancels++;
    op->cancel_complete = complete;
    if (!complete) {
        op->cancelled = true;
        MPI_Grequest_complete(op->r);
    }
    return MPI_SUCCESS;
}

static struct op *begin(struct op *op)
{
    *op = (struct op){0};
    MPI_Grequest_start(on_query, on_free, on_cancel, op, &op->r);
    CHECK(op->r != MPI_REQUEST_NULL);
    return op;
}

static void check_status(const MPI_Status *s, int cancelled)
{
    int n, flag;

    MPI_Get_count(s, MPI_INT, &n);
    CHECK_EQ(n, 5);
    CHECK_EQ(s->MPI_SOURCE, 3);
    CHECK_EQ(s->MPI_TAG, 8);
    MPI_Test_cancelled(s, &flag);
    CHECK_EQ(flag, cancelled);
}

static void simple(void)
{
    struct op op;
    MPI_Request copy;
    MPI_Status s;
    int flag;

    begin(&op);
    MPI_Test(&op.r, &flag, &s);
    CHECK_EQ(flag, 0);
    CHECK_EQ(op.queries, 0);
    copy = op.r;
    CHECK_EQ(MPI_Grequest_complete(op.r), MPI_SUCCESS);
    CHECK_CLASS(MPI_Grequest_complete(copy), MPI_ERR_REQUEST); /* twice */
    MPI_Request_get_status(op.r, &flag, &s);
    CHECK_EQ(flag, 1);
    check_status(&s, 0);
    CHECK(op.queries == 1 && op.frees == 0);
    MPI_Wait(&op.r, MPI_STATUS_IGNORE);
    CHECK(op.r == MPI_REQUEST_NULL);
    CHECK(op.queries == 2 && op.frees == 1); /* also with MPI_STATUS_IGNORE */

    begin(&op);
    MPI_Grequest_complete(op.r);
    MPI_Test(&op.r, &flag, &s);
    CHECK_EQ(flag, 1);
    check_status(&s, 0);
    CHECK(op.queries == 1 && op.frees == 1);
}

static void cancelled(void)
{
    struct op op;
    MPI_Status s;

    begin(&op);
    MPI_Cancel(&op.r);
    CHECK(op.cancels == 1 && op.cancel_complete == 0);
    MPI_Wait(&op.r, &s);
    check_status(&s, 1);
    begin(&op);
    MPI_Grequest_complete(op.r);
    MPI_Cancel(&op.r);
    CHECK(op.cancels == 1 && op.cancel_complete == 1);
    MPI_Wait(&op.r, &s);
    check_status(&s, 0);
}

static void freed(void)
{
    struct op op;
    MPI_Request copy;

    begin(&op);
    copy = op.r;
    MPI_Request_free(&op.r);
    CHECK(op.r == MPI_REQUEST_NULL);
    CHECK_EQ(op.frees, 0);
    MPI_Grequest_complete(copy);
    CHECK_EQ(op.frees, 1);
    CHECK_EQ(op.queries, 0);
    begin(&op);
    MPI_Grequest_complete(op.r);
    MPI_Request_free(&op.r);
    CHECK_EQ(op.frees, 1);
}

static void errors(void)
{
    struct op op, other;
    MPI_Request two[2];
    MPI_Status s[2];

    begin(&op)->query_error = MPI_ERR_OP;
    MPI_Grequest_complete(op.r);
    CHECK_CLASS(MPI_Wait(&op.r, s), MPI_ERR_OP);
    CHECK_EQ(op.frees, 1);
    begin(&op)->free_error = MPI_ERR_DIMS;
    MPI_Grequest_complete(op.r);
    CHECK_CLASS(MPI_Wait(&op.r, s), MPI_ERR_DIMS);
    begin(&op)->query_error = MPI_ERR_OP;
    begin(&other);
    two[0] = op.r;
    two[1] = other.r;
    MPI_Grequest_complete(op.r);
    MPI_Grequest_complete(other.r);
    CHECK_CLASS(MPI_Waitall(2, two, s), MPI_ERR_IN_STATUS);
    CHECK_CLASS(s[0].MPI_ERROR, MPI_ERR_OP);
    CHECK_EQ(s[1].MPI_ERROR, MPI_SUCCESS);
    check_status(&s[1], 0);
}

/* Beside a receive in every array call. */
static void mixed(void)
{
    for (int how = 0; how < 4; how++) {
        struct op op;
        int v = 1, got = 0, n = 0, indices[2], flag = 0;
        MPI_Request two[2];
        MPI_Status s[2];

        begin(&op);
        two[0] = op.r;
        MPI_Irecv(&got, 1, MPI_INT, rank, how, MPI_COMM_WORLD, &two[1]);
        MPI_Waitany(0, NULL, &n, s);
        if (how < 2) {
            MPI_Send(&v, 1, MPI_INT, rank, how, MPI_COMM_WORLD);
            MPI_Waitany(2, two, &n, s);
            CHECK_EQ(n, 1);
            MPI_Grequest_complete(op.r);
            MPI_Testany(2, two, &n, &flag, s);
            CHECK(flag && n == 0);
        } else {
            MPI_Grequest_complete(op.r);
            MPI_Waitsome(2, two, &n, indices, s);
            CHECK(n == 1 && indices[0] == 0);
            MPI_Send(&v, 1, MPI_INT, rank, how, MPI_COMM_WORLD);
            MPI_Waitall(2, two, s);
        }
        CHECK_EQ(got, 1);
        CHECK(op.queries == 1 && op.frees == 1);
    }
}

static void *completes_later(void *arg)
{
    struct op *op = arg;
    struct timespec t = {0, 20000000};

    nanosleep(&t, NULL);
    MPI_Grequest_complete(op->r);
    return NULL;
}

static void by_thread(void)
{
    struct op op;
    pthread_t thread;
    MPI_Status s;

    begin(&op);
    pthread_create(&thread, NULL, completes_later, &op);
    MPI_Wait(&op.r, &s);
    check_status(&s, 0);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    simple();
    cancelled();
    freed();
    errors();
    mixed();
    for (int i = 0; i < 5; i++)
        by_thread();
    return finish();
}
