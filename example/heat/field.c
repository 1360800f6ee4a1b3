/* SPDX-License-Identifier: BSD-3-Clause */
/* field.c – the rows of one rank, and one step of the computation.
 *
 *        halo row      from the rank above
 *      +-----------+
 *      | first     |
 *      |   ...     |   rows
 *      | last      |
 *      +-----------+
 *        halo row      from the rank below */
#include "heat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOT  80.0 /* warmer and colder cells than these keep their temperature */
#define COLD 10.0

#define TAG_DOWN 3
#define TAG_UP   4

double *heat_cells(const struct heat *h, double *old, int rows)
{
    double *cells = realloc(old, heat_bytes(h, rows));

    if (!cells) {
        fprintf(stderr, "heat: no memory for %d rows\n", rows);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return cells;
}

static double celsius(const struct heat *h, int row, int column)
{
    return h->start.at[(size_t)row * (size_t)h->width + (size_t)column] * (100.0 / 255);
}

static bool is_held(const struct heat *h, int row, int column)
{
    double t = celsius(h, row, column);

    return row == 0 || column == 0 || row == h->height - 1 || column == h->width - 1 || t >= HOT ||
           t <= COLD;
}

void heat_place(struct heat *h)
{
    h->first = heat_first_row(h, h->rank);
    h->rows = heat_rows_of(h, h->rank);
    h->now = heat_cells(h, h->now, h->rows + 2);
    h->next = heat_cells(h, h->next, h->rows + 2);
    h->held = heat_cells(h, h->held, h->rows + 2);
    memset(h->now, 0, heat_bytes(h, h->rows + 2));
    for (int row = h->first; row < h->first + h->rows; row++)
        for (int column = 0; column < h->width; column++)
            heat_row(h, h->held, row)[column] = is_held(h, row, column);
}

void heat_begin(struct heat *h)
{
    h->step = 0;
    for (int row = h->first; row < h->first + h->rows; row++)
        for (int column = 0; column < h->width; column++)
            heat_row(h, h->now, row)[column] = celsius(h, row, column);
}

int heat_halos(struct heat *h)
{
    int up = h->rank ? h->rank - 1 : MPI_PROC_NULL;
    int down = h->rank + 1 < h->size ? h->rank + 1 : MPI_PROC_NULL;
    int last = h->first + h->rows - 1;
    MPI_Request r[4];

    MPI_Irecv(heat_row(h, h->now, h->first - 1), h->width, MPI_DOUBLE, up, TAG_DOWN, h->comm,
              &r[0]);
    MPI_Irecv(heat_row(h, h->now, last + 1), h->width, MPI_DOUBLE, down, TAG_UP, h->comm, &r[1]);
    MPI_Isend(heat_row(h, h->now, h->first), h->width, MPI_DOUBLE, up, TAG_UP, h->comm, &r[2]);
    MPI_Isend(heat_row(h, h->now, last), h->width, MPI_DOUBLE, down, TAG_DOWN, h->comm, &r[3]);
    return heat_finish(h, 4, r);
}

void heat_compute(struct heat *h)
{
    for (int row = h->first; row < h->first + h->rows; row++) {
        const double *above = heat_row(h, h->now, row - 1), *here = heat_row(h, h->now, row);
        const double *below = heat_row(h, h->now, row + 1), *held = heat_row(h, h->held, row);
        double *restrict next = heat_row(h, h->next, row);

        next[0] = here[0];
        for (int i = 1; i < h->width - 1; i++) {
            double mean = 0.25 * ((above[i] + below[i]) + (here[i - 1] + here[i + 1]));

            next[i] = held[i] != 0 ? here[i] : mean;
        }
        next[h->width - 1] = here[h->width - 1];
    }
}

double heat_change(const struct heat *h)
{
    const double *a = heat_row(h, h->now, h->first), *b = heat_row(h, h->next, h->first);
    double most = 0;

    for (size_t i = 0; i < (size_t)h->rows * (size_t)h->width; i++) {
        double change = a[i] < b[i] ? b[i] - a[i] : a[i] - b[i];

        most = change > most ? change : most;
    }
    return most;
}
