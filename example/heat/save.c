/* SPDX-License-Identifier: BSD-3-Clause */
/* save.c – copies of the field in the memory of neighbours.
 *
 * Every so many steps each rank gives a copy of its rows to the COPIES ranks after it:
 *
 *     rank        0         1         2         3
 *     own rows    A         B         C         D
 *     copies      D C       A D       B A       C B
 *
 * What may be lost at the same moment: any COPIES ranks; more, as long as the lost ones are not
 * COPIES + 1 or more in a row of the ring, for then the rows of the first are nowhere.
 *
 * Two saves are kept.  The older one is overwritten only after a barrier has shown that everybody
 * has the newer one, so there is always one that all survivors have. */
#include "heat.h"

#include <string.h>

#define TAG_SAVE 1

/* Gives our rows away and takes those of others.  block[0] is our own. */
static int swap_copies(struct heat *h, struct save *s)
{
    MPI_Request requests[2 * COPIES];
    struct block *own = &s->block[0];
    int n = 0;

    for (int i = 1; i < s->blocks_n; i++) {
        struct block *b = &s->block[i];
        int from = (h->rank - i + h->size) % h->size, to = (h->rank + i) % h->size;

        MPI_Irecv(b->cell, b->rows * h->width, MPI_DOUBLE, from, TAG_SAVE, h->comm, &requests[n++]);
        MPI_Isend(own->cell, own->rows * h->width, MPI_DOUBLE, to, TAG_SAVE, h->comm,
                  &requests[n++]);
    }
    return heat_finish(h, n, requests);
}

/* Collective. */
int heat_save(struct heat *h)
{
    struct save *s = &h->save[(h->saved + 1) % 2];
    int err, copies = h->size - 1 < COPIES ? h->size - 1 : COPIES;

    s->number = 0; /* until it is complete */
    s->step = h->step;
    s->blocks_n = 1 + copies;
    for (int i = 0; i <= copies; i++) {
        int owner = (h->rank - i + h->size) % h->size;

        s->block[i].first = heat_first_row(h, owner);
        s->block[i].rows = heat_rows_of(h, owner);
        s->block[i].cell = heat_cells(h, s->block[i].cell, s->block[i].rows);
    }
    memcpy(s->block[0].cell, heat_row(h, h->now, h->first), heat_bytes(h, h->rows));
    err = swap_copies(h, s);
    if (err)
        return err;
    s->number = h->saved + 1;
    err = MPI_Barrier(h->comm);
    if (!err)
        h->saved = s->number;
    return err;
}

/* One bit for each save that is complete here: its number, modulo 30. */
int heat_saves(const struct heat *h)
{
    int bits = 0;

    for (int i = 0; i < 2; i++)
        if (h->save[i].number)
            bits |= 1 << h->save[i].number % 30;
    return bits;
}

/* The newest save that all survivors have becomes the newest here; none: the picture is it. */
void heat_go_back(struct heat *h, int bits_of_all)
{
    h->saved = 0;
    for (int i = 0; i < 2; i++) {
        struct save *s = &h->save[i];

        if (s->number && !(bits_of_all & 1 << s->number % 30))
            s->number = 0; /* a survivor does not have it */
        if (s->number > h->saved)
            h->saved = s->number;
    }
}
