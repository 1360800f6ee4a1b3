/* SPDX-License-Identifier: BSD-3-Clause */
/* shrinks.c – for the simulator: S0-72..S0-80.  Three shrinks of one communicator under way at once, with
 * agreements between them, on one that is invalid; and on one that overlaps with it (all but rank 0 of the
 * first), begun before the others are done.
 *
 * Killed anywhere: each returns a communicator; on each all living members see the same members, in the old
 * order, which contains themselves, and no rank that one of them knew to be dead when it began; and
 * a rank that sees a death on it can shrink it again, and it gets smaller.
 *
 *   S0-72: shrink makes an intercommunicator from an intercommunicator, else an intracommunicator
 *   S0-73: the shrink of 2012 refuses a communicator that is not revoked
 *   S0-74: shrink never fails because of a death or a revocation
 *   S0-75: all survivors get the same group from shrink
 *   S0-76: shrink leaves out every process whose failure a caller had been told of
 *   S0-77: shrink keeps the order of ranks
 *   S0-78: shrink leaves out the failed and keeps the callers
 *   S0-79: the new communicator may contain a process that died meanwhile
 *   S0-80: the new communicator sees no message and no revocation of the old one */
#include "uniform.h"

#define MANY 3

/* The members as bits of ranks in `from`; -1: out of order, or I am not there. */
static int members(MPI_Comm c, MPI_Comm from)
{
    MPI_Group mine, all;
    int n, me, before = -1, there = 0, bits = 0;

    MPI_Comm_group(c, &mine);
    MPI_Comm_group(from, &all);
    MPI_Comm_size(c, &n);
    MPI_Comm_rank(from, &me);
    for (int i = 0; i < n; i++) {
        int r;

        MPI_Group_translate_ranks(mine, 1, &i, all, &r);
        if (r <= before)
            bits = -1;
        before = r;
        there |= r == me;
        bits |= 1 << r;
    }
    MPI_Group_free(&mine);
    MPI_Group_free(&all);
    return there ? bits : -1;
}

/* The members that I am told are dead, as bits. */
static int dead_of(MPI_Comm c)
{
    MPI_Group dead, all;
    int n, bits = 0;

    MPI_Comm_failure_ack(c);
    MPI_Comm_failure_get_acked(c, &dead);
    MPI_Comm_group(c, &all);
    MPI_Group_size(dead, &n);
    for (int i = 0; i < n; i++) {
        int r;

        MPI_Group_translate_ranks(dead, 1, &i, all, &r);
        bits |= 1 << r;
    }
    MPI_Group_free(&dead);
    MPI_Group_free(&all);
    return bits;
}

/* Everybody in it sees the same members, and it works unless one of them is dead. */
static int good(MPI_Comm c, MPI_Comm from)
{
    int bits = members(c, from), one = 1, sum = 0, n, err;
    MPI_Comm next;

    MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
    MPI_Comm_size(c, &n);
    if (bits < 0 || !uniform(c, bits))
        return 0;
    err = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c);
    if (err != MPI_SUCCESS && err != MPIX_ERR_PROC_FAILED)
        return 0;
    if (!err && sum != n)
        return 0;
    if (MPIX_Comm_shrink(c, &next) != MPI_SUCCESS) /* somebody may have got an error */
        return 0;
    if (next == MPI_COMM_NULL) /* I am taken for dead */
        return 0;
    bits = members(next, c);
    MPI_Comm_free(&next);
    return bits > 0 && (!err || bits != (1 << n) - 1);
}

/* Returns the members that are known to be dead, -1: something is wrong. */
static int start(MPI_Comm c, MPI_Comm *made, MPI_Request *q, int *flag, MPI_Request *vote)
{
    int dead = dead_of(c);

    for (int i = 0; i < MANY; i++) {
        flag[i] = 1;
        if (MPI_Comm_ishrink(c, &made[i], &q[i]) != MPI_SUCCESS ||
            MPI_Icomm_agreement(c, &flag[i], &vote[i]) != MPI_SUCCESS)
            return -1;
    }
    return dead;
}

static int finish(MPI_Comm c, int dead, MPI_Comm *made, MPI_Request *q, int *flag,
                  MPI_Request *vote)
{
    for (int i = MANY; i-- > 0;)
        if (MPI_Wait(&q[i], MPI_STATUS_IGNORE) != MPI_SUCCESS || made[i] == MPI_COMM_NULL)
            return 0;
    for (int i = 0; i < MANY; i++) {
        int bits = members(made[i], c);

        if (MPI_Wait(&vote[i], MPI_STATUS_IGNORE) != MPI_SUCCESS || flag[i] != 1)
            return 0;
        if (bits < 0 || bits & dead)
            return 0;
    }
    for (int i = 0; i < MANY; i++)
        if (!good(made[i], c))
            return 0;
    return 1;
}

int main(int argc, char **argv)
{
    MPI_Comm high = MPI_COMM_NULL, made[2][MANY];
    MPI_Request q[2][MANY], vote[2][MANY];
    int rank, err, bad = 0, dead[2] = {0}, flag[2][MANY];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    err = MPI_Comm_split(MPI_COMM_WORLD, rank ? 0 : MPI_UNDEFINED, rank, &high);
    if (rank == 1)
        MPIX_Comm_revoke(MPI_COMM_WORLD);
    if (err && err != MPIX_ERR_PROC_FAILED && err != MPIX_ERR_REVOKED)
        bad = 1;
    dead[0] = start(MPI_COMM_WORLD, made[0], q[0], flag[0], vote[0]);
    if (high != MPI_COMM_NULL)
        dead[1] = start(high, made[1], q[1], flag[1], vote[1]);
    if (dead[0] < 0 || dead[1] < 0)
        bad = 2;
    if (!bad && !finish(MPI_COMM_WORLD, dead[0], made[0], q[0], flag[0], vote[0]))
        bad = 3;
    if (!bad && high != MPI_COMM_NULL && !finish(high, dead[1], made[1], q[1], flag[1], vote[1]))
        bad = 4;
    MPI_Finalize();
    return bad;
}
