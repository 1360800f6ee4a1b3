/* SPDX-License-Identifier: BSD-3-Clause */
/* The clocks of the machines differ by days.  A death on another machine has just happened, whichever way the clocks differ; and MPI does
 * not say that its clock is that of all.
 *
 *   S5-21: clocks of two nodes are never compared */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 ; kill 0 at in:MPI_Recv:1,2,3,4,5 ; expect "rank 2 ok" ; expect "rank 5 ok" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 ; kill 3 at in:MPI_Recv:0,1,2,4,5 ; expect "rank 0 ok" ; expect "rank 5 ok" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 ; kill 5 at in:MPI_Recv:0,1,2,3,4 ; expect "rank 0 ok" ; expect "rank 3 ok" */
#include "../kill/common.h"

#define LATER_S 0.3

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* "... was killed by signal 9, 12.3 ms ago" when this text was made: in seconds. */
static double age(const char *text)
{
    const char *at = strstr(text, " ago");
    char unit[3] = "";
    double n = -1;

    for (int words = 0; at && at > text && words < 2;)
        words += *--at == ' ';
    CHECK(at && sscanf(at, "%lf %2s", &n, unit) == 2);
    return n * (!strcmp(unit, "us") ? 1e-6 : !strcmp(unit, "ms") ? 1e-3 : 1);
}

static int receive(void)
{
    int word;

    return MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    char text[MPI_MAX_ERROR_STRING];
    int n, there, *global;
    double known;

    start(&argc, &argv);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &global, &there);
    CHECK(there && !*global);
    CHECK_CLASS(receive(), MPI_ERR_PROC_FAILED);
    known = seconds();
    while (seconds() < known + LATER_S)
        usleep(10000);
    MPI_Error_string(receive(), text, &n);
    if (age(text) < LATER_S || age(text) > seconds() - known + 5)
        printf("wrong: %s\n", text), abort();
    return finish();
}
