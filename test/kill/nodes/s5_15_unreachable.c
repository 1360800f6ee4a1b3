/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks that cannot reach each other although the agents of both live: one of them is ended, the one with the higher name of
 * two, and the one that is cut off from several.  All others hear of that, and the waits for it end.
 *
 *   pair   ranks 1 and 2, which have not talked yet, find a wrong port in their segment, and send to each other
 *   one    rank 0 finds it, and sends to all: at least it ends
 *
 * BUILD: -I{root}/src
 *
 *   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED
 *   S5-15: a broken connection is made again, nothing lost or doubled */
/* RUN: -n 4 ; args pair ; set MACHINES=4 ; set REACH_TIMEOUT=1 ; expect "rank 2 (pid" ; expect ") cannot reach each other: rank 2 is ended" ; expect "rank 0 ok" ; expect "rank 1 ok" ; expect "rank 3 ok" */
/* RUN: -n 5 --lenient-exit ; args one ; set MACHINES=5 ; set REACH_TIMEOUT=1 ; expect "rank 0 is ended" ; expect "rank 0 (pid" ; expect "rank 2 ok" */
#include "../common.h"

#include "node/layout.h"
#include "rt/wire.h"

#include <arpa/inet.h>

enum { CONNECTED, LOST };

static int segment;

/* What the ranks of this node know of the doors of all nodes is wrong from now on. */
static void lose_doors(void)
{
    size_t len = sizeof(struct mend_node_header);
    struct mend_node_header *h = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, segment, 0);

    CHECK(h != MAP_FAILED);
    len = h->at[MEND_NODE_PART_NODE] + h->nodes_n * sizeof(struct mend_node_of_job);
    h = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, segment, 0);
    CHECK(h != MAP_FAILED);
    h->door.at.port = htons(1);
    for (uint32_t k = 0; k < h->nodes_n; k++)
        mend_node_of_job(h, k)->door.at.port = htons(1);
}

static void exchange(int with)
{
    int mine = rank, other = -1;

    CHECK_OK(MPI_Sendrecv(&mine, 1, MPI_INT, with, 1, &other, 1, MPI_INT, with, 1, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE));
    CHECK_EQ(other, with);
}

/* Each rank has a connection with each other one, but 1 has none with 2. */
static void connect_others(void)
{
    for (int a = 0; a < size; a++)
        for (int b = a + 1; b < size; b++)
            if ((a != 1 || b != 2) && (rank == a || rank == b))
                exchange(rank == a ? b : a);
    post(CONNECTED);
    await(CONNECTED, size);
}

static void hear_of(int dead)
{
    int word;

    CHECK_CLASS(MPI_Recv(&word, 1, MPI_INT, dead, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);
}

static void lose_a_pair(void)
{
    int word = 0;

    connect_others();
    if (rank == 1 || rank == 2) {
        lose_doors();
        post(LOST);
        await(LOST, 2);
        CHECK_CLASS(MPI_Sendrecv(&word, 1, MPI_INT, 3 - rank, 2, &word, 1, MPI_INT, 3 - rank, 2,
                                 MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                    MPI_ERR_PROC_FAILED);
        CHECK_EQ(rank, 1);
    }
    hear_of(2);
    exchange(rank == 0 ? 1 : rank == 1 ? 0 : 3);
}

static void lose_one(void)
{
    MPI_Request r[8];
    int word = 0;

    if (rank > 0) {
        hear_of(0);
        return;
    }
    lose_doors();
    for (int to = 1; to < size; to++)
        CHECK_OK(MPI_Isend(&word, 1, MPI_INT, to, 3, MPI_COMM_WORLD, &r[to]));
    MPI_Waitall(size - 1, r + 1, MPI_STATUSES_IGNORE);
    hear_of(size - 1); /* does not return */
    CHECK(false);
}

int main(int argc, char **argv)
{
    segment = dup(atoi(getenv(MEND_ENV_SHM_FD)));
    start(&argc, &argv);
    if (!strcmp(argv[1], "pair"))
        lose_a_pair();
    else
        lose_one();
    return finish();
}
