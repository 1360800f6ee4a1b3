/* SPDX-License-Identifier: BSD-3-Clause */
/* agent.h – the processes of a job on this node, as their agent has them, and the functions that its files share.
 *
 *   main thread      exits of children, datagrams of ranks, timers              agent.c
 *   watcher threads  life words -> verdicts                                     watch.c, verdict.c
 *   starter thread   vfork and execve                                           start_local.c
 *   keeper process   ends everything if this process is killed                  keeper.c
 *
 * `lock` guards what main thread and watchers both change: the detector, the verdicts' part of the
 * segment, and the fields marked (L).  Everything else belongs to the main thread.
 *
 * What the user reads is the root's business (share/message.h): the agent tells it by messages. */
#ifndef MEND_LAUNCH_AGENT_AGENT_H
#define MEND_LAUNCH_AGENT_AGENT_H

#include "agent/rank.h"
#include "base/list.h"
#include "node/log.h"
#include "share/loop.h"
#include "share/message.h"
#include "share/process.h"

#include <pthread.h>

struct mend_iof;
struct mend_ctl;
struct mend_contact;
struct mend_facts;
struct mend_papers;
struct mend_doorman;
struct mend_link;
struct spawn_request;
struct starter;

/* The job's nodes, as the agent of one knows them. */
struct mend_nodes {
    uint32_t me, n; /* n 0: there is one only */
    uint64_t job;
    unsigned char key[MEND_DOOR_KEY_BYTES];
    bool running, ended; /* the ranks of this node were started; no process is left anywhere */
    bool told_done;
    struct mend_facts *facts;
    struct mend_papers *papers; /* papers.c; NULL: none was asked for */
};

struct agent {
    struct mend_options *o;
    struct mend_iof *iof;
    struct mend_loop *loop;
    uint32_t member;            /* of the loop */
    struct mend_post root;      /* where its messages go */
    struct mend_process before; /* how this process was started: the ranks get that back */
    struct rank *rank;          /* by name, for as many as there may ever be */
    int n, places_n;            /* names that were given; ranks that there may be at a time */
    mend_place *vacant;         /* of the places that have had a rank */
    int vacant_n;
    uint32_t retired_n;         /* the places of the first so many dead are vacant, or others' */
    struct mend_node_rank stub; /* vacancy.c */
    struct mend_node_rank far;  /* far.c: stands for processes of other nodes that live */
    int *ours, ours_n;          /* at the start: the ranks of this node, ascending */
    struct mend_nodes nodes;
    int alive_n;        /* children that have not ended */
    struct rank *spare; /* spare.c; child 0: called, or gone */
    int spares_n;
    pid_t self_pid, keeper;
    int keeper_fd;
    uint32_t revived_n; /* how often the keeper has continued this process, as far as was said */

    /* segment */
    int shm_fd;
    struct mend_node_header *shm; /* mapped up to the rings' and cells' areas */

    pthread_mutex_t lock;
    struct mend_detector *detector; /* (L) */
    mend_time_ns tick_at;           /* (L) */
    uint32_t ends_n;                /* (L) */
    uint32_t lefts_n;        /* (L) entries of the log of deaths about processes that have left */
    int wrapped_n;           /* (L) ranks that are in scripts */
    uint32_t words_wanted_n; /* (L) how often last datagrams were wanted */
    int note_fd;             /* eventfd: a watcher gave a verdict, the main thread tells of it */
    bool bound;

    /* how the job goes */
    int signal_fd;
    mend_time_ns start_ns, start_by_ns; /* --timeout, for ranks that do not start */
    mend_time_ns scan_at, news_at, wrapped_at, undying_at;
    int undying_next;          /* the rank that was looked at last */
    mend_time_ns scan_next_ns; /* not before: looking at many children must not take all our time */
    mend_time_ns count_next_ns; /* nor counting the survivors */
    bool reporting;             /* the root wants lines for its report */
    bool signaled, killing;     /* the user ends the job */
    bool aborted;               /* as a whole */
    int crashes_n;              /* ranks that have said so and are not seen dead yet */
    uint32_t words_read_n;      /* what words_wanted_n was when they were read last */
    struct mend_list asked;     /* spawn.c: requests of ranks that have no answer yet */
    int64_t asked_n;
    struct spawn_request *request; /* that the root carries out; NULL: none */
    struct mend_list links;        /* link.c; at other nodes than the first: their mirrors */
    struct mend_list errands;      /* link.c: questions of ranks that name processes */
    struct mend_contact *contact;  /* what this agent and those of other jobs have said */
    int32_t link_ids_n;
    uint32_t
        released_n; /* verdicts of which the other agents know that nobody here looks at the dead */
    int door_fd;    /* where other agents call; -1: nowhere */
    struct mend_doorman *doorman; /* where processes of other nodes call; NULL: nowhere */
    bool minds_left;              /* a rank has had a session */
    uint64_t revoked_n;           /* contexts in the segment (revoked.c) */
    uint32_t given_back_n;        /* verdicts whose ranks' memory was given back */
    uint32_t cleared_n;           /* and all that had voted: no rank will look at them */
    uint32_t give_back_for_n;
    mend_time_ns give_back_at, give_back_pause_ns;
    struct starter *starter; /* start_local.c */
};

/* bind.c: chooses the cores of each rank. */
void mend_bind_choose(struct agent *agent);

