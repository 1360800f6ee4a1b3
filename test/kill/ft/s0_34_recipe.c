/* SPDX-License-Identifier: BSD-3-Clause */
/* The recipe for a creation whose outcome all shall know: on an error
 * invalidate the parent; else a barrier on the parent, and if that fails invalidate the child.  A
 * rank dies somewhere in it; afterwards either every survivor can use the child or none can.  What
 * each found is written to the board and compared.
 *
 *   S0-29: some members of a collective may succeed while others fail
 *   S0-33: processes that have the new communicator can communicate on it
 *   S0-34: the recipe of the proposal gives all survivors the same view
 *
 * RUN: -n 4 ; kill 3 at member.create.enter ; expect "rank 0 ok"
 * RUN: -n 4 ; kill 0 at agree.done ; expect "rank 1 ok"
 * RUN: -n 4 ; kill 2 at member.create.decided ; expect "rank 0 ok"
 * RUN: -n 2 ; kill 1 at member.create.decided ; expect "rank 0 ok"
 * RUN: -n 16 ; kill 9 at agree.done ; expect "rank 0 ok"
 * RUN: -n 16 ; kill 5 at coll.shm.arrived#1 ; expect "rank 0 ok"
 * RUN: -n 5 ; kill 2 at call:MPI_Barrier ; expect "rank 0 ok"
 * RUN: -n 5 ; kill 2 at coll.shm.arrived#1 ; expect "rank 0 ok" ; times 3
 * RUN: -n 5 ; set COLL_SHM=0 ; kill 0 at coll.round#2 ; expect "rank 1 ok" ; times 3
 * RUN: -n 6 ; set COLL_SHM=0 ; set AGREE_SHM=0 ; kill 4 at coll.round#3 ; expect "rank 0 ok" ; times 3
 * RUN: -n 6 ; set MACHINES=2 ; kill 4 at coll.round#1 ; expect "rank 0 ok" ; times 3
 * RUN: -n 6 ; set MACHINES=2 ; kill 4 at coll.round#2 ; expect "rank 0 ok" ; times 3
 * RUN: -n 6 ; set MACHINES=2 ; kill 3 at coll.round#3 ; expect "rank 0 ok" ; times 3
 * RUN: -n 6 ; set COLL_SHM=0 ; kill 1 at coll.done#1 ; expect "rank 0 ok" ; times 3 */
#include "../common.h"

enum { USABLE = 1, UNUSABLE, LOOKED }; /* slots of the board */

static MPI_Comm create_together(MPI_Comm parent)
{
    MPI_Comm child = MPI_COMM_NULL;
    int err = MPI_Comm_dup(parent, &child);

    CHECK(err == MPI_SUCCESS || class_of(err) == MPI_ERR_PROC_FAILED ||
          class_of(err) == MPI_ERR_INVALIDATED);
    if (err) {
        MPI_Comm_invalidate(parent);
        return MPI_COMM_NULL;
    }
    MPI_Comm_set_errhandler(child, MPI_ERRORS_RETURN);
    err = MPI_Barrier(parent); /* some may get out of it well, and others not (S0-29) */
    CHECK(err == MPI_SUCCESS || class_of(err) == MPI_ERR_PROC_FAILED ||
          class_of(err) == MPI_ERR_INVALIDATED);
    if (err)
        MPI_Comm_invalidate(child);
    return child;
}

/* S0-33: ranks that have the child can communicate on it, until it is revoked. */
static bool use(MPI_Comm child)
{
    int next = (rank + 1) % size, last = (rank + size - 1) % size, v = 0, err, revoked;

    for (int i = 0; i < 2; i++) {
        err = MPI_Sendrecv(&rank, 1, MPI_INT, next, i, &v, 1, MPI_INT, last, i, child,
                           MPI_STATUS_IGNORE);
        CHECK(err == MPI_SUCCESS || class_of(err) == MPI_ERR_PROC_FAILED ||
              class_of(err) == MPI_ERR_INVALIDATED);
        CHECK(err || v == last);
    }
    if (err && class_of(err) != MPI_ERR_INVALIDATED)
        MPI_Comm_invalidate(child); /* as a user would whose collective fails */
    MPI_Comm_is_revoked(child, &revoked);
    return !revoked;
}

int main(int argc, char **argv)
{
    MPI_Comm child;
    int flag;

    start(&argc, &argv);
    child = create_together(MPI_COMM_WORLD);
    post(child != MPI_COMM_NULL && use(child) ? USABLE : UNUSABLE);
    while (posted(USABLE) + posted(UNUSABLE) < size - 1) /* one rank dies */
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    if (child != MPI_COMM_NULL && posted(UNUSABLE)) /* then everybody finds out */
        do
            MPI_Comm_is_revoked(child, &flag);
        while (!flag);
    return finish();
}
