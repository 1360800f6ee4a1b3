/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h – chance and time of the simulator: a seeded generator and a queue of events. */
#ifndef MEND_SIM_CLOCK_H
#define MEND_SIM_CLOCK_H

#include "base/status.h"

struct mend_sim_rng {
    uint64_t state;
};

uint64_t mend_sim_rng_next(struct mend_sim_rng *rng);

/* From 0 to n - 1; n > 0. */
uint64_t mend_sim_rng_below(struct mend_sim_rng *rng, uint64_t n);

/* An event of the timeline.  Events at the same time happen in the order of their insertion. */
struct mend_sim_ev {
    mend_time_ns at;
    uint64_t serial;
    uint8_t kind; /* the engine's own */
    int32_t rank; /* to which it happens */
    int32_t other;
    uint32_t len;
    uint64_t hops; /* of a message: how many led to it, it included */
    void *bytes;   /* malloced, or NULL */
};

/* Whether a happens before b. */
static inline bool mend_sim_ev_before(const struct mend_sim_ev *a, const struct mend_sim_ev *b)
{
    return a->at != b->at ? a->at < b->at : a->serial < b->serial;
}

struct mend_sim_clock {
    mend_time_ns now;
    struct mend_sim_ev *heap;
    size_t n, room;
    uint64_t serial;
};

void mend_sim_clock_add(struct mend_sim_clock *c, struct mend_sim_ev ev);

/* An event that was taken out, at another time.  Of those at that time it keeps its place by its insertion. */
void mend_sim_clock_put_back(struct mend_sim_clock *c, struct mend_sim_ev ev);

/* The earliest event, and sets the time to it.  False: there is none. */
bool mend_sim_clock_next(struct mend_sim_clock *c, struct mend_sim_ev *ev_p);

/* Frees everything. */
void mend_sim_clock_fini(struct mend_sim_clock *c);

#endif
