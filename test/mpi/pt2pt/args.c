/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong arguments give the right error class through the right error handler, change nothing, and leave
 * the library usable: null and freed communicators, bad ranks, tags, counts, types, buffers, requests,
 * messages and output pointers, in both widths; and counts whose bytes no number holds. */
/* RUN: -n 1 */
/* RUN: -n 2 */
#include "common.h"

#define W MPI_COMM_WORLD

static int a[4];
static MPI_Request r;
static MPI_Status s;

#define BYTE MPI_BYTE
#define ALL_SENDS(buf_, n_, type_, dest_, tag_, comm_, class_)                                     \
    do {                                                                                           \
        r = MPI_REQUEST_NULL;                                                                      \
        CHECK_CLASS(MPI_Send(buf_, n_, type_, dest_, tag_, comm_), class_);                        \
        CHECK_CLASS(MPI_Ssend_c(buf_, n_, type_, dest_, tag_, comm_), class_);                     \
        CHECK_CLASS(MPI_Bsend(buf_, n_, type_, dest_, tag_, comm_), class_);                       \
        CHECK_CLASS(MPI_Rsend_c(buf_, n_, type_, dest_, tag_, comm_), class_);                     \
        CHECK_CLASS(MPI_Isend(buf_, n_, type_, dest_, tag_, comm_, &r), class_);                   \
        CHECK_CLASS(MPI_Issend_c(buf_, n_, type_, dest_, tag_, comm_, &r), class_);                \
        CHECK_CLASS(MPI_Ibsend(buf_, n_, type_, dest_, tag_, comm_, &r), class_);                  \
        CHECK_CLASS(MPI_Irsend_c(buf_, n_, type_, dest_, tag_, comm_, &r), class_);                \
        CHECK_CLASS(MPI_Send_init(buf_, n_, type_, dest_, tag_, comm_, &r), class_);               \
        CHECK_CLASS(MPI_Ssend_init_c(buf_, n_, type_, dest_, tag_, comm_, &r), class_);            \
        CHECK_CLASS(MPI_Bsend_init(buf_, n_, type_, dest_, tag_, comm_, &r), class_);              \
        CHECK_CLASS(MPI_Rsend_init_c(buf_, n_, type_, dest_, tag_, comm_, &r), class_);            \
        CHECK_CLASS(MPI_Sendrecv(buf_, n_, type_, dest_, tag_, a, 4, MPI_INT, rank, 0, comm_, &s), \
                    class_);                                                                       \
        CHECK_CLASS(                                                                               \
            MPI_Isendrecv_c(buf_, n_, type_, dest_, tag_, a, 4, MPI_INT, rank, 0, comm_, &r),      \
            class_);                                                                               \
        CHECK(r == MPI_REQUEST_NULL);                                                              \
    } while (0)

#define ALL_RECVS(buf_, n_, type_, source_, tag_, comm_, class_)                                   \
    do {                                                                                           \
        r = MPI_REQUEST_NULL;                                                                      \
        CHECK_CLASS(MPI_Recv(buf_, n_, type_, source_, tag_, comm_, &s), class_);                  \
        CHECK_CLASS(MPI_Recv_c(buf_, n_, type_, source_, tag_, comm_, &s), class_);                \
        CHECK_CLASS(MPI_Irecv(buf_, n_, type_, source_, tag_, comm_, &r), class_);                 \
        CHECK_CLASS(MPI_Irecv_c(buf_, n_, type_, source_, tag_, comm_, &r), class_);               \
        CHECK_CLASS(MPI_Recv_init(buf_, n_, type_, source_, tag_, comm_, &r), class_);             \
        CHECK_CLASS(MPI_Recv_init_c(buf_, n_, type_, source_, tag_, comm_, &r), class_);           \
        CHECK_CLASS(                                                                               \
            MPI_Sendrecv_c(a, 1, MPI_INT, rank, 0, buf_, n_, type_, source_, tag_, comm_, &s),     \
            class_);                                                                               \
        CHECK_CLASS(                                                                               \
            MPI_Isendrecv(a, 1, MPI_INT, rank, 0, buf_, n_, type_, source_, tag_, comm_, &r),      \
            class_);                                                                               \
        CHECK(r == MPI_REQUEST_NULL);                                                              \
    } while (0)

