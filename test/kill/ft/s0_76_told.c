/* SPDX-License-Identifier: BSD-3-Clause */
/* A process whose failure any participant of a shrink had been told of is not in the
 * new communicator, and every survivor is.  One survivor, which needed the victim, knows of each victim; the
 * others were outside MPI all the time, or are already inside the shrink when the victims die.
 *
 *   S0-75: all survivors get the same group from shrink
 *   S0-76: shrink leaves out every process whose failure a caller had been told of
 *   S0-77: shrink keeps the order of ranks
 *   S0-78: shrink leaves out the failed and keeps the callers
 *
 * RUN: -n 3 ; args 1 asleep ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 6 ; args 3 asleep ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 6 ; args 3 inside ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 16 ; args 7 asleep ; expect "rank 0 ok" ; expect "rank 6 ok"
 * RUN: -n 16 ; args 7 inside ; expect "rank 0 ok" ; expect "rank 6 ok"
 * RUN: -n 9 ; args 4 asleep ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "rank 4 ok"
 * RUN: -n 9 ; args 4 inside ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "rank 4 ok" */
#include "../common.h"

static bool is_member(MPI_Comm c, int world_rank)
{
    MPI_Group g, world;
    int r;

    MPI_Comm_group(c, &g);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_translate_ranks(world, 1, &world_rank, g, &r);
    MPI_Group_free(&g);
    MPI_Group_free(&world);
    return r != MPI_UNDEFINED;
}

/* All deaths were known before, so it has exactly the survivors, and works. */
static void check_all(MPI_Comm c, int living)
{
    int n, me;

    MPI_Comm_size(c, &n);
    MPI_Comm_rank(c, &me);
    CHECK_EQ(n, living);
    CHECK_EQ(me, rank); /* S0-77; the victims have the last ranks */
    MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Barrier(c), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Comm next;
    MPI_Request r;
    int victims, living, v, witness;
    bool inside;

    start(&argc, &argv);
    victims = atoi(argv[1]);
    inside = !strcmp(argv[2], "inside");
    living = size - victims;
    witness = rank + living; /* the victim that this survivor learns of, if there is such a rank */
    if (rank >= living) {
        await(0, living);
        die_now();
    }
    if (inside && rank != 0) { /* rank 0 comes last and knows of one; nobody gets out before that */
        CHECK_EQ(MPIX_Comm_ishrink(MPI_COMM_WORLD, &next, &r), MPI_SUCCESS);
        post(0);
        CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
    } else {
        post(0);
        if (witness < size)
            CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, witness, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                        MPI_ERR_PROC_FAILED);
        post(1);
        await(1, inside ? 1 : living); /* every victim is known to somebody */
        CHECK_EQ(MPIX_Comm_shrink(MPI_COMM_WORLD, &next), MPI_SUCCESS);
    }
    CHECK(!is_member(next, living)); /* S0-76: rank 0 had been told of it */
    for (int r = 0; r < living; r++)
        CHECK(is_member(next, r));
    if (!inside)
        check_all(next, living);
    return finish();
}
