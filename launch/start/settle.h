/* SPDX-License-Identifier: BSD-3-Clause */
/* settle.h – a new agent becomes as mpiexec is: its letter says in which directory, with which environment and limits. */
#ifndef MEND_LAUNCH_START_SETTLE_H
#define MEND_LAUNCH_START_SETTLE_H

#include "share/process.h"
#include "start/letter.h"

/* At the sender: how this process was started, as a letter says it; `before`: what mpiexec has changed since. */
void mend_settle_describe(struct mend_letter *l_p, const struct mend_process *before);

/* At the new agent: takes all that over.  NULL, or a sentence about what is not there (the caller frees it). */
char *mend_settle(const struct mend_letter *l);

/* The environment of the new agent (the caller frees the list): what the letter has, and of `here` what belongs to the session. */
struct mend_strings mend_settle_env(const struct mend_letter *l, char **here,
                                    const char *user_here);

/* By ssh: how the two machines are called, as SSH_CONNECTION has it.  False: it does not say. */
bool mend_settle_ends(const char *ssh_connection, struct mend_address *client_p,
                      struct mend_address *server_p);

#endif
