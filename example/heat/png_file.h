/* SPDX-License-Identifier: BSD-3-Clause */
/* png_file.h – PNG files in and out, through libpng. */
#ifndef PNG_FILE_H
#define PNG_FILE_H

#include <stdbool.h>

/* Brightness of each pixel, row by row from the top. */
struct gray {
    int width, height;
    unsigned char *at;
};

/* Reads any PNG as shades of gray.  False: a message was printed.  The caller frees at. */
bool png_read_gray(const char *path, struct gray *gray_p);

/* Writes width x height pixels of red, green and blue.  False: a message was printed. */
bool png_write_rgb(const char *path, int width, int height, const unsigned char *rgb);

#endif
