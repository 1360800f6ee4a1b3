/* SPDX-License-Identifier: BSD-3-Clause */
/* published.h – publishing names: by this process itself, or in a job of several nodes by mpiexec for it (rt/names.h).
 *
 * All return an errno value, as rt/service.h.  In a job of several nodes they wait for mpiexec, whose loss ends this process; no other
 * process is needed. */
#ifndef MEND_CREATE_PUBLISHED_H
#define MEND_CREATE_PUBLISHED_H

#include "proc/proc.h"
#include "rt/service.h"

int mend_published_add(struct mend_proc *self, bool of_job, const char *name, const char *port);
int mend_published_find(struct mend_proc *self, bool of_job, const char *name,
                        char port[MEND_SERVICE_PORT_MAX]);
int mend_published_withdraw(struct mend_proc *self, bool of_job, const char *name,
                            const char *port);

/* All that this process has published. */
void mend_published_withdraw_all(struct mend_proc *self);

#endif
