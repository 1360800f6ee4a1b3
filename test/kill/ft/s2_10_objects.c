/* SPDX-License-Identifier: BSD-3-Clause */
/* What else a validated communicator is good for.
 *
 *   grid       exchange with the neighbours of a ring, of its duplicate, of a graph: the edges of the dead
 *              stay as they were; a grid that would contain a dead one, and subgrids of a ring with
 *              holes, are refused, and nothing is left that could not be used
 *   leaders    an intercommunicator of two validated halves, and its merger: the survivors of both
 *   side       one side of an intercommunicator is dead: the validation says so, and collectives on it
 *              go on failing, for there is nobody to talk to
 *   groups     MPI_Comm_create with several groups, one of which holds a dead process: refused at all, also
 *              at those whose group is whole (S2-5); the communicator stays active
 *   sides      the same on an intercommunicator
 *   handler    an error of a nonblocking collective after the cut goes to the communicator's handler
 *
 * The first argument says which; then follow the ranks that die.
 *
 *   R20: after validate, point-to-point with a dead member still fails
 *   S2-2: all communicators that take part in a creation must be active
 *   S2-3: a new communicator has all members that were asked for
 *   S2-5: creation is uniform: at all survivors or at none
 *   S2-10: validate makes collectives and creation work again */
/* RUN: -n 5 ; args grid 2 ; expect "rank 0 ok" */
/* RUN: -n 8 ; args grid 0 5 ; expect "rank 1 ok" */
/* RUN: -n 3 ; args grid 1 ; set COLL_SHM=0 ; expect "rank 0 ok" */
/* RUN: -n 6 ; args leaders 1 4 ; expect "rank 0 ok" */
/* RUN: -n 9 ; args leaders 0 8 ; set AGREE_SHM=0 ; expect "rank 1 ok" */
/* RUN: -n 6 ; args side 3 4 5 ; expect "rank 0 ok" */
/* RUN: -n 5 ; args side 0 1 ; expect "rank 2 ok" */
/* RUN: -n 3 ; args groups 2 ; expect "rank 0 ok" */
/* RUN: -n 5 ; args groups 0 ; expect "rank 4 ok" */
/* RUN: -n 16 ; args groups 5 6 ; set AGREE_SHM=0 ; expect "rank 0 ok" */
/* RUN: -n 5 ; args sides 0 ; expect "rank 1 ok" */
/* RUN: -n 8 ; args sides 6 ; expect "rank 0 ok" */
/* RUN: -n 3 ; args handler 2 ; expect "rank 0 ok" */
#include "../common.h"

static bool dead[64];
static int dead_n;

static void die_or_validate(MPI_Comm c, int failed_n)
{
    MPI_Group failed;
    int n;

    post(1);
    await_in_mpi(1, size);
    if (dead[rank])
        die_now();
    CHECK_EQ(MPI_Comm_validate(c, &failed), MPI_SUCCESS);
    MPI_Group_size(failed, &n);
    CHECK_EQ(n, failed_n);
    MPI_Group_free(&failed);
}

static void check_ring(MPI_Comm ring)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size, got[2] = {-1, -1};

    CHECK_EQ(MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, ring), MPI_SUCCESS);
    CHECK_EQ(got[0], dead[left] ? -1 : left);
    CHECK_EQ(got[1], dead[right] ? -1 : right);
}

/* Everybody tells its left neighbour. */
static void check_graph(MPI_Comm graph)
{
    int right = (rank + 1) % size, got = -1;

    CHECK_EQ(MPI_Neighbor_allgather(&rank, 1, MPI_INT, &got, 1, MPI_INT, graph), MPI_SUCCESS);
    CHECK_EQ(got, dead[right] ? -1 : right);
}

