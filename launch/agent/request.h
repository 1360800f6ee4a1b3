/* SPDX-License-Identifier: BSD-3-Clause */
/* request.h – a request for processes, as each agent of the job has it, and the acts that the root asks of an agent
 * (root/place.c, ft/starter_sm.h).
 *
 * The processes are numbered, in the order of the blocks.  What was started before another one failed is killed while it is in MPI_Init,
 * so it has met nobody. */
#ifndef MEND_LAUNCH_AGENT_REQUEST_H
#define MEND_LAUNCH_AGENT_REQUEST_H

#include "agent/ranks.h"
#include "rt/spawn.h"

struct mend_sources;
struct mend_start;
struct mend_tell;
struct mend_verdicts;

struct spawn_request {
    struct mend_ranks *ranks;
    struct mend_spawn_file
        file; /* a copy of what the rank has asked for, which those that are started inherit */
    int fd;   /* of it */
    struct mend_spawn_block *blocks;
    struct mend_app *apps; /* for ever: ranks point to them */
    int *n;                /* processes of each block */
    int blocks_n, total_n;
    int first; /* the name of the first process */
    uint32_t asked_n;
    int32_t *node_of;     /* the node of each process */
    int here_n;           /* how many are of this one */
    bool admitted, begun; /* the names were given; the processes are being started */
};

/* Reads a request of len bytes.  NULL: it is damaged, or there is no memory. */
struct spawn_request *mend_request_open(struct mend_ranks *ranks, const void *bytes, size_t len);
void mend_request_close(struct spawn_request *q);

/* What the root has chosen, as 32-bit numbers: how many processes there are of each block, and then the node of each of the total_n. */
void mend_request_divide(struct spawn_request *q, const void *numbers, int total_n);

/* Whether the programs of those that are started here are there. */
bool mend_request_find(struct spawn_request *q);

/* Names for all, places for those of this node, with their pages.  False: there is no memory. */
bool mend_request_admit(struct spawn_request *q, struct mend_verdicts *verdicts,
                        const struct mend_sources *sources, const struct mend_tell *tell);

/* Starts those of this node.  False: one could not be. */
bool mend_request_start(struct spawn_request *q, struct mend_start *start,
                        const struct mend_sources *sources);

/* Those that were started are in MPI_Init, and nobody minds their deaths; the others never will be. */
void mend_request_withdraw(struct spawn_request *q);

#endif
