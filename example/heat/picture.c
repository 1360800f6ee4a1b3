/* SPDX-License-Identifier: BSD-3-Clause */
/* picture.c – the field before and after, with axes and a scale. */
#include "canvas.h"
#include "heat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define INK    0x25282eu
#define FAINT  0x8a9099u
#define PAPER  0xffffffu
#define LEFT_X 56
#define TOP    78
#define GAP    58
#define SCALE  16 /* width of the colour scale */

static unsigned color_of(double celsius)
{
    unsigned char rgb[3];

    palette(celsius, rgb);
    return (unsigned)rgb[0] << 16 | (unsigned)rgb[1] << 8 | rgb[2];
}

/* A line of equal temperature, every 10 degrees: it runs where the tens differ from the cell on the
 * right or below. */
static bool on_isotherm(const struct heat *h, const double *field, int x, int y)
{
    const double *at = field + (size_t)y * (size_t)h->width + (size_t)x;
    double right = x + 1 < h->width ? at[1] : at[0];
    double below = y + 1 < h->height ? at[h->width] : at[0];

    return floor(at[0] / 10) != floor(right / 10) || floor(at[0] / 10) != floor(below / 10);
}

static unsigned darker(unsigned color)
{
    unsigned r = color >> 16, g = color >> 8 & 0xff, b = color & 0xff;

    return r * 6 / 10 << 16 | g * 6 / 10 << 8 | b * 6 / 10;
}

static void draw_axes(struct canvas *c, const struct heat *h, int left)
{
    char text[16];

    canvas_frame(c, left - 0.5, TOP - 0.5, h->width + 1, h->height + 1, FAINT);
    for (int x = 0; x <= h->width; x += 100) {
        snprintf(text, sizeof(text), "%d", x);
        canvas_line(c, left + x, TOP + h->height + 1, left + x, TOP + h->height + 5, 1, FAINT);
        canvas_text(c, left + x, TOP + h->height + 18, 8, CENTER, INK, text);
    }
    for (int y = 0; y <= h->height; y += 100) {
        snprintf(text, sizeof(text), "%d", y);
        canvas_line(c, left - 5, TOP + y, left - 1, TOP + y, 1, FAINT);
        canvas_text(c, left - 9, TOP + y + 4, 8, RIGHT, INK, text);
    }
    canvas_text(c, left + h->width / 2.0, TOP + h->height + 36, 8, CENTER, INK, "column (cells)");
}

/* field: NULL for the picture. */
static void draw_panel(struct canvas *c, const struct heat *h, const double *field, int left,
                       const char *title)
{
    canvas_text(c, left, TOP - 12, 9, LEFT, INK, title);
    for (int y = 0; y < h->height; y++)
        for (int x = 0; x < h->width; x++) {
            size_t i = (size_t)y * (size_t)h->width + (size_t)x;
            unsigned color = color_of(field ? field[i] : h->start.at[i] * (100.0 / 255));

            if (field && on_isotherm(h, field, x, y))
                color = darker(color);
            canvas_pixel(c, left + x, TOP + y, color);
        }
    draw_axes(c, h, left);
}

static void draw_scale(struct canvas *c, const struct heat *h, int left)
{
    char text[16];

    for (int y = 0; y < h->height; y++)
        canvas_box(c, left, TOP + y, SCALE, 1, color_of(100.0 * (h->height - y) / h->height));
    canvas_frame(c, left - 0.5, TOP - 0.5, SCALE + 1, h->height + 1, FAINT);
    for (int t = 0; t <= 100; t += 20) {
        double y = TOP + h->height - t * h->height / 100.0;

        snprintf(text, sizeof(text), "%d", t);
        canvas_line(c, left + SCALE + 1, y, left + SCALE + 5, y, 1, FAINT);
        canvas_text(c, left + SCALE + 9, y + 4, 8, LEFT, INK, text);
    }
    canvas_text(c, left, TOP - 12, 9, LEFT, INK, "°C");
}

static bool draw(const char *path, const struct heat *h, const double *field)
{
    struct canvas c;
    char title[96];
    bool ok =
        canvas_open(&c, LEFT_X + 2 * h->width + 2 * GAP + SCALE + 40, TOP + h->height + 54, PAPER);

    if (!ok)
        return false;
    snprintf(title, sizeof(title), "Heat: begun by %d rank%s, finished by %d", h->world_n,
             h->world_n == 1 ? "" : "s", h->size);
    canvas_text(&c, LEFT_X, 34, 14, LEFT, INK, title);
    draw_panel(&c, h, NULL, LEFT_X, "at the start: brightness of the picture as temperature");
    snprintf(title, sizeof(title), "after %ld steps, isotherms every 10 °C, residual %.1e °C",
             h->step, h->residual);
    draw_panel(&c, h, field, LEFT_X + h->width + GAP, title);
    draw_scale(&c, h, LEFT_X + 2 * h->width + 2 * GAP - 22);
    canvas_text(&c, 8, TOP - 12, 8, LEFT, INK, "row");
    ok = canvas_write(&c, path);
    canvas_close(&c);
    return ok;
}

static bool write_numbers(const char *path, const struct heat *h, const double *field)
{
    FILE *f = fopen(path, "wb");
    size_t n = (size_t)h->width * (size_t)h->height;
    bool ok = f && fwrite(field, sizeof(*field), n, f) == n;

    if ((f && fclose(f)) || !ok) {
        perror(path);
        return false;
    }
    return true;
}

bool picture_result(const char *prefix, const struct heat *h, const double *field)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s.f64", prefix);
    if (!write_numbers(path, h, field))
        return false;
    snprintf(path, sizeof(path), "%s.png", prefix);
    return draw(path, h, field);
}
