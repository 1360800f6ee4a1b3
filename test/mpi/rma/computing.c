/* SPDX-License-Identifier: BSD-3-Clause */
/* A target that computes, and looks into MPI now and then, does not hold up puts of a few KiB into its own memory: after a few
 * of them, which went by messages, the origin has found that single copy is faster.  With messages only the target has to look
 * into MPI until it has carried out all puts: about once for each, or, if both share a core, for several, which come while it
 * looks; a look carries out 64 frames at most.
 *
 * RUN: -n 2 ; plain ; time 60
 * RUN: -n 2 ; args messages ; set SINGLE_COPY=never ; plain ; time 60 */
#include "../../kill/common.h"

#define BYTES  2048
#define PUTS   200
#define TURN_S 0.002
enum { READY, DONE };

static void compute(void)
{
    double end = MPI_Wtime() + TURN_S;

    while (MPI_Wtime() < end)
        continue;
}

/* How often it has looked into MPI until the origin is done. */
static int be_target(void)
{
    int looks = 0, flag;

    post(READY);
    while (!posted(DONE)) {
        compute();
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        looks++;
    }
    return looks;
}

static void put_often(MPI_Win win)
{
    static char from[BYTES];

    await(READY, 1);
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win));
    for (int i = 0; i < PUTS; i++) {
        memset(from, 1 + i % 100, BYTES);
        CHECK_OK(MPI_Put(from, BYTES, MPI_BYTE, 1, 0, BYTES, MPI_BYTE, win));
        CHECK_OK(MPI_Win_flush(1, win));
    }
    CHECK_OK(MPI_Win_unlock(1, win));
    post(DONE);
}

int main(int argc, char **argv)
{
    static char memory[BYTES];
    int looks = 0;
    MPI_Win win;

    start(&argc, &argv);
    CHECK_OK(MPI_Win_create(memory, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    if (rank == 0)
        put_often(win);
    else
        looks = be_target();
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 1) {
        for (int i = 0; i < BYTES; i++)
            CHECK_EQ(memory[i], 1 + (PUTS - 1) % 100);
        if (argc > 1)
            CHECK(looks >= PUTS / 64);
        else if (sysconf(_SC_NPROCESSORS_ONLN) > 1) /* else nothing is measured */
            CHECK(looks < PUTS / 2);
        fprintf(stderr, "%d looks for %d puts\n", looks, PUTS);
    }
    CHECK_OK(MPI_Win_free(&win));
    return finish();
}
