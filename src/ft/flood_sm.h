/* SPDX-License-Identifier: BSD-3-Clause */
/* flood_sm.h – a revocation reaches every survivor, whichever processes die on the way (S0-59).
 *
 * A flood: a process that learns of it for the first time tells its neighbours at distance 2^i on both
 * sides (ft/links.h), O(log n) of them.  A neighbour that dies after it was told may not have told
 * others; so the process also tells the surviving rank that takes the dead one's place among its neighbours.
 *
 *            LOCAL, RECV                          6 revokes:  6 -> 7, 0, 2, 5, 4 (8 ranks)
 *      IDLE ─────────────> REVOKED <─┐            0 hears it: 0 -> 1, 2, 4, 7, (not back to 6)
 *        DEATH: noted         │      │ DEATH      7 dies:     6 -> 0 was told already, nothing
 *                             └──────┘ of a neighbour: tell its replacement
 *
 *   transition            function (flood_sm.c)
 *   IDLE → REVOKED        become, from mend_flood_step
 *   REVOKED → REVOKED     mend_flood_step (DEATH)
 *
 * Why it is reliable: +1 and -1 lead to the nearest living ranks, so the survivors form a circle; if p
 * lives for ever and has heard, then so does, by the rule for deaths, the rank after it.
 *
 * Invariants:
 *   1  a revoked machine stays revoked (become());
 *   2  I am not dead to myself (mend_flood_step(): such a death only sets `excluded`);
 *   3  no rank is told twice by me, except a rank that is revoked anyway (mend_flood_next());
 *   4  all output of a step is fetched before the next step (mend_flood_step()). */
#ifndef MEND_FT_FLOOD_SM_H
#define MEND_FT_FLOOD_SM_H

#include "ft/links.h"

enum mend_flood_state { MEND_FLOOD_IDLE = 0, MEND_FLOOD_REVOKED };

enum mend_flood_event_kind {
    MEND_FLOOD_LOCAL, /* this process revokes */
    MEND_FLOOD_RECV,  /* rank told us */
    MEND_FLOOD_DEATH, /* rank is dead */
};

struct mend_flood_event {
    enum mend_flood_event_kind kind;
    int32_t rank; /* RECV, DEATH */
};

struct mend_flood_out {
    bool news; /* the communicator became revoked in this step */
};

struct mend_flood {
    int32_t n, me;
    int32_t from;  /* the process that told us first, -1: none */
    int32_t lost;  /* neighbour that just died and is being replaced, -1: none */
    int16_t link;  /* next link to look at; links or more: nothing to send */
    uint8_t state; /* enum mend_flood_state; written by become() only */
    bool excluded; /* I was declared dead */
    uint64_t dead[];
};

/* Bytes for a machine of n members (of both groups together on an intercommunicator). */
size_t mend_flood_size(int32_t n);

/* Prepares the caller's memory as member `me` of n.  No member counts as dead at first; deliver DEATH for each
 * dead member. */
void mend_flood_init(struct mend_flood *x, int32_t n, int32_t me);

/* The one transition function; afterwards call mend_flood_next() until it returns false. */
void mend_flood_step(struct mend_flood *x, const struct mend_flood_event *ev,
                     struct mend_flood_out *out);

/* The next rank to be told.  The message has no content: that it is one says it all. */
bool mend_flood_next(struct mend_flood *x, int32_t *to_p);

static inline bool mend_flood_is_revoked(const struct mend_flood *x)
{
    return x->state == MEND_FLOOD_REVOKED;
}

/* Asserts all invariants.  O(n). */
void mend_flood_check(const struct mend_flood *x);

/* One line into buf, as snprintf. */
int mend_flood_print(const struct mend_flood *x, char *buf, size_t size);

#endif
