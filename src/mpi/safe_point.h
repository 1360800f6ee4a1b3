/* SPDX-License-Identifier: BSD-3-Clause */
/* safe_point.h – safe points for calls of other files, and their end with the library's. */
#ifndef MEND_MPI_SAFE_POINT_H
#define MEND_MPI_SAFE_POINT_H

#include <stdint.h>

/* Drops all safe points; the memory stays as it is. */
void mend_safe_points_end(void);

/* The safe point of a module: replaces the one that it has made before.  *value_p: 0, or what mend_safe_point_back() was given,
 * when that returns here.  MPI_ERR_NO_MEM; MPI_ERR_UNSUPPORTED_OPERATION, with a detail: the process has what cannot be rolled back,
 * or the program has safe points of its own.  Then the module has none. */
int mend_safe_point_of_module(int *value_p);
void mend_safe_point_drop(void);

/* How many pages the last safe point has saved, and the last roll-back restored. */
void mend_safe_point_pages(uint64_t *saved_p, uint64_t *undone_p);

/* Rolls back to it, out of everything.  Returns only with an error, which the detail explains. */
int mend_safe_point_back(int value);

#endif
