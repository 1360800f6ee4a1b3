/* SPDX-License-Identifier: BSD-3-Clause */
/* timeline.c – heat-timeline: draws what happened between the death of a rank and "all go on".
 *
 *     heat-timeline REPORT MARKS OUT.png [RANK=WHERE]...
 *
 * REPORT is what mpiexec --report wrote (the kill, the death, the verdict, the notices), MARKS what
 * heat --marks wrote; both are JSON lines.  WHERE says in words where that rank was killed.  One panel
 * for each failure; ranks that die before the others run again share one.
 *
 * Both clocks run alike, but the report's begins with the job.  What they have in common is each
 * shrink: its line in the report is written just before the program gets its communicator.  The
 * smallest of these differences is the beginning of the job, give or take some microseconds. */
#include "canvas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INK     0x25282eu
#define FAINT   0x8a9099u
#define GRID    0xe3e6eau
#define RED     0xd03a2cu
#define LANE    26 /* height of a rank's lane */
#define BAR     14
#define HEAD    84  /* above the first panel */
#define ROOM    104 /* of a panel beside its lanes */
#define LEFT_X  128 /* the axis that begins with the kill */
#define WIDE    400
#define OWN_X   (LEFT_X + WIDE + 36) /* the axis that begins when the rank itself is told */
#define OWN     330
#define TABLE_X (OWN_X + OWN + 34)
#define COLUMN  66 /* of the table on the right */
#define MAX     256

enum moment { DETECTED, REVOKED, AGREED, SHRUNK, RUNNING, MOMENTS };

static const char *const moment_key[] = {"detected_s", "revoked_s", "agreed_s", "shrunk_s",
                                         "running_s"};
static const char *const moment_name[] = {"detected", "revoked", "agreed", "shrunk", "running"};

/* What a rank does until the moment of the same number; last: after the last one. */
static const unsigned phase_color[] = {0xc9ced6, 0xf0a33c, 0x4f8fd9, 0x8a63c8, 0x2fa6a0, 0x6cb64c};
static const char *const phase_name[] = {"not yet told",       "revoke", "agree", "shrink",
                                         "restore rows, save", "compute"};

struct death {
    int rank;
    double kill_s, seen_s, verdict_s; /* killed; seen by the agent; declared */
};

struct instant {
    int rank;
    double at_s;
};

struct recovery {
    int rank;
    double at_s[MOMENTS]; /* 0: there was no such moment */
};

struct story {
    struct death death[MAX];
    struct instant notice[MAX], shrink[MAX];
    struct recovery recovery[MAX];
    int deaths_n, notices_n, shrinks_n, recoveries_n, ranks_n;
    char where[MAX][64];
};

/* ---- reading ---- */

/* The number behind "key": in a line; NAN if it is not there. */
static double number(const char *line, const char *key)
{
    char quoted[64];
    const char *at;

    snprintf(quoted, sizeof(quoted), "\"%s\":", key);
    at = strstr(line, quoted);
    return at ? atof(at + strlen(quoted)) : NAN;
}

static bool is_event(const char *line, const char *name)
{
    char quoted[64];

    snprintf(quoted, sizeof(quoted), "\"event\":\"%s\"", name);
    return strstr(line, quoted) != NULL;
}

static struct death *death_of(struct story *s, int rank)
{
    for (int i = 0; i < s->deaths_n; i++)
        if (s->death[i].rank == rank)
            return &s->death[i];
    if (s->deaths_n == MAX)
        exit(1);
    s->death[s->deaths_n] = (struct death){.rank = rank, .kill_s = NAN, .seen_s = NAN};
    return &s->death[s->deaths_n++];
}

static void read_report_line(struct story *s, const char *line)
{
    double at_s = number(line, "t_ns") * 1e-9;
    int rank = (int)number(line, "rank");

    if (is_event(line, "start"))
        s->ranks_n = (int)number(line, "ranks");
    else if (is_event(line, "inject"))
        death_of(s, rank)->kill_s = at_s;
    else if (is_event(line, "death"))
        death_of(s, rank)->seen_s = at_s;
    else if (is_event(line, "verdict"))
        death_of(s, rank)->verdict_s = at_s;
    else if (is_event(line, "notice") && s->notices_n < MAX)
        s->notice[s->notices_n++] = (struct instant){.rank = rank, .at_s = at_s};
    else if (is_event(line, "shrink") && s->shrinks_n < MAX)
        s->shrink[s->shrinks_n++] = (struct instant){.rank = rank, .at_s = at_s};
}

