/* SPDX-License-Identifier: BSD-3-Clause */
/* What Fortran bindings need: every kind of handle goes to an integer and back, also 100,000 that live at a time, under
 * both sets of names; integers that are not handles give none; a status keeps what is in it in all its forms. */
/* RUN: -n 1 ; time 60 */
#include "../comm/common.h"

#define LIVE_N 100000

/* One handle: both directions, twice, with both names, and not the number of another one. */
#define ROUND(CLASS, TYPE, handle_)                                                                \
    do {                                                                                           \
        TYPE h_ = (handle_);                                                                       \
        int n_ = MPI_##CLASS##_toint(h_);                                                          \
        CHECK_EQ(MPI_##CLASS##_toint(h_), n_);                                                     \
        CHECK_EQ(MPI_##CLASS##_c2f(h_), n_);                                                       \
        CHECK(MPI_##CLASS##_fromint(n_) == h_);                                                    \
        CHECK(MPI_##CLASS##_f2c(n_) == h_);                                                        \
        CHECK(seen_n < (int)(sizeof(seen) / sizeof(*seen)));                                       \
        for (int i_ = 0; i_ < seen_n; i_++)                                                        \
            CHECK(seen[i_] != n_);                                                                 \
        seen[seen_n++] = n_;                                                                       \
    } while (0)

static int seen[64], seen_n;

static void sum(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)n, (void)type;
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

static void predefined(void)
{
    ROUND(Comm, MPI_Comm, MPI_COMM_NULL);
    ROUND(Comm, MPI_Comm, MPI_COMM_WORLD);
    ROUND(Comm, MPI_Comm, MPI_COMM_SELF);
    ROUND(Group, MPI_Group, MPI_GROUP_NULL);
    ROUND(Group, MPI_Group, MPI_GROUP_EMPTY);
    ROUND(Type, MPI_Datatype, MPI_DATATYPE_NULL);
    ROUND(Type, MPI_Datatype, MPI_INT);
    ROUND(Type, MPI_Datatype, MPI_DOUBLE_PRECISION);
    ROUND(Op, MPI_Op, MPI_OP_NULL);
    ROUND(Op, MPI_Op, MPI_SUM);
    ROUND(Request, MPI_Request, MPI_REQUEST_NULL);
    ROUND(Message, MPI_Message, MPI_MESSAGE_NULL);
    ROUND(Message, MPI_Message, MPI_MESSAGE_NO_PROC);
    ROUND(Errhandler, MPI_Errhandler, MPI_ERRHANDLER_NULL);
    ROUND(Errhandler, MPI_Errhandler, MPI_ERRORS_RETURN);
    ROUND(Info, MPI_Info, MPI_INFO_NULL);
    ROUND(Info, MPI_Info, MPI_INFO_ENV);
    ROUND(Session, MPI_Session, MPI_SESSION_NULL);
    ROUND(Win, MPI_Win, MPI_WIN_NULL);
    ROUND(File, MPI_File, MPI_FILE_NULL);
}

static void made(void)
{
    int word = 0, received;
    MPI_Errhandler handler;
    MPI_Datatype type;
    MPI_Message message;
    MPI_Session session;
    MPI_Request request;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Info info;
    MPI_File file;
    MPI_Win win;
    MPI_Op op;

    CHECK_OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    CHECK_OK(MPI_Comm_group(comm, &group));
    CHECK_OK(MPI_Type_contiguous(3, MPI_INT, &type));
    CHECK_OK(MPI_Op_create(sum, 1, &op));
    CHECK_OK(MPI_Comm_create_errhandler(on_error, &handler));
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    CHECK_OK(MPI_Win_create(&word, sizeof(word), 1, MPI_INFO_NULL, comm, &win));
    CHECK_OK(MPI_File_open(comm, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    CHECK_OK(MPI_Isend(&word, 1, MPI_INT, 0, 5, comm, &request));
    CHECK_OK(MPI_Mprobe(0, 5, comm, &message, MPI_STATUS_IGNORE));
    ROUND(Comm, MPI_Comm, comm);
    ROUND(Group, MPI_Group, group);
    ROUND(Type, MPI_Datatype, type);
    ROUND(Op, MPI_Op, op);
    ROUND(Request, MPI_Request, request);
    ROUND(Message, MPI_Message, message);
    ROUND(Errhandler, MPI_Errhandler, handler);
    ROUND(Info, MPI_Info, info);
    ROUND(Session, MPI_Session, session);
    ROUND(Win, MPI_Win, win);
    ROUND(File, MPI_File, file);
    CHECK_OK(MPI_Mrecv(&received, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&file));
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Session_finalize(&session));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Errhandler_free(&handler));
    CHECK_OK(MPI_Op_free(&op));
    CHECK_OK(MPI_Type_free(&type));
    CHECK_OK(MPI_Group_free(&group));
    CHECK_OK(MPI_Comm_free(&comm));
}

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

static void all_differ(int *number)
{
    qsort(number, LIVE_N, sizeof(*number), compare);
    for (int i = 1; i < LIVE_N; i++)
        CHECK(number[i - 1] < number[i]);
}

/* Their numbers are ints, differ, and lead back; half of them go, and the others are still right. */
static void many(void)
{
    MPI_Datatype *type = malloc(LIVE_N * sizeof(*type));
    int *number = malloc(LIVE_N * sizeof(*number));
    int size_bytes;

    CHECK(type && number);
    for (int i = 0; i < LIVE_N; i++) {
        CHECK_OK(MPI_Type_contiguous(i % 100 + 1, MPI_CHAR, &type[i]));
        number[i] = MPI_Type_toint(type[i]);
    }
    for (int i = 0; i < LIVE_N; i++)
        CHECK(MPI_Type_fromint(number[i]) == type[i]);
    for (int i = 0; i < LIVE_N; i += 2)
        CHECK_OK(MPI_Type_free(&type[i]));
    for (int i = 1; i < LIVE_N; i += 2) {
        CHECK(MPI_Type_f2c(number[i]) == type[i]);
        CHECK_OK(MPI_Type_size(MPI_Type_f2c(number[i]), &size_bytes));
        CHECK_EQ(size_bytes, i % 100 + 1);
        CHECK_OK(MPI_Type_free(&type[i]));
    }
    all_differ(number);
    free(type);
    free(number);
}

static void many_requests(void)
{
    MPI_Request *request = malloc(LIVE_N * sizeof(*request));
    int *number = malloc(LIVE_N * sizeof(*number)), word = 0;

    CHECK(request && number);
    for (int i = 0; i < LIVE_N; i++) {
        CHECK_OK(MPI_Irecv(&word, 1, MPI_INT, 0, i, MPI_COMM_SELF, &request[i]));
        number[i] = MPI_Request_c2f(request[i]);
    }
    for (int i = 0; i < LIVE_N; i++) { /* as a Fortran program does it */
        MPI_Request r = MPI_Request_f2c(number[i]);

        CHECK_OK(MPI_Cancel(&r));
        CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
        CHECK_EQ(MPI_Request_c2f(r), MPI_Request_c2f(MPI_REQUEST_NULL));
    }
    all_differ(number);
    free(request);
    free(number);
}

/* Numbers that name nothing are not handles: whatever uses them says so. */
static void nothing(void)
{
    int n;

    CHECK_CLASS(MPI_Comm_size(MPI_Comm_f2c(0x7fffffff), &n), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Type_size(MPI_Type_f2c(-1), &n), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Group_size(MPI_Group_f2c(0x7ffffff0), &n), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_File_get_amode(MPI_File_f2c(0x7ffffff0), &n), MPI_ERR_FILE);
}

static void statuses(void)
{
    MPI_Fint f[MPI_F_STATUS_SIZE], f2[MPI_F_STATUS_SIZE];
    MPI_F08_status f08;
    MPI_Status s, c;
    int word = 7, n, flag;

    CHECK_OK(MPI_Sendrecv(&word, 1, MPI_INT, 0, 9, &n, 1, MPI_INT, 0, 9, MPI_COMM_SELF, &s));
    s.MPI_ERROR = MPI_ERR_TRUNCATE;
    CHECK_OK(MPI_Status_c2f(&s, f));
    CHECK(f[MPI_F_SOURCE] == 0 && f[MPI_F_TAG] == 9 && f[MPI_F_ERROR] == MPI_ERR_TRUNCATE);
    CHECK_OK(MPI_Status_f2f08(f, &f08));
    CHECK(f08.MPI_SOURCE == 0 && f08.MPI_TAG == 9 && f08.MPI_ERROR == MPI_ERR_TRUNCATE);
    CHECK_OK(MPI_Status_f082f(&f08, f2));
    CHECK(!memcmp(f, f2, sizeof(f)));
    CHECK_OK(MPI_Status_f082c(&f08, &c));
    CHECK_OK(MPI_Get_count(&c, MPI_INT, &n));
    CHECK_EQ(n, 1);
    CHECK_OK(MPI_Status_set_cancelled(&c, 1));
    CHECK_OK(MPI_Status_c2f08(&c, &f08));
    CHECK_OK(MPI_Status_f082c(&f08, &s));
    CHECK_OK(MPI_Test_cancelled(&s, &flag));
    CHECK(flag);
    CHECK_OK(MPI_Status_f2c(f, &c));
    CHECK(c.MPI_SOURCE == 0 && c.MPI_TAG == 9);
    CHECK_CLASS(MPI_Status_f2c(NULL, &c), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Status_c2f08(&c, NULL), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    predefined();
    made();
    many();
    many_requests();
    nothing();
    statuses();
    return finish();
}
