/* SPDX-License-Identifier: BSD-3-Clause */
/* every_collective.c – each collective, blocking and not, begun by all but one process and rolled back; and calls for several
 * requests, rolled back while they wait.
 *
 * The one that has not begun it performs a dummy, which must fit: afterwards the same collective runs through, and its result is
 * right. Forms with counts for each process have no dummy: one that all have begun is rolled back, one that some have begun is
 * refused by name.
 *
 * BUILD: -I{root}/rollback {root}/rollback/match.c {root}/rollback/layer.c {root}/rollback/round.c {root}/rollback/wrap.c {root}/rollback/collective.c {root}/rollback/refuse.c
 *
 *   S1-10: operations are recorded on every communicator: kind and arguments only
 *   S1-11: dummy operations match what was done on one side only: all queues are empty afterwards
 *   S1-13: communication is rolled back over any MPI, through the profiling interface
 *
 * RUN: -n 2 ; time 60 ; expect "rolled back and went on"
 * RUN: -n 4 ; time 60 ; expect "rolled back and went on"
 * RUN: -n 4 ; args refused ; time 60 ; expect "refused by name" */
#include "common.h"

#include <string.h>

enum { MOST = 16 };

static MPI_Comm comm;
static int in[MOST], out[MOST], ones[MOST], at[MOST], r_in[1], r_out[MOST];

