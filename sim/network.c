/* SPDX-License-Identifier: BSD-3-Clause */
/* network.c – delays, order, partitions. */
#include "network.h"

#include <stdlib.h>
#include <string.h>

/* About what a current network does between two nodes. */
const struct mend_sim_loggp mend_sim_loggp_default = {1.0, 0.3, 0.3, 0.0001};

/* Each link between two nodes, and each node within itself, has its own. */
static void draw_paces(struct mend_sim_net *net)
{
    int n = net->conf->nodes;

    net->pace = calloc((size_t)n * (size_t)n, 1);
    MEND_ASSERT(net->pace);
    for (int a = 0; a < n; a++)
        for (int b = 0; b <= a; b++)
            net->pace[a * n + b] = net->pace[b * n + a] =
                (uint8_t)(1 + mend_sim_rng_below(net->rng, MEND_SIM_PACE_MAX));
}

void mend_sim_net_init(struct mend_sim_net *net, const struct mend_sim_conf *conf,
                       struct mend_sim_rng *rng)
{
    size_t pairs = (size_t)conf->ranks * (size_t)conf->ranks;

    memset(net, 0, sizeof *net);
    net->conf = conf;
    net->rng = rng;
    net->last = calloc(pairs, sizeof *net->last);
    MEND_ASSERT(net->last);
    if (conf->nodes)
        draw_paces(net);
}

void mend_sim_net_fini(struct mend_sim_net *net)
{
    free(net->last);
    free(net->pace);
}

mend_time_ns mend_sim_net_delay(struct mend_sim_rng *rng)
{
    mend_time_ns delay = 1 + mend_sim_rng_below(rng, 100);

    if (mend_sim_rng_below(rng, 16) == 0)
        delay *= 1 + mend_sim_rng_below(rng, 50);
    return delay;
}

/* A partition is between nodes. */
static int side(const struct mend_sim_net *net, int rank)
{
    int at = net->conf->nodes ? mend_sim_node_of(net->conf, rank) : rank;

    return net->side[at % 1024 / 64] >> at % 64 & 1;
}

static mend_time_ns pace(const struct mend_sim_net *net, int from, int to)
{
    const struct mend_sim_conf *c = net->conf;

    mend_time_ns detour = c->broken == MEND_SIM_DETOUR ? 1000 : 1;

    return net->pace
               ? detour * net->pace[mend_sim_node_of(c, from) * c->nodes + mend_sim_node_of(c, to)]
               : 1;
}

mend_time_ns mend_sim_net_arrival(struct mend_sim_net *net, mend_time_ns now, int from, int to)
{
    mend_time_ns *last = &net->last[(size_t)from * (size_t)net->conf->ranks + (size_t)to];
    mend_time_ns at = now + mend_sim_net_delay(net->rng) * pace(net, from, to);

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
