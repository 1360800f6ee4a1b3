/* SPDX-License-Identifier: BSD-3-Clause */
/* Two processes that do nothing but exchange small messages keep nobody else waiting: a large message
 * to a third process arrives meanwhile, and what it sends back is heard (MPI-5.0 3.5, progress).
 *
 * It can fail only where each of the three has a core: with fewer cores a receive does not stay with
 * one peer.
 *
 *     0 ──large──> 2 ──"it came"──> 1        0 <──ping-pong until 1 has heard──> 1 */
/* RUN: -n 3 */
/* RUN: -n 3 ; set SINGLE_COPY=never */
#include "common.h"

#define LARGE (3 << 20)

enum { PING = 1, DATA, CAME };

static void zero(void)
{
    unsigned char *data = malloc(LARGE);
    MPI_Request r;
    int go_on = 1;

    fill(data, LARGE, 7);
    MPI_Isend(data, LARGE, MPI_BYTE, 2, DATA, MPI_COMM_WORLD, &r);
    while (go_on) {
        MPI_Send(&go_on, 1, MPI_INT, 1, PING, MPI_COMM_WORLD);
        MPI_Recv(&go_on, 1, MPI_INT, 1, PING, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    free(data);
}

static void one(void)
{
    int came = 0, go_on = 1, word;
    MPI_Request r;

    MPI_Irecv(&word, 1, MPI_INT, 2, CAME, MPI_COMM_WORLD, &r);
    while (go_on) {
        MPI_Recv(&word, 1, MPI_INT, 0, PING, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Request_get_status(r, &came, MPI_STATUS_IGNORE);
        go_on = !came;
        MPI_Send(&go_on, 1, MPI_INT, 0, PING, MPI_COMM_WORLD);
    }
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void two(void)
{
    unsigned char *data = malloc(LARGE);
    int came = 1;

    MPI_Recv(data, LARGE, MPI_BYTE, 0, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(wrong(data, LARGE, 7), -1);
    MPI_Send(&came, 1, MPI_INT, 1, CAME, MPI_COMM_WORLD);
    free(data);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (rank == 0)
        zero();
    else if (rank == 1)
        one();
    else
        two();
    return finish();
}
