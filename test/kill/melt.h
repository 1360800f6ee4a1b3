/* SPDX-License-Identifier: BSD-3-Clause */
/* melt.h – a job that melts: act after act one process dies at a chosen place of one call, and the others
 * go on with the next act.
 *
 * All processes work out the same acts from the arguments, before MPI_Init too, so nobody has to be
 * told which rank dies when.  The place is
 *
 *     never, after     before the call, after it
 *     random           at a time around it
 *     an event         counted from the call on: what mpiexec --inject would do, asked for by the process
 *                      itself.  MPI_Pcontrol is the mark from which on is counted. */
#ifndef TEST_KILL_MELT_H
#define TEST_KILL_MELT_H

#include "kill/common.h"

/* Slots of the board for act i: how many are ready; the victim has begun; it came out of the call. */
enum { READY, BEGUN, SURVIVED, SLOTS };

static inline int slot(int act, int what)
{
    return SLOTS * act + what;
}

static inline unsigned mix(unsigned x)
{
    x = (x ^ x >> 16) * 0x45d9f3bu;
    x = (x ^ x >> 16) * 0x45d9f3bu;
    return x ^ x >> 16;
}

static inline bool is_event(const char *where)
{
    return strchr(where, '.') != NULL;
}

/* Call it before MPI_Init. */
static inline void arm(const char *where)
{
    char text[128];

    snprintf(text, sizeof text, "kill@call:MPI_Pcontrol>%s", where);
    if (is_event(where))
        setenv("MEND_INJECT", text, 1);
}

/* Does the place need a message that is offered first? */
static inline bool needs_large(const char *where)
{
    return !strncmp(where, "p2p.send", 8) || !strncmp(where, "p2p.data", 8) ||
           !strncmp(where, "p2p.recv.cts", 12);
}

/* The victim, about to call: waits until n others are ready, and dies here for `never`. */
static inline void meet_death(const char *where, int act, int n, long random_us)
{
    await_in_mpi(slot(act, READY), n);
    if (!strcmp(where, "never"))
        die_now();
    post(slot(act, BEGUN));
    if (!strcmp(where, "random"))
        die_soon(random_us);
    MPI_Pcontrol(1);
}

/* The victim has come out of its call. */
static inline _Noreturn void die_after(const char *where, int act)
{
    if (strcmp(where, "random") != 0)
        post(slot(act, SURVIVED));
    die_now();
}

/* At the end: how many died inside.  The event must have happened in some act. */
static inline int deaths_inside(const char *where, int acts)
{
    int n = acts;

    for (int i = 0; i < acts; i++)
        n -= posted(slot(i, SURVIVED));
    CHECK(!is_event(where) || n > 0);
    return n;
}

#endif
