/* SPDX-License-Identifier: BSD-3-Clause */
/* death.h – what is known of a death: the agent's verdict, as an entry of its log.
 *
 * The launcher uses the same causes when it gives the verdict. */
#ifndef MEND_PROC_DEATH_H
#define MEND_PROC_DEATH_H

#include "base/status.h"

#include <stdbool.h>

/* Why a process died, for error strings and reports. */
enum mend_cause {
    MEND_CAUSE_UNKNOWN = 0,
    MEND_CAUSE_SIGNAL,    /* code: the signal */
    MEND_CAUSE_EXIT,      /* ended without MPI_Finalize; code: exit status */
    MEND_CAUSE_ABORT,     /* MPI_Abort or a fatal error; code: the abort code */
    MEND_CAUSE_STOPPED,   /* did not run for too long and was killed */
    MEND_CAUSE_LOST,      /* its node or agent was lost */
    MEND_CAUSE_SUSPECTED, /* a rank could not reach it and had it killed; code: that rank; -1: it is of another job than this one, or than the reader */
    MEND_CAUSE_LEFT,      /* none: it has ended after MPI_Finalize, and its place is wanted */
};

struct mend_death {
    mend_peer peer;
    enum mend_cause cause;
    int code;
    mend_time_ns when_ns; /* monotonic clock of the agent's node */
    bool late;            /* it may have happened later than that: the agent was stopped since */
    uint32_t first;       /* number of the first of the verdicts that were given together with it */
};

/* Those of n that died together, as the argument of a visit. */
struct mend_deaths {
    const struct mend_death *death;
    int n;
};

/* Whether the peer is one of n that died together. */
static inline bool mend_is_among(const struct mend_death *death, int n, mend_peer p)
{
    int i = 0;

    while (i < n && death[i].peer != p)
        i++;
    return i < n;
}

#endif
