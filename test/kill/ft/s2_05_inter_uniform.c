/* SPDX-License-Identifier: BSD-3-Clause */
/* Creation from an intercommunicator is as uniform as any: a rank of either group
 * dies before the decision, at it or after it; either every survivor of both groups has the new
 * communicator, of exactly the groups asked for, or none has.  With a failed member creation fails at
 * once, while the others are outside MPI.
 *
 * MPI_Comm_split of the world is the first creation, MPI_Intercomm_create the second, ours the third.
 *
 *   S0-15: a nonblocking call never reports a failure when it starts
 *   S2-1: creation on an inactive communicator fails at all survivors
 *   S2-3: a new communicator has all members that were asked for
 *   S2-5: creation is uniform: at all survivors or at none
 *   S2-6: a death before the decision makes creation fail everywhere
 *   S2-7: after the decision creation succeeds everywhere
 *   S2-9: creation on an inactive communicator fails at once */
/* RUN: -n 5 ; args dup ; kill 4 at member.create.enter#3 ; expect "rank 0 ok" */
/* RUN: -n 5 ; args dup ; kill 0 at agree.done#3 ; expect "rank 1 ok" */
/* RUN: -n 5 ; args idup ; kill 2 at agree.enter#3 ; expect "rank 1 ok" */
/* RUN: -n 5 ; args split ; kill 1 at coll.round#2 ; expect "rank 0 ok" */
/* RUN: -n 5 ; args split ; kill 4 at agree.enter#3 ; expect "rank 0 ok" */
/* RUN: -n 5 ; args split ; kill 0 at member.create.decided#3 ; expect "rank 1 ok" */
/* RUN: -n 7 ; args split ; kill 0 at coll.enter#5 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 7 ; args split ; kill 3 at coll.enter#6 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 7 ; args split ; kill 5 at coll.done#5 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 5 ; set MACHINES=2 ; args types ; kill 1 at call:MPI_Comm_split_type>coll.round#2 ; expect "rank 0 ok" */
/* RUN: -n 7 ; set MACHINES=2 ; args types ; kill 0 at call:MPI_Comm_split_type>coll.enter ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 7 ; set MACHINES=2 ; args types ; kill 3 at call:MPI_Comm_split_type>coll.enter#3 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 7 ; set MACHINES=2 ; args types ; kill 3 at call:MPI_Comm_split_type>coll.enter#4 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 7 ; set MACHINES=2 ; args types ; kill 5 at call:MPI_Comm_split_type>coll.enter#5 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 7 ; set MACHINES=2 ; args types ; kill 0 at call:MPI_Comm_split_type>coll.done#6 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 5 ; set MACHINES=2 ; args types ; kill 4 at call:MPI_Comm_split_type>agree.enter ; expect "rank 0 ok" */
/* RUN: -n 5 ; args create ; kill 2 at agree.enter#3 ; expect "rank 0 ok" */
/* RUN: -n 5 ; args create ; kill 3 at member.create.enter#3 ; expect "rank 0 ok" */
/* RUN: -n 5 ; args merge ; kill 4 at agree.enter#3 ; expect "rank 0 ok" */
/* RUN: -n 5 ; args merge ; kill 0 at agree.decided#3 ; expect "rank 1 ok" */
/* RUN: -n 5 ; args merge ; set AGREE_SHM=0 ; kill 0 at agree.sent.down#8 ; expect "rank 1 ok" */
#include "../common.h"

static int low, upper;

static int create(const char *how, MPI_Comm inter, MPI_Comm *made)
{
    MPI_Request q;
    MPI_Group g;
    int err;

    if (!strcmp(how, "split"))
        return MPI_Comm_split(inter, 3, -rank, made);
    if (!strcmp(how, "types"))
        return MPI_Comm_split_type(inter, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, made);
    if (!strcmp(how, "dup"))
        return MPI_Comm_dup(inter, made);
    if (!strcmp(how, "merge"))
        return MPI_Intercomm_merge(inter, upper, made);
    if (!strcmp(how, "idup")) {
        CHECK_EQ(MPI_Comm_idup(inter, made, &q), MPI_SUCCESS); /* S0-15 */
        return MPI_Wait(&q, MPI_STATUS_IGNORE);
    }
    MPI_Comm_group(inter, &g);
    err = MPI_Comm_create(inter, g, made);
    MPI_Group_free(&g);
    return err;
}

/* S2-3: exactly the members that were asked for. */
static void check_size(const char *how, MPI_Comm made)
{
    int n, m = 0;

    MPI_Comm_size(made, &n);
    if (strcmp(how, "merge"))
        MPI_Comm_remote_size(made, &m);
    CHECK_EQ(n + m, strcmp(how, "types") ? size : (size + !(rank % 2)) / 2);
}

int main(int argc, char **argv)
{
    MPI_Comm local, inter, made = MPI_COMM_NULL, again;
    int err, alive = 0, n;
    MPI_Group dead;

    start(&argc, &argv);
    inter = connect_halves(&local, &low, &upper);
    err = create(argv[1], inter, &made);
    CHECK(err == MPI_SUCCESS || class_of(err) == MPI_ERR_PROC_FAILED);
    CHECK((err == MPI_SUCCESS) == (made != MPI_COMM_NULL));
    post(err ? 1 : 2);
    while (alive == 0) { /* exactly one rank dies in each recipe */
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &n, MPI_STATUS_IGNORE);
        MPI_Comm_get_failed(MPI_COMM_WORLD, &dead);
        MPI_Group_size(dead, &n);
        MPI_Group_free(&dead);
        alive = n == 1 ? size - 1 : 0;
    }
    while (posted(1) + posted(2) < alive) /* a rank that got the decision may be asked for it */
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &n, MPI_STATUS_IGNORE);
    CHECK(posted(1) == 0 || posted(2) == 0); /* S2-5 */
    if (rank == 1)                           /* S2-9: the others are outside MPI */
        CHECK_CLASS(create(argv[1], inter, &again), MPI_ERR_PROC_FAILED);
    if (made != MPI_COMM_NULL)
        check_size(argv[1], made);
    return finish();
}
