/* SPDX-License-Identifier: BSD-3-Clause */
/* hosts.h – the hosts of a job, and which rank is placed on which: the calculation (pure).
 *
 * Each host has an agent, and the number of its node is its index.  The first is the machine of mpiexec, with an agent that has no
 * ranks if no list names it.  A host for which a list gives a number has so many slots, each for one rank; one that is only named takes
 * as many ranks as are needed.
 *
 *   by slot   the slots of the first host, then those of the next; hosts without a number get one rank each, then what is
 *             left in equal shares
 *   by node   one rank on each host in turn, as long as there is room
 *
 * Then either consecutive ranks are on one host, or each is on the next.  What cannot be shared equally the first hosts of a list
 * get. */
#ifndef MEND_LAUNCH_COMMAND_HOSTS_H
#define MEND_LAUNCH_COMMAND_HOSTS_H

#include <stdbool.h>

struct mend_host {
    const char *name; /* as the user writes it; NULL: this machine */
    const char *user; /* who logs in there; NULL: not said */
    int slots;        /* that lists give it; 0: none gives a number */
    int mentions;     /* how often lists name it without a number */
    int slots_max;    /* that --oversubscribe may use; 0: no limit */
    bool here;        /* its agent runs on the machine of mpiexec */
    bool listed;      /* it may have ranks */
    bool spare;       /* ... but none when the job starts */
};

struct mend_hosts {
    struct mend_host *at;
    int n;
};

/* How ranks are placed. */
struct mend_hosts_policy {
    int per_node; /* so many on each host; 0: not said */
    bool by_node;
    bool number_by_node; /* one rank of each host, then the next of each; else all of a host */
    bool oversubscribe;  /* also more than there are slots */
};

/* Some nodes, in the order in which they get ranks. */
struct mend_hosts_list {
    int *at;
    int *
        share; /* how many ranks each gets of a block that does not say how many it has; NULL: by the host */
    int n;
};

/* Ranks that are placed together, and the nodes where they may be. */
struct mend_hosts_wish {
    int ranks_n;
    struct mend_hosts_list on;
};

/* The slots of a host; 0: as many as are needed. */
static inline int mend_host_slots(const struct mend_host *x)
{
    return x->slots ? x->slots + x->mentions : 0;
}

/* How many processes it may have; 0: any number. */
static inline int mend_host_limit(const struct mend_host *x, bool oversubscribe)
{
    return oversubscribe ? x->slots_max : mend_host_slots(x);
}

/* How many ranks a host gets that are not counted by the user. */
static inline int mend_host_share(const struct mend_host *x)
{
    return x->slots + x->mentions;
}

/* Sets node_of[i] for each rank i of the wish.  used: ranks on each node, which it counts.  Returns how many ranks have found no
 * place. */
int mend_hosts_place(const struct mend_hosts *h, const struct mend_hosts_policy *policy,
                     const struct mend_hosts_wish *w, int *used, int *node_of);

#endif
