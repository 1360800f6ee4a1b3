/* SPDX-License-Identifier: BSD-3-Clause */
/* S2-1..S2-7, S2-9, S0-32..34: communicator creation is uniform: a rank dies before the decision, at it or
 * after it; either every survivor has the new communicator or none has; on a communicator with a
 * failed member creation fails at once, while the others are outside MPI. */
/* RUN: -n 4 ; kill 3 at member.create.enter ; expect "rank 0 ok" */
/* RUN: -n 4 ; kill 0 at member.create.enter ; expect "rank 1 ok" */
/* RUN: -n 4 ; kill 2 at agree.enter ; expect "rank 0 ok" */
/* RUN: -n 4 ; kill 0 at agree.done ; expect "rank 1 ok" */
/* RUN: -n 4 ; kill 1 at member.create.decided ; expect "rank 0 ok" */
/* RUN: -n 6 ; args split ; kill 5 at agree.enter ; expect "rank 0 ok" */
/* RUN: -n 6 ; args split ; kill 0 at member.create.decided ; expect "rank 1 ok" */
/* RUN: -n 6 ; args split ; kill 2 at coll.enter ; expect "rank 1 ok" */
/* RUN: -n 6 ; args create ; kill 4 at agree.enter ; expect "rank 1 ok" */
/* RUN: -n 4 ; set AGREE_SHM=0 ; kill 0 at agree.sent.down ; expect "rank 1 ok" */
/* RUN: -n 4 ; set AGREE_SHM=0 ; kill 0 at agree.enter ; expect "rank 1 ok" */
/* RUN: -n 5 ; set AGREE_SHM=0 ; args split ; kill 0 at agree.sent.down ; expect "rank 1 ok" */
/* RUN: -n 5 ; set AGREE_SHM=0 ; args create ; kill 2 at agree.sent.up ; expect "rank 1 ok" */
#include "../common.h"

static int create(const char *how, MPI_Comm *made)
{
    MPI_Group g;
    int err;

    if (!strcmp(how, "split"))
        return MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, made);
    if (!strcmp(how, "dup"))
        return MPI_Comm_dup(MPI_COMM_WORLD, made);
    MPI_Comm_group(MPI_COMM_WORLD, &g);
    err = MPI_Comm_create(MPI_COMM_WORLD, g, made);
    MPI_Group_free(&g);
    return err;
}

int main(int argc, char **argv)
{
    MPI_Comm made = MPI_COMM_NULL, again;
    int err, alive = 0, n;
    MPI_Group dead;

    start(&argc, &argv);
    err = create(argc > 1 ? argv[1] : "dup", &made);
    CHECK(err == MPI_SUCCESS || class_of(err) == MPI_ERR_PROC_FAILED);
    CHECK((err == MPI_SUCCESS) == (made != MPI_COMM_NULL));
    post(err ? 1 : 2);
    while (alive == 0) { /* exactly one rank dies in each recipe */
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &n, MPI_STATUS_IGNORE);
        MPI_Comm_get_failed(MPI_COMM_WORLD, &dead);
        MPI_Group_size(dead, &n);
        MPI_Group_free(&dead);
        alive = n == 1 ? size - 1 : 0;
    }
    while (posted(1) + posted(2) < alive) /* who got the decision may be asked for it */
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &n, MPI_STATUS_IGNORE);
    CHECK(posted(1) == 0 || posted(2) == 0); /* S2-5 */
    if (rank == 1) {                         /* S2-9: the others are outside MPI */
        CHECK_CLASS(MPI_Comm_dup(MPI_COMM_WORLD, &again), MPI_ERR_PROC_FAILED);
        post(3);
    }
    if (made != MPI_COMM_NULL)
        MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    return finish();
}
