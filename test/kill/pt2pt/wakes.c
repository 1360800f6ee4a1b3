/* SPDX-License-Identifier: BSD-3-Clause */
/* No wake-up is lost: a rank goes to sleep, again and again, just when its message is sent.
 *
 *   receiver   says that it has the last one │ armed = 1 │ membarrier │ is there a frame? no │ sleeps
 *   sender     sees that, waits 0 to 2 us                │ publishes a frame │ armed? no: wakes nobody
 *
 * Each stores its own word and then loads the other's.  A processor lets such a load overtake the store; if
 * it does so on both sides neither sees the other.  The sender has no fence; the receiver's membarrier
 * (bell_arm() in node/bell.c) makes one on both sides.  Without it wake-ups are lost here wherever each
 * rank has a core; the sender waits for the receiver, so each of them lasts until SLEEP_MAX has ended two
 * sleeps.  Then mpiexec says so, and test/run fails: 7 to 48 times where this was tried, on two cores.
 *
 * RUN: -n 2 ; args 30000 ; set SPIN=0 ; set YIELD=0 ; set SLEEP_MAX=0.5 ; time 60 ; expect "rank 1 ok" */
#include "../common.h"

enum { RECEIVED };

static unsigned long seed = 1;

static void pause_a_little(void)
{
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    for (volatile unsigned long i = (seed >> 33) % 1500; i; i--)
        ;
}

/* Looks for a while, for the receiver may be about to sleep. */
static void await_receiver(int n)
{
    for (int i = 0; i < 2000 && posted(RECEIVED) < n; i++)
        ;
    await(RECEIVED, n);
}

static void send_all(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        CHECK_EQ(MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD), MPI_SUCCESS);
        await_receiver(i + 1);
        pause_a_little();
    }
}

/* From anybody: a receive from one rank looks for a while before it sleeps. */
static void receive_all(int rounds)
{
    int got = -1;

    for (int i = 0; i < rounds; i++) {
        CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
        CHECK_EQ(got, i);
        post(RECEIVED);
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (rank == 0)
        send_all(atoi(argv[1]));
    else
        receive_all(atoi(argv[1]));
    return finish();
}
