/* SPDX-License-Identifier: BSD-3-Clause */
/* abroad.h – processes of other jobs, which the agents have connected with this one (launch/agent/contact.c).
 *
 *   segment of job A                               segment of job B
 *   | A's ranks | places of B's ranks |            | B's ranks | places of A's ranks |
 *        ^                │                             ^                │
 *        └─ rings ────────┘  b sends to a here          └─ rings ────────┘  a sends to b here
 *
 * A process of another job has a place in the segment of this one, from which it sends, and this process has one there.
 * So each receives in its own segment, from everybody, and sleeps on one futex; to send it maps the segment of the
 * receiver.  For all code above the transport the two share no memory (MEND_WHERE_JOB).
 *
 * If one of the two jobs has several nodes its processes are reached by sockets instead, at the doors of their agents
 * (node/greeting.h); then no segment is mapped, and what they say of themselves the agent writes into the table of this one.
 *
 * A process has a name in each job, and they differ.  The name that all jobs understand is made of the number of the
 * job, which no job connected with it has or had, and its name there.  What is sent to other processes names processes
 * in this way.  Within a job that is connected with none, and of processes of the reader's job always, the name there
 * alone will do.
 *
 * Invariants
 * 1. The number of the job is in the header before a process of the job hears of one abroad, and stays.
 * 2. A process that knows the name of one abroad has its segment mapped, until the process is dead and nothing here
 *    looks at it (life/let_go.c), or knows its door. */
#ifndef MEND_NODE_ABROAD_H
#define MEND_NODE_ABROAD_H

#include "node/greeting.h"
#include "node/layout.h"
#include "proc/peer.h"
#include "proc/proc.h"

#define MEND_ABROAD_NUMBERS    (1u << 15)
#define MEND_ABROAD_NAME_BITS  16
#define MEND_ABROAD_BLOCKS_MAX 2048u
#define MEND_ABROAD_CTX                                                                            \
    (UINT64_C(1) << 62) /* is in the contexts of communicators with members of several jobs */

/* Names of n processes that follow each other in both jobs, and by sockets where their agent takes connections. */
struct mend_abroad_block {
    mend_peer here, there;
    mend_peer n;
    struct mend_address at;
};

/* What the agent says of a job. */
struct mend_abroad_news {
    uint64_t job;
    uint32_t number, blocks_n;
    const struct mend_abroad_block *blocks;
    mend_place mine;
    const unsigned char *key; /* of its doors; NULL: its processes are reached in its segment */
};

/* A job that is connected with this one. */
struct mend_abroad {
    struct mend_list link; /* in self->abroad */
    uint64_t job;
    uint32_t number;
    struct mend_node_header *header; /* NULL: no process of it is looked at any more */
    size_t bytes;
    int fd;
    bool by_sockets;
    unsigned char key[MEND_DOOR_KEY_BYTES]; /* by sockets: of its doors */
    mend_place
        mine; /* from which this process sends there; MEND_PLACE_NONE: it has not got it yet */
    uint32_t blocks_n;
    struct mend_abroad_block *blocks;
};

/* The segment behind fd is one of another build, and will not be mapped. */
bool mend_abroad_is_of_another_build(int fd);

/* Maps the parts before `end` of the segment behind fd, *bytes_p bytes; NULL: it is none, not sealed, or of another
 * build; or there is no memory. */
struct mend_node_header *mend_abroad_map(int fd, enum mend_node_part end, size_t *bytes_p);

/* fd, of its segment, becomes this function's; by sockets -1.  NULL: no memory, or fd is not a segment. */
struct mend_abroad *mend_abroad_learn(struct mend_proc *self, const struct mend_abroad_news *news,
                                      int fd);

/* The peer, which has a place in this job's segment, is reached in that of its own job.  False: nothing is known of it. */
bool mend_abroad_meet(struct mend_proc *self, mend_peer p);

/* Where the peer, which is reached by sockets, is called.  Whose key a connection to a door of that job proves; NULL: the
 * job is not known, or not reached by sockets. */
const struct mend_abroad_block *mend_abroad_door(const struct mend_proc *self, mend_peer p);
const unsigned char *mend_abroad_key(const struct mend_proc *self, uint64_t job);

/* Unmaps what no process is looked at in any more. */
void mend_abroad_forget(struct mend_proc *self);

/* What the peer is called in frames; and which peer that is, MEND_PEER_NONE: none that is known here. */
int32_t mend_abroad_name(const struct mend_proc *self, mend_peer p);
mend_peer mend_abroad_peer(struct mend_proc *self, int32_t name);

/* The process `there` of the job, MEND_PEER_NONE: the jobs are not connected, or not with that process. */
mend_peer mend_abroad_find(struct mend_proc *self, uint64_t job, int32_t there);

static inline bool mend_abroad_has(const struct mend_proc *self, mend_peer p)
{
    return mend_peer_job(self, p) != NULL;
}

/* What two processes, or the members of a group, call a process alike: with the job's number if one of them is of
 * another job than the others (spans), else without: the number may come meanwhile. */
static inline int32_t mend_abroad_common(const struct mend_proc *self, mend_peer p, bool spans)
{
    return spans ? mend_abroad_name(self, p) : p;
}

/* Reserves pages of the segment there.  False: the system has no memory for them. */
bool mend_abroad_touch(const struct mend_abroad *a, const void *at, size_t len);

/* Wakes a process there that sleeps. */
void mend_abroad_wake(const struct mend_abroad *a, mend_place there);

#endif
