/* SPDX-License-Identifier: BSD-3-Clause */
/* log.h – what is in the segment by name: the table of processes, and the log of verdicts.
 *
 * Both only grow; names_n and deaths_n of the header are released when the entries below them are there.  The cause of
 * a death may be told later.  The agent writes both, except a
 * process's presence, which it writes itself, and the byte that says whether a death was handled, which ranks write. */
#ifndef MEND_NODE_LOG_H
#define MEND_NODE_LOG_H

#include "base/atomic.h"
#include "node/layout.h"
#include "proc/presence.h"

/* A process, by name. */
struct mend_node_process {
    uint32_t place; /* of another job: from which it sends here; of another node: none */
    uint32_t node;  /* of this job */
    mend_atomic_u32
        presence; /* enum mend_presence, by the process itself; of another node: by the agent of this one; of another job: not here but in the table of its job */
    mend_atomic_u32
        forgotten; /* of another job: 1: that has ended, and nobody is told of it any more */
    uint64_t
        counter; /* in the context of its world, if it is the first one there; 0: of another job */
};

struct mend_node_death {
    uint32_t name;
    uint32_t first; /* entries from here on that say so were published by one store of deaths_n */
    mend_atomic_u64 why; /* MEND_NODE_WHY; UNKNOWN until the kernel tells, a second word later */
    uint64_t when_ns;
    uint32_t late; /* 1: it happened then or later: the agent was stopped since */
};

/* Cause (enum mend_cause) and code of a death in one word, so that it changes at once. */
#define MEND_NODE_WHY(cause, code) ((uint64_t)(cause) << 32 | (uint32_t)(code))
#define MEND_NODE_WHY_CAUSE(why)   ((uint32_t)((why) >> 32))
#define MEND_NODE_WHY_CODE(why)    ((int32_t)(uint32_t)(why))

static inline struct mend_node_death *mend_node_death_of(struct mend_node_header *h, uint32_t k)
{
    return (struct mend_node_death *)((char *)h + h->at[MEND_NODE_PART_DEATH]) + k;
}

static inline struct mend_node_process *mend_node_process_of(struct mend_node_header *h,
                                                             mend_peer name)
{
    return (struct mend_node_process *)((char *)h + h->at[MEND_NODE_PART_PROCESS]) + name;
}

/* One byte per name: the death of its process was handled (R22). */
static inline mend_atomic_u8 *mend_node_handled_of(struct mend_node_header *h, mend_peer name)
{
    return (mend_atomic_u8 *)((char *)h + h->at[MEND_NODE_PART_HANDLED]) + name;
}

#endif
