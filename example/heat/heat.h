/* SPDX-License-Identifier: BSD-3-Clause */
/* heat.h – one rank's part of the solver, and what its files offer each other. */
#ifndef HEAT_H
#define HEAT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "palette.h"
#include "png_file.h"

#define COPIES    2 /* ranks that keep a copy of ours; survives that many losses at once, always */
#define BLOCKS    (1 + COPIES)
#define CHECK     10 /* steps between two looks at the residual */
#define SHOW      50 /* steps between two looks at the field */
#define RANKS_MAX 64

/* Rows [first, first + rows) of the field at the step of a save. */
struct block {
    int first, rows;
    double *cell;
};

/* What a rank remembers of one moment: its own rows and those of the COPIES ranks before it. */
struct save {
    int number; /* 1, 2, ...; 0: nothing, or not complete */
    long step;
    int blocks_n;
    struct block block[BLOCKS];
};

/* Moments of a recovery that the library cannot know; mend-timeline draws them beside its own. */
enum mark { MARK_DETECTED, MARK_RUNNING, MARKS };

enum view_mode { VIEW_LINES, VIEW_LIVE, VIEW_NONE };

struct view {
    enum view_mode mode;
    int columns, lines; /* of the terminal */
    double drawn_s;     /* when the last picture was drawn */
    char said[4][160];  /* the last things that happened, newest last */
    int shown;          /* rows on the screen */
};

struct heat {
    MPI_Comm comm;           /* of the survivors; errors come back as codes */
    int rank, size;          /* in comm */
    int me, world_n;         /* in MPI_COMM_WORLD, for people */
    int world_of[RANKS_MAX]; /* rank in comm -> rank in MPI_COMM_WORLD */
    long lost_at[RANKS_MAX]; /* rank in MPI_COMM_WORLD -> step of its loss, -1: alive */
    bool
        replaces; /* lost ranks are replaced; then comm has the size and the ranks of the first one */
    bool is_new[RANKS_MAX]; /* a process that has replaced another one */
    struct gray start;      /* the picture; every rank has all of it */
    int width, height;      /* of the whole field, cells */
    int first, rows;        /* our part of it */
    double *now, *next;     /* rows + 2 with the halos above and below, temperatures in degrees C */
    double *held;           /* the same shape: not 0 where the temperature is held */
    long step, steps;
    double residual; /* largest change of a cell in one step, degrees C */
    long save_every;
    int saved;              /* number of the newest save that is known to be everywhere */
    struct save save[2];    /* save number n is in save[n % 2] */
    const char *checkpoint; /* prefix of the files, or NULL */
    long checkpoint_every;
    long good_n; /* checkpoints that are good, as far as this rank has heard */
    const char *marks_path;
    double mark_s[MARKS];
    struct view view;
};

/* How the rows are dealt out. */
static inline int heat_first_row(const struct heat *h, int rank)
{
    return (int)((long)h->height * rank / h->size);
}

static inline int heat_rows_of(const struct heat *h, int rank)
{
    return heat_first_row(h, rank + 1) - heat_first_row(h, rank);
}

static inline double *heat_row(const struct heat *h, double *cells, int row)
{
    return cells + (size_t)(row - h->first + 1) * (size_t)h->width;
}

static inline size_t heat_bytes(const struct heat *h, int rows)
{
    return (size_t)rows * (size_t)h->width * sizeof(double);
}

/* field.c */

/* Memory for that many rows, instead of `old`; ends the job if there is none. */
double *heat_cells(const struct heat *h, double *old, int rows);

/* Deals out the rows, with fresh memory for ours. */
void heat_place(struct heat *h);

/* Our rows as they are in the picture, step 0. */
void heat_begin(struct heat *h);

/* One step: our first and last row go to the neighbours and theirs come into the halos; then all
 * cells of `next` from those of `now`; then the largest difference between the two. */
int heat_halos(struct heat *h);
void heat_compute(struct heat *h);
double heat_change(const struct heat *h);

/* heat.c */

/* A new communicator: which ranks are in it, which are missing. */
void heat_join(struct heat *h, MPI_Comm comm);

/* A communicator of the old size, with new processes at the ranks that were lost. */
void heat_join_full(struct heat *h, MPI_Comm comm);

/* We have seen an error: revokes the communicator. */
void heat_give_up(struct heat *h);

/* Waits for all requests.  After an error none of them touches memory any more: the communicator is
 * revoked, so what was still pending has returned, too. */
int heat_finish(struct heat *h, int n, MPI_Request *requests);

/* save.c */
int heat_save(struct heat *h);
int heat_saves(const struct heat *h);
void heat_go_back(struct heat *h, int bits_of_all);

/* recover.c */
bool heat_meet(struct heat *h, bool finished);
int heat_take_over(struct heat *h);

/* checkpoint.c: collective.  MPI_SUCCESS also if the file cannot be written. */
int heat_checkpoint(struct heat *h);
int heat_from_checkpoint(struct heat *h);

/* marks.c */
void mark(struct heat *h, enum mark what);
void marks_write(struct heat *h);

/* view.c: collective, so it may fail as any call may. */
int view_show(struct heat *h);
void view_end(struct heat *h);
void view_say(struct heat *h, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* picture.c: PREFIX.png, a false-coloured picture of the field, and PREFIX.f64, its raw numbers. */
bool picture_result(const char *prefix, const struct heat *h, const double *field);

#endif
