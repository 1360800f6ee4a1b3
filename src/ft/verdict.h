/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict.h – what is decided about a process, and why: final, whether it was right or not. */
#ifndef MEND_FT_VERDICT_H
#define MEND_FT_VERDICT_H

#include "base/status.h"

/* Why a process is dead.  `code` of a verdict means: */
enum mend_verdict_cause {
    MEND_VERDICT_UNKNOWN = 0, /* it is certainly gone; the reason may follow (explain) */
    MEND_VERDICT_SIGNAL,      /* the signal */
    MEND_VERDICT_EXIT,        /* its exit status; it did not call MPI_Finalize (R23) */
    MEND_VERDICT_ABORT,       /* the abort code; somebody asked for it (S4) */
    MEND_VERDICT_STOPPED,     /* nothing; it did not run for too long and was killed (S3-7) */
    MEND_VERDICT_LOST,        /* nothing; its node or agent was lost */
    MEND_VERDICT_SUSPECTED, /* the rank that could not reach it, -1: of another job; it was killed (S3-5) */
    MEND_VERDICT_CAUSES,
};

struct mend_verdict {
    int32_t peer;
    int32_t cause; /* enum mend_verdict_cause */
    int32_t code;
    mend_time_ns when_ns; /* clock of the agent that decided */
    bool late;            /* it may have happened later than that */
};

/* How a process asks for the end of others, or of itself. */
struct mend_abort {
    int code;
    bool
        follows; /* its error handler is fatal, and the error is a death or a revocation: that is not a cause (R22) */
};

#endif
