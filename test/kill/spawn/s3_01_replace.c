/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks die again and again, and the survivors replace them in one call.  A step of the program is a sum over all
 * ranks; the job goes through its steps at full size, with every survivor at its old rank, whichever processes die in the
 * replacement itself.
 *
 * Arguments: how many steps; then STEP:RANK, that rank dies before that step.
 *
 *   R35: a replacement is a new process with an old rank; its MPI_COMM_WORLD holds those replaced together
 *   S3-1: a failed process never returns under its identity */
/* RUN: -n 2 ; args 4 2:1 */
/* RUN: -n 2 ; args 4 1:0 2:0 3:1 */
/* RUN: -n 3 ; args 6 2:0 2:1 4:2 */
/* RUN: -n 5 ; args 6 1:0 3:1 3:4 5:2 */
/* RUN: -n 8 ; args 5 1:0 1:1 1:2 1:3 1:4 1:5 1:6 */
/* RUN: -n 16 ; args 4 1:3 2:3 2:8 3:15 3:0 */
/* RUN: -n 5 ; args 6 1:0 3:1 3:4 5:2 ; set MACHINES=2 */
/* RUN: -n 5 ; args 6 1:0 3:1 3:4 5:2 ; set COLL_SHM=0 ; set AGREE_SHM=0 */
/* RUN: -n 1 ; args 3 */
/* RUN: -n 4 ; args 4 2:2 ; kill 1 at replace.shrunk */
/* RUN: -n 4 ; args 4 2:2 ; kill 0 at replace.shrunk */
/* RUN: -n 4 ; args 4 2:2 ; kill 1 at replace.meet */
/* RUN: -n 4 ; args 4 2:2 ; kill 0 at replace.meet */
/* RUN: -n 4 --universe 16 ; args 4 2:2 ; kill 4 at replace.meet */
/* RUN: -n 4 --universe 16 ; args 4 2:2 2:3 ; kill 5 at replace.meet */
/* RUN: -n 4 --universe 16 ; args 4 2:2 2:3 ; kill 5 at spawn.join */
/* RUN: -n 4 ; args 4 2:2 ; kill 0 at spawn.ask */
/* RUN: -n 4 ; args 4 2:2 ; kill 0 at spawn.started */
/* RUN: -n 4 ; args 4 2:2 ; kill 0 at spawn.told */
/* RUN: -n 4 ; args 4 2:2 ; kill 1 at spawn.told */
/* RUN: -n 4 --universe 16 ; args 4 2:2 ; kill 4 at spawn.join */
/* RUN: -n 4 --universe 16 ; args 4 2:2 ; kill 4 at member.create.decided#2 */
/* RUN: -n 4 ; args 4 2:2 ; kill 1 at member.create.decided#1 */
/* RUN: -n 4 --lenient-exit ; args 9 2:2 4:1 6:0 ; kill 3 at time:4ms? ; times 10 */
/* RUN: -n 4 --universe 9 --lenient-exit ; args 9 2:2 4:1 6:0 ; kill 4 at time:5ms? ; times 10 */
/* RUN: -n 4 --universe 16 ; args 4 2:2 ; kill 1 at replace.meet ; kill 4 at spawn.join ; kill 5 at replace.meet ; set MACHINES=2 */
/* RUN: -n 8 ; args 5 1:0 1:1 1:2 1:3 1:4 1:5 1:6 ; set MACHINES=3 */
/* RUN: -n 4 ; args 4 2:2 ; kill 0 at spawn.ask ; set MACHINES=2 */
/* RUN: -n 4 ; args 4 2:2 ; kill 0 at spawn.started ; set MACHINES=2 */
/* RUN: -n 4 ; args 4 2:2 ; kill 0 at spawn.told ; set MACHINES=4 */
/* RUN: -n 4 --universe 16 ; args 4 2:2 2:3 ; kill 5 at spawn.join ; set MACHINES=2 */
/* RUN: -n 4 --universe 16 ; args 4 2:2 ; kill 4 at member.create.decided#2 ; set MACHINES=3 */
/* RUN: -n 4 --universe 16 ; args 4 2:2 2:3 ; kill 5 at replace.meet ; set MACHINES=4 */
/* RUN: -n 4 --universe 9 --lenient-exit ; args 9 2:2 4:1 6:0 ; kill 4 at time:5ms? ; set MACHINES=3 ; times 10 */
/* RUN: -n 8 --copies ; args 5 1:0 1:1 1:2 1:3 1:4 1:5 1:6 */
/* RUN: -n 5 --copies --spares 1 ; args 6 1:0 3:1 3:4 5:2 */
/* RUN: -n 4 --copies --universe 16 ; args 4 2:2 2:3 ; kill 5 at spawn.join */
/* RUN: -n 4 --copies --universe 16 ; args 4 2:2 ; kill 4 at init.done */
/* RUN: -n 4 --copies --universe 9 --lenient-exit ; args 9 2:2 4:1 6:0 ; kill 4 at time:5ms? ; times 10 */
#include "../common.h"

