/* SPDX-License-Identifier: BSD-3-Clause */
/* s1_02_notify.c – a process makes a callback run on another one, whatever that one is doing.
 *
 * Rank 0 notifies rank 1, which never calls anything that matches: while rank 1 is blocked in MPI_Recv, computes, sleeps in
 * read() and in nanosleep(), polls, or holds callbacks back.  The callback communicates on a communicator of its own, the
 * data and the sender are those of the call, and the order is that of the calls.
 *
 *   S1-2: any process notifies any other that its participation is needed, without a matching call there
 *   S1-3: a notification runs a registered callback at its target, with the caller's data
 *   S1-7: the callback may communicate
 *
 * RUN: -n 2 ; expect "notified in 7 ways"
 * RUN: -n 4 ; expect "notified in 7 ways"
 * RUN: -n 2 ; set MACHINES=2 ; expect "notified in 7 ways" */
#include "../../program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define KEY   7
#define OTHER 8
#define MANY  3000

static MPI_Comm own;
static MPI_Group world;
static volatile int ran, last;
static int state;

static int sender_rank(MPI_Group sender)
{
    int n, zero = 0, from;

    CHECK_OK(MPI_Group_size(sender, &n));
    CHECK(n == 1);
    CHECK_OK(MPI_Group_translate_ranks(sender, 1, &zero, world, &from));
    return from;
}

/* Answers on a communicator of its own: the other rank waits for it there. */
static void on_notify(MPI_Group sender, int key, const void *data, int bytes, void *of)
{
    int number;

    CHECK(key == KEY && of == &state && bytes == sizeof(number));
    CHECK(sender_rank(sender) == 0);
    memcpy(&number, data, sizeof(number));
    CHECK(number == last + 1);
    last = number;
    CHECK_OK(MPI_Send(&number, 1, MPI_INT, 0, 1, own));
    CHECK_OK(MPI_Recv(&number, 1, MPI_INT, 0, 2, own, MPI_STATUS_IGNORE));
    CHECK(number == last);
    CHECK_CLASS(MPI_Finalize(), MPI_ERR_OTHER);
    ran++;
}

static void on_one_of_many(MPI_Group sender, int key, const void *data, int bytes, void *of)
{
    int number;

    (void)sender, (void)key, (void)of;
    memcpy(&number, data, sizeof(number));
    CHECK(bytes == MPIX_NOTIFY_MAX && number == last + 1);
    last = number;
}

/* Rank 0: the callback has run when this returns. */
static void notify(int number)
{
    int sent = 0, got;

    CHECK_OK(MPIX_Notify(world, 1, KEY, &number, sizeof(number), &sent));
    CHECK(sent == 1);
    CHECK_OK(MPI_Recv(&got, 1, MPI_INT, 1, 1, own, MPI_STATUS_IGNORE));
    CHECK(got == number);
    CHECK_OK(MPI_Send(&got, 1, MPI_INT, 1, 2, own));
}

static void send_many(int first)
{
    char data[MPIX_NOTIFY_MAX] = {0};
    int sent;

    for (int i = first; i < first + MANY; i++) {
        memcpy(data, &i, sizeof(i));
        CHECK_OK(MPIX_Notify(world, 1, OTHER, data, sizeof(data), &sent));
    }
}

