/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop that divides a communicator in two halves and tries again after a failure: split;
 * on an error repair the parent, adjust the halves to the survivors, and retry.  Ranks die in it; as
 * creation is uniform and never smaller than asked for (S2-3, S2-5), nobody needs to compare notes
 * after a success: it ends with exactly the halves that were asked for.  The parent is repaired by
 * a shrink, which each survivor calls as often as the others because it got the same results.  The
 * argument says how often it must be tried at least: a rank that dies before it takes part is never
 * in a half (S2-6).
 *
 *   S2-3: a new communicator has all members that were asked for
 *   S2-5: creation is uniform: at all survivors or at none
 *   S2-6: a death before the decision makes creation fail everywhere
 *   S2-15: the retry loop ends with exactly the groups that were asked for
 *
 * RUN: -n 6 ; args 1 ; expect "rank 0 ok" ; expect "rank 5 ok"
 * RUN: -n 6 --lenient-exit ; args 2 ; kill 5 at member.create.enter ; expect "rank 0 ok"
 * RUN: -n 6 --lenient-exit ; args 1 ; kill 0 at agree.enter ; kill 3 at agree.done ; expect "rank 1 ok"
 * RUN: -n 7 --lenient-exit ; args 2 ; kill 1 at member.create.enter ; kill 2 at shrink.decided ; expect "rank 0 ok"
 * RUN: -n 7 --lenient-exit ; args 2 ; kill 1 at coll.enter ; kill 6 at shrink.decided ; kill 4 at agree.enter#3 ;
   expect "rank 0 ok"
 * RUN: -n 8 --lenient-exit ; set AGREE_SHM=0 ; args 1 ; kill 0 at agree.sent.down#1 ; kill 7 at agree.sent.up#2 ; expect "rank 2 ok"
 * RUN: -n 8 --lenient-exit ; set AGREE_SHM=0 ; args 1 ; set COLL_SHM=0 ; kill 3 at coll.round#2 ; kill 1 at agree.sent.up#3 ;
   expect "rank 2 ok" */
#include "../common.h"

/* The half that was asked for: the upper or lower ranks of the parent, in their order. */
static void check_half(MPI_Comm parent, MPI_Comm half, int upper)
{
    int n, me, members, mine, first;
    MPI_Group all, some;

    MPI_Comm_size(parent, &n);
    MPI_Comm_rank(parent, &me);
    MPI_Comm_size(half, &members);
    MPI_Comm_rank(half, &mine);
    first = upper ? n / 2 : 0;
    CHECK_EQ(members, upper ? n - n / 2 : n / 2);
    CHECK_EQ(mine, me - first);
    MPI_Comm_group(parent, &all);
    MPI_Comm_group(half, &some);
    for (int i = 0; i < members; i++) {
        int r;

        MPI_Group_translate_ranks(some, 1, &i, all, &r);
        CHECK_EQ(r, first + i);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&some);
}

int main(int argc, char **argv)
{
    MPI_Comm parent = MPI_COMM_WORLD, next, half = MPI_COMM_NULL;
    int n, me, err, tries = 0;

    start(&argc, &argv);
    do {
        MPI_Comm_size(parent, &n);
        MPI_Comm_rank(parent, &me);
        err = MPI_Comm_split(parent, me >= n / 2, me, &half);
        if (err) {
            CHECK_CLASS(err, MPI_ERR_PROC_FAILED);
            CHECK(half == MPI_COMM_NULL);
            CHECK_EQ(MPIX_Comm_shrink(parent, &next), MPI_SUCCESS);
            MPI_Comm_set_errhandler(next, MPI_ERRORS_RETURN);
            parent = next;
        }
        CHECK(++tries <= size);
    } while (err);
    CHECK(tries >= atoi(argv[1]));
    check_half(parent, half, me >= n / 2);
    post(100 + tries);
    CHECK(posted(100 + tries - 1) == 0 && posted(100 + tries + 1) == 0); /* uniform */
    return finish();
}
