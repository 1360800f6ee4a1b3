/* SPDX-License-Identifier: BSD-3-Clause */
/* picture.c – the field before and after, side by side, in the colours of palette.h. */
#include "heat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define GAP 16 /* white, between the two */

/* A line of equal temperature, every 10 degrees: it runs where the tens differ from the cell on the
 * right or below. */
static bool on_isotherm(const struct heat *h, const double *field, int x, int y)
{
    const double *at = field + (size_t)y * (size_t)h->width + (size_t)x;
    double right = x + 1 < h->width ? at[1] : at[0];
    double below = y + 1 < h->height ? at[h->width] : at[0];

    return floor(at[0] / 10) != floor(right / 10) || floor(at[0] / 10) != floor(below / 10);
}

/* Row y of the picture: the start, the gap, the field with its isotherms. */
static void color_row(const struct heat *h, const double *field, int y, unsigned char *rgb)
{
    unsigned char *before = rgb, *after = rgb + 3 * (h->width + GAP);

    for (int i = 0; i < 3 * GAP; i++)
        rgb[3 * h->width + i] = 0xff;
    for (int x = 0; x < h->width; x++, before += 3, after += 3) {
        size_t i = (size_t)y * (size_t)h->width + (size_t)x;

        palette(h->start.at[i] * (100.0 / 255), before);
        palette(field[i], after);
        for (int k = 0; k < 3 && on_isotherm(h, field, x, y); k++)
            after[k] = (unsigned char)(after[k] * 6 / 10);
    }
}

static bool draw(const char *path, const struct heat *h, const double *field)
{
    int width = 2 * h->width + GAP;
    unsigned char *rgb = malloc(3 * (size_t)width * (size_t)h->height);
    bool ok = rgb != NULL;

    for (int y = 0; ok && y < h->height; y++)
        color_row(h, field, y, rgb + 3 * (size_t)width * (size_t)y);
    ok = ok && png_write_rgb(path, width, h->height, rgb);
    free(rgb);
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
