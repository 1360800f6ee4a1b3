/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Comm_create_group and MPI_Intercomm_create are uniform: a rank dies at any
 * of their steps; either every survivor has the communicator, and can communicate on it with the others, or none
 * has.  No rank makes other calls in between: only the death ends a wait for the dead process.
 *
 * MPI_Comm_split of the world is the first creation, a duplicate the second, ours the third.
 *
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-33: processes that have the new communicator can communicate on it
 *   S2-3: a new communicator has all members that were asked for
 *   S2-5: creation is uniform: at all survivors or at none
 *   S2-6: a death before the decision makes creation fail everywhere
 *   S2-7: after the decision creation succeeds everywhere */
/* RUN: -n 4 ; args group ; kill 3 at member.create.enter#3 ; expect "rank 0 ok" */
/* RUN: -n 4 ; args group ; kill 0 at agree.enter#3 ; expect "rank 1 ok" */
/* RUN: -n 5 ; args group ; set AGREE_SHM=0 ; kill 2 at agree.sent.up#3 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 5 ; args group ; set AGREE_SHM=0 ; kill 0 at agree.sent.down#7 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 5 ; args group ; kill 0 at agree.done#3 ; expect "rank 1 ok" */
/* RUN: -n 5 ; args group ; kill 4 at member.create.decided#3 ; expect "rank 1 ok" */
/* RUN: -n 5 --lenient-exit ; args group ; kill 3 at agree.enter#3? ; kill 1 at agree.enter#3? ; expect "rank 2 ok" */
/* RUN: -n 5 ; args group ; kill 0 at member.invite#1 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 5 ; args group ; kill 0 at member.invite#3 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 5 ; args group ; kill 0 at member.invite#4 ; expect "rank 1 ok" */
/* RUN: -n 5 ; args group ; kill 0 at member.create.enter#3 ; expect "rank 1 ok" */
/* RUN: -n 5 ; args group ; kill 3 at member.invited ; expect "rank 0 ok" ; times 3 */
/* RUN: -n 5 --lenient-exit ; args group ; kill 0 at member.invite#2 ; kill 1 at member.invited? ; expect "rank 2 ok" ; times 3 */
/* RUN: -n 5 ; args group ; set AGREE_SHM=0 ; kill 0 at member.invite#2 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 5 ; args group ; set AGREE_SHM=0 ; kill 4 at member.invited ; expect "rank 0 ok" ; times 3 */
/* RUN: -n 5 ; args group ; set REVOKE_SHM=0 ; kill 0 at member.invite#2 ; kill 4 at member.call.off? ;
 * expect "rank 1 ok" ; times 3 */
/* RUN: -n 4 ; args inter ; kill 0 at member.create.enter#3 ; expect "rank 1 ok" */
/* RUN: -n 4 ; args inter ; kill 0 at member.hello ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 5 ; args inter ; kill 2 at member.hello ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 5 ; args inter ; kill 0,2 at member.hello ; expect "rank 1 ok" */
/* RUN: -n 7 ; args inter ; kill 0 at coll.enter#2 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 7 ; args inter ; kill 4 at coll.enter#2 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 7 ; args inter ; kill 0 at coll.done#2 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 7 ; args inter ; kill 3 at coll.enter#3 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 7 ; args inter ; kill 5 at agree.enter#3 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 7 ; args inter ; set AGREE_SHM=0 ; kill 0 at agree.sent.down#7 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 7 --lenient-exit ; args inter ; set AGREE_SHM=0 ; kill 3,4 at agree.sent.up#3 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 7 ; args inter ; kill 6 at member.create.enter#3 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 6 ; args inter ; kill 5 at member.create.enter#3 ; kill 2 at member.call.off? ; expect "rank 1 ok" ;
 * times 3 */
#include "../common.h"

#define VICTIMS_MAX 2

static int low, upper;

static int create(const char *how, MPI_Comm local, MPI_Comm c, MPI_Comm *made)
{
    MPI_Group g;
    int err;

    if (!strcmp(how, "inter"))
        return MPI_Intercomm_create(local, 0, c, upper ? 0 : low, 1, made);
    MPI_Comm_group(c, &g);
    err = MPI_Comm_create_group(c, g, 77, made);
    MPI_Group_free(&g);
    return err;
}

static int dead_n(void)
{
    MPI_Group dead;
    int n;

    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &n, MPI_STATUS_IGNORE);
    MPI_Comm_get_failed(MPI_COMM_WORLD, &dead);
    MPI_Group_size(dead, &n);
    MPI_Group_free(&dead);
    return n;
}

/* S2-3: exactly the members that were asked for; S0-33: they can talk, if the other one lives. */
static void use(const char *how, MPI_Comm made)
{
    int n, m = 0, to, err;

    MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    MPI_Comm_size(made, &n);
    if (!strcmp(how, "inter"))
        MPI_Comm_remote_size(made, &m);
    CHECK_EQ(n + m, size);
    to = m ? m - 1 : n - 1;
    err = MPI_Send(&n, 1, MPI_INT, to, 0, made);
    CHECK(err == MPI_SUCCESS || (err == MPI_ERR_PROC_FAILED && is_known_dead(made, to)));
}

int main(int argc, char **argv)
{
    MPI_Comm local, c, made = MPI_COMM_NULL;
    int err, dead;

    start(&argc, &argv);
    low = size / 2;
    upper = rank >= low;
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &local), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &c), MPI_SUCCESS);
    err = create(argv[1], local, c, &made);
    CHECK(err == MPI_SUCCESS || class_of(err) == MPI_ERR_PROC_FAILED);
    CHECK((err == MPI_SUCCESS) == (made != MPI_COMM_NULL));
    post(err ? 1 : 2);
    do /* a rank that got the decision may be asked for it */
        dead = dead_n();
    while (dead == 0 || posted(1) + posted(2) < size - dead);
    CHECK(dead <= VICTIMS_MAX);
    CHECK(posted(1) == 0 || posted(2) == 0); /* S2-5 */
    if (made != MPI_COMM_NULL)
        use(argv[1], made);
    return finish();
}
