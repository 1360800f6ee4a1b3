/* SPDX-License-Identifier: BSD-3-Clause */
/* An invalidation concerns one communicator.  For every way to make one: it is made, and
 * a child of it; receives are pending on all its relatives (its parent, siblings, the child),
 * and some ranks wait inside a collective on the child or the parent, while another rank revokes it.  All ranks that
 * wait on it return; pending operations on the relatives succeed, and more relatives can be created.
 *
 *   S0-2: a call that needs no dead process completes normally
 *   S0-57: a revocation reaches all members, in both groups
 *   S0-60: a revocation ends calls in progress
 *   S0-68: a revocation affects no other communicator
 *
 * RUN: -n 2 ; expect "rank 1 ok"
 * RUN: -n 5 ; set REVOKE_SHM=0 ; set AGREE_SHM=0 ; expect "rank 4 ok"
 * RUN: -n 16 ; expect "rank 15 ok" */
#include "creators.h"

static const char *const ways[] = {
    "dup",        "idup",         "dup_info",         "split",
    "split_type", "create",       "create_group",     "cart",
    "graph",      "dist_graph",   "shrink",           "ishrink",
    "inter_dup",  "inter_idup",   "inter_split",      "inter_create",
    "merge",      "inter_shrink", "intercomm_create",
};
#define WAYS ((int)(sizeof ways / sizeof *ways))

enum { WAITING }; /* slots of the board */

/* A receive that is pending on a relative with n possible senders. */
struct pending {
    MPI_Comm c;
    MPI_Request r;
    int got, n;
};

static void begin(struct pending *p, MPI_Comm c)
{
    int is_inter;

    p->c = c;
    MPI_Comm_test_inter(c, &is_inter);
    if (is_inter)
        MPI_Comm_remote_size(c, &p->n);
    else
        MPI_Comm_size(c, &p->n);
    CHECK_EQ(MPI_Irecv(&p->got, 1, MPI_INT, MPI_ANY_SOURCE, 3, c, &p->r), MPI_SUCCESS);
}

/* Everybody sends to everybody on it; one of the messages is the awaited one. */
static void end(struct pending *p)
{
    int flag, got;

    CHECK_EQ(MPI_Test(&p->r, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int to = 0; to < p->n; to++)
        CHECK_EQ(MPI_Send(&rank, 1, MPI_INT, to, 3, p->c), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&p->r, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int i = 1; i < p->n; i++)
        CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 3, p->c, MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(p->c), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_is_revoked(p->c, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
}

static void try_way(int way)
{
    MPI_Comm c, child, grandchild;
    struct pending p[4];
    MPI_Request barrier[2];
    int v;

    CHECK_EQ(create(ways[way], &c), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup(c, &child), MPI_SUCCESS);
    MPI_Comm_set_errhandler(child, MPI_ERRORS_RETURN);
    begin(&p[0], W);
    begin(&p[1], inter);
    begin(&p[2], local);
    begin(&p[3], child);
    CHECK_EQ(MPI_Ibarrier(W, &barrier[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Ibarrier(child, &barrier[1]), MPI_SUCCESS);
    post(WAITING + way);
    if (rank == way % size) {
        await(WAITING + way, size);
        CHECK_EQ(MPI_Comm_invalidate(c), MPI_SUCCESS);
    }
    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, 0, 9, c, MPI_STATUS_IGNORE), MPI_ERR_INVALIDATED);
    CHECK_EQ(MPI_Waitall(2, barrier, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < 4; i++)
        end(&p[i]);
    CHECK_EQ(MPI_Comm_dup(child, &grandchild), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&grandchild), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&child), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&c), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    set_up();
    for (int way = 0; way < WAYS; way++)
        try_way(way);
    return finish();
}
