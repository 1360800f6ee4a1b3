/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.h – the processes of the job, as the agent of one node has them, and the segment of those that are here.
 *
 * A process has a name, which is its number in the table, and keeps it; of those of this node each has a place in the segment, too,
 * until another one gets it (segment.h).  Only the main thread gives names and places.  What is marked (L), here and in rank.h, is
 * guarded by the lock, and so is what the detector knows (verdict.h); no thread holds it during slow operations. */
#ifndef MEND_LAUNCH_AGENT_RANKS_H
#define MEND_LAUNCH_AGENT_RANKS_H

#include "agent/rank.h"
#include "node/layout.h"
#include "node/log.h"
#include "node/wake.h"

#include <pthread.h>

struct mend_options;

/* Which of the job's nodes this one is. */
struct mend_nodes {
    uint32_t me, n; /* n 0: there is one only */
    uint64_t job;
    unsigned char key[MEND_DOOR_KEY_BYTES];        /* of the job: its ranks have it */
    unsigned char agents_key[MEND_DOOR_KEY_BYTES]; /* only its agents have it */
    struct mend_address at; /* where this node takes connections; port 0: nowhere */
    bool elsewhere;         /* at the first one: others are on other machines */
    mend_time_ns lease_ns;  /* too: of the others; 0: there are none */
};

struct mend_ranks {
    struct mend_nodes nodes;
    pthread_mutex_t lock;
    struct rank *rank;  /* by name, for as many as there may ever be */
    int n, places_n;    /* names that were given; ranks that there may be at a time */
    int *ours, ours_n;  /* at the start: the ranks of this node, ascending */
    int beside_n;       /* on this machine, which several nodes may share (--machines) */
    int alive_n;        /* children that have not ended */
    pid_t self_pid;     /* whose children they are */
    bool bound;         /* each has processors of its own */
    bool minds_left;    /* one has had a session */
    mend_place *vacant; /* of the places that have had a rank */
    int vacant_n;
    uint32_t retired_n;         /* the places of the first so many dead are vacant, or others' */
    struct mend_node_rank stub; /* vacancy.c: stands for those that have no place any more */
    struct mend_node_rank far;  /* far.c: stands for processes of other nodes that live */

    int shm_fd;
    struct mend_node_header *shm; /* mapped up to the rings' and cells' areas */
    uint32_t given_back_n;        /* verdicts whose ranks' memory was given back */
    uint32_t cleared_n;           /* and all that had voted: no rank will look at them */
    uint32_t give_back_for_n;
    mend_time_ns give_back_at, give_back_pause_ns;
};

/* How far a process of this job is in MPI, as it says itself. */
static inline enum mend_presence mend_rank_presence(const struct mend_ranks *ranks, int i)
{
    return mend_load_acquire(&mend_node_process_of(ranks->shm, i)->presence);
}

/* Without the lock: it was declared dead. */
static inline bool mend_rank_is_dead(const struct mend_ranks *ranks, int i)
{
    return mend_load_acquire(&ranks->rank[i].shared->fate) != 0;
}

/* Another rank may have its place by now (vacancy.c). */
static inline bool mend_rank_is_retired(const struct mend_ranks *ranks, const struct rank *r)
{
    return r->shared == &ranks->stub;
}

/* That node is on this machine: nodes of one machine are those that mpiexec has started on its own. */
bool mend_node_is_beside(const struct mend_ranks *ranks, const struct mend_options *o,
                         uint32_t node);

/* By which the host of a rank is told from others; "" in a job of one node. */
const char *mend_ranks_host(const struct mend_ranks *ranks);

/* Sends a signal to the process that is the rank, if it is still there.  False: it did not reach it. */
bool mend_rank_signal(const struct rank *r, int sig);

/* The life word of r is marked: the kernel has ended its main thread. */
bool mend_rank_has_mark(const struct rank *r);

/* Without the lock: the process executes another program, or did before it ended (execve). */
bool mend_rank_is_replaced(const struct mend_ranks *ranks, const struct rank *r);

/* Without the lock: the kernel shows that the process of r ends, or has ended. */
bool mend_rank_is_ending(struct mend_ranks *ranks, const struct rank *r);

/* Without the lock: the child of some rank has ended, and the process in it may not have. */
bool mend_rank_is_any_held(struct mend_ranks *ranks);

/* Process i, of another node or job, says that it is so far in MPI: for the ranks of this node to read.  Wakes those that await it. */
static inline void mend_rank_hear(struct mend_ranks *ranks, int i, enum mend_presence presence)
{
    mend_store_release(&mend_node_process_of(ranks->shm, i)->presence, (uint32_t)presence);
    if (presence >= MEND_PRESENCE_LEAVING)
        mend_node_wakes_awaiting(ranks->shm, ranks->shm->places_used, i);
}

/* There is something for r, or for all, to look at. */
void mend_rank_call(struct mend_ranks *ranks, const struct rank *r);
void mend_rank_call_all(struct mend_ranks *ranks);

#endif
