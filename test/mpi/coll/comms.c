/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives on many communicators: more than there are cells in shared memory, alive at once;
 * made and freed a thousand times, so that cells serve again and again, by communicators of other
 * members; a member that is slow to free.
 *
 * RUN: -n 2
 * RUN: -n 4
 * RUN: -n 5 ; time 60 */
#include "mpi/coll/common.h"

#include <unistd.h>

static void use(MPI_Comm c, int salt)
{
    int r, n, in[20], out[20], x;

    MPI_Comm_rank(c, &r);
    MPI_Comm_size(c, &n);
    for (int i = 0; i < 20; i++)
        in[i] = datum(r, salt, i);
    MPI_Allreduce(in, out, 20, MPI_INT, MPI_MAX, c);
    for (int i = 0; i < 20; i++)
        CHECK(out[i] == datum(n - 1, salt, i));
    x = r == salt % n ? salt : -1;
    MPI_Bcast(&x, 1, MPI_INT, salt % n, c);
    CHECK(x == salt);
    MPI_Scan(&salt, &x, 1, MPI_INT, MPI_SUM, c);
    CHECK(x == salt * (r + 1));
    MPI_Barrier(c);
}

static void many_alive(void)
{
    MPI_Comm c[100];

    for (int i = 0; i < 100; i++) {
        snprintf(doing, sizeof doing, "communicator %d", i);
        MPI_Comm_dup(MPI_COMM_WORLD, &c[i]);
        use(c[i], i);
    }
    for (int i = 0; i < 100; i++)
        use(c[99 - i], 1000 + i);
    for (int i = 0; i < 100; i++)
        MPI_Comm_free(&c[i]);
}

static void again_and_again(void)
{
    MPI_Comm c, half;

    for (int i = 0; i < 400; i++) {
        snprintf(doing, sizeof doing, "cycle %d", i);
        MPI_Comm_dup(MPI_COMM_WORLD, &c);
        MPI_Comm_split(c, rank * (i % 3 + 1) / 2, i % 2 ? rank : -rank, &half);
        use(half, i);
        if (i % 3)
            use(c, i + 5);
        if (rank == i % size && i % 40 == 0)
            usleep(2000); /* others free and go on */
        MPI_Comm_free(&c);
        if (i % 5 == 0)
            use(half, i + 9);
        MPI_Comm_free(&half);
    }
}

/* Freed at once, hardly used: a member may not even have looked at it. */
static void hardly_used(void)
{
    MPI_Comm c;
    int x;

    for (int i = 0; i < 300; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &c);
        x = i;
        if (i % 2)
            MPI_Bcast(&x, 1, MPI_INT, i % size, c);
        MPI_Comm_free(&c);
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    many_alive();
    again_and_again();
    hardly_used();
    return finish();
}
