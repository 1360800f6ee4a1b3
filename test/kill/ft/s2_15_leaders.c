/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Intercomm_create is repeated with the same peer communicator and tag when the group
 * of one leader has lost a member.  The first call is refused at that leader at once, the second one is with
 * a shrunk group: it must meet the second call of the other side, never its first one, in whatever order the two
 * sides call, and nothing of the first rounds may be left for later ones.
 *
 *   B = {0, 1, 2}  2 is dead: first call refused here    second call: B' = {0, 1}
 *   A = {3, 4}     first call: refused, as B says        second call: with B'
 *
 * A's ids win, being those of the higher leader: if B took an old one they would not meet.
 *
 *     args none|A|B    the side that makes the first call before the other one does, in odd rounds
 *
 *   S2-5: creation is uniform: at all survivors or at none
 *   S2-9: creation on an inactive communicator fails at once
 *   S2-15: the retry loop ends with exactly the groups that were asked for */
/* RUN: -n 5 ; args none ; expect "rank 0 ok" ; expect "rank 3 ok" ; times 3 */
/* RUN: -n 5 ; args A ; expect "rank 0 ok" ; expect "rank 3 ok" */
/* RUN: -n 5 ; args B ; expect "rank 0 ok" ; expect "rank 3 ok" */
/* RUN: -n 5 ; args B ; set AGREE_SHM=0 ; set REVOKE_SHM=0 ; expect "rank 0 ok" ; expect "rank 3 ok" */
#include "../common.h"

#define ROUNDS 40

enum { A_SAID, B_SAID }; /* slots of the board */

static MPI_Comm local, leaders, whole;
static bool lossy, leads;

static int create(MPI_Comm from, int tag, MPI_Comm *made)
{
    return MPI_Intercomm_create(from, 0, leaders, lossy, tag, made);
}

/* B calls a second time, on its own, before A calls at all; or A has called, and B sees that first. */
static void order(const char *first, int round, bool before)
{
    int flag;

    if (round % 2 == 0 || !leads)
        return;
    if (*first == 'A' && lossy && before) {
        await(A_SAID, round / 2 + 1);
        usleep(500); /* mostly it has said HELLO */
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    } else if (*first == 'A' && before) {
        post(A_SAID);
    } else if (*first == 'B' && lossy && !before) {
        post(B_SAID); /* the first call has returned */
    } else if (*first == 'B' && !lossy && before) {
        await(B_SAID, round / 2 + 1);
    }
}

static void one_round(const char *first, int round)
{
    MPI_Comm made;
    int n;

    order(first, round, true);
    CHECK_CLASS(create(local, round % 3, &made), MPI_ERR_PROC_FAILED);
    order(first, round, false);
    CHECK_EQ(create(whole, round % 3, &made), MPI_SUCCESS);
    MPI_Comm_remote_size(made, &n);
    CHECK_EQ(n, 2);
    CHECK_EQ(MPI_Barrier(made), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&made), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    lossy = rank < 3;
    leads = rank == 0 || rank == 3;
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, lossy, rank, &local), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, leads, rank, &leaders), MPI_SUCCESS);
    if (rank == 2)
        die_now();
    wait_until_dead(MPI_COMM_WORLD, 2);
    CHECK_EQ(MPIX_Comm_shrink(local, &whole), MPI_SUCCESS);
    for (int round = 0; round < ROUNDS; round++)
        one_round(argv[1], round);
    return finish();
}
