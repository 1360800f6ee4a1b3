/* SPDX-License-Identifier: BSD-3-Clause */
/* start.h – how ranks are created.
 *
 * With the job, when a rank asks for it (spawn.c), or beforehand: a spare (spare.c) waits until it is called, and an
 * original makes copies of itself (copy.c).  Only the starter thread of start_local.c starts processes. */
#ifndef MEND_LAUNCH_AGENT_START_H
#define MEND_LAUNCH_AGENT_START_H

#include "agent/agent.h"

/* Starts all ranks.  False: one could not be started (a message was printed). */
bool mend_start_local(struct agent *agent);

/* Starts one more rank while the job runs.  0, or an errno value. */
int mend_start_another(struct agent *agent, struct rank *r);

/* The same for one that will be called (spare.c).  False: it could not be started. */
bool mend_start_spare(struct agent *agent, struct rank *r);

/* Adds what the environment of r has for it alone; the strings are the caller's. */
void mend_start_env(const struct mend_options *o, const struct rank *r, struct mend_strings *env);

/* spare.c: starts the spares of the job. */
void mend_spares_start(struct agent *agent);

/* spare.c: a spare is r from now on.  False: there is none that could be. */
bool mend_spare_call(struct agent *agent, struct rank *r);

/* spare.c: how many wait. */
int mend_spares_waiting(struct mend_spares *spares);

/* spare.c: the process is a spare. */
bool mend_spares_know(const struct mend_spares *spares, pid_t pid);

/* spare.c: notes which spares have ended; sends a signal to all. */
void mend_spares_scan(struct mend_spares *spares);
void mend_spares_signal(const struct mend_spares *spares, int sig);

/* spare.c: tells a spare something, with n descriptors.  False: it is gone, or does not listen. */
bool mend_spare_send(const struct rank *s, const char *text, size_t len, const int *fd, int n);

/* copy.c: a spare more, by the original, of which *copy_p gets .child and .ctl_fd.  False: there is none.  Waits for a
 * second at most. */
bool mend_copy_make(const struct mend_tell *tell, const struct rank *original, struct rank *copy_p);

/* spawn.c: r has asked for processes; takes the descriptor of the file that says for which. */
void mend_spawn_asked(struct mend_requests *requests, const struct mend_tell *tell, struct rank *r,
                      int fd);

/* spawn.c: a message of the root about a request for processes. */
void mend_spawn_hear(struct agent *agent, const struct mend_message *m);

#endif
