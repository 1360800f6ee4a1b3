/* SPDX-License-Identifier: BSD-3-Clause */
/* starter_sm.h – what the root of a job does next with a request for processes: it starts all of them, or none lives on.
 *
 *              too few, but dead ranks may give room
 *        ┌────────────────────────> HOLD ── AGAIN ──┐
 *      COUNT <───────────────────────────────────────┘
 *        │ │ too few                                      what it answers
 *        │ └────────────────────────────────────> ANSWER  FULL, FAILED where it must be on a host that is not there
 *        v        a program is not there             ^
 *      FIND ─────────────────────────────────────────┤    FAILED
 *        v        no memory                          │
 *      ADMIT ────────────────────────────────────────┤    FAILED
 *        v        cannot be started                  │
 *    ┌ START ──────> WITHDRAW ───────────────────────┤    FAILED
 *    └──^ │                                          │
 *         └─ all are ────────────────────────────────┘    STARTED
 *
 * There is an answer in any case: the process that asked waits for it, and for nothing else.  What was started before
 * another one failed is withdrawn while it is in MPI_Init, before the answer.
 *
 *   transition            function (starter_sm.c)
 *   START → START, ANSWER started
 *   all others            mend_starter_step
 *
 * Invariants, asserted in mend_starter_check():
 *   1  it says STARTED if and only if all are started and none is withdrawn;
 *   2  no more than all are started. */
#ifndef MEND_FT_STARTER_SM_H
#define MEND_FT_STARTER_SM_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mend_starter_act {
    MEND_STARTER_COUNT, /* for how many is there room? */
    MEND_STARTER_HOLD,  /* nothing now; later the request is looked at again */
    MEND_STARTER_FIND,  /* are the programs there? */
    MEND_STARTER_ADMIT, /* names, places and memory for all */
    MEND_STARTER_START, /* one process, number started_n */
    MEND_STARTER_WITHDRAW,
    MEND_STARTER_ANSWER,
    MEND_STARTER_END,
};

enum mend_starter_answer { MEND_STARTER_STARTED = 1, MEND_STARTER_FAILED, MEND_STARTER_FULL };

/* How the act ended; HOLD: it is looked at again. */
struct mend_starter_event {
    bool good;
    bool hopeful;    /* COUNT, not good: there may be room later, ... */
    bool never;      /* ... or there can be none */
    int32_t total_n; /* COUNT, good: processes, 1 or more */
};

struct mend_starter {
    uint8_t act;    /* enum mend_starter_act: what is to be done */
    uint8_t answer; /* enum mend_starter_answer, 0: none yet */
    bool withdrawn;
    int32_t started_n, total_n;
};

void mend_starter_init(struct mend_starter *x);

/* The one transition function: the act ended so.  x->act is the next one. */
void mend_starter_step(struct mend_starter *x, const struct mend_starter_event *ev);

/* Asserts all invariants. */
void mend_starter_check(const struct mend_starter *x);

/* One line into buf, as snprintf. */
int mend_starter_print(const struct mend_starter *x, char *buf, size_t size);

#endif
