/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c – formats a line of the report and gives it to the runtime. */
#include "proc/report.h"

#include "rt/rt.h"

#include <stdarg.h>
#include <stdio.h>

void mend_report_event_always(struct mend_proc *self, const char *format, ...)
{
    char text[256];
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (n > 0 && (size_t)n < sizeof(text))
        self->rt->report(self, text);
}
