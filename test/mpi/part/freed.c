/* SPDX-License-Identifier: BSD-3-Clause */
/* freed.c – receives that the program frees before their sends are there keep a place in the queue and nothing else: no memory for
 * their partitions.  The sends match them all the same, and the next receive is the next send's.
 *
 * RUN: -n 2 */
#include "common.h"

#include <unistd.h>

enum { PARTITIONS = 100000, MANY = 300, MOST_BYTES = 50000000 };

static long mapped_bytes(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long pages;

    CHECK(f && fscanf(f, "%ld", &pages) == 1);
    fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

int main(int argc, char **argv)
{
    static char bytes[PARTITIONS];
    long before;
    int x = 0;
    MPI_Request r;

    MPI_Init(&argc, &argv);
    know_rank();
    before = mapped_bytes();
    for (int i = 0; rank == 1 && i < MANY; i++) {
        CHECK_OK(MPI_Precv_init(bytes, PARTITIONS, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_INFO_NULL,
                                &r));
        CHECK_OK(MPI_Request_free(&r));
    }
    CHECK(mapped_bytes() - before < MOST_BYTES);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < MANY; i++) {
        CHECK_OK(MPI_Psend_init(&x, 1, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r));
        CHECK_OK(MPI_Request_free(&r));
    }
    x = rank ? 0 : 4711;
    if (rank == 0)
        CHECK_OK(MPI_Psend_init(&x, 1, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r));
    else
        CHECK_OK(MPI_Precv_init(&x, 1, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r));
    CHECK_OK(MPI_Start(&r));
    if (rank == 0)
        CHECK_OK(MPI_Pready(0, r));
    CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    CHECK_EQ(x, 4711);
    CHECK_OK(MPI_Request_free(&r));
    MPI_Finalize();
    return 0;
}
