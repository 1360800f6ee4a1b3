/* SPDX-License-Identifier: BSD-3-Clause */
/* halo.c – validate and go on, in a program that exchanges messages with its neighbours, too.
 *
 *     mpicc -O2 halo.c -o halo && mpiexec -n 4 ./halo
 *     mpiexec -n 4 --inject kill:2@call:MPI_Waitall#57 ./halo
 *
 * A ring of cells, a block of them for each rank.  In each step the ranks exchange the cells at the ends
 * of their blocks with their neighbours (the halos) and compute all cells anew; every tenth step an
 * allreduce gives all cells to all ranks, as a save.  When a rank is lost, its block goes to the next
 * survivor, and all go on from the newest save.
 *
 *   r->world   collectives, agreement, validate; it is kept, with its ranks, for the whole run
 *   r->halo    a copy of it (MPI_Comm_dup), for the messages; it is revoked and made anew after a loss
 *
 * Why two?  MPI_Comm_validate repairs collectives, not messages.  A rank that sees an error goes to the
 * agreement, but its neighbour may see none: it waits for a message from a rank that lives and sends no
 * more.  Only a revocation wakes it.  A revoked communicator stays revoked, so the one that is revoked
 * must not be the one that is kept.  The fresh copy has one more use: a message that was sent before the
 * loss cannot be received after it.
 *
 *   a call fails            at some ranks, perhaps; others may have succeeded
 *   MPIX_Comm_revoke        the copy: all that wait for messages come here, too
 *   MPIX_Comm_agree         all survivors decide alike: is the result written?
 *   MPI_Comm_validate       no: collectives work again, and all know which ranks are lost
 *   MPI_Comm_dup            a fresh copy for the messages
 *   the newest save         goes to all
 *
 * The result has the same value however many ranks are lost, and whenever. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS 240
#define STEPS 200
#define SAVE  10 /* steps between two saves */

struct ring {
    MPI_Comm world, halo;
    int rank, size;
    char *lost;          /* by rank */
    int left, right;     /* the nearest survivors */
    int first, n;        /* my cells: first, first + 1, ... first + n - 1, modulo CELLS */
    int step;            /* made so far */
    int saved;           /* the step of the save */
    int save[CELLS];     /* all cells as they were then */
    int cell[CELLS + 2]; /* mine, with a halo before and after them */
};

/* ---- the computation ---- */

static int start_of(const struct ring *r, int block)
{
    return CELLS * block / r->size;
}

/* My block, and those of the lost ranks before me. */
static void take_cells(struct ring *r)
{
    r->left = r->right = r->rank;
    do
        r->left = (r->left + r->size - 1) % r->size;
    while (r->lost[r->left]);
    do
        r->right = (r->right + 1) % r->size;
    while (r->lost[r->right]);
    r->first = start_of(r, r->left + 1) % CELLS;
    r->n = (start_of(r, r->rank + 1) - r->first + CELLS - 1) % CELLS + 1;
    for (int i = 0; i < r->n; i++)
        r->cell[i + 1] = r->save[(r->first + i) % CELLS];
    r->step = r->saved;
}

/* The error behind MPI_ERR_IN_STATUS.  No receive here is from anybody, so none is left pending. */
static int first_error(int n, const MPI_Status *statuses, int err)
{
    int class;

    for (int i = 0; i < n && err == MPI_ERR_IN_STATUS; i++) {
        MPI_Error_class(statuses[i].MPI_ERROR, &class);
        if (class != MPI_SUCCESS && class != MPI_ERR_PENDING)
            err = statuses[i].MPI_ERROR;
    }
    return err;
}

/* After an error no request touches memory any more: the copy is revoked, so all of them return. */
static int exchange(struct ring *r)
{
    MPI_Request q[4];
    MPI_Status s[4];
    int err;

    MPI_Irecv(&r->cell[0], 1, MPI_INT, r->left, 0, r->halo, &q[0]);
    MPI_Irecv(&r->cell[r->n + 1], 1, MPI_INT, r->right, 1, r->halo, &q[1]);
    MPI_Isend(&r->cell[1], 1, MPI_INT, r->left, 1, r->halo, &q[2]);
    MPI_Isend(&r->cell[r->n], 1, MPI_INT, r->right, 0, r->halo, &q[3]);
    err = first_error(4, s, MPI_Waitall(4, q, s));
    if (err) {
        MPIX_Comm_revoke(r->halo);
        MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
    }
    return err;
}

