/* SPDX-License-Identifier: BSD-3-Clause */
/* heat.c – how heat spreads over a picture; keeps going when ranks are lost.
 *
 *     mpiexec -n 4 ./heat --out result island.png
 *
 * The brightness of a pixel is the temperature of a cell at the start, 0 to 100 degrees C.  The
 * edge, the brightest and the darkest parts keep theirs; every other cell becomes the mean of its
 * four neighbours, again and again.  Each rank has a band of rows, and a halo row above and below
 * that it gets from its neighbours in each step.
 *
 * 1. A cell is computed by the same operations in the same order whichever rank computes it, and the
 *    residual is a maximum: the result has the same bits for any number of ranks.
 * 2. Steps, looks at the residual, saves and views come at fixed steps, never at times: a run can be
 *    repeated exactly, the injected failures included. */
#include "heat.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void change_comm(struct heat *h, MPI_Comm comm)
{
    if (h->comm != MPI_COMM_NULL && h->comm != MPI_COMM_WORLD)
        MPI_Comm_free(&h->comm);
    h->comm = comm;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &h->rank);
    MPI_Comm_size(comm, &h->size);
}

void heat_join_full(struct heat *h, MPI_Comm comm)
{
    change_comm(h, comm);
    h->me = h->rank;
    h->world_n = h->size;
    for (int i = 0; i < h->size; i++)
        h->world_of[i] = i;
}

void heat_join(struct heat *h, MPI_Comm comm)
{
    MPI_Group world, living;
    int all[RANKS_MAX];

    change_comm(h, comm);
    MPI_Comm_group(comm, &living);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < h->size; i++)
        all[i] = i;
    MPI_Group_translate_ranks(living, h->size, all, world, h->world_of);
    MPI_Group_free(&living);
    MPI_Group_free(&world);
    for (int who = 0, i = 0; who < h->world_n; who++)
        if (i < h->size && h->world_of[i] == who)
            i++;
        else if (h->lost_at[who] < 0)
            h->lost_at[who] = h->step;
}

void heat_give_up(struct heat *h)
{
    mark(h, MARK_DETECTED);
    MPIX_Comm_revoke(h->comm);
}

int heat_finish(struct heat *h, int n, MPI_Request *requests)
{
    int err = MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);

    if (err) {
        heat_give_up(h);
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    }
    return err;
}

static int one_step(struct heat *h)
{
    double *swap, most;
    int err = heat_halos(h);

    if (err)
        return err;
    heat_compute(h);
    if ((h->step + 1) % CHECK == 0) {
        most = heat_change(h);
        err = MPI_Allreduce(&most, &h->residual, 1, MPI_DOUBLE, MPI_MAX, h->comm);
        if (err)
            return err;
    }
    swap = h->now;
    h->now = h->next;
    h->next = swap;
    h->step++;
    return MPI_SUCCESS;
}

static bool save_is_due(const struct heat *h)
{
    return h->step % h->save_every == 0 && !(h->saved && h->save[h->saved % 2].step == h->step);
}

/* Rank 0 gets the whole field and writes it. */
static int write_result(struct heat *h, const char *out)
{
    int counts[RANKS_MAX], starts[RANKS_MAX], err;
    double *whole = h->rank == 0 ? heat_cells(h, NULL, h->height) : NULL;

    for (int i = 0; i < h->size; i++) {
        counts[i] = heat_rows_of(h, i) * h->width;
        starts[i] = heat_first_row(h, i) * h->width;
    }
    err = MPI_Gatherv(heat_row(h, h->now, h->first), h->rows * h->width, MPI_DOUBLE, whole, counts,
                      starts, MPI_DOUBLE, 0, h->comm);
    if (!err && whole && !picture_result(out, h, whole))
        MPI_Abort(MPI_COMM_WORLD, 1);
    free(whole);
    return err;
}

/* From where we are to the end, or to the first error. */
static int run(struct heat *h, const char *out)
{
    int err = MPI_SUCCESS;

    while (!err && h->step < h->steps) {
        if (save_is_due(h))
            err = heat_save(h);
        if (!err && h->checkpoint && h->step > 0 && h->step % h->checkpoint_every == 0)
            err = heat_checkpoint(h);
        if (!err)
            err = one_step(h);
        if (!err && h->step % SHOW == 0)
            err = view_show(h);
    }
    return err ? err : write_result(h, out);
}

static void say_lost(struct heat *h, long left)
{
    char who[64] = "";
    size_t n = 0;

    for (int i = 0; i < h->world_n; i++)
        if ((h->replaces ? h->is_new[i] : h->lost_at[i] == left) && n < sizeof(who) - 8)
            n += (size_t)snprintf(who + n, sizeof(who) - n, " %d", i);
    view_say(h, "lost rank%s at step %ld; %s%d ranks go on from step %ld, %s", who, left,
             h->replaces ? "replaced; " : "", h->size, h->step,
             h->saved && h->step ? "with the rows that its neighbours kept" : "from the picture");
}

