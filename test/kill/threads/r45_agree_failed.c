/* SPDX-License-Identifier: BSD-3-Clause */
/* Each thread agrees on failures on a communicator of its own, with the threads of the same number of the other processes,
 * while ranks die.  Each survivor gets the same groups, and finds them in what it knows.
 *
 *   R45: the agreed group holds what any participant had recorded; nothing is acknowledged
 *
 * RUN: -n 4 ; kill 1 at agree.enter#20 ; expect "rank 3 ok" ; times 3
 * RUN: -n 4 ; kill 0 at agree.done#9 ; kill 3 at agree.enter#25 ; expect "rank 2 ok" ; times 3
 * RUN: -n 4 ; set AGREE_SHM=0 ; kill 0 at agree.sent.down#12 ; kill 2 at agree.done#20 ; expect "rank 3 ok" ; times 3
 * RUN: -n 4 ; set MACHINES=2 ; kill 0 at agree.decided#10 ; expect "rank 3 ok" ; times 3 */
#include "../common.h"

#include <pthread.h>

enum { THREADS = 3, ROUNDS = 15, FIRST = 100 };

static MPI_Comm comms[THREADS];

/* The size says which: each group holds those of the rounds before. */
static int size_of(MPI_Group g)
{
    int n;

    MPI_Group_size(g, &n);
    return n;
}

static MPI_Group ask(MPI_Comm c, bool later)
{
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Group g;

    if (later)
        CHECK_OK(MPIX_Comm_iagree_failed(c, &g, &r));
    else
        CHECK_OK(MPIX_Comm_agree_failed(c, &g));
    CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    return g;
}

static void check_known(MPI_Comm c, MPI_Group agreed)
{
    MPI_Group known, others;

    CHECK_OK(MPIX_Comm_get_failed(c, &known));
    MPI_Group_difference(agreed, known, &others);
    CHECK(others == MPI_GROUP_EMPTY);
    MPI_Group_free(&known);
}

static void *run(void *arg)
{
    int me = (int)(intptr_t)arg, last = 0, none;

    for (int round = 0; round < ROUNDS; round++) {
        MPI_Group g = ask(comms[me], (round + me) % 2);
        int n = size_of(g);

        CHECK(n >= last);
        last = n++;
        none = 0;
        if (!__atomic_compare_exchange_n(&board[FIRST + me * ROUNDS + round], &none, n, false,
                                         __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            CHECK_EQ(none, n);
        check_known(comms[me], g);
        MPI_Group_free(&g);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    int provided;

    set_watchdog();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    after_init();
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
    for (intptr_t i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&thread[i], NULL, run, (void *)i));
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return finish();
}
