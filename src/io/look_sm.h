/* SPDX-License-Identifier: BSD-3-Clause */
/* look_sm.h – what a member of a collective read does next where all look into each other's windows (look.c): the machine.
 *
 *   step       0          1              2              3
 *   does       read 0     read 1 copy 0  read 2 copy 1         copy 2
 *   then       vote       vote           vote           end             of 3 windows
 *
 * A member takes a step when all have voted behind the one before, all was well, and nobody had died.  So in step k window k - 1
 * has been read by all, and all are done with window k - 2, whose place window k takes.  `mend-sim look` searches this.
 *
 * Pure: it knows neither the file nor the memory. */
#ifndef MEND_IO_LOOK_SM_H
#define MEND_IO_LOOK_SM_H

#include <stdbool.h>
#include <stdint.h>

enum mend_file_look_act {
    MEND_FILE_LOOK_VOTE,
    MEND_FILE_LOOK_READ,
    MEND_FILE_LOOK_COPY,
    MEND_FILE_LOOK_END
};

/* All zero except for `windows`: it has not begun. */
struct mend_file_look {
    int64_t step, windows;
    enum mend_file_look_act last;
};

/* Which of its two places a window takes. */
static inline int mend_file_look_place(int64_t window)
{
    return (int)(window % 2);
}

/* The window that the last act is about: one to read, or to copy. */
static inline int64_t mend_file_look_window(const struct mend_file_look *l)
{
    return l->last == MEND_FILE_LOOK_READ ? l->step : l->step - 1;
}

/* VOTE: the next act is that behind the decision.  failing: this member only votes any more. */
static inline enum mend_file_look_act mend_file_look_next(struct mend_file_look *l, bool failing)
{
    if (l->last == MEND_FILE_LOOK_VOTE && l->step < l->windows && !failing)
        l->last = MEND_FILE_LOOK_READ;
    else if (l->last != MEND_FILE_LOOK_COPY && l->step > 0 && !failing)
        l->last = MEND_FILE_LOOK_COPY;
    else
        l->last = l->step++ < l->windows ? MEND_FILE_LOOK_VOTE : MEND_FILE_LOOK_END;
    return l->last;
}

#endif
