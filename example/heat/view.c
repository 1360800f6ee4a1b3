/* SPDX-License-Identifier: BSD-3-Clause */
/* view.c – what a person sees while it runs: a live picture in a terminal, or plain lines.
 *
 * All ranks take part whether somebody looks or not, so that a run in a terminal and one without make
 * the same calls.  Everybody keeps what was said: any rank may have to take over the screen. */
#include "heat.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAUSE_S  0.05 /* between two pictures */
#define SAID     (int)(sizeof(h->view.said) / sizeof(h->view.said[0]))
#define HEAD     4 /* lines above the picture */
#define SIDE     5 /* columns left of it */
#define BAR      36
#define PERCENTS 10 /* plain lines: one every so many */

static const int rank_color[] = {75, 114, 215, 176, 80, 186};

/* The picture of the terminal: columns of cells, two rows of it in each line of text. */
static void fit(const struct heat *h, int *columns_p, int *rows_p)
{
    int columns = h->view.columns - SIDE - 1, lines = h->view.lines - HEAD - SAID - 1, rows;

    columns = columns < 8 ? 8 : columns > h->width ? h->width : columns;
    lines = lines < 4 ? 4 : lines;
    rows = columns * h->height / h->width / 2 * 2;
    if (rows > 2 * lines) {
        rows = 2 * lines;
        columns = rows * h->width / h->height;
    }
    *columns_p = columns;
    *rows_p = rows < 2 ? 2 : rows;
}

/* The row of the field that row y of the view shows; and the first row of the view in a rank. */
static int source_row(const struct heat *h, int y, int rows)
{
    return (int)((2L * y + 1) * h->height / (2L * rows));
}

static int first_shown(const struct heat *h, int rank, int rows)
{
    int y = 0;

    while (y < rows && source_row(h, y, rows) < heat_first_row(h, rank))
        y++;
    return y;
}

/* Rank 0 gets a small copy of the field, a byte for a cell.  Collective. */
static int collect(struct heat *h, int columns, int rows, unsigned char *view)
{
    int counts[RANKS_MAX], starts[RANKS_MAX], err, mine_n = 0;
    int first = first_shown(h, h->rank, rows), last = first_shown(h, h->rank + 1, rows);
    unsigned char *mine = malloc((size_t)columns * (size_t)(last - first) + 1);

    for (int y = first; y < last; y++)
        for (int x = 0; x < columns; x++) {
            const double *row = heat_row(h, h->now, source_row(h, y, rows));

            mine[mine_n++] = (unsigned char)(row[(2 * x + 1) * h->width / (2 * columns)] * 2.55);
        }
    for (int i = 0; i < h->size; i++) {
        starts[i] = first_shown(h, i, rows) * columns;
        counts[i] = first_shown(h, i + 1, rows) * columns - starts[i];
    }
    err = MPI_Gatherv(mine, mine_n, MPI_UNSIGNED_CHAR, view, counts, starts, MPI_UNSIGNED_CHAR, 0,
                      h->comm);
    free(mine);
    return err;
}

/* ---- the live picture ---- */

