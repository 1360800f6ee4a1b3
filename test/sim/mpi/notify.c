/* SPDX-License-Identifier: BSD-3-Clause */
/* Notifications around a ring: whichever rank dies and wherever, each callback runs once and in order, all of them do where the
 * sender lives, and a call to a dead rank says so.  Callbacks communicate. */
#include "class.h"

#include <mpi.h>
#include <mpi_ft.h>
#include <stdio.h>
#include <string.h>

#define W     MPI_COMM_WORLD
#define KEY   4
#define TURNS 5

struct state {
    int rank, size, ran, bad;
    MPI_Comm own; /* for what callbacks do */
};

static int wrong(struct state *s, const char *what, int number)
{
    fprintf(stderr, "rank %d: %s: %#x\n", s->rank, what, (unsigned)number);
    return s->bad = 1;
}

/* The sender may be dead by now: its message has a place all the same. */
static void on_notify(MPI_Group sender, int key, const void *data, int bytes, void *of)
{
    struct state *s = of;
    int number, n, err;
    MPI_Request r;

    MPI_Group_size(sender, &n);
    memcpy(&number, data, sizeof(number));
    if (n != 1 || key != KEY || bytes != 4000 || number != ++s->ran)
        wrong(s, "a callback out of order", number);
    MPI_Isend(&number, 1, MPI_INT, (s->rank + s->size - 1) % s->size, 0, s->own, &r);
    err = class_of(MPI_Wait(&r, MPI_STATUS_IGNORE));
    if (err && err != MPI_ERR_PROC_FAILED)
        wrong(s, "MPI_Wait", err);
}

/* The answer of the callback, which runs in a wait of the other rank, or at the end of one of its calls. */
static int notify_next(struct state *s, MPI_Group world, int number)
{
    int next = (s->rank + 1) % s->size, sent, got, err;
    char data[4000] = {0};

    memcpy(data, &number, sizeof(number));
    err = class_of(MPIX_Notify(world, next, KEY, data, sizeof(data), &sent));
    if (err)
        return err == MPI_ERR_PROC_FAILED ? err : wrong(s, "MPIX_Notify", err);
    err = class_of(MPI_Recv(&got, 1, MPI_INT, next, 0, s->own, MPI_STATUS_IGNORE));
    if (err && err != MPI_ERR_PROC_FAILED)
        return wrong(s, "MPI_Recv", err);
    return !err && got != number ? wrong(s, "the answer", got) : err;
}

int main(int argc, char **argv)
{
    struct state s = {0};
    MPI_Group world;
    int err = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(W, &s.rank);
    MPI_Comm_size(W, &s.size);
    MPI_Comm_group(W, &world);
    s.own = W;
    err = MPIX_Notify_register(KEY, on_notify, &s);
    for (int i = 1; !s.bad && !err && i <= TURNS; i++)
        err = notify_next(&s, world, i);
    MPI_Group_free(&world);
    MPI_Finalize();
    if (!s.bad && s.ran > TURNS)
        wrong(&s, "a callback ran twice", s.ran);
    return s.bad;
}
