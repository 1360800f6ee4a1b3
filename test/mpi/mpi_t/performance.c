/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_T: performance variables: sessions and handles that do not disturb each other, what each class means, variables
 * of a communicator, and wrong arguments (MPI-5.0 15.3.7). */
/* RUN: -n 2 */
#include "../comm/common.h"

#include <unistd.h>

typedef unsigned long long number;

static MPI_T_pvar_session session;

static int pvar(const char *name, int class)
{
    int i = -1;

    CHECK_OK(MPI_T_pvar_get_index(name, class, &i));
    return i;
}

static MPI_T_pvar_handle handle_in(MPI_T_pvar_session s, const char *name, int class,
                                   MPI_Comm *comm)
{
    MPI_T_pvar_handle h = MPI_T_PVAR_HANDLE_NULL;
    int count = 0;

    CHECK_OK(MPI_T_pvar_handle_alloc(s, pvar(name, class), comm, &h, &count));
    CHECK_EQ(count, 1);
    return h;
}

static number value_in(MPI_T_pvar_session s, MPI_T_pvar_handle h)
{
    number v = 4711;

    CHECK_OK(MPI_T_pvar_read(s, h, &v));
    return v;
}

static number value(MPI_T_pvar_handle h)
{
    return value_in(session, h);
}

static void every_one(void)
{
    int n = 0, len, class = 0, bind = 0, readonly = 0, continuous = 0, atomic = 0, count = 0;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_T_pvar_handle h;
    MPI_Datatype type;
    char name[64];
    number v;

    CHECK_OK(MPI_T_pvar_get_num(&n));
    for (int i = 0; i < n; i++) {
        len = sizeof name;
        CHECK_OK(MPI_T_pvar_get_info(i, name, &len, NULL, &class, &type, NULL, NULL, NULL, &bind,
                                     &readonly, &continuous, &atomic));
        CHECK_EQ(pvar(name, class), i);
        CHECK(type == MPI_INT || type == MPI_DOUBLE || type == MPI_UNSIGNED_LONG_LONG);
        CHECK_OK(MPI_T_pvar_handle_alloc(session, i, bind == MPI_T_BIND_NO_OBJECT ? NULL : &comm,
                                         &h, &count));
        CHECK_OK(MPI_T_pvar_read(session, h, &v));
        CHECK_EQ(MPI_T_pvar_start(session, h),
                 continuous ? MPI_T_ERR_PVAR_NO_STARTSTOP : MPI_SUCCESS);
        CHECK_EQ(MPI_T_pvar_stop(session, h),
                 continuous ? MPI_T_ERR_PVAR_NO_STARTSTOP : MPI_SUCCESS);
        CHECK_EQ(MPI_T_pvar_reset(session, h), readonly ? MPI_T_ERR_PVAR_NO_WRITE : MPI_SUCCESS);
        CHECK_EQ(MPI_T_pvar_readreset(session, h, &v),
                 readonly ? MPI_T_ERR_PVAR_NO_WRITE : MPI_SUCCESS);
        CHECK_EQ(MPI_T_pvar_write(session, h, &v),
                 readonly ? MPI_T_ERR_PVAR_NO_WRITE : MPI_SUCCESS);
        CHECK_OK(MPI_T_pvar_handle_free(session, &h));
        CHECK(h == MPI_T_PVAR_HANDLE_NULL);
    }
}

static void wrong(void)
{
    MPI_T_pvar_session other = MPI_T_PVAR_SESSION_NULL, none = (MPI_T_pvar_session)(void *)"none";
    MPI_T_pvar_handle h = handle_in(session, "deaths", MPI_T_PVAR_CLASS_COUNTER, NULL), bad;
    MPI_Comm null = MPI_COMM_NULL;
    int n = 0, bound = pvar("comm_state", MPI_T_PVAR_CLASS_STATE);
    number v;

    CHECK_OK(MPI_T_pvar_session_create(&other));
    CHECK_EQ(MPI_T_pvar_session_create(NULL), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_pvar_get_index("deaths", MPI_T_PVAR_CLASS_TIMER, &n), MPI_T_ERR_INVALID_NAME);
    CHECK_EQ(MPI_T_pvar_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                 NULL, NULL),
             MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_pvar_read(other, h, &v), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_pvar_read(none, h, &v), MPI_T_ERR_INVALID_SESSION);
    CHECK_EQ(MPI_T_pvar_read(session, MPI_T_PVAR_ALL_HANDLES, &v), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_pvar_readreset(session, MPI_T_PVAR_ALL_HANDLES, &v), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_pvar_read(session, h, NULL), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_pvar_handle_alloc(session, 4711, NULL, &bad, &n), MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_pvar_handle_alloc(session, bound, NULL, &bad, &n), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_pvar_handle_alloc(session, bound, &null, &bad, &n), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_pvar_handle_alloc(none, bound, &null, &bad, &n), MPI_T_ERR_INVALID_SESSION);
    CHECK_OK(MPI_T_pvar_session_free(&other));
    CHECK(other == MPI_T_PVAR_SESSION_NULL);
    CHECK_EQ(MPI_T_pvar_session_free(&other), MPI_T_ERR_INVALID_SESSION);
    CHECK_EQ(MPI_T_pvar_handle_free(session, &bad), MPI_T_ERR_INVALID_HANDLE);
    CHECK_OK(MPI_T_pvar_handle_free(session, &h));
}

