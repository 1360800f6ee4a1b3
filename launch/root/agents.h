/* SPDX-License-Identifier: BSD-3-Clause */
/* agents.h – the agents of the other nodes, as the root starts and ends them (agents.c). */
#ifndef MEND_LAUNCH_ROOT_AGENTS_H
#define MEND_LAUNCH_ROOT_AGENTS_H

#include "node/greeting.h"
#include "start/brood.h"

struct root;
struct root_node;

/* Of each agent: it is started once (ft/lease_sm.h). */
#define MEND_ROOT_INCARNATION 1u

/* Of the root's descriptors. */
enum root_from {
    MEND_ROOT_FROM_SIGNAL,
    MEND_ROOT_FROM_NODE,
    MEND_ROOT_FROM_BEATS /* a lease is over */
};

/* Starts the agents of the other nodes, which call `at`.  False: errno. */
bool mend_root_start_agents(struct root *root, const struct mend_address *at);

/* The name of the machine of the node; "": this one. */
const char *mend_root_name_of(const struct root_node *node);

/* For struct mend_agent_calls: an agent calls; whether this is the process of one. */
void mend_root_take_agent(void *root, int fd, const struct mend_greeting *g);
bool mend_root_has_child(const void *root, pid_t pid);

/* How far the start is, on a terminal; returns when to look again.  The lease of one is over: false: it had one. */
mend_time_ns mend_root_look_at_agents(struct root *root, mend_time_ns now);
bool mend_root_has_no_lease(struct root_node *node);

/* Whether a call of its agent counts; it has called, over a connection that goes out from this node at `reached`. */
bool mend_root_is_welcome(const struct root_node *node);
void mend_root_connected(struct root_node *node, const struct mend_address *reached);

/* It will not be ready (start/brood.h). */
void mend_root_fail_to_start(struct root_node *node, enum mend_brood_failure what, int status,
                             const char *sentence);

#endif