/* ---- command line ---- */

static _Noreturn void usage(int status)
{
    fputs("Usage: mpiexec -n RANKS heat [OPTIONS] PICTURE.png\n"
          "  --out PREFIX         write PREFIX.png and PREFIX.f64 (raw doubles); default heat\n"
          "  --steps N            default 12000\n"
          "  --save-every N       steps between two saves in memory, default 100\n"
          "  --checkpoint PREFIX  write the field to PREFIX.0 and PREFIX.1 in turn; begin with the "
          "newer one\n"
          "  --every N            steps between two checkpoints, default 1000\n"
          "  --replace            lost ranks are replaced by new processes\n"
          "  --view lines|live|none\n"
          "  --term COLSxROWS     size of the terminal for --view live, default 80x24\n"
          "  --marks FILE         add moments of each recovery, for mend-timeline\n",
          status ? stderr : stdout);
    exit(status);
}

static long number(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (*end || n < 1)
        usage(2);
    return n;
}

static void read_options(struct heat *h, int argc, char **argv, const char **out_p,
                         const char **picture_p)
{
    static const struct option known[] = {
        {"out", 1, NULL, 'o'},
        {"steps", 1, NULL, 's'},
        {"save-every", 1, NULL, 'k'},
        {"view", 1, NULL, 'v'},
        {"term", 1, NULL, 't'},
        {"marks", 1, NULL, 'm'},
        {"checkpoint", 1, NULL, 'c'},
        {"every", 1, NULL, 'e'},
        {"replace", 0, NULL, 'r'},
        {"help", 0, NULL, 'h'},
        {0},
    };

    for (int c; (c = getopt_long(argc, argv, "h", known, NULL)) != -1;)
        if (c == 'o')
            *out_p = optarg;
        else if (c == 's')
            h->steps = number(optarg);
        else if (c == 'k')
            h->save_every = number(optarg);
        else if (c == 'c')
            h->checkpoint = optarg;
        else if (c == 'e')
            h->checkpoint_every = number(optarg);
        else if (c == 'r')
            h->replaces = true;
        else if (c == 'm')
            h->marks_path = optarg;
        else if (c == 'v')
            h->view.mode = *optarg == 'l' && optarg[2] == 'v' ? VIEW_LIVE
                           : *optarg == 'l'                   ? VIEW_LINES
                                                              : VIEW_NONE;
        else if (c != 't' || sscanf(optarg, "%dx%d", &h->view.columns, &h->view.lines) != 2)
            usage(c == 'h' ? 0 : 2);
    if (optind != argc - 1)
        usage(2);
    *picture_p = argv[optind];
}

/* The first communicator: of all ranks, or, in a process that replaces another one, as whole as it was. */
static void begin(struct heat *h, MPI_Comm full)
{
    if (full != MPI_COMM_NULL) {
        heat_join_full(h, full);
        h->marks_path = NULL; /* mpiexec counts it by another number, which it does not know */
        return;
    }
    MPI_Comm_size(MPI_COMM_WORLD, &h->world_n);
    MPI_Comm_rank(MPI_COMM_WORLD, &h->me);
    if (h->world_n <= RANKS_MAX)
        heat_join(h, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    struct heat h = {.comm = MPI_COMM_NULL,
                     .steps = 12000,
                     .save_every = 100,
                     .checkpoint_every = 1000,
                     .view = {.columns = 80, .lines = 24}};
    const char *out = "heat", *picture;
    MPI_Comm full;
    long left;
    int err = MPI_SUCCESS;

    MPI_Init(&argc, &argv);
    read_options(&h, argc, argv, &out, &picture);
    MPIX_Comm_refilled(&full);
    memset(h.lost_at, -1, sizeof(h.lost_at));
    begin(&h, full);
    if (!png_read_gray(picture, &h.start))
        MPI_Abort(MPI_COMM_WORLD, 1);
    h.width = h.start.width;
    h.height = h.start.height;
    if (h.world_n > RANKS_MAX || h.world_n > h.height) {
        fprintf(stderr, "heat: %d ranks are too many\n", h.world_n);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    heat_place(&h);
    heat_begin(&h);
    if (h.checkpoint && full == MPI_COMM_NULL)
        err = heat_from_checkpoint(&h);
    if (full != MPI_COMM_NULL) {
        err = heat_take_over(&h);
        view_say(&h, "a new process has rank %d, from step %ld on", h.rank, h.step);
    }
    for (;;) {
        if (!err)
            err = run(&h, out);
        left = h.step;
        if (heat_meet(&h, !err))
            break;
        err = MPI_SUCCESS;
        say_lost(&h, left);
    }
    view_end(&h);
    return MPI_Finalize();
}
