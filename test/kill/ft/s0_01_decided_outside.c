/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that has the result of an agreement owes the others nothing.
 * Each process that returns stays outside MPI until all survivors have returned; meanwhile one has died after its
 * vote, or when it alone had the decision.
 *
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-89: an agreement waits for every survivor and for no dead process
 *   S0-90: an agreement never fails and is uniform under deaths
 *   S2-5: creation is uniform: at all survivors or at none
 *   S2-7: after the decision creation succeeds everywhere
 *
 * RUN: -n 4 --lenient-exit ; set COLL_SHM=0 ; args agree 1 ; kill 0 at call:MPI_Pcontrol>agree.decided ; expect "rank 3 ok"
 * RUN: -n 8 --lenient-exit ; set COLL_SHM=0 ; args agree 1 ; kill 0 at call:MPI_Pcontrol>agree.done ; expect "rank 7 ok"
 * RUN: -n 8 --lenient-exit ; set COLL_SHM=0 ; args agree 1 ; kill 6 at call:MPI_Pcontrol>agree.enter ; expect "rank 7 ok"
 * RUN: -n 8 --lenient-exit ; args agree 1 ; kill 4 at call:MPI_Pcontrol>agree.decided ; expect "rank 7 ok"
 * RUN: -n 16 --lenient-exit ; set COLL_SHM=0 ; args agree 2 ; kill 0 at call:MPI_Pcontrol>agree.decided ;
 *   kill 8 at call:MPI_Pcontrol>agree.done ; expect "rank 15 ok"
 * RUN: -n 8 --lenient-exit ; set COLL_SHM=0 ; args iagree 1 ; kill 0 at call:MPI_Pcontrol>agree.decided#2 ; expect "rank 7 ok"
 * RUN: -n 8 --lenient-exit ; set COLL_SHM=0 ; args shrink 1 ; kill 0 at call:MPI_Pcontrol>agree.decided ; expect "rank 7 ok"
 * RUN: -n 8 --lenient-exit ; set COLL_SHM=0 ; args dup 1 ; kill 0 at call:MPI_Pcontrol>agree.decided ; expect "rank 7 ok"
 * RUN: -n 8 --lenient-exit ; args inter_agree 1 ; kill 0 at call:MPI_Pcontrol>agree.decided ; expect "rank 7 ok"
 * RUN: -n 8 --lenient-exit ; args inter_agree 1 ; kill 2 at call:MPI_Pcontrol>agree.enter ; expect "rank 7 ok"
 * RUN: -n 8 --lenient-exit ; args inter_dup 1 ; kill 0 at call:MPI_Pcontrol>agree.decided ; expect "rank 7 ok"
 * RUN: -n 8 --lenient-exit ; args merge 1 ; kill 0 at call:MPI_Pcontrol>agree.decided ; expect "rank 7 ok"
 * RUN: -n 8 --lenient-exit ; args create_group 1 ; kill 0 at call:MPI_Pcontrol>agree.decided ; expect "rank 7 ok"
 * RUN: -n 8 --lenient-exit ; args inter_shrink 1 ; kill 4 at call:MPI_Pcontrol>agree.decided ; expect "rank 7 ok"
 *
 * With messages (`inside`) the others ask a process that knows, so it must be in MPI: the root has died after it told one
 * or a few, or a process in between has died before it passed the decision on.
 *
 * RUN: -n 4 --lenient-exit ; set AGREE_SHM=0 ; args agree 1 inside ; kill 0 at call:MPI_Pcontrol>agree.sent.down#1 ; expect "rank 3 ok"
 * RUN: -n 8 --lenient-exit ; set AGREE_SHM=0 ; args agree 1 inside ; kill 0 at call:MPI_Pcontrol>agree.sent.down#2 ; expect "rank 7 ok"
 * RUN: -n 8 --lenient-exit ; set AGREE_SHM=0 ; args agree 1 inside ; kill 4 at call:MPI_Pcontrol>agree.decided ; expect "rank 7 ok"
 * RUN: -n 8 --lenient-exit ; set AGREE_SHM=0 ; args agree 2 inside ; kill 2 at call:MPI_Pcontrol>agree.decided ;
 *   kill 0 at call:MPI_Pcontrol>agree.sent.down#2 ; expect "rank 7 ok"
 * RUN: -n 16 --lenient-exit ; set AGREE_SHM=0 ; args agree 2 inside ; kill 0 at call:MPI_Pcontrol>agree.sent.down#1 ;
 *   kill 8 at call:MPI_Pcontrol>agree.done ; expect "rank 15 ok"
 * RUN: -n 8 --lenient-exit ; set AGREE_SHM=0 ; args iagree 1 inside ; kill 0 at call:MPI_Pcontrol>agree.sent.down#3 ; expect "rank 7 ok"
 * RUN: -n 8 --lenient-exit ; set AGREE_SHM=0 ; args dup 1 inside ; kill 0 at call:MPI_Pcontrol>agree.sent.down#1 ; expect "rank 7 ok"
 * RUN: -n 8 --lenient-exit ; set AGREE_SHM=0 ; args inter_agree 1 inside ; kill 0 at call:MPI_Pcontrol>agree.sent.down#1 ;
 *   expect "rank 7 ok"
 * RUN: -n 8 --lenient-exit ; set AGREE_SHM=0 ; args create_group 1 inside ; kill 0 at call:MPI_Pcontrol>agree.sent.down#2 ;
 *   expect "rank 7 ok"
 * RUN: -n 8 --lenient-exit ; set AGREE_SHM=0 ; args inter_shrink 1 inside ; kill 4 at call:MPI_Pcontrol>agree.decided ;
 *   expect "rank 7 ok" */
#include "creators.h"

static void agree_on(MPI_Comm c)
{
    int flag = 1;

    CHECK_EQ(MPI_Comm_agreement(c, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
}

/* Two at once. */
static void agree_later(void)
{
    int flag[2] = {1, 1};
    MPI_Request r[2];

    for (int i = 0; i < 2; i++)
        CHECK_EQ(MPI_Icomm_agreement(W, &flag[i], &r[i]), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(2, r, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK(flag[0] == 1 && flag[1] == 1);
}

/* It was decided before anybody died. */
static void create_well(const char *how)
{
    MPI_Comm c;

    CHECK_EQ(create(how, &c), MPI_SUCCESS);
}

/* args: what, how many die, and whether the rank that knows is in MPI. */
int main(int argc, char **argv)
{
    start(&argc, &argv);
    set_up();
    MPI_Pcontrol(1);
    if (!strcmp(argv[1], "agree"))
        agree_on(W);
    else if (!strcmp(argv[1], "inter_agree"))
        agree_on(inter);
    else if (!strcmp(argv[1], "iagree"))
        agree_later();
    else
        create_well(argv[1]);
    post(0);
    if (argc > 3)
        await_in_mpi(0, size - atoi(argv[2]));
    else
        await(0, size - atoi(argv[2])); /* calls no MPI function */
    return finish();
}
