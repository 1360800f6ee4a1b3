/* SPDX-License-Identifier: BSD-3-Clause */
/* inter.c – for the simulator: recovery on an intercommunicator.  Rounds of collectives and splits; a rank that
 * gets an error revokes; both groups agree on whether all finished the round, and shrink if not, until
 * ROUNDS rounds are done or one side is empty (R4).
 *
 * Shows, killed at every yield: S0-31, S0-57, S0-72, S0-74, S0-92, S2-5: every call returns, results are
 * right, both groups agree.
 *
 *   R4: shrinking an intercommunicator with one group all dead gives MPI_COMM_NULL
 *   S0-31: on an intercommunicator such a collective fails at all if a member of the other group died before it
 *   S0-57: a revocation reaches all members, in both groups
 *   S0-72: shrink makes an intercommunicator from an intercommunicator, else an intracommunicator
 *   S0-74: shrink never fails because of a death or a revocation
 *   S0-92: on an intercommunicator each group gets the AND of the other one
 *   S2-5: creation is uniform: at all survivors or at none */
#include <mpi.h>
#include <mpi-ext.h>

#define ROUNDS 2

static int allowed(int err)
{
    return err == MPI_SUCCESS || err == MPIX_ERR_PROC_FAILED || err == MPIX_ERR_REVOKED;
}

/* Everybody of a part can talk to the other side of it. */
static int split(MPI_Comm c, int rank)
{
    MPI_Comm part = MPI_COMM_NULL;
    int err = MPI_Comm_split(c, rank % 2, -rank, &part), one = 1, sum = 0, n;

    if (err || part == MPI_COMM_NULL)
        return err;
    MPI_Comm_remote_size(part, &n);
    err = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, part);
    MPI_Comm_free(&part);
    return err ? err : sum == n ? MPI_SUCCESS : -1;
}

/* From rank 0 of one side to the other side, then back. */
static int there_and_back(MPI_Comm c, int upper, int rank)
{
    int err = MPI_SUCCESS;

    for (int turn = 0; turn < 2 && !err; turn++) {
        int mine = turn == upper, value = mine ? 40 + turn : 0;
        int root = !mine ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;

        err = MPI_Bcast(&value, 1, MPI_INT, root, c);
        if (!err && value != 40 + turn)
            return -1;
    }
    return err;
}

static int one_round(MPI_Comm c, int upper)
{
    int rank, there, one = 1, sum = 0, err;

    MPI_Comm_rank(c, &rank);
    MPI_Comm_remote_size(c, &there);
    err = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c);
    if (!err && sum != there)
        return -1;
    if (!err)
        err = there_and_back(c, upper, rank);
    if (!err)
        err = split(c, rank);
    return err ? err : MPI_Barrier(c);
}

/* Both groups: did all finish it?  First each group by itself, so that all its members tell the other one the same,
 * whichever of them die; because on an intercommunicator a member does not get the values of its own group. */
static int all_did(MPI_Comm c, MPI_Comm local, int ok, int *all)
{
    int theirs;

    if (MPI_Comm_agreement(local, &ok) != MPI_SUCCESS)
        return 0;
    theirs = ok;
    if (MPI_Comm_agreement(c, &theirs) != MPI_SUCCESS)
        return 0;
    *all = ok && theirs;
    return 1;
}

int main(int argc, char **argv)
{
    MPI_Comm local, c, next;
    int rank, size, upper, err, all = 0, done = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    upper = rank >= size / 2;
    err = MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &local);
    if (!err)
        err = MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, upper ? 0 : size / 2, 0, &c);
    if (err) /* uniform: nobody has it */
        done = err == MPIX_ERR_PROC_FAILED ? ROUNDS : -1;
    while (0 <= done && done < ROUNDS) {
        err = one_round(c, upper);
        if (!allowed(err))
            return 1;
        if (err)
            MPIX_Comm_revoke(c);
        if (!all_did(c, local, !err, &all))
            return 2;
        if (all) {
            done++;
            continue;
        }
        if (MPIX_Comm_shrink(c, &next) != MPI_SUCCESS)
            return 3;
        if (next == MPI_COMM_NULL)
            break;
        c = next;
    }
    if (done < 0)
        return 4;
    MPI_Finalize();
    return 0;
}
