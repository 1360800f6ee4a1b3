/* SPDX-License-Identifier: BSD-3-Clause */
/* start.h – how ranks are created.
 *
 * With the job, when a rank asks for it (spawn.c), or beforehand: a spare (spare.c) waits until it is called, and an
 * original makes copies of itself (copy.c).  Only the starter thread of start_local.c starts processes. */
#ifndef MEND_LAUNCH_AGENT_START_H
#define MEND_LAUNCH_AGENT_START_H

#include "agent/rank.h"
#include "base/list.h"

struct agent;
struct mend_links;
struct mend_message;
struct mend_process;
struct mend_ranks;
struct mend_tell;
struct spawn_request;
struct starter;

/* spare.c: processes that wait until one is needed. */
struct mend_spares {
    struct rank *spare; /* child 0: called, or gone */
    int n;
};

/* What it takes to start a process, and to make a rank of a spare. */
struct mend_start {
    const struct mend_options *o;
    const struct mend_process *before; /* how this process was started: the ranks get that back */
    mend_time_ns by_ns;                /* --timeout, for ranks that do not start */
    struct mend_ranks *ranks;
    struct mend_spares *spares;
    struct mend_links *links;
    const struct mend_tell *tell;
    struct starter *starter; /* start_local.c: the thread */
};

/* spawn.c: requests for processes. */
struct mend_requests {
    struct mend_list asked; /* of ranks, that have no answer yet */
    int64_t asked_n;
    struct spawn_request *request; /* that the root carries out; NULL: none */
};

/* Starts all ranks.  False: one could not be started (a message was printed). */
bool mend_start_local(struct mend_start *start);

/* Starts one more rank while the job runs.  0, or an errno value. */
int mend_start_another(struct mend_start *start, struct rank *r);

/* The same for one that will be called (spare.c).  False: it could not be started. */
bool mend_start_spare(struct mend_start *start, struct rank *r);

/* Adds what the environment of r has for it alone; the strings are the caller's. */
void mend_start_env(const struct mend_start *start, const struct rank *r, struct mend_strings *env);

/* spare.c: starts the spares of the job. */
void mend_spares_start(struct mend_start *start);

/* spare.c: a spare is r from now on.  False: there is none that could be. */
bool mend_spare_call(struct mend_start *start, struct rank *r);

/* spare.c: how many wait. */
int mend_spares_waiting(struct mend_spares *spares);

/* spare.c: the process is a spare. */
bool mend_spares_know(const struct mend_spares *spares, pid_t pid);

/* spare.c: notes which spares have ended; sends a signal to all. */
void mend_spares_scan(struct mend_spares *spares);
void mend_spares_signal(const struct mend_spares *spares, int sig);

/* copy.c: a spare more, by the original, of which *copy_p gets .child and .ctl_fd.  False: there is none.  Waits for a
 * second at most. */
bool mend_copy_make(const struct mend_tell *tell, const struct rank *original, struct rank *copy_p);

/* spawn.c: r has asked for processes; takes the descriptor of the file that says for which. */
void mend_spawn_asked(struct mend_requests *requests, const struct mend_tell *tell, struct rank *r,
                      int fd);

/* spawn.c: a message of the root about a request for processes. */
void mend_spawn_hear(struct agent *agent, const struct mend_message *m);

#endif
