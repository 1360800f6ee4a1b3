/* SPDX-License-Identifier: BSD-3-Clause */
/* pvar_read.c – the values of performance variables: most of them are at hand, and cost nothing before someone asks. */
#include "tool/tool.h"

#include "p2p/p2p.h"

static double seconds(const struct mend_tool *t, int cause)
{
    return (double)t->wait_times.ns[cause] * 1e-9;
}

static double seconds_in_all(const struct mend_tool *t)
{
    double sum = 0;

    for (int i = 0; i < MEND_WAIT_CAUSES; i++)
        sum += seconds(t, i);
    return sum;
}

static uint64_t state_of(const struct mend_comm *c)
{
    return c->revoked ? 2 : mend_comm_is_inactive(c) ? 1 : 0;
}

static double living(const struct mend_comm *c)
{
    int n = 0;

    for (int i = 0; i < c->size; i++)
        n += !mend_peer_is_dead(c->self, mend_group_peer(c->group, i));
    return (double)n / c->size;
}

static uint64_t count(const struct mend_tool *t, enum mend_tool_pvar_id id,
                      const struct mend_comm *c)
{
    struct mend_proc *self = t->self;
    struct mend_p2p_traffic own = mend_p2p_traffic(self, MEND_CHANNEL_P2P),
                            coll = mend_p2p_traffic(self, MEND_CHANNEL_COLL);

    switch (id) {
    case MEND_PVAR_messages_sent:
        return own.sent_n;
    case MEND_PVAR_bytes_sent:
        return own.sent_bytes;
    case MEND_PVAR_messages_received:
        return own.came_n;
    case MEND_PVAR_bytes_received:
        return own.came_bytes;
    case MEND_PVAR_unexpected_messages:
    case MEND_PVAR_unexpected_messages_max:
        return mend_p2p_unexpected(self);
    case MEND_PVAR_comm_unexpected_messages:
        return mend_p2p_unexpected_on(c);
    case MEND_PVAR_comm_posted_receives:
        return mend_p2p_posted_on(c);
    case MEND_PVAR_coll_messages_sent:
        return coll.sent_n;
    case MEND_PVAR_coll_bytes_sent:
        return coll.sent_bytes;
    case MEND_PVAR_comm_collectives:
        return c->calls_n;
    case MEND_PVAR_deaths:
        return self->deaths_n - self->left_n;
    case MEND_PVAR_revocations:
        return self->revocations_n;
    case MEND_PVAR_agreements:
        return self->agreements_n;
    case MEND_PVAR_comm_state:
        return state_of(c);
    case MEND_PVAR_processes:
        return (uint64_t)self->peers_n;
    case MEND_PVAR_long_calls:
        return self->long_calls_n;
    case MEND_PVAR_communicators:
        return self->comms.used;
    case MEND_PVAR_memory_bytes:
        return self->arena->in_use_bytes;
    default:
        return 0;
    }
}

static double quantity(const struct mend_tool *t, enum mend_tool_pvar_id id,
                       const struct mend_comm *c)
{
    switch (id) {
    case MEND_PVAR_time_waiting:
        return seconds_in_all(t);
    case MEND_PVAR_time_waiting_for_messages:
        return seconds(t, MEND_WAIT_MESSAGES);
    case MEND_PVAR_time_waiting_in_collectives:
        return seconds(t, MEND_WAIT_COLLECTIVES);
    case MEND_PVAR_time_waiting_for_agreements:
        return seconds(t, MEND_WAIT_AGREEMENTS);
    case MEND_PVAR_time_waiting_for_creation:
        return seconds(t, MEND_WAIT_CREATION);
    case MEND_PVAR_time_waiting_for_windows:
        return seconds(t, MEND_WAIT_WINDOWS);
    case MEND_PVAR_comm_living:
        return living(c);
    default:
        return 0;
    }
}

struct mend_tool_value mend_tool_pvar_now(const struct mend_tool *t, enum mend_tool_pvar_id id,
                                          const struct mend_comm *c)
{
    if (mend_tool_pvar_list[id].type == 'X')
        return (struct mend_tool_value){.x = quantity(t, id, c)};
    return (struct mend_tool_value){.n = count(t, id, c)};
}
