/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that nobody waits for yet: a flood of small ones from everybody, received backwards by tag;
 * large ones among them; and a receiver that does something else for a long time. */
/* RUN: -n 2 */
/* RUN: -n 5 ; time 60 */
/* RUN: -n 8 ; time 60 */
#include "common.h"

#define SMALL       5000
#define LARGE       40
#define LARGE_BYTES 50000

static void flood(void)
{
    char *big = malloc((size_t)LARGE * LARGE_BYTES);
    MPI_Request r[LARGE];

    for (int i = 0; i < SMALL; i++) {
        int word[2] = {rank, i};

        MPI_Send(word, 2, MPI_INT, 0, i % 1000, MPI_COMM_WORLD);
        if (i % (SMALL / LARGE) == 0) {
            int k = i / (SMALL / LARGE);

            fill(big + k * LARGE_BYTES, LARGE_BYTES, (unsigned)(rank * 100 + k));
            MPI_Isend(big + k * LARGE_BYTES, LARGE_BYTES, MPI_BYTE, 0, 5000 + k, MPI_COMM_WORLD,
                      &r[k]);
        }
    }
    MPI_Send(NULL, 0, MPI_BYTE, 0, 4999, MPI_COMM_WORLD);
    MPI_Waitall(LARGE, r, MPI_STATUSES_IGNORE);
    free(big);
}

static void drink(void)
{
    static char big[LARGE_BYTES];

    for (int from = 1; from < size; from++)
        MPI_Recv(NULL, 0, MPI_BYTE, from, 4999, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int from = size - 1; from > 0; from--)
        for (int k = LARGE - 1; k >= 0; k--) {
            MPI_Recv(big, LARGE_BYTES, MPI_BYTE, from, 5000 + k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK_EQ(wrong(big, LARGE_BYTES, (unsigned)(from * 100 + k)), -1);
        }
    for (int tag = 999; tag >= 0; tag--)
        for (int round = 0; round < SMALL / 1000; round++)
            for (int from = 1; from < size; from++) {
                int word[2];

                MPI_Recv(word, 2, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                CHECK_EQ(word[0], from);
                CHECK_EQ(word[1], round * 1000 + tag);
            }
}

int main(int argc, char **argv)
{
    int flag;

    start(&argc, &argv);
    if (rank == 0)
        drink();
    else
        flood();
    if (rank == 0) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        CHECK_EQ(flag, 0);
    }
    return finish();
}
