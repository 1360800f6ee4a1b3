/* SPDX-License-Identifier: BSD-3-Clause */
/* safe_point.h – the end of safe points. */
#ifndef MEND_MPI_SAFE_POINT_H
#define MEND_MPI_SAFE_POINT_H

/* Drops all safe points, and what was kept for them.  Local; does nothing if there are none. */
void mend_safe_points_end(void);

#endif
