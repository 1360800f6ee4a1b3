/* SPDX-License-Identifier: BSD-3-Clause */
/* Lost processes are replaced with standard calls: the survivors shrink, start as many as are missing, merge with them,
 * and sort everybody by the rank it has in the job's first communicator.  The newcomers take the ranks of the dead, but
 * are other processes.
 *
 * Arguments: how many victims, and their ranks.
 *
 *   S3-1: a failed process never returns under its identity */
/* RUN: -n 2 ; args 1 1 */
/* RUN: -n 4 ; args 1 2 */
/* RUN: -n 5 ; args 2 1 3 */
/* RUN: -n 8 ; args 3 0 4 7 */
/* RUN: -n 4 ; args 1 2 ; set MACHINES=2 */
/* RUN: -n 8 ; args 3 0 4 7 ; set MACHINES=3 */
/* RUN: -n 5 ; args 2 1 3 ; set COLL_SHM=0 ; set AGREE_SHM=0 */
#include "../common.h"

static MPI_Comm full;
static int number, full_n; /* the place of this process in the full communicator */

/* The ranks of the dead, in order; the survivors know them from the shrunken communicator. */
static int missing(MPI_Comm small, int *lost)
{
    int n, numbers[64], lost_n = 0, k = 0;

    MPI_Comm_size(small, &n);
    CHECK_EQ(MPI_Allgather(&number, 1, MPI_INT, numbers, 1, MPI_INT, small), MPI_SUCCESS);
    for (int r = 0; r < full_n; r++)
        if (k < n && numbers[k] == r)
            k++;
        else
            lost[lost_n++] = r;
    return lost_n;
}

/* Survivors and newcomers, by number. */
static void join(MPI_Comm inter, bool is_new)
{
    MPI_Comm all;

    CHECK_EQ(MPI_Intercomm_merge(inter, is_new, &all), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_split(all, 0, number, &full), MPI_SUCCESS);
    MPI_Comm_free(&all);
    MPI_Comm_free(&inter);
    MPI_Comm_set_errhandler(full, MPI_ERRORS_RETURN);
}

static void replace(char *program)
{
    char *argv[] = {"child", NULL};
    MPI_Comm small, inter;
    int lost[64], n, r;

    CHECK_EQ(MPIX_Comm_shrink(full, &small), MPI_SUCCESS);
    MPI_Comm_set_errhandler(small, MPI_ERRORS_RETURN);
    MPI_Comm_free(&full);
    n = missing(small, lost);
    CHECK_EQ(MPI_Comm_spawn(program, argv, n, MPI_INFO_NULL, 0, small, &inter, MPI_ERRCODES_IGNORE),
             MPI_SUCCESS);
    MPI_Comm_rank(small, &r);
    for (int i = 0; r == 0 && i < n; i++) {
        int say[2] = {lost[i], full_n};

        CHECK_EQ(MPI_Send(say, 2, MPI_INT, i, 0, inter), MPI_SUCCESS);
    }
    MPI_Comm_free(&small);
    join(inter, false);
}

static void begin_as_newcomer(MPI_Comm parent)
{
    int said[2];

    CHECK_EQ(MPI_Recv(said, 2, MPI_INT, 0, 0, parent, MPI_STATUS_IGNORE), MPI_SUCCESS);
    number = said[0];
    full_n = said[1];
    join(parent, true);
}

/* The full communicator is whole, and in the old order. */
static void check_full(void)
{
    int r, n, sum;

    MPI_Comm_rank(full, &r);
    MPI_Comm_size(full, &n);
    CHECK_EQ(r, number);
    CHECK_EQ(n, full_n);
    CHECK_EQ(MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, full), MPI_SUCCESS);
    CHECK_EQ(sum, full_n * (full_n - 1) / 2);
}

static void lose_and_replace(char **argv, bool victim)
{
    int err;

    if (victim)
        die_now();
    do /* a barrier that some have left before the death does not hold the others back */
        err = MPI_Barrier(full);
    while (!err);
    MPIX_Comm_revoke(full);
    replace(argv[0]);
    check_full();
}

int main(int argc, char **argv)
{
    MPI_Comm parent;

    start(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        begin_as_newcomer(parent);
        check_full();
    } else {
        bool victim = false;

        for (int i = 0; i < atoi(argv[1]); i++)
            victim |= atoi(argv[2 + i]) == rank;
        number = rank;
        full_n = size;
        CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &full), MPI_SUCCESS);
        lose_and_replace(argv, victim);
    }
    CHECK_EQ(MPI_Barrier(full), MPI_SUCCESS);
    MPI_Comm_free(&full);
    return finish();
}