static void read_mark_line(struct story *s, const char *line)
{
    struct recovery *r = &s->recovery[s->recoveries_n];

    if (s->recoveries_n == MAX || isnan(number(line, "rank")))
        return;
    r->rank = (int)number(line, "rank");
    for (int m = 0; m < MOMENTS; m++)
        r->at_s[m] = number(line, moment_key[m]);
    s->recoveries_n++;
}

static bool read_lines(struct story *s, const char *path,
                       void (*on_line)(struct story *, const char *))
{
    char line[1024];
    FILE *f = fopen(path, "r");

    if (!f) {
        perror(path);
        return false;
    }
    while (fgets(line, sizeof(line), f))
        on_line(s, line);
    fclose(f);
    return true;
}

/* The n-th recovery of a rank belongs to its n-th shrink.  Takes the beginning of the job off all
 * marks. */
static void align(struct story *s)
{
    double start_s = INFINITY;

    for (int i = 0; i < s->shrinks_n; i++) {
        int n = 0, rank = s->shrink[i].rank;

        for (int j = 0; j < i; j++)
            n += s->shrink[j].rank == rank;
        for (int j = 0; j < s->recoveries_n; j++)
            if (s->recovery[j].rank == rank && n-- == 0)
                start_s = fmin(start_s, s->recovery[j].at_s[SHRUNK] - s->shrink[i].at_s);
    }
    for (int i = 0; i < s->recoveries_n; i++)
        for (int m = 0; m < MOMENTS; m++)
            s->recovery[i].at_s[m] -= s->recovery[i].at_s[m] > 0 ? start_s : 0;
}

static int by_time(const void *a, const void *b)
{
    const struct death *x = a, *y = b;

    return x->kill_s < y->kill_s ? -1 : x->kill_s > y->kill_s;
}

static bool read_story(struct story *s, const char *report, const char *marks)
{
    if (!read_lines(s, report, read_report_line) || !read_lines(s, marks, read_mark_line))
        return false;
    for (int i = 0; i < s->deaths_n; i++)
        if (isnan(s->death[i].kill_s)) /* killed from outside: nobody knows better */
            s->death[i].kill_s = s->death[i].seen_s;
    qsort(s->death, (size_t)s->deaths_n, sizeof(s->death[0]), by_time);
    align(s);
    return s->ranks_n > 0;
}

/* ---- panels ---- */

/* Logarithmic. */
struct axis {
    double x, wide, from_us, to_us;
};

struct panel {
    const struct story *s;
    int first, last;      /* deaths */
    double zero_s, end_s; /* first kill; the next panel's, or for ever */
    struct axis kill, own;
    int y; /* top of the lanes */
};

/* Whether all were running again between two deaths. */
static bool apart(const struct story *s, int a, int b)
{
    for (int i = 0; i < s->recoveries_n; i++) {
        double at_s = s->recovery[i].at_s[RUNNING];

        if (at_s > s->death[a].kill_s && at_s < s->death[b].kill_s)
            return true;
    }
    return false;
}

static bool inside(const struct panel *p, const struct recovery *r)
{
    double at_s = r->at_s[AGREED];

    return at_s >= p->zero_s && at_s < p->end_s;
}

static double micro(const struct panel *p, double at_s)
{
    return (at_s - p->zero_s) * 1e6;
}

static void widen(struct axis *a, double us)
{
    if (us > 1)
        a->from_us = fmin(a->from_us, us);
    a->to_us = fmax(a->to_us, us);
}

/* Widens the axes so that all of the panel is on them. */
static void find_axes(const struct panel *p, struct axis *kill, struct axis *own)
{
    for (int i = 0; i < p->s->recoveries_n; i++) {
        const struct recovery *r = &p->s->recovery[i];

        for (int m = 0; inside(p, r) && m < MOMENTS; m++)
            if (r->at_s[m] > 0) {
                widen(kill, micro(p, r->at_s[m]));
                if (r->at_s[DETECTED] > 0)
                    widen(own, (r->at_s[m] - r->at_s[DETECTED]) * 1e6);
            }
    }
    for (int i = p->first; i <= p->last; i++)
        widen(kill, micro(p, p->s->death[i].seen_s));
}