/* bind.c: says which processors each rank may use. */
void mend_bind_report(struct agent *agent);

/* link.c: opens the door for the agents of other jobs; somebody knocks; fd, of a link, can be read or written. */
void mend_links_open(struct agent *agent);
void mend_links_knock(struct agent *agent);
void mend_links_read(struct agent *agent, int fd);

/* link.c: r wants this job to be connected with another one, which must know names_n processes of this one from `first` on,
 * and calls that so. */
void mend_link_asked(struct agent *agent, struct rank *r, uint64_t other, uint64_t number,
                     int first, int names_n);

/* link.c: process `by`, -1: not known which, ends the guests of the set, by their agents. */
void mend_links_abort(struct agent *agent, int by, const uint64_t *set, uint32_t words,
                      struct mend_abort what);

/* guest.c: the cause of a death on another node is known now. */
void mend_links_explain(struct agent *agent, int name);

/* guest.c: process i of this job has changed what it says of itself. */
void mend_links_presence(struct agent *agent, int i);

/* link.c: does what is due; returns when to do so next. */
mend_time_ns mend_links_look(struct agent *agent, mend_time_ns now);

/* link.c: processes of another job may still look at this dead one of ours. */
bool mend_links_hold(const struct agent *agent, int name);

/* mirror.c: a message of the root about connected jobs. */
void mend_mirror_hear(struct agent *agent, const struct mend_message *m);

/* guest.c: tells a rank that begins what is known of other jobs; a guest of x has no place any more. */
void mend_links_tell(struct agent *agent, const struct rank *r);
void mend_guest_left(struct mend_link *x);

/* agent.c: whether messages of a link are read, and whether it waits for room. */
void mend_agent_listen_to_link(struct agent *agent, int fd, bool in, bool out);

/* control.c: process `by`, a guest, ends these ranks of ours. */
void mend_control_abort(struct agent *agent, int by, const int32_t *peers, int32_t n,
                        struct mend_abort what);

/* control.c: these processes end, as one abort: those of this node by this agent. */
void mend_control_end(struct agent *agent, const int32_t *peers, int32_t n, struct mend_abort what);

/* agent.c: datagrams of r are read from now on; its set is waited for, false: with an errno value. */
void mend_agent_listen(struct agent *agent, const struct rank *r);
bool mend_agent_listen_to_set(struct agent *agent, const struct rank *r);
bool mend_agent_listen_to_door(struct agent *agent, int fd, bool port); /* else a caller */

/* control.c: r ends, unless it or the other process is dead. */
void mend_control_cut(struct agent *agent, struct rank *r, int other);

/* keeper.c: starts the process that cleans up behind a killed launcher; ends it. */
void mend_keeper_start(struct agent *agent);
void mend_keeper_end(struct agent *agent);

/* keeper.c: says so if the keeper has continued this process. */
void mend_keeper_has_revived(struct agent *agent);

/* How far a process of this job is in MPI, as it says itself. */
static inline enum mend_presence mend_rank_presence(const struct agent *agent, int i)
{
    return mend_load_acquire(&mend_node_process_of(agent->shm, i)->presence);
}

/* Without the lock: it was declared dead. */
static inline bool mend_rank_is_dead(const struct agent *agent, int i)
{
    return mend_load_acquire(&agent->rank[i].shared->fate) != 0;
}

/* blocked.c: the root asks about the ranks of an injection; looks at them, returns when to look again. */
void mend_blocked_ask(struct agent *agent, const struct mend_message *m);
mend_time_ns mend_blocked_look(struct agent *agent, mend_time_ns now);

/* agent.c: makes the agent a member of the loop, before members that act on what it tells them; has it told of all its descriptors, when its ranks run. */
void mend_agent_join(struct agent *agent, struct mend_loop *loop);
void mend_agent_listen_to_all(struct agent *agent);

/* agent.c: where messages of the root go. */
struct mend_post mend_agent_post(struct agent *agent);

/* open.c: prepares all that is there before the first rank: segment, threads.  Does not return if it cannot.  Starts the ranks; false:
 * one could not be started (a message was printed).  Cleans up when all have ended. */
void mend_agent_open(struct agent *agent, struct mend_options *o);
bool mend_agent_start(struct agent *agent);
void mend_agent_close(struct agent *agent);

/* agent.c: the child of some rank has ended, and the process in it may not have. */
bool mend_agent_holds(struct agent *agent);

/* agent.c: r was seen stopped, or going on; an injection happens to its rank, from outside. */
void mend_agent_stopped(struct agent *agent, struct rank *r, bool stopped);
void mend_agent_inject(struct agent *agent, struct mend_injection *in);

/* control.c: the datagrams of a rank; those of ranks whose deaths wait for that. */
void mend_control_read(struct agent *agent, struct rank *r);
void mend_control_last_words(struct agent *agent);

/* waits.c: tells the root what each rank waits for; takes up to a second. */
void mend_waits_tell(struct agent *agent, int64_t question);

/* sweep.c: kills what the ranks left behind. */
void mend_sweep_group(const struct rank *r);
void mend_sweep_all(struct agent *agent);
void mend_sweep_names(const struct agent *agent); /* that processes of it have published */

/* sweep.c: after that the numbers of the ranks' processes may be those of others. */
void mend_sweep_reap(struct agent *agent);

#endif
