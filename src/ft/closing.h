/* SPDX-License-Identifier: BSD-3-Clause */
/* closing.h – when may a process take away what it has shown to the others about one thing?
 *
 * Each member shows a title in memory of its own that all can read: the name of the thing, which is never
 * used again, and how far the member is.  A member appears when it likes, and some may have closed the thing
 * before others appear.  The room of a title that was taken away serves for something else, so whoever
 * looks for a name and finds nothing cannot tell by that alone whether the member has not come yet or has
 * gone.  Hence two rounds, of which nobody waits for anything:
 *
 *   OPEN ── closes ──> CLOSED ── all others are CLOSED or DONE ──> DONE ── all others are DONE or gone ──> gone
 *                        nothing found: it has not come yet          nothing found: it has gone
 *
 * Who is dead is passed over.  So what a title belongs to
 *   1  is not taken away before all living members have closed the thing;
 *   2  is taken away some time after all living members have.
 * Why 1: who has gone was DONE, so it had found all living members CLOSED.  Why the second round is right: a
 * member that is CLOSED keeps all others from going, so whoever comes is there until this one has seen it.
 *
 * Pure.  closing_test.c tries all orders of accesses and deaths. */
#ifndef MEND_FT_CLOSING_H
#define MEND_FT_CLOSING_H

#include <stdbool.h>

enum mend_title {
    MEND_TITLE_OPEN = 0,
    MEND_TITLE_CLOSED,
    MEND_TITLE_DONE,
    MEND_TITLE_GONE, /* its own; of another one: nothing is found */
};

/* A member that is this far need not look any more at a living one of which it has found that. */
static inline bool mend_title_passes(enum mend_title mine, enum mend_title found)
{
    if (mine == MEND_TITLE_CLOSED)
        return found == MEND_TITLE_CLOSED || found == MEND_TITLE_DONE;
    return found == MEND_TITLE_DONE || found == MEND_TITLE_GONE;
}

/* How far it is when all pass. */
static inline enum mend_title mend_title_next(enum mend_title mine)
{
    return mine == MEND_TITLE_CLOSED ? MEND_TITLE_DONE : MEND_TITLE_GONE;
}

#endif
