/* SPDX-License-Identifier: BSD-3-Clause */
/* doorman.h – taking connections for the ranks of this node (doorman.c). */
#ifndef MEND_LAUNCH_DOORMAN_H
#define MEND_LAUNCH_DOORMAN_H

#include "job.h"

/* Opens the port and writes the door into the segment, if ranks are to be reached by sockets.  False: with an errno value. */
bool mend_doorman_open(struct job *job);

/* Somebody knocks; bytes of a caller have come. */
void mend_doorman_knock(struct job *job);
void mend_doorman_hear(struct job *job, int fd);

/* With the lock: lets in the callers at the port, 64 at most. */
void mend_doorman_before_verdict(struct job *job);

/* Shows callers out that say nothing; returns when to look again. */
mend_time_ns mend_doorman_look(struct job *job, mend_time_ns now);

#endif
