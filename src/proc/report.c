/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c – counts the library's memory and objects, for the report. */
#include "proc/report.h"

static int length(const struct mend_list *list)
{
    int n = 0;

    for (const struct mend_list *l = list->next; l != list; l = l->next)
        n++;
    return n;
}

void mend_record_holdings(struct mend_proc *self)
{
    mend_record_event(self, holdings, .bytes = self->arena->in_use_bytes,
                      .contexts = (int)self->comms.used, .buried = (int)self->tombs.used,
                      .polled = length(&self->active), .parked = length(&self->parked),
                      .queued = (int)self->outbox_n);
}
