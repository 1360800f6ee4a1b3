/* SPDX-License-Identifier: BSD-3-Clause */
/* exit_status.h – how a job ended, as one number (ruling R22).  Pure. */
#ifndef MEND_LAUNCH_EXIT_STATUS_H
#define MEND_LAUNCH_EXIT_STATUS_H

#include "base/status.h"

/* How one rank ended. */
struct mend_rank_end {
    bool joined;    /* it called MPI_Init */
    bool finalized; /* it called MPI_Finalize */
    bool failed;    /* it was declared dead */
    bool handled;   /* ... and an MPI call had told a rank that finished of it */
    bool aborted;   /* by MPI_Abort or a fatal error, its own or another's; `code` */
    bool named;     /* by an abort, also if it had ended before */
    bool signaled;  /* its process was killed by signal `code` */
    int code;       /* abort code, signal or exit status */
    uint32_t order; /* in which the ranks ended */
};

/* Which deaths count. */
enum mend_exit_rule {
    MEND_EXIT_HANDLED = 0, /* those that nobody handled */
    MEND_EXIT_STRICT,      /* all */
    MEND_EXIT_LENIENT,     /* none, while somebody finishes */
};

struct mend_job_end {
    const struct mend_rank_end *rank;
    size_t rank_bytes; /* from one to the next */
    int n;
    enum mend_exit_rule rule;
    bool timed_out; /* --timeout */
    int signal;     /* that we forwarded, or 0 */
};

#define MEND_STATUS_TIMED_OUT    124
#define MEND_STATUS_NOT_INJECTED 125 /* all went well, but an injection never happened */

/* The exit status of the launcher. */
int mend_exit_status(const struct mend_job_end *job);

/* The job aborted as a whole: every rank was named by an abort or is dead; *code_p is the code. */
bool mend_exit_aborted(const struct mend_job_end *job, int *code_p);

#endif
