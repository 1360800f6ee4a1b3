/* SPDX-License-Identifier: BSD-3-Clause */
/* agents.h – the agents of the other nodes, as the root starts and ends them (agents.c). */
#ifndef MEND_LAUNCH_ROOT_AGENTS_H
#define MEND_LAUNCH_ROOT_AGENTS_H

#include "node/greeting.h"
#include "start/settle.h"
#include "start/ways.h"

struct root;
struct root_node;

/* Of each agent: it is started once (ft/lease_sm.h). */
#define MEND_ROOT_INCARNATION 1u

/* Of the root's descriptors. */
enum root_from {
    MEND_ROOT_FROM_SIGNAL,
    MEND_ROOT_FROM_NODE,
    MEND_ROOT_FROM_BEATS,  /* a lease is over */
    MEND_ROOT_FROM_LETTER, /* agents.c: there is room for it, ... */
    MEND_ROOT_FROM_WORDS,  /* ... something is said by an agent that has not called, ... */
    MEND_ROOT_FROM_PROCESS /* ... its process has ended */
};

/* An agent until it has called. */
struct root_agent {
    struct mend_started process;
    unsigned char *letter; /* NULL: it was written */
    size_t letter_n, written;
    struct mend_said said;
    mend_time_ns answer_by, fails_at; /* fails_at: its connection has ended; 0: it has not */
    struct mend_address reached, calls_from;
};

/* Starts the agents of the other nodes, which call `at`.  False: errno. */
bool mend_root_start_agents(struct root *root, const struct mend_address *at);

/* The name of the machine of the node; "": this one. */
const char *mend_root_name_of(const struct root_node *node);

/* For struct mend_agent_calls: an agent calls; whether this is the process of one. */
void mend_root_take_agent(void *root, int fd, const struct mend_greeting *g);
bool mend_root_has_child(const void *root, pid_t pid);

/* Something has come from one that has not called; one does not come in time, returns when to look again; the connection of one
 * has ended, which has to be excused if it had not said READY; the lease of one is over: false: it had one; waits until its process has ended. */
void mend_root_hear_agent(struct root *root, enum root_from from, int number);
mend_time_ns mend_root_look_at_agents(struct root *root, mend_time_ns now);
void mend_root_await_excuse(struct root_node *node);
bool mend_root_has_no_lease(struct root_node *node);
void mend_root_end_agent(struct root_node *node, bool at_once);

#endif