static MPI_Comm full;
static int number; /* the rank of this process in full, for ever */
static int full_n, step;

/* The same at all survivors, whatever each has seen. */
static bool all_succeeded(int err)
{
    int flag = err == MPI_SUCCESS;

    CHECK(!err || err == MPI_ERR_PROC_FAILED);
    MPIX_Comm_agree(full, &flag);
    return flag;
}

/* Full has everybody at the place that it had.  False: somebody is dead. */
static bool take_stock(void)
{
    int r, n, latest, err;

    MPI_Comm_set_errhandler(full, MPI_ERRORS_RETURN);
    MPI_Comm_rank(full, &r);
    MPI_Comm_size(full, &n);
    CHECK_EQ(r, number);
    CHECK_EQ(n, full_n);
    err = MPI_Allreduce(&step, &latest, 1, MPI_INT, MPI_MAX, full);
    if (!all_succeeded(err))
        return false;
    step = latest;
    return true;
}

static void drop(void)
{
    if (full != MPI_COMM_WORLD)
        MPI_Comm_free(&full);
}

static void recover(void)
{
    MPI_Comm next;
    int err;

    do {
        while ((err = MPIX_Comm_refill(full, MPI_INFO_NULL, &next)) != MPI_SUCCESS) {
            CHECK_EQ(err, MPI_ERR_PROC_FAILED);
            CHECK(next == MPI_COMM_NULL);
        }
        drop();
        full = next;
    } while (!take_stock());
}

/* An original dies where it is told to; a replacement goes on. */
static bool dies_here(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        int s, r;

        CHECK_EQ(sscanf(argv[i], "%d:%d", &s, &r), 2);
        if (s == step && r == number)
            return true;
    }
    return false;
}

static void run(int argc, char **argv, bool is_new)
{
    while (step < atoi(argv[1])) {
        int one = 1, sum, err;

        if (!is_new && dies_here(argc, argv))
            die_now();
        is_new = false;
        err = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, full);
        if (all_succeeded(err)) {
            CHECK_EQ(sum, full_n);
            step++;
        } else {
            recover();
        }
    }
}

static void check_world(void)
{
    MPI_Comm parent;

    MPI_Comm_get_parent(&parent);
    CHECK(parent == MPI_COMM_NULL);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Comm again;
    bool is_new;

    start(&argc, &argv);
    CHECK_EQ(MPIX_Comm_refilled(&full), MPI_SUCCESS);
    is_new = full != MPI_COMM_NULL;
    if (!is_new)
        full = MPI_COMM_WORLD;
    MPI_Comm_rank(full, &number);
    MPI_Comm_size(full, &full_n);
    if (is_new) {
        if (!take_stock())
            recover();
        check_world();
    }
    run(argc, argv, is_new);
    drop();
    CHECK_EQ(MPIX_Comm_refilled(&again), MPI_SUCCESS);
    CHECK(again == MPI_COMM_NULL);
    return finish();
}
