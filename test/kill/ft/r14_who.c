/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of a failure names the dead members of the communicator, by the ranks and the name of the communicator
 * whose call has failed last: the three that died last, and that there are others.  A dead process that is
 * no member is not named; on an intercommunicator both groups count.
 *
 * The ranks 7, 6, 5, 4 and 3 die, in this order.
 *
 *   R14: the error text says which rank died, where, why and when
 *
 * RUN: -n 8 ; expect "rank 0 ok" ; expect "rank 2 ok" */
#include "../common.h"

#define DEAD_FROM 3

static char text[MPI_MAX_ERROR_STRING];

static void fail_on(MPI_Comm c)
{
    int n;

    CHECK_CLASS(MPI_Barrier(c), MPI_ERR_PROC_FAILED);
    CHECK_EQ(MPI_Error_string(MPI_ERR_PROC_FAILED, text, &n), MPI_SUCCESS);
    printf("%s\n", text);
}

static void check_text(const char *what, bool is_there)
{
    if (!strstr(text, what) == is_there)
        fprintf(stderr, "rank %d: \"%s\" is wrong in: %s\n", rank, what, text);
    CHECK_EQ(strstr(text, what) != NULL, is_there);
}

static void check_team(MPI_Comm team)
{
    fail_on(team);
    check_text(" rank 3 of team on host", true);
    check_text(" rank 4 of team on host", true);
    check_text(" rank 5 of team on host", true);
    check_text(" rank 6 of", false);
    check_text("; and others", true);
}

/* World ranks 0, 1, 6, 7. */
static void check_corner(MPI_Comm corner)
{
    fail_on(corner);
    check_text(" rank 2 of corner on host", true);
    check_text(" rank 3 of corner on host", true);
    check_text(" rank 0 of", false);
    check_text("others", false);
}

/* World ranks 0 .. 3 and 4 .. 7. */
static void check_bridge(MPI_Comm bridge)
{
    fail_on(bridge);
    check_text(" rank 3 of bridge on host", true);
    check_text(" rank 0 of bridge on host", true);
    check_text(" rank 1 of bridge on host", true);
    check_text(" rank 2 of", false);
    check_text("; and others", true);
}

int main(int argc, char **argv)
{
    MPI_Comm team, corner, half, bridge;
    bool in_corner;

    start(&argc, &argv);
    in_corner = rank < 2 || rank > 5;
    MPI_Comm_dup(MPI_COMM_WORLD, &team);
    MPI_Comm_set_name(team, "team");
    MPI_Comm_split(MPI_COMM_WORLD, in_corner, 0, &corner);
    MPI_Comm_set_name(corner, "corner");
    MPI_Comm_split(MPI_COMM_WORLD, rank < 4, 0, &half);
    CHECK_EQ(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 4 ? 4 : 0, 1, &bridge),
             MPI_SUCCESS);
    MPI_Comm_set_name(bridge, "bridge");
    for (int dead = size - 1; dead >= DEAD_FROM; dead--) {
        if (rank == dead)
            die_now();
        wait_until_dead(MPI_COMM_WORLD, dead);
    }
    check_team(team);
    if (in_corner)
        check_corner(corner);
    check_bridge(bridge);
    if (in_corner)
        check_corner(corner);
    return finish();
}
