/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of two nodes die while all decide again and again, or one dies whose death a node cannot have heard of when its ranks decide: each
 * decision has one result at all survivors.
 *
 *   both   ranks 3 and 5, of different nodes, die at instants drawn by lot
 *   late   the agent of the last node is stopped, rank 3 of another node dies, all ranks with an agent that runs know it, and all decide; the
 *          agent goes on a while after that.  What a decision says of the dead a rank knows then, although its agent has not said it
 *
 * Arguments: the decision; both or late; a seed of the instants.
 *
 *   S2-5: creation is uniform: at all survivors or at none
 *   S5-9: decisions are uniform across nodes, in whatever order these learn of deaths */
/* RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args agree both {n} ; expect "rank 0 ok" ; expect "rank 4 ok" ; times 9 */
/* RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args shrink both {n} ; expect "rank 0 ok" ; expect "rank 4 ok" ; times 9 */
/* RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args validate both {n} ; expect "rank 0 ok" ; expect "rank 4 ok" ; times 9 */
/* RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args dup both {n} ; expect "rank 0 ok" ; expect "rank 4 ok" ; times 9 */
/* RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args split both {n} ; expect "rank 0 ok" ; expect "rank 4 ok" ; times 9 */
/* RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args sync both {n} ; expect "rank 0 ok" ; expect "rank 4 ok" ; times 9 */
/* RUN: -n 6 --lenient-exit ; set MACHINES=3 ; args refill both {n} ; expect "rank 0 ok" ; expect "rank 4 ok" ; times 9 */
/* RUN: -n 6 --lenient-exit ; set MACHINES=6 ; args agree both {n} ; expect "rank 0 ok" ; expect "rank 4 ok" ; times 9 */
/* RUN: -n 6 --lenient-exit ; set MACHINES=6 ; args dup both {n} ; expect "rank 0 ok" ; expect "rank 4 ok" ; times 9 */
/* RUN: -n 6 ; set MACHINES=3 ; args agree late ; expect "rank 0 ok" ; expect "rank 5 ok" */
/* RUN: -n 6 ; set MACHINES=3 ; args shrink late ; expect "rank 0 ok" ; expect "rank 5 ok" */
/* RUN: -n 6 ; set MACHINES=3 ; args validate late ; expect "rank 0 ok" ; expect "rank 5 ok" */
/* RUN: -n 6 ; set MACHINES=3 ; args dup late ; expect "rank 0 ok" ; expect "rank 5 ok" */
/* RUN: -n 6 ; set MACHINES=3 ; args split late ; expect "rank 0 ok" ; expect "rank 5 ok" */
/* RUN: -n 6 ; set MACHINES=3 ; args sync late ; expect "rank 0 ok" ; expect "rank 5 ok" */
/* RUN: -n 6 ; set MACHINES=3 ; args refill late ; expect "rank 0 ok" ; expect "rank 5 ok" */
#include "../file/common.h"

#define FIRST_SLOT 64
#define ROUNDS     3000
#define LATE_US    20000

enum { STOPPED, KNOWN, LOOKED };

static MPI_File file;
static bool dies; /* it may have a result that dies with it */
static int last_agent;

static int failed_n(MPI_Comm c)
{
    MPI_Group failed;
    int n;

    CHECK_EQ(MPIX_Comm_get_failed(c, &failed), MPI_SUCCESS);
    MPI_Group_size(failed, &n);
    if (n)
        MPI_Group_free(&failed);
    return n;
}

static int free_if_made(int rc, MPI_Comm *made)
{
    if (rc == MPI_SUCCESS)
        MPI_Comm_free(made);
    return rc;
}

