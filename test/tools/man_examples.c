/* SPDX-License-Identifier: BSD-3-Clause */
/* The examples of the manual pages do what they say: man.sh puts them into examples.h and runs this on
 * four ranks, of which the last one dies. */
/* RUN: none */
#include "../kill/common.h"

#include "examples.h"

#define DEAD 3
enum { EXCHANGE, LOOK, ANYBODY, CONTENT, AGREE, SHRINK, HALVES, SUM, DONE, COMMS_N };

static MPI_Comm comms[COMMS_N], halo; /* halo: a copy of comms[DONE] */
static int looked_at, saved;

static void look(MPI_Group lost)
{
    MPI_Group_size(lost, &looked_at);
}

static void save(void)
{
    saved++;
}

static int size_of(MPI_Comm c)
{
    int n;

    MPI_Comm_size(c, &n);
    return n;
}

static void interrupt_and_look(void)
{
    double mine = rank, yours = -1;

    wait_until_dead(MPI_COMM_WORLD, DEAD);
    if (rank < 2) {
        CHECK_EQ(exchange(&mine, &yours, 1, 1 - rank, comms[LOOK]), MPI_SUCCESS);
        CHECK(yours == 1 - rank);
    }
    CHECK_EQ(must_stop(comms[LOOK]), 0);
    if (rank == 1)
        CHECK_CLASS(exchange(&mine, &yours, 1, DEAD, comms[EXCHANGE]), MPI_ERR_PROC_FAILED);
    while (!must_stop(comms[EXCHANGE]))
        ;
    CHECK_EQ(count_acknowledged(comms[LOOK]), 0);
    look_and_acknowledge(comms[LOOK], look);
    CHECK_EQ(looked_at, 1);
    CHECK_EQ(count_acknowledged(comms[LOOK]), 1);
    CHECK_EQ(count_lost(comms[LOOK]), 1);
}

static void receive(void)
{
    MPI_Status status;
    int v = 4711;

    if (rank == 1) {
        await(0, 1);
        MPI_Send(&v, 1, MPI_INT, 0, 0, comms[ANYBODY]);
    } else if (rank == 0) {
        post(0);
        v = 0;
        CHECK_EQ(receive_from_anybody(&v, comms[ANYBODY], &status), MPI_SUCCESS);
        CHECK(v == 4711 && status.MPI_SOURCE == 1);
    }
}

static void agree(void)
{
    CHECK(all_content(comms[CONTENT], MPI_SUCCESS));
    CHECK(!all_content(comms[CONTENT], rank == 2 ? MPI_ERR_OTHER : MPI_SUCCESS));
    CHECK(must_stop(comms[CONTENT]) || rank != 2);
    CHECK(step_is_good(comms[AGREE], 1));
    CHECK(!step_is_good(comms[AGREE], rank != 1));
    CHECK(step_was_good(comms[AGREE], 1, save));
    CHECK(!step_was_good(comms[AGREE], rank != 0, save));
    CHECK_EQ(parts_that_all_have(comms[AGREE], 8 | 1 << rank), 8);
    CHECK_EQ(first_survivor(comms[AGREE]), 0);
}

static void repair(void)
{
    MPI_Comm made;
    int sum = -1;

    CHECK_EQ(shrink_and_save(comms[SHRINK], &made, save), MPI_SUCCESS);
    CHECK_EQ(size_of(made), DEAD);
    CHECK_EQ(saved, 3);
    CHECK_EQ(go_on_without_the_dead(&comms[SHRINK]), MPI_SUCCESS);
    CHECK_EQ(size_of(comms[SHRINK]), DEAD);
    CHECK_EQ(split_in_halves(comms[HALVES], &made), MPI_SUCCESS);
    CHECK_EQ(size_of(made), rank < 2 ? 2 : 1);
    CHECK_EQ(sum_of_survivors(rank, &sum, &comms[SUM]), MPI_SUCCESS);
    CHECK_EQ(sum, 0 + 1 + 2);
}

/* Rank 0 waits for a message of rank 1, which has got an error and sends none. */
static void repair_halos(void)
{
    int v = rank == 1 ? 4711 : 0, err = rank == 1 ? MPI_ERR_PROC_FAILED : MPI_SUCCESS;

    if (rank == 0)
        CHECK_CLASS(err = MPI_Recv(&v, 1, MPI_INT, 1, 0, halo, MPI_STATUS_IGNORE),
                    MPIX_ERR_REVOKED);
    CHECK(!all_done(err, comms[DONE], &halo));
    if (rank == 1)
        CHECK_EQ(MPI_Send(&v, 1, MPI_INT, 0, 0, halo), MPI_SUCCESS);
    if (rank == 0)
        CHECK_EQ(MPI_Recv(&v, 1, MPI_INT, 1, 0, halo, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(v == 4711 || rank > 1);
    CHECK(all_done(MPI_SUCCESS, comms[DONE], &halo));
}

static volatile int stop;
static struct sum module_sum = {.module = MPIX_MODULE_NULL};

/* Rank 0 tells the others, which compute. */
static void notify_others(void)
{
    if (rank == 0) {
        CHECK_EQ(tell_others(comms[LOOK], 4711), MPI_SUCCESS);
        return;
    }
    while (stop != 4711)
        ;
}

/* Rank 2 is outside the module. */
static void recover_module(void)
{
    if (rank == 2)
        await_in_mpi(1, 2);
    else
        CHECK_EQ(sum_up(&module_sum), MPI_SUCCESS);
    CHECK_EQ(module_sum.all, 0 + 1 + 2);
    post(1);
}

static int spoilt, looked;

static int spoil(void)
{
    spoilt = 1;
    return 1;
}

static int look_back(void)
{
    looked = 1;
    return spoilt;
}

/* Refused where a sanitizer is. */
static void roll_back(void)
{
    int err = either(spoil, look_back);

    CHECK(err == MPI_ERR_UNSUPPORTED_OPERATION || (err == 0 && looked));
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    CHECK(failures_are_survived());
    roll_back();
    for (int i = 0; i < COMMS_N; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    MPI_Comm_dup(comms[DONE], &halo);
    module_sum.mine = rank;
    CHECK_OK(MPIX_Module_create(MPI_COMM_WORLD, sum_again, &module_sum, MPIX_MODULE_IN_CALLS,
                                &module_sum.module));
    CHECK_OK(MPIX_Notify_register(STOP, on_stop, (void *)&stop));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == DEAD)
        die_now();
    interrupt_and_look();
    notify_others();
    recover_module();
    receive();
    agree();
    repair();
    repair_halos();
    CHECK(look_at(MPI_SUCCESS) == GO_ON && look_at(MPI_ERR_REVOKED) == REPAIR);
    CHECK(look_at(MPI_ERR_PENDING) == WAIT_AGAIN && look_at(MPI_ERR_ARG) == GIVE_UP);
    return finish();
}
