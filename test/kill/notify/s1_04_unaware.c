/* SPDX-License-Identifier: BSD-3-Clause */
/* s1_04_unaware.c – module F loses a process while others are in module R already, which knows of nothing.
 *
 *         rank 0      rank 1      rank 2      rank 3
 *     F   is in it    dies in it  has left
 *     R                           is in it    is in it
 *
 * Rank 0 learns of the death in F and notifies rank 2, which is in R: blocked in MPI_Recv or MPI_Allreduce, computing, asleep in
 * nanosleep() or read().  None of R's communicators has the dead process.  The callback shrinks F's communicator
 * together with rank 0; R goes on as if nothing had happened.  With "outside" rank 3, which is not in F, tells ranks 0 and 2:
 * rank 0 computes as well.
 *
 * BUILD: {root}/test/kill/notify/module_r.c
 *
 *   S1-1: a process hears of a failure that none of its module's communicators contains
 *   S1-2: any process notifies any other that its participation is needed, without a matching call there
 *   S1-3: a notification runs a registered callback at its target, with the caller's data
 *   S1-4: a module that knows nothing of failures is interrupted unchanged
 *   S1-7: the callback may communicate
 *
 * RUN: -n 4 ; kill 1 at call:MPI_Bcast ; args 0 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; kill 1 at call:MPI_Bcast ; args 1 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; kill 1 at call:MPI_Bcast ; args 2 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; kill 1 at call:MPI_Bcast ; args 3 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; kill 1 at call:MPI_Bcast ; args 4 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; kill 1 at call:MPI_Bcast ; args 0 outside ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; kill 1 at call:MPI_Bcast ; args 1 outside ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; kill 1 at call:MPI_Bcast ; args 4 outside ; set MACHINES=2 ; expect "rank 0 ok" ; expect "rank 2 ok" ;
 *      expect "rank 3 ok" */
#include "../common.h"
#include "module_r.h"

#include <errno.h>
#include <sys/stat.h>

#define KEY 1

enum { READY, RECOVERED, GO };

static MPI_Comm f; /* ranks 0, 1, 2 */
static volatile int recovered;

static void on_failure(MPI_Group sender, int key, const void *data, int bytes, void *state)
{
    MPI_Comm smaller;
    int n;

    (void)sender;
    CHECK(key == KEY && state == &f && bytes == 4 && !memcmp(data, "F:1", 4));
    CHECK_OK(MPIX_Comm_revoke(f));
    CHECK_OK(MPIX_Comm_shrink(f, &smaller));
    CHECK_OK(MPI_Comm_size(smaller, &n));
    CHECK_EQ(n, 2);
    CHECK_OK(MPI_Barrier(smaller));
    CHECK_OK(MPI_Comm_free(&smaller));
    recovered = 1;
    post(RECOVERED);
}

static void notify(int target)
{
    MPI_Group world;
    int sent = 0;

    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK_OK(MPIX_Notify(world, target, KEY, "F:1", 4, &sent));
    CHECK_EQ(sent, 1);
    MPI_Group_free(&world);
}

/* Rank 1 dies as it calls; rank 2 needs no message from it and leaves. */
static void work_in_f(bool outside)
{
    int x = 0;

    if (rank == 2)
        return;
    if (rank == 1)
        MPI_Bcast(&x, 1, MPI_INT, 1, f);
    if (!outside) {
        await(READY, 1);
        CHECK_CLASS(MPI_Recv(&x, 1, MPI_INT, 1, 0, f, MPI_STATUS_IGNORE), MPI_ERR_PROC_FAILED);
        notify(2);
        on_failure(MPI_GROUP_EMPTY, KEY, "F:1", 4, &f);
        return;
    }
    while (!recovered) /* computes, and calls nothing */
        ;
}

static void tell_from_outside(void)
{
    await(READY, 1);
    wait_until_dead(MPI_COMM_WORLD, 1);
    notify(0);
    notify(2);
}

/* Ranks 2 and 3 read and write the same one. */
static int open_fifo(void)
{
    char path[4096];
    int fd;

    snprintf(path, sizeof path, "%s/fifo", getenv("MEND_TEST_TMP"));
    CHECK(mkfifo(path, 0600) == 0 || errno == EEXIST);
    fd = open(path, O_RDWR);
    CHECK(fd >= 0);
    return fd;
}

int main(int argc, char **argv)
{
    MPI_Comm r;
    int how, fd;
    bool outside = argc > 2;

    start(&argc, &argv);
    how = atoi(argv[1]);
    fd = open_fifo();
    MPI_Comm_split(MPI_COMM_WORLD, rank < 3 ? 0 : MPI_UNDEFINED, rank, &f);
    MPI_Comm_split(MPI_COMM_WORLD, rank >= 2 ? 0 : MPI_UNDEFINED, rank, &r);
    if (rank < 3)
        MPI_Comm_set_errhandler(f, MPI_ERRORS_RETURN);
    CHECK_OK(MPIX_Notify_register(KEY, on_failure, &f));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank < 3)
        work_in_f(outside);
    if (rank == 3 && outside)
        tell_from_outside();
    if (rank == 2) {
        int expected[] = {1, 2, 3, 4, 5};

        post(READY);
        CHECK_EQ(r_work(r, how, &board[GO], fd), expected[how]);
        CHECK_EQ(recovered, 1);
    }
    if (rank == 3) {
        await(RECOVERED, 2);
        r_finish(r, how, &board[GO], fd);
    }
    return finish();
}
