/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbour.c – a survivor reads the last state of a dead rank out of a window, and continues its work.
 *
 * Each rank adds up a part of a long sum and keeps its state in a window that the library allocated.  When a rank is
 * lost its memory is not: the next living rank reads there how far the lost one had come, and continues in the
 * same place.  No message is sent, no copy was made beforehand, and if the heir is lost, too, its own heir continues.
 *
 *   rank 1     │ state: items 0..4711 done, sum so far │  killed
 *   rank 2     reads it: MPI_Win_shared_query, continues at item 4712, and stores the state there
 *
 * A rank may be killed between any two instructions, so a state is never changed in place: there are two, and one
 * store of `now` says which of them counts.
 *
 * Only for windows whose memory all ranks share (one machine).  MPI_Win_sync is there because the standard asks for it,
 * and as a place to kill ranks at:
 *
 *     mpiexec -n 4 --inject kill:2@call:MPI_Win_sync#700 ./neighbour */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef OPEN_MPI
#include <mpi-ext.h> /* Open MPI has the MPIX_ functions there */
#endif

#define ITEMS 100000L /* of each rank */
#define STEP  100L    /* between two states */

struct state {
    long done;
    double sum;
};

struct part {
    struct state state[2];
    volatile int now; /* which one counts */
};

static MPI_Win win;

static struct part *part_of(int rank)
{
    struct part *p = NULL;
    MPI_Aint bytes;
    int unit;

    MPI_Win_shared_query(win, rank, &bytes, &unit, &p);
    if (!bytes) {
        fprintf(stderr, "rank %d shares no memory with this one\n", rank);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return p;
}

/* Continues the part of a rank to its end, from wherever it is. */
static void work_on(int rank)
{
    struct part *p = part_of(rank);

    while (p->state[p->now].done < ITEMS) {
        struct state s = p->state[p->now];

        for (long end = s.done + STEP; s.done < end; s.done++)
            s.sum += 1.0 / (1.0 + (double)(rank * ITEMS + s.done));
        p->state[!p->now] = s;
        MPI_Win_sync(win); /* the state is there before it counts */
        p->now = !p->now;
    }
}

/* True for ranks that are known to be dead. */
static int *find_dead(int size)
{
    int *dead = calloc((size_t)size, sizeof(int)), n;
    MPI_Group failed, all;

    MPIX_Comm_get_failed(MPI_COMM_WORLD, &failed);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_size(failed, &n);
    for (int i = 0; i < n; i++) {
        int rank;

        MPI_Group_translate_ranks(failed, 1, &i, all, &rank);
        dead[rank] = 1;
    }
    MPI_Group_free(&failed);
    MPI_Group_free(&all);
    return dead;
}

/* Continues the parts of the dead ranks whose next living rank is this one. */
static void work_for_dead(int me, int size)
{
    int *dead = find_dead(size);

    for (int i = 1; i < size && dead[(me + size - i) % size]; i++)
        work_on((me + size - i) % size);
    free(dead);
}

/* All survivors agree on whether all parts are complete, so they leave together. */
static int all_done(int size)
{
    int complete = 1;

    for (int r = 0; r < size; r++)
        complete = complete && part_of(r)->state[part_of(r)->now].done == ITEMS;
    MPIX_Comm_agree(MPI_COMM_WORLD,
                    &complete); /* its error tells of deaths, which the next turn sees */
    return complete;
}

int main(int argc, char **argv)
{
    struct part *mine;
    double sum = 0;
    int me, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (MPI_Win_allocate(sizeof(*mine), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    work_on(me);
    do
        work_for_dead(me, size);
    while (!all_done(size));
    for (int r = 0; r < size; r++)
        sum += part_of(r)->state[part_of(r)->now].sum;
    printf("rank %d: the sum is %.12f\n", me,
           sum); /* each survivor: any of them may be the only one */
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
