/* SPDX-License-Identifier: BSD-3-Clause */
/* port.h – the processes of the play in which two jobs connect at a port, as the play and its checkers see them.
 *
 *   0 .. hosts - 1    those that accept; 0 is their root, and has opened the port
 *   hosts .. n - 1    those that connect; the first one is their root
 *   n, n + 1          the agents of the two jobs */
#ifndef MEND_SIM_PORT_H
#define MEND_SIM_PORT_H

#include "ft/visit_sm.h"
#include "meeting.h"

/* What an agent does with the question of a rank whether the jobs can be connected. */
enum mend_sim_link {
    MEND_SIM_UNLINKED = 0,
    MEND_SIM_CALLS,   /* guests' agent: has asked the other one */
    MEND_SIM_CALLED,  /* hosts' agent: was asked, and has not looked whether there is room */
    MEND_SIM_LINKED,  /* has answered yes */
    MEND_SIM_REFUSED, /* has answered no */
};

struct mend_sim_port_proc {
    int32_t rank;
    uint8_t called;    /* made the call */
    uint8_t gone;      /* ended with its agent, or left */
    uint8_t over;      /* the call has returned */
    uint8_t failed;    /* with an error */
    uint8_t own_error; /* guests' root: its group had failed when it called */
    uint8_t calls;     /* root: before this one, whose time was over */
    uint8_t asked;     /* guests' root: its agent */
    uint8_t answer;    /* and what that said, enum mend_sim_word */
    uint8_t bridged;   /* root: what has come of the bridge, enum mend_sim_word */
    uint8_t closes;    /* hosts' root: another thread is about to close the port */
    uint8_t closed;    /* and has */
    uint8_t parted;    /* disconnected from the others */
    uint8_t freed;     /* knows that all have */
    uint8_t left;      /* has left MPI then */
    uint8_t link;      /* agent: enum mend_sim_link */
    uint8_t refused;   /* agent: it has answered no once */
    struct mend_sim_meeting meeting;
    struct mend_visit visit;
    uint64_t store[]; /* set of ranks that it was told are dead; the agreements; the door */
};

static inline int mend_sim_port_members(const struct mend_sim_conf *c)
{
    return c->ranks - 2;
}

static inline int mend_sim_port_hosts(const struct mend_sim_conf *c)
{
    return c->inter ? c->inter : mend_sim_port_members(c) / 2;
}

static inline int mend_sim_port_agent(int rank, const struct mend_sim_conf *c)
{
    return mend_sim_port_members(c) + (rank >= mend_sim_port_hosts(c));
}

/* Those that wait at the port. */
const struct mend_visit_door *mend_sim_port_door(const struct mend_sim_port_proc *p,
                                                 const struct mend_sim_conf *c);

const char *mend_sim_check_port(const struct mend_sim_view *v, int rank);
const char *mend_sim_check_port_end(const struct mend_sim_view *v);

#endif