#define ALL_PROBES(source_, tag_, comm_, class_)                                                   \
    do {                                                                                           \
        MPI_Message m_ = MPI_MESSAGE_NULL;                                                         \
        int flag_ = -5;                                                                            \
        CHECK_CLASS(MPI_Probe(source_, tag_, comm_, &s), class_);                                  \
        CHECK_CLASS(MPI_Iprobe(source_, tag_, comm_, &flag_, &s), class_);                         \
        CHECK_CLASS(MPI_Mprobe(source_, tag_, comm_, &m_, &s), class_);                            \
        CHECK_CLASS(MPI_Improbe(source_, tag_, comm_, &flag_, &m_, &s), class_);                   \
        CHECK(flag_ == -5 && m_ == MPI_MESSAGE_NULL);                                              \
    } while (0)

static void messages(void)
{
    MPI_Comm null = MPI_COMM_NULL;
    MPI_Datatype raw;

    ALL_SENDS(a, 4, MPI_INT, rank, 0, null, MPI_ERR_COMM);
    ALL_RECVS(a, 4, MPI_INT, rank, 0, null, MPI_ERR_COMM);
    ALL_PROBES(rank, 0, null, MPI_ERR_COMM);
    ALL_SENDS(a, 4, MPI_INT, size, 0, W, MPI_ERR_RANK);
    ALL_SENDS(a, 4, MPI_INT, MPI_ANY_SOURCE, 0, W, MPI_ERR_RANK);
    ALL_SENDS(a, 4, MPI_INT, -99, 0, W, MPI_ERR_RANK);
    ALL_RECVS(a, 4, MPI_INT, size, 0, W, MPI_ERR_RANK);
    ALL_RECVS(a, 4, MPI_INT, -99, 0, W, MPI_ERR_RANK);
    ALL_PROBES(size, 0, W, MPI_ERR_RANK);
    ALL_SENDS(a, 4, MPI_INT, rank, -1, W, MPI_ERR_TAG);
    ALL_SENDS(a, 4, MPI_INT, rank, MPI_ANY_TAG, W, MPI_ERR_TAG);
    ALL_RECVS(a, 4, MPI_INT, rank, -50, W, MPI_ERR_TAG);
    ALL_PROBES(rank, -50, W, MPI_ERR_TAG);
    ALL_SENDS(a, -1, MPI_INT, rank, 0, W, MPI_ERR_COUNT);
    ALL_RECVS(a, -1, MPI_INT, rank, 0, W, MPI_ERR_COUNT);
    ALL_SENDS(a, 1, MPI_DATATYPE_NULL, rank, 0, W, MPI_ERR_TYPE);
    ALL_RECVS(a, 1, MPI_DATATYPE_NULL, rank, 0, W, MPI_ERR_TYPE);
    ALL_SENDS(NULL, 1, MPI_INT, rank, 0, W, MPI_ERR_BUFFER);
    ALL_RECVS(NULL, 1, MPI_INT, rank, 0, W, MPI_ERR_BUFFER);
    MPI_Type_contiguous(2, MPI_INT, &raw); /* not committed */
    ALL_SENDS(a, 1, raw, rank, 0, W, MPI_ERR_TYPE);
    ALL_RECVS(a, 1, raw, rank, 0, W, MPI_ERR_TYPE);
    MPI_Type_free(&raw);
    CHECK_CLASS(MPI_Sendrecv_replace(NULL, 1, MPI_INT, rank, 0, rank, 0, W, &s), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Sendrecv_replace_c(a, 1, MPI_INT, size, 0, rank, 0, W, &s), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Isendrecv_replace(a, 1, MPI_INT, rank, 0, rank, -9, W, &r), MPI_ERR_TAG);
}

