/* SPDX-License-Identifier: BSD-3-Clause */
/* lease.h – agents with leases: what the driver of a node does with the machines of ft/lease_sm.h and ft/lineage_sm.h.
 *
 * Two worlds use it, each with a network and clocks of its own: the search (lease.c) and the runs with a seed (lease_run.c).
 * Agent 0 is the root.  Each agent but the root has a connection to its parent for beats, and all have one to the root for
 * words, which is in order and loses nothing while both live. */
#ifndef MEND_SIM_LEASE_H
#define MEND_SIM_LEASE_H

#include "ft/lineage_sm.h"
#include "sim.h"

enum mend_sim_lease_what {
    MEND_SIM_LEASE_ASK = 1, /* to the root: may I adopt node */
    MEND_SIM_LEASE_LOST,    /* to the root: my child node is lost */
    MEND_SIM_LEASE_ADOPTED, /* of the root: yes */
    MEND_SIM_LEASE_DECLARED /* of the root: the verdict, or no */
};

struct mend_sim_lease_word {
    uint8_t what; /* enum mend_sim_lease_what */
    int32_t node;
    struct mend_lease_turn turn;
};

/* What a driver knows besides its machines. */
struct mend_sim_lease_state {
    mend_time_ns fence, wake_at; /* of its own lease */
    struct mend_lineage_search search;
    bool seek, refused;
};

/* A world of agents.  The functions are the world's. */
struct mend_sim_lease_world {
    const struct mend_sim_conf *conf;
    struct mend_lease_config lease;
    int32_t radix;
    mend_time_ns (*clock)(struct mend_sim_lease_world *w, int32_t agent);
    struct mend_sim_lease_state *(*state)(struct mend_sim_lease_world *w, int32_t agent);
    struct mend_lease *(*machine)(struct mend_sim_lease_world *w, int32_t agent);
    struct mend_lease_child *(*child)(struct mend_sim_lease_world *w, int32_t agent, int32_t node);
    struct mend_lineage *(*lineage)(struct mend_sim_lease_world *w);
    void (*beat)(struct mend_sim_lease_world *w, int32_t agent, const struct mend_lease_msg *m);
    void (*answer)(struct mend_sim_lease_world *w, int32_t agent, int32_t node,
                   const struct mend_lease_msg *m);
    void (*tell_root)(struct mend_sim_lease_world *w, int32_t agent,
                      struct mend_sim_lease_word word);
    void (*tell_agent)(struct mend_sim_lease_world *w, int32_t agent,
                       struct mend_sim_lease_word word);
    void (*declared)(struct mend_sim_lease_world *w, int32_t node); /* tells all agents that live */
    void (*watch)(struct mend_sim_lease_world *w, int32_t agent, mend_time_ns at); /* a timer */
    void (*over)(struct mend_sim_lease_world *w, int32_t agent);
};

/* Prepares the machines of an agent, whose memory is the world's; a child is expected, or another's. */
void mend_sim_lease_begin(struct mend_sim_lease_world *w, int32_t agent, uint32_t incarnation);
void mend_sim_lease_enter(struct mend_sim_lease_world *w, int32_t agent, int32_t node,
                          uint32_t incarnation);

/* What happens to an agent. */
void mend_sim_lease_tick(struct mend_sim_lease_world *w, int32_t agent);
void mend_sim_lease_tick_child(struct mend_sim_lease_world *w, int32_t agent, int32_t node);
void mend_sim_lease_linked(struct mend_sim_lease_world *w, int32_t agent, int32_t parent);
void mend_sim_lease_unlinked(struct mend_sim_lease_world *w, int32_t agent);
void mend_sim_lease_heard(struct mend_sim_lease_world *w, int32_t agent, struct mend_lease_msg m);
void mend_sim_lease_beaten(struct mend_sim_lease_world *w, int32_t agent, struct mend_lease_msg m);
void mend_sim_lease_told(struct mend_sim_lease_world *w, int32_t agent,
                         struct mend_sim_lease_word word);

/* And to the root. */
void mend_sim_lease_tick_root(struct mend_sim_lease_world *w);
void mend_sim_lease_root_told(struct mend_sim_lease_world *w, int32_t by,
                              struct mend_sim_lease_word word);
void mend_sim_lease_gone(struct mend_sim_lease_world *w, int32_t node, uint32_t incarnation);
/* Its next incarnation, by an ancestor. */
void mend_sim_lease_start_again(struct mend_sim_lease_world *w, int32_t node, int32_t by);

/* Runs with a seed (lease_run.c). */
void mend_sim_lease_run(const struct mend_sim_conf *conf, struct mend_sim_result *result_p);

#endif
