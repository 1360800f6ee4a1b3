/* SPDX-License-Identifier: BSD-3-Clause */
/* Shrinking an intercommunicator gives an intercommunicator: each group keeps its survivors in their old order, all
 * survivors have the same two groups, and collectives work again.  The same holds if processes of either group die
 * inside the shrink.  If all processes of one group are dead, those of the other get MPI_COMM_NULL.
 *
 *   R4: shrinking an intercommunicator with one group all dead gives MPI_COMM_NULL
 *   S0-72: shrink makes an intercommunicator from an intercommunicator, else an intracommunicator
 *   S0-73: the shrink of 2012 refuses a communicator that is not revoked
 *   S0-74: shrink never fails because of a death or a revocation
 *   S0-75: all survivors get the same group from shrink
 *   S0-76: shrink leaves out every process whose failure a caller had been told of
 *   S0-77: shrink keeps the order of ranks
 *   S0-78: shrink leaves out the failed and keeps the callers
 *   S0-80: the new communicator sees no message and no revocation of the old one
 *   S0-85: revoke and shrink give a communicator on which collectives work */
/* RUN: -n 7 ; args 6 ; expect "rank 0 ok" */
/* RUN: -n 7 ; args 0 ; expect "rank 1 ok" */
/* RUN: -n 7 ; args 1,4 ; expect "rank 0 ok" */
/* RUN: -n 9 ; args 2 ; kill 0 at agree.enter#3 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 9 ; args 2 ; kill 8 at agree.done#3 ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 9 ; args 5 ; set AGREE_SHM=0 ; kill 0 at agree.sent.down#5 ; kill 4 at shrink.decided ; expect "rank 1 ok" ; times 3 */
/* RUN: -n 4 ; args 0,1 ; expect "rank 2 ok" */
/* RUN: -n 5 ; args 2,3,4 ; expect "rank 0 ok" */
/* RUN: -n 2 ; args 1 ; expect "rank 0 ok" */
#include "../common.h"

static int low, upper;

static bool is_victim(const char *list)
{
    char *copy = strdup(list), *save = NULL;
    bool found = false;

    for (char *r = strtok_r(copy, ",", &save); r; r = strtok_r(NULL, ",", &save))
        found |= atoi(r) == rank;
    free(copy);
    return found;
}

/* The world ranks of both sides, ascending, and the same at everybody. */
static void check_members(MPI_Comm c)
{
    int n, m, me, *theirs, last = -1, bits[2] = {0, 0}, heard[2], flag = 0;
    MPI_Group world, mine;

    CHECK_EQ(MPI_Comm_test_inter(c, &flag), MPI_SUCCESS); /* S0-72 */
    CHECK_EQ(flag, 1);
    MPI_Comm_size(c, &n);
    MPI_Comm_rank(c, &me);
    MPI_Comm_remote_size(c, &m);
    theirs = malloc((size_t)m * sizeof *theirs);
    CHECK_EQ(MPI_Allgather(&rank, 1, MPI_INT, theirs, 1, MPI_INT, c), MPI_SUCCESS); /* S0-85 */
    for (int i = 0; i < m; i++) {
        CHECK(theirs[i] > last); /* S0-77 */
        CHECK_EQ(theirs[i] >= low, !upper);
        last = theirs[i];
        bits[1] |= 1 << last;
    }
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_group(c, &mine);
    for (int i = 0; i < n; i++) {
        CHECK_EQ(MPI_Group_translate_ranks(mine, 1, &i, world, &last), MPI_SUCCESS);
        bits[0] |= 1 << last;
        CHECK(i != me || last == rank);
    }
    CHECK_EQ(MPI_Allreduce(bits, heard, 2, MPI_INT, MPI_BOR, c), MPI_SUCCESS); /* S0-75 */
    CHECK_EQ(heard[0], bits[1]);
    CHECK_EQ(heard[1], bits[0]);
    MPI_Group_free(&world);
    MPI_Group_free(&mine);
    free(theirs);
}

int main(int argc, char **argv)
{
    MPI_Comm local, inter, next;
    int ok, known = 0;

    start(&argc, &argv);
    inter = connect_halves(&local, &low, &upper);
    if (is_victim(argv[1]))
        die_now();
    while (MPI_Barrier(inter) == MPI_SUCCESS)
        known++;
    for (int round = 0; round < 10; round++) {
        MPI_Comm_invalidate(inter);
        CHECK_EQ(MPI_Comm_shrink(inter, &next), MPI_SUCCESS); /* S0-74 */
        if (next == MPI_COMM_NULL)
            break; /* R4 */
        MPI_Comm_set_errhandler(next, MPI_ERRORS_RETURN);
        CHECK_EQ(MPI_Comm_free(&inter), MPI_SUCCESS);
        inter = next;
        ok = MPI_Barrier(inter) == MPI_SUCCESS;
        MPI_Comm_agreement(MPI_COMM_WORLD, &ok); /* leave the loop together */
        if (ok)
            break;
    }
    if (next != MPI_COMM_NULL) {
        check_members(next);
        CHECK_CLASS(MPI_Comm_shrink(next, &inter), MPI_ERR_ARG); /* S0-73 */
        CHECK_CLASS(MPIX_Comm_shrink(next, &inter), MPI_SUCCESS);
        check_members(inter);
    }
    CHECK((next == MPI_COMM_NULL) ==
          (!strcmp(argv[1], "0,1") || !strcmp(argv[1], "2,3,4") || (size == 2)));
    return finish();
}