static void compute(struct ring *r)
{
    int before = r->cell[0], here;

    for (int i = 1; i <= r->n; i++, before = here) {
        here = r->cell[i];
        r->cell[i] = (before + 3 * here + 5 * r->cell[i + 1] + 7) % 9973;
    }
    r->step++;
}

/* Everybody gets all cells: each rank gives its own, and nothing for those of the others. */
static int save(struct ring *r)
{
    int all[CELLS] = {0}, err;

    for (int i = 0; i < r->n; i++)
        all[(r->first + i) % CELLS] = r->cell[i + 1];
    err = MPI_Allreduce(MPI_IN_PLACE, all, CELLS, MPI_INT, MPI_SUM, r->world);
    if (!err) { /* else all[] is undefined, but the save before it is not */
        memcpy(r->save, all, sizeof(all));
        r->saved = r->step;
    }
    return err;
}

static int one_step(struct ring *r)
{
    int err = exchange(r);

    if (err)
        return err;
    compute(r);
    return r->step % SAVE == 0 ? save(r) : MPI_SUCCESS;
}

/* ---- after a loss ---- */

/* A save may have succeeded at some ranks only: the newest one goes to everybody. */
static int catch_up(struct ring *r)
{
    struct {
        int step, rank;
    } newest = {r->saved, r->rank};
    int all[CELLS], err;

    err = MPI_Allreduce(MPI_IN_PLACE, &newest, 1, MPI_2INT, MPI_MAXLOC, r->world);
    memcpy(all, r->save, sizeof(all));
    if (!err)
        err = MPI_Bcast(all, CELLS, MPI_INT, newest.rank, r->world);
    if (!err) {
        memcpy(r->save, all, sizeof(all));
        r->saved = newest.step;
    }
    return err;
}

/* The first survivor writes.  A rank that gets through the barrier knows that it has, since it
 * enters the barrier afterwards.  If it died before that, the barrier fails, and the next survivor writes. */
static int write_result(const struct ring *r)
{
    int writer = 0, sum = 0;

    while (r->lost[writer])
        writer++;
    for (int i = 0; i < CELLS; i++)
        sum = (2 * sum + r->save[i]) % 1000003;
    if (r->rank == writer) {
        printf("halo: the sum after %d steps is %d\n", r->saved, sum);
        fflush(stdout); /* what is in a buffer dies with its process */
    }
    return MPI_Barrier(r->world);
}

static int run(struct ring *r)
{
    int err = MPI_Comm_dup(r->world, &r->halo);

    if (err)
        return err; /* creation is uniform: nobody has a copy */
    err = catch_up(r);
    if (!err)
        take_cells(r);
    while (!err && r->step < STEPS)
        err = one_step(r);
    return err ? err : write_result(r);
}

static void note_lost(struct ring *r, MPI_Group lost)
{
    MPI_Group world;
    int in_lost;

    MPI_Comm_group(r->world, &world);
    for (int i = 0; i < r->size; i++) {
        MPI_Group_translate_ranks(world, 1, &i, lost, &in_lost);
        r->lost[i] = in_lost != MPI_UNDEFINED;
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
static int all_done(struct ring *r, int err)
{
    int done = !err;
    MPI_Group lost;

    if (err && !is_loss(err))
        MPI_Abort(r->world, 1);
    if (err && r->halo != MPI_COMM_NULL)
        MPIX_Comm_revoke(r->halo);    /* nobody waits for my messages any longer */
    MPIX_Comm_agree(r->world, &done); /* the value is agreed on even if this reports a loss */
    if (r->halo != MPI_COMM_NULL)
        MPI_Comm_free(&r->halo);
    if (done)
        return 1;
    if (MPI_Comm_validate(r->world, &lost) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_SELF, 1);
    note_lost(r, lost);
    MPI_Group_free(&lost);
    return 0;
}

int main(int argc, char **argv)
{
    struct ring r = {.world = MPI_COMM_WORLD, .halo = MPI_COMM_NULL};

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(r.world, MPI_ERRORS_RETURN); /* copies inherit it */
    MPI_Comm_rank(r.world, &r.rank);
    MPI_Comm_size(r.world, &r.size);
    if (r.size > CELLS)
        MPI_Abort(r.world, 1);
    r.lost = calloc((size_t)r.size, 1);
    for (int i = 0; i < CELLS; i++)
        r.save[i] = i;
    while (!all_done(&r, run(&r)))
        ;
    free(r.lost);
    return MPI_Finalize();
}
