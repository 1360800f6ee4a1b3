/* SPDX-License-Identifier: BSD-3-Clause */
/* word.h – the words of shared memory in which shared file pointers are.
 *
 *   page of rank 0     |word|word|word| ...      a line each; in the segment, where all members can map it
 *
 * A process that is rank 0 of files has a page for their words, and keeps it for further files; a process that has mapped a page
 * of another keeps that.  So a file costs no memory of the segment of its own, and no mapping.
 *
 * A word is named by its place in the segment.  The page goes with its process: as long as there is a file with a dead
 * member its place is not given to another process (decide/decide.c). */
#ifndef MEND_IO_WORD_H
#define MEND_IO_WORD_H

#include "base/atomic.h"
#include "proc/proc.h"

/* A word of this process's, 0 now.  Its place; 0: no memory. */
uint64_t mend_file_word_take(struct mend_proc *self);

/* No member uses it any more. */
void mend_file_word_give_back(struct mend_proc *self, uint64_t place);

bool mend_file_word_is_own(struct mend_proc *self, uint64_t place);

/* NULL: no memory for the mapping. */
mend_atomic_u64 *mend_file_word_at(struct mend_proc *self, uint64_t place);

#endif
