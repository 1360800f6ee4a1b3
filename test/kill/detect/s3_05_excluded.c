/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that was only stopped is declared dead.  Rank 1
 * owns a piece of work (a counter on the board that it increments without any MPI call) and is
 * stopped in the middle of it for longer than --stop-timeout.  When rank 0 gets the error, it takes
 * the work over and continues rank 1 (SIGCONT): there are never two owners, because the process
 * was ended before the death was reported.  Every survivor sees it as failed, also those that never asked
 * for it, and this does not change.
 *
 *   compute   stopped while it computes          recv   stopped inside of an MPI call
 *   race      it continues at about the time of the time-out: either it is dead for all survivors and
 *             does nothing more, or no rank has seen a failure
 *
 *   S3-5: a process that is wrongly declared dead is excluded
 *   S3-6: all survivors see the excluded process as failed
 *   S3-7: the library may end the excluded process
 *   S3-12: a process that was told of a death may rely on it
 *   S3-14: the detector may be perfect
 *
 * RUN: -n 2 --stop-timeout 0.2 ; args compute ; expect "rank 0 ok"
 * RUN: -n 4 --stop-timeout 0.2 ; args compute ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 --stop-timeout 0.2 ; args recv ; cont 0 at in:MPI_Recv:1 ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 16 --stop-timeout 0.2 ; args recv ; cont 0 at in:MPI_Recv:1 ; expect "rank 0 ok" ; expect "rank 15 ok"
 * RUN: -n 4 --stop-timeout 0.05 ; args race ; expect "rank 0 ok" ; expect "rank 3 ok" ; times 5 */
#include "../common.h"

#define OWNER    1
#define WORK     0 /* slots of the board */
#define PID      1
#define TAKEN    2
#define ALIVE    3 /* the owner has not been given up */
#define LIMIT_MS 50

static void own(const char *how)
{
    int v;

    board[PID] = (int)getpid();
    while (posted(ALIVE) == 0) {
        post(WORK);
        if (!strcmp(how, "recv") && posted(WORK) > 100) {
            MPI_Recv(&v, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            post(WORK);
        }
    }
}

/* Rank 0: the only one that needs the owner, and that could let it run again. */
static void take_over(const char *how)
{
    int v, at;

    await(WORK, 101);
    if (!strcmp(how, "recv"))
        await_cont();
    CHECK_EQ(kill(board[PID], SIGSTOP), 0);
    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, OWNER, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);
    at = posted(WORK); /* S3-12: from here on the work is ours */
    kill(board[PID], SIGCONT);
    for (int i = 0; i < 100; i++) {
        MPI_Send(&v, 1, MPI_INT, OWNER, 2, MPI_COMM_WORLD);
        CHECK_EQ(posted(WORK), at);
        usleep(1000);
    }
    post(TAKEN);
}

/* The time-out counts in slices, so it is met within some milliseconds; each turn tries another one of them. */
static void race(void)
{
    int at;

    await(WORK, 101);
    for (int turn = 0; turn < 6 && !is_known_dead(MPI_COMM_WORLD, OWNER); turn++) {
        CHECK_EQ(kill(board[PID], SIGSTOP), 0);
        usleep((useconds_t)(LIMIT_MS + 3 * turn + getpid() % 3) * 1000);
        CHECK_EQ(kill(board[PID], SIGCONT), 0);
        at = posted(WORK);
        while (!is_known_dead(MPI_COMM_WORLD, OWNER) && posted(WORK) < at + 1000)
            sched_yield();
    }
    if (!is_known_dead(MPI_COMM_WORLD, OWNER))
        post(ALIVE);
    at = posted(WORK);
    for (int i = 0; i < 50 && posted(ALIVE) == 0; i++, usleep(1000))
        CHECK_EQ(posted(WORK), at);
    post(TAKEN);
}

/* All survivors, with the owner or without it. */
static void check_race(void)
{
    bool alive = posted(ALIVE) != 0;

    if (!alive)
        wait_until_dead(MPI_COMM_WORLD, OWNER);
    CHECK_CLASS(MPI_Barrier(MPI_COMM_WORLD), alive ? MPI_SUCCESS : MPI_ERR_PROC_FAILED);
    CHECK_EQ(is_known_dead(MPI_COMM_WORLD, OWNER), !alive);
}

int main(int argc, char **argv)
{
    MPI_Comm survivors;
    int sum, one = 1;

    hold_cont();
    start(&argc, &argv);
    MPI_Comm_split(MPI_COMM_WORLD, rank == OWNER, rank, &survivors);
    if (rank == OWNER)
        own(argv[1]);
    if (rank == 0 && strcmp(argv[1], "race") != 0)
        take_over(argv[1]);
    else if (rank == 0)
        race();
    await(TAKEN, 1);
    if (!strcmp(argv[1], "race")) {
        check_race();
        return finish();
    }
    wait_until_dead(MPI_COMM_WORLD, OWNER); /* S3-6 */
    for (int i = 0; i < 100; i++)
        CHECK(is_known_dead(MPI_COMM_WORLD, OWNER));
    CHECK_CLASS(MPI_Barrier(MPI_COMM_WORLD), MPI_ERR_PROC_FAILED);
    CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, survivors), MPI_SUCCESS);
    CHECK_EQ(sum, size - 1);
    return finish();
}
