/* SPDX-License-Identifier: BSD-3-Clause */
/* replace.c – replace and go on: the solver of shrink.c, but new processes take the ranks that were lost.
 *
 * A x = b by Jacobi's method.  Each rank computes some rows of the next x, an allreduce puts them
 * together, so everybody has all of x at the end of a step.  When a rank is lost:
 *
 *   the allreduce fails          at some ranks, perhaps; others may have got their x
 *   MPIX_Comm_revoke             nobody waits on the old communicator any more
 *   MPIX_Comm_agree              all survivors decide alike: is everybody done, and nobody lost?
 *   MPIX_Comm_refill             no: they meet on a communicator of the old size, at their old ranks
 *   the rank with most steps     gives its x to the others, the new ones among them
 *
 * A new process runs main() from the beginning.  MPIX_Comm_refilled gives it the communicator, and all that it needs
 * to know comes to it in catch_up(), where a process that was there before goes, too.
 *
 * Rank 0 writes the answer before the agreement, not after it: if it dies in between, the agreement
 * reports the loss, and the next rank 0 writes.
 *
 * The answer has the same bits however many ranks are lost, and whenever. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define N     120
#define STEPS 100

struct solver {
    MPI_Comm comm;
    int steps; /* made so far */
    double x[N];
};

/* A: 2.02 on the diagonal, -1 beside it; b: 1, 2, 3, ... */
static double next_x(const double *x, int i)
{
    double left = i > 0 ? x[i - 1] : 0, right = i < N - 1 ? x[i + 1] : 0;

    return (i + 1 + left + right) / 2.02;
}

static int one_step(struct solver *s)
{
    double next[N] = {0};
    int rank, size, err;

    MPI_Comm_rank(s->comm, &rank);
    MPI_Comm_size(s->comm, &size);
    for (int i = rank; i < N; i += size)
        next[i] = next_x(s->x, i);
    err = MPI_Allreduce(MPI_IN_PLACE, next, N, MPI_DOUBLE, MPI_SUM, s->comm);
    if (!err) { /* else next is undefined, but x is not */
        memcpy(s->x, next, sizeof(next));
        s->steps++;
    }
    return err;
}

/* The newest x there is goes to everybody. */
static int catch_up(struct solver *s)
{
    struct {
        int steps, rank;
    } newest = {s->steps, 0};
    double x[N];
    int err;

    MPI_Comm_rank(s->comm, &newest.rank);
    err = MPI_Allreduce(MPI_IN_PLACE, &newest, 1, MPI_2INT, MPI_MAXLOC, s->comm);
    memcpy(x, s->x, sizeof(x));
    if (!err)
        err = MPI_Bcast(x, N, MPI_DOUBLE, newest.rank, s->comm);
    if (!err) { /* else x is undefined, but s->x is not */
        memcpy(s->x, x, sizeof(x));
        s->steps = newest.steps;
    }
    return err;
}

static void write_answer(const struct solver *s)
{
    int rank, size;

    MPI_Comm_rank(s->comm, &rank);
    MPI_Comm_size(s->comm, &size);
    if (rank == 0) {
        printf("replace: x in the middle is %.17g after %d steps, on %d ranks\n", s->x[N / 2],
               s->steps, size);
        fflush(stdout); /* what is in a buffer dies with its process */
    }
}

static int solve(struct solver *s)
{
    int err = catch_up(s);

    while (!err && s->steps < STEPS)
        err = one_step(s);
    if (!err)
        write_answer(s);
    return err;
}

/* A loss can be repaired; any other error would come again. */
static int is_loss(int err)
{
    int class;

    MPI_Error_class(err, &class);
    return class == MPIX_ERR_PROC_FAILED || class == MPIX_ERR_REVOKED;
}

/* All survivors come here after solve(), with or without an error.  Returns whether all are done; if
 * not, s has a new communicator. */
static int all_done(struct solver *s, int err)
{
    int done = !err;
    MPI_Comm full;

    if (err && !is_loss(err))
        MPI_Abort(s->comm, 1);
    if (err)
        MPIX_Comm_revoke(s->comm);
    if (MPIX_Comm_agree(s->comm, &done) == MPI_SUCCESS && done)
        return 1; /* rank 0 is among the ranks that agreed: it has written */
    while ((err = MPIX_Comm_refill(s->comm, MPI_INFO_NULL, &full)) == MPIX_ERR_PROC_FAILED)
        ;    /* one more was lost meanwhile */
    if (err) /* there is no room for new processes, say */
        MPI_Abort(MPI_COMM_SELF, 1);
    if (s->comm != MPI_COMM_WORLD)
        MPI_Comm_free(&s->comm);
    s->comm = full;
    MPI_Comm_set_errhandler(s->comm, MPI_ERRORS_RETURN);
    return 0;
}

int main(int argc, char **argv)
{
    struct solver s = {.comm = MPI_COMM_NULL};

    MPI_Init(&argc, &argv);
    MPIX_Comm_refilled(&s.comm);
    if (s.comm == MPI_COMM_NULL) /* nobody's replacement: it began with the job */
        s.comm = MPI_COMM_WORLD;
    MPI_Comm_set_errhandler(s.comm, MPI_ERRORS_RETURN);
    while (!all_done(&s, solve(&s)))
        ;
    return MPI_Finalize();
}
