/* SPDX-License-Identifier: BSD-3-Clause */
/* chain.c – processes go back to their safe points over any MPI: messages that nobody has received, receives that
 * nobody has satisfied, collectives half begun. Afterwards no probe finds a message, and the same operations run through.
 * Processes that are not concerned go on.
 * The program knows only the public header of the layer.
 *
 * BUILD: -I{root}/rollback {root}/rollback/match.c {root}/rollback/layer.c {root}/rollback/round.c {root}/rollback/wrap.c {root}/rollback/collective.c {root}/rollback/refuse.c
 *
 *   S1-10: operations are recorded on every communicator: kind and arguments only
 *   S1-11: dummy operations match what was done on one side only: all queues are empty afterwards
 *   S1-12: the exchange spreads to partners' partners and ends
 *   S1-13: communication is rolled back over any MPI, through the profiling interface
 *
 * RUN: -n 2 ; expect "rolled back and went on"
 * RUN: -n 4 ; time 60 ; expect "rolled back and went on" */
#include "common.h"

#include <string.h>

enum { LARGE = 1 << 20 };

static MPI_Comm pair, dup;
static char big[LARGE], in[LARGE];

static void check_empty(void)
{
    MPI_Comm all[] = {MPI_COMM_WORLD, MPI_COMM_SELF, dup, pair};
    int flag;

    for (int i = 0; i < 4; i++) {
        CHECK(!PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, all[i], &flag, MPI_STATUS_IGNORE));
        CHECK(!flag);
    }
    CHECK(rollback_logged() == 0);
    PMPI_Barrier(MPI_COMM_WORLD); /* nobody sends anew before all have looked */
}

/* Runs through only if nothing of the first attempt is left. */
static void ring(void)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size, x = -1, sum;
    MPI_Request r[2];

    for (int i = 0; i < 3; i++) {
        MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, dup, &r[0]);
        MPI_Isend(&rank, 1, MPI_INT, to, 5, dup, &r[1]);
        CHECK(!MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
        CHECK(x == from);
        CHECK(!MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        CHECK(sum == size * (size - 1) / 2);
    }
    CHECK(!MPI_Sendrecv(big, LARGE, MPI_CHAR, to, 6, in, LARGE, MPI_CHAR, from, 6, dup,
                        MPI_STATUS_IGNORE));
}

/* Rank 0 sends what rank 1 does not receive; rank 1 sends to 2, ... the last one waits for nobody. */
static void chain(void)
{
    volatile int first = 1;
    int x = rank, y;
    MPI_Request r[3];

    PMPI_Barrier(MPI_COMM_WORLD);
    CHECK(!rollback_begin());
    PMPI_Barrier(MPI_COMM_WORLD);
    if (setjmp(safe_point))
        first = 0;
    if (first) {
        MPI_Isend(&x, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &r[2]);
        if (rank + 1 < size) {
            MPI_Send(&x, 1, MPI_INT, rank + 1, 1, MPI_COMM_WORLD);
            MPI_Send(&x, 1, MPI_INT, rank + 1, 2, dup);
            MPI_Isend(big, LARGE, MPI_CHAR, rank + 1, 1, MPI_COMM_WORLD, &r[0]);
        }
        if (rank > 0)
            MPI_Recv(&y, 1, MPI_INT, MPI_ANY_SOURCE, 2, dup, MPI_STATUS_IGNORE);
        CHECK(rollback_logged() <= 5 && rollback_entry_bytes() <= 64);
        if (rank == 0) {
            CHECK(!rollback_undo());
        } else {
            MPI_Irecv(in, LARGE, MPI_CHAR, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &r[1]);
            MPI_Recv(&y, 1, MPI_INT, (rank + 1) % size, 77, dup, MPI_STATUS_IGNORE);
            CHECK(!"reached");
        }
    }
    CHECK(undone == (rank > 0));
    undone = 0;
    check_empty();
    ring();
}

/* All but rank 0 have begun collectives of two communicators. */
static void collectives(void)
{
    volatile int first = 1;
    int sum;

    PMPI_Barrier(MPI_COMM_WORLD);
    CHECK(!rollback_begin());
    PMPI_Barrier(MPI_COMM_WORLD);
    if (setjmp(safe_point))
        first = 0;
    if (first && rank == 0) {
        MPI_Send(&rank, 1, MPI_INT, size - 1, 4, MPI_COMM_WORLD);
        CHECK(!rollback_undo());
    } else if (first) {
        if (rank == 1)
            MPI_Bcast(&sum, 1, MPI_INT, 1, dup);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        CHECK(!"reached");
    }
    CHECK(undone == (rank > 0));
    undone = 0;
    check_empty();
    ring();
}

/* A roll-back of one pair does not concern the other one; and both start at once. */
static void pairs(void)
{
    volatile int first = 1;
    int peer = rank ^ 1, y;

    PMPI_Barrier(MPI_COMM_WORLD);
    CHECK(!rollback_begin());
    PMPI_Barrier(MPI_COMM_WORLD);
    if (setjmp(safe_point))
        first = 0;
    if (first && peer < size) {
        MPI_Send(&rank, 1, MPI_INT, rank ^ 1, 8, dup);
        if (rank % 2 == 0) {
            CHECK(!rollback_undo());
        } else {
            MPI_Recv(&y, 1, MPI_INT, peer, 9, dup, MPI_STATUS_IGNORE);
            CHECK(!"reached");
        }
    }
    CHECK(undone == (rank % 2));
    undone = 0;
    for (int i = 0; i < 1000; i++)
        rollback_poll();
    MPI_Barrier(MPI_COMM_WORLD);
    ring();
}

/* What is not covered is named. */
static void refused(void)
{
    int x = 0;
    MPI_Request r, old;

    MPI_Send_init(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &old);
    PMPI_Barrier(MPI_COMM_WORLD);
    CHECK(!rollback_begin());
    PMPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0) {
        rollback_end();
        MPI_Request_free(&old);
        return;
    }
    MPI_Send_init(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &r);
    MPI_Request_free(&r);
    CHECK(rollback_undo() == MPI_ERR_OTHER);
    CHECK(!strcmp(rollback_why(), "MPI_Send_init"));
    CHECK(!rollback_begin());
    MPI_Start(&old); /* the request is older than the safe point */
    PMPI_Wait(&old, MPI_STATUS_IGNORE);
    CHECK(rollback_undo() == MPI_ERR_OTHER);
    CHECK(!strcmp(rollback_why(), "MPI_Start"));
    MPI_Request_free(&old);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &pair);
    rollback_on_undo(back, NULL);
    chain();
    if (rank == 0)
        printf("chain\n");
    collectives();
    if (rank == 0)
        printf("collectives\n");
    if (size % 2 == 0)
        pairs();
    refused();
    rollback_end();
    PMPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("rolled back and went on\n");
    MPI_Comm_free(&dup);
    MPI_Comm_free(&pair);
    return MPI_Finalize();
}
