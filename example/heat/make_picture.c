/* SPDX-License-Identifier: BSD-3-Clause */
/* make_picture.c – made island.png: a volcanic island from the air, at dusk, with glowing lava.
 *
 *     cc -O2 make_picture.c png_file.c -lpng -lm -o make_picture && ./make_picture island.png
 *
 * Nothing here is needed to run the solver, which takes any PNG.  The land is a few octaves of noise
 * under a round bump with a crater, lit from the north-west; lava runs downhill from the rim. */
#include "png_file.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH  512
#define HEIGHT 320
#define FLOWS  9

static float height[HEIGHT][WIDTH], lava[HEIGHT][WIDTH];

/* A number between 0 and 1 that belongs to a point of the grid. */
static double scatter(int x, int y)
{
    uint32_t h = (uint32_t)x * 0x8da6b343u ^ (uint32_t)y * 0xd8163841u ^ 0x9e3779b9u;

    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return (h ^ h >> 15) / 4294967296.0;
}

static double blend(double a, double b, double t)
{
    return a + (b - a) * t * t * (3 - 2 * t);
}

static double noise(double x, double y)
{
    int i = (int)floor(x), j = (int)floor(y);

    return blend(blend(scatter(i, j), scatter(i + 1, j), x - i),
                 blend(scatter(i, j + 1), scatter(i + 1, j + 1), x - i), y - j);
}

/* Mountains have sharp ridges: fold each octave in the middle. */
static double ridges(double x, double y)
{
    double sum = 0, size = 0.5, weight = 1;

    for (int octave = 0; octave < 7; octave++) {
        double fold = 1 - fabs(2 * noise(x + 17 * octave, y - 9 * octave) - 1);

        fold *= fold * weight;
        sum += size * fold;
        weight = fmin(1, 1.6 * fold);
        size *= 0.52;
        double turned = 1.62 * x - 1.22 * y; /* twice as fine, and turned: hides the grid */
        y = 1.22 * x + 1.62 * y;
        x = turned;
    }
    return sum;
}

static void raise_land(void)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double u = (x - 262) / 235.0, v = (y - 158) / 138.0;
            double wobble = 0.62 * (noise(x / 58.0 + 3, y / 58.0) - 0.5) +
                            0.3 * (noise(x / 21.0, y / 21.0 + 5) - 0.5);
            double r = sqrt(u * u + v * v) + wobble;
            double crater = sqrt(pow((x - 246) / 22.0, 2) + pow((y - 150) / 18.0, 2));
            double bump = fmax(0, 1 - r * r);

            height[y][x] = (float)(0.86 * bump + 0.55 * (0.25 + bump) * ridges(x / 90.0, y / 90.0) -
                                   0.36 - 0.42 * exp(-crater * crater * crater));
        }
}

static void glow(double x, double y, double width, double strength)
{
    for (int j = (int)y - 12; j <= (int)y + 12; j++)
        for (int i = (int)x - 12; i <= (int)x + 12; i++)
            if (i >= 0 && j >= 0 && i < WIDTH && j < HEIGHT) {
                double far = hypot(i - x, j - y) / width;
                float light = (float)(strength * (exp(-far * far) + 0.22 * exp(-far / 2.2)));

                lava[j][i] = fmaxf(lava[j][i], light);
            }
}

/* One flow: down the slope, with some inertia, until it reaches the sea. */
static void flow(double angle, double strength)
{
    double x = 246 + 21 * cos(angle), y = 150 + 17 * sin(angle);
    double dx = cos(angle), dy = sin(angle);

    for (int step = 0; step < 520; step++) {
        int i = (int)x, j = (int)y;
        double wind = 3.2 * (noise(step / 45.0, angle * 5) - 0.5);

        if (i < 4 || j < 4 || i >= WIDTH - 4 || j >= HEIGHT - 4 || height[j][i] < 0.005)
            return;
        double gx = height[j][i + 3] - height[j][i - 3], gy = height[j + 3][i] - height[j - 3][i];
        double g = hypot(gx, gy) + 1e-6;

        dx = 0.92 * dx - 0.06 * gx / g + 0.085 * cos(angle + wind);
        dy = 0.92 * dy - 0.06 * gy / g + 0.085 * sin(angle + wind);
        x += 0.6 * dx / hypot(dx, dy);
        y += 0.6 * dy / hypot(dx, dy);
        glow(x, y, 2.6 - 0.0028 * step + 0.6 * noise(step / 9.0, angle * 7),
             strength * (1 - step / 800.0));
    }
}

static void pour_lava(void)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double far = sqrt(pow((x - 246) / 13.0, 2) + pow((y - 150) / 10.0, 2));

            lava[y][x] = (float)(1.15 * exp(-pow(far, 4)) * (0.75 + 0.5 * noise(x / 4.0, y / 4.0)));
        }
    for (int i = 0; i < FLOWS; i++)
        flow(i * 2 * M_PI / FLOWS + 0.9 * scatter(i, 77), 0.72 + 0.4 * scatter(i, 78));
}

static double slope_light(int x, int y)
{
    int left = x > 0 ? x - 1 : x, right = x < WIDTH - 1 ? x + 1 : x;
    int up = y > 0 ? y - 1 : y, down = y < HEIGHT - 1 ? y + 1 : y;
    double gx = (height[y][right] - height[y][left]) * 28;
    double gy = (height[down][x] - height[up][x]) * 28;
    double light = (0.70 + 0.58 * gx + 0.48 * gy) / sqrt(1 + gx * gx + gy * gy);

    return fmin(1.15, fmax(0.14, light));
}

/* Sea, beach, forest, rock and snow by height, then light and lava on top. */
static void color_of(int x, int y, unsigned char *rgb)
{
    static const double land[][4] = {{0.00, 190, 174, 130}, {0.035, 106, 126, 66},
                                     {0.20, 74, 100, 54},   {0.38, 122, 106, 84},
                                     {0.55, 150, 140, 128}, {0.80, 226, 224, 222}};
    double h = height[y][x], hot = fmin(1.2, lava[y][x]), c[3];
    int i = 0;

    if (h < 0) {
        double deep = fmin(1, -h / 0.16), wave = 4 * noise(x / 3.0, y / 1.6);

        c[0] = 34 - 26 * deep + wave;
        c[1] = 74 - 56 * deep + wave;
        c[2] = 92 - 50 * deep + wave;
    } else {
        double light = slope_light(x, y) * (0.92 + 0.16 * noise(x / 2.0, y / 2.0));

        while (i < 4 && h > land[i + 1][0])
            i++;
        for (int k = 0; k < 3; k++)
            c[k] = light * 0.92 *
                   blend(land[i][k + 1], land[i + 1][k + 1],
                         fmin(1, (h - land[i][0]) / (land[i + 1][0] - land[i][0])));
    }
    c[0] += hot * (262 - c[0] * 0.5);
    c[1] += hot * hot * (216 - c[1] * 0.3);
    c[2] += hot * hot * hot * 118;
    for (int k = 0; k < 3; k++)
        rgb[k] = (unsigned char)((int)fmin(255, fmax(0, c[k])) & 0xfc); /* packs better */
}

int main(int argc, char **argv)
{
    static unsigned char rgb[HEIGHT][WIDTH][3];

    raise_land();
    pour_lava();
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            color_of(x, y, rgb[y][x]);
    return png_write_rgb(argc > 1 ? argv[1] : "island.png", WIDTH, HEIGHT, rgb[0][0]) ? 0 : 1;
}
