/* SPDX-License-Identifier: BSD-3-Clause */
/* append.h – records at the shared pointer that are copied into a mapping of the file (hint mend_append_mapped).
 *
 *   file      |record|record|record|record|00000000000000000000000000000|
 *                           ^      ^ the data ends at the largest end   ^ reserved: whole chunks
 *                window of a member: the chunk of its latest record
 *
 * A pwrite() of 64 bytes costs ten times what it costs to copy them.  So a member reserves a chunk of the file with
 * fallocate(), maps it, and copies.  The mapping is the page cache: whichever processes die, the system has what was copied,
 * and a flush writes it out.  No member waits for another one, and there is no lock: a chunk that two of them reserve is reserved
 * once.  What cannot be reserved or mapped is written in the ordinary way, which has the right error.
 *
 * The file is longer than its data meanwhile.  Each member has a line in shared memory that says how far it has written; the
 * largest is the size that all calls see, and where MPI_File_close cuts the file.
 *
 * Nobody else may change the file's size, or SIGBUS ends what touches the mapping behind the new end.  So the program must
 * have promised that with MPI_MODE_UNIQUE_OPEN, and set_size takes the windows away at all members first.
 *
 * What a death does: a record whose writer dies in it is there, or a part of it, or zeros.  If all die, or the file is revoked,
 * the zeros at the end stay.
 *
 * Invariants: 1. a line has one writer, its member.  2. The window is at one address as long as the file is open, and the line says
 * what is in it: a process that is rolled back (snap/) has its old memory then, but not another window. */
#ifndef MEND_IO_APPEND_H
#define MEND_IO_APPEND_H

#include "base/atomic.h"
#include "io/move.h"

#define MEND_APPEND_CHUNK ((MPI_Offset)1 << 20) /* of the file */
#define MEND_APPEND_MOST  1024 /* bytes of a record; those of 4 KiB took longer than a pwrite() */

struct mend_append_line {
    mend_atomic_u64 end; /* of what the member has written, or has found when it opened the file */
    uint64_t chunk;      /* its number plus 1, if it is in the window; for the member itself */
    char rest[48];
};

struct mend_file_append {
    struct mend_append_line *line; /* one for each member */
    struct mend_append_line *own;
    uint64_t at; /* where the lines are, in the segment */
    size_t bytes;
    struct mend_heap_piece *piece; /* with the lines, at rank 0 */
    char *window;                  /* of a chunk */
    uint64_t tried;                /* as `chunk`: which one was to be reserved last */
};

/* Whether the program asks for it, and may: the same at all. */
bool mend_append_is_wanted(const struct mend_file *f);

/* Collective, in MPI_File_open; if it is wanted it returns when all survivors have called it.  From now on f->append is there, if the
 * members share memory, all have some, and the file lies where space can be reserved for good; deaths do not matter. */
void mend_append_begin(struct mend_file *f);

/* Local: gives all of it back. */
void mend_append_end(struct mend_file *f);

/* Local, does not block.  Writes d from the etype `at` of the view on.  False: that is to be done in the ordinary way. */
bool mend_append_write(struct mend_file *f, MPI_Offset at, const struct mend_file_data *d);

/* This member has written up to here. */
void mend_append_note(struct mend_file *f, MPI_Offset end);

/* Where the data ends, as far as members have told in calls that have returned. */
MPI_Offset mend_append_size(const struct mend_file *f);

/* Before the file is cut: nothing of it is mapped here any more. */
void mend_append_leave_window(struct mend_file *f);

/* All members are in MPI_File_set_size and have left their windows: what this one has written ends there at most.  Returns
 * where it ended, for mend_append_note() if the file stays as it was. */
MPI_Offset mend_append_cut_to(struct mend_file *f, MPI_Offset size);

/* Collective, in MPI_File_close: cuts off what was reserved for nothing, at each survivor, when all have called it.  A sync must follow:
 * nobody may open the file anew before it.  Not if the file is revoked: others may be writing still. */
void mend_append_finish(struct mend_file *f);

#endif