static void draw_bar(FILE *f, const struct heat *h)
{
    static const char *const part[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int eighths = (int)(h->step * BAR * 8 / h->steps), blanks = BAR - (eighths + 7) / 8;

    fprintf(f, "\033[38;5;209m");
    for (int i = 0; i < eighths / 8; i++)
        fprintf(f, "█");
    fprintf(f, "%s%*s\033[0m", part[eighths % 8], blanks, "");
}

static void draw_ranks(FILE *f, const struct heat *h)
{
    int room = (h->view.columns - 8) / h->world_n; /* columns for each rank */

    fprintf(f, " ranks ");
    for (int who = 0; who < h->world_n && room > 5; who++)
        if (h->lost_at[who] < 0)
            fprintf(f, "  \033[38;5;%dm● %d%s\033[0m", rank_color[who % 6], who,
                    h->is_new[who] ? " new" : "");
        else if (room < 16)
            fprintf(f, "  \033[31m✖ %d\033[0m", who);
        else
            fprintf(f, "  \033[31m✖ %d at step %ld\033[0m", who, h->lost_at[who]);
    fprintf(f, "\033[K\n\033[K\n");
}

/* A half block shows two cells: its own colour above, the background's below. */
static void draw_line(FILE *f, const unsigned char *upper, const unsigned char *lower, int columns)
{
    int was_up = -1, was_low = -1;
    unsigned char rgb[3];

    for (int x = 0; x < columns; x++) {
        palette(upper[x] / 2.55, rgb);
        if (upper[x] != was_up)
            fprintf(f, "\033[38;2;%d;%d;%dm", rgb[0], rgb[1], rgb[2]);
        palette(lower[x] / 2.55, rgb);
        if (lower[x] != was_low)
            fprintf(f, "\033[48;2;%d;%d;%dm", rgb[0], rgb[1], rgb[2]);
        fprintf(f, "▀");
        was_up = upper[x];
        was_low = lower[x];
    }
    fprintf(f, "\033[0m\033[K\n");
}

static void draw_field(FILE *f, const struct heat *h, int columns, int rows,
                       const unsigned char *view)
{
    int rank = 0;

    for (int y = 0; y < rows; y += 2) {
        bool starts = y == 0;

        while (source_row(h, y, rows) >= heat_first_row(h, rank + 1)) {
            rank++;
            starts = true;
        }
        fprintf(f, " \033[38;5;%dm", rank_color[h->world_of[rank] % 6]);
        fprintf(f, starts ? "%2d▐" : "  ▐", h->world_of[rank]);
        fprintf(f, "\033[0m ");
        draw_line(f, view + y * columns, view + (y + 1) * columns, columns);
    }
}

/* The whole screen is one write of whole lines, so nothing gets in between. */
static void draw_screen(struct heat *h, int columns, int rows, const unsigned char *view)
{
    char *text;
    size_t length;
    FILE *f = open_memstream(&text, &length);

    if (!f)
        return;
    fprintf(f, "\033[?25l%s\033[H", h->view.drawn_s == 0 ? "\033[2J" : "");
    fprintf(f, " heat, %d × %d cells\033[K\n ", h->width, h->height);
    draw_bar(f, h);
    fprintf(f, " %3ld %%  step %ld of %ld   residual %.1e °C\033[K\n", h->step * 100 / h->steps,
            h->step, h->steps, h->residual);
    draw_ranks(f, h);
    draw_field(f, h, columns, rows, view);
    for (int i = 0; i < SAID; i++)
        fprintf(f, " %.*s\033[K\n", h->view.columns - 2, h->view.said[i]);
    fclose(f);
    fwrite(text, 1, length, stdout);
    fflush(stdout);
    free(text);
}

/* ---- plain lines ---- */

static void print_line(const struct heat *h)
{
    printf("heat: step %6ld of %ld, %3ld %%, residual %.2e, alive:", h->step, h->steps,
           h->step * 100 / h->steps, h->residual);
    for (int i = 0; i < h->size; i++)
        printf(" %d", h->world_of[i]);
    printf("\n");
    fflush(stdout);
}

static bool line_is_due(const struct heat *h)
{
    return h->step * 100 / h->steps / PERCENTS != (h->step - SHOW) * 100 / h->steps / PERCENTS;
}

/* ---- for the others ---- */

int view_show(struct heat *h)
{
    int columns, rows, err;
    unsigned char *view = NULL;
    double now = MPI_Wtime();

    fit(h, &columns, &rows);
    if (h->rank == 0)
        view = malloc((size_t)columns * (size_t)rows);
    err = collect(h, columns, rows, view);
    if (!err && h->rank == 0 && h->view.mode == VIEW_LIVE &&
        (now >= h->view.drawn_s + PAUSE_S || h->step == h->steps)) {
        draw_screen(h, columns, rows, view);
        h->view.drawn_s = now;
    }
    if (!err && h->rank == 0 && h->view.mode == VIEW_LINES && line_is_due(h))
        print_line(h);
    free(view);
    return err;
}

void view_say(struct heat *h, const char *format, ...)
{
    char text[sizeof(h->view.said[0])];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    memmove(h->view.said[0], h->view.said[1], sizeof(h->view.said) - sizeof(h->view.said[0]));
    strcpy(h->view.said[SAID - 1], text);
    if (h->rank == 0 && h->view.mode == VIEW_LINES) {
        printf("heat: %s\n", text);
        fflush(stdout);
    }
}

void view_end(struct heat *h)
{
    if (h->rank == 0 && h->view.mode == VIEW_LIVE)
        printf("\033[?25h");
    if (h->rank == 0)
        printf("heat: finished on %d of %d ranks after %ld steps, residual %.3e\n", h->size,
               h->world_n, h->step, h->residual);
    fflush(stdout);
}