/* Both forms of a collective; the last process is the root, so no rank may be root by chance. */
#define ROOT (size - 1)
#define BOTH(Name_, name_, ...)                                                                    \
    static void blocking_##name_(void)                                                             \
    {                                                                                              \
        CHECK(!MPI_##Name_(__VA_ARGS__));                                                          \
    }                                                                                              \
    static void nonblocking_##name_(void)                                                          \
    {                                                                                              \
        MPI_Request r;                                                                             \
                                                                                                   \
        CHECK(!MPI_I##name_(__VA_ARGS__, &r));                                                     \
        CHECK(!MPI_Wait(&r, MPI_STATUS_IGNORE));                                                   \
    }

BOTH(Barrier, barrier, comm)
BOTH(Bcast, bcast, r_in, 1, MPI_INT, ROOT, comm)
BOTH(Reduce, reduce, in, out, 1, MPI_INT, MPI_SUM, ROOT, comm)
BOTH(Allreduce, allreduce, in, out, 1, MPI_INT, MPI_SUM, comm)
BOTH(Scan, scan, in, out, 1, MPI_INT, MPI_SUM, comm)
BOTH(Exscan, exscan, in, out, 1, MPI_INT, MPI_SUM, comm)
BOTH(Reduce_scatter_block, reduce_scatter_block, in, out, 1, MPI_INT, MPI_SUM, comm)
BOTH(Allgather, allgather, in, 1, MPI_INT, out, 1, MPI_INT, comm)
BOTH(Alltoall, alltoall, in, 1, MPI_INT, out, 1, MPI_INT, comm)
BOTH(Gather, gather, in, 1, MPI_INT, out, 1, MPI_INT, ROOT, comm)
BOTH(Scatter, scatter, in, 1, MPI_INT, out, 1, MPI_INT, ROOT, comm)
BOTH(Gatherv, gatherv, in, 1, MPI_INT, out, ones, at, MPI_INT, ROOT, comm)
BOTH(Scatterv, scatterv, in, ones, at, MPI_INT, out, 1, MPI_INT, ROOT, comm)
BOTH(Allgatherv, allgatherv, in, 1, MPI_INT, out, ones, at, MPI_INT, comm)
BOTH(Alltoallv, alltoallv, in, ones, at, MPI_INT, out, ones, at, MPI_INT, comm)
BOTH(Reduce_scatter, reduce_scatter, in, out, ones, MPI_INT, MPI_SUM, comm)

static const struct {
    void (*call[2])(void);
    const char *name;
    int counts; /* one for each process: no dummy */
    int result; /* out[0] at the root; -1: there is none */
} all[] = {
    {{blocking_barrier, nonblocking_barrier}, "barrier", 0, -1},
    {{blocking_bcast, nonblocking_bcast}, "bcast", 0, -1},
    {{blocking_reduce, nonblocking_reduce}, "reduce", 0, 1},
    {{blocking_allreduce, nonblocking_allreduce}, "allreduce", 0, 1},
    {{blocking_scan, nonblocking_scan}, "scan", 0, 1},
    {{blocking_exscan, nonblocking_exscan}, "exscan", 0, 2},
    {{blocking_reduce_scatter_block, nonblocking_reduce_scatter_block}, "block", 0, 1},
    {{blocking_allgather, nonblocking_allgather}, "allgather", 0, 0},
    {{blocking_alltoall, nonblocking_alltoall}, "alltoall", 0, 0},
    {{blocking_gather, nonblocking_gather}, "gather", 0, 0},
    {{blocking_scatter, nonblocking_scatter}, "scatter", 0, 3},
    {{blocking_gatherv, nonblocking_gatherv}, "gatherv", 1, 0},
    {{blocking_scatterv, nonblocking_scatterv}, "scatterv", 1, 3},
    {{blocking_allgatherv, nonblocking_allgatherv}, "allgatherv", 1, 0},
    {{blocking_alltoallv, nonblocking_alltoallv}, "alltoallv", 1, 0},
    {{blocking_reduce_scatter, nonblocking_reduce_scatter}, "reduce_scatter", 1, 1},
};

/* Everybody's in is 10 * rank + 1, so each result can be told. */
static void fill(void)
{
    for (int i = 0; i < MOST; i++) {
        in[i] = 10 * rank + 1;
        out[i] = r_out[i] = 0;
        ones[i] = 1;
        at[i] = i;
    }
}

static int sum_below(int n)
{
    return n + 10 * (n * (n - 1) / 2);
}

static void check_result(int kind)
{
    int expected[] = {1, sum_below(size), sum_below(rank), 10 * ROOT + 1};

    if (kind >= 0 && rank == ROOT)
        CHECK(out[0] == expected[kind]);
}

static void begin(void)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    undone = 0;
    fill();
    CHECK(!rollback_begin());
    PMPI_Barrier(MPI_COMM_WORLD);
}

/* All but rank 0 begin it, then wait for a message that does not come; rank 0 rolls back. */
static void half_begun(int k, int form)
{
    volatile int first = 1;
    int x = 0;

    begin();
    if (setjmp(safe_point))
        first = 0;
    if (first && rank == 0) {
        MPI_Send(&x, 1, MPI_INT, ROOT, 4, comm);
        CHECK(!rollback_undo());
    } else if (first) {
        all[k].call[form]();
        MPI_Recv(&x, 1, MPI_INT, 0, 99, comm, MPI_STATUS_IGNORE);
        CHECK(!"reached");
    }
    CHECK(undone == (rank > 0));
    fill();
    all[k].call[form]();
    check_result(all[k].result);
    CHECK(rollback_logged() == 1);
}

/* All have begun it. */
static void whole(int k, int form)
{
    volatile int first = 1;
    int x = 0;

    begin();
    if (setjmp(safe_point))
        first = 0;
    if (first) {
        all[k].call[form]();
        check_result(all[k].result);
        if (rank == 0)
            CHECK(!rollback_undo());
        else
            MPI_Recv(&x, 1, MPI_INT, 0, 99, comm, MPI_STATUS_IGNORE);
    }
    fill();
    all[k].call[form]();
    check_result(all[k].result);
}

/* The calls for several requests: one receive is satisfied, the other never; a call waits for it when the roll-back comes. */
static void several(int how)
{
    volatile int first = 1;
    int x = rank, y[2] = {-1, -1}, n = 0, which[2], flag = 0, to = (rank + 1) % size,
        from = (rank + size - 1) % size;
    MPI_Request r[2];
    MPI_Status s[2];

    begin();
    if (setjmp(safe_point))
        first = 0;
    MPI_Irecv(&y[0], 1, MPI_INT, from, 1, comm, &r[0]);
    MPI_Irecv(&y[1], 1, MPI_INT, from, 2, comm, &r[1]);
    CHECK(!MPI_Send(&x, 1, MPI_INT, to, 1, comm));
    if (first && rank == 0) {
        CHECK(!rollback_undo());
        MPI_Irecv(&y[0], 1, MPI_INT, from, 1, comm, &r[0]);
        MPI_Irecv(&y[1], 1, MPI_INT, from, 2, comm, &r[1]);
        CHECK(!MPI_Send(&x, 1, MPI_INT, to, 1, comm));
        first = 0;
    }
    if (!first)
        CHECK(!MPI_Send(&x, 1, MPI_INT, to, 2, comm));
    for (int left = 2; left > 0;) {
        if (how == 0) {
            CHECK(!MPI_Waitany(2, r, &n, &s[0]) && n >= 0 && n < 2 && s[0].MPI_TAG == n + 1);
            left--;
        } else if (how == 1) {
            CHECK(!MPI_Waitsome(2, r, &n, which, s) && n > 0 && s[0].MPI_TAG == which[0] + 1);
            left -= n;
        } else if (how == 2) {
            CHECK(!MPI_Testall(2, r, &flag, s));
            left -= 2 * flag;
        } else if (how == 3) {
            CHECK(!MPI_Testany(2, r, &n, &flag, s));
            left -= flag;
        } else {
            CHECK(!MPI_Testsome(2, r, &n, which, s));
            left -= n;
        }
    }
    CHECK(!first && y[0] == from && y[1] == from);
    CHECK(r[0] == MPI_REQUEST_NULL && r[1] == MPI_REQUEST_NULL);
}

/* Last: the layer is of no use afterwards. */
static void refused(void)
{
    volatile int first = 1;
    int x = 0;

    begin();
    if (setjmp(safe_point))
        first = 0;
    if (first && rank == 0) {
        MPI_Send(&x, 1, MPI_INT, ROOT, 4, comm);
        CHECK(rollback_undo() == MPI_ERR_OTHER && strstr(rollback_why(), "counts for each"));
        printf("refused by name: %s\n", rollback_why());
        return;
    }
    if (first) {
        MPI_Request r;

        MPI_Iallgatherv(in, 1, MPI_INT, out, ones, at, MPI_INT, comm, &r);
        MPI_Recv(&x, 1, MPI_INT, 0, 99, comm, MPI_STATUS_IGNORE);
    }
    CHECK(rollback_why()[0]);
}

int main(int argc, char **argv)
{
    const int n = (int)(sizeof(all) / sizeof(all[0]));

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    rollback_on_undo(back, NULL);
    for (int k = 0; k < n; k++)
        for (int form = 0; form < 2; form++) {
            if (!all[k].counts)
                half_begun(k, form);
            whole(k, form);
        }
    for (int how = 0; how < 5; how++)
        several(how);
    rollback_end();
    PMPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("rolled back and went on\n");
    fflush(stdout);
    if (argc > 1)
        refused();
    MPI_Finalize();
    return 0;
}
