/* SPDX-License-Identifier: BSD-3-Clause */
/* Several threads accept at one port, and others at ports of their own, while threads of other processes connect: each
 * guest gets one host. */
/* RUN: -n 2 */
/* RUN: -n 4 ; time 60 */
/* RUN: -n 3 ; set MACHINES=2 ; time 60 */
/* RUN: -n 3 ; set COLL_SHM=0 ; set AGREE_SHM=0 ; time 60 */
#include "common.h"

#include <pthread.h>

#define THREADS_N 4
#define ROUNDS    10

static char port[THREADS_N][MPI_MAX_PORT_NAME];
static MPI_Comm
    own[THREADS_N]; /* of each thread: a communicator must not have two collective calls at once */
static int met[THREADS_N]; /* as hosts: how many guests */

/* The threads 0 and 1 use one port. */
static char *port_of(int i)
{
    return port[i < 2 ? 0 : i];
}

static void talk(MPI_Comm inter, int mine, int *theirs_p)
{
    CHECK_OK(MPI_Sendrecv(&mine, 1, MPI_INT, 0, 0, theirs_p, 1, MPI_INT, 0, 0, inter,
                          MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Comm_disconnect(&inter));
}

static void *host(void *arg)
{
    int i = (int)(intptr_t)arg, guest;
    MPI_Comm inter;

    for (int k = 0; k < ROUNDS * (size - 1); k++) {
        CHECK_OK(MPI_Comm_accept(port_of(i), MPI_INFO_NULL, 0, own[i], &inter));
        talk(inter, i, &guest);
        CHECK(i < 2 ? guest < 2 : guest == i);
        met[i]++;
    }
    return NULL;
}

static void *visit(void *arg)
{
    int i = (int)(intptr_t)arg, other;
    MPI_Comm inter;

    for (int k = 0; k < ROUNDS; k++) {
        CHECK_OK(MPI_Comm_connect(port_of(i), MPI_INFO_NULL, 0, own[i], &inter));
        talk(inter, i, &other);
        CHECK(i < 2 ? other < 2 : other == i);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS_N];
    int level;

    CHECK_OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level));
    know_rank();
    return_errors();
    for (int i = 0; i < THREADS_N; i++)
        CHECK_OK(MPI_Comm_dup(MPI_COMM_SELF, &own[i]));
    for (int i = 0; i < THREADS_N && rank == 0; i++)
        CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port[i]));
    CHECK_OK(MPI_Bcast(port, sizeof(port), MPI_CHAR, 0, MPI_COMM_WORLD));
    for (int i = 0; i < THREADS_N; i++)
        CHECK(!pthread_create(&t[i], NULL, rank == 0 ? host : visit, (void *)(intptr_t)i));
    for (int i = 0; i < THREADS_N; i++)
        CHECK(!pthread_join(t[i], NULL));
    for (int i = 0; i < THREADS_N; i++) {
        CHECK_EQ(met[i], rank == 0 ? ROUNDS * (size - 1) : 0);
        CHECK_OK(MPI_Comm_free(&own[i]));
        if (rank == 0)
            CHECK_OK(MPI_Close_port(port[i]));
    }
    return finish();
}
