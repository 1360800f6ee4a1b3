/* SPDX-License-Identifier: BSD-3-Clause */
/* canvas.c – lines with round ends, boxes, and a font made of such lines. */
#include "canvas.h"

#include "png_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FINE 3

/* The font.  Capitals stand between 0 and 8, small letters between 3 and 8, tails go down to b.
 * First the width, then strokes; a stroke is a chain of points, each an x and a y, in hexadecimal. */
struct glyph {
    unsigned code;
    const char *shape;
};

static const struct glyph font[] = {
    {' ', "2"},
    {'!', "0 0006 0808"},
    {'"', "2 0002 2022"},
    {'#', "5 1008 4038 0353 0656"},
    {'%', "6 0020220200 6008 4666684846"},
    {'&', "5 58121120313204071838 3855"},
    {'\'', "0 0002"},
    {'(', "2 20020729"},
    {')', "2 00222709"},
    {'*', "4 2226 0345 0543"},
    {'+', "4 2327 0545"},
    {',', "1 180a"},
    {'-', "3 0535"},
    {'.', "0 0808"},
    {'/', "4 0940"},
    {'0', "4 103041473818070110"},
    {'1', "4 022028"},
    {'2', "4 01103041430848"},
    {'3', "4 0110304143344547381807 1434"},
    {'4', "4 38300646"},
    {'5', "4 400003334447381807"},
    {'6', "4 413010010718384745341405"},
    {'7', "4 004018"},
    {'8', "4 103041433414030110 140507183847453414"},
    {'9', "4 071838474130100103143443"},
    {':', "0 0404 0808"},
    {';', "1 1414 180a"},
    {'<', "4 420548"},
    {'=', "4 0444 0646"},
    {'>', "4 024508"},
    {'?', "4 0110304143242526 2828"},
    {'A', "6 083068 1555"},
    {'B', "5 08003041433404 3445574808"},
    {'C', "5 5140100107184857"},
    {'D', "5 00305256380800"},
    {'E', "5 50000858 0444"},
    {'F', "5 500008 0444"},
    {'G', "5 51401001071848575434"},
    {'H', "5 0008 5058 0454"},
    {'I', "0 0008"},
    {'J', "3 3037281807"},
    {'K', "5 0008 5005 2358"},
    {'L', "4 000848"},
    {'M', "6 0800346068"},
    {'N', "5 08005850"},
    {'O', "5 104051574818070110"},
    {'P', "5 08004051534404"},
    {'Q', "5 104051574818070110 3659"},
    {'R', "5 08004051534404 2458"},
    {'S', "5 514010010314445557481807"},
    {'T', "6 0060 3038"},
    {'U', "5 000718485750"},
    {'V', "6 003860"},
    {'W', "8 0028426880"},
    {'X', "5 0058 5008"},
    {'Y', "6 003460 3438"},
    {'Z', "5 00500858"},
    {'[', "2 20000929"},
    {']', "2 00202909"},
    {'_', "5 0959"},
    {'a', "4 0413334448 45150607183847"},
    {'b', "4 0008 0413334447381807"},
    {'c', "4 4433130407183847"},
    {'d', "4 4048 4433130407183847"},
    {'e', "4 05454433130407183847"},
    {'f', "3 30201118 0333"},
    {'g', "4 4433130407183847 434a3b1b0a"},
    {'h', "4 0008 0413334448"},
    {'i', "0 0308 0101"},
    {'j', "1 131a0b 1111"},
    {'k', "4 0008 4306 2548"},
    {'l', "1 000718"},
    {'m', "6 0308 0413233438 3443536468"},
    {'n', "4 0308 0413334448"},
    {'o', "4 133344473818070413"},
    {'p', "4 030b 0413334447381807"},
    {'q', "4 434b 4433130407183847"},
    {'r', "3 0308 05142333"},
    {'s', "4 443313041536473818 1807"},
    {'t', "3 11172838 0333"},
    {'u', "4 0307183847 4348"},
    {'v', "4 032843"},
    {'w', "6 0328344863"},
    {'x', "4 0348 4308"},
    {'y', "4 0328 43281b"},
    {'z', "4 03430848"},
    {0xb0, "3 102031322313020110"},   /* degree */
    {0xb5, "4 030b 0307183847 4348"}, /* micro */
    {0xb7, "0 0505"},                 /* middle dot */
    {0xd7, "4 0448 4408"},            /* times */
    {0x2013, "5 0555"},               /* dash */
    {0x2192, "6 0565 436547"},        /* arrow */
};

bool canvas_open(struct canvas *c, int width, int height, unsigned color)
{
    *c = (struct canvas){.width = width, .height = height};
    c->rgb = malloc((size_t)width * (size_t)height * FINE * FINE * 3);
    if (c->rgb)
        canvas_box(c, 0, 0, width, height, color);
    return c->rgb != NULL;
}

void canvas_close(struct canvas *c)
{
    free(c->rgb);
    c->rgb = NULL;
}

static void put(struct canvas *c, int x, int y, unsigned color)
{
    unsigned char *p;

    if (x < 0 || y < 0 || x >= c->width * FINE || y >= c->height * FINE)
        return;
    p = c->rgb + ((size_t)y * (size_t)(c->width * FINE) + (size_t)x) * 3;
    p[0] = (unsigned char)(color >> 16);
    p[1] = (unsigned char)(color >> 8);
    p[2] = (unsigned char)color;
}