static void round_axis(struct axis *a)
{
    a->from_us = pow(10, floor(log10(a->from_us) + 1e-9));
    a->to_us *= 1.6;
}

static double x_of(const struct axis *a, double us)
{
    double part = us > a->from_us ? log10(us / a->from_us) / log10(a->to_us / a->from_us) : 0;

    return a->x + a->wide * fmin(part, 1);
}

static int lane_y(const struct panel *p, int lane)
{
    return p->y + lane * LANE + LANE / 2;
}

/* ---- drawing ---- */

static void draw_diamond(struct canvas *c, double x, double y, unsigned color)
{
    canvas_line(c, x, y - 3, x + 3, y, 3, color);
    canvas_line(c, x + 3, y, x, y + 3, 3, color);
    canvas_line(c, x, y + 3, x - 3, y, 3, color);
    canvas_line(c, x - 3, y, x, y - 3, 3, color);
}

static void draw_cross(struct canvas *c, double x, double y)
{
    canvas_line(c, x - 5, y - 5, x + 5, y + 5, 3, RED);
    canvas_line(c, x - 5, y + 5, x + 5, y - 5, 3, RED);
}

/* A line for each power of ten, a tick for 2 to 9 times it. */
static void draw_axis(struct canvas *c, const struct axis *a, int top, int bottom,
                      const char *title)
{
    char text[32];

    for (double decade = a->from_us; decade < a->to_us; decade *= 10)
        for (int i = 1; i < 10 && i * decade <= a->to_us; i++) {
            double x = x_of(a, i * decade);

            canvas_line(c, x, bottom, x, bottom + (i == 1 ? 6 : 3), 1, FAINT);
            if (i > 1)
                continue;
            canvas_line(c, x, top, x, bottom, 1, GRID);
            snprintf(text, sizeof(text), "%g", decade);
            canvas_text(c, x, bottom + 19, 8, CENTER, INK, text);
        }
    canvas_line(c, a->x, bottom, a->x + a->wide, bottom, 1, FAINT);
    canvas_text(c, a->x + a->wide / 2, bottom + 37, 8, CENTER, INK, title);
}

static void draw_name(struct canvas *c, const struct panel *p, int lane, int rank, const char *more)
{
    char text[64];

    snprintf(text, sizeof(text), "rank %d%s", rank, more);
    canvas_text(c, LEFT_X - 14, lane_y(p, lane) + 4, 8, RIGHT, INK, text);
}

static void draw_dead(struct canvas *c, const struct panel *p, int lane, const struct death *d)
{
    double x = x_of(&p->kill, micro(p, d->kill_s)), y = lane_y(p, lane);

    draw_name(c, p, lane, d->rank, ", killed");
    if (x > LEFT_X)
        canvas_box(c, LEFT_X, y - BAR / 2.0, x - LEFT_X, BAR, phase_color[MOMENTS]);
    draw_cross(c, x, y);
}

static void draw_agent(struct canvas *c, const struct panel *p, int lane)
{
    char text[256] = "";
    size_t n = 0;
    int y = lane_y(p, lane);

    canvas_text(c, LEFT_X - 14, y + 4, 8, RIGHT, INK, "mpiexec");
    for (int i = p->first; i <= p->last; i++) {
        double seen_us = micro(p, p->s->death[i].seen_s);

        draw_diamond(c, x_of(&p->kill, seen_us), y, RED);
        if (n < sizeof(text) - 64)
            n += (size_t)snprintf(text + n, sizeof(text) - n,
                                  "%sseen after %.0f µs, declared after %.0f µs", n ? "; " : "",
                                  seen_us, micro(p, p->s->death[i].verdict_s));
    }
    canvas_text(c, OWN_X, y + 4, 8, LEFT, INK, text);
}

/* The bar of one recovery of a rank: a piece for each phase.  from: where the one before it ended. */
static void draw_recovery(struct canvas *c, const struct axis *a, double zero_s, int middle,
                          const struct recovery *r, enum moment from)
{
    double y = middle - BAR / 2.0, x = from == DETECTED ? a->x : NAN;

    for (int m = 0; m < MOMENTS; m++) {
        double to = x_of(a, (r->at_s[m] - zero_s) * 1e6);

        if (!(r->at_s[m] > 0))
            continue;
        if (!isnan(x) && to > x)
            canvas_box(c, x, y, to - x, BAR, phase_color[m]);
        x = to;
    }
    canvas_box(c, x, y, a->x + a->wide - x, BAR, phase_color[MOMENTS]);
}

