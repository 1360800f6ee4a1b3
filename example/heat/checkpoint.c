/* SPDX-License-Identifier: BSD-3-Clause */
/* checkpoint.c – the field in a file, for the day on which the whole job is lost.
 *
 *     PREFIX.0, PREFIX.1       written in turn, so one of them is always whole
 *
 *     header │ row 0 │ row 1 │ ...        each rank writes and reads its own rows
 *
 * 1. The header says that there is nothing; all rows are written; sync.
 * 2. The header names the step; sync.  MPI_File_sync returns the same at all survivors: if it is success, everything before it
 *    is on the disk, whichever ranks die next.
 * 3. The number of good checkpoints decides which file is written, not the step: one that failed is tried again in the same
 *    file, and so is a step that comes again after a loss, so the newest good one stays. A rank that replaces another one
 *    hears the number from the others.
 * 4. A job that begins looks at both files and goes on from the higher step. */
#include "heat.h"

#include <stdio.h>
#include <string.h>

#define MAGIC 0x68656174

struct header {
    long magic, width, height, step;
};

static const char *name_of(const struct heat *h, int which)
{
    static char name[4096];

    snprintf(name, sizeof(name), "%s.%d", h->checkpoint, which);
    return name;
}

static MPI_Offset place_of_row(const struct heat *h, int row)
{
    return (MPI_Offset)sizeof(struct header) +
           (MPI_Offset)row * h->width * (MPI_Offset)sizeof(double);
}

static void write_header(const struct heat *h, MPI_File f, long step)
{
    struct header head = {MAGIC, h->width, h->height, step};

    if (h->rank == 0) /* what it could not write, sync tells all */
        MPI_File_write_at(f, 0, &head, sizeof(head), MPI_BYTE, MPI_STATUS_IGNORE);
}

static int write_file(struct heat *h, MPI_File f)
{
    int err;

    write_header(h, f, -1);
    MPI_File_write_at_all(f, place_of_row(h, h->first), heat_row(h, h->now, h->first),
                          h->rows * h->width, MPI_DOUBLE, MPI_STATUS_IGNORE);
    err = MPI_File_sync(f); /* tells of both, at all ranks alike */
    if (err)
        return err;
    write_header(h, f, h->step);
    return MPI_File_sync(f);
}

static bool is_loss(int err)
{
    int class;

    MPI_Error_class(err, &class);
    return class == MPIX_ERR_PROC_FAILED || class == MPIX_ERR_REVOKED;
}

static int write_checkpoint(struct heat *h)
{
    long good;
    MPI_File f;
    int closed, err = MPI_Allreduce(&h->good_n, &good, 1, MPI_LONG, MPI_MAX, h->comm);

    if (!err)
        err = MPI_File_open(h->comm, name_of(h, (int)(good % 2)), MPI_MODE_CREATE | MPI_MODE_WRONLY,
                            MPI_INFO_NULL, &f);
    if (err)
        return err;
    err = write_file(h, f);
    h->good_n = good + !err;
    closed = MPI_File_close(&f);
    return err ? err : closed;
}

/* Collective.  A disk that is full costs the checkpoint, not the job. */
int heat_checkpoint(struct heat *h)
{
    int err = write_checkpoint(h);

    if (err && !is_loss(err)) {
        char why[MPI_MAX_ERROR_STRING];
        int len;

        MPI_Error_string(err, why, &len);
        view_say(h, "no checkpoint at step %ld: %.100s", h->step, why);
        err = MPI_SUCCESS;
    }
    if (err)
        heat_give_up(h);
    return err;
}

/* The step that a file holds, -1: none of this picture. */
static int look(struct heat *h, int which, MPI_File *f_p, long *step_p)
{
    struct header head = {0};
    int err = MPI_File_open(h->comm, name_of(h, which), MPI_MODE_RDONLY, MPI_INFO_NULL, f_p);

    *step_p = -1;
    if (err)
        return is_loss(err) ? err : MPI_SUCCESS;
    MPI_File_read_at_all(*f_p, 0, &head, sizeof(head), MPI_BYTE, MPI_STATUS_IGNORE);
    if (head.magic == MAGIC && head.width == h->width && head.height == h->height)
        *step_p = head.step;
    return MPI_SUCCESS;
}

/* Collective, at the beginning: the field of the newest checkpoint, if there is one. */
int heat_from_checkpoint(struct heat *h)
{
    MPI_File f[2] = {MPI_FILE_NULL, MPI_FILE_NULL};
    long step[2];
    int err = look(h, 0, &f[0], &step[0]), newest;

    if (!err)
        err = look(h, 1, &f[1], &step[1]);
    newest = !err && step[1] > step[0];
    if (!err && step[newest] >= 0) {
        err = MPI_File_read_at_all(f[newest], place_of_row(h, h->first),
                                   heat_row(h, h->now, h->first), h->rows * h->width, MPI_DOUBLE,
                                   MPI_STATUS_IGNORE);
        h->step = step[newest];
        h->good_n = newest + 1; /* the other file is next */
        view_say(h, "goes on from the checkpoint of step %ld", h->step);
    }
    for (int i = 0; i < 2; i++)
        if (f[i] != MPI_FILE_NULL)
            MPI_File_close(&f[i]);
    return err;
}
