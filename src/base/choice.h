/* SPDX-License-Identifier: BSD-3-Clause */
/* choice.h – which of a few ways to do the same work is the fastest, measured by using them.
 *
 *   trying ── TRIES of each way, one way after the other ──> settled ── much slower than it was, or
 *      ^                                                       │         long ago
 *      └───────────────────────────────────────────────────────┘
 *
 * During a trial each use is timed, and the choice settles for the way with the best rate, or, if `mean` is set, with the
 * best mean of rates: where the speed of a use depends on which way another process goes at that moment.  The way of the
 * last trial stays unless another one is better by more than an eighth.  Afterwards
 * one use in MEND_CHOICE_TIMED_OF is timed.  If the rate falls below half of what it was, there is another trial.
 * A trial begins with the way of the last one, or, if `mean` is set, with the first way, so that two processes that begin at the
 * same time try the same.  It gives up a way that is far behind after GIVE_UP uses.  If the same way wins again, the time
 * to the next trial doubles.
 *
 *   way = mend_choice_way(c);  timed = mend_choice_timed(c);  ... do it ...;  if (timed) mend_choice_tell(c, way, rate, 1);
 *
 * At the beginning all members are zero except ways_n, mean, and settled_for, the way to begin with. */
#ifndef MEND_BASE_CHOICE_H
#define MEND_BASE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#define MEND_CHOICE_WAYS     3
#define MEND_CHOICE_TRIES    6
#define MEND_CHOICE_GIVE_UP  3
#define MEND_CHOICE_TIMED_OF 8

struct mend_choice {
    uint64_t best[MEND_CHOICE_WAYS]; /* rates, at the last trial */
    uint64_t recent;                 /* of the way that is settled for, a running mean */
    uint32_t since_n;                /* turns timed since the last trial */
    uint32_t calm;                   /* so many until the next one */
    uint32_t seen_n;                 /* turns since then that could have been timed */
    uint8_t tried[MEND_CHOICE_WAYS]; /* turns of the trial that were timed */
    uint8_t ways_n;                  /* 0 and 1: there is nothing to choose */
    uint8_t settled_for;             /* or tried first */
    bool settled;                    /* no trial now */
    bool assumed;                    /* what it is settled for was not compared with anything */
    bool mean;
};

/* The way to go now. */
unsigned mend_choice_way(const struct mend_choice *c);

/* Is this turn to be timed? */
bool mend_choice_timed(struct mend_choice *c);

/* A turn of that way had this rate: the more the better, of any unit; 0: it failed.  It was as long as so many. */
void mend_choice_tell(struct mend_choice *c, unsigned way, uint64_t rate, unsigned turns);

/* Another trial: something has changed. */
void mend_choice_again(struct mend_choice *c);

/* Another trial, if what it has settled for has become slower than `way` was in the last one.  True: there is one. */
bool mend_choice_doubts(struct mend_choice *c, unsigned way);

/* At first it goes that way without a trial, which comes when a while has passed, or when the rate stays below half of this
 * one. */
void mend_choice_assume(struct mend_choice *c, unsigned way, uint64_t rate);

#endif
