/* SPDX-License-Identifier: BSD-3-Clause */
/* s1_02_strangers.c – notifications between processes that have no usable communicator in common, and among threads.
 *
 *   revoked   all communicators of both are revoked, and rank 1 of three is dead
 *   threads   four threads of each process call MPI while all processes notify each other; the callbacks use MPI, too
 *
 *   S1-2: any process notifies any other that its participation is needed, without a matching call there
 *   S1-3: a notification runs a registered callback at its target, with the caller's data
 *
 * RUN: -n 3 ; args revoked ; kill 1 at call:MPI_Barrier#2 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 2 ; args threads ; expect "rank 0 ok" ; expect "rank 1 ok" ; times 3
 * RUN: -n 4 ; args threads ; expect "rank 0 ok" ; expect "rank 3 ok" ; times 3
 * RUN: -n 2 ; args single ; expect "rank 0 ok" ; expect "rank 1 ok" ; times 3
 * RUN: -n 2 ; args serialized ; expect "rank 0 ok" ; expect "rank 1 ok" */
#include "../common.h"

#include <pthread.h>

#define KEY     2
#define THREADS 4
#define MANY    300

static MPI_Group world;
static volatile int ran;
static volatile bool over;
static int from_each[16];

static void on_notify(MPI_Group sender, int key, const void *data, int bytes, void *state)
{
    int zero = 0, from, number, n;

    (void)key, (void)state;
    CHECK_EQ(bytes, (int)sizeof number);
    memcpy(&number, data, sizeof number);
    CHECK_OK(MPI_Group_translate_ranks(sender, 1, &zero, world, &from));
    CHECK_OK(MPI_Comm_size(MPI_COMM_SELF, &n));
    CHECK_EQ(number, ++from_each[from]);
    ran++;
}

static void notify(int target, int number)
{
    int sent = 0;

    CHECK_OK(MPIX_Notify(world, target, KEY, &number, sizeof number, &sent));
    CHECK_EQ(sent, 1);
}

static void revoked(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPIX_Comm_revoke(MPI_COMM_WORLD);
    while (!is_known_dead(MPI_COMM_WORLD, 1))
        ;
    notify(2 - rank, 1);
    while (!ran)
        ;
}

/* Messages to itself, until all is over. */
static void *send_and_receive(void *arg)
{
    int tag = (int)(intptr_t)arg, out = tag, in = -1;

    while (!over) {
        CHECK_OK(MPI_Sendrecv(&out, 1, MPI_INT, 0, tag, &in, 1, MPI_INT, 0, tag, MPI_COMM_SELF,
                              MPI_STATUS_IGNORE));
        CHECK_EQ(in, tag);
    }
    return NULL;
}

static void threads(bool several)
{
    pthread_t t[THREADS];

    for (intptr_t i = 0; several && i < THREADS; i++)
        CHECK(pthread_create(&t[i], NULL, send_and_receive, (void *)i) == 0);
    for (int i = 1; i <= MANY; i++)
        for (int r = 0; r < size; r++)
            notify(r, i);
    while (ran < MANY * size)
        ;
    post(0);
    await(0, size);
    over = true;
    for (int i = 0; several && i < THREADS; i++)
        pthread_join(t[i], NULL);
}

int main(int argc, char **argv)
{
    bool several = !strcmp(argv[1], "threads");
    int level;

    set_watchdog();
    MPI_Init_thread(&argc, &argv,
                    several                         ? MPI_THREAD_MULTIPLE
                    : strcmp(argv[1], "serialized") ? MPI_THREAD_SINGLE
                                                    : MPI_THREAD_SERIALIZED,
                    &level);
    after_init();
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK_OK(MPIX_Notify_register(KEY, on_notify, NULL));
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(argv[1], "revoked"))
        revoked();
    else
        threads(several);
    MPI_Group_free(&world);
    return finish();
}
