/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.c – each rank sends large messages to each other one, with more ranks than cores (on two).
 *
 * Where all wait in MPI the messages go in fragments that both ends copy.  A sender that computes is not needed for that:
 * then the receives of rank 0 end although no other rank calls MPI before they have.
 *
 * RUN: -n 5 ; expect "all came" ; time 60
 * RUN: -n 9 ; args 300000 ; expect "all came" ; time 60 */
#include "common.h"

#include <unistd.h>

#define BYTES_MAX (2 << 20)
#define RANKS     9
#define ROUNDS    4

static unsigned char *in, *out;
static MPI_Request request[2 * RANKS];
static char name[] = "/tmp/mend-exchange-XXXXXX";

static void write_message(int bytes, int round)
{
    fill(out, (size_t)bytes, (unsigned)(rank * ROUNDS + round));
}

static void check_message(int from, int bytes, int round)
{
    CHECK_EQ(wrong(in + (size_t)from * BYTES_MAX, (size_t)bytes, (unsigned)(from * ROUNDS + round)),
             -1);
}

static int receive_from_all(int bytes)
{
    int n = 0;

    for (int i = 1; i < size; i++) {
        int from = (rank + size - i) % size;

        MPI_Irecv(in + (size_t)from * BYTES_MAX, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD,
                  &request[n++]);
    }
    return n;
}

static void exchange(int bytes, int round)
{
    int n = receive_from_all(bytes);

    write_message(bytes, round);
    for (int i = 1; i < size; i++)
        MPI_Isend(out, bytes, MPI_BYTE, (rank + i) % size, 0, MPI_COMM_WORLD, &request[n++]);
    MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
    for (int from = 0; from < size; from++)
        if (from != rank)
            check_message(from, bytes, round);
}

/* Rank 0 removes the file when it has everything, which is what the others wait for outside MPI. */
static void gather_from_ranks_that_compute(int bytes)
{
    write_message(bytes, 0);
    if (rank == 0) {
        MPI_Waitall(receive_from_all(bytes), request, MPI_STATUSES_IGNORE);
        unlink(name);
        for (int from = 1; from < size; from++)
            check_message(from, bytes, 0);
        return;
    }
    MPI_Isend(out, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, request);
    while (access(name, F_OK) == 0)
        usleep(1000);
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int bytes, file;

    start(&argc, &argv);
    bytes = argc > 1 ? atoi(argv[1]) : BYTES_MAX - 77;
    in = calloc((size_t)size, BYTES_MAX);
    out = calloc(1, BYTES_MAX);
    CHECK(in && out && size <= RANKS);
    for (int round = 0; round < ROUNDS; round++)
        exchange(bytes - round * 4099, round);
    if (rank == 0) {
        file = mkstemp(name);
        CHECK(file >= 0);
        close(file);
    }
    MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, MPI_COMM_WORLD);
    gather_from_ranks_that_compute(bytes);
    if (rank == 0)
        puts("all came");
    free(in);
    free(out);
    return finish();
}
