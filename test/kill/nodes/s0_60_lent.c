/* SPDX-License-Identifier: BSD-3-Clause */
/* A large message to another node is sent from where it lies.  When its send has ended with a revocation the program may unmap that
 * memory, although its receiver has read some of it only, and what the two send to each other later arrives whole.
 *
 *   S0-60: a revocation ends calls in progress */
/* RUN: -n 2 ; set MACHINES=2 ; expect "rank 0 ok" ; expect "rank 1 ok" */
/* RUN: -n 4 ; set MACHINES=2 ; expect "rank 0 ok" ; expect "rank 1 ok" */
#include "../common.h"

#include <sys/mman.h>

#define BYTES (32 << 20) /* more than both kernels keep */
#define AFTER 100001     /* bytes of the message behind it */

enum { BEGUN, REVOKED };

static MPI_Comm c;

static unsigned char *map(void)
{
    void *m = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(m != MAP_FAILED);
    return m;
}

static void send_and_revoke(int to)
{
    unsigned char *data = map();
    MPI_Request r;
    int done;

    memset(data, 1, BYTES);
    MPI_Isend(data, BYTES, MPI_BYTE, to, 0, c, &r);
    do
        CHECK_EQ(MPI_Test(&r, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
    while (!posted(BEGUN));
    for (int i = 0; i < 1000; i++) /* until the kernel takes no more */
        CHECK_EQ(MPI_Test(&r, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(!done);
    MPIX_Comm_revoke(c);
    CHECK_CLASS(MPI_Wait(&r, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    munmap(data, BYTES);
    post(REVOKED);
}

/* It is outside of MPI when it has the beginning, until the memory is gone. */
static void receive_some(int from)
{
    unsigned char *data = map();
    MPI_Request r;
    int done;

    MPI_Irecv(data, BYTES, MPI_BYTE, from, 0, c, &r);
    while (!*(volatile unsigned char *)data)
        CHECK_EQ(MPI_Test(&r, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
    post(BEGUN);
    await(REVOKED, 1);
    CHECK_CLASS(MPI_Wait(&r, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    munmap(data, BYTES);
}

static void exchange(int with)
{
    static unsigned char out[AFTER], in[AFTER];

    fill(out, AFTER, (unsigned)rank);
    MPI_Sendrecv(out, AFTER, MPI_BYTE, with, 1, in, AFTER, MPI_BYTE, with, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK_EQ(wrong(in, AFTER, (unsigned)with), -1);
}

int main(int argc, char **argv)
{
    int last;

    start(&argc, &argv);
    last = size - 1;
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    if (rank == 0)
        send_and_revoke(last);
    else if (rank == last)
        receive_some(0);
    if (rank == 0 || rank == last)
        exchange(last - rank);
    return finish();
}
