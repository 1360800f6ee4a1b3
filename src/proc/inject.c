/* SPDX-License-Identifier: BSD-3-Clause */
/* inject.c – reads the injections for this rank, and carries each out when the rank reaches its place. */
#include "proc/inject.h"

#include "mpi.h"
#include "proc/detour.h"
#include "proc/report.h"
#include "rt/rt.h"
#include "rt/wire.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void inject_now(struct mend_events *events, struct mend_inject *inject)
{
    struct mend_proc *self = mend_self;
    static const char *const names[] = {"kill", "stop", "abort", "note", "cont"};

    mend_record_event(self, inject, .what = names[inject->action]);
    if (self->rt->injected)
        self->rt->injected(self, (int)(inject - events->injects));
    switch (inject->action) {
    case MEND_INJECT_KILL:
        raise(SIGKILL);
        break;
    case MEND_INJECT_STOP:
        raise(SIGSTOP);
        break;
    case MEND_INJECT_CONT:
        raise(SIGCONT);
        break;
    case MEND_INJECT_NOTE:
        break;
    case MEND_INJECT_ABORT:
        self->rt->abort(self, &self->me, 1, (struct mend_abort){.code = inject->arg});
        _exit(inject->arg);
    }
}

int mend_proc_read_injections(struct mend_proc *self, const char **why_p)
{
    char *text = getenv(MEND_ENV_INJECT), *save = NULL, *copy;
    struct mend_events *events;

    if (!text && !self->params.trace)
        return MPI_SUCCESS;
    events = mend_zalloc(self, 1, sizeof(*events));
    copy = mend_alloc(self, text ? strlen(text) + 1 : 1);
    if (!events || !copy)
        return MPI_ERR_NO_MEM;
    strcpy(copy, text ? text : "");
    events->trace = self->params.trace;
    events->act = inject_now;
    events->injects = mend_zalloc(self, strlen(copy) + 1, sizeof(*events->injects));
    if (!events->injects)
        return MPI_ERR_NO_MEM;
    for (char *one = strtok_r(copy, ";", &save); one; one = strtok_r(NULL, ";", &save))
        if (!mend_event_parse_inject(one, &events->injects[events->injects_n++], why_p))
            return MPI_ERR_OTHER;
    self->events = events;
    mend_detour_begin(self, MEND_DETOUR_EVENTS);
    return MPI_SUCCESS;
}
