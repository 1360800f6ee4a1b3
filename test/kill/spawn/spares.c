/* SPDX-License-Identifier: BSD-3-Clause */
/* Spares: processes that were there before the death that makes them a rank.  A spare that was killed or stopped is not
 * taken, and its end does not count; where no spare is left, processes are started.
 *
 * Arguments: what is done to the spares before the death; how many of the two replacements were there before it; how
 * many spares there are at first.
 *
 *   R35: a replacement is a new process with an old rank; its MPI_COMM_WORLD holds those replaced together */
/* RUN: -n 4 --spares 2 ; args none 2 2 */
/* RUN: -n 4 --spares 3 ; args none 2 3 */
/* RUN: -n 4 --spares 1 ; args none 1 1 */
/* RUN: -n 4 ; args none 0 0 */
/* RUN: -n 4 --spares 2 ; args kill 0 2 */
/* RUN: -n 4 --spares 2 ; args stop 0 2 */
/* RUN: -n 4 --spares 2 ; args none 2 2 ; set MACHINES=2 */
/* RUN: -n 4 --spares 3 ; args none 2 3 ; set MACHINES=3 */
/* RUN: -n 4 --spares 1 ; args none 1 1 ; set MACHINES=5 */
/* RUN: -n 4 --spares 2 --universe 9 --lenient-exit ; args none 2 2 ; kill 4 at replace.meet */
/* RUN: -n 4 --spares 4 --bind-to core ; args none 2 4 */
#include "waiting.h"

#include <time.h>

enum { LATE = 4, EARLY, DIED_US, BEGUN };

/* Wraps around after an hour: only differences count. */
static int now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_BOOTTIME, &t);
    return (int)(unsigned)(t.tv_sec * 1000000 + t.tv_nsec / 1000);
}

static bool is_after(int a, int b)
{
    return (int)((unsigned)a - (unsigned)b) > 0;
}

/* All spares have begun before a rank dies. */
static void lose(const char *how, int spares)
{
    await_in_mpi(BEGUN, size + spares);
    if (strcmp(how, "none") != 0)
        treat_waiting(strcmp(how, "kill") == 0 ? SIGKILL : SIGSTOP);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1 || rank == 2) {
        board[DIED_US] = now_us();
        die_now();
    }
}

int main(int argc, char **argv)
{
    int begin = now_us(), err;
    MPI_Comm full;

    open_board();
    post(BEGUN);
    start(&argc, &argv);
    MPIX_Comm_refilled(&full);
    if (full == MPI_COMM_NULL) {
        lose(argv[1], atoi(argv[3]));
        while ((err = MPIX_Comm_refill(MPI_COMM_WORLD, MPI_INFO_NULL, &full)) != MPI_SUCCESS)
            CHECK_EQ(err, MPI_ERR_PROC_FAILED);
    } else {
        post(is_after(begin, board[DIED_US]) ? LATE : EARLY);
        CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
        CHECK_EQ(size, 2);
    }
    MPI_Comm_rank(full, &rank);
    CHECK_EQ(MPI_Barrier(full), MPI_SUCCESS);
    CHECK_EQ(posted(EARLY), atoi(argv[2]));
    MPI_Comm_free(&full);
    return finish();
}
