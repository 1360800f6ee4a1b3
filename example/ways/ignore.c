/* SPDX-License-Identifier: BSD-3-Clause */
/* ignore.c – ignore the lost ranks and go on: pi by throwing darts.
 *
 * Rank 0 hands out batches of darts and counts.  Nobody misses the darts of a lost worker: others throw
 * more.  But rank 0 has to notice: its receive from anybody could wait for ever for a dead sender.
 *
 *   MPI_Wait says MPIX_ERR_PROC_FAILED_PENDING   a worker has died; the receive is still good
 *   MPIX_Comm_failure_ack                        "I know": this loss will not be reported again
 *   MPI_Wait                                     the same receive goes on
 *
 * The other workers notice nothing.  If rank 0 is lost, they end, and the job has the status of that loss;
 * example/bag goes on even then. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef OPEN_MPI
#include <mpi-ext.h> /* Open MPI has the MPIX_ functions there */
#endif

#define BATCHES 200
#define DARTS   20000 /* in a batch */
#define NOTHING -1L   /* the first question brings no answer */
#define STOP    -1    /* instead of a batch */

/* How many darts of a batch hit the quarter of a circle. */
static long throw_darts(int batch)
{
    unsigned short seed[3] = {(unsigned short)batch, 1, 2};
    long hits = 0;

    for (int i = 0; i < DARTS; i++) {
        double x = erand48(seed), y = erand48(seed);
        hits += x * x + y * y < 1;
    }
    return hits;
}

/* Returns 0, or 1 if rank 0 is lost. */
static int work(void)
{
    long hits = NOTHING;
    int batch;

    for (;;) {
        if (MPI_Send(&hits, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD) ||
            MPI_Recv(&batch, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE))
            return 1;
        if (batch == STOP)
            return 0;
        hits = throw_darts(batch);
    }
}

/* Acknowledges all losses known here.  Returns how many workers are left. */
static int count_workers(int size, const char *stopped)
{
    MPI_Group world, lost;
    int in_lost, n = 0;

    MPIX_Comm_failure_ack(MPI_COMM_WORLD);
    MPIX_Comm_failure_get_acked(MPI_COMM_WORLD, &lost);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 1; i < size; i++) {
        MPI_Group_translate_ranks(world, 1, &i, lost, &in_lost);
        n += in_lost == MPI_UNDEFINED && !stopped[i];
    }
    MPI_Group_free(&world);
    MPI_Group_free(&lost);
    return n;
}

/* Waits for a question.  Returns the rank that asks, or MPI_PROC_NULL if no worker is left. */
static int take_question(long *hits, int size, const char *stopped)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status from;
    int class = MPIX_ERR_PROC_FAILED;

    while (count_workers(size, stopped) > 0) {
        if (class != MPIX_ERR_PROC_FAILED_PENDING) /* the first, or the sender died half-way */
            MPI_Irecv(hits, 1, MPI_LONG, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
        MPI_Error_class(MPI_Wait(&request, &from), &class);
        if (class == MPI_SUCCESS)
            return from.MPI_SOURCE;
    }
    if (request != MPI_REQUEST_NULL)
        MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return MPI_PROC_NULL;
}

/* Counts a batch.  After the last one the answer is written at once: no worker is sent home before. */
static void count(long hits, int *done, long *sum)
{
    if (hits == NOTHING || *done == BATCHES)
        return;
    *sum += hits;
    if (++*done < BATCHES)
        return;
    printf("ignore: pi is about %.3f\n", 4.0 * (double)*sum / DARTS / BATCHES);
    fflush(stdout); /* what is in a buffer dies with its process */
}

static void manage(int size)
{
    char *stopped = calloc((size_t)size, 1); /* by rank */
    int next = 0, done = 0, who, batch;
    long hits, sum = 0;

    while ((who = take_question(&hits, size, stopped)) != MPI_PROC_NULL) {
        count(hits, &done, &sum);
        stopped[who] = done == BATCHES;
        batch = done < BATCHES ? next++ : STOP;
        MPI_Send(&batch, 1, MPI_INT, who, 0, MPI_COMM_WORLD); /* an error: that worker is lost */
    }
    while (done < BATCHES) /* no worker is left: do the rest alone */
        count(throw_darts(next++), &done, &sum);
    free(stopped);
}

int main(int argc, char **argv)
{
    int rank, size, status = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        manage(size);
    else
        status = work();
    MPI_Finalize();
    return status;
}
