/* SPDX-License-Identifier: BSD-3-Clause */
/* palette.h – a temperature between 0 and 100 degrees C as a colour: night blue, violet, red, orange,
 * yellow, nearly white.  Lightness grows all the way, so that it also reads in black and white. */
#ifndef PALETTE_H
#define PALETTE_H

static inline void palette(double celsius, unsigned char rgb[3])
{
    static const unsigned char stop[][3] = {
        {6, 8, 38},    {38, 18, 92},   {93, 23, 124},  {150, 35, 114},  {204, 55, 82},
        {238, 95, 46}, {252, 148, 28}, {252, 202, 58}, {255, 250, 200},
    };
    const int last = (int)(sizeof(stop) / sizeof(stop[0])) - 1;
    double x = celsius < 0 ? 0 : celsius > 100 ? last : celsius / 100 * last;
    int i = x >= last ? last - 1 : (int)x;

    for (int c = 0; c < 3; c++)
        rgb[c] = (unsigned char)(stop[i][c] + (x - i) * (stop[i + 1][c] - stop[i][c]) + 0.5);
}

#endif