/* More bytes, or a longer way from the first to the last, than an MPI_Count holds: refused, where a
 * product that wraps around would be a short message. */
static void too_many(void)
{
    const MPI_Count beyond = ((MPI_Count)1 << 61) + 1; /* times 8 is 8 */
    MPI_Datatype large, larger, sparse;

    CHECK_CLASS(MPI_Send_c(a, beyond, MPI_DOUBLE, rank, 0, W), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Bsend_c(a, beyond, MPI_DOUBLE, rank, 0, W), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Isend_c(a, beyond, MPI_DOUBLE, MPI_PROC_NULL, 0, W, &r), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Recv_c(a, beyond, MPI_DOUBLE, rank, 0, W, &s), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Sendrecv_replace_c(a, beyond, MPI_DOUBLE, rank, 0, rank, 0, W, &s),
                MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Isendrecv_replace_c(a, beyond, MPI_DOUBLE, rank, 0, rank, 0, W, &r),
                MPI_ERR_COUNT);
    MPI_Type_contiguous(1 << 30, MPI_DOUBLE, &large);
    MPI_Type_contiguous(1 << 29, large, &larger);
    MPI_Type_commit(&larger); /* 2^62 bytes */
    ALL_SENDS(a, 2, larger, rank, 0, W, MPI_ERR_COUNT);
    ALL_RECVS(a, 2, larger, rank, 0, W, MPI_ERR_COUNT);
    ALL_RECVS(a, 1 << 30, larger, rank, 0, W, MPI_ERR_COUNT);
    MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)1 << 61, &sparse);
    MPI_Type_commit(&sparse);
    ALL_SENDS(a, 5, sparse, rank, 0, W, MPI_ERR_COUNT);
    ALL_RECVS(a, 5, sparse, rank, 0, W, MPI_ERR_COUNT);
    CHECK_EQ(MPI_Send(a, 1, sparse, MPI_PROC_NULL, 0, W), MPI_SUCCESS);
    MPI_Type_free(&large);
    MPI_Type_free(&larger);
    MPI_Type_free(&sparse);
}

static void freed_communicator(void)
{
    MPI_Comm c, copy;

    MPI_Comm_dup(W, &c);
    MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
    copy = c;
    MPI_Comm_free(&c);
    CHECK_CLASS(MPI_Send(a, 1, MPI_INT, rank, 0, copy), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Irecv(a, 1, MPI_INT, rank, 0, copy, &r), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Probe(rank, 0, copy, &s), MPI_ERR_COMM);
}

