/* SPDX-License-Identifier: BSD-3-Clause */
/* spread.h – processes that are asked for while the job runs: how many of each block there will be, and on which node each is (pure).
 *
 * Blocks one behind the other that name the same hosts are one wish.  The processes of a wish are numbered node by node:
 *
 *   it names no hosts    on the emptiest nodes, for replacements rather on those with spares; in the order of the nodes
 *   it names hosts       on these alone, in equal shares, of a host that is named twice twice as many; in the order of the names.
 *                        What a host has no room for the others get
 *
 * Nodes that one wish can do without are left to those that cannot: with one place on each of a and b, a process for any host and one for
 * a find room, whichever comes first.  Of a block with `soft` there are as many as there is room for, of the blocks in their order. */
#ifndef MEND_LAUNCH_ROOT_SPREAD_H
#define MEND_LAUNCH_ROOT_SPREAD_H

#include "command/hosts.h"
#include "rt/spawn.h"

struct mend_spread_node {
    int room;   /* for so many more processes */
    int taken;  /* processes that it has */
    int spares; /* that wait there, and are wanted; they are taken first */
};

struct mend_spread_wish {
    struct mend_hosts_list on; /* each node once; n 0: all */
    int blocks_n;
};

struct mend_spread {
    const struct mend_spread_node *node;
    int nodes_n;
    const struct mend_spawn_block *block;
    const struct mend_spread_wish *wish; /* of all blocks, in their order */
    int blocks_n, wishes_n;
    int room; /* for processes of the job; not more than all nodes have */

    /* the result */
    int *n;        /* of each block */
    int short_of;  /* if there is too little room: the block that finds too little, ... */
    int short_n;   /* ... room for how many of it there is ... */
    bool by_hosts; /* ... on the hosts that it names; the job has more */
};

/* Sets x->n, and node_p: of each process its node, the caller's (free()).  Returns how many processes there will be, 0: there is too
 * little room, or none was asked for. */
int mend_spread(struct mend_spread *x, int32_t **node_p);

#endif
