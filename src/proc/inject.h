/* SPDX-License-Identifier: BSD-3-Clause */
/* inject.h – failures that the launcher injects into this rank. */
#ifndef MEND_PROC_INJECT_H
#define MEND_PROC_INJECT_H

#include "proc/proc.h"

/* Sets self->events up from MEND_INJECT, specifications separated by ';' (base/event.h), and the parameter
 * TRACE; neither: nothing to do.  Needs self->rt.  MPI_ERR_OTHER, with *why_p: it is not a specification;
 * MPI_ERR_NO_MEM. */
int mend_proc_read_injections(struct mend_proc *self, const char **why_p);

#endif
