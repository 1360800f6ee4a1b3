/* SPDX-License-Identifier: BSD-3-Clause */
/* canvas.h – a small canvas: rectangles, lines, letters, written as PNG.
 *
 * Everything is drawn FINE times as large and averaged at the end, so edges are smooth.  Lengths are
 * pixels of the finished picture, from its upper left corner; colours are 0xRRGGBB. */
#ifndef CANVAS_H
#define CANVAS_H

#include <stdbool.h>

struct canvas {
    int width, height;
    unsigned char *rgb; /* FINE * width x FINE * height */
};

enum align { LEFT, CENTER, RIGHT };

bool canvas_open(struct canvas *c, int width, int height, unsigned color);
void canvas_close(struct canvas *c);
bool canvas_write(const struct canvas *c, const char *path);

void canvas_pixel(struct canvas *c, int x, int y, unsigned color);
void canvas_box(struct canvas *c, double x, double y, double width, double height, unsigned color);
void canvas_frame(struct canvas *c, double x, double y, double width, double height,
                  unsigned color);
void canvas_line(struct canvas *c, double x0, double y0, double x1, double y1, double thick,
                 unsigned color);

/* UTF-8 text whose capitals are size pixels high and stand on y. */
void canvas_text(struct canvas *c, double x, double y, double size, enum align align,
                 unsigned color, const char *text);
double canvas_text_width(double size, const char *text);

#endif
