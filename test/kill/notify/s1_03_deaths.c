/* SPDX-License-Identifier: BSD-3-Clause */
/* s1_03_deaths.c – a notification and the deaths of its two ends: it is delivered once, or its target is dead.
 *
 *   sender   dies when the call has returned, or between publishing the notification and the signal: the callback runs, in
 *            a target that computes, and at the latest with the next MPI call
 *   target   dies before it, or as its callback begins: the call returns, and once the death is known with PROC_FAILED
 *   full     the target blocks the signal and calls nothing, so there is no room after a while: its death ends the call
 *
 *   S1-2: any process notifies any other that its participation is needed, without a matching call there
 *   S1-3: a notification runs a registered callback at its target, with the caller's data
 *
 * RUN: -n 2 ; args sender ; expect "ran once" ; expect "rank 0 ok" ; times 3
 * RUN: -n 2 ; set MACHINES=2 ; args sender ; expect "ran once" ; expect "rank 0 ok"
 * RUN: -n 2 ; kill 1 at notify.sent ; args early ; expect "ran once" ; expect "rank 0 ok"
 * RUN: -n 3 ; args target ; kill 0 at notify.run ; expect "rank 1 ok" ; expect "rank 2 ok"
 * RUN: -n 3 ; args target ; kill 0 at notify.run#3 ; expect "rank 1 ok" ; expect "rank 2 ok"
 * RUN: -n 3 ; args target ; set MACHINES=3 ; kill 0 at notify.run#3 ; expect "rank 1 ok" ; expect "rank 2 ok"
 * RUN: -n 2 ; args full ; expect "waited for room" ; expect "rank 1 ok"
 * RUN: -n 2 ; set MACHINES=2 ; args full ; expect "waited for room" ; expect "rank 1 ok" */
#include "../common.h"

#define KEY 3

enum { READY, FULL };

static volatile int ran;
static MPI_Group world;

static void on_notify(MPI_Group sender, int key, const void *data, int bytes, void *state)
{
    int zero = 0, from;

    CHECK_OK(MPI_Group_translate_ranks(sender, 1, &zero, world, &from));
    CHECK(key == KEY && from != rank && bytes == 5 && !memcmp(data, "data", 5));
    (void)state;
    ran++;
}

static int notify(int target)
{
    int sent;

    return class_of(MPIX_Notify(world, target, KEY, "data", 5, &sent));
}

/* Rank 0 calls nothing until the callback has run; "early": it looks with MPI calls. */
static void sender_dies(bool early)
{
    double end;

    if (rank == 1) {
        await(READY, 1);
        CHECK_OK(notify(0));
        die_now();
    }
    post(READY);
    while (!ran)
        if (early)
            is_known_dead(MPI_COMM_WORLD, 1);
    wait_until_dead(MPI_COMM_WORLD, 1);
    for (end = MPI_Wtime() + 0.05; MPI_Wtime() < end;)
        is_known_dead(MPI_COMM_WORLD, 1);
    CHECK_EQ(ran, 1);
    printf("ran once\n");
}

/* Rank 0 computes until it is dead; the others notify it until they know. */
static void target_dies(void)
{
    int err = MPI_SUCCESS;

    post(READY);
    await(READY, size);
    while (rank == 0)
        ;
    while (err == MPI_SUCCESS)
        err = notify(0);
    CHECK_EQ(err, MPI_ERR_PROC_FAILED);
    wait_until_dead(MPI_COMM_WORLD, 0);
    CHECK_EQ(notify(0), MPI_ERR_PROC_FAILED);
}

static void no_room(void)
{
    sigset_t urgent;
    int err = MPI_SUCCESS, sent_n = 0;

    if (rank == 0) {
        sigemptyset(&urgent);
        sigaddset(&urgent, SIGURG);
        CHECK(sigprocmask(SIG_BLOCK, &urgent, NULL) == 0);
        post(READY);
        await(FULL, 1);
        die_soon(300000);
        for (;;)
            pause();
    }
    await(READY, 1);
    post(FULL);
    for (; err == MPI_SUCCESS; sent_n++)
        err = notify(0);
    CHECK_EQ(err, MPI_ERR_PROC_FAILED);
    CHECK(sent_n > 100);
    printf("waited for room\n");
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK_OK(MPIX_Notify_register(KEY, on_notify, NULL));
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(argv[1], "target"))
        target_dies();
    else if (!strcmp(argv[1], "full"))
        no_room();
    else
        sender_dies(!strcmp(argv[1], "early"));
    MPI_Group_free(&world);
    return finish();
}
