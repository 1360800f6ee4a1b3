/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives are in progress on many communicators when a process dies that is a member of
 * most of them.  Each collective with the dead process ends, with PROC_FAILED if the process had not begun it, even if a
 * member waits for a survivor that has given up; those on other communicators succeed.
 * The test waits for each, or for all of them together.
 *
 *     args VICTIM wait|waitall      the victim has begun every other one
 *
 *   S0-10: an operation without a dead process never reports a failure
 *   S0-16: the completion call reports the failure
 *   S0-27: a collective that a death prevents ends with PROC_FAILED
 *
 * RUN: -n 2 ; args 1 wait ; expect "rank 0 ok"
 * RUN: -n 3 ; args 0 waitall ; expect "rank 1 ok"
 * RUN: -n 8 ; args 3 wait ; expect "rank 0 ok" ; expect "rank 7 ok"
 * RUN: -n 8 ; args 0 waitall ; expect "rank 1 ok" ; expect "rank 7 ok"
 * RUN: -n 16 ; args 15 wait ; expect "rank 0 ok" ; expect "rank 14 ok" */
#include "../common.h"

enum { BEGUN };
enum { MANY = 12 };

static MPI_Comm with[MANY], rest;
static MPI_Request q[MANY + 1];
static MPI_Status s[MANY + 1];
static int in[MANY + 1], out[MANY + 1][16];

static void begin(int i)
{
    in[i] = i + 1;
    if (i % 3 == 0)
        CHECK_EQ(MPI_Ibarrier(with[i], &q[i]), MPI_SUCCESS);
    else if (i % 3 == 1)
        CHECK_EQ(MPI_Iallreduce(&in[i], out[i], 1, MPI_INT, MPI_SUM, with[i], &q[i]), MPI_SUCCESS);
    else
        CHECK_EQ(MPI_Iallgather(&in[i], 1, MPI_INT, out[i], 1, MPI_INT, with[i], &q[i]),
                 MPI_SUCCESS);
}

static void check(int i, int class)
{
    if (i % 2) /* the victim never began it */
        CHECK_EQ(class, MPI_ERR_PROC_FAILED);
    else
        CHECK(class == MPI_SUCCESS || class == MPI_ERR_PROC_FAILED);
    if (class == MPI_SUCCESS && i % 3 == 1)
        CHECK_EQ(out[i][0], size * (i + 1));
    if (class == MPI_SUCCESS && i % 3 == 2)
        CHECK_EQ(out[i][size - 1], i + 1);
}

static void wait_each(void)
{
    for (int i = MANY - 1; i >= 0; i--)
        check(i, class_of(MPI_Wait(&q[i], &s[i])));
    CHECK_EQ(MPI_Wait(&q[MANY], &s[MANY]), MPI_SUCCESS);
}

/* MPI_Waitall does not wait for the last one when others have failed. */
static void wait_all(void)
{
    CHECK_EQ(MPI_Waitall(MANY + 1, q, s), MPI_ERR_IN_STATUS);
    for (int i = 0; i < MANY; i++)
        check(i, s[i].MPI_ERROR == MPI_ERR_PENDING ? class_of(MPI_Wait(&q[i], MPI_STATUS_IGNORE))
                                                   : class_of(s[i].MPI_ERROR));
    CHECK_EQ(MPI_Wait(&q[MANY], MPI_STATUS_IGNORE), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    int victim, v = 1, sum = 0;

    start(&argc, &argv);
    victim = atoi(argv[1]);
    for (int i = 0; i < MANY; i++)
        CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &with[i]), MPI_SUCCESS);
    MPI_Comm_split(MPI_COMM_WORLD, rank == victim, rank, &rest);
    for (int i = 0; i < MANY; i++)
        if (rank != victim || i % 2 == 0)
            begin(i);
    if (rank == victim) {
        await(BEGUN, size - 1);
        die_now();
    }
    CHECK_EQ(MPI_Iallreduce(&v, &sum, 1, MPI_INT, MPI_SUM, rest, &q[MANY]), MPI_SUCCESS);
    post(BEGUN);
    if (!strcmp(argv[2], "wait"))
        wait_each();
    else
        wait_all();
    CHECK_EQ(sum, size - 1);
    return finish();
}
