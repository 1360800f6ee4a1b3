/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives that some survivors began before MPI_Comm_validate need no match after it.  The last
 * rank dies; the even ranks are in a collective or a creation by then, or have begun nonblocking ones,
 * and the odd ones never call it.  All validate.  Then every kind pairs with itself: first the one that
 * was skipped, with data by which an old message would show.
 *
 *   0   bcast, allreduce, dup ... -> error   validate   bcast   allreduce   dup
 *   1                                        validate   bcast   allreduce   dup
 *
 * prepared: a persistent collective that all have made before the cut belongs to before it.
 *
 *   S0-15: a nonblocking call never reports a failure when it starts
 *   S2-12: collectives from before a validation match none from after it
 *   S2-13: a collective that was missed need not be called after a validation */
/* RUN: -n 3 ; args bcast ; expect "rank 0 ok" */
/* RUN: -n 5 ; args bcast ; set COLL_SHM=0 ; expect "rank 0 ok" */
/* RUN: -n 5 ; args allreduce ; expect "rank 0 ok" */
/* RUN: -n 8 ; args allreduce ; set COLL_SHM=0 ; expect "rank 0 ok" */
/* RUN: -n 3 ; args dup ; expect "rank 0 ok" */
/* RUN: -n 8 ; args dup ; set AGREE_SHM=0 ; expect "rank 0 ok" */
/* RUN: -n 5 ; args split ; expect "rank 0 ok" */
/* RUN: -n 5 ; args later ; expect "rank 0 ok" */
/* RUN: -n 16 ; args later ; expect "rank 0 ok" */
/* RUN: -n 8 ; args later ; set AGREE_SHM=0 ; expect "rank 0 ok" */
/* RUN: -n 2 ; args prepared ; expect "rank 0 ok" */
/* RUN: -n 8 ; args prepared ; expect "rank 0 ok" */
#include "../common.h"

#define LATER 4

static MPI_Comm c = MPI_COMM_WORLD;
static int old[LATER] = {1, 2, 3, 4}, sums[LATER];

/* Begun by the even ranks alone. */
static void lone_call(const char *what)
{
    MPI_Comm made = MPI_COMM_NULL;
    int err;

    if (!strcmp(what, "bcast"))
        err =
            MPI_Bcast(old, LATER, MPI_INT, 1, c); /* nobody but the skipping rank 1 could give it */
    else if (!strcmp(what, "allreduce"))
        err = MPI_Allreduce(old, sums, LATER, MPI_INT, MPI_SUM, c);
    else if (!strcmp(what, "dup"))
        err = MPI_Comm_dup(c, &made);
    else
        err = MPI_Comm_split(c, 0, 0, &made);
    CHECK_CLASS(err, MPI_ERR_PROC_FAILED);
    CHECK(made == MPI_COMM_NULL);
}

static void check_paired(void)
{
    int v = rank == 0 ? 4711 : 0, sum = 0, n;
    MPI_Comm made;

    CHECK_EQ(MPI_Bcast(&v, 1, MPI_INT, 0, c), MPI_SUCCESS);
    CHECK_EQ(v, 4711);
    v = rank + 100;
    CHECK_EQ(MPI_Allreduce(&v, &sum, 1, MPI_INT, MPI_SUM, c), MPI_SUCCESS);
    CHECK_EQ(sum, (size - 1) * 100 + (size - 1) * (size - 2) / 2);
    CHECK_EQ(MPI_Comm_dup(c, &made), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(made, &n), MPI_SUCCESS);
    CHECK_EQ(n, size);
    CHECK_EQ(MPI_Allreduce(&v, &sum, 1, MPI_INT, MPI_MAX, made), MPI_SUCCESS);
    CHECK_EQ(sum, size - 2 + 100);
    CHECK_EQ(MPI_Comm_free(&made), MPI_SUCCESS);
}

/* Starting it is not an error, its completion is (S0-15); the request stays inactive, not null. */
static void check_prepared(MPI_Request *prepared)
{
    MPI_Request same = *prepared;

    CHECK_EQ(MPI_Start(prepared), MPI_SUCCESS);
    CHECK_CLASS(MPI_Wait(prepared, MPI_STATUS_IGNORE), MPI_ERR_PROC_FAILED);
    CHECK(*prepared == same);
    CHECK_EQ(MPI_Request_free(prepared), MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce_init(old, sums, LATER, MPI_INT, MPI_SUM, c, MPI_INFO_NULL, prepared),
             MPI_SUCCESS);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(MPI_Start(prepared), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(prepared, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(sums[1], (size - 1) * old[1]);
    }
    CHECK_EQ(MPI_Request_free(prepared), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Request later[LATER], prepared = MPI_REQUEST_NULL;
    MPI_Status s[LATER];
    MPI_Group failed;
    int n;
    bool nonblocking;

    start(&argc, &argv);
    nonblocking = !strcmp(argv[1], "later");
    if (!strcmp(argv[1], "prepared")) {
        CHECK_EQ(
            MPI_Allreduce_init(old, sums, LATER, MPI_INT, MPI_SUM, c, MPI_INFO_NULL, &prepared),
            MPI_SUCCESS);
        post(0);
    }
    if (rank == size - 1) {
        await(0, size / 2);
        die_now();
    }
    if (rank % 2 == 0 && nonblocking)
        for (int i = 0; i < LATER; i++)
            CHECK_EQ(MPI_Iallreduce(&old[i], &sums[i], 1, MPI_INT, MPI_SUM, c, &later[i]),
                     MPI_SUCCESS);
    if (rank % 2 == 0 && prepared == MPI_REQUEST_NULL) {
        post(0);
        if (!nonblocking)
            lone_call(argv[1]);
    }
    CHECK_EQ(MPI_Comm_validate(c, &failed), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_size(failed, &n), MPI_SUCCESS);
    CHECK_EQ(n, 1);
    MPI_Group_free(&failed);
    if (prepared != MPI_REQUEST_NULL)
        check_prepared(&prepared);
    check_paired();
    if (rank % 2 == 0 && nonblocking) { /* begun before, asked for after */
        CHECK_CLASS(MPI_Waitall(LATER, later, s), MPI_ERR_IN_STATUS);
        for (int i = 0; i < LATER; i++)
            CHECK_CLASS(s[i].MPI_ERROR, MPI_ERR_PROC_FAILED);
    }
    check_paired();
    return finish();
}
