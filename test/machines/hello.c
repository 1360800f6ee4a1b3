/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks on machines that share no memory and no process numbers: each hears from each, and rank 0 knows the machine of each.
 *
 * Arguments: on how many machines they must be. */
/* RUN: -n 2 --machines 2 ; args 1 ; expect "2 ranks on 1 machines" ; expect "rank 1 ok" */
/* RUN: -n 8 --machines 3 ; args 1 ; expect "8 ranks on 1 machines" ; expect "rank 7 ok" */
/* RUN: -n 6 --hosts m1,m2,m3 ; args 3 ; expect "6 ranks on 3 machines" ; expect "rank 5 ok" */
/* RUN: -n 6 --hosts m1,m2-6,fd77::3 ; args 3 ; expect "6 ranks on 3 machines" ; expect "rank 5 ok" */
/* RUN: -n 6 --hosts m1,m2,m3 --interface 10.77.0.0/16 ; args 3 ; expect "6 ranks on 3 machines" ; expect "rank 5 ok" */
/* RUN: -n 6 --hosts m1,m2,m3 --interface fd77::/64 ; args 3 ; expect "6 ranks on 3 machines" ; expect "rank 5 ok" */
/* RUN: -n 6 --hosts m1,m2,m3 --port-range 5000:5001 ; args 3 ; expect "6 ranks on 3 machines" ; expect "rank 5 ok" */
/* RUN: -n 4 --hosts m2,m3 ; args 2 ; expect "4 ranks on 2 machines" ; expect "rank 3 ok" */
/* RUN: -n 2 --hosts m1,m2 ; args 2 ; expect "2 ranks on 2 machines" ; expect "rank 1 ok" */
/* RUN: -n 3 --hosts m1,m2,m3 ; args 3 ; expect "3 ranks on 3 machines" ; expect "rank 2 ok" */
/* RUN: -n 5 --hosts m1,m2,m3 ; args 3 ; expect "5 ranks on 3 machines" ; expect "rank 4 ok" */
/* RUN: -n 8 --hosts m1,m2,m3,m4 ; args 4 ; expect "8 ranks on 4 machines" ; expect "rank 7 ok" */
#include "../kill/common.h"

#define NAME_BYTES 64

static char names[64][NAME_BYTES];

static int machines(void)
{
    int n = 0;

    for (int i = 0; i < size; i++) {
        int j = 0;

        while (strcmp(names[i], names[j]) != 0)
            j++;
        n += i == j;
    }
    return n;
}

static void talk_to_each(void)
{
    for (int i = 1; i < size; i++) {
        int to = (rank + i) % size, from = (rank + size - i) % size, mine = 100 * rank + to,
            theirs = -1;

        MPI_Sendrecv(&mine, 1, MPI_INT, to, 0, &theirs, 1, MPI_INT, from, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        CHECK_EQ(theirs, 100 * from + rank);
    }
}

int main(int argc, char **argv)
{
    char name[NAME_BYTES] = "";

    start(&argc, &argv);
    CHECK(gethostname(name, sizeof(name) - 1) == 0);
    talk_to_each();
    MPI_Gather(name, NAME_BYTES, MPI_CHAR, names, NAME_BYTES, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%d ranks on %d machines\n", size, machines());
        CHECK_EQ(machines(), atoi(argv[1]));
    }
    return finish();
}
