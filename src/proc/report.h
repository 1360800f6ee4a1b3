/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h – lines of the launcher's --report file that come from the ranks. */
#ifndef MEND_PROC_REPORT_H
#define MEND_PROC_REPORT_H

#include "base/lines.h"
#include "proc/proc.h"
#include "rt/rt.h"

/* mend_record_event(self, notice, .dead = 3): adds that line of lines.def; rank and time are added on
 * the way.  Does nothing, at the cost of a branch, unless the launcher writes a report.  Never blocks
 * for long: one datagram to the agent. */
#define mend_record_event(self_, line_, ...)                                                       \
    do {                                                                                           \
        if (mend_unlikely((self_)->reporting)) {                                                   \
            struct mend_line_##line_ l_ = {.rank = MEND_LINE_OF_THIS, __VA_ARGS__};                \
            char text_[MEND_LINE_BYTES];                                                           \
                                                                                                   \
            if (mend_line_##line_##_text(text_, &l_))                                              \
                (self_)->rt->report((self_), text_);                                               \
        }                                                                                          \
    } while (0)

/* A line that says what this process's library holds: a leak shows in the lines of a long job. */
void mend_record_holdings(struct mend_proc *self);

#endif
