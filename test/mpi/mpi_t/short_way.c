/* SPDX-License-Identifier: BSD-3-Clause */
/* A member that shares no memory does not lengthen the way of a call: short calls, and messages between two ranks of one node,
 * take the short way as in a job of one node, except for one in 64, which looks for frames.  `share`: every how many. */
/* RUN: -n 4 ; args 0 ; expect "rank 0 ok" ; expect "rank 3 ok" */
/* RUN: -n 4 ; set MACHINES=2 ; args 64 ; expect "rank 0 ok" ; expect "rank 3 ok" */
/* RUN: -n 2 ; set MACHINES=2 ; args 64 ; expect "rank 1 ok" */
/* RUN: -n 4 ; set AGREE_SHM=0 ; args 64 ; expect "rank 3 ok" */
#include "../comm/common.h"

enum { CALLS = 64000, ROUNDS = 5000 };

typedef unsigned long long number;

static MPI_T_pvar_session session;
static MPI_T_pvar_handle long_calls;

static number value(void)
{
    number n = 0;

    CHECK_OK(MPI_T_pvar_read(session, long_calls, &n));
    return n;
}

static void check(const char *what, number before, number calls, number share)
{
    number took = value() - before, most = (share ? calls / share : 0) + 2; /* news, as of an end */

    printf("rank %d: %s: %llu of %llu calls took the long way\n", rank, what, took, calls);
    CHECK(took <= most);
    CHECK(!share || took >= calls / share - 2);
}

static void open_session(void)
{
    int provided, i, n;

    CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    CHECK_OK(MPI_T_pvar_session_create(&session));
    CHECK_OK(MPI_T_pvar_get_index("long_calls", MPI_T_PVAR_CLASS_COUNTER, &i));
    CHECK_OK(MPI_T_pvar_handle_alloc(session, i, NULL, &long_calls, &n));
}

/* Ranks 0 and 1 are of one node, and so are 2 and 3. */
static void exchange(int other)
{
    double word = rank;

    for (int i = 0; i < ROUNDS; i++)
        if (rank < other) {
            CHECK_OK(MPI_Send(&word, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD));
            CHECK_OK(MPI_Recv(&word, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        } else {
            CHECK_OK(MPI_Recv(&word, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_OK(MPI_Send(&word, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD));
        }
}

int main(int argc, char **argv)
{
    number share, before;
    int r;

    start(&argc, &argv);
    share = (number)atoi(argv[1]);
    open_session();
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    before = value();
    for (int i = 0; i < CALLS; i++)
        CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &r));
    check("short calls", before, CALLS, share);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    before = value();
    if (size > 2) {
        exchange(rank ^ 1);
        check("messages", before, 2 * ROUNDS, share);
    }
    printf("rank %d ok\n", rank);
    return finish();
}
