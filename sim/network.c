/* SPDX-License-Identifier: BSD-3-Clause */
/* network.c – delays, order, partitions. */
#include "network.h"

#include <stdlib.h>
#include <string.h>

/* About what a current network does between two nodes. */
const struct mend_sim_loggp mend_sim_loggp_default = {1.0, 0.3, 0.3, 0.0001};

void mend_sim_net_init(struct mend_sim_net *net, const struct mend_sim_conf *conf,
                       struct mend_sim_rng *rng)
{
    size_t pairs = (size_t)conf->ranks * (size_t)conf->ranks;

    memset(net, 0, sizeof *net);
    net->conf = conf;
    net->rng = rng;
    net->last = calloc(pairs, sizeof *net->last);
    MEND_ASSERT(net->last);
}

void mend_sim_net_fini(struct mend_sim_net *net)
{
    free(net->last);
}

mend_time_ns mend_sim_net_delay(struct mend_sim_rng *rng)
{
    mend_time_ns delay = 1 + mend_sim_rng_below(rng, 100);

    if (mend_sim_rng_below(rng, 16) == 0)
        delay *= 1 + mend_sim_rng_below(rng, 50);
    return delay;
}

static int side(const struct mend_sim_net *net, int rank)
{
    return net->side[rank % 1024 / 64] >> rank % 64 & 1;
}

mend_time_ns mend_sim_net_arrival(struct mend_sim_net *net, mend_time_ns now, int from, int to)
{
    mend_time_ns *last = &net->last[(size_t)from * (size_t)net->conf->ranks + (size_t)to];
    mend_time_ns at = now + mend_sim_net_delay(net->rng);

    if (now < net->healed_at && side(net, from) != side(net, to))
        at += net->healed_at - now;
    if (!net->conf->reorder && at <= *last)
        at = *last + 1;
    if (*last < at)
        *last = at;
    return at;
}

void mend_sim_net_split(struct mend_sim_net *net, mend_time_ns until)
{
    for (size_t i = 0; i < MEND_COUNT_OF(net->side); i++)
        net->side[i] = mend_sim_rng_next(net->rng);
    net->healed_at = until;
}
