/* SPDX-License-Identifier: BSD-3-Clause */
/* links.h – which other jobs this one is connected with, and the processes of those: what the rest of the agent says and asks.  How it is
 * done: link.h.  Main thread only. */
#ifndef MEND_LAUNCH_AGENT_LINKS_H
#define MEND_LAUNCH_AGENT_LINKS_H

#include "agent/ranks.h"
#include "share/message.h"

struct mend_facts;
struct mend_link;
struct mend_links;
struct mend_papers;
struct mend_revoked;
struct mend_sources;
struct mend_tell;
struct mend_verdicts;

/* What it needs of the agent. */
struct mend_links_needs {
    struct mend_ranks *ranks;
    struct mend_tell *tell;
    struct mend_sources *sources;
    struct mend_verdicts *verdicts;
    struct mend_facts *facts; /* NULL: the job has one node */
    struct mend_revoked *revoked;
    struct mend_papers *papers;
    void *self;
    /* So that processes of other nodes reach those of this one; wide: also of other machines.  False: there is no port. */
    bool (*open_port)(void *self, bool wide);
    /* Process `by`, a guest, ends these ranks of ours. */
    void (*abort)(void *self, int by, const int32_t *peers, int32_t n, struct mend_abort what);
};

/* Opens the door for the agents of other jobs.  The segment is there. */
struct mend_links *mend_links_open(const struct mend_links_needs *with);
int mend_links_door(const struct mend_links *links); /* -1: there is none */

/* Somebody knocks; fd, of a link, can be read or written. */
void mend_links_knock(struct mend_links *links);
void mend_links_read(struct mend_links *links, int fd);

/* r wants this job to be connected with another one, which must know names_n processes of this one from `first` on, and calls
 * that so. */
void mend_link_asked(struct mend_links *links, struct rank *r, uint64_t other, uint64_t number,
                     int first, int names_n);

/* Process `by`, -1: not known which, ends the guests of the set, by their agents. */
void mend_links_abort(struct mend_links *links, int by, const uint64_t *set, uint32_t words,
                      struct mend_abort what);

/* A context is revoked: tells the agents of these jobs; of all that are connected. */
void mend_links_revoke(struct mend_links *links, uint64_t ctx, const uint64_t *jobs, uint32_t n);
void mend_links_revoke_all(struct mend_links *links, uint64_t ctx);

/* Rank `by` of this node cannot reach that guest: tells the root.  At the first node: what the root wants to come of that. */
void mend_links_complain(struct mend_links *links, int by, int guest);
void mend_links_cut(struct mend_links *links, int by, int guest, enum mend_cut_abroad how);

/* The cause of a death on another node is known now. */
void mend_links_explain(struct mend_links *links, int name);

/* Process i of this job has changed what it says of itself. */
void mend_links_presence(struct mend_links *links, int i);

/* Does what is due; returns when to do so next. */
mend_time_ns mend_links_look(struct mend_links *links, mend_time_ns now);

/* Processes of another job may still look at this dead one of ours. */
bool mend_links_hold(const struct mend_links *links, int name);

/* A message of the root about connected jobs. */
void mend_mirror_hear(struct mend_links *links, const struct mend_message *m);

/* Tells a rank that begins what is known of other jobs; a guest of x has no place any more. */
void mend_links_tell(struct mend_links *links, const struct rank *r);
void mend_guest_left(struct mend_link *x);

#endif
