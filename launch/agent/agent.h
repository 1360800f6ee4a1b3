/* SPDX-License-Identifier: BSD-3-Clause */
/* agent.h – the agent of a node: its parts, each of which is what some of its files need, and what the process that it is in does
 * with it.
 *
 *   main thread      exits of children, datagrams of ranks, timers              run.c
 *   watcher threads  life words -> verdicts                                     watch.c, verdict.c
 *   starter thread   vfork and execve                                           start_local.c
 *   beats thread     of an agent on another node than the root: its lease        lease/beats.c
 *   keeper process   ends everything if this process is killed                  keeper.c
 *
 * The lock of the ranks guards what main thread and watchers both change: the detector, the verdicts' part of the
 * segment, and the fields marked (L).  Everything else belongs to the main thread.
 *
 * What the user reads is the root's business (share/message.h): the agent tells it by messages. */
#ifndef MEND_LAUNCH_AGENT_AGENT_H
#define MEND_LAUNCH_AGENT_AGENT_H

#include "agent/course.h"
#include "agent/doorman.h"
#include "agent/keeper.h"
#include "agent/ranks.h"
#include "agent/revoked.h"
#include "agent/rouse.h"
#include "agent/sources.h"
#include "agent/start.h"
#include "agent/tell.h"
#include "agent/verdict.h"
#include "base/list.h"
#include "share/port.h"
#include "share/process.h"

struct mend_facts;
struct mend_links;
struct mend_names;
struct mend_papers;

/* A file that needs a part takes that; those that take the agent bring parts together. */
struct agent {
    struct mend_options *o;
    struct mend_process before; /* how this process was started: the ranks get that back */
    struct mend_sources sources;
    struct mend_ranks ranks;
    struct mend_tell tell;
    struct mend_verdicts verdicts;
    struct mend_course course;
    struct mend_start start;
    struct mend_spares spares;
    struct mend_requests requests;
    struct mend_facts *facts; /* NULL: the job has one node */
    struct mend_papers *papers;
    struct mend_names *names;
    struct mend_links *links;
    struct mend_revoked revoked;
    struct mend_rouse rouse;
    struct mend_keeper keeper;
    int signal_fd;
    mend_time_ns scan_at;
    mend_time_ns scan_next_ns; /* not before: looking at many children must not take all our time */
    struct mend_doorman *doorman; /* where processes of other nodes call; NULL: nowhere */
    struct mend_port_range ports; /* that it may have */
    struct mend_agent_calls agent_calls;
    struct mend_address parent; /* where the root takes calls; port 0: it is in this process */
};

/* run.c: makes the agent a member of the loop, before members that act on what it tells them. */
void mend_agent_join(struct agent *agent, struct mend_loop *loop);

/* run.c: where messages of the root go. */
struct mend_post mend_agent_post(struct agent *agent);

/* open.c: opens the port for processes of other nodes, with verdicts from then on behind the calls there.  False: errno. */
bool mend_agent_open_door(struct agent *agent);

/* open.c: prepares all that is there before the first rank: segment, threads.  Does not return if it cannot.  Starts the ranks; false:
 * one could not be started (a message was printed).  Cleans up when all have ended. */
void mend_agent_open(struct agent *agent, struct mend_options *o);
bool mend_agent_start(struct agent *agent);
void mend_agent_close(struct agent *agent);

#endif
