/* SPDX-License-Identifier: BSD-3-Clause */
/* image.h – the image, and the log of what it held before.
 *
 * The image holds the memory at the innermost safe point, in a file that is mostly holes.  What a page of it held at an
 * outer safe point goes into the log first; so a level can be undone, or become part of the one around it. */
#ifndef MEND_SNAP_IMAGE_H
#define MEND_SNAP_IMAGE_H

#include "snap/own.h"

/* MEND_ERR_MEM: no memory for the image. */
enum mend_status mend_snap_no_room(struct mend_snap *s);

/* A place in the image for a new region; the image is zero there. */
enum mend_status mend_snap_image_place(struct mend_snap *s, struct mend_snap_region *r);

/* Pages of a region, arg, into the image. */
enum mend_status mend_snap_image_write(struct mend_snap *s, uintptr_t start, uintptr_t end,
                                       void *arg);

/* Reads into [start, end), which is empty, what the image holds for this part of r; counts nothing. */
enum mend_status mend_snap_image_read(const struct mend_snap *s, const struct mend_snap_region *r,
                                      uintptr_t start, uintptr_t end);

/* The same, whatever is there. */
enum mend_status mend_snap_image_read_over(struct mend_snap *s, const struct mend_snap_region *r,
                                           uintptr_t start, uintptr_t end);

/* Maps the image's pages of [start, end) there, private.  False: the kernel has no room for the mapping. */
bool mend_snap_image_show(const struct mend_snap *s, const struct mend_snap_region *r,
                          uintptr_t start, uintptr_t end);

/* [from, to) of the image is zero again. */
void mend_snap_image_punch(const struct mend_snap *s, uint64_t from, uint64_t to);

/* The next part of [*at_p, end) of the image that is not a hole: *at_p is its beginning, the result its end, 0 without
 * one. */
uint64_t mend_snap_image_data(const struct mend_snap *s, uint64_t *at_p, uint64_t end);

/* Makes l's places and its bits, from its regions. */
enum mend_status mend_snap_log_open(struct mend_snap *s, struct mend_snap_level *l);

/* Keeps the contents of image pages for s->level. */
enum mend_status mend_snap_log_keep(struct mend_snap *s, uint64_t offset, uint64_t bytes);

/* Gives the entries of l, which is about to be dropped, to the level around it (inner: the one inside it, NULL: there is none); puts the
 * innermost level's back. */
void mend_snap_log_merge(struct mend_snap *s, struct mend_snap_level *l,
                         struct mend_snap_level *inner);
enum mend_status mend_snap_log_undo(struct mend_snap *s, const struct mend_snap_level *l);

/* Calls run() for the pages of the entries of s->level, in order. */
void mend_snap_log_each(struct mend_snap *s,
                        void (*run)(struct mend_snap *s, uintptr_t start, uintptr_t end));

#endif
