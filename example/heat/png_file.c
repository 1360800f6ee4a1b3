/* SPDX-License-Identifier: BSD-3-Clause */
/* png_file.c – PNG files in and out, through the simple interface of libpng. */
#include "png_file.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool png_read_gray(const char *path, struct gray *gray_p)
{
    static const png_color black;
    png_image image = {.version = PNG_IMAGE_VERSION};
    unsigned char *at = NULL;

    if (png_image_begin_read_from_file(&image, path)) {
        image.format = PNG_FORMAT_GRAY;
        at = calloc(1, PNG_IMAGE_SIZE(image));
    }
    if (!at || !png_image_finish_read(&image, &black, at, 0, NULL)) {
        fprintf(stderr, "heat: %s: %s\n", path, *image.message ? image.message : "no memory");
        png_image_free(&image);
        free(at);
        return false;
    }
    *gray_p = (struct gray){.width = (int)image.width, .height = (int)image.height, .at = at};
    return true;
}

bool png_write_rgb(const char *path, int width, int height, const unsigned char *rgb)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = PNG_FORMAT_RGB};

    if (png_image_write_to_file(&image, path, 0, rgb, 0, NULL))
        return true;
    fprintf(stderr, "heat: %s: %s\n", path, image.message);
    return false;
}