static void notifier(void)
{
    int number = 1, one = 1;

    notify(number++); /* blocked in a receive */
    CHECK_OK(MPI_Send(&one, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
    for (int i = 0; i < 4; i++) { /* computes, reads, sleeps, polls */
        CHECK_OK(MPI_Recv(&one, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        usleep(20000); /* it is where it is to be, or will be: nothing depends on it */
        notify(number++);
    }
    send_many(number);
    CHECK_OK(MPI_Recv(&one, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    number += MANY;
    notify(number++); /* held */
}

static void say(void)
{
    int one = 1;

    CHECK_OK(MPI_Send(&one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
}

/* Until the callback has run; calls no function. */
static void compute(int until)
{
    while (ran < until)
        ;
}

static void doze(void)
{
    struct timespec long_time = {100, 0};

    while (ran < 4)
        nanosleep(&long_time, NULL);
}

/* The read is restarted by the kernel, and ends when the callback has written. */
static int ends[2];

static void on_alarm_write(MPI_Group sender, int key, const void *data, int bytes, void *of)
{
    on_notify(sender, key, data, bytes, of);
    CHECK(write(ends[1], "x", 1) == 1);
}

static void read_until_notified(void)
{
    char byte;

    CHECK(pipe(ends) == 0);
    CHECK_OK(MPIX_Notify_register(KEY, on_alarm_write, &state));
    say();
    CHECK(read(ends[0], &byte, 1) == 1 && ran == 3);
    CHECK_OK(MPIX_Notify_register(KEY, on_notify, &state));
}

static void poll_until_notified(void)
{
    int flag;

    while (ran < 5)
        CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, 5, own, &flag, MPI_STATUS_IGNORE));
}

/* More than fits between the two processes, while this one does not look. */
static void take_many(void)
{
    int all = last + MANY;

    CHECK_OK(MPIX_Notify_register(OTHER, on_one_of_many, NULL));
    while (*(volatile int *)&last < all)
        ;
    CHECK_OK(MPIX_Notify_unregister(OTHER));
    CHECK_CLASS(MPIX_Notify_unregister(OTHER), MPI_ERR_ARG);
}

static void hold(void)
{
    double end;

    CHECK_OK(MPIX_Notify_hold());
    say();
    for (end = MPI_Wtime() + 0.05; MPI_Wtime() < end;)
        CHECK(ran == 5);
    CHECK_OK(MPIX_Notify_release());
    compute(6);
    CHECK_CLASS(MPIX_Notify_release(), MPI_ERR_OTHER);
}

static void notified(void)
{
    int one;

    CHECK_OK(MPIX_Notify_register(KEY, on_notify, &state));
    CHECK_OK(MPI_Recv(&one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(ran == 1);
    say();
    compute(2);
    read_until_notified();
    say();
    doze();
    say();
    poll_until_notified();
    take_many();
    hold();
    CHECK_OK(MPIX_Notify_unregister(KEY));
}

static void check_arguments(void)
{
    char much[MPIX_NOTIFY_MAX + 1] = {0};
    int sent;

    CHECK_CLASS(MPIX_Notify(MPI_GROUP_NULL, 0, KEY, NULL, 0, &sent), MPI_ERR_GROUP);
    CHECK_CLASS(MPIX_Notify(world, size, KEY, NULL, 0, &sent), MPI_ERR_RANK);
    CHECK_CLASS(MPIX_Notify(world, -1, KEY, NULL, 0, &sent), MPI_ERR_RANK);
    CHECK_CLASS(MPIX_Notify(world, 0, KEY, NULL, 1, &sent), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Notify(world, 0, KEY, much, sizeof(much), &sent), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Notify(world, 0, KEY, NULL, 0, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Notify_register(KEY, NULL, NULL), MPI_ERR_ARG);
}

static void on_own(MPI_Group sender, int key, const void *data, int bytes, void *of)
{
    CHECK(sender_rank(sender) == rank && key == -3 && bytes == 2 && !memcmp(data, "me", 2));
    (*(int *)of)++;
}

/* To itself; what comes before the registration runs at the registration. */
static void notify_oneself(void)
{
    int sent, times = 0;

    CHECK_OK(MPIX_Notify(world, rank, -3, "me", 2, &sent));
    CHECK_OK(MPIX_Notify_register(-3, on_own, &times));
    CHECK(times == 1);
    CHECK_OK(MPIX_Notify(world, rank, -3, "me", 2, &sent));
    CHECK(sent == 1 && times == 2);
    CHECK_OK(MPIX_Notify_unregister(-3));
}

int main(int argc, char **argv)
{
    CHECK_OK(MPI_Init(&argc, &argv));
    know_rank();
    return_errors();
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &own));
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    check_arguments();
    notify_oneself();
    if (rank == 0)
        notifier();
    else if (rank == 1)
        notified();
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        printf("notified in 7 ways\n");
    CHECK_OK(MPI_Group_free(&world));
    CHECK_OK(MPI_Comm_free(&own));
    return MPI_Finalize();
}
