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

/* Does the place need a message that an RTS announces? */
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

/* A survivor, about to call: half of them, by `dice`, call when the victim has begun. */
static inline void meet_survival(const char *where, int act, unsigned dice)
{
    post(slot(act, READY));
    if (strcmp(where, "never") != 0 && mix(dice) & 1)
        await_in_mpi(slot(act, BEGUN), 1);
}

/* At the end, on what is left: rank 0 says how many died, and how many of them inside.  If the event is `possible`, it must
 * have happened in some act. */
static inline void tell_deaths(const char *where, bool possible, MPI_Comm left)
{
    int me, inside = size - 1;

    for (int i = 0; i < size - 1; i++)
        inside -= posted(slot(i, SURVIVED));
    CHECK(!possible || !is_event(where) || inside > 0);
    MPI_Comm_rank(left, &me);
    if (me == 0)
        printf("%d deaths, %d inside\n", size - 1, inside);
}

#endif
