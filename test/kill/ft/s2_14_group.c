/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Comm_create_group when a living member stays away.
 *   inside   S2-14, S2-6, S0-1: a member of the group dies; a rank that has seen it elsewhere never calls, and a rank
 *            that called before gets MPI_ERR_PROC_FAILED
 *   first    the same, and the first of the group, which tells the others where they meet, is one of those that
 *            never call
 *   enters   S2-6: the last member dies as it calls, when the others have voted and nobody could know
 *   late     S2-5, S2-9: the same, and the others call in the end: refused, at once
 *   outside  S0-10, S2-3, R40: a member of the parent dies that is not in the group: it is not involved; the
 *            survivors make a communicator of exactly the processes that were asked for
 *   revoke   S0-60, S0-65: a member gives up by revoking the parent: MPI_ERR_INVALIDATED in progress, and
 *            for later calls

 *
 *   R40: a dead process outside the group does not disturb create_group
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-10: an operation without a dead process never reports a failure
 *   S0-60: a revocation ends calls in progress
 *   S0-63: elsewhere the communicator is revoked when a call first reports it
 *   S0-65: on a revoked communicator every non-local call fails
 *   S2-3: a new communicator has all members that were asked for
 *   S2-5: creation is uniform: at all survivors or at none
 *   S2-6: a death before the decision makes creation fail everywhere
 *   S2-9: creation on an inactive communicator fails at once
 *   S2-14: a creation ends although another member gave up before it */
/* RUN: -n 4 ; args inside ; kill 3 at in:MPI_Comm_create_group:0,2 ; expect "rank 0 ok" */
/* RUN: -n 9 ; args inside ; kill 8 at in:MPI_Comm_create_group:0,2,4,6 ; expect "rank 0 ok" ; times 3 */
/* RUN: -n 4 ; args first ; kill 3 at in:MPI_Comm_create_group:0,2 ; expect "rank 0 ok" */
/* RUN: -n 9 ; args first ; kill 8 at in:MPI_Comm_create_group:0,2,4,6 ; set AGREE_SHM=0 ; expect "rank 0 ok" ; times 3 */
/* RUN: -n 4 ; args enters ; kill 3 at member.create.enter#2 ; expect "rank 0 ok" ; times 2 */
/* RUN: -n 6 ; args late ; kill 5 at in:MPI_Comm_create_group:0,2,4 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 5 ; args outside ; expect "rank 0 ok" ; times 3 */
/* RUN: -n 2 ; args revoke ; cont 0 at in:MPI_Comm_create_group:1 ; expect "rank 1 ok" */
/* RUN: -n 7 ; args revoke ; cont 0 at in:MPI_Comm_create_group:1-6 ; expect "rank 1 ok" ; times 3 */
#include "../common.h"

static MPI_Comm c;
static MPI_Group all;

static int create(MPI_Group g)
{
    MPI_Comm made = MPI_COMM_WORLD;
    int err = MPI_Comm_create_group(c, g, 5, &made), n;

    CHECK((err != MPI_SUCCESS) == (made == MPI_COMM_WORLD));
    if (err)
        return err;
    MPI_Comm_size(made, &n);
    MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Barrier(made), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&made), MPI_SUCCESS);
    return -n;
}

/* Even ranks call, odd ones have seen the death elsewhere. */
static void inside(bool late)
{
    int callers = size / 2;

    if (rank == size - 1)
        await_kill(); /* until they are in the call */
    if (rank % 2 == 0) {
        CHECK_CLASS(create(all), MPI_ERR_PROC_FAILED);
        post(1);
        CHECK_CLASS(create(all), MPI_ERR_PROC_FAILED);
        return;
    }
    wait_until_dead(c, size - 1);
    if (!late)
        return;
    while (posted(1) < callers) /* it answers, and has not called */
        wait_until_dead(c, size - 1);
    CHECK_CLASS(create(all), MPI_ERR_PROC_FAILED);
}

/* The odd ranks come first, then the even ones. */
static void odd_first(MPI_Group *g)
{
    int odd[1][3] = {{1, size - 1, 2}}, even[1][3] = {{0, size - 1, 2}};
    MPI_Group first, then;

    MPI_Group_range_incl(*g, 1, odd, &first);
    MPI_Group_range_incl(*g, 1, even, &then);
    MPI_Group_free(g);
    MPI_Group_union(first, then, g);
    MPI_Group_free(&first);
    MPI_Group_free(&then);
}

static void enters(void)
{
    if (rank == size - 1)
        await(0, size - 1);
    post(0);
    CHECK_CLASS(create(all), MPI_ERR_PROC_FAILED);
}

static void outside(void)
{
    MPI_Group few;
    int victim = size - 1, two[] = {0, 1};

    if (rank == victim)
        die_now();
    wait_until_dead(c, victim);
    CHECK_CLASS(MPI_Barrier(c), MPI_ERR_PROC_FAILED);
    MPI_Group_excl(all, 1, &victim, &few);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(create(few), -(size - 1));
    MPI_Group_free(&few);
    MPI_Group_incl(all, 2, two, &few);
    if (rank < 2)
        CHECK_EQ(create(few), -2);
    MPI_Group_free(&few);
    CHECK_CLASS(create(all), MPI_ERR_PROC_FAILED); /* S2-9 */
}

static void gives_up(void)
{
    if (rank == 0) {
        await_cont(); /* until they are in the call */
        CHECK_EQ(MPIX_Comm_revoke(c), MPI_SUCCESS);
    } else {
        CHECK_CLASS(create(all), MPI_ERR_INVALIDATED);
        CHECK_CLASS(MPI_Send(NULL, 0, MPI_INT, 0, 0, c), MPI_ERR_INVALIDATED); /* at once: S0-63 */
    }
    CHECK_CLASS(create(all), MPI_ERR_INVALIDATED);
}

int main(int argc, char **argv)
{
    hold_cont();
    start(&argc, &argv);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &c), MPI_SUCCESS);
    MPI_Comm_group(c, &all);
    if (!strcmp(argv[1], "first"))
        odd_first(&all);
    if (!strcmp(argv[1], "inside") || !strcmp(argv[1], "first") || !strcmp(argv[1], "late"))
        inside(!strcmp(argv[1], "late"));
    else if (!strcmp(argv[1], "enters"))
        enters();
    else if (!strcmp(argv[1], "outside"))
        outside();
    else
        gives_up();
    return finish();
}
