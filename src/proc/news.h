/* SPDX-License-Identifier: BSD-3-Clause */
/* news.h – how old is what is known of a process of another node?
 *
 * A process writes how far it is in MPI into memory of its node, and its agent tells the other nodes.  Frames are faster: a process that
 * has been away and is back may have taken part in a whole life of a communicator while its peers still read that it is
 * away.  A peer that goes on without it then leaves it waiting for ever, or drops what it is to get.  So before one counts on
 * what it reads it asks the agents, which tell the news before they answer:
 *
 *   peer ── question k ──> its agent ── root ──> the other agents, which tell what has changed, and answer
 *   peer <── answer k, behind the news ── its agent <── in order <──
 *
 * What a peer reads behind the answer to a question is not older than the question.  The question is for a paper that does
 * not exist (decide/papers.c), so what ends it is known: each agent answers, or is lost.  In a job of one node, and of
 * processes that share memory, what is read is what was written.
 *
 * What must not be old is that a process needs nobody: away, or left.  One that reads too long that another is in MPI waits for
 * that long and no longer.  LEAVING is old only where a notification has called a process back (notify/).
 *
 * Of another job that is reached by sockets nobody is asked (doc/gaps.md). */
#ifndef MEND_PROC_NEWS_H
#define MEND_PROC_NEWS_H

#include "proc/peer.h"

struct mend_rt_told;

/* A time, for the following ones. */
static inline uint64_t mend_news_now(const struct mend_proc *self)
{
    return self->news_asked;
}

/* What is read of p (mend_presence_of()) is not older than that time.  False: the agents are asked, and their answer comes with an
 * interrupt.  The death of p or its node ends that, too. */
bool mend_news_of(struct mend_proc *self, mend_peer p, uint64_t since);

/* At that time or later p has said that it was so far.  As long as this process does not know that, p is in MPI. */
enum mend_presence mend_presence_since(struct mend_proc *self, mend_peer p, uint64_t since);

/* It had left MPI, at that time or later. */
bool mend_has_left_since(struct mend_proc *self, mend_peer p, uint64_t since);

/* mend_is_outside(), at that time or later. */
bool mend_is_outside_since(struct mend_proc *self, mend_peer p, uint64_t since);

/* mend_is_leaving(); if p is away: at that time or later. */
bool mend_is_leaving_since(struct mend_proc *self, mend_peer p, uint64_t since);

/* Told is an answer to a question of these. */
bool mend_news_hear(struct mend_proc *self, const struct mend_rt_told *told);

#endif
