/* SPDX-License-Identifier: BSD-3-Clause */
/* relay.h – the agents below this one in the tree of agents (ft/lineage_sm.h): each calls here, and what it and the root say to each other
 * goes in messages between this agent and the root (relay.c). */
#ifndef MEND_LAUNCH_AGENT_RELAY_H
#define MEND_LAUNCH_AGENT_RELAY_H

#include "base/list.h"
#include "node/greeting.h"
#include "share/loop.h"
#include "share/message.h"

#include <sys/types.h>

struct mend_brood;

struct mend_relay {
    struct mend_loop *loop;
    uint32_t member; /* of the loop */
    const struct mend_post *root;
    const unsigned char *key; /* of agents */
    struct mend_brood *brood; /* that this agent has started */
    uint64_t calls_n;
    struct mend_list calls;
};

/* Makes it a member of the loop, which runs until the agents below have ended their connections. */
void mend_relay_join(struct mend_relay *r, struct mend_loop *l, const struct mend_post *root,
                     const unsigned char *key, struct mend_brood *brood);

/* For struct mend_agent_calls: the call of an agent, or of its keeper; whether this is a process of the brood. */
void mend_relay_take(void *relay, int fd, const struct mend_greeting *g);
bool mend_relay_has_child(const void *relay, pid_t pid);

/* What the root says of a connection of theirs; the node is lost. */
void mend_relay_hear(struct mend_relay *r, const struct mend_message *m);
void mend_relay_forget(struct mend_relay *r, int node);

#endif