/* When the library heard of it: a small mark below the bar. */
static void draw_notices(struct canvas *c, const struct panel *p, int lane, int rank)
{
    double y = lane_y(p, lane) + BAR / 2.0;

    for (int i = 0; i < p->s->notices_n; i++) {
        const struct instant *n = &p->s->notice[i];
        double x = x_of(&p->kill, micro(p, n->at_s));

        if (n->rank != rank || n->at_s < p->zero_s || n->at_s >= p->end_s)
            continue;
        canvas_line(c, x, y - 2, x - 3, y + 4, 1.4, RED);
        canvas_line(c, x, y - 2, x + 3, y + 4, 1.4, RED);
    }
}

static void draw_numbers(struct canvas *c, const struct panel *p, int lane, const double *at_us)
{
    char text[32];

    for (int m = 0; m < MOMENTS; m++) {
        snprintf(text, sizeof(text), "%.0f", at_us[m]);
        canvas_text(c, TABLE_X + (m + 1) * COLUMN, lane_y(p, lane) + 4, 8, RIGHT, INK,
                    at_us[m] > 0 ? text : "–");
    }
}

/* A survivor's lane.  The table has its last recovery, and keeps the largest number in most_us. */
static void draw_survivor(struct canvas *c, const struct panel *p, int lane, int rank,
                          double *most_us)
{
    double at_us[MOMENTS] = {0}, own_s = 0;

    draw_name(c, p, lane, rank, "");
    for (int i = 0; i < p->s->recoveries_n; i++) {
        const struct recovery *r = &p->s->recovery[i];

        if (r->rank != rank || !inside(p, r))
            continue;
        draw_recovery(c, &p->kill, p->zero_s, lane_y(p, lane), r, own_s > 0 ? REVOKED : DETECTED);
        own_s = own_s > 0 ? own_s : r->at_s[DETECTED];
        if (own_s > 0)
            draw_recovery(c, &p->own, own_s, lane_y(p, lane), r, REVOKED);
        for (int m = 0; m < MOMENTS; m++)
            at_us[m] = r->at_s[m] > 0 ? micro(p, r->at_s[m]) : 0;
    }
    draw_notices(c, p, lane, rank);
    draw_numbers(c, p, lane, at_us);
    for (int m = 0; m < MOMENTS; m++)
        most_us[m] = fmax(most_us[m], at_us[m]);
}

static void draw_title(struct canvas *c, const struct panel *p)
{
    char text[512] = "";
    size_t n = 0;

    for (int i = p->first; i <= p->last && n < sizeof(text) - 160; i++) {
        const struct death *d = &p->s->death[i];

        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s rank %d is killed %s",
                              i > p->first ? "," : "", d->rank, p->s->where[d->rank]);
    }
    snprintf(text + n, sizeof(text) - n, ", %.3f s after the start", p->zero_s);
    text[1] = 'R';
    canvas_text(c, 24, p->y - 22, 10, LEFT, INK, text + 1);
    for (int m = 0; m < MOMENTS; m++)
        canvas_text(c, TABLE_X + (m + 1) * COLUMN, p->y - 6, 8, RIGHT, FAINT, moment_name[m]);
}

static bool survives(const struct panel *p, int rank)
{
    for (int i = 0; i < p->s->recoveries_n; i++)
        if (p->s->recovery[i].rank == rank && inside(p, &p->s->recovery[i]))
            return true;
    return false;
}

static int lanes_of(const struct panel *p)
{
    int n = p->last - p->first + 2;

    for (int rank = 0; rank < p->s->ranks_n; rank++)
        n += survives(p, rank);
    return n;
}

