/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators made from groups while a rank dies: before its call, in the meetings, at the decision, or after it.
 * Either all survivors get the communicator or all get MPI_ERR_PROC_FAILED.  Groups without the dead rank get theirs,
 * and afterwards a group of all survivors does.  If one group of an intercommunicator has failed, its leader ends the
 * wait of the other group.
 *
 * The argument is `intra` or `inter`; the victim is in the group.
 *
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-10: an operation without a dead process never reports a failure
 *   S2-5: creation is uniform: at all survivors or at none
 *   S2-6: a death before the decision makes creation fail everywhere
 *   S2-9: creation on an inactive communicator fails at once */
/* RUN: -n 2 ; args intra ; kill 1 at member.create.enter ; expect "rank 0 ok" */
/* RUN: -n 3 ; args intra ; kill 0 at agree.enter ; expect "rank 1 ok" */
/* RUN: -n 5 ; args intra ; kill 2 at member.create.decided ; expect "rank 0 ok" */
/* RUN: -n 5 ; args intra ; set AGREE_SHM=0 ; kill 0 at agree.sent.down ; expect "rank 1 ok" */
/* RUN: -n 5 ; args intra ; kill 0 at member.invite#2 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 5 ; args intra ; kill 1 at member.invited ; expect "rank 0 ok" */
/* RUN: -n 6 ; args inter ; kill 0 at member.invite#1 ; expect "rank 1 ok" */
/* RUN: -n 6 ; args inter ; kill 0 at member.invite#2 ; expect "rank 1 ok" */
/* RUN: -n 6 ; args inter ; kill 3 at member.invited#1 ; expect "rank 0 ok" */
/* RUN: -n 6 ; args inter ; kill 3 at member.invite#2 ; expect "rank 0 ok" */
/* RUN: -n 6 ; args inter ; kill 5 at member.invited#1 ; expect "rank 0 ok" */
/* RUN: -n 16 ; args intra ; kill 7 at agree.enter ; expect "rank 0 ok" */
/* RUN: -n 8 ; args intra ; kill 7 at time:0.005 ; expect "rank 0 ok" ; times 5 */
/* RUN: -n 2 ; args inter ; kill 1 at member.create.enter#1 ; expect "rank 0 ok" */
/* RUN: -n 5 ; args inter ; kill 0 at member.create.enter#1 ; expect "rank 1 ok" */
/* RUN: -n 5 ; args inter ; kill 2 at member.create.enter#2 ; expect "rank 0 ok" */
/* RUN: -n 5 ; args inter ; kill 1 at member.create.enter#1 ; expect "rank 0 ok" */
/* RUN: -n 6 ; args inter ; kill 5 at agree.enter#1 ; expect "rank 0 ok" */
/* RUN: -n 6 ; args inter ; kill 3 at member.hello ; expect "rank 0 ok" */
/* RUN: -n 6 ; args inter ; kill 0 at member.create.decided#2 ; expect "rank 1 ok" */
/* RUN: -n 6 ; args inter ; kill 4 at member.create.decided#2 ; expect "rank 0 ok" */
/* RUN: -n 8 ; args inter ; set AGREE_SHM=0 ; kill 4 at agree.sent.up#1 ; expect "rank 0 ok" */
/* RUN: -n 16 ; args inter ; kill 8 at agree.done#2 ; expect "rank 0 ok" */
/* RUN: -n 8 ; args inter ; kill 1 at time:0.005 ; expect "rank 0 ok" ; times 5 */
#include "../common.h"

static MPI_Group range(int first, int last)
{
    MPI_Group all, some;
    int r[3] = {first, last, 1};

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_range_incl(all, 1, &r, &some);
    MPI_Group_free(&all);
    return some;
}

static int create(bool inter, const char *tag, MPI_Comm *c)
{
    int low = size / 2, err;
    bool upper = rank >= low;
    MPI_Group mine, other;

    if (!inter) {
        mine = range(0, size - 1);
        err = MPI_Comm_create_from_group(mine, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, c);
        MPI_Group_free(&mine);
        return err;
    }
    mine = upper ? range(low, size - 1) : range(0, low - 1);
    other = upper ? range(0, low - 1) : range(low, size - 1);
    err = MPI_Intercomm_create_from_groups(mine, 0, other, 0, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                           c);
    MPI_Group_free(&mine);
    MPI_Group_free(&other);
    return err;
}

/* S0-10: ranks that the death does not concern. */
static void survivors_create(int dead)
{
    MPI_Group all, left;
    MPI_Comm c;
    int one = 1, sum = 0;

    all = range(0, size - 1);
    MPI_Group_excl(all, 1, &dead, &left);
    CHECK_EQ(MPI_Comm_create_from_group(left, "left", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c), MPI_SUCCESS);
    CHECK_EQ(sum, size - 1);
    MPI_Comm_free(&c);
    MPI_Group_free(&left);
    MPI_Group_free(&all);
}

int main(int argc, char **argv)
{
    MPI_Comm c = MPI_COMM_NULL;
    bool inter;
    int err, dead = -1;

    start(&argc, &argv);
    inter = !strcmp(argv[1], "inter");
    err = create(inter, "first", &c);
    CHECK(err == MPI_SUCCESS || class_of(err) == MPI_ERR_PROC_FAILED);
    CHECK_EQ(c != MPI_COMM_NULL, err == MPI_SUCCESS);
    post(err ? 1 : 2);
    while (dead < 0) /* exactly one rank dies in each recipe */
        for (int r = 0; r < size && dead < 0; r++)
            dead = is_known_dead(MPI_COMM_WORLD, r) ? r : -1;
    while (posted(1) + posted(2) < size - 1)
        is_known_dead(MPI_COMM_WORLD, dead);
    CHECK(posted(1) == 0 || posted(2) == 0); /* S2-5 */
    CHECK_CLASS(create(inter, "second", &c), MPI_ERR_PROC_FAILED);
    survivors_create(dead);
    return finish();
}
