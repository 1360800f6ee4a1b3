/* SPDX-License-Identifier: BSD-3-Clause */
/* room.c – operations by messages towards a target that computes: the origin keeps a bounded number of them, and the call that
 * begins one more waits for room.  The target's next MPI call makes room, its death does, and a revocation ends the wait;
 * two processes that wait for each other's room make it.
 *
 * The program's own sched_yield(), which a wait calls, says that the origin waits: only then others go on.
 *
 *   S0-40: one-sided operations never report a death
 *   S0-49: a request may complete although its epoch fails
 *   S0-96: it ends the calls that wait on the window
 *
 * RUN: -n 3 ; args put target ; set RMA_SHM=0 ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 3 ; args put target ; set MACHINES=3 ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 3 ; args rput target ; set RMA_SHM=0 ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 3 ; args get target ; set RMA_SHM=0 ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 3 ; args accumulate target ; set RMA_SHM=0 ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 3 ; args put each ; set RMA_SHM=0 ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 3 ; args get each ; set RMA_SHM=0 ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 3 ; args put each ; set MACHINES=3 ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 3 --lenient-exit ; args put death ; set RMA_SHM=0 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args put death ; set MACHINES=3 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args rput death ; set RMA_SHM=0 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args get death ; set RMA_SHM=0 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 ; args put revocation ; set RMA_SHM=0 ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 3 ; args accumulate revocation ; set MACHINES=3 ; expect "rank 0 ok" ; expect "rank 1 ok" */
#include "../common.h"

#include <string.h>
#include <sys/syscall.h>

#define N         50000                /* operations, of some hundred bytes of memory each */
#define BYTES_MAX (8ull * 1024 * 1024) /* of memory of the library that they may take */

enum { WAITS, OVER }; /* on the board */

static const char *kind, *end;
static MPI_Win win;
static bool beginning, told;
static long in[N];
static MPI_Request requests[N];

/* Which the library calls in place of the C library's.  Of two origins none goes on before both wait. */
int sched_yield(void)
{
    if (beginning && !told) {
        told = true;
        post(WAITS);
        while (!strcmp(end, "each") && posted(WAITS) < 2 && !posted(OVER))
            syscall(SYS_sched_yield);
    }
    return (int)syscall(SYS_sched_yield);
}

static unsigned long long memory(void)
{
    static MPI_T_pvar_session session;
    static MPI_T_pvar_handle bytes;
    unsigned long long value = 0;
    int i, count, provided;

    if (!session) {
        CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
        CHECK_OK(MPI_T_pvar_session_create(&session));
        CHECK_OK(MPI_T_pvar_get_index("memory_bytes", MPI_T_PVAR_CLASS_LEVEL, &i));
        CHECK_OK(MPI_T_pvar_handle_alloc(session, i, NULL, &bytes, &count));
    }
    CHECK_OK(MPI_T_pvar_read(session, bytes, &value));
    return value;
}

static int begin_one(int target, int i)
{
    static const long one = 1;

    if (!strcmp(kind, "rput"))
        return MPI_Rput(&one, 1, MPI_LONG, target, 0, 1, MPI_LONG, win, &requests[i]);
    if (!strcmp(kind, "get"))
        return MPI_Get(&in[i], 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
    if (!strcmp(kind, "accumulate"))
        return MPI_Accumulate(&one, 1, MPI_LONG, target, 0, 1, MPI_LONG, MPI_SUM, win);
    return MPI_Put(&one, 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
}

/* As many as the calls allow; *class_p is what the last one said. */
static int begin_all(int target, int *class_p)
{
    unsigned long long before = memory(), most = before;
    int i = 0;

    for (*class_p = MPI_SUCCESS; i < N && *class_p == MPI_SUCCESS; i++) {
        beginning = true;
        *class_p = class_of(begin_one(target, i));
        beginning = false;
        most = memory() > most ? memory() : most;
    }
    post(OVER); /* a target that is not waited for goes on, so that the failure is seen */
    if (strcmp(kind, "rput") && most - before > BYTES_MAX) { /* the program has the requests */
        printf("rank %d: %d operations took %llu bytes\n", rank, i, most - before);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    CHECK(told);
    return i;
}

static void end_requests(int n, int class)
{
    bool failed = false;

    for (int i = 0; !strcmp(kind, "rput") && i < n; i++) {
        int found = class_of(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));

        CHECK(found == MPI_SUCCESS || found == class);
        failed |= found != MPI_SUCCESS;
    }
    CHECK(!failed || class);
}

static void originate(int target)
{
    int revoked = !strcmp(end, "revocation"), class, n;
    int flushed = !strcmp(end, "death") ? MPIX_ERR_PROC_FAILED
                  : revoked             ? MPIX_ERR_REVOKED
                                        : MPI_SUCCESS;

    n = begin_all(target, &class);
    CHECK_EQ(class, revoked ? MPIX_ERR_REVOKED : MPI_SUCCESS);
    CHECK(revoked == (n < N));
    end_requests(n, flushed);
    CHECK_CLASS(MPI_Win_flush(target, win), flushed);
}

/* Outside of MPI, until the origin waits, or has never waited. */
static void compute(void)
{
    while (!posted(WAITS) && !posted(OVER))
        continue;
}

static void help(void)
{
    compute();
    if (!strcmp(end, "each") && rank == 1)
        originate(0); /* which does not look while it waits, until this process waits, too */
    if (!strcmp(end, "death") && rank == 1)
        die_now();
    if (!strcmp(end, "revocation") && rank == 2)
        CHECK_OK(MPI_Win_invalidate(win));
    if (!strcmp(end, "revocation"))
        await(OVER, 1); /* the target computes on */
}

/* The lock of every target is there before any target computes. */
static void begin_epoch(void)
{
    static const long zero;

    CHECK_OK(MPI_Win_lock_all(0, win));
    for (int r = 0; r < size; r++)
        CHECK_OK(MPI_Put(&zero, 1, MPI_LONG, r, 0, 1, MPI_LONG, win));
    CHECK_OK(MPI_Win_flush_all(win));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    long *base;

    kind = argv[1];
    end = argv[2];
    start(&argc, &argv);
    CHECK_OK(
        MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    begin_epoch();
    if (rank == 0)
        originate(1);
    else
        help();
    MPI_Win_unlock_all(win);
    if (!strcmp(kind, "accumulate") && !strcmp(end, "target")) {
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
        CHECK_EQ(*base, rank == 1 ? N : 0);
    }
    MPI_Win_free(&win);
    return finish();
}
