/* SPDX-License-Identifier: BSD-3-Clause */
/* run.h – carrying out lists of steps; the state that collectives keep in a process. */
#ifndef MEND_COLL_RUN_H
#define MEND_COLL_RUN_H

#include "coll/schedule.h"

struct mend_coll {
    struct mend_list running; /* operations that are not complete: struct mend_coll_op.running */
};

/* Runs, starts or prepares the list, as `how` says, and takes it over: closes it in any case.
 * NOW: blocks until all steps are done, a member is dead or the communicator is revoked; returns
 * the error class.  START and PREPARE: never fail; the request tells all (S0-15, R1).
 *
 * MPI_ERR_NO_MEM: this member had no memory to carry it out, or the data that it waited for came from one
 * that had none.  It has taken its part in the messages, so the others do not wait for it, and the next collective
 * begins as after a success.  Members whose result does not depend on it succeed. */
int mend_coll_run(struct mend_comm *c, struct mend_sched *s, struct mend_coll_how *how);

/* What a collective on c returns at once: MPI_SUCCESS if it may begin. */
static inline int mend_coll_check(const struct mend_comm *c)
{
    if (mend_likely(!c->revoked && !c->inactive))
        return MPI_SUCCESS;
    return c->revoked ? MEND_CLASS_INVALIDATED : MEND_CLASS_PROC_FAILED;
}

#endif
