/* SPDX-License-Identifier: BSD-3-Clause */
/* recover.c – what makes this program survive.  This is the file to copy.
 *
 *     an error code ─> revoke ─> agree ─> shrink ─> restore ─> save ─> go on
 *                        ^         │    or replace     │         │
 *                        └─────────│──── another death ┴─────────┘
 *                                  └─> all are finished: the end
 *
 * A rank that dies meanwhile makes one of these steps fail, and the loop turns once more.  It needs no
 * files; MPI_ERRORS_RETURN on the communicator is its only condition.
 *
 * With shrink the survivors share the rows.  With replace new processes have the lost ranks; they
 * come in behind the replacement, know nothing, and get their rows from those that kept them.
 *
 * 1. A block is "these rows at that step".  All copies of it have the same bits, so it does not
 *    matter whose copy is used, nor how the rows were dealt out when it was made.
 * 2. All agreements are made here, one per turn, so that a rank that believes to be finished meets
 *    the one that has just seen an error. */
#include "heat.h"

#include <stdlib.h>
#include <string.h>

#define TAG_RESTORE 2
#define FINISHED    (1 << 30) /* above the bits of heat_saves() */

/* Finds the rank that has the row for rank `to`, and in which of its blocks; returns for how many rows
 * from there on this is so, 0: no rank has it.  held: first row and rows of each block of each rank. */
static int find_giver(const struct heat *h, const int *held, int to, int row, int *giver_p,
                      int *block_p)
{
    for (int i = 0; i < h->size * BLOCKS; i++) {
        int at = (to * BLOCKS + i) % (h->size * BLOCKS); /* its own blocks come first */
        int last = held[2 * at] + held[2 * at + 1], needed = heat_first_row(h, to + 1);

        if (row < held[2 * at] || row >= last)
            continue;
        *giver_p = at / BLOCKS;
        *block_p = at % BLOCKS;
        return (last < needed ? last : needed) - row;
    }
    return 0;
}

/* Moves the rows of a save to where they belong now.  Every rank goes through the same list of
 * pieces and takes part in those that concern it.  *whole_p: no row was missing. */
static int move_rows(struct heat *h, const struct save *s, const int *held, bool *whole_p)
{
    MPI_Request *requests = malloc(2 * (size_t)h->height * sizeof(*requests));
    int n = 0, rows = 1, giver, block, err;

    for (int row = 0, to = 0; row < h->height && rows; row += rows) {
        while (row >= heat_first_row(h, to + 1))
            to++;
        rows = find_giver(h, held, to, row, &giver, &block);
        if (rows && giver == h->rank) {
            const struct block *b = &s->block[block];

            MPI_Isend(b->cell + (size_t)(row - b->first) * (size_t)h->width, rows * h->width,
                      MPI_DOUBLE, to, TAG_RESTORE, h->comm, &requests[n++]);
        }
        if (rows && to == h->rank)
            MPI_Irecv(heat_row(h, h->now, row), rows * h->width, MPI_DOUBLE, giver, TAG_RESTORE,
                      h->comm, &requests[n++]);
    }
    *whole_p = rows != 0;
    err = heat_finish(h, n, requests);
    free(requests);
    return err;
}

/* Collective.  Deals the rows out anew and fills them from the newest save, else from the picture. */
static int restore(struct heat *h)
{
    const struct save *s = &h->save[h->saved % 2];
    int mine[2 * BLOCKS] = {0}, held[2 * BLOCKS * RANKS_MAX], err;
    bool whole;

    heat_place(h);
    for (int i = 0; h->saved && i < s->blocks_n; i++) {
        mine[2 * i] = s->block[i].first;
        mine[2 * i + 1] = s->block[i].rows;
    }
    err = MPI_Allgather(mine, 2 * BLOCKS, MPI_INT, held, 2 * BLOCKS, MPI_INT, h->comm);
    if (!err)
        err = move_rows(h, s, held, &whole);
    if (!err && whole)
        h->step = s->step;
    else if (!err)
        heat_begin(h);
    return err;
}

/* Collective.  A new process learns which save is the newest, and of which step; it has nothing of it. */
static int share_news(struct heat *h)
{
    struct save *s = &h->save[h->saved % 2];
    long mine[2] = {h->saved, h->saved ? s->step : 0}, newest[2];
    bool new_here = h->is_new[h->rank];
    int err = MPI_Allreduce(mine, newest, 2, MPI_LONG, MPI_MAX, h->comm);

    if (!err)
        err = MPI_Allgather(&new_here, 1, MPI_C_BOOL, h->is_new, 1, MPI_C_BOOL, h->comm);
    if (err || h->saved == newest[0])
        return err;
    h->saved = (int)newest[0];
    h->save[h->saved % 2].step = newest[1];
    h->save[h->saved % 2].blocks_n = 0;
    return MPI_SUCCESS;
}

/* Collective.  The field is that of the newest save, and its copies are where they belong. */
static int resume(struct heat *h)
{
    int err = h->replaces ? share_news(h) : MPI_SUCCESS;

    if (!err)
        err = restore(h);
    if (!err)
        err = heat_save(h); /* the copies of the lost ones are replaced */
    return err;
}

/* In a process that replaces another one, which is where resume() begins. */
int heat_take_over(struct heat *h)
{
    h->is_new[h->rank] = true;
    return resume(h);
}

/* A communicator without the dead: of the survivors, or as large as before. */
static void leave_the_dead(struct heat *h)
{
    MPI_Comm next;
    int err;

    if (h->replaces) {
        while ((err = MPIX_Comm_refill(h->comm, MPI_INFO_NULL, &next)) == MPI_ERR_PROC_FAILED)
            ;
        memset(h->is_new, 0, sizeof(h->is_new));
    } else {
        err = MPIX_Comm_shrink(h->comm, &next);
    }
    if (err)
        MPI_Abort(MPI_COMM_SELF,
                  1); /* not because of a death, but because of a lack of memory or room, say */
    if (h->replaces)
        heat_join_full(h, next);
    else
        heat_join(h, next);
}

/* After an error, or at the end.  Collective over the survivors.  True: all are finished, no rank has
 * seen an error.  False: h->comm is a new communicator, and the field is that of the newest save. */
bool heat_meet(struct heat *h, bool finished)
{
    int err = MPI_SUCCESS;

    do {
        int flag = heat_saves(h) | (finished && !err ? FINISHED : 0);

        if (!finished || err)
            heat_give_up(h);                   /* nobody waits for us any longer */
        err = MPIX_Comm_agree(h->comm, &flag); /* an error if a rank has died, same everywhere */
        if (!err && flag & FINISHED)
            return true;
        leave_the_dead(h);
        heat_go_back(h, flag);
        err = resume(h);
        mark(h, MARK_RUNNING);
        marks_write(h);
    } while (err);
    return false;
}
