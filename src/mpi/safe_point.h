/* SPDX-License-Identifier: BSD-3-Clause */
/* safe_point.h – safe points for calls of other files, and their end with the library's. */
#ifndef MEND_MPI_SAFE_POINT_H
#define MEND_MPI_SAFE_POINT_H

#include <stdbool.h>
#include <stdint.h>

/* Drops all safe points; the memory stays as it is. */
void mend_safe_points_end(void);

/* Has the program one of its own behind those for modules, which it could not reach any more behind another one of these? */
bool mend_safe_point_is_behind(void);

/* One more safe point for modules, if none is behind them.  *value_p: 0, or what mend_safe_point_back() was given,
 * when that returns here.  MPI_ERR_NO_MEM; MPI_ERR_UNSUPPORTED_OPERATION, with a detail: the process has what cannot be rolled back.
 * Then there is not one more. */
int mend_safe_point_of_module(int *value_p);

/* The nth of them, from 1 on, goes; all go. */
void mend_safe_point_drop(unsigned nth);
void mend_safe_point_drop_all(void);

/* How many pages the last safe point has saved, and the last roll-back restored. */
void mend_safe_point_pages(uint64_t *saved_p, uint64_t *undone_p);

/* Rolls back to the nth, out of everything; those made later go.  Returns only with an error, which the detail explains. */
int mend_safe_point_back(unsigned nth, int value);

#endif
