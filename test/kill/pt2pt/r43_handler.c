/* SPDX-License-Identifier: BSD-3-Clause */
/* A user's error handler hears from the calls that complete several requests what it hears from MPI_Wait: the code of the
 * request, and the object of that request.  The calls themselves return MPI_ERR_IN_STATUS.  With and without statuses;
 * the first in the array that has failed decides, a pending one only if none has.
 *
 *   R43: the handler gets the code of the request that failed first in the array's order
 *   S0-26: calls for several requests return IN_STATUS, with classes in the statuses */
/* RUN: -n 3 ; expect "rank 0 ok" */
/* RUN: -n 3 ; args window ; set MACHINES=2 ; expect "rank 0 ok" */
#include "../common.h"

enum { WAITALL, TESTALL, WAITSOME, TESTSOME, CALLS };
enum { MAX = 4, DEAD = 2 };

/* What the handlers have heard since the last call. */
static struct {
    MPI_Comm comm;
    MPI_Win win;
    int code, calls;
} heard;

static MPI_Comm one, other;
static MPI_Status statuses[MAX];
static MPI_Request r[MAX];
static int v[MAX], code_of_query;

static void hears_comm(MPI_Comm *comm, int *code, ...)
{
    heard.comm = *comm;
    heard.code = *code;
    heard.calls++;
}

static void hears_win(MPI_Win *win, int *code, ...)
{
    heard.win = *win;
    heard.code = *code;
    heard.calls++;
}

/* The statuses, as far as they are asked for, are those of the array's order in the calls for all. */
static void complete(int how, int n, bool ignored)
{
    MPI_Status *s = ignored ? MPI_STATUSES_IGNORE : statuses;
    int err = MPI_SUCCESS, flag, taken, at[MAX];

    snprintf(doing, sizeof doing, "call %d%s", how, ignored ? " without statuses" : "");
    heard.comm = MPI_COMM_NULL;
    heard.win = MPI_WIN_NULL;
    heard.code = heard.calls = 0;
    if (how == WAITALL)
        err = MPI_Waitall(n, r, s);
    else if (how == TESTALL)
        err = MPI_Testall(n, r, &flag, s);
    else if (how == WAITSOME)
        err = MPI_Waitsome(n, r, &taken, at, s);
    else
        err = MPI_Testsome(n, r, &taken, at, s);
    CHECK_CLASS(err, MPI_ERR_IN_STATUS);
    CHECK_EQ(heard.calls, 1);
}

static void check_heard(MPI_Comm comm, int class)
{
    CHECK_CLASS(heard.code, class);
    CHECK(heard.comm == comm);
}

static void end(int n)
{
    for (int i = 0; i < n; i++)
        if (r[i] != MPI_REQUEST_NULL)
            MPI_Cancel(&r[i]);
    CHECK_OK(MPI_Waitall(n, r, statuses));
}

/* Of four requests the second and the third have failed, each in its own way; the first one may never end. */
static void dead_first(int how, bool ignored)
{
    int two[2] = {1, 2};

    MPI_Irecv(&v[0], 1, MPI_INT, 1, 5, other, &r[0]);
    MPI_Irecv(&v[1], 1, MPI_INT, DEAD, 5, one, &r[1]);
    MPI_Irecv(&v[2], 1, MPI_INT, 0, 5, other, &r[2]);
    MPI_Send(two, 2, MPI_INT, 0, 5, other);
    r[3] = MPI_REQUEST_NULL;
    complete(how, 4, ignored);
    check_heard(one, MPI_ERR_PROC_FAILED);
    end(4);
}

/* The same, but too long a message comes first, behind a receive that is pending. */
static void truncated_first(int how, bool ignored)
{
    int two[2] = {1, 2};

    MPI_Irecv(&v[0], 1, MPI_INT, MPI_ANY_SOURCE, 6, one, &r[0]);
    MPI_Irecv(&v[1], 1, MPI_INT, 0, 6, other, &r[1]);
    MPI_Irecv(&v[2], 1, MPI_INT, DEAD, 6, one, &r[2]);
    MPI_Send(two, 2, MPI_INT, 0, 6, other);
    complete(how, 3, ignored);
    check_heard(other, MPI_ERR_TRUNCATE);
    end(3);
}

static void pending(int how, bool ignored)
{
    MPI_Irecv(&v[0], 1, MPI_INT, MPI_ANY_SOURCE, 7, one, &r[0]);
    complete(how, 1, ignored);
    check_heard(one, MPI_ERR_PENDING);
    end(1);
}

static void revoked(int how, bool ignored)
{
    MPI_Comm gone;

    MPI_Comm_dup(MPI_COMM_SELF, &gone);
    MPI_Irecv(&v[0], 1, MPI_INT, 0, 8, gone, &r[0]);
    MPIX_Comm_revoke(gone);
    complete(how, 1, ignored);
    check_heard(gone, MPIX_ERR_REVOKED);
    MPI_Comm_free(&gone);
}

static int query(void *extra, MPI_Status *status)
{
    (void)extra;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return code_of_query;
}

static int free_state(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int cancel_state(void *extra, int complete_already)
{
    (void)extra;
    (void)complete_already;
    return MPI_SUCCESS;
}

/* A generalized request belongs to no communicator; its code is the user's own.  It comes behind one that is pending. */
static void generalized(int how, bool ignored)
{
    MPI_Irecv(&v[0], 1, MPI_INT, MPI_ANY_SOURCE, 9, one, &r[0]);
    MPI_Grequest_start(query, free_state, cancel_state, NULL, &r[1]);
    MPI_Grequest_complete(r[1]);
    complete(how, 2, ignored);
    CHECK_EQ(heard.code, code_of_query);
    CHECK(heard.comm == MPI_COMM_SELF);
    end(2);
}

/* A request of a window, whose dead target is on another node: the window's handler, which gets the window. */
static void of_window(MPI_Win win, int how, bool ignored)
{
    if (win == MPI_WIN_NULL)
        return;
    MPI_Rput(&v[0], 1, MPI_INT, DEAD, 0, 1, MPI_INT, win, &r[0]);
    complete(how, 1, ignored);
    CHECK_CLASS(heard.code, MPI_ERR_PROC_FAILED);
    CHECK(heard.win == win && heard.comm == MPI_COMM_NULL);
}

static void all_calls(MPI_Win win)
{
    for (int how = 0; how < CALLS; how++)
        for (int ignored = 0; ignored < 2; ignored++) {
            dead_first(how, ignored);
            truncated_first(how, ignored);
            pending(how, ignored);
            revoked(how, ignored);
            generalized(how, ignored);
            of_window(win, how, ignored);
        }
}

int main(int argc, char **argv)
{
    MPI_Errhandler of_comm, of_win;
    int *base, class;
    MPI_Win win;

    start(&argc, &argv);
    MPI_Comm_create_errhandler(hears_comm, &of_comm);
    MPI_Win_create_errhandler(hears_win, &of_win);
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_lock_all(0, win);
    if (rank == DEAD)
        die_now();
    wait_until_dead(MPI_COMM_WORLD, DEAD);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, of_comm);
    MPI_Comm_set_errhandler(one, of_comm);
    MPI_Comm_set_errhandler(other, of_comm);
    MPI_Win_set_errhandler(win, of_win);
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code_of_query);
    if (rank == 0)
        all_calls(argc > 1 ? win : MPI_WIN_NULL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    return finish();
}
