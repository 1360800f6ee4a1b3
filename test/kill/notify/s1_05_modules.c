/* SPDX-License-Identifier: BSD-3-Clause */
/* s1_05_modules.c – modules with different processes: wherever its participants are, all of them get to F's recovery.
 *
 *         rank 0       rank 1        rank 2       rank 3             rank 4
 *     F   waits in it  dies in it    has left     computes in it     not in F
 *     R                              is in it                        is in it
 *
 * Rank 0 learns of the death and recovers F: rank 2 runs the recovery function in a wait of R, or where it computes, and
 * R goes on; rank 3 finds that a call in F fails ("calls"), or computes there and leaves ("leaves").  Rank 4 hears of nothing.
 * R is a module that was compiled by itself and knows of nothing.  The recovery survives further deaths.  Between nodes a
 * collective that has ended at the process that dies may fail at the others, so they may recover once more.
 * "both": two modules recover at a time, each begun by another process: neither recovery waits for the other.
 *
 * BUILD: {root}/test/kill/notify/module_r.c
 *
 *   S1-4: a module that knows nothing of failures is interrupted unchanged
 *   S1-5: wherever they learn of a failure, in F or behind it, all get to F's recovery
 *   S1-6: modules have different processes: the participants of F recover, the others go on
 *   S1-7: the callback may communicate
 *
 * RUN: -n 5 ; args calls 0 ; expect "F has 3 after 1" ; expect "rank 2 ok" ; expect "rank 4 ok"
 * RUN: -n 5 ; args calls 1 ; expect "F has 3 after 1" ; expect "rank 2 ok" ; expect "rank 4 ok"
 * RUN: -n 5 ; args calls 4 ; expect "F has 3 after 1" ; expect "rank 2 ok" ; expect "rank 4 ok"
 * RUN: -n 5 ; args leaves 0 ; expect "F has 3 after 1" ; expect "rank 2 ok" ; expect "rank 4 ok"
 * RUN: -n 5 ; args leaves 4 ; set MACHINES=2 ; expect "F has 3 after 1" ; expect "rank 2 ok" ; expect "rank 4 ok"
 * RUN: -n 5 ; args calls 0 ; kill 0 at module.recover ; expect "F has 2 after 1" ; expect "rank 2 ok" ; expect "rank 4 ok"
 * RUN: -n 5 ; args leaves 0 ; kill 0 at notify.sent#2 ; expect "F has 2 after 1" ; expect "rank 2 ok" ; expect "rank 4 ok"
 * RUN: -n 5 ; args calls 0 ; kill 3 at module.recover ; expect "F has 2 after 1" ; expect "rank 2 ok" ; expect "rank 4 ok"
 * RUN: -n 5 ; args calls 0 ; kill 3 at coll.enter#3 ; expect "F has 2 after 2" ; expect "rank 2 ok" ; expect "rank 4 ok"
 * RUN: -n 5 ; args calls 4 ; kill 3 at module.agree ; expect "F has 3 after 1" ; expect "rank 2 ok" ; expect "rank 4 ok"
 * RUN: -n 5 ; args calls 4 ; set MACHINES=2 ; kill 3 at module.agree ; expect "rank 2 ok" ; expect "rank 4 ok"
 * RUN: -n 3 ; args both ; expect "rank 0 ok" ; expect "rank 2 ok" ; times 5
 * RUN: -n 6 ; args both ; expect "rank 0 ok" ; expect "rank 2 ok" ; times 5 */
#include "../common.h"
#include "module_r.h"

enum { READY, RECOVERED, GO, DEAD };

struct module {
    MPIX_Module m;
    volatile int recovered, n, turns;
};

static struct module f, g;
static bool both;

/* Communicates with all that are left; an error says that one more has died. */
static int recover(MPI_Comm comm, int inside, void *state)
{
    struct module *x = state;
    int one = 1, n, sum, err;

    CHECK_OK(MPI_Comm_size(comm, &n));
    CHECK_EQ(inside, !both && rank != 2);
    x->turns++;
    err = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (err != MPI_SUCCESS)
        return err;
    CHECK_EQ(sum, n);
    x->n = n;
    x->recovered++;
    return MPI_SUCCESS;
}