static void draw_panel(struct canvas *c, struct panel *p)
{
    double most_us[MOMENTS] = {0};
    int lane = 0, bottom = p->y + lanes_of(p) * LANE;

    draw_title(c, p);
    draw_axis(c, &p->kill, p->y, bottom, "µs since the kill (logarithmic)");
    draw_axis(c, &p->own, p->y, bottom, "µs since the rank itself was told (logarithmic)");
    for (int i = p->first; i <= p->last; i++)
        draw_dead(c, p, lane++, &p->s->death[i]);
    draw_agent(c, p, lane++);
    for (int rank = 0; rank < p->s->ranks_n; rank++)
        if (survives(p, rank))
            draw_survivor(c, p, lane++, rank, most_us);
    canvas_line(c, TABLE_X, bottom, TABLE_X + MOMENTS * COLUMN, bottom, 1, FAINT);
    canvas_text(c, TABLE_X, bottom + 17, 8, LEFT, FAINT, "last");
    draw_numbers(c, p, lanes_of(p), most_us);
}

static void draw_legend(struct canvas *c)
{
    double x = 24;

    for (int m = 0; m <= MOMENTS; m++) {
        canvas_box(c, x, 52, 14, 12, phase_color[m]);
        canvas_text(c, x + 20, 62, 8, LEFT, INK, phase_name[m]);
        x += 20 + canvas_text_width(8, phase_name[m]) + 26;
    }
    draw_cross(c, x + 5, 58);
    canvas_text(c, x + 18, 62, 8, LEFT, INK, "kill");
    x += 66;
    draw_diamond(c, x, 58, RED);
    canvas_text(c, x + 12, 62, 8, LEFT, INK, "death seen");
    x += 106;
    canvas_line(c, x, 54, x - 3, 60, 1.4, RED);
    canvas_line(c, x, 54, x + 3, 60, 1.4, RED);
    canvas_text(c, x + 12, 62, 8, LEFT, INK, "library told");
    canvas_text(c, c->width - 24.0, 62, 8, RIGHT, FAINT, "µs since the kill");
}

/* Cuts the deaths into panels; returns how many. */
static int cut(const struct story *s, struct panel *panel)
{
    int n = 0, y = HEAD;
    struct axis kill = {LEFT_X, WIDE, 100, 1000}, own = {OWN_X, OWN, 10, 1000};

    for (int i = 0; i < s->deaths_n; i++) {
        if (i && !apart(s, i - 1, i)) {
            panel[n - 1].last = i;
            continue;
        }
        panel[n] = (struct panel){
            .s = s, .first = i, .last = i, .zero_s = s->death[i].kill_s, .end_s = INFINITY};
        if (n)
            panel[n - 1].end_s = panel[n].zero_s;
        n++;
    }
    for (int i = 0; i < n; i++)
        find_axes(&panel[i], &kill, &own);
    round_axis(&kill);
    round_axis(&own);
    for (int i = 0; i < n; i++) { /* the same axes for all, so that they can be compared */
        panel[i].kill = kill;
        panel[i].own = own;
        panel[i].y = y + 46;
        y += lanes_of(&panel[i]) * LANE + ROOM;
    }
    return n;
}

static bool draw(const struct story *s, const char *path)
{
    static struct panel panel[MAX];
    int n = cut(s, panel), height = HEAD + 20;
    struct canvas c;
    bool ok;

    for (int i = 0; i < n; i++)
        height += lanes_of(&panel[i]) * LANE + ROOM;
    if (!canvas_open(&c, TABLE_X + MOMENTS * COLUMN + 24, height, 0xffffff))
        return false;
    canvas_text(&c, 24, 32, 14, LEFT, INK, "From a kill to going on");
    draw_legend(&c);
    for (int i = 0; i < n; i++)
        draw_panel(&c, &panel[i]);
    ok = canvas_write(&c, path);
    canvas_close(&c);
    return ok;
}

int main(int argc, char **argv)
{
    static struct story s;

    if (argc < 4) {
        fputs("Usage: heat-timeline REPORT MARKS OUT.png [RANK=WHERE]...\n", stderr);
        return 2;
    }
    for (int i = 4; i < argc; i++) {
        char *where = strchr(argv[i], '=');
        int rank = atoi(argv[i]);

        if (where && rank >= 0 && rank < MAX)
            snprintf(s.where[rank], sizeof(s.where[rank]), "%s", where + 1);
    }
    if (!read_story(&s, argv[1], argv[2])) {
        fprintf(stderr, "heat-timeline: %s is not a report of mpiexec\n", argv[1]);
        return 1;
    }
    return draw(&s, argv[3]) ? 0 : 1;
}
