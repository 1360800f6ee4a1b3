/* SPDX-License-Identifier: BSD-3-Clause */
/* iof.h – input and output of the ranks, on a separate thread, so that a terminal that does not
 * accept output never blocks the launcher. */
#ifndef MEND_LAUNCH_OUTPUT_IOF_H
#define MEND_LAUNCH_OUTPUT_IOF_H

#include "command/options.h"
#include "share/message.h"

struct mend_iof;

/* Prepares for up to names_n ranks and starts the thread.  root: at an agent in a process of its own, where messages to the root go, which
 * writes what the ranks write; otherwise NULL.  NULL: errno tells why. */
struct mend_iof *mend_iof_create(const struct mend_options *o, int names_n,
                                 const struct mend_post *root);

/* Descriptors that rank i shall have as 0, 1 and 2; started() closes our copies.
 * While the job runs, too, one rank after the other.  False: errno. */
bool mend_iof_open_rank(struct mend_iof *f, int i, int *in_p, int *out_p, int *err_p);
void mend_iof_started_rank(struct mend_iof *f, int i);

/* No other is about to be started: what they write is looked at from now on. */
void mend_iof_started_all(struct mend_iof *f);

/* It could not be started, or not even its descriptors opened: closes those that were. */
void mend_iof_not_started_rank(struct mend_iof *f, int i);

/* All ranks have ended: writes what is left and ends the thread.  False: some of the output is lost, not
 * because nobody reads it. */
bool mend_iof_finish(struct mend_iof *f);

/* A line of our own on standard error, on a line of its own.  Any thread. */
void mend_iof_message(struct mend_iof *f, const char *line, size_t len);

/* The same about a rank: below what that has written before. */
void mend_iof_message_of(struct mend_iof *f, int rank, const char *line, size_t len);

/* ---- jobs of several nodes (iof_relay.c) ---- */

/* At an agent in a process of its own: the root has written so much. */
void mend_iof_written(struct mend_iof *f, const struct mend_message *m);

/* There: what the rank has written goes to the root, before a message about it does.  Any thread. */
void mend_iof_relay_rank(struct mend_iof *f, int rank);

/* At the root: the agent of the rank that gets standard input wants it, a message INPUT.  At that agent: there is some, the same. */
void mend_iof_ask_input(struct mend_iof *f, const struct mend_message *m,
                        const struct mend_post *agent);
void mend_iof_input(struct mend_iof *f, const struct mend_message *m);

/* At the root: a message OUTPUT of that agent.  False: it is damaged, or a file cannot be opened, which was said.  No more comes from that agent, nor goes to it. */
bool mend_iof_feed(struct mend_iof *f, const struct mend_message *m, const struct mend_post *agent);
void mend_iof_end_fed(struct mend_iof *f, const struct mend_post *agent);

/* All that has been written so far has been passed on, or printed. */
bool mend_iof_is_empty(struct mend_iof *f);

#endif
