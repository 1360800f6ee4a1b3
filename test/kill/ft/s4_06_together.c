/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that one abort ends are declared dead together.  Every survivor sees all of them failed or
 * none: in the group of a shrunken communicator, in the group that a validation returns, and in
 * MPI_Comm_get_failed; also if some of them had begun the call and others had not.
 *
 * The upper ranks are dealt out to trials, three to each.  In a trial two of them call like everybody else, and
 * the third aborts the three as soon as the two are about to call.  Everybody calls again until the three are gone.
 *
 *   shrink, ishrink, validate, inter (shrinks an intercommunicator), failed
 *
 *   S0-75: all survivors get the same group from shrink
 *   S2-10: validate makes collectives and creation work again
 *   S4-6: MPI_Abort ends all processes of its communicator
 *   S4-9: communicators with aborted and surviving processes report errors
 *
 * RUN: -n 16 ; args shrink ; expect "rank 0 ok" ; expect "rank 3 ok" ; times 10
 * RUN: -n 16 ; args ishrink ; expect "rank 0 ok" ; expect "rank 3 ok" ; times 3
 * RUN: -n 16 ; args validate ; expect "rank 0 ok" ; expect "rank 3 ok" ; times 5
 * RUN: -n 16 ; args inter ; expect "rank 0 ok" ; expect "rank 3 ok" ; times 5
 * RUN: -n 16 ; args failed ; expect "rank 0 ok" ; expect "rank 3 ok" ; times 3
 * RUN: -n 16 ; args shrink ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "rank 3 ok" ; times 5
 * RUN: -n 16 ; args validate ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "rank 3 ok" ; times 3 */
#include "../common.h"

#define W         MPI_COMM_WORLD
#define SURVIVORS 4
#define EACH      3

static const char *what;

static int trial_of(int r)
{
    return r < SURVIVORS ? MPI_UNDEFINED : (r - SURVIVORS) / EACH;
}

static int trials(void)
{
    return (size - SURVIVORS) / EACH;
}

/* How many of the trial's victims are in the group. */
static int count_in(MPI_Group g, int trial)
{
    MPI_Group world;
    int at[EACH], in_g[EACH], n = 0;

    for (int i = 0; i < EACH; i++)
        at[i] = SURVIVORS + trial * EACH + i;
    MPI_Comm_group(W, &world);
    MPI_Group_translate_ranks(world, EACH, at, g, in_g);
    MPI_Group_free(&world);
    for (int i = 0; i < EACH; i++)
        n += in_g[i] != MPI_UNDEFINED;
    return n;
}

static int count_members(MPI_Comm c, int trial)
{
    MPI_Group g;
    int inter, n;

    MPI_Comm_group(c, &g);
    n = count_in(g, trial);
    MPI_Group_free(&g);
    MPI_Comm_test_inter(c, &inter);
    if (inter) {
        MPI_Comm_remote_group(c, &g);
        n += count_in(g, trial);
        MPI_Group_free(&g);
    }
    return n;
}

static int shrink(MPI_Comm *c, int trial)
{
    MPI_Comm before = *c;
    MPI_Request r;

    if (strcmp(what, "ishrink")) {
        CHECK_EQ(MPIX_Comm_shrink(before, c), MPI_SUCCESS);
    } else {
        CHECK_EQ(MPIX_Comm_ishrink(before, c, &r), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    MPI_Comm_free(&before);
    return EACH - count_members(*c, trial);
}

static int validate(MPI_Comm c, int trial)
{
    MPI_Group failed;
    int n;

    CHECK_EQ(MPI_Comm_validate(c, &failed), MPI_SUCCESS);
    n = count_in(failed, trial);
    MPI_Group_free(&failed);
    return n;
}

static int failed(MPI_Comm c, int trial)
{
    MPI_Group g;
    int n, flag;

    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    CHECK_EQ(MPI_Comm_get_failed(c, &g), MPI_SUCCESS);
    n = count_in(g, trial);
    if (g != MPI_GROUP_EMPTY)
        MPI_Group_free(&g);
    return n;
}

/* How many of the victims are seen to be gone. */
static int call(MPI_Comm *c, int trial)
{
    if (!strcmp(what, "validate"))
        return validate(*c, trial);
    if (!strcmp(what, "failed"))
        return failed(*c, trial);
    return shrink(c, trial);
}

static void try(MPI_Comm *c, MPI_Comm three, int trial)
{
    bool doomed = trial_of(rank) == trial;
    int gone;

    if (doomed && (rank - SURVIVORS) % EACH == trial % EACH) {
        await(trial, EACH - 1);
        for (int i = 0; i < 5; i++) /* lets them begin, mostly */
            sched_yield();
        MPI_Abort(three, 20 + trial);
    }
    if (doomed)
        post(trial);
    do {
        gone = call(c, trial);
        CHECK(gone == 0 || gone == EACH);
    } while (!gone);
}

static MPI_Comm make(void)
{
    MPI_Comm half, c;

    if (strcmp(what, "inter")) {
        CHECK_EQ(MPI_Comm_dup(W, &c), MPI_SUCCESS);
        return c;
    }
    CHECK_EQ(MPI_Comm_split(W, rank % 2, rank, &half), MPI_SUCCESS);
    CHECK_EQ(MPI_Intercomm_create(half, 0, W, 1 - rank % 2, 1, &c), MPI_SUCCESS);
    return c;
}

int main(int argc, char **argv)
{
    MPI_Comm c, three;

    what = argv[1];
    start(&argc, &argv);
    c = make();
    CHECK_EQ(MPI_Comm_split(W, trial_of(rank), rank, &three), MPI_SUCCESS);
    for (int t = 0; t < trials(); t++) {
        post(trials() + t);
        await_in_mpi(trials() + t, size - t * EACH);
        try(&c, three, t);
    }
    return finish();
}
