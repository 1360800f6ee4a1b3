/* SPDX-License-Identifier: BSD-3-Clause */
/* Creations under way at the same time share nothing (MPI-5.0 7.4.2): duplicates of one parent, of
 * several parents, and blocking creations in between, while the slowest rank has not begun yet. */
/* RUN: -n 2 */
/* RUN: -n 5 */
#include "common.h"

#define MANY 6

/* A collective on each, all at once: none sees another's numbers. */
static void use_all(MPI_Comm *c, int n)
{
    MPI_Request r[4 * MANY];
    int in[4 * MANY], out[4 * MANY];

    for (int i = 0; i < n; i++) {
        in[i] = 1000 * i + rank;
        CHECK_OK(MPI_Iallreduce(&in[i], &out[i], 1, MPI_INT, MPI_SUM, c[i], &r[i]));
    }
    CHECK_OK(MPI_Waitall(n, r, MPI_STATUSES_IGNORE));
    for (int i = 0; i < n; i++) {
        CHECK_EQ(out[i], 1000 * i * size + size * (size - 1) / 2);
        CHECK_OK(MPI_Bcast(&in[i], 1, MPI_INT, i % size, c[i]));
        CHECK_EQ(in[i], 1000 * i + i % size);
        CHECK_OK(MPI_Barrier(c[i]));
    }
}

/* Rank 0 begins when everybody else has: the others' creations are all open by then. */
static void let_others_begin_first(void)
{
    for (int r = 1; r < size; r++) {
        if (rank == 0)
            CHECK_OK(MPI_Recv(NULL, 0, MPI_INT, r, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        else if (rank == r)
            CHECK_OK(MPI_Send(NULL, 0, MPI_INT, 0, 3, MPI_COMM_WORLD));
    }
}

static void free_all(MPI_Comm *c, int n)
{
    for (int i = 0; i < n; i++)
        CHECK_OK(MPI_Comm_free(&c[i]));
}

static void one_parent(void)
{
    MPI_Comm c[MANY + 1];
    MPI_Request r[MANY];

    if (rank == 0)
        let_others_begin_first();
    for (int i = 0; i < MANY; i++)
        CHECK_OK(MPI_Comm_idup(MPI_COMM_WORLD, &c[i], &r[i]));
    if (rank != 0)
        let_others_begin_first();
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c[MANY]));
    CHECK_OK(MPI_Waitall(MANY, r, MPI_STATUSES_IGNORE));
    use_all(c, MANY + 1);
    free_all(c, MANY + 1);
}

static void several_parents(void)
{
    MPI_Comm parent[MANY], c[3 * MANY];
    MPI_Request r[MANY];

    for (int i = 0; i < MANY; i++)
        CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &parent[i]));
    if (rank == 0)
        let_others_begin_first();
    for (int i = 0; i < MANY; i++)
        CHECK_OK(MPI_Comm_idup(parent[i], &c[i], &r[i]));
    if (rank != 0)
        let_others_begin_first();
    for (int i = 0; i < MANY; i++) {
        CHECK_OK(MPI_Comm_split(parent[i], 0, rank, &c[MANY + i]));
        CHECK_OK(MPI_Wait(&r[MANY - 1 - i], MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c[2 * MANY + i]));
    }
    use_all(c, 3 * MANY);
    free_all(c, 3 * MANY);
    free_all(parent, MANY);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int i = 0; i < 20; i++) {
        one_parent();
        several_parents();
    }
    return finish();
}
