/* SPDX-License-Identifier: BSD-3-Clause */
/* apart.h – an agent in a process of its own: mpiexec --agent, as the root of a job starts it, with a letter on its standard input. */
#ifndef MEND_LAUNCH_AGENT_APART_H
#define MEND_LAUNCH_AGENT_APART_H

/* Runs the agent until the job is over, or its root is gone.  The exit status of the process. */
int mend_agent_apart(void);

#endif
