/* SPDX-License-Identifier: BSD-3-Clause */
/* Freeing (MPI-5.0 7.4.3, 11.10.4): pending operations go on, handles do not; many lives. */
/* RUN: -n 2 */
/* RUN: -n 4 */
/* RUN: -n 3 --lenient-exit ; args death */
#include "common.h"

#include <signal.h>

/* A receive that is pending at the free still completes. */
static void pending(void)
{
    MPI_Comm c, copy;
    MPI_Request r;
    int got = -1, n = -1;

    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
    copy = c;
    CHECK_OK(MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, 0, c, &r));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 0, c));
    CHECK_OK(MPI_Comm_free(&c));
    CHECK(c == MPI_COMM_NULL);
    CHECK_CLASS(MPI_Comm_size(copy, &n), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_free(&copy), MPI_ERR_COMM);
    CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    CHECK_EQ(got, (rank + size - 1) % size);
}

static void many(void)
{
    for (int i = 0; i < 3000; i++) {
        MPI_Comm c;

        CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
        if (i % 500 == 0)
            ring(c);
        CHECK_OK(MPI_Comm_free(&c));
    }
}

/* Freed in another order everywhere: freeing waits for nobody. */
static void any_order(void)
{
    MPI_Comm c[8];

    for (int i = 0; i < 8; i++)
        CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c[i]));
    for (int i = 0; i < 8; i++)
        CHECK_OK(MPI_Comm_free(&c[(i * 3 + rank) % 8]));
}

/* Everything is complete when it returns; a request that is not waited for does not hold it up. */
static void disconnect(void)
{
    MPI_Comm c;
    MPI_Request r;
    int got = -1;

    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
    CHECK_OK(MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, 0, c, &r));
    CHECK_OK(MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 0, c));
    CHECK_OK(MPI_Comm_disconnect(&c));
    CHECK(c == MPI_COMM_NULL);
    CHECK_EQ(got, (rank + size - 1) % size);
    CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
}

/* A wildcard receive that waits for a dead process, too, does not hold it up. */
static void disconnect_after_death(void)
{
    MPI_Comm c;
    MPI_Request r;
    int got = -1;

    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
    if (rank == size - 1)
        raise(SIGKILL);
    CHECK_OK(MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, c, &r));
    CHECK_OK(MPI_Comm_disconnect(&c));
    exit(finish());
}

int main(int argc, char **argv)
{
    MPI_Comm world = MPI_COMM_WORLD, self = MPI_COMM_SELF;

    start(&argc, &argv);
    if (argc > 1)
        disconnect_after_death();
    pending();
    many();
    any_order();
    disconnect();
    CHECK_CLASS(MPI_Comm_free(&world), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_free(&self), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_disconnect(&world), MPI_ERR_COMM);
    CHECK(world == MPI_COMM_WORLD);
    ring(MPI_COMM_WORLD);
    return finish();
}