/* The dead that a decision names; 1000 and more: another error than that of a death. */
static int decide(const char *what)
{
    MPI_Comm made;
    MPI_Group failed;
    int n = 0, flag = 1, rc;

    if (!strcmp(what, "shrink")) {
        CHECK_EQ(MPIX_Comm_shrink(MPI_COMM_WORLD, &made), MPI_SUCCESS);
        MPI_Comm_size(made, &n);
        MPI_Comm_free(&made);
        return size - n;
    }
    if (!strcmp(what, "validate")) {
        CHECK_EQ(MPI_Comm_validate(MPI_COMM_WORLD, &failed), MPI_SUCCESS);
        MPI_Group_size(failed, &n);
        MPI_Group_free(&failed);
        return n;
    }
    if (!strcmp(what, "agree"))
        rc = MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
    else if (!strcmp(what, "dup"))
        rc = free_if_made(MPI_Comm_dup(MPI_COMM_WORLD, &made), &made);
    else if (!strcmp(what, "split"))
        rc = free_if_made(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &made), &made);
    else
        rc = MPI_File_sync(file);
    return rc == MPI_ERR_PROC_FAILED ? 1 : rc ? 1000 + rc : 0;
}

/* Until it names the dead.  Each round has one result, and so has a shrink behind it. */
static void decide_until_failed(const char *what)
{
    MPI_Comm rest;
    int n = 0;

    for (int i = 0; !n && i < ROUNDS; i++) {
        n = decide(what);
        if (!dies)
            same_everywhere(FIRST_SLOT + i, n);
    }
    CHECK(n > 0 && n < 1000);
    CHECK(failed_n(MPI_COMM_WORLD) >= n);
    CHECK_EQ(MPIX_Comm_shrink(MPI_COMM_WORLD, &rest), MPI_SUCCESS);
    MPI_Comm_size(rest, &n);
    same_everywhere(FIRST_SLOT + ROUNDS, n);
}

/* Whether there is a new communicator is the same at all in each attempt, newcomers of a failed one aside. */
static void refill(void)
{
    MPI_Comm full;
    int rc, n, i = 0;

    do {
        rc = MPIX_Comm_refill(MPI_COMM_WORLD, MPI_INFO_NULL, &full);
        CHECK(rc == MPI_SUCCESS || rc == MPI_ERR_PROC_FAILED);
        if (!dies)
            same_everywhere(FIRST_SLOT + i, rc);
    } while (++i < ROUNDS && rc != MPI_SUCCESS);
    MPI_Comm_size(full, &n);
    CHECK_EQ(n, size);
}

static void *continue_agent(void *unused)
{
    (void)unused;
    usleep(LATE_US);
    kill(last_agent, SIGCONT);
    return NULL;
}

static void lose_unheard(void)
{
    pthread_t thread;

    if (rank == 0) {
        kill(last_agent, SIGSTOP);
        post(STOPPED);
    }
    await(STOPPED, 1);
    if (rank == 3)
        die_now();
    if ((int)getppid() != last_agent) {
        wait_until_dead(MPI_COMM_WORLD, 3);
        post(KNOWN);
    }
    await(KNOWN, 3);
    if ((int)getppid() == last_agent) {
        CHECK_EQ(failed_n(MPI_COMM_WORLD), 0);
        post(LOOKED);
    }
    await(LOOKED, 2);
    if (rank == 0)
        CHECK(pthread_create(&thread, NULL, continue_agent, NULL) == 0 &&
              pthread_detach(thread) == 0);
}

/* All pairs are connected when the agent stops, which would let no new connection in. */
static void meet_all(void)
{
    int all[64], mine[64] = {0}, parent = (int)getppid();

    CHECK_EQ(MPI_Alltoall(mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Allgather(&parent, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
    last_agent = all[size - 1];
}

int main(int argc, char **argv)
{
    MPI_Comm full;

    start(&argc, &argv);
    CHECK_EQ(MPIX_Comm_refilled(&full), MPI_SUCCESS);
    if (full != MPI_COMM_NULL)
        return finish();
    meet_all();
    if (!strcmp(argv[1], "sync"))
        file = open_file(MPI_COMM_WORLD, "synced");
    MPI_Barrier(MPI_COMM_WORLD);
    dies = strcmp(argv[2], "late") && (rank == 3 || rank == 5);
    if (!strcmp(argv[2], "late"))
        lose_unheard();
    else if (dies)
        die_soon((atoi(argv[3]) * 7919 + rank * 104729) % 6000 + 100);
    if (!strcmp(argv[1], "refill"))
        refill();
    else
        decide_until_failed(argv[1]);
    return finish();
}
