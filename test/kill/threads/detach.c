/* SPDX-License-Identifier: BSD-3-Clause */
/* Two threads wait for the messages of one buffer, and both detach it: one of them gets it, the other one
 * MPI_ERR_BUFFER.  Both waits end with the same message, and what the first thread frees the second one does not touch.
 *
 * RUN: -n 2 ; set EAGER_MAX=1k ; expect "rank 0 ok" ; expect "rank 1 ok" */
#include "kill/threads/threads.h"

#include <unistd.h>

#define ROUNDS 40

enum { IN_CALL };

static int detached; /* of two calls */
static char buffer[1 << 16], data[1 << 15];

static void *detach(void *arg)
{
    void *memory = NULL;
    int bytes = 0, err;

    (void)arg;
    post(IN_CALL);
    err = MPI_Buffer_detach(&memory, &bytes);
    CHECK(class_of(err) == MPI_SUCCESS || class_of(err) == MPI_ERR_BUFFER);
    if (err == MPI_SUCCESS) {
        CHECK(memory == buffer && bytes == sizeof buffer);
        __atomic_fetch_add(&detached, 1, __ATOMIC_SEQ_CST);
    }
    return NULL;
}

static void detach_often(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        if (rank == 0) {
            detached = 0;
            CHECK_EQ(MPI_Buffer_attach(buffer, sizeof buffer), MPI_SUCCESS);
            CHECK_EQ(MPI_Bsend(data, sizeof data, MPI_BYTE, 1, 0, MPI_COMM_WORLD), MPI_SUCCESS);
            run_threads(detach, 2);
            CHECK_EQ(detached, 1);
        } else {
            await_in_mpi(IN_CALL, 2 * (round + 1));
            usleep(2000); /* both may sleep by now */
            CHECK_EQ(MPI_Recv(data, sizeof data, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                     MPI_SUCCESS);
        }
    }
}

int main(int argc, char **argv)
{
    start_threaded(&argc, &argv, 1);
    detach_often();
    return finish();
}