/* Rank 0 sends n messages of 8 bytes, which rank 1 receives. */
static void messages(int rank, int n)
{
    double x = 0;

    for (int i = 0; i < n; i++)
        if (rank == 0)
            CHECK_OK(MPI_Send(&x, 1, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD));
        else
            CHECK_OK(MPI_Recv(&x, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void counters(int rank)
{
    const char *n_name = rank ? "messages_received" : "messages_sent",
               *bytes_name = rank ? "bytes_received" : "bytes_sent";
    MPI_T_pvar_handle n = handle_in(session, n_name, MPI_T_PVAR_CLASS_COUNTER, NULL), other_n,
                      bytes = handle_in(session, bytes_name, MPI_T_PVAR_CLASS_AGGREGATE, NULL);
    MPI_T_pvar_session other;
    number v = 100;

    CHECK_OK(MPI_T_pvar_session_create(&other));
    other_n = handle_in(other, n_name, MPI_T_PVAR_CLASS_COUNTER, NULL);
    messages(rank, 3);
    CHECK_EQ(value(n), 0);
    CHECK_OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    messages(rank, 4);
    CHECK_OK(MPI_T_pvar_start(other, other_n));
    CHECK_EQ(value(n), 4);
    CHECK_EQ(value(bytes), 32);
    CHECK_OK(MPI_T_pvar_readreset(session, n, &v));
    CHECK_EQ(v, 4);
    messages(rank, 2);
    CHECK_OK(MPI_T_pvar_stop(session, n));
    messages(rank, 5);
    CHECK_EQ(value(n), 2);
    CHECK_EQ(value(bytes), 32 + 7 * 8);
    CHECK_EQ(value_in(other, other_n), 7);
    v = 100;
    CHECK_OK(MPI_T_pvar_write(session, n, &v));
    CHECK_OK(MPI_T_pvar_start(session, n));
    messages(rank, 1);
    CHECK_EQ(value(n), 101);
    CHECK_OK(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES));
    CHECK_EQ(value(n), 0);
    CHECK_EQ(value_in(other, other_n), 8);
    CHECK_OK(MPI_T_pvar_session_free(&other));
    CHECK_EQ(MPI_T_pvar_read(other, other_n, &v), MPI_T_ERR_INVALID_SESSION);
}

/* Five messages wait at rank 1, on a communicator of their own, until it receives them. */
static void queues(int rank)
{
    MPI_Comm comm, world = MPI_COMM_WORLD;
    MPI_T_pvar_handle level =
                          handle_in(session, "unexpected_messages", MPI_T_PVAR_CLASS_LEVEL, NULL),
                      peak = handle_in(session, "unexpected_messages_max",
                                       MPI_T_PVAR_CLASS_HIGHWATERMARK, NULL),
                      later = handle_in(session, "unexpected_messages_max",
                                        MPI_T_PVAR_CLASS_HIGHWATERMARK, NULL),
                      here, there, posted;
    MPI_Request r;
    int x = 0, flag;

    CHECK_OK(MPI_Comm_dup(world, &comm));
    here = handle_in(session, "comm_unexpected_messages", MPI_T_PVAR_CLASS_LEVEL, &comm);
    there = handle_in(session, "comm_unexpected_messages", MPI_T_PVAR_CLASS_LEVEL, &world);
    posted = handle_in(session, "comm_posted_receives", MPI_T_PVAR_CLASS_LEVEL, &comm);
    CHECK_OK(MPI_T_pvar_start(session, peak));
    if (rank == 0) {
        for (int i = 0; i < 5; i++)
            CHECK_OK(MPI_Send(&x, 1, MPI_INT, 1, 5, comm));
        CHECK_OK(MPI_Send(&x, 1, MPI_INT, 1, 6, comm));
    } else {
        CHECK_OK(MPI_Recv(&x, 1, MPI_INT, 0, 6, comm, MPI_STATUS_IGNORE));
        CHECK_EQ(value(here), 5);
        CHECK_EQ(value(there), 0);
        CHECK(value(level) >= 5);
        for (int i = 0; i < 5; i++)
            CHECK_OK(MPI_Recv(&x, 1, MPI_INT, 0, 5, comm, MPI_STATUS_IGNORE));
        CHECK_EQ(value(here), 0);
        CHECK_OK(MPI_T_pvar_start(session, later));
        CHECK(value(peak) >= 5);
        CHECK(value(later) < 5);
        CHECK_OK(MPI_T_pvar_reset(session, peak));
        CHECK(value(peak) < 5);
    }
    CHECK_OK(MPI_Barrier(world));
    CHECK_OK(MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 9, comm, &r));
    CHECK_EQ(value(posted), 1);
    CHECK_OK(MPI_Cancel(&r));
    CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    CHECK_EQ(value(posted), 0);
    CHECK_OK(MPI_Comm_free(&comm));
    flag = MPI_T_pvar_read(session, here, &(number){0});
    CHECK_EQ(flag, MPI_T_ERR_INVALID_HANDLE);
    CHECK_OK(MPI_T_pvar_handle_free(session, &here));
}

/* Rank 0 comes late. */
static void waits(int rank)
{
    MPI_T_pvar_handle all = handle_in(session, "time_waiting", MPI_T_PVAR_CLASS_TIMER, NULL),
                      messages = handle_in(session, "time_waiting_for_messages",
                                           MPI_T_PVAR_CLASS_TIMER, NULL);
    double x = 0, in_all = -1, of_it = -1;

    CHECK_OK(MPI_T_pvar_start(session, all));
    CHECK_OK(MPI_T_pvar_start(session, messages));
    if (rank == 0) {
        usleep(100000);
        CHECK_OK(MPI_Send(&x, 1, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD));
    } else {
        CHECK_OK(MPI_Recv(&x, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_T_pvar_read(session, all, &in_all));
        CHECK_OK(MPI_T_pvar_read(session, messages, &of_it));
        CHECK(of_it > 0.01 && of_it < 60 && in_all >= of_it);
    }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
}

static void states(void)
{
    MPI_Comm comm;
    MPI_T_pvar_handle state,
        revocations = handle_in(session, "revocations", MPI_T_PVAR_CLASS_COUNTER, NULL),
        agreements = handle_in(session, "agreements", MPI_T_PVAR_CLASS_COUNTER, NULL), share;
    number before = value(revocations), voted = value(agreements);
    double living = 0;
    int s = -1, flag = 1;

    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    state = handle_in(session, "comm_state", MPI_T_PVAR_CLASS_STATE, &comm);
    share = handle_in(session, "comm_living", MPI_T_PVAR_CLASS_PERCENTAGE, &comm);
    CHECK_OK(MPI_T_pvar_read(session, state, &s));
    CHECK_EQ(s, 0);
    CHECK_OK(MPI_T_pvar_read(session, share, &living));
    CHECK(living == 1.0);
    CHECK_OK(MPIX_Comm_agree(comm, &flag));
    CHECK(value(agreements) > voted);
    CHECK_OK(MPIX_Comm_revoke(comm));
    CHECK_OK(MPI_T_pvar_read(session, state, &s));
    CHECK_EQ(s, 2);
    CHECK_EQ(value(revocations), before + 1);
    CHECK_OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    int provided, rank;

    CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    CHECK_OK(MPI_T_pvar_session_create(&session));
    CHECK_EQ(value(handle_in(session, "messages_sent", MPI_T_PVAR_CLASS_COUNTER, NULL)), 0);
    CHECK_EQ(value(handle_in(session, "unexpected_messages", MPI_T_PVAR_CLASS_LEVEL, NULL)), 0);
    CHECK_OK(MPI_Init(&argc, &argv));
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    every_one();
    wrong();
    counters(rank);
    queues(rank);
    waits(rank);
    states();
    CHECK_OK(MPI_Finalize());
    CHECK(value(handle_in(session, "processes", MPI_T_PVAR_CLASS_SIZE, NULL)) == 2);
    CHECK_OK(MPI_T_finalize());
    return 0;
}
