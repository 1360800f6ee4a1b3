/* SPDX-License-Identifier: BSD-3-Clause */
/* validate.c – validate and go on: the same communicator, with holes where ranks were lost.
 *
 * The primes below a number, counted in rounds.  In each round there is one part for each rank, and an
 * allreduce adds up what was found.  When a rank is lost:
 *
 *   the allreduce fails      and every collective after it: the communicator is collectively inactive
 *   MPIX_Comm_agree          all survivors decide alike: is everybody done?
 *   MPI_Comm_validate        no: collectives work again, and all know which ranks are lost
 *   parts of a lost rank     go to the next survivor; all compute the same, without a message
 *   the round to go on from  an allreduce says how far the furthest got, and what was found by then
 *
 * Ranks and size are what they were, so whatever is sorted by rank stays valid: the owners of the parts
 * here, neighbours and offsets in a larger program.
 *
 * This works because the program communicates by collectives only.  One that sends messages, too, needs a
 * revocation: example/halo shows it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 40
#define LAST   100000 /* numbers below it are looked at */

struct count {
    int rank, size;
    char *lost;      /* by rank */
    int progress[2]; /* rounds made, primes found in them: both only grow */
};

static int is_prime(int n)
{
    for (int i = 2; i * i <= n; i++)
        if (n % i == 0)
            return 0;
    return n > 1;
}

/* The rank that a part belongs to: that of its own number, or the next survivor. */
static int owner(const struct count *c, int part)
{
    while (c->lost[part])
        part = (part + 1) % c->size;
    return part;
}

static int one_round(struct count *c)
{
    int parts = ROUNDS * c->size, found = 0, err;

    for (int part = 0; part < c->size; part++)
        if (owner(c, part) == c->rank)
            for (int n = c->progress[0] * c->size + part; n < LAST; n += parts)
                found += is_prime(n);
    err = MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (!err) { /* else found is undefined */
        c->progress[0]++;
        c->progress[1] += found;
    }
    return err;
}

/* The first survivor writes.  A rank that gets through the barrier knows that it has, since it
 * enters the barrier afterwards.  If it died before that, the barrier fails, and the next survivor writes. */
static int write_answer(const struct count *c)
{
    if (c->rank == owner(c, 0)) {
        printf("validate: %d primes below %d\n", c->progress[1], LAST);
        fflush(stdout); /* what is in a buffer dies with its process */
    }
    return MPI_Barrier(MPI_COMM_WORLD);
}

static int run(struct count *c)
{
    int most[2], err = MPI_Allreduce(c->progress, most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);

    if (!err) {
        c->progress[0] = most[0];
        c->progress[1] = most[1];
    }
    while (!err && c->progress[0] < ROUNDS)
        err = one_round(c);
    return err ? err : write_answer(c);
}

static void note_lost(struct count *c, MPI_Group lost)
{
    MPI_Group world;
    int in_lost;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < c->size; i++) {
        MPI_Group_translate_ranks(world, 1, &i, lost, &in_lost);
        c->lost[i] = in_lost != MPI_UNDEFINED;
    }
    MPI_Group_free(&world);
}

/* A loss can be repaired; any other error would come again. */
static int is_loss(int err)
{
    int class;

    MPI_Error_class(err, &class);
    return class == MPIX_ERR_PROC_FAILED || class == MPIX_ERR_REVOKED;
}

/* All survivors come here after run(), with or without an error.  Returns whether all are done; if not,
 * collectives work again. */
static int all_done(struct count *c, int err)
{
    int done = !err;
    MPI_Group lost;

    if (err && !is_loss(err))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPIX_Comm_agree(MPI_COMM_WORLD, &done); /* the value is agreed on even if this reports a loss */
    if (done)
        return 1;
    if (MPI_Comm_validate(MPI_COMM_WORLD, &lost) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_SELF, 1);
    note_lost(c, lost);
    MPI_Group_free(&lost);
    return 0;
}

int main(int argc, char **argv)
{
    struct count c = {0};

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &c.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &c.size);
    c.lost = calloc((size_t)c.size, 1);
    while (!all_done(&c, run(&c)))
        ;
    free(c.lost);
    return MPI_Finalize();
}
