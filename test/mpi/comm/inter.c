/* SPDX-License-Identifier: BSD-3-Clause */
/* Intercommunicators (MPI-5.0 7.6): created, asked, used, merged. */
/* RUN: -n 2 */
/* RUN: -n 5 */
#include "common.h"

int main(int argc, char **argv)
{
    MPI_Comm local, inter = MPI_COMM_NULL, merged = MPI_COMM_NULL, dup = MPI_COMM_NULL;
    MPI_Group mine, theirs, both;
    int upper, flag = -1, n = -1, r = -1, result = -1, got = -1, low, high;

    start(&argc, &argv);
    upper = rank >= size / 2;
    low = size / 2;
    high = size - low;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &local));
    CHECK_OK(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, upper ? 0 : size / 2, 11, &inter));
    /* Only the leader's arguments are wrong; all members of its group get the error. */
    CHECK_CLASS(MPI_Intercomm_create(local, 0, MPI_COMM_NULL, 0, 11, &dup), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, size, 11, &dup), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Intercomm_create(local, 0, local, 0, 11, &dup), MPI_ERR_COMM);
    CHECK_OK(MPI_Barrier(local));
    CHECK_OK(MPI_Comm_test_inter(inter, &flag));
    CHECK_EQ(flag, 1);
    CHECK_OK(MPI_Comm_size(inter, &n));
    CHECK_EQ(n, upper ? high : low);
    CHECK_OK(MPI_Comm_remote_size(inter, &n));
    CHECK_EQ(n, upper ? low : high);
    CHECK_OK(MPI_Comm_rank(inter, &r));
    CHECK_EQ(r, upper ? rank - low : rank);

    CHECK_OK(MPI_Comm_group(inter, &mine));
    CHECK_OK(MPI_Comm_remote_group(inter, &theirs));
    CHECK_OK(MPI_Group_intersection(mine, theirs, &both));
    CHECK(both == MPI_GROUP_EMPTY);
    CHECK_OK(MPI_Comm_compare(inter, MPI_COMM_WORLD, &result));
    CHECK_EQ(result, MPI_UNEQUAL);

    /* Ranks mean the other side. */
    if (r < (upper ? low : high)) {
        CHECK_OK(MPI_Sendrecv(&rank, 1, MPI_INT, r, 0, &got, 1, MPI_INT, r, 0, inter,
                              MPI_STATUS_IGNORE));
        CHECK_EQ(got, upper ? r : r + low);
    }
    CHECK_CLASS(MPI_Send(&rank, 1, MPI_INT, upper ? low : high, 0, inter), MPI_ERR_RANK);

    CHECK_OK(MPI_Comm_dup(inter, &dup));
    CHECK_OK(MPI_Comm_compare(inter, dup, &result));
    CHECK_EQ(result, MPI_CONGRUENT);

    CHECK_OK(MPI_Intercomm_merge(inter, !upper, &merged)); /* the upper half comes first */
    CHECK_OK(MPI_Comm_rank(merged, &r));
    CHECK_EQ(r, upper ? rank - low : rank + high);
    ring(merged);
    CHECK_CLASS(MPI_Intercomm_merge(merged, 0, &dup), MPI_ERR_COMM);

    MPI_Group_free(&mine);
    MPI_Group_free(&theirs);
    MPI_Group_free(&both);
    CHECK_OK(MPI_Comm_free(&dup));
    CHECK_OK(MPI_Comm_free(&merged));
    CHECK_OK(MPI_Comm_free(&inter));
    CHECK_OK(MPI_Comm_free(&local));
    return finish();
}
