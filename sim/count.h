/* SPDX-License-Identifier: BSD-3-Clause */
/* count.h – the cost of a protocol in a LogGP network. */
#ifndef MEND_SIM_COUNT_H
#define MEND_SIM_COUNT_H

#include "network.h"

#define MEND_SIM_NS_PER_US 1000.0

struct mend_sim_cost {
    double us;         /* until the last one is done */
    uint64_t messages; /* sent */
    int32_t most;      /* messages that one process sent */
};

static inline mend_time_ns mend_sim_ns(double us)
{
    return (mend_time_ns)(us * MEND_SIM_NS_PER_US);
}

/* How long a sender is busy with a message, and when it arrives after that. */
static inline mend_time_ns mend_sim_loggp_busy(const struct mend_sim_loggp *net)
{
    return mend_sim_ns(net->o_us > net->g_us ? net->o_us : net->g_us);
}

static inline mend_time_ns mend_sim_loggp_flight(const struct mend_sim_loggp *net, size_t len)
{
    return mend_sim_ns(net->l_us + net->big_g_us * (double)len);
}

/* An allreduce of 8 bytes with the library's own step lists (src/coll/): recursive doubling, or a
 * reduction to rank 0 followed by a broadcast, which has the shape of an agreement. */
struct mend_sim_cost mend_sim_count_allreduce(int ranks, bool doubling);

#endif
