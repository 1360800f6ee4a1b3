/* SPDX-License-Identifier: BSD-3-Clause */
/* hints.h – what a program may tell of how a file is used: names and values are those of hint.def. */
#ifndef MEND_IO_HINTS_H
#define MEND_IO_HINTS_H

#include "comm/info.h"

enum mend_hint {
#define MEND_HINT_DEF(sym_, ...) MEND_HINT_##sym_,
#include "io/hint.def"
#undef MEND_HINT_DEF
    MEND_HINTS_N
};

enum mend_hint_choice { MEND_HINT_AUTOMATIC, MEND_HINT_ENABLE, MEND_HINT_DISABLE };

struct mend_file_hints {
    int64_t value[MEND_HINTS_N];
};

/* What holds if nothing is asked for. */
void mend_file_hints_begin(struct mend_file_hints *h);

/* Takes from `i`, which may be NULL.  A value that makes no sense is ignored (MPI-5.0 10). */
void mend_file_hints_read(struct mend_file_hints *h, const struct mend_info *i);

/* Adds what is in force.  MPI_ERR_NO_MEM. */
int mend_file_hints_write(struct mend_proc *self, const struct mend_file_hints *h,
                          struct mend_info *i);

/* Equal where those values are equal that must be the same at all members. */
uint64_t mend_file_hints_digest(const struct mend_file_hints *h);

#endif
