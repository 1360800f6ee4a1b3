/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process has revoked before its death is revoked at each survivor that knows of the death, on every node; and what a process has
 * revoked whose node is lost is so at all survivors, or at none.
 *
 *   dies     the caller is killed when it has revoked c, in the call
 *   node     the caller kills its agent right after the call, and all ranks of its node die with it
 *   silent   the caller leaves MPI's calls for ever: it computes; those that know of nothing wait
 *
 *   S5-8: the death of an agent is the loss of its node
 *   S5-11: a revocation reaches every survivor on every node, and no rank relays it */
/* RUN: -n 6 ; set MACHINES=2 ; args dies ; kill 5 at revoke.local ; expect "rank 0 ok" ; expect "rank 4 ok" ; times 9 */
/* RUN: -n 6 ; set MACHINES=3 ; args dies ; kill 5 at revoke.local ; expect "rank 0 ok" ; expect "rank 4 ok" ; times 9 */
/* RUN: -n 6 ; set MACHINES=3 ; args dies ; kill 5 at revoke.sent ; expect "rank 0 ok" ; expect "rank 4 ok" ; times 3 */
/* RUN: -n 6 ; set MACHINES=3 ; args node ; expect "rank 0 ok" ; expect "rank 3 ok" ; times 9 */
/* RUN: -n 6 ; set MACHINES=6 ; args node ; expect "rank 0 ok" ; expect "rank 4 ok" ; times 9 */
/* RUN: -n 6 ; set MACHINES=3 ; args silent ; expect "rank 0 ok" ; expect "rank 5 ok" ; times 3 */
#include "../../agent.h"
#include "../common.h"

enum { DONE };

static MPI_Comm c;

static int is_revoked(void)
{
    int revoked;

    CHECK_EQ(MPIX_Comm_is_revoked(c, &revoked), MPI_SUCCESS);
    return revoked;
}

/* Of the caller, which sends nothing. */
static void wait_for_death(void)
{
    int v;

    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);
}

/* The same at all survivors, who know of the death. */
static void check_uniform(int revoked)
{
    int all = revoked, none = !revoked;
    MPI_Comm rest;

    CHECK_EQ(MPIX_Comm_shrink(MPI_COMM_WORLD, &rest), MPI_SUCCESS);
    CHECK_EQ(MPIX_Comm_agree(rest, &all), MPI_SUCCESS);
    CHECK_EQ(MPIX_Comm_agree(rest, &none), MPI_SUCCESS);
    CHECK(all || none);
    MPI_Comm_free(&rest);
}

static void call(const char *what)
{
    CHECK_EQ(MPIX_Comm_revoke(c), MPI_SUCCESS);
    if (!strcmp(what, "node")) {
        signal_own_agent(SIGKILL);
        pause();
    }
    CHECK(!strcmp(what, "silent"));
    await(DONE, size - 1);
}

int main(int argc, char **argv)
{
    int v;

    start(&argc, &argv);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &c), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1) {
        call(argv[1]);
        return finish();
    }
    if (!strcmp(argv[1], "silent")) {
        CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, (rank + 1) % (size - 1), 0, c, MPI_STATUS_IGNORE),
                    MPI_ERR_INVALIDATED);
        post(DONE);
        return finish();
    }
    wait_for_death();
    v = is_revoked();
    CHECK(v || !strcmp(argv[1], "node"));
    check_uniform(v);
    return finish();
}
