/* SPDX-License-Identifier: BSD-3-Clause */
/* R14 for the calls that complete several requests: MPI_ERR_IN_STATUS names the request, what it was and why
 * it failed, and the class in a status has the text that MPI_Wait would have given it: rank, host, cause.
 * The request that is named has failed; one that only waits is named if none has.  The report of a fatal
 * handler says the same.
 *
 *   R14: the error text says which rank died, where, why and when
 *
 * RUN: -n 3 ; expect "rank 0 ok"
 * RUN: -n 3 ; args fatal ; set MACHINES=2 ; exit 137 ; expect "MPI_Waitall on halo: MPI_ERR_IN_STATUS"
 * RUN: -n 3 ; args fatal ; exit 137 ;
 *   expect "MPI_Waitall on halo: MPI_ERR_IN_STATUS" ;
 *   expect "array_of_requests[1], receive from rank 2, tag 7, on halo" ;
 *   expect ": MPI_ERR_PROC_FAILED: a process that the operation needs is dead: rank 2 of halo on host" */
#include "../common.h"

enum { OPEN, FAILED, WILD, N };

static MPI_Comm halo;
static MPI_Request r[N];
static MPI_Status s[N];
static char text[MPI_MAX_ERROR_STRING];

static void begin(void)
{
    static int v[N];

    MPI_Irecv(&v[OPEN], 1, MPI_INT, 1, 7, halo, &r[OPEN]);
    MPI_Irecv(&v[FAILED], 1, MPI_INT, 2, 7, halo, &r[FAILED]);
    MPI_Irecv(&v[WILD], 1, MPI_INT, MPI_ANY_SOURCE, 8, halo, &r[WILD]);
}

static void has(int code, const char *what)
{
    int n;

    CHECK_EQ(MPI_Error_string(code, text, &n), MPI_SUCCESS);
    if (!strstr(text, what))
        fprintf(stderr, "rank %d: \"%s\" is not in: %s\n", rank, what, text);
    CHECK(strstr(text, what));
}

/* A failure elsewhere is what was noted last when the array is looked at.  Why the process died is known a moment
 * later than that it did. */
static void distract(void)
{
    int n;

    do {
        CHECK_CLASS(MPI_Send(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD), MPI_ERR_PROC_FAILED);
        CHECK_EQ(MPI_Error_string(MPI_ERR_PROC_FAILED, text, &n), MPI_SUCCESS);
    } while (strstr(text, "not known yet"));
    has(MPI_ERR_PROC_FAILED, "rank 2 of MPI_COMM_WORLD");
}

static void check(int code, int error)
{
    CHECK_CLASS(code, MPI_ERR_IN_STATUS);
    has(code, "array_of_requests[1], receive from rank 2, tag 7, on halo");
    has(code,
        "MPI_ERR_PROC_FAILED: a process that the operation needs is dead: rank 2 of halo on host");
    has(code, "killed by signal 9 (SIGKILL)");
    CHECK_CLASS(error, MPI_ERR_PROC_FAILED);
    has(error, "rank 2 of halo on host");
    has(error, "killed by signal 9 (SIGKILL)");
}

static void end(void)
{
    for (int i = 0; i < N; i++)
        if (r[i] != MPI_REQUEST_NULL)
            MPI_Cancel(&r[i]);
    CHECK_EQ(MPI_Waitall(N, r, s), MPI_SUCCESS);
}

static void all_forms(void)
{
    int flag, n, at[N], code;

    begin();
    distract();
    code = MPI_Waitall(N, r, s);
    check(code, s[FAILED].MPI_ERROR);
    code = MPI_Waitall(N, r, s); /* the failed one is gone: now it is the one from anyone */
    CHECK_CLASS(code, MPI_ERR_IN_STATUS);
    has(code, "array_of_requests[2], receive from any rank, tag 8, on halo: MPI_ERR_PENDING");
    end();

    begin();
    distract();
    code = MPI_Testall(N, r, &flag, s);
    check(code, s[FAILED].MPI_ERROR);
    end();

    begin();
    distract();
    code = MPI_Waitsome(N, r, &n, at, s);
    CHECK(n == 2 && at[0] == FAILED);
    check(code, s[0].MPI_ERROR);
    end();

    begin();
    distract();
    code = MPI_Testsome(N, r, &n, at, s);
    CHECK(n == 2 && at[0] == FAILED);
    check(code, s[0].MPI_ERROR);
    end();
}

/* An error that has nothing to do with failures. */
static void truncated(void)
{
    int two[2] = {1, 2}, in[2];
    MPI_Request q[2];

    MPI_Irecv(in, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &q[0]);
    MPI_Isend(two, 2, MPI_INT, 0, 3, MPI_COMM_SELF, &q[1]);
    CHECK_CLASS(MPI_Waitall(2, q, s), MPI_ERR_IN_STATUS);
    has(MPI_ERR_IN_STATUS, "array_of_requests[0], receive from rank 0, tag 3, on MPI_COMM_SELF");
    has(MPI_ERR_IN_STATUS, ": MPI_ERR_TRUNCATE: ");
    CHECK_CLASS(s[0].MPI_ERROR, MPI_ERR_TRUNCATE);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &halo);
    MPI_Comm_set_name(halo, "halo");
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (rank == 2)
        die_now();
    wait_until_dead(halo, 2);
    if (argc > 1 && rank == 0) {
        MPI_Comm_set_errhandler(halo, MPI_ERRORS_ARE_FATAL);
        begin();
        MPI_Waitall(N, r, s);
    }
    if (argc > 1)
        await(0, 1); /* ended by rank 0 */
    if (rank == 0) {
        all_forms();
        truncated();
    }
    return finish();
}