static void grid(void)
{
    MPI_Comm ring, again, graph, part = MPI_COMM_NULL;
    int periodic = 1, whole = 0, two[2] = {1, 2}, periods[2] = {0, 0}, remain[1] = {1}, n = size;
    int left = (rank + size - 1) % size, one = 1;

    CHECK_EQ(MPI_Cart_create(MPI_COMM_WORLD, 1, &n, &periodic, 0, &ring), MPI_SUCCESS);
    die_or_validate(ring, dead_n);
    check_ring(ring);
    CHECK_EQ(MPI_Comm_dup(ring, &again), MPI_SUCCESS);
    check_ring(again);
    CHECK_EQ(MPI_Cart_create(ring, 1, &n, &periodic, 0, &part), MPI_SUCCESS); /* a duplicate */
    check_ring(part);
    CHECK_EQ(MPI_Dist_graph_create(again, 1, &rank, &one, &left, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &graph),
             MPI_SUCCESS);
    check_graph(graph);
    MPI_Comm_free(&part);
    whole = dead[0] || dead[1] ? MPI_ERR_PROC_FAILED : MPI_SUCCESS;
    CHECK_CLASS(MPI_Cart_create(ring, 2, two, periods, 0, &part), whole);
    if (part != MPI_COMM_NULL)
        CHECK_EQ(MPI_Barrier(part), MPI_SUCCESS);
    CHECK_CLASS(MPI_Cart_sub(ring, remain, &part), MPI_ERR_PROC_FAILED);
    CHECK_EQ(MPI_Barrier(ring), MPI_SUCCESS);
}

static int living_of(int from, int to)
{
    int n = 0;

    for (int r = from; r < to; r++)
        n += !dead[r];
    return n;
}

static void leaders(void)
{
    MPI_Comm half, peer, inter, all;
    bool upper = rank >= size / 2;
    int first = upper ? size / 2 : 0, end = upper ? size : size / 2, mine = 0, theirs = 0, n, m;

    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &half), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &peer), MPI_SUCCESS);
    die_or_validate(peer, dead_n);
    CHECK_CLASS(MPI_Intercomm_create(half, 0, peer, upper ? 0 : size / 2, 1, &inter),
                MPI_ERR_PROC_FAILED); /* S2-2: the halves are not active */
    {
        MPI_Group failed;

        CHECK_EQ(MPI_Comm_validate(half, &failed), MPI_SUCCESS);
        MPI_Group_free(&failed);
    }
    while (dead[first + mine])
        mine++;
    while (dead[(upper ? 0 : size / 2) + theirs])
        theirs++;
    CHECK_EQ(MPI_Intercomm_create(half, mine, peer, (upper ? 0 : size / 2) + theirs, 2, &inter),
             MPI_SUCCESS);
    MPI_Comm_size(inter, &n);
    MPI_Comm_remote_size(inter, &m);
    CHECK_EQ(n, living_of(first, end));
    CHECK_EQ(n + m, size - dead_n);
    CHECK_EQ(MPI_Intercomm_merge(inter, upper, &all), MPI_SUCCESS);
    MPI_Comm_rank(all, &n);
    CHECK_EQ(n, living_of(0, rank));
    CHECK_EQ(MPI_Barrier(all), MPI_SUCCESS);
}

static void side(void)
{
    MPI_Comm half, inter;
    bool upper = rank >= size / 2;
    int v = 1, sum;

    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &half), MPI_SUCCESS);
    CHECK_EQ(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : size / 2, 1, &inter),
             MPI_SUCCESS);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    die_or_validate(inter, dead_n);
    CHECK_CLASS(MPI_Allreduce(&v, &sum, 1, MPI_INT, MPI_SUM, inter), MPI_ERR_PROC_FAILED);
    CHECK_EQ(MPI_Barrier(half), MPI_SUCCESS);
}

/* The members of c's group with ranks first .. last. */
static MPI_Group some_of(MPI_Comm c, int first, int last)
{
    int range[1][3] = {{first, last, 1}};
    MPI_Group all, some;

    MPI_Comm_group(c, &all);
    MPI_Group_range_incl(all, 1, range, &some);
    MPI_Group_free(&all);
    return some;
}

