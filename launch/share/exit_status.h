/* SPDX-License-Identifier: BSD-3-Clause */
/* exit_status.h – how the ranks ended, and from that the exit status of the job (ruling R22).  Pure. */
#ifndef MEND_LAUNCH_SHARE_EXIT_STATUS_H
#define MEND_LAUNCH_SHARE_EXIT_STATUS_H

#include "base/status.h"

/* How far a rank got in MPI.  It says "finalized" while its process still runs; one that has ended its last session
 * counts as finalized. */
enum mend_rank_reach { MEND_REACH_NOTHING = 0, MEND_REACH_INIT, MEND_REACH_FINALIZE, MEND_REACHES };

/* How its process ended, and what `code` is then. */
enum mend_rank_outcome {
    MEND_OUTCOME_RUNNING = 0,
    MEND_OUTCOME_EXITED,   /* with status 0 */
    MEND_OUTCOME_FAILED,   /* with another exit status */
    MEND_OUTCOME_SIGNALED, /* the signal */
    MEND_OUTCOME_ABORTED, /* the abort's code: MPI_Abort or a fatal error, its own or another rank's */
    MEND_OUTCOMES
};

/* All zero: a rank that runs. */
struct mend_rank_end {
    uint8_t reach;   /* enum mend_rank_reach */
    uint8_t outcome; /* enum mend_rank_outcome */
    bool named;      /* by an abort, also if it had ended before, or is still to end */
    bool follows;    /* ABORTED: as in struct mend_abort */
    bool handled;    /* an MPI call had told a rank that finished of its death */
    int code;
    uint32_t order; /* in which the ranks ended */
};

/* Which deaths count. */
enum mend_exit_rule {
    MEND_EXIT_HANDLED = 0, /* those that nobody handled */
    MEND_EXIT_STRICT,      /* all */
    MEND_EXIT_LENIENT,     /* none, if a rank finishes cleanly */
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

/* The process of the rank has ended: with this status, or by this signal if `signaled`.  joined: it had called
 * MPI_Init.  abort_code: that of the abort that ended it, NULL: none did; a rank that had finalized is not ended by an
 * abort.  Called again when it becomes known that an abort ended the rank; named, handled and order stay. */
void mend_rank_end_settle(struct mend_rank_end *e, bool joined, bool signaled, int code,
                          const int *abort_code);

/* The rank died, for the others: it ended before MPI_Finalize, and not as a program without MPI that succeeds. */
bool mend_rank_end_is_death(const struct mend_rank_end *e);

/* The exit status of the launcher. */
int mend_exit_status(const struct mend_job_end *job);

#endif
