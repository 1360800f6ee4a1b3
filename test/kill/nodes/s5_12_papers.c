/* SPDX-License-Identifier: BSD-3-Clause */
/* What was decided is learned by all survivors, on every node, although each process that knows it computes, is in MPI_Finalize or is
 * dead: it has written it down on its node, and the agents look there.
 *
 *        0         node 0: ranks 0 and up     0 decides, and dies before or after it has told 4, or more
 *      / | \                                  4 returns, and then
 *     4  2  1                                   outside    makes no MPI call until all survivors have returned
 *     |  |                                      finalize   calls MPI_Finalize
 *     5  3                                      dies       kills itself: all that decided are dead
 *                                               node       kills its agent: a node is left on which 0 had decided
 *
 * So all survivors decide what 0 has decided, with the votes of all; also where a second one dies when it is about to ask.  Where the
 * node of the root is lost, at any moment, the others decide alike (lost: the ranks are in reverse order, because the agent of the first
 * node is mpiexec).
 *
 *   R42: no decision depends on a process that is outside MPI
 *   S0-90: an agreement never fails and is uniform under deaths
 *   S5-9: decisions are uniform across nodes, in whatever order these learn of deaths
 *   S5-12: a decision can be learned as long as a node lives on which a process had decided
 *
 * RUN: -n 6 --lenient-exit ; set MACHINES=2 ; args agree outside 5 ; kill 0 at call:MPI_Pcontrol>agree.sent.down#1 ; expect "rank 3 ok" ;
 *   times 6
 * RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args agree outside 5 ; kill 0 at call:MPI_Pcontrol>agree.sent.down#1 ; expect "rank 3 ok" ;
 *   times 6
 * RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args agree outside 5 ; kill 0 at call:MPI_Pcontrol>agree.sent.down#2 ; expect "rank 1 ok" ;
 *   times 6
 * RUN: -n 6 --lenient-exit ; set MACHINES=2 ; args agree outside 5 ; kill 0 at call:MPI_Pcontrol>agree.decided ; expect "rank 5 ok" ;
 *   times 6
 * RUN: -n 6 --lenient-exit ; set MACHINES=6 ; args agree outside 5 ; kill 0 at call:MPI_Pcontrol>agree.decided ; expect "rank 5 ok" ;
 *   times 6
 * RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args agree outside 4 ; kill 0 at call:MPI_Pcontrol>agree.sent.down#1 ;
 *   kill 4 at call:MPI_Pcontrol>agree.decided ; expect "rank 5 ok" ; times 6
 * RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args agree outside 4 ; kill 0 at call:MPI_Pcontrol>agree.decided ;
 *   kill 1 at call:MPI_Pcontrol>agree.asked ; expect "rank 5 ok" ; times 6
 * RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args agree finalize 5 ; kill 0 at call:MPI_Pcontrol>agree.sent.down#1 ; expect "rank 3 ok" ;
 *   times 6
 * RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args agree dies 4 ; kill 0 at call:MPI_Pcontrol>agree.sent.down#1 ; expect "rank 3 ok" ;
 *   times 6
 * RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args agree node 3 ; kill 0 at call:MPI_Pcontrol>agree.sent.down#1 ; expect "rank 3 ok" ;
 *   times 6
 * RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args agree lost 4 ; expect "rank 0 ok" ; times 30
 * RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args agree lost 4 ; kill 5 at call:MPI_Pcontrol>agree.decided? ; expect "rank 0 ok" ; times 15
 * RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args agree lost 4 ; kill 5 at call:MPI_Pcontrol>agree.sent.down#1? ; expect "rank 0 ok" ;
 *   times 15
 * RUN: -n 6 --lenient-exit ; set MACHINES=2 ; args dup outside 5 ; kill 0 at call:MPI_Pcontrol>agree.decided ; expect "rank 5 ok" ;
 *   times 6
 * RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args shrink outside 5 ; kill 0 at call:MPI_Pcontrol>agree.sent.down#1 ; expect "rank 5 ok" ;
 *   times 6
 * RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args validate outside 5 ; kill 0 at call:MPI_Pcontrol>agree.sent.down#1 ; expect "rank 5 ok" ;
 *   times 6
 * RUN: -n 13 --lenient-exit ; set MACHINES=3 ; args agree outside 11 ; kill 0 at call:MPI_Pcontrol>agree.sent.down#1 ;
 *   kill 8 at call:MPI_Pcontrol>agree.decided ; expect "rank 11 ok" ; times 6 */
#include "../../agent.h"
#include "../common.h"

enum { RETURNED, VOTED, VALUE }; /* slots of the board */

static MPI_Comm c;

/* The number of members that the decision leaves is its value; of a vote, the bits of those that have voted. */
static int decide(const char *how)
{
    int flag = ~(1 << rank), n = 0;
    MPI_Group failed;
    MPI_Comm made;

    if (!strcmp(how, "agree")) {
        MPIX_Comm_agree(c, &flag);
        return ~flag;
    }
    if (!strcmp(how, "validate")) {
        CHECK_EQ(MPI_Comm_validate(c, &failed), MPI_SUCCESS);
        MPI_Group_size(failed, &n);
        MPI_Group_free(&failed);
        return size - n;
    }
    CHECK_EQ(!strcmp(how, "dup") ? MPI_Comm_dup(c, &made) : MPIX_Comm_shrink(c, &made),
             MPI_SUCCESS);
    MPI_Comm_size(made, &n);
    return n;
}

/* All that return have the same. */
static void publish(int value)
{
    int none = 0;

    if (!__atomic_compare_exchange_n(&board[VALUE], &none, value + 1, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST))
        CHECK_EQ(none, value + 1);
}

/* Kills the agent of this process within a few milliseconds of the votes of all. */
static void lose_soon(void)
{
    pid_t agent = own_agent();
    unsigned us = lot() * 7919u % 1500;

    if (fork())
        return;
    await(VOTED, size);
    for (unsigned i = 0; i < us; i += 50)
        usleep(50);
    kill(agent, SIGKILL);
    _exit(0);
}

/* What a rank does that has returned: args of main(). */
static void go_on(const char *then, int survivors)
{
    bool knows = rank == 4;

    if (!strcmp(then, "dies") && knows)
        die_now();
    if (!strcmp(then, "node") && knows) {
        signal_own_agent(SIGKILL);
        await_kill();
    }
    post(RETURNED);
    if (strcmp(then, "finalize"))
        await(RETURNED, survivors); /* makes no MPI call */
}

/* args: what is decided, what follows, how many survive */
int main(int argc, char **argv)
{
    bool is_lost = !strcmp(argv[2], "lost");
    int value;

    start(&argc, &argv);
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, 0, is_lost ? -rank : rank, &c), MPI_SUCCESS);
    MPI_Barrier(c);
    if (is_lost && rank == size - 2)
        lose_soon();
    post(VOTED);
    MPI_Pcontrol(1);
    value = decide(argv[1]);
    if (is_lost && rank >= size - 2)
        await_kill();
    publish(value);
    if (!is_lost && !strcmp(argv[1], "agree"))
        CHECK_EQ(value, (1 << size) - 1);
    if (!strcmp(argv[1], "dup"))
        CHECK_EQ(value, size);
    go_on(argv[2], atoi(argv[3]));
    return finish();
}
