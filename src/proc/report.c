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

static unsigned length(const struct mend_list *list)
{
    unsigned n = 0;

    for (const struct mend_list *l = list->next; l != list; l = l->next)
        n++;
    return n;
}

void mend_report_holdings(struct mend_proc *self)
{
    mend_report_event(self,
                      "\"event\":\"holdings\",\"bytes\":%zu,\"contexts\":%u,\"buried\":%u,"
                      "\"polled\":%u,\"parked\":%u,\"queued\":%u",
                      self->arena->in_use_bytes, self->comms.used, self->tombs.used,
                      length(&self->active), length(&self->parked), self->outbox_n);
}