static void requests(void)
{
    MPI_Request zero = (MPI_Request)0, null = MPI_REQUEST_NULL;
    MPI_Request two[2] = {MPI_REQUEST_NULL, zero};
    int flag, i, indices[2];
    MPI_Status many[2];

    CHECK_CLASS(MPI_Wait(NULL, &s), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Wait(&zero, &s), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Test(NULL, &flag, &s), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Test(&null, NULL, &s), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Test(&zero, &flag, &s), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Request_free(&null), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Request_free(NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cancel(&null), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Cancel(NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Start(&null), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Start(NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Startall(-1, two), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Startall(1, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Waitall(-1, two, many), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Waitall(2, NULL, many), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Waitall(2, two, many), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Waitany(2, two, &i, many), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Waitany(1, two, NULL, many), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Waitsome(2, two, &i, indices, many), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Waitsome(1, two, NULL, indices, many), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Waitsome(1, two, &i, NULL, many), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Testall(2, two, &flag, many), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Testall(1, two, NULL, many), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Testany(2, two, &i, &flag, many), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Testsome(2, two, &i, indices, many), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Request_get_status(zero, &flag, &s), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Request_get_status_all(2, two, &flag, many), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Request_get_status_any(2, two, &i, &flag, many), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Request_get_status_some(2, two, &i, indices, many), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Grequest_complete(null), MPI_ERR_REQUEST);
}

static void outputs(void)
{
    MPI_Message m = MPI_MESSAGE_NULL;
    int flag;

    CHECK_CLASS(MPI_Isend(a, 1, MPI_INT, MPI_PROC_NULL, 0, W, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Irecv(a, 1, MPI_INT, MPI_PROC_NULL, 0, W, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Send_init(a, 1, MPI_INT, MPI_PROC_NULL, 0, W, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Iprobe(rank, 0, W, NULL, &s), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Mprobe(rank, 0, W, NULL, &s), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Improbe(rank, 0, W, &flag, NULL, &s), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Mrecv(a, 1, MPI_INT, NULL, &s), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Mrecv(a, 1, MPI_INT, &m, &s), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Imrecv(a, 1, MPI_INT, &m, &r), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Test_cancelled(NULL, &flag), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Status_get_source(&s, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Status_set_tag(NULL, 3), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Buffer_attach(NULL, 100), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Buffer_attach(a, -1), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Buffer_detach(NULL, &flag), MPI_ERR_ARG);
}

/* What looks wrong but is not. */
static void allowed(void)
{
    void *nothing = NULL;

    CHECK_EQ(MPI_Send(nothing, 0, MPI_INT, MPI_PROC_NULL, 0, W), MPI_SUCCESS);
    CHECK_EQ(MPI_Sendrecv(nothing, 0, MPI_INT, rank, 0, nothing, 0, MPI_INT, rank, MPI_ANY_TAG, W,
                          MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Send(a, 1, MPI_INT, MPI_PROC_NULL, 0x7fffffff, W), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(0, NULL, NULL), MPI_SUCCESS);
}

/* The handler that is called is the communicator's own. */
static int calls_world, calls_dup;

static void count_world(MPI_Comm *c, int *code, ...)
{
    (void)c;
    (void)code;
    calls_world++;
}

static void count_dup(MPI_Comm *c, int *code, ...)
{
    (void)c;
    (void)code;
    calls_dup++;
}

static void handlers(void)
{
    MPI_Errhandler on_world, on_dup;
    MPI_Comm c;

    MPI_Comm_create_errhandler(count_world, &on_world);
    MPI_Comm_create_errhandler(count_dup, &on_dup);
    MPI_Comm_dup(W, &c);
    MPI_Comm_set_errhandler(c, on_dup);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, on_world);
    CHECK_CLASS(MPI_Send(a, 1, MPI_INT, size, 0, c), MPI_ERR_RANK);
    CHECK_EQ(calls_dup, 1);
    CHECK_CLASS(MPI_Wait(NULL, &s), MPI_ERR_ARG); /* of no communicator: MPI_COMM_SELF's */
    CHECK_EQ(calls_world, 1);
    CHECK_CLASS(MPI_Recv(a, 1, MPI_INT, rank, -7, c, &s), MPI_ERR_TAG);
    CHECK_EQ(calls_dup, 2);
    CHECK_EQ(calls_world, 1);
    MPI_Isend(a, 4, MPI_INT, rank, 3, c, &r);
    CHECK_CLASS(MPI_Recv(a, 1, MPI_INT, rank, 3, c, &s), MPI_ERR_TRUNCATE);
    CHECK_EQ(calls_dup, 3);
    MPI_Wait(&r, &s);
    MPI_Irecv(a, 1, MPI_INT, rank, 3, c, &r);
    MPI_Send(a, 4, MPI_INT, rank, 3, c);
    CHECK_CLASS(MPI_Waitall(1, &r, &s), MPI_ERR_IN_STATUS);
    CHECK_EQ(calls_dup, 4);
    CHECK_EQ(calls_world, 1);
    MPI_Errhandler_free(&on_world);
    MPI_Errhandler_free(&on_dup);
    MPI_Comm_free(&c);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    messages();
    too_many();
    freed_communicator();
    requests();
    outputs();
    allowed();
    handlers();
    return finish();
}
