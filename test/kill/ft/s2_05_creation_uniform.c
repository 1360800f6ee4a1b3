/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicator creation is uniform: a rank dies
 * before the decision, at it or after it; either every survivor has the new communicator, with all
 * the members that were asked for, and can talk on it, or none has.  On a communicator with a
 * failed member every creation fails at once, at each survivor, while the others are outside MPI.
 *
 *   before   the rank dies before it could contribute to the decision: an error everywhere (S2-6)
 *   after    it has the decision already: success everywhere (S2-7)
 *
 * idup: the last rank dies instead of calling, when all others have contributed and knew of no death.
 *
 *   S0-32: creation may succeed at some members and fail at others
 *   S0-33: processes that have the new communicator can communicate on it
 *   S2-1: creation on an inactive communicator fails at all survivors
 *   S2-3: a new communicator has all members that were asked for
 *   S2-5: creation is uniform: at all survivors or at none
 *   S2-6: a death before the decision makes creation fail everywhere
 *   S2-7: after the decision creation succeeds everywhere
 *   S2-9: creation on an inactive communicator fails at once */
/* RUN: -n 4 ; args dup before ; kill 3 at member.create.enter ; expect "rank 0 ok" */
/* RUN: -n 4 ; args dup before ; kill 0 at member.create.enter ; expect "rank 1 ok" */
/* RUN: -n 4 ; args idup before ; expect "rank 0 ok" */
/* RUN: -n 6 ; set AGREE_SHM=0 ; args idup before ; expect "rank 0 ok" */
/* RUN: -n 4 ; kill 2 at agree.enter ; expect "rank 0 ok" */
/* RUN: -n 4 ; args dup after ; kill 0 at agree.done ; expect "rank 1 ok" */
/* RUN: -n 4 ; args dup after ; kill 1 at member.create.decided ; expect "rank 0 ok" */
/* RUN: -n 6 ; args split ; kill 5 at agree.enter ; expect "rank 0 ok" */
/* RUN: -n 6 ; args split after ; kill 0 at member.create.decided ; expect "rank 1 ok" */
/* RUN: -n 6 ; args split ; kill 2 at coll.enter ; expect "rank 1 ok" */
/* RUN: -n 6 ; args create before ; kill 4 at member.create.enter ; expect "rank 1 ok" */
/* RUN: -n 6 ; args create ; kill 4 at agree.enter ; expect "rank 1 ok" */
/* RUN: -n 6 ; set AGREE_SHM=0 ; args create before ; kill 0 at member.create.enter ; expect "rank 1 ok" */
/* RUN: -n 6 ; set AGREE_SHM=0 ; args dup after ; kill 3 at member.create.decided ; expect "rank 1 ok" */
/* RUN: -n 4 ; set AGREE_SHM=0 ; kill 0 at agree.sent.down ; expect "rank 1 ok" */
/* RUN: -n 4 ; set AGREE_SHM=0 ; kill 0 at agree.enter ; expect "rank 1 ok" */
/* RUN: -n 5 ; set AGREE_SHM=0 ; args split ; kill 0 at agree.sent.down ; expect "rank 1 ok" */
/* RUN: -n 5 ; set AGREE_SHM=0 ; args create ; kill 2 at agree.sent.up ; expect "rank 1 ok" */
#include "../common.h"

static int begin_and_lose_the_last(MPI_Comm *made)
{
    MPI_Request q;

    if (rank == size - 1) {
        await(0, size - 1);
        die_now();
    }
    CHECK_EQ(MPI_Comm_idup(MPI_COMM_WORLD, made, &q), MPI_SUCCESS);
    post(0);
    return MPI_Wait(&q, MPI_STATUS_IGNORE);
}

static int create(const char *how, MPI_Comm *made)
{
    MPI_Group g;
    int err;

    if (!strcmp(how, "idup"))
        return begin_and_lose_the_last(made);
    if (!strcmp(how, "split"))
        return MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, made);
    if (!strcmp(how, "dup"))
        return MPI_Comm_dup(MPI_COMM_WORLD, made);
    MPI_Comm_group(MPI_COMM_WORLD, &g);
    err = MPI_Comm_create(MPI_COMM_WORLD, g, made);
    MPI_Group_free(&g);
    return err;
}

/* S2-3: no member is left out, dead or not.  S0-33: a ring over the survivors. */
static void check_made(const char *how, MPI_Comm made)
{
    bool split = !strcmp(how, "split");
    int n, me, right, left, got;

    MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    MPI_Comm_size(made, &n);
    MPI_Comm_rank(made, &me);
    CHECK_EQ(n, split ? (size + (rank % 2 == 0)) / 2 : size);
    CHECK_EQ(me, split ? (size - 1 - rank) / 2 : rank);
    for (right = (me + 1) % n; is_known_dead(made, right);)
        right = (right + 1) % n;
    for (left = (me + n - 1) % n; is_known_dead(made, left);)
        left = (left + n - 1) % n;
    CHECK_EQ(
        MPI_Sendrecv(&me, 1, MPI_INT, right, 1, &got, 1, MPI_INT, left, 1, made, MPI_STATUS_IGNORE),
        MPI_SUCCESS);
    CHECK_EQ(got, left);
}

/* S2-1, S2-9: one survivor after the other, all others outside MPI. */
static void creation_fails(int dead)
{
    int turn = rank - (rank > dead);
    MPI_Comm made = MPI_COMM_NULL;

    await(3, turn);
    CHECK_CLASS(create("dup", &made), MPI_ERR_PROC_FAILED);
    CHECK_CLASS(create("split", &made), MPI_ERR_PROC_FAILED);
    CHECK_CLASS(create("create", &made), MPI_ERR_PROC_FAILED);
    CHECK(made == MPI_COMM_NULL);
    post(3);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "dup";
    MPI_Comm made = MPI_COMM_NULL;
    int err, dead = -1, flag;

    start(&argc, &argv);
    err = create(how, &made);
    CHECK(err == MPI_SUCCESS || class_of(err) == MPI_ERR_PROC_FAILED);
    CHECK((err == MPI_SUCCESS) == (made != MPI_COMM_NULL));
    if (argc > 2)
        CHECK_EQ(err == MPI_SUCCESS, !strcmp(argv[2], "after"));
    post(err ? 1 : 2);
    while (dead < 0) /* exactly one rank dies in each recipe */
        for (int r = 0; r < size && dead < 0; r++)
            dead = is_known_dead(MPI_COMM_WORLD, r) ? r : -1;
    while (posted(1) + posted(2) < size - 1) /* a rank that got the decision may be asked for it */
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    CHECK(posted(1) == 0 || posted(2) == 0); /* S2-5 */
    if (made != MPI_COMM_NULL)
        check_made(how, made);
    creation_fails(dead);
    await(3, size - 1);
    return finish();
}
