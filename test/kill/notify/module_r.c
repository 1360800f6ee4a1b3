/* SPDX-License-Identifier: BSD-3-Clause */
/* module_r.c – see module_r.h.  It is compiled by itself, uses MPI as any library does, and no error handler: s1_04_compiled_apart.sh
 * looks at its object.
 *
 * RUN: none */
#include "module_r.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int calls; /* memory of its own: goes back with the rest of the process */

int r_calls(void)
{
    return calls;
}

static int sleep_until(const volatile int *go)
{
    struct timespec nap = {0, 10000000};

    while (!*go)
        if (nanosleep(&nap, NULL) != 0 && errno != EINTR)
            abort();
    return 3;
}

int r_work(MPI_Comm comm, int how, const volatile int *go, int fd)
{
    int number = 0, sum = 0;
    char byte = 0;

    calls++;
    switch (how) {
    case R_RECEIVES:
        MPI_Recv(&number, 1, MPI_INT, 1, 5, comm, MPI_STATUS_IGNORE);
        return number;
    case R_COMPUTES:
        while (!*go)
            ;
        return 2;
    case R_SLEEPS:
        return sleep_until(go);
    case R_READS:
        return read(fd, &byte, 1) == 1 ? byte : -1;
    default:
        number = 2;
        MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, comm);
        return sum;
    }
}

int r_finish(MPI_Comm comm, int how, volatile int *go, int fd)
{
    int number = 1, sum = 0;
    char byte = 4;

    calls++;
    switch (how) {
    case R_RECEIVES:
        MPI_Send(&number, 1, MPI_INT, 0, 5, comm);
        return 1;
    case R_COMPUTES:
    case R_SLEEPS:
        *go = 1;
        return how == R_COMPUTES ? 2 : 3;
    case R_READS:
        return write(fd, &byte, 1) == 1 ? 4 : -1;
    default:
        number = 3;
        MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, comm);
        return sum;
    }
}
