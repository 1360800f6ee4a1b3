/* SPDX-License-Identifier: BSD-3-Clause */
/* network.h – the virtual network: when a message arrives, and what sending costs.
 *
 * Mend's channels are reliable and in order per pair of processes until one of the two dies; pairs
 * are independent of each other.  Reordering within a pair and duplicates are harsher than any of
 * our transports and can be switched on. */
#ifndef MEND_SIM_NETWORK_H
#define MEND_SIM_NETWORK_H

#include "clock.h"
#include "sim.h"

struct mend_sim_net {
    const struct mend_sim_conf *conf;
    struct mend_sim_rng *rng;
    mend_time_ns *last;     /* per ordered pair: latest arrival so far */
    uint8_t *pace;          /* nodes, per pair of them: how slow the link is; else NULL */
    uint64_t side[16];      /* partition: which side a rank (modulo 1024) is on */
    mend_time_ns healed_at; /* end of the partition */
};

void mend_sim_net_init(struct mend_sim_net *net, const struct mend_sim_conf *conf,
                       struct mend_sim_rng *rng);
void mend_sim_net_fini(struct mend_sim_net *net);

#define MEND_SIM_DELAY_MAX 5000 /* of one message, on the fastest link */
#define MEND_SIM_PACE_MAX  8

/* When a message sent now arrives. */
mend_time_ns mend_sim_net_arrival(struct mend_sim_net *net, mend_time_ns now, int from, int to);

/* A delay as chance will have it: mostly short, sometimes very long. */
mend_time_ns mend_sim_net_delay(struct mend_sim_rng *rng);

/* Splits the network in two at random until the given time; messages across wait. */
void mend_sim_net_split(struct mend_sim_net *net, mend_time_ns until);

/* The LogGP model: a message of b bytes costs its sender o, arrives L + (b-1)*G later, and costs
 * its receiver o; two sends of one process are at least g apart. */
struct mend_sim_loggp {
    double l_us, o_us, g_us, big_g_us;
};

extern const struct mend_sim_loggp mend_sim_loggp_default;

#endif
