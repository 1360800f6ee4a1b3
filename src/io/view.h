/* SPDX-License-Identifier: BSD-3-Clause */
/* view.h – which bytes of a file a process sees (MPI-5.0 14.3).
 *
 *   file      |  disp  |##..#|##..#|##..#|  ...     the file type, again and again; # are bytes of it
 *   stream             0 1   2 3 4   5              the bytes that are seen, in order
 *
 * A position in the stream is where a call begins; runs are pieces of the file that follow each other in the stream.
 * Pieces that lie side by side are one run: this is the only place that merges them.  Pure. */
#ifndef MEND_IO_VIEW_H
#define MEND_IO_VIEW_H

#include "datatype/cursor.h"
#include "io/datarep.h"

#define MEND_VIEW_END (INT64_MAX / 2) /* no byte of a view lies behind this place of the file */

struct mend_view {
    MPI_Offset disp;
    const struct mend_type *etype, *filetype;
    MPI_Datatype etype_handle, filetype_handle; /* count if the types are predefined */
    const struct mend_datarep *datarep;
    MPI_Count etype_size;           /* in the file */
    const struct mend_type *layout; /* the file type in the file; a reference is held */
    MPI_Offset room; /* how many etypes it has: what lies behind has no place in any file */
};

/* Makes the layout, if the view's parts fit together: else MPI_ERR_ARG, MPI_ERR_IO (the types go backwards, or have bytes
 * twice where the file is written), or the error of a data representation. */
int mend_view_make(struct mend_proc *self, struct mend_view *v, bool writes);

/* Runs from a position of the stream, in bytes, on. */
void mend_view_begin(struct mend_cursor *k, const struct mend_view *v, MPI_Offset at);

/* The next run, at most max > 0 bytes of it.  False: there is none, for the file type has no bytes. */
bool mend_view_next(struct mend_cursor *k, MPI_Offset max, MPI_Offset *offset_p, MPI_Offset *len_p);

/* Whether so many etypes from this one on lie in the view. */
static inline bool mend_view_has(const struct mend_view *v, MPI_Offset at, MPI_Offset etypes)
{
    return at <= v->room && etypes <= v->room - at;
}

/* Where in the file the etype of this number begins. */
MPI_Offset mend_view_offset(const struct mend_view *v, MPI_Offset etypes);

/* How many bytes of the stream lie below this place of the file. */
MPI_Offset mend_view_stream(const struct mend_view *v, MPI_Offset file_bytes);

/* Runs come in the order of the file, also from one tile to the next: those of a view that is only read may overlap. */
bool mend_view_goes_on(const struct mend_view *v);

/* Each access is one run: the file type has no holes. */
bool mend_view_is_whole(const struct mend_view *v);

/* How many etypes a file of so many bytes has in this view, one that is cut included. */
MPI_Offset mend_view_etypes(const struct mend_view *v, MPI_Offset file_bytes);

#endif
