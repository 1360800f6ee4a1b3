/* SPDX-License-Identifier: BSD-3-Clause */
/* A message of twice the eager limit leaves for another node without a question: its send ends although the receiver is
 * outside of MPI. */
/* RUN: -n 2 ; set MACHINES=2 ; args 65536 ; expect "received 65536" */
/* RUN: -n 2 ; set MACHINES=2 ; set EAGER_MAX=1k ; args 2048 ; expect "received 2048" */
/* RUN: -n 2 ; set MACHINES=2 ; set EAGER_MAX=64k ; args 65536 ; expect "received 65536" */
#include "common.h"

#include <fcntl.h>
#include <unistd.h>

static unsigned char data[65536];

/* Once its send has ended rank 0 makes this file. */
static void file_of(char *path, size_t max)
{
    snprintf(path, max, "%s/sent", getenv("MEND_TEST_TMP"));
}

static void send_and_say(int bytes)
{
    char path[4096];

    file_of(path, sizeof(path));
    fill(data, (size_t)bytes, 1);
    MPI_Send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    close(open(path, O_CREAT | O_WRONLY, 0600));
}

static void receive_what_was_sent(int bytes)
{
    char path[4096];

    file_of(path, sizeof(path));
    while (access(path, F_OK) != 0)
        usleep(1000);
    MPI_Recv(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(wrong(data, (size_t)bytes, 1), -1);
    printf("received %d\n", bytes);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD); /* they are connected */
    if (rank == 0)
        send_and_say(atoi(argv[1]));
    else
        receive_what_was_sent(atoi(argv[1]));
    return finish();
}
