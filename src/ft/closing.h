/* SPDX-License-Identifier: BSD-3-Clause */
/* closing.h – when may a process reuse memory that other processes may still look for?
 *
 * Each member publishes a label in its own memory, which all can read: the name of an object (a vote block's
 * communicator), which is never used again, and the member's state.  Members may appear at any time, and some may
 * have closed the object before others appear.  The room of a label that was removed serves for another object, so a
 * process that looks for a name and finds nothing cannot tell from that alone whether the member has not come yet or
 * has gone.  So there are two rounds, neither of which waits:
 *
 *   OPEN ── closes ──> CLOSED ── all others are CLOSED or DONE ──> DONE ── all others are DONE or gone ──> gone
 *                        nothing found: it has not come yet          nothing found: it has gone
 *
 * Dead members are skipped.  So the memory behind a label
 *   1  is not reused before all living members have closed the object;
 *   2  is reused some time after all living members have.
 * Reason for 1: a member that has gone was DONE, so it had found all living members CLOSED.  Reason for the second
 * round: a member that is CLOSED keeps all others from going, so a member that comes stays visible until the CLOSED
 * one has seen it.
 *
 * Pure.  closing_test.c tries all orders of accesses and deaths. */
#ifndef MEND_FT_CLOSING_H
#define MEND_FT_CLOSING_H

#include <stdbool.h>

enum mend_closing {
    MEND_CLOSING_OPEN = 0,
    MEND_CLOSING_CLOSED,
    MEND_CLOSING_DONE,
    MEND_CLOSING_GONE, /* its own; of another one: nothing is found */
};

/* A member that is this far need not look any more at a living one of which it has found that. */
static inline bool mend_closing_passes(enum mend_closing mine, enum mend_closing found)
{
    if (mine == MEND_CLOSING_CLOSED)
        return found == MEND_CLOSING_CLOSED || found == MEND_CLOSING_DONE;
    return found == MEND_CLOSING_DONE || found == MEND_CLOSING_GONE;
}

/* How far it is when all pass. */
static inline enum mend_closing mend_closing_next(enum mend_closing mine)
{
    return mine == MEND_CLOSING_CLOSED ? MEND_CLOSING_DONE : MEND_CLOSING_GONE;
}

#endif
