/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that only sends small messages, for which there is room, waits for nothing.  It
 * learns of its receiver's death with its next call all the same.
 *
 *   rank 0    sends, it succeeds │ outside of MPI                │ sends: MPI_ERR_PROC_FAILED
 *   rank 1    outside of MPI     │ dies                          │
 *   rank 2    receives from rank 1 ... MPI_ERR_PROC_FAILED ──────┘ the agent has told rank 0 before
 *
 *   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED
 *   S0-56: a process that communicates with a dead one learns of the death */
/* RUN: -n 3 ; args send ; expect "rank 0 ok" ; expect "rank 2 ok" */
/* RUN: -n 3 ; args isend ; expect "rank 0 ok" ; expect "rank 2 ok" */
/* RUN: -n 3 ; args bsend ; expect "rank 0 ok" ; expect "rank 2 ok" */
/* RUN: -n 3 ; args threads ; expect "rank 0 ok" ; expect "rank 2 ok" */
#include "../common.h"

enum { SENT, KNOWN };

static const char *how;

static int send_one(void)
{
    static char room[MPI_BSEND_OVERHEAD + 64];
    double v = 1;
    MPI_Request r;
    int err = MPI_SUCCESS;

    if (!strcmp(how, "isend")) {
        MPI_Isend(&v, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &r);
        return MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    if (strcmp(how, "bsend") != 0)
        return MPI_Send(&v, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    MPI_Buffer_attach(room, sizeof room);
    err = MPI_Bsend(&v, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    MPI_Buffer_detach(&(void *){NULL}, &(int){0});
    return err;
}

static void send_again(void)
{
    CHECK_EQ(send_one(), MPI_SUCCESS);
    post(SENT);
    await(KNOWN, 1);
    CHECK_CLASS(send_one(), MPI_ERR_PROC_FAILED);
}

static void hear(void)
{
    int v;

    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);
    post(KNOWN);
}

static void start_with_threads(int *argc, char ***argv)
{
    int provided;

    set_watchdog();
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    after_init();
}

int main(int argc, char **argv)
{
    how = argv[1];
    if (!strcmp(how, "threads"))
        start_with_threads(&argc, &argv);
    else
        start(&argc, &argv);
    if (rank == 1) {
        await(SENT, 1);
        die_now();
    }
    if (rank == 0)
        send_again();
    else
        hear();
    return finish();
}
