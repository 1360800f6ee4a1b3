/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h – lines of the launcher's --report file that come from the ranks. */
#ifndef MEND_PROC_REPORT_H
#define MEND_PROC_REPORT_H

#include "proc/proc.h"

/* Adds the members of a JSON object, without braces; rank and time are added on the way.  Does
 * nothing, at the cost of a branch, unless the launcher writes a report.  Never blocks for long: one
 * datagram to the agent. */
void mend_report_event_always(struct mend_proc *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
#define mend_report_event(self_, ...)                                                              \
    do {                                                                                           \
        if (mend_unlikely((self_)->reporting))                                                     \
            mend_report_event_always((self_), __VA_ARGS__);                                        \
    } while (0)

/* A line that says what this process's library holds: a leak shows in the lines of a long job. */
void mend_report_holdings(struct mend_proc *self);

#endif
