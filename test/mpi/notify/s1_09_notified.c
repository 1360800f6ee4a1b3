/* SPDX-License-Identifier: BSD-3-Clause */
/* s1_09_notified.c – a notification rolls back the memory of a process that computes.
 *
 * Rank 1 makes a safe point, as a module does when it is left, and works on: it changes its memory and calls MPI, and then
 * computes.  The callback that rank 0 asks for rolls back, several times; each time the memory is that of the safe point, and
 * messages and further notifications work as before.  In a callback that has interrupted an MPI call a roll-back is
 * refused, and so is a new safe point: rank 1 asks again if it was still in the call in which it has asked.
 *
 *   S1-3: a notification runs a registered callback at its target, with the caller's data
 *   S1-9: a roll-back restores the state of the safe point exactly
 *
 * RUN: -n 2 ; expect "rolled back 5 times"
 * RUN: -n 2 ; set SAFE_POINT=copy_back ; expect "rolled back 5 times"
 * RUN: -n 2 ; set MACHINES=2 ; expect "rolled back 5 times"
 *
 * On one core rank 0 often runs before rank 1 has left the call that woke it:
 * RUN: -n 2 ; args one_core ; expect "rolled back 5 times" ; times 3
 * RUN: -n 2 ; args one_core ; set SAFE_POINT=copy_back ; expect "rolled back 5 times" ; times 3 */
#include "../../one_core.h"

#include "../../program.h"

#include <stdlib.h>
#include <string.h>

#define KEY   1
#define TIMES 5
#define LARGE 300000

static MPI_Group world;
static char *heap;
static int counter;

/* The data is the value of the roll-back; 0: in an MPI call, where it is refused. */
static void on_notify(MPI_Group sender, int key, const void *data, int bytes, void *state)
{
    int value, depth;

    (void)sender, (void)key, (void)bytes;
    memcpy(&value, data, sizeof(value));
    CHECK_CLASS(MPIX_Safe_point_enter(&depth), MPI_ERR_OTHER);
    CHECK_CLASS(MPIX_Safe_point_roll_back(value ? value : 1), MPI_ERR_UNSUPPORTED_OPERATION);
    ++*(int *)state;
}

static void notify(int value)
{
    int sent;

    CHECK_OK(MPIX_Notify(world, 1, KEY, &value, sizeof(value), &sent));
}

static void notifier(void)
{
    int round = 0, last;

    while (round <= TIMES) {
        last = round;
        CHECK_OK(MPI_Recv(&round, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK(round == last || round == last + 1);
        notify(round <= TIMES ? round : 0);
    }
    CHECK_OK(MPI_Send(&round, 1, MPI_INT, 1, 1, MPI_COMM_WORLD));
}

/* Says which round it is, and never returns. */
static void work(int round, const volatile int *refused)
{
    counter++;
    memset(heap, 'x', LARGE);
    heap = realloc(heap, 2 * LARGE);
    for (int asked = 0;; counter += heap[0]) {
        if (asked > *refused)
            continue;
        asked = *refused + 1;
        CHECK_OK(MPI_Send(&round, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
    }
}

static void notified(void)
{
    int value, refused = 0, number;

    heap = malloc(LARGE);
    memset(heap, 'a', LARGE);
    counter = 42;
    CHECK_OK(MPIX_Notify_register(KEY, on_notify, &refused));
    CHECK_OK(MPIX_Safe_point_enter(&value));
    CHECK(counter == 42 && heap[0] == 'a' && heap[LARGE - 1] == 'a' && refused == 0);
    if (value < TIMES)
        work(value + 1, &refused);
    number = value + 1;
    CHECK_OK(
        MPI_Sendrecv_replace(&number, 1, MPI_INT, 0, 0, 0, 1, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE)); /* one call: the notification comes during it */
    CHECK_EQ(refused, 1);
    CHECK_OK(MPIX_Safe_point_commit());
    printf("rolled back %d times\n", value);
    free(heap);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        take_one_core();
    CHECK_OK(MPI_Init(&argc, &argv));
    know_rank();
    return_errors();
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    if (rank == 0)
        notifier();
    else
        notified();
    CHECK_OK(MPI_Group_free(&world));
    return MPI_Finalize();
}