/* Rank 0 is the one that calls a function that needs rank 1; rank 2 gets through. */
static void call_f(bool leaves)
{
    int err = MPI_SUCCESS, x = 0, recovered = 0;
    MPI_Comm comm;

    CHECK_OK(MPIX_Module_enter(f.m, &comm));
    if (rank == 1)
        die_now();
    if (rank == 0) {
        await(READY, 2);
        err = MPI_Recv(&x, 1, MPI_INT, 1, 0, comm, MPI_STATUS_IGNORE);
        CHECK_CLASS(err, MPI_ERR_PROC_FAILED);
    }
    if (rank == 3) {
        post(READY);
        await(GO, leaves ? 1 : 0);
        while (!leaves && err == MPI_SUCCESS)
            err = MPI_Iprobe(0, 0, comm, &x, MPI_STATUS_IGNORE);
        while (leaves && !f.recovered)
            ;
    }
    if (err != MPI_SUCCESS)
        CHECK_OK(MPIX_Module_recover(f.m, &comm));
    CHECK_OK(MPIX_Module_leave(f.m, &recovered));
    if (rank != 2) {
        CHECK_EQ(recovered, 1);
        CHECK_EQ(f.recovered, 1);
    }
}

/* Ranks 2 and 4.  Rank 4 ends it when rank 2 has recovered. */
static void call_r(MPI_Comm r, int how)
{
    static const int expected[] = {1, 2, 3, 4, 5};

    if (rank == 2) {
        post(READY);
        CHECK_EQ(r_work(r, how, &board[DEAD], -1), expected[how]);
        while (!f.recovered) /* R may be over before */
            is_known_dead(MPI_COMM_WORLD, 1);
        printf("F has %d after %d\n", f.n, f.turns);
    } else {
        r_finish(r, how, &board[DEAD], -1);
    }
}

/* Rank 3, that leaves F without another call, does so when the others wait for it. */
static void let_leave(void)
{
    usleep(50000);
    post(GO);
}

static void one_module(bool leaves, int how)
{
    MPI_Comm own, r;

    MPI_Comm_split(MPI_COMM_WORLD, rank < 4 ? 0 : MPI_UNDEFINED, rank, &own);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 2 || rank == 4 ? 0 : MPI_UNDEFINED, rank, &r);
    if (rank < 4)
        CHECK_OK(MPIX_Module_create(own, recover, &f, MPIX_MODULE_ANYTIME, &f.m));
    post(RECOVERED);
    await(RECOVERED, size);
    if (rank < 4)
        call_f(leaves);
    if (rank == 4)
        let_leave();
    if (r != MPI_COMM_NULL)
        call_r(r, how);
    if (rank < 4)
        CHECK_OK(MPIX_Module_free(&f.m));
}

/* Rank 1 has died; rank 0 recovers F first, rank 2 G.  Both have all processes. */
static void two_modules(void)
{
    MPI_Comm none = MPI_COMM_NULL;

    CHECK_OK(MPIX_Module_create(MPI_COMM_WORLD, recover, &f, MPIX_MODULE_IN_CALLS, &f.m));
    CHECK_OK(MPIX_Module_create(MPI_COMM_WORLD, recover, &g, MPIX_MODULE_IN_CALLS, &g.m));
    if (rank == 1)
        die_now();
    wait_until_dead(MPI_COMM_WORLD, 1);
    post(READY);
    await(READY, size - 1);
    if (rank == 0)
        CHECK_OK(MPIX_Module_recover(f.m, &none));
    if (rank == 2)
        CHECK_OK(MPIX_Module_recover(g.m, &none));
    while (!f.recovered || !g.recovered)
        is_known_dead(MPI_COMM_WORLD, 1);
    CHECK(f.n == size - 1 && g.n == size - 1 && f.turns == 1 && g.turns == 1);
    post(DEAD);
    await(DEAD, size - 1);
    CHECK_OK(MPIX_Module_free(&f.m));
    CHECK_OK(MPIX_Module_free(&g.m));
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    both = !strcmp(argv[1], "both");
    if (both)
        two_modules();
    else
        one_module(!strcmp(argv[1], "leaves"), atoi(argv[2]));
    return finish();
}
