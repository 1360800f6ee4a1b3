/* SPDX-License-Identifier: BSD-3-Clause */
/* nodes.c – for the simulator, with --nodes: ranks die, nodes are lost, and two ranks of different nodes abort each other; the
 * survivors shrink again and again, and at last one of them revokes and leaves.
 *
 * After each call a rank that knows one of those that died together knows all of them; of these each shrink leaves out all or
 * none, and it leaves out the same at all; and nobody waits for ever for the revocation. The simulator's table of verdicts says
 * who died together.
 *
 *   S5-2: the loss of a node is one verdict over all its processes
 *   S5-9: decisions are uniform across nodes, in whatever order these learn of deaths
 *   S5-10: the victims of one abort on several nodes are one set */
#include "sim/job.h"
#include "uniform.h"

#include <mpi_ft.h>

#define ROUNDS 3

/* The members of a group as bits of ranks in MPI_COMM_WORLD.  Frees it. */
static unsigned bits_of(MPI_Group group)
{
    unsigned bits = 0;
    MPI_Group world;
    int n;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_size(group, &n);
    for (int i = 0, r; i < n; i++) {
        MPI_Group_translate_ranks(group, 1, &i, world, &r);
        bits |= 1u << r;
    }
    MPI_Group_free(&world);
    MPI_Group_free(&group);
    return bits;
}

static unsigned members_of(MPI_Comm comm)
{
    MPI_Group group;

    MPI_Comm_group(comm, &group);
    return bits_of(group);
}

static unsigned dead_of(MPI_Comm comm)
{
    MPI_Group group;

    MPIX_Comm_get_failed(comm, &group);
    return bits_of(group);
}

/* Of these members those that died together are all in the set, or none of them is. */
static int is_whole(unsigned set, unsigned members)
{
    const struct sim_verdict *v = sim_job->verdicts;

    for (int first = 0, k; first < sim_job->verdicts_n; first = k) {
        unsigned together = 0;

        for (k = first; k < sim_job->verdicts_n && v[k].death.first == (uint32_t)first; k++)
            together |= 1u << v[k].death.peer;
        together &= members;
        if (set & together && (set & together) != together)
            return 0;
    }
    return 1;
}

/* Two ranks, on different nodes if there are several.  MPI_COMM_NULL: this is not one of them, or there was a death before. */
static MPI_Comm make_pair(int rank, int size)
{
    MPI_Comm pair = MPI_COMM_NULL;
    int color = rank == 1 || rank == size - 1 ? 0 : MPI_UNDEFINED;

    if (MPI_Comm_split(MPI_COMM_WORLD, color, 0, &pair) != MPI_SUCCESS)
        return MPI_COMM_NULL;
    return pair;
}

/* A sum of ones, and what the last rank says; each is right if it ends without an error. */
static int add_and_tell(MPI_Comm comm)
{
    int rank, size, one = 1, sum, said, good = 1;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    said = rank + 1;
    if (MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS)
        good &= sum == size;
    if (MPI_Bcast(&said, 1, MPI_INT, size - 1, comm) == MPI_SUCCESS)
        good &= said == size;
    return good;
}

/* One round on comm, which becomes the shrunk one.  Returns whether all was as it should be. */
static int shrink(MPI_Comm *comm)
{
    unsigned members = members_of(*comm), left;
    int one = 1, good = add_and_tell(*comm);
    MPI_Comm next;

    good &= is_whole(dead_of(*comm), members);
    MPIX_Comm_agree(*comm, &one);
    good &= is_whole(dead_of(*comm), members);
    if (MPIX_Comm_shrink(*comm, &next) != MPI_SUCCESS)
        return 0;
    left = members & ~members_of(next);
    good &= is_whole(left, members) && (dead_of(*comm) & left) == left;
    good &= uniform(next, (int)members_of(next));
    if (*comm != MPI_COMM_WORLD)
        MPI_Comm_free(comm);
    *comm = next;
    return good;
}

/* Rank 0 revokes and leaves MPI; the others wait for messages that never come. */
static int end_by_revocation(MPI_Comm comm)
{
    int rank, v, err;

    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        MPIX_Comm_revoke(comm);
        return 1;
    }
    err = MPI_Recv(&v, 1, MPI_INT, rank == 1 ? 0 : rank - 1, 7, comm, MPI_STATUS_IGNORE);
    if (err == MPIX_ERR_PROC_FAILED)
        MPIX_Comm_revoke(comm);
    return err == MPIX_ERR_PROC_FAILED || err == MPIX_ERR_REVOKED;
}

int main(int argc, char **argv)
{
    MPI_Comm comm = MPI_COMM_WORLD, pair;
    int rank, size, good = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    pair = make_pair(rank, size);
    for (int round = 0; round < ROUNDS && good; round++) {
        if (round == 1 && rank == 1 && pair != MPI_COMM_NULL && sim_job->seed % 3 == 0)
            MPI_Abort(pair, 7);
        good = shrink(&comm);
    }
    good &= end_by_revocation(comm);
    MPI_Finalize();
    return !good;
}
