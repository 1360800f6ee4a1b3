/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that computes and looks now and then with MPI_Test needs a few looks for two messages that cross, not one for
 * each fragment of them (MPI-5.0 3.7, communication beside computation).
 *
 *     0: Irecv, Isend, { computes, Testall } ...        1: Irecv, Isend, Waitall
 *
 * How many looks one exchange takes depends on when process 1 has a core, so the least of all exchanges counts. */
/* RUN: -n 2 */
#include "common.h"

#include <limits.h>
#include <sched.h>

#define BYTES      (128 * 1024) /* eight fragments */
#define EXCHANGES  50           /* before a trial of other ways begins */
#define LOOKS_MOST 4
#define COMPUTES_S 200e-6

static unsigned char out[BYTES], in[BYTES];

static int looks(MPI_Request *both)
{
    int done = 0, n = 0;

    for (; !done; n++) {
        double begin = MPI_Wtime();

        while (MPI_Wtime() - begin < COMPUTES_S)
            sched_yield();
        MPI_Testall(2, both, &done, MPI_STATUSES_IGNORE);
    }
    return n;
}

int main(int argc, char **argv)
{
    int least = INT_MAX;

    start(&argc, &argv);
    fill(out, BYTES, rank);
    for (int i = 0; i < EXCHANGES; i++) {
        MPI_Request both[2];

        MPI_Irecv(in, BYTES, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, &both[0]);
        MPI_Isend(out, BYTES, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, &both[1]);
        if (rank == 0) {
            int n = looks(both);

            least = n < least ? n : least;
        } else {
            MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        }
        CHECK_EQ(wrong(in, BYTES, !rank), -1);
    }
    if (rank == 0)
        CHECK(least <= LOOKS_MOST);
    return finish();
}
