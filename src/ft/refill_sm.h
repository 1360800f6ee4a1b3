/* SPDX-License-Identifier: BSD-3-Clause */
/* refill_sm.h – what a process does next when new processes take the ranks of the dead (MPIX_Comm_refill).
 *
 *   survivor   SHRINK ──> JOIN ──> SEAT ──> END       who is dead? new processes (birth_sm.h), for one job after the
 *                                                     other; the old size
 *                 │       │ an error             ^
 *                 │       └──> SETTLE ───────────┤    which error do all survivors get?
 *                 │ nobody is dead, or an error  │
 *                 └──────────────────────────────┘
 *   newcomer             JOIN ──> SEAT ──> END        an error of any act ends the call
 *
 * A newcomer comes in one JOIN, and in those that follow is one of those that ask.
 *
 * SHRINK, SEAT and SETTLE are one agreement each, JOIN ends in one or in an error that may be another one at each
 * survivor: one has heard that no process could be started, another that somebody has died.  So the survivors agree: those
 * that call again after a death do that together.  A newcomer is in MPI_Init until END.
 *
 *   transition            function (refill_sm.c)
 *   all                   mend_refill_step
 *
 * Invariants, asserted in mend_refill_check():
 *   1  a newcomer does not shrink, nor settle;
 *   2  a result is there only in END. */
#ifndef MEND_FT_REFILL_SM_H
#define MEND_FT_REFILL_SM_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mend_refill_act {
    MEND_REFILL_SHRINK,
    MEND_REFILL_JOIN,
    MEND_REFILL_SEAT,
    MEND_REFILL_SETTLE,
    MEND_REFILL_END
};

/* How the act ended.  Errors are the caller's, 0: none. */
struct mend_refill_event {
    int32_t error;
    bool whole; /* SHRINK: nobody is dead */
    bool more;  /* JOIN: another job has lost processes, too */
};

struct mend_refill {
    bool newcomer;
    uint8_t act;    /* enum mend_refill_act: what is to be done */
    int32_t result; /* END: 0, or the error of the call */
};

void mend_refill_init(struct mend_refill *x, bool newcomer);

/* The one transition function: the act ended so.  x->act is the next one. */
void mend_refill_step(struct mend_refill *x, const struct mend_refill_event *ev);

/* Asserts all invariants. */
void mend_refill_check(const struct mend_refill *x);

/* One line into buf, as snprintf. */
int mend_refill_print(const struct mend_refill *x, char *buf, size_t size);

#endif