void canvas_box(struct canvas *c, double x, double y, double width, double height, unsigned color)
{
    int x0 = (int)lround(x * FINE), x1 = (int)lround((x + width) * FINE);
    int y0 = (int)lround(y * FINE), y1 = (int)lround((y + height) * FINE);

    for (int j = y0; j < y1; j++)
        for (int i = x0; i < x1; i++)
            put(c, i, j, color);
}

void canvas_pixel(struct canvas *c, int x, int y, unsigned color)
{
    canvas_box(c, x, y, 1, 1, color);
}

void canvas_frame(struct canvas *c, double x, double y, double width, double height, unsigned color)
{
    canvas_line(c, x, y, x + width, y, 1, color);
    canvas_line(c, x, y + height, x + width, y + height, 1, color);
    canvas_line(c, x, y, x, y + height, 1, color);
    canvas_line(c, x + width, y, x + width, y + height, 1, color);
}

/* Distance of (x, y) from the line from 0 to (dx, dy), squared. */
static double far_from(double x, double y, double dx, double dy)
{
    double length = dx * dx + dy * dy;
    double at = length > 0 ? (x * dx + y * dy) / length : 0;

    at = at < 0 ? 0 : at > 1 ? 1 : at;
    x -= at * dx;
    y -= at * dy;
    return x * x + y * y;
}

void canvas_line(struct canvas *c, double x0, double y0, double x1, double y1, double thick,
                 unsigned color)
{
    double radius = thick * FINE / 2, dx = (x1 - x0) * FINE, dy = (y1 - y0) * FINE;
    int left = (int)floor(fmin(x0, x1) * FINE - radius);
    int right = (int)ceil(fmax(x0, x1) * FINE + radius);
    int top = (int)floor(fmin(y0, y1) * FINE - radius);
    int bottom = (int)ceil(fmax(y0, y1) * FINE + radius);

    for (int j = top; j <= bottom; j++)
        for (int i = left; i <= right; i++)
            if (far_from(i + 0.5 - x0 * FINE, j + 0.5 - y0 * FINE, dx, dy) <= radius * radius)
                put(c, i, j, color);
}

/* ---- text ---- */

/* The next character of UTF-8 text, which is moved on. */
static unsigned next_code(const char **text)
{
    const unsigned char *at = (const unsigned char *)*text;
    int more = *at >= 0xf0 ? 3 : *at >= 0xe0 ? 2 : *at >= 0xc0 ? 1 : 0;
    unsigned code = more ? *at & (0x3fu >> more) : *at;

    for (at++; more && (*at & 0xc0) == 0x80; more--)
        code = code << 6 | (*at++ & 0x3f);
    *text = (const char *)at;
    return code;
}

static const char *shape_of(unsigned code)
{
    for (size_t i = 0; i < sizeof(font) / sizeof(font[0]); i++)
        if (font[i].code == code)
            return font[i].shape;
    return "4 0040480800";
}

static int hex(char digit)
{
    return digit >= 'a' ? digit - 'a' + 10 : digit - '0';
}

#define GAP 2.3 /* between two letters, in units of the font */

double canvas_text_width(double size, const char *text)
{
    double units = 0;

    while (*text)
        units += hex(*shape_of(next_code(&text))) + GAP;
    return (units > 0 ? units - GAP : 0) * size / 8;
}

static void draw_glyph(struct canvas *c, double x, double y, double unit, double thick,
                       unsigned color, const char *shape)
{
    for (const char *at = shape + 1; *at;) {
        double from_x, from_y;

        at++; /* the blank before each stroke */
        from_x = x + hex(at[0]) * unit;
        from_y = y + (hex(at[1]) - 8) * unit;
        do {
            double to_x = x + hex(at[0]) * unit, to_y = y + (hex(at[1]) - 8) * unit;

            canvas_line(c, from_x, from_y, to_x, to_y, thick, color);
            from_x = to_x;
            from_y = to_y;
            at += 2;
        } while (*at && *at != ' ');
    }
}

void canvas_text(struct canvas *c, double x, double y, double size, enum align align,
                 unsigned color, const char *text)
{
    double unit = size / 8, width = canvas_text_width(size, text);

    x -= align == CENTER ? width / 2 : align == RIGHT ? width : 0;
    while (*text) {
        const char *shape = shape_of(next_code(&text));

        draw_glyph(c, x, y, unit, 0.75 + size / 16, color, shape);
        x += (hex(*shape) + GAP) * unit;
    }
}

/* ---- file ---- */

static void average(const struct canvas *c, int x, int y, unsigned char rgb[3])
{
    unsigned sum[3] = {0};

    for (int j = 0; j < FINE; j++)
        for (int i = 0; i < FINE; i++)
            for (int k = 0; k < 3; k++)
                sum[k] += c->rgb[(((size_t)y * FINE + (size_t)j) * (size_t)(c->width * FINE) +
                                  (size_t)x * FINE + (size_t)i) *
                                     3 +
                                 (size_t)k];
    for (int k = 0; k < 3; k++)
        rgb[k] = (unsigned char)((sum[k] + FINE * FINE / 2) / (FINE * FINE));
}

bool canvas_write(const struct canvas *c, const char *path)
{
    unsigned char *rgb = malloc((size_t)c->width * (size_t)c->height * 3);
    bool ok = rgb != NULL;

    for (int y = 0; ok && y < c->height; y++)
        for (int x = 0; x < c->width; x++)
            average(c, x, y, rgb + ((size_t)y * (size_t)c->width + (size_t)x) * 3);
    ok = ok && png_write_rgb(path, c->width, c->height, rgb);
    free(rgb);
    return ok;
}