/* Refused at all, and c stays active: there is no new death, so no cut would make it so again. */
static void check_refused(MPI_Comm c, MPI_Group g)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group failed;
    int n;

    CHECK_CLASS(MPI_Comm_create(c, g, &made), MPI_ERR_PROC_FAILED);
    CHECK(made == MPI_COMM_NULL);
    CHECK_EQ(MPI_Barrier(c), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_validate(c, &failed), MPI_SUCCESS);
    MPI_Group_size(failed, &n);
    CHECK_EQ(n, dead_n);
    MPI_Group_free(&failed);
}

static void check_created(MPI_Comm c, MPI_Group g, int size_wanted)
{
    MPI_Comm made = MPI_COMM_NULL;
    int n;

    CHECK_EQ(MPI_Comm_create(c, g, &made), MPI_SUCCESS);
    MPI_Comm_size(made, &n);
    CHECK_EQ(n, size_wanted);
    CHECK_EQ(MPI_Barrier(made), MPI_SUCCESS);
    MPI_Group_free(&g);
}

/* Halves; the dead are in one of them.  Then everybody alone. */
static void groups(void)
{
    bool upper = rank >= size / 2;
    MPI_Group half;
    MPI_Comm c;

    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &c), MPI_SUCCESS);
    die_or_validate(c, dead_n);
    half = some_of(c, upper ? size / 2 : 0, upper ? size - 1 : size / 2 - 1);
    check_refused(c, half);
    check_refused(c, half);
    MPI_Group_free(&half);
    check_created(c, some_of(c, rank, rank), 1);
}

/* One side asks for its hole, the other one has none; then each for its survivors. */
static void sides(void)
{
    bool upper = rank >= size / 2;
    int first = upper ? size / 2 : 0, end = upper ? size : size / 2, living[64], n = 0;
    MPI_Comm half, inter;
    MPI_Group all, some;

    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &half), MPI_SUCCESS);
    CHECK_EQ(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : size / 2, 1, &inter),
             MPI_SUCCESS);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    die_or_validate(inter, dead_n);
    MPI_Comm_group(inter, &all);
    check_refused(inter, all);
    for (int r = first; r < end; r++)
        if (!dead[r])
            living[n++] = r - first;
    MPI_Group_incl(all, n, living, &some);
    check_created(inter, some, n);
    MPI_Group_free(&all);
}

static int handled;
static MPI_Comm handled_comm;

static void note(MPI_Comm *c, int *code, ...)
{
    handled = *code;
    handled_comm = *c;
}

static void handler(void)
{
    MPI_Comm c;
    MPI_Errhandler h;
    MPI_Request q;
    int v = 1, sum;

    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &c), MPI_SUCCESS);
    die_or_validate(c, dead_n);
    MPI_Comm_create_errhandler(note, &h);
    MPI_Comm_set_errhandler(c, h);
    CHECK_EQ(MPI_Iallreduce(&v, &sum, 1, MPI_INT, MPI_SUM, c, &q), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Ireduce(&v, &sum, 1, MPI_INT, MPI_SUM, size - 1, c, &q), MPI_SUCCESS);
    CHECK_CLASS(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_ERR_PROC_FAILED);
    CHECK(handled == MPI_ERR_PROC_FAILED && handled_comm == c);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int i = 2; i < argc; i++, dead_n++)
        dead[atoi(argv[i])] = true;
    if (!strcmp(argv[1], "grid"))
        grid();
    else if (!strcmp(argv[1], "leaders"))
        leaders();
    else if (!strcmp(argv[1], "side"))
        side();
    else if (!strcmp(argv[1], "groups"))
        groups();
    else if (!strcmp(argv[1], "sides"))
        sides();
    else
        handler();
    return finish();
}
